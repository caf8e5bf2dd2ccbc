"""``schemas export``: self-contained files with the same bytes everywhere, all or none, and only files of our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commandline import contents, governor_here

from mcp_governor.schema_files.documents import MANIFEST
from mcp_governor.schema_files.folder import export
from mcp_governor.surface import build_surface
from mcp_governor.writing import _Staged

FIND = {
    "name": "find",
    "inputSchema": {
        "type": "object",
        "required": ["q"],
        "properties": {"q": {"$ref": "#/$defs/text"}, "n": {"type": "integer", "minimum": 1}},
        "$defs": {"text": {"type": "string", "description": "Größe"}},
    },
    "outputSchema": {"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"},
}


def tool(name: str, **schema: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", **schema}}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def record(*tools: Any, name: str = "s.json") -> None:
    Path(name).write_text(json.dumps({"tools": list(tools), "serverInfo": {"name": "shelf", "version": "1"}}))


def test_what_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(FIND, tool("list"))
    done = governor_here("schemas", "export", "schemas/tools", "s.json", capsys=capsys)
    assert (done.code, done.out) == (0, "schemas/tools: 2 tools, 3 files, 3 changed\n")
    written = contents(folder / "schemas" / "tools")
    assert sorted(written) == [MANIFEST, "find.json", "find.output.json", "list.json"]
    assert written["find.json"].decode() == (
        '{\n  "$defs": {\n    "text": {\n      "description": "Größe",\n      "type": "string"\n    }\n  },\n'
        '  "$schema": "https://json-schema.org/draft/2020-12/schema",\n'
        '  "properties": {\n    "n": {\n      "minimum": 1,\n      "type": "integer"\n    },\n'
        '    "q": {\n      "$ref": "#/$defs/text"\n    }\n  },\n  "required": [\n    "q"\n  ],\n  "type": "object"\n}\n'
    )
    assert json.loads(written["find.output.json"])["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert json.loads(written[MANIFEST])["server"] == "shelf"


def test_the_bytes_do_not_depend_on_the_order_of_the_server(folder: Path) -> None:
    reordered = {**FIND, "inputSchema": dict(reversed(FIND["inputSchema"].items()))}  # type: ignore[attr-defined]
    export(build_surface({"tools": [FIND, tool("a")]}), Path("one"))
    export(build_surface({"tools": [tool("a"), reordered]}), Path("two"))
    assert contents(folder / "one") == contents(folder / "two")
    assert export(build_surface({"tools": [tool("a"), FIND]}), Path("one")).changed == ()


def test_files_of_former_tools_go_if_nobody_edited_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(FIND, tool("list"), tool("old"))
    governor_here("schemas", "export", "d", "s.json", capsys=capsys)
    Path("d/list.json").write_text('{"edited": true}')
    Path("d/own.json").write_text("{}")
    Path("d/notes.md").write_text("mine")
    record(tool("new"))
    done = governor_here("schemas", "export", "d", "s.json", capsys=capsys)
    assert done.out == "d: 1 tool, 1 file, 1 changed, 3 deleted\n"
    assert "d/list.json belongs to no tool, but was edited since it was written, so it stays" in done.err
    assert sorted(contents(folder / "d")) == [MANIFEST, "list.json", "new.json", "notes.md", "own.json"]


def test_a_tool_whose_case_changes(folder: Path) -> None:
    """On macOS and Windows both files are one, so the new one is written after the old one is deleted."""
    export(build_surface({"tools": [tool("Foo")]}), Path("d"))
    done = export(build_surface({"tools": [tool("foo")]}), Path("d"))
    assert (done.removed, done.changed) == (("Foo.json",), ("foo.json",))
    assert sorted(contents(folder / "d")) == [MANIFEST, "foo.json"]


def test_files_that_no_export_wrote_are_not_replaced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(tool("package"), tool("other"))
    Path("package.json").write_text('{"name": "mine"}')
    refused = governor_here("schemas", "export", ".", "s.json", capsys=capsys)
    assert refused.code == 2
    assert ". has files that no export wrote (package.json); nothing was written." in refused.err
    assert not Path("other.json").exists()
    assert governor_here("schemas", "export", ".", "s.json", "--overwrite", capsys=capsys).code == 0
    assert json.loads(Path("package.json").read_text())["type"] == "object"


def test_a_file_that_already_is_the_schema_is_adopted(folder: Path) -> None:
    surface = build_surface({"tools": [tool("a")]})
    export(surface, Path("one"))
    Path("two").mkdir()
    Path("two/a.json").write_bytes(Path("one/a.json").read_bytes().replace(b"\n", b"\r\n"))
    assert export(surface, Path("two")).changed == ()


def test_a_manifest_of_a_stranger_deletes_nothing_outside_of_the_folder(folder: Path) -> None:
    surface = build_surface({"tools": [tool("a")]})
    export(surface, Path("d"))
    Path("victim.json").write_text("{}")
    manifest = json.loads(Path("d", MANIFEST).read_text())
    import hashlib

    for name in ("../victim.json", str(folder / "victim.json"), ".hidden.json", "b/c.json", "sub"):
        manifest["files"][name] = hashlib.sha256(b"{}").hexdigest()
    Path("d", MANIFEST).write_text(json.dumps(manifest))
    assert export(surface, Path("d")).removed == ()
    assert Path("victim.json").exists()
    for broken in ("[]", "{", '{"format": "mcp-governor/schemas-1", "files": [1]}', "[" * 100_000):
        Path("d", MANIFEST).write_text(broken)
        export(surface, Path("d"))


@pytest.mark.parametrize("linked", ["a.json", MANIFEST])
def test_links_in_the_folder_are_not_followed(folder: Path, linked: str, capsys: pytest.CaptureFixture[str]) -> None:
    record(tool("a"))
    Path("d").mkdir()
    Path("victim").write_text("{}")
    Path("d", linked).symlink_to("../victim")
    done = governor_here("schemas", "export", "d", "s.json", "--overwrite", capsys=capsys)
    assert done.code == 2
    assert "leads through a symbolic link; nothing was written" in done.err
    assert Path("victim").read_text() == "{}"


def test_all_or_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that fails takes back those before it, deletions and new content."""
    surface = build_surface({"tools": [tool("a"), tool("b"), tool("bb")]})
    export(surface, Path("d"))
    before = contents(folder / "d")
    from mcp_governor.errors import FileFormatError

    place = _Staged.place
    for failing in ("bb.json", "c.json", MANIFEST):

        def fails(staged: _Staged, failing: str = failing) -> None:
            if staged.file.path.name == failing:
                raise PermissionError(13, "Permission denied")
            place(staged)

        monkeypatch.setattr(_Staged, "place", fails)
        with pytest.raises(FileFormatError, match="cannot be written: Permission denied"):
            export(build_surface({"tools": [tool("a", title="new"), tool("c")]}), Path("d"))
        assert contents(folder / "d") == before
        monkeypatch.setattr(_Staged, "place", place)
    export(build_surface({"tools": [tool("a", title="new"), tool("c")]}), folder / "d")
    assert sorted(contents(folder / "d")) == [MANIFEST, "a.json", "c.json"]


@pytest.mark.parametrize(
    ("schema", "reference"),
    [
        ({"properties": {"x": {"$ref": "other.json"}}}, "other.json"),
        ({"properties": {"x": {"$ref": "#/$defs/gone"}}}, "#/$defs/gone"),
        ({"items": {"$dynamicRef": "https://example.com/x"}}, "https://example.com/x"),
    ],
)
def test_a_reference_to_elsewhere_is_refused(
    folder: Path, schema: dict[str, Any], reference: str, capsys: pytest.CaptureFixture[str]
) -> None:
    record(tool("fine"), tool("a", **schema))
    done = governor_here("schemas", "export", "new/d", "s.json", capsys=capsys)
    assert done.code == 2
    assert f"inputSchema of a refers to {reference} at " in done.err
    assert not Path("new").exists()


def test_a_property_named_like_a_reference_is_none(folder: Path) -> None:
    export(build_surface({"tools": [tool("a", properties={"$ref": {"type": "string"}})]}), Path("d"))


def test_a_server_without_tools_writes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record()
    assert governor_here("schemas", "export", "d", "s.json", capsys=capsys).code == 4
    assert not Path("d").exists()


def test_a_file_in_the_place_of_the_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(tool("a"))
    assert governor_here("schemas", "export", "s.json", "s.json", capsys=capsys).code == 2
