"""False lines about a second sample of drawn servers, each with the nearest server that deserves its line."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.rules.run import lint
from mcp_governor.rules.settings import LintSettings
from mcp_governor.surface import build_surface

STRING = {"type": "string"}


def tool(name: str, said: str = "", **properties: Any) -> dict[str, Any]:
    return {"name": name, "description": said, "inputSchema": {"type": "object", "properties": properties}}


def lists(first: str) -> list[dict[str, Any]]:
    limit = {"type": "integer"}
    paged = [tool(f"list_{name}", limit=limit, **{first: STRING}) for name in ("models", "prompts")]
    return [*paged, tool("list_metrics", limit=limit)]


def search(said: str) -> list[dict[str, Any]]:
    return [tool("search_records", said, where={"type": "string", "description": "WHERE clause."})]


@pytest.mark.parametrize(
    ("rule", "innocent", "guilty"),
    [
        ("clarity/unpaged", lists("startTime"), lists("start")),
        (
            "clarity/leaked-parameter",
            [tool("validate", "Validate the config of a collector.", config={})],
            [tool("validate", "Validate a collector.", config={})],
        ),
        ("clarity/leaked-parameter", [tool("validate_config", config={})], [tool("validate_all", config={})]),
        (
            "clarity/parameter-described",
            search('Example: {"where": "Industry = \'Technology\'"}'),
            search("Example: everything in the industry called Technology"),
        ),
    ],
)
def test_a_repaired_rule_is_quiet_there_and_speaks_here(rule: str, innocent: list[Any], guilty: list[Any]) -> None:
    def found(tools: list[Any]) -> int:
        return len(lint(build_surface({"tools": tools}), LintSettings(select=(rule,))))

    assert (found(innocent), found(guilty)) == (0, 1)
