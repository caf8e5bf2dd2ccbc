"""What an adversary found in the repairs for a third sample of drawn servers, each with the case that was repaired."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.catalogue.settings import LintSettings
from mcp_governor.linting import lint
from mcp_governor.surface import build_surface

STRING = {"type": "string"}
INTEGER = {"type": "integer"}


def tool(name: str, said: str = "", **more: Any) -> dict[str, Any]:
    return {"name": name, "description": said, "inputSchema": {"type": "object"}, **more}


def taking(properties: dict[str, Any], said: str = "", name: str = "look") -> dict[str, Any]:
    return tool(name, said, inputSchema={"type": "object", "properties": properties, "required": list(properties)})


def findings(rule: str, *tools: dict[str, Any]) -> list[Any]:
    return lint(build_surface({"tools": list(tools)}), LintSettings(select=tuple(rule.split())))


def speaks(rule: str, properties: dict[str, Any], said: str = "") -> bool:
    """If there is a finding about two tools that take these; some rules are about what several tools take."""
    return bool(findings(rule, taking(properties, said), taking(properties, said, "see")))


def described(name: str, text: str, schema: dict[str, Any] = STRING) -> dict[str, Any]:
    return {name: {**schema, "description": text}}


# -- crashes and time


@pytest.mark.parametrize(("one", "other"), [("$", "?"), ("", "_"), ("(.*)+", "\\"), ("_", "__")])
def test_names_without_words_are_not_compared(one: str, other: str) -> None:
    rules = "clarity/carried-names clarity/inconsistent-names"
    tools = (taking(described(one, "The thing"), name="a"), taking(described(other, "The thing"), name="b"))
    assert findings(rules, *tools) == []
    tools = (taking(described("repo_id", "The thing"), name="a"), taking(described("repoId", "The thing"), name="b"))
    assert len(findings(rules, *tools)) == 1
