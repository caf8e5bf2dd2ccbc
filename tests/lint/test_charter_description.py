"""The four description rules of the charter at their edges (FACTS 1.1), and what names a tool."""

from __future__ import annotations

import pytest

from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
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
        "_Use this when_ x.",
        "Use this **when** x.",
        "> **Use this when** x.",
        "> > Use this when x.",
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
        "Do not use this when y.",
        "Don't use it when y.",
        "Don’t **use this tool** when y.",
        "Don't use `own_tool` when y.",
        "Don't use own_tool\n  when y.",
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
        "Never use when y.",
        "Dont use when y.",
        "Do not use other_tool when y.",
        "Do not use quotes when y.",
        "Do not use this. When y, too.",
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
def test_part_of_an_identifier_is_not_a_mention(mention):
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


def test_a_server_with_one_tool_has_nothing_to_compose():
    tool = {"name": "own_tool", "description": f"{LEAD} {CUE}", "inputSchema": {"type": "object"}}
    assert lint(build_surface({"tools": [tool]}), LintSettings(select=RULES)) == []


def unknown(rule: str, description: str, *names: str, instructions: str = "") -> list[object]:
    """What a rule says is no tool, of a server whose first tool has that description."""
    first = {"inputSchema": {"type": "object", "properties": {"by_name": {"enum": ["low_high"]}}}}
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    tools[0] |= {**first, "description": description}
    surface = {"tools": tools, "instructions": instructions, "prompts": [{"name": "ask_me"}]}
    return [finding.message for finding in lint(build_surface(surface), LintSettings(select=(rule,)))]


@pytest.mark.parametrize(
    ("sentence", "named"),
    [
        ("Use `gone_tool` instead when y.", "gone_tool"),
        ("Use gone_tool instead when y.", "gone_tool"),
        ("**Use `gone_tool` instead when** y.", "gone_tool"),
        ("Use `get_it` or `gone_tool` instead\nwhen y.", "gone_tool"),
        ("Use this when a_b holds; use gone_tool instead when y.", "gone_tool"),
        ("Use `get_it` instead when y.", ""),
        ("Use _get_it_ instead when y.", ""),
        ("Use the web instead when y.", ""),
        ("Use `psql` instead when y.", ""),
        ("Use `by_name` or `low_high` instead when y.", ""),
        ("Use `ask_me` instead when y.", ""),
        ("Use `webSearch` or `web-search` instead when y.", ""),
        ("Use `SOME_KEY` instead when y.", ""),
        ("Use a read-only tool instead when y.", ""),
        ("Use other:gone_tool instead when y.", ""),
        ("Use gone_tool when y.", ""),
        ("Use gone_tool. Try b instead when y.", ""),
    ],
)
def test_a_neighbour_is_a_tool(sentence, named):
    found = unknown("charter/neighbour", f"{LEAD} {sentence}", "own_tool", "get_it")
    assert [named in message for message in found] == ([True] if named else [])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("get_it → gone_tool", "gone_tool"),
        ("gone_tool (all) → `get_it`", "gone_tool"),
        ("get_it(x=1) (the first) (again) -> gone_tool", "gone_tool"),
        ("`own_tool` → `get_it` (top 1–3 hits) → `gone_tool` for the rest", "gone_tool"),
        ("own_tool → get_it for each hit → gone_tool", "gone_tool"),
        ("own_tool → gone_tool for each hit → get_it", "gone_tool"),
        ("own_tool → get_it; the orders_table → its_rows", ""),
        ("own_tool → get_it. Then a_state → b_state", ""),
        ("a_state → b_state", ""),
        ("own_tool → get_it → by_name", ""),
        ("own_tool → getIt → answer", ""),
        ("1. `own_tool`\n2. `gone_tool`", "gone_tool"),
        ("- own_tool()\n- gone_tool(x)", "gone_tool"),
        ("- `own_tool`\n\n- `gone_tool`", ""),
        ("- `a_state`\n- `gone_tool`", ""),
        ("- `own_tool`\n- gone_tool in prose", ""),
        ("- `own_tool`\n- `by_name`: how\n- `low_high`: a value\n- `ask_me`: a prompt", ""),
        ("| a | b |\n| --- | --- |\n| All | `own_tool` |\n| One | `gone_tool(x)` |", "gone_tool"),
        ("| `no_rows` | `own_tool` |\n| `no_index` | `get_it` |", ""),
    ],
)
def test_the_steps_of_a_workflow_are_tools(text, named):
    for description, instructions in ((text, ""), ("", text)):
        found = unknown("charter/workflows", description, "own_tool", "get_it", instructions=instructions)
        assert [named in message for message in found] == ([True] if named else [])


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Chain a_x → b_x → c_x → d_x.", 0),
        ("Chain a_x → b_x; chain a_x → c_x.", 0),
        ("Chain a_x → b_x, then d_x, and c_x.", 3),
        ("Chain to b_x; chain to c_x; chain to d_x.", 3),
        ("Chain to b_x and c_x. Use d_x instead when y. Don't use when d_x knows.", 0),
        ("Chain b_x (all) → a_x (some), c_x → a_x, and d_x → a_x.", 3),
        ("b_x, b_x, b_x.", 0),
    ],
)
def test_compositions_are_counted(text, count):
    found = unknown("charter/composition-count", text, "a_x", "b_x", "c_x", "d_x")
    assert [f"names {count} combinations" in message for message in found] == ([True] if count else [])
