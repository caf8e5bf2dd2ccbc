"""Identifiers of definitions: each moves with its definition, and only then."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.policy.definition_version import check_definition_versions
from mcp_governor.surface import build_surface


def tool(identifier: Any = None, **more: Any) -> dict[str, Any]:
    meta = {"x": 1} if identifier is None else {"x": 1, "a/b": identifier}
    return {"name": "t", "inputSchema": {"type": "object"}, "_meta": meta, **more}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(tool("1"), tool("1"), [], id="equal"),
        pytest.param(tool("1"), tool("2", title="T"), [], id="both-moved"),
        pytest.param(tool("1"), tool("1", title="T"), ["kept"], id="kept"),
        pytest.param(tool("1"), tool("1", inputSchema={"type": "array"}), ["kept"], id="kept-schema"),
        pytest.param(tool("1"), tool("1", unknown=1), [], id="noise"),
        pytest.param(tool("1"), tool("2", unknown=1), ["moved"], id="moved-with-noise"),
        pytest.param(tool("1"), tool("2"), ["moved"], id="moved"),
        pytest.param(tool(), tool("2", title="T"), [], id="new-identifier"),
        pytest.param(tool("1"), tool(title="T"), [], id="gone"),
        pytest.param(tool(1), tool(2), ["form"], id="no-string"),
        pytest.param(tool("1"), tool(2, title="T"), ["form"], id="no-string-any-more"),
        pytest.param({**tool(), "_meta": 5}, {**tool(), "_meta": 6}, [], id="no-object"),
        pytest.param(tool("1"), {**tool("1", title="T"), "name": "u"}, [], id="another-tool"),
    ],
)
def test_an_identifier_and_its_definition(old: Any, new: Any, expected: list[str]) -> None:
    surfaces = (build_surface({"tools": [one]}) for one in (old, new))
    found = list(check_definition_versions(*surfaces, "/_meta/a~1b"))
    assert [one.message.partition(" has changed")[0] for one in found] == [
        {"kept": "The definition", "moved": "The identifier", "form": "The identifier is 2, and not a string."}[says]
        for says in expected
    ]
    assert all(one.rule == "policy/definition-version" and one.tool == "t" for one in found)
