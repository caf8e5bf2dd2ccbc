"""Parameters that the text of a tool describes in some form, and the nearest text that does not."""

from __future__ import annotations

import re

import pytest

from mcp_governor.prose.asides import said_in_passing
from mcp_governor.prose.outline import outline
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

STRING = {"type": "string"}


def tool(name: str, text: str, **properties: dict) -> dict:
    return {"name": name, "description": text, "inputSchema": {"type": "object", "properties": properties}}


def reported(*tools: dict) -> str:
    """The parameters that the rules about missing descriptions name."""
    found = lint(build_surface({"tools": list(tools)}))
    return " ".join(one.message for one in found if "parameter-described" in one.rule)


def lacking(text: str, names: tuple[str, ...]) -> set[str]:
    """Those of the names that have no description in two tools with this text."""
    properties = dict.fromkeys((*names, "zone", "reach", "begin_at"), STRING)
    message = reported(*(tool(name, text, **properties) for name in ("run_a", "run_b")))
    return {name for name in names if re.search(rf"\b{name} \(", message)}


FORMS = [
    ("anchor", "Args:\n  anchor (str (ascii), optional): Where", "Args:\n  anchor (str, optional)"),
    ("anchor", "扫描。anchor：起点", "扫描。不要用anchor下结论"),
    # a name begins the sentence
    ("anchor", "Scans. anchor is where it begins.", "Scans if the anchor is where it begins."),
    ("anchor", "Scans. anchor must be an id.", "Scans. anchor must be given."),
    ("anchor", "Scans. Use anchor like 'a:b'.", "Scans. Use anchors like 'a:b'."),
    # names in a row: the text behind the last is about all; that they are given says nothing
    (
        "end_anchor",
        "Scans with end_anchor (a list of ids), low_anchor (str).",
        "Scans with end_anchor (str), low_anchor (str).",
    ),
    ("end_anchor", 'Scans: {"end_anchor": "ab:cd"}', 'Scans: {"end_anchor": 12}'),
    ("end_anchor", "Scans. end_anchor: Where", "Scans.\n\nReturns:\n  end_anchor: Where"),
]


@pytest.mark.parametrize(("name", "describing", "silent"), FORMS)
def test_a_parameter_is_described_in_this_form(name: str, describing: str, silent: str) -> None:
    names = (name, "low_anchor")
    assert name not in lacking(describing, names)
    assert name in lacking(silent, names)


LIKE_ANOTHER = [
    ("Args:\n    mode: See make_plan.", True),
    ("Args:\n    mode: Same meaning as in drop_plan.", False),
    ("Args:\n    mode: Never that of make_plan.", False),
    ("Returns the same plan as make_plan.", False),
]


@pytest.mark.parametrize(("text", "described"), LIKE_ANOTHER)
def test_another_tool_describes_it(text: str, described: bool) -> None:
    first = tool("make_plan", "Makes it.\n\nArgs:\n    mode: fast or slow.", mode=STRING)
    other = tool("drop_plan", "Drops it.", mode=STRING)
    assert ("edit_plan" not in reported(first, other, tool("edit_plan", text, mode=STRING))) == described


def test_the_text_answers_the_question() -> None:
    assert not reported(tool("run_a", "扫描。mode：fast/slow。", mode=STRING))
    assert reported(tool("run_a", "扫描。mode。", mode=STRING))


@pytest.mark.parametrize(
    ("text", "others", "described"),
    [
        ('Runs a command. Example: ["git", "log"]', {"handles": {"type": "array", "items": STRING}}, False),
        ('Returns ["git", "log"]', {}, False),
    ],
)
def test_an_example_of_a_list_is_of_the_only_list(text: str, others: dict, described: bool) -> None:
    words = {"type": "array", "items": STRING}
    tools = [tool(name, text, anchors=words, reach=STRING, zone=STRING, **others) for name in ("run_a", "run_b")]
    assert ("anchors (2" not in reported(*tools)) == described


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Needs OAuth (x_y/z_id/user): of the application.", ["/z_id/user): of the application."]),
        ("搜索笔记。x_y/z_id 格式如 2026-06-01", ["/z_id 格式如 2026-06-01"]),
        ("榜单。x_y 为日期", ["为日期"]),
        ("Off by default (x_y/z_id off) unless given.", []),
        ("See x_y/z_id first.", []),
    ],
)
def test_names_that_are_explained_together_are_each_explained(text: str, said: list[str]) -> None:
    assert list(said_in_passing("x_y", text)) == said


@pytest.mark.parametrize("piece", ["`x_y` ", "x_y is ", "x_y (str), ", "x_y（", "x_y, ", ". x_y", "x_y：\n", "`a.x_y`"])
def test_time_is_linear_in_what_is_said_in_passing(piece: str) -> None:
    # The test's own time limit is what a quadratic reading would break.
    text = piece * (500_000 // len(piece))
    assert len(list(said_in_passing("x_y", text))) <= 60
    assert len(outline("Args:\n" + text, ["x_y", "a"]).entries) <= 2
