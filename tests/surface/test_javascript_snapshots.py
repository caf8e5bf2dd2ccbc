"""Folders of snapshots with a tool each, and tools in the snapshots of JavaScript tests, as pretty-format and Bun write
them.

Compared with pretty-format 29 itself on the tool lists of 171 releases of public servers: all were read as they are.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from commandline import governor_here
from hypothesis import given
from hypothesis import strategies as st

from mcp_governor.errors import FileFormatError
from mcp_governor.surface import load_surface
from mcp_governor.surface.folders import is_test_snapshot, tools_of_snapshot

VITEST = "// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n"
LISTED = r"""
exports[`server > lists its \`tools\` 1`] = `
{
  "tools": [
    {
      "description": "Find a "quoted" note, e.g. ["a", "b"].

      "Second", line,
      "x": 1,",
      "inputSchema": {
        "properties": {
          "q": {
            "default": "",
            "pattern": "^\\d+\`\${x}$",
            "type": "string",
          },
        },
        "required": [
          "q",
        ],
        "type": "object",
        "~standard": {
          "validate": [Function],
          "version": 1,
        },
      },
      "name": "find",
      "title": undefined,
    },
  ],
}
`;

exports[`other 1`] = `"hi "you""`;

exports[`another 1`] = `Any<String>`;
"""
FIND = {
    "description": 'Find a "quoted" note, e.g. ["a", "b"].\n\n      "Second", line,\n      "x": 1,',
    "inputSchema": {
        "properties": {"q": {"default": "", "pattern": "^\\d+`${x}$", "type": "string"}},
        "required": ["q"],
        "type": "object",
    },
    "name": "find",
}
JEST = r"""// Jest Snapshot v1, https://goo.gl/fbAQLP

exports[`tools 1`] = `
Array [
  Object {
    "description": "A \\"word\\" and C:\\\\x",
    "inputSchema": Object {},
    "name": "keep",
  },
]
`;
"""
KEEP = {"description": 'A "word" and C:\\x', "inputSchema": {}, "name": "keep"}
SCHEMAS = r"""
exports[`Schemas > Tool: keep > outputSchema is stable 1`] = `
{
  "type": "object",
}
`;

exports[`Schemas > Tool: keep > inputSchema is stable 1`] = `
{
  "properties": {},
  "type": "object",
}
`;
"""
OF_SCHEMAS = {"name": "keep", "inputSchema": {"properties": {}, "type": "object"}, "outputSchema": {"type": "object"}}
TEXT = json.dumps({"tools": [KEEP]}).replace("\\", "\\\\")


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        (VITEST + LISTED, [FIND]),
        (VITEST + LISTED.replace("\n", "\r\n"), [FIND]),
        (JEST, [KEEP]),
        (JEST.replace("Jest", "Bun").replace("Object ", "").replace("Array ", ""), [KEEP]),
        (VITEST + SCHEMAS, [OF_SCHEMAS]),
        (f'{VITEST}\nexports[`as text 1`] = `"{TEXT}"`;\n', [KEEP]),
        (VITEST + LISTED + SCHEMAS, [FIND, OF_SCHEMAS]),
    ],
)
def test_what_runners_write(text: str, tools: list[Any]) -> None:
    assert is_test_snapshot(text)
    assert tools_of_snapshot(text, "x.snap") == {"tools": tools}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (VITEST, "x.snap contains no tool"),
        (VITEST + '\nexports[`a 1`] = `\n{\n  "b": 1,\n}\n`;\n', "x.snap contains no tool"),
        (
            VITEST + LISTED.replace('        "required": [\n', ""),
            'the snapshot "server > lists its `tools` 1"',
        ),
        (VITEST + LISTED.replace("    {\n", "{\n", 1), "which cannot be read"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, said: str) -> None:
    with pytest.raises(FileFormatError, match=re.escape(said)):
        tools_of_snapshot(text, "x.snap")


def written(value: Any, indent: str = "") -> str:
    """As pretty-format writes a value with ``printBasicPrototype`` and ``escapeString`` off."""
    if isinstance(value, dict | list) and value:
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        named = isinstance(value, dict)
        members = [(f'"{name}": ', value[name]) for name in sorted(value)] if named else [("", one) for one in value]
        lines = [f"{indent}  {name}{written(one, f'{indent}  ')},\n" for name, one in members]
        return f"{opening}\n{''.join(lines)}{indent}{closing}"
    return f'"{value}"' if isinstance(value, str) else json.dumps(value)


# The ends of lines are ambiguous where a text has lines of our own form; everything else may be in it.
WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12)
LINES = st.lists(WORDS | st.sampled_from(['a "b",', "}", "  ],", "\\", "${x}", "`", '"']), max_size=3).map("\n".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | LINES.filter(lambda text: not re.search('",\n', text)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.from_regex(r"\A[a-z$ ]{1,5}\Z"), inner, max_size=3),
    max_leaves=12,
)


@given(VALUES)
def test_any_schema_is_read_as_it_was_written(value: Any) -> None:
    tool = {"name": "t", "inputSchema": {"x": value}}
    text = re.sub(r"`|\\|\$\{", r"\\\g<0>", f"\n{written([tool])}\n")
    assert tools_of_snapshot(f"{VITEST}\nexports[`a 1`] = `{text}`;\n", "x.snap") == {"tools": [tool]}


def test_a_file_and_a_folder_are_targets(tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "__snapshots__").mkdir()
    (tmp_path / "__snapshots__" / "a.test.ts.snap").write_text(VITEST + LISTED)
    (tmp_path / "__snapshots__" / "b.test.ts.snap").write_text(JEST)
    (tmp_path / "now.json").write_text(json.dumps([FIND, {**KEEP, "inputSchema": {"required": ["x"]}}]))
    both = governor_here("diff", "__snapshots__", "now.json", capsys=capsys)
    assert both.code == 1
    assert "argument-required  keep" in both.out
    assert "1 breaking change" in both.out
    one = governor_here("diff", "__snapshots__/a.test.ts.snap", "now.json", capsys=capsys)
    assert one.code == 0, one.out
    assert "Tool `keep` is new" in one.out


def test_the_name_of_a_test_costs_no_more_than_it_is_long() -> None:
    name = "tool a " * 20_000
    text = f'// Jest Snapshot v1\n\nexports[`{name}`] = `\n{{\n  "type": "object",\n}}\n`;\n'
    begun = time.process_time()
    with pytest.raises(FileFormatError, match="contains no tool"):
        tools_of_snapshot(text, "a.snap")
    assert time.process_time() - begun < 1


def snap(name, **more):
    return json.dumps({"name": name, "description": "Does.", "inputSchema": {"type": "object"}, **more})


def folder(root, **files):
    root.mkdir(exist_ok=True)
    for name, text in files.items():
        (root / f"{name}.snap").write_text(text)
    return root


def test_each_file_is_a_tool(tmp_path):
    path = folder(tmp_path / "__toolsnaps__", list_stock=snap("list_stock"), add_stock=snap("add_stock"))
    (path / "README.md").write_text("not a tool")
    assert [tool.name for tool in load_surface(path).tools] == ["add_stock", "list_stock"]


def test_a_variant_stands_for_its_tool_only_where_that_has_none(tmp_path):
    path = folder(
        tmp_path,
        add_stock=snap("add_stock", title="own"),
        add_stock_typed=snap("add_stock", title="variant"),
        list_stock_typed=snap("list_stock", title="only"),
        _surface='["add_stock", "list_stock"]',
    )
    assert {tool.name: tool.raw["title"] for tool in load_surface(path).tools} == {
        "add_stock": "own",
        "list_stock": "only",
    }


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"_surface": '["a"]'}, "contains no tool"),
        ({"a": "{"}, "a.snap is cut off"),
        ({"a": snap("a"), "b": '{"name": 5}', "c": "nope"}, "c.snap is not JSON"),
    ],
)
def test_what_is_not_a_folder_of_tools(tmp_path, files, words):
    with pytest.raises(FileFormatError, match=words):
        load_surface(folder(tmp_path / "snaps", **files), what="snaps")


def test_a_folder_without_snapshots_is_not_a_recording(tmp_path):
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(FileFormatError, match="cannot be read"):
        load_surface(tmp_path)
