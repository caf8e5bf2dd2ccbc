"""The four description rules of the charter at their edges (FACTS 1.1), and what names a tool."""

from __future__ import annotations

import pytest

from mcp_governor.catalogue import LintSettings
from mcp_governor.linting import lint
from mcp_governor.surface import build_surface

RULES = ("charter/composition", "charter/disambiguation", "charter/length", "charter/use-this-when")
LEAD, CUE, MENTION = "Use this when x.", "Don't use when y.", "Then other_tool."


def failing(description: str, *others: str) -> set[str]:
    """The description rules, without the pack, that a tool with that description fails."""
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("own_tool", *(others or ("other_tool",)))]
    tools[0]["description"] = description
    findings = lint(build_surface({"tools": tools}), LintSettings(select=RULES))
    assert {finding.path for finding in findings if finding.tool == "own_tool"} <= {"/description"}
    return {finding.rule.removeprefix("charter/") for finding in findings if finding.tool == "own_tool"}


def test_all_three_parts_pass():
    assert failing(f"{LEAD} {CUE} {MENTION}") == set()


@pytest.mark.parametrize(
    "lead",
    [
        "use this when x.",
        "USE THIS WHEN x.",
        " \n\tUse this when x.",
        "**Use this when** x.",
        "*Use this when* x.",
        "__Use this when__ x.",
        "_Use this when_ x.",
        "***Use this when*** x.",
        "**Use** this when x.",
        "Use this **when** x.",
        "> **Use this when** x.",
        "> > Use this when x.",
        "\u00a0Use this when x.",
        "Use\u00a0this\u00a0when x.",
        "Use this\nwhen x.",
        "Use this when: x.",
        "Use this whenever x.",
    ],
)
def test_an_opening_counts(lead):
    assert failing(f"{lead} {CUE} {MENTION}") == set()


@pytest.mark.parametrize(
    "lead",
    [
        "",
        "Use this tool when x.",
        "Use when x.",
        "Use thiswhen x.",
        "Use this if x.",
        "Returns rows. Use this when x.",
        "You can use this when x.",
        '"Use this when" is the first sentence.',
        "- Use this when x.",
        "use_this_when x.",
    ],
)
def test_another_opening_does_not(lead):
    assert failing(f"{lead} {CUE} {MENTION}") == {"use-this-when"}


@pytest.mark.parametrize(
    "cue",
    [
        "Use z instead when y.",
        "Use z INSTEAD WHEN y.",
        "Use z **instead** when y.",
        "**Use `z` instead when** y.",
        "Use z instead\n  when y.",
        "DON'T USE WHEN y.",
        "Don’t use when y.",
        "**Don't** use when y.",
        "Don't use\u00a0when y.",
        "Do not use when y.",
    ],
)
def test_a_disambiguation_counts(cue):
    assert failing(f"{LEAD} {cue} {MENTION}") == set()


@pytest.mark.parametrize(
    "cue",
    [
        "",
        "Use z instead if y.",
        "Use z instead. When y, too.",
        "Do not use this when y.",
        "Never use when y.",
        "Dont use when y.",
    ],
)
def test_another_phrase_does_not(cue):
    assert failing(f"{LEAD} {cue} {MENTION}") == {"disambiguation"}


@pytest.mark.parametrize(
    "mention",
    [
        "other_tool",
        "`other_tool`.",
        "**other_tool**",
        "_other_tool_ next",
        "other_tool(x=1)",
        "own_tool→other_tool",
        "own_tool->other_tool",
        "own_tool--other_tool",
        "own_tool/other_tool",
        "other_tool...",
        "other_tool's rows",
        "(other_tool)",
        "other_tool\u00a0next",
    ],
)
def test_a_mention_counts(mention):
    assert failing(f"{LEAD} {CUE} {mention}") == set()


@pytest.mark.parametrize(
    "mention",
    [
        "",
        "own_tool",
        "other_tools",
        "another_tool",
        "other_tool_v2",
        "other_tool-v2",
        "other_tool.v2",
        "my.other_tool",
        "my-other_tool",
        "Other_Tool",
        "other tool",
        "othertool",
    ],
)
def test_part_of_an_identifier_is_no_mention(mention):
    assert failing(f"{LEAD} {CUE} {mention}") == {"composition"}


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("list-all", "then list-all.", True),
        ("list-all", "then list.", False),
        ("list", "then list-all.", False),
        ("db.list", "then db.list.", True),
        ("list", "then db.list.", False),
        ("_hidden", "then _hidden.", True),
        ("hidden", "then _hidden_.", True),
        ("a b", "then a b.", True),
        ("a b", "then a bc.", False),
        ("ns/list", "then ns/list, please", True),
        ("ns/list", "then ns/lists", False),
        ("получить", "then получить.", True),
    ],
)
def test_names_of_other_spellings(name, text, found):
    assert ("composition" not in failing(f"{LEAD} {CUE} {text}", name)) is found


@pytest.mark.parametrize("filling", ["a", "é", "\U0001f600", "\u0301"])
def test_length_is_counted_in_code_points(filling):
    start = f"{LEAD} {CUE} {MENTION} "
    assert failing(start + filling * (500 - len(start))) == set()
    assert failing(start + filling * (501 - len(start))) == {"length"}
