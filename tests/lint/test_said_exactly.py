"""Sentences that judges found untrue, as they are said now."""

from __future__ import annotations

import pytest

from mcp_governor.catalogue import LintSettings
from mcp_governor.linting import lint
from mcp_governor.surface import build_surface


def said(rule: str, *tools: dict[str, object]) -> list[tuple[str, str]]:
    found = lint(build_surface({"tools": list(tools)}), LintSettings(select=(rule,)))
    return [(one.message, one.fix) for one in found]


def test_a_title_is_the_title_of_a_tool_that_exists():
    """A judge: "There is a tool with exactly that title." A call with it fails all the same."""
    tool = {"name": "get_order", "description": "Call the 'Read Order' tool again.", "inputSchema": {"type": "object"}}
    by_title = (
        "The text at /description names a tool by its title, Read Order, which no call takes.",
        "Write get_order.",
    )
    for titled in ({"title": "Read Order"}, {"annotations": {"title": "Read Order"}}):
        assert said("clarity/unknown-tool", {**tool, **titled}) == [by_title]
    [(message, _)] = said("clarity/unknown-tool", tool)
    assert message == "The text at /description names Read Order, but this server has no such tool."


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("^[0-9a-z_]*$", "refuses uppercase letters and hyphens"),
        ("[0-9a-z_]*", "refuses, once it has ^ and $, uppercase letters and hyphens"),
    ],
)
def test_a_pattern_without_anchors_refuses_nothing_yet(pattern, problem):
    """A judge said that it refuses nothing: validators accept My-Table."""
    name = {"type": "string", "pattern": pattern, "description": "Must contain only letters, numbers and hyphens."}
    tool = {"name": "a", "inputSchema": {"type": "object", "properties": {"name": name}}}
    [(message, _)] = said("clarity/pattern-fits", tool)
    assert message == f"The pattern {pattern} of name in a {problem}, unlike its description."
