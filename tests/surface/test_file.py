"""The surface file: deterministic, readable back, refused clearly when it is not one, never half-written."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest
from documents import closed

from mcp_governor.errors import Exit, FileFormatError
from mcp_governor.surface import build_surface, dump_surface, fingerprint, load_surface, parse_surface
from mcp_governor.surface.file import MAX_DEPTH, surface_document
from mcp_governor.surface.listings import languages
from mcp_governor.surface.read import TierRules
from mcp_governor.surface.schema import surface_schema
from mcp_governor.writing import write_file

TOOLS = [
    {"name": "b", "inputSchema": {"type": "object"}, "x-unknown": [1, {"deep": "é"}]},
    {"name": "a", "inputSchema": {"type": "object"}, "_meta": {"tier": "advanced"}},
]
RAW = {"tools": TOOLS, "serverInfo": {"name": "s", "version": "1.0.0"}, "protocolVersion": "2025-11-25"}


def test_the_same_surface_gives_the_same_bytes() -> None:
    again = {**RAW, "tools": list(reversed(TOOLS))}
    assert dump_surface(build_surface(RAW)) == dump_surface(build_surface(again))


def test_reading_back_keeps_every_word() -> None:
    surface = parse_surface(dump_surface(build_surface(RAW)), "file")
    assert sorted(surface.entries, key=lambda entry: entry["name"]) == sorted(TOOLS, key=lambda entry: entry["name"])
    assert surface.version == "1.0.0"
    assert surface.protocol == "2025-11-25"


def test_recorded_tiers_outrank_what_the_server_says() -> None:
    moved = build_surface(RAW, tiers=TierRules({"standard": ("a",), "internal": ("b",)}))
    back = parse_surface(dump_surface(moved), "file")
    assert {tool.name: tool.tier.value for tool in back.tools} == {"a": "standard", "b": "internal"}
    assert fingerprint(back) == fingerprint(moved)


@pytest.mark.parametrize(
    "document",
    [
        {"tools": TOOLS},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": TOOLS, "nextCursor": None}},
        TOOLS,
        RAW,
    ],
    ids=["result", "response", "array", "recording"],
)
def test_every_recording_form_is_read(document: object, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document))
    assert [tool.name for tool in load_surface(path).tools] == ["b", "a"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"format": "mcp-governor/surface-2", "tools": []}', "newer than mcp-governor/surface-1"),
        (b'{"format": "mcp-governor/report-1"}', "which is not a surface file"),
        (b'{"format": "mcp-governor/surface-1"}', "has no tools array"),
        (b'{"tools": [{"name": "a"', "is cut off at line 1, column 24"),
        (b'{"tools": [{"name": "a', "is cut off at line 1, column 21"),
        (b"<html></html>", "is not JSON: Expecting value at line 1, column 1"),
        (b'{"tools": {}}', "is not a surface"),
        (b"\xff\xfe", "is not UTF-8 (byte 0)"),
        (b"[" * 100_000, f"nested deeper than {MAX_DEPTH} levels"),
        (b"[" * 300 + b"]" * 300, f"nested deeper than {MAX_DEPTH} levels"),
    ],
)
def test_what_is_not_a_surface_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mcp-surface.json"
    path.write_bytes(content)
    with pytest.raises(FileFormatError) as caught:
        load_surface(path)
    assert message in caught.value.message
    assert caught.value.hint
    assert caught.value.exit_code is Exit.USAGE
    assert path.read_bytes() == content


def test_a_missing_file_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="does not exist") as caught:
        load_surface(tmp_path / "none.json")
    assert "mcp-governor snapshot -o" in caught.value.hint


def test_lone_surrogates_survive_a_round_trip(tmp_path: Path) -> None:
    surface = build_surface({"tools": [{"name": "a\ud800", "inputSchema": {"type": "object"}}]})
    write_file(tmp_path / "s.json", dump_surface(surface))
    assert load_surface(tmp_path / "s.json").tools[0].name == "a\ud800"


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="is a folder; nothing was written"):
        write_file(tmp_path, "new")
    assert list(tmp_path.iterdir()) == []


GOOD = {"resultType": "complete", "ttlMs": 60_000, "cacheScope": "public"}
MODERN = {"protocolVersion": "2026-07-28", "tools": [{"name": "a", "inputSchema": {"type": "object"}}]}


@pytest.mark.parametrize("ttl", [0, 1, 59_999])
def test_how_long_a_list_holds_moves_neither_file_nor_fingerprint(ttl: int) -> None:
    plain = build_surface(MODERN)
    reported = build_surface({**MODERN, "listings": {"tools": {**GOOD, "ttlMs": ttl}, "discover": [GOOD]}})
    assert dump_surface(reported) == dump_surface(plain)


@pytest.mark.parametrize(
    "said",
    [
        {"tools": {}},
        {"tools": {**GOOD, "ttlMs": -1}},
        {"prompts": {**GOOD, "cacheScope": ["public"]}},
        {"discover": {**GOOD, "resultType": "partial"}},
        {"tools": [GOOD, {**GOOD, "cacheScope": "private"}]},
        {"tools": {**GOOD, "nextCursor": None}},
    ],
)
def test_what_departs_from_the_specification_is_recorded_and_is_not_part_of_the_contract(tmp_path, said) -> None:
    surface = build_surface({**MODERN, "listings": {"resources": GOOD, **said}})
    write_file(tmp_path / "s.json", dump_surface(surface))
    document = json.loads((tmp_path / "s.json").read_text())
    assert document["listings"] == said
    jsonschema_rs.validate(closed(surface_schema()), document)
    again = load_surface(tmp_path / "s.json")
    assert dump_surface(again) == dump_surface(surface)
    assert fingerprint(again) == fingerprint(build_surface(MODERN))


def test_the_language_of_texts_is_recorded_without_the_rest_of_the_metadata() -> None:
    bare = build_surface({"tools": [], "_meta": {"io.modelcontextprotocol/contentLanguage": "de"}, "ttlMs": 7})
    assert surface_document(bare)["listings"] == {"tools": {"contentLanguage": "de"}}
    pages = [{**GOOD}, {**GOOD, "contentLanguage": "en"}]
    assert languages(build_surface({"tools": [], "listings": {"tools": pages, "prompts": GOOD}})) == {"tools": "en"}
