"""JSON pointers become lines and columns, whatever the layout of the file."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_governor.findings import Finding, Severity
from mcp_governor.fixes.positions import Position, code_frame, finding_positions, locate_all
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.surface import parse_surface

DOCUMENT = """{
  "tools": [
    {"name": "a", "inputSchema": {"type": "object", "x/y": [1, {"k~": true}]}},
    { "name" : "b\\"]", "description": "é\\u00e9",
      "inputSchema": {} }
  ],
  "empty": [], "none": null
}
"""


@pytest.mark.parametrize(
    ("pointer", "line", "column"),
    [
        ("", 1, 1),
        ("/tools", 2, 3),
        ("/tools/0", 3, 5),
        ("/tools/0/name", 3, 6),
        ("/tools/0/inputSchema/x~1y/1/k~0", 3, 65),
        ("/tools/1", 4, 5),
        ("/tools/1/inputSchema", 5, 7),
        ("/none", 7, 16),
    ],
)
def test_a_pointer_is_found_where_the_key_stands(pointer, line, column):
    assert locate_all(DOCUMENT, [pointer])[pointer] == Position(line, column)


def test_a_pointer_that_does_not_resolve_is_found_at_its_nearest_ancestor():
    assert locate_all(DOCUMENT, ["/tools/1/annotations/title"])["/tools/1/annotations/title"] == Position(4, 5)
    assert locate_all(DOCUMENT, ["/nothing"])["/nothing"] == Position(1, 1)


@pytest.mark.parametrize("text", ["", "{", '{"a" 1}', "[1 2]", '{"a": "', "nul"])
def test_what_is_not_json_has_no_positions(text):
    found = locate_all(text, ["/a", "/0"])
    assert found == {"/a": None, "/0": None}


def test_values_without_a_request_are_passed_over_whatever_is_in_them():
    before = f'{{"a": -{"9" * 5_000}, "b": [NaN, -Infinity, {"9" * 5_000}.5e9], "c": {{"d": "\\ud800\\n}}"}}, '
    assert locate_all(before + '"d": 1}', ["/d"])["/d"] == Position(1, len(before) + 1)
    assert locate_all(f'{before}"d": {"[" * 100_000}', ["/d"])["/d"] is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(max_size=4), below, max_size=4),
    max_leaves=12,
)


def pointers_of(value, here=""):
    yield here, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from pointers_of(item, join_pointer(here, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from pointers_of(item, join_pointer(here, index))


@given(json_values, st.sampled_from([None, 2]), st.booleans())
def test_reading_from_a_position_gives_the_value_back(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    wanted = dict(pointers_of(value))
    found = locate_all(text, wanted)
    lines = text.split("\n")
    decoder = json.JSONDecoder()
    for pointer, expected in wanted.items():
        line, column = found[pointer].line, found[pointer].column
        rest = "\n".join([lines[line - 1][column - 1 :], *lines[line:]])
        first, end = decoder.raw_decode(rest)
        after = rest[end:].lstrip()
        if after.startswith(":") and pointer:
            first = decoder.raw_decode(after[1:].lstrip())[0]
        assert first == expected


TOOL = '{"name": "a", "inputSchema": {}}'


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"[\n{TOOL}]", 2),
        (f'{{"tools": [\n\n{TOOL}]}}', 3),
        (f'{{"jsonrpc": "2.0", "id": 1, "result":\n{{"tools": [{TOOL}]}}}}', 2),
    ],
)
def test_findings_are_found_in_every_kind_of_recording(text, line):
    surface = parse_surface(text, "x.json")
    findings = [
        Finding("a/b", Severity.ERROR, "m", "a", "/inputSchema"),
        Finding("a/b", Severity.ERROR, "m", None, "/tools/0"),
        Finding("a/b", Severity.ERROR, "m", None, "CHANGELOG.md:3"),
        Finding("a/b", Severity.ERROR, "m", "gone", "/name"),
        Finding("a/b", Severity.ERROR, "m", "a", "CHANGELOG.md:3"),
    ]
    first, second, other, gone, other_of_tool = finding_positions(text, surface, findings)
    assert first.line == line
    assert text.split("\n")[first.line - 1][first.column - 1 :].startswith('"inputSchema"')
    assert second == Position(line, first.column - len('{"name": "a", ') + 0)
    assert other is None
    assert other_of_tool is None
    assert gone is None


def test_a_code_frame_points_at_the_column():
    frame = code_frame('{\n  "name": "x"\n}', Position(2, 3))
    assert frame.split("\n") == ["  1 | {", '> 2 |   "name": "x"', "    |   ^", "  3 | }"]


def test_a_code_frame_is_safe_and_short():
    line = "[" + '"\x1b[31m' + "x" * 5000 + '", 7]'
    frame = code_frame(line, Position(1, len(line) - 1))
    assert "\x1b" not in frame
    assert max(map(len, frame.split("\n"))) < 130
    caret = frame.split("\n")[1].index("^")
    assert frame.split("\n")[0][caret] == "7"
