"""What the list of tools costs a model: all together, and a single tool that takes most of it (clients/list-tokens)."""

from __future__ import annotations

from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface


def sized(name: str, size: int) -> dict:
    return {"name": name, "description": "x" * size, "inputSchema": {"type": "object"}}


def found(*tools: dict) -> list[tuple[str, list[str | None]]]:
    findings = lint(build_surface({"tools": list(tools)}), LintSettings(select=("clients/list-tokens",)))
    return [(one.message, [spot.tool for spot in one.spots]) for one in findings]


def test_the_largest_of_a_long_list_are_named() -> None:
    tools = [sized(f"t{at}", 10_000 + at * 1000) for at in range(9)]
    assert found(*tools) == [
        (
            "Names, descriptions and input schemas have about 31,639 tokens, paid in every request of a client "
            "that sends all tools; the largest: t8 (18 kB), t7 (17 kB), t6 (16 kB).",
            ["t8", "t7", "t6"],
        )
    ]


def test_one_tool_that_takes_most_of_a_short_list_is_named() -> None:
    assert found(sized("plot", 18_000), sized("read", 1000), sized("list", 1000)) == [
        ("89 % of about 5,048 tokens for all tools go to plot (18 kB).", ["plot"])
    ]
    assert found(sized("plot", 15_000), sized("read", 15_000)) == []
