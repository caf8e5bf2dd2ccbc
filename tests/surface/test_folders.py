"""Folders of snapshots, one tool each, and exports of other programs."""

from __future__ import annotations

import json

import pytest

from mcp_governor.errors import FileFormatError
from mcp_governor.surface import load_surface


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
