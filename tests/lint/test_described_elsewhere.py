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
    # JSDoc, Javadoc, Sphinx, C#; what the return value holds is not about a parameter
    ("anchor", "Scans.\n\n@param anchor Where it begins", "Scans.\n\n@return anchor Where it begins"),
    ("anchor", "Scans.\n\n@param anchor Where it begins", "Scans.\n\n@param anchor"),
    ("anchor", "Scans.\n\n@param anchor Where it begins", "Scans.\n\n@param anchor.left Where it begins"),
    (
        "anchor",
        "Scans.\n@param {string} [anchor=x] - Where it begins",
        "Scans.\n@param {anchor} [other=x] - Where it is",
    ),
    ("anchor", "Scans.\n\n:arg anchor: Where it begins", "Scans.\n\n:type anchor: str"),
    ("end_anchor", "Scans.\n\n@param end_anchor Where", "Scans.\n\n@return A list with end_anchor for each"),
    # types and needs in brackets, other signs
    ("anchor", "Args:\n  anchor [string]: Where", "Args:\n  anchor [string]"),
    ("anchor", "Args:\n  anchor (str (ascii), optional): Where", "Args:\n  anchor (str, optional)"),
    ("anchor", "Args:\n  anchor -> Where", "Moves:\n  anchor -> Where"),
    ("anchor", "Args:\n  anchor    Where it begins", "Notes:\n  anchor    Where it begins"),
    ("anchor", "Args:\n  Anchor: Where it begins", "Parts:\n  Anchor: Where it begins"),
    ("end_anchor", "Scans.\n- **End anchor**: Where it ends", "Scans.\n- **Bow anchor**: Where it ends"),
    # full-width signs, and headings in other languages
    ("anchor", "扫描。\n\n参数：\n- anchor：起点", "扫描。\n\n返回：\n- anchor：起点"),
    ("anchor", "扫描。\n\n【参数】\nanchor  起点", "扫描。\n\n【示例】\nanchor  起点"),
    ("anchor", "スキャン。\n\n引数:\n・anchor：始点", "スキャン。\n\n引数:\n・other：始点"),
    (
        "anchor",
        "Escanea.\n\nParámetros:\n  anchor: donde empieza",
        "Escanea.\n\nParámetros:\n  el ancla: donde empieza",
    ),
    ("anchor", "扫描目标。anchor（起点，必填）", "扫描目标（起点，必填）"),
    # words follow the name without a space
    ("anchor", "扫描。anchor为起点", "扫描。不要用anchor下结论"),
    ("anchor", "스캔합니다. anchor는 시작 지점입니다.", "스캔합니다. anchorage는 시작 지점입니다."),
    ("end_anchor", "스캔합니다. end_anchor로 끝 지점을 정합니다.", "스캔합니다. end_anchors로 끝 지점을 정합니다."),
    # a name begins the sentence, or is what a value is passed as
    ("anchor", "Scans. anchor is where it begins.", "Scans if the anchor is where it begins."),
    ("anchor", "Scans. anchor must be an id.", "Scans. anchor must be given."),
    ("anchor", "Scans. Use anchor like 'a:b'.", "Scans. Use anchors like 'a:b'."),
    ("end_anchor", "Pass the ids of the best hits as `end_anchor`.", "Scans and returns `end_anchor`."),
    ("end_anchor", "Call list_a first to get the end_anchor.", "Call list_a first without the end_anchor."),
    # names in a row: the text behind the last is about all; that they are given says nothing
    (
        "end_anchor",
        "Scans with end_anchor (a list of ids), low_anchor (str).",
        "Scans with end_anchor (str), low_anchor (str).",
    ),
    ("end_anchor", 'Scans: {"end_anchor": "ab:cd"}', 'Scans: {"end_anchor": 12}'),
]


@pytest.mark.parametrize(("name", "describing", "silent"), FORMS)
def test_a_parameter_is_described_in_this_form(name: str, describing: str, silent: str) -> None:
    names = (name, "low_anchor")
    assert name not in lacking(describing, names)
    assert name in lacking(silent, names)


def test_what_is_described_leaves_the_list_and_the_rest_stays() -> None:
    text = "Scans.\n\n@param anchor Where it begins"
    assert lacking(text, ("anchor", "end_anchor")) == {"end_anchor"}


ENTRIES = [
    ("@param anchor The start", "The start"),
    ("@param {string} [anchor=x] - The start\n@returns anchor: the end", "The start"),
    ("@param anchor The start\n    of it", "The start of it"),
    ("\\param[in] anchor The start", "The start"),
    (":keyword str anchor: The start", "The start"),
    ("Args:\n  anchor [string]: The start", "[string] The start"),
    ("Args:\n  anchor (list (of ids), optional): The start", "(list (of ids), optional) The start"),
    ("Args:\n  anchor => The start", "The start"),
    ("Args:\n  anchor?: The start", "The start"),
    ("Args:\n  anchor    The start", "The start"),
    ("参数：\n  anchor：起点", "起点"),
    ("【必填参数】\n- anchor（字符串）：起点", "（字符串） 起点"),
    ("매개변수:\n  anchor: 시작", "시작"),
    ("## Paramètres :\n- **anchor** : le début", "le début"),
    ("Параметры:\n  anchor — начало", "начало"),
    ("参数：\n- other：起点\n返回：\n- anchor：终点", None),
    ("@param anchor.left The start", None),
    ("@param anchor", None),
    ("@return anchor: The end", None),
    ("anchor -> The start", None),
    ("Notes:\n  anchor    The start", None),
]


@pytest.mark.parametrize(("text", "entry"), ENTRIES)
def test_an_entry_of_the_text_is_read(text: str, entry: str | None) -> None:
    assert outline(f"Scans.\n\n{text}", ["anchor", "end_anchor"]).entries.get("anchor") == entry


def test_a_list_of_names_goes_on_in_the_next_line() -> None:
    text = "Args:\n    first: A\n    low, high,\n    left, right:\n        ends of it\n    last: Z"
    names = ["first", "low", "high", "left", "right", "last"]
    ends = dict.fromkeys(("low", "high", "left", "right"), "ends of it")
    assert outline(text, names).entries == {"first": "A", **ends, "last": "Z"}


def test_a_list_of_names_is_short() -> None:
    names = [f"n{number}" for number in range(30)]
    assert outline("Args:\n    " + ",\n    ".join(names) + ": all", names).entries.keys().isdisjoint(names[:8])


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


def values(text: str, **properties: dict) -> bool:
    """True if the values, the form or the meaning of a parameter stay open."""
    return bool(reported(tool("run_a", text, **properties)))


@pytest.mark.parametrize(
    ("name", "describing", "silent"),
    [
        ("mode", "扫描。mode：fast/slow。", "扫描。mode。"),
        ("mode", "스캔합니다. mode는 'fast' 또는 'slow'.", "스캔합니다. 'fast' 또는 'slow'."),
    ],
)
def test_the_text_answers_the_question(name: str, describing: str, silent: str) -> None:
    assert not values(describing, **{name: STRING})
    assert values(silent, **{name: STRING})


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
    "piece",
    [
        "pass a as ",
        "`x_y` ",
        "x_y is ",
        "x_y (str), ",
        "- X y: ",
        "x_y（",
        "@param x_y ",
        "x_y, ",
        "[",
        "{a} ",
        "x_y：\n",
        "`a.x_y`",
    ],
)
def test_time_is_linear_in_what_is_said_in_passing(piece: str) -> None:
    # The test's own time limit is what a quadratic reading would break.
    text = piece * (500_000 // len(piece))
    assert len(said_in_passing("x_y", text, anything=True)) <= 10
    assert len(outline("Args:\n" + text, ["x_y", "a"]).entries) <= 2


def test_an_example_in_the_text_of_a_tool_with_one_parameter_is_about_it():
    shown = [tool(f"get_{name}", "Get one by id (e.g. \"at_123456\").", anchor=STRING) for name in ("ship", "boat")]
    assert reported(*shown) == ""
    shown[0]["inputSchema"]["properties"]["zone"] = STRING
    assert "anchor (get_ship; " in reported(*shown)
