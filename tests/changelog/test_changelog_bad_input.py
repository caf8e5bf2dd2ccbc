"""Whatever a changelog holds: a finding or one clear error, never a crash, never a raw control character."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_governor.change import compare
from mcp_governor.changelog import ChangelogSettings, SchemaVersion, check, draft, load, parse
from mcp_governor.errors import FileFormatError
from mcp_governor.surface import build_surface, fingerprint

SURFACE = build_surface({"tools": [{"name": "search"}], "serverInfo": {"version": "1.0.0"}})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"# a\n\n\xff\xfe", r"log\.md:3 is not UTF-8 \(byte 0xff\)"),
        ("# a\n".encode("utf-16"), r"log\.md:1 is not UTF-8"),
        (b"# a\n\0\n", r"log\.md:2 holds a NUL"),
    ],
)
def test_bytes_that_are_not_text(data: bytes, message: str) -> None:
    with pytest.raises(FileFormatError, match=message):
        parse(data, "log.md")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="does not exist") as caught:
        load(tmp_path / "none.md")
    assert "changelog draft" in caught.value.hint
    with pytest.raises(FileFormatError, match="cannot be read"):
        load(tmp_path)


@pytest.mark.parametrize("text", ["", "\ufeff", "\n\n", "\r\n", "#", "## ", "##", "\t", "- x", "```", "<!--", "---"])
def test_next_to_nothing(text: str) -> None:
    rules = {finding.rule for finding in check(parse(text, "log.md"), SURFACE)}
    assert "changelog/empty" in rules


def test_mac_line_ends() -> None:
    changelog = parse(f"## 1.0.0 (current)\r\rFingerprint: `{fingerprint(SURFACE)}`\r", "log.md")
    assert check(changelog, SURFACE) == []


@pytest.mark.parametrize(
    "line",
    [
        "`" * 20_000,
        "`a" * 10_000,
        "**a" * 10_000,
        "## 1.0.0" + " " * 50_000 + "x",
        "## 1.0.0" + "*_" * 20_000,
        "## " + "1." * 20_000,
        "fingerprint " + "sha256:abcdabcd " * 5_000,
        "- " * 2_000 + "x",
        ">" * 2_000,
        "- `" + "a." * 20_000 + "`",
        "- `a` " + "use " * 10_000,
        "- " + "no longer " * 5_000 + "`a`",
        ":_" * 190,
        ":a:" * 120,
        "## " + "@a-" * 130,
        "- `a` default " + "default " * 9_000,
    ],
)
def test_long_lines_end(line: str) -> None:
    """None of these takes a second; a pattern that backtracks takes minutes."""
    text = f"## 1.0.0 (current)\n\n**Added**\n\n{line}\n- x\n"
    check(parse(text, "log.md"), SURFACE, [])
    check(parse(f"{line}\n\n- `search` x\n\n### {line}\n\n# {line}\n", "log.md"), SURFACE, [])


HOSTILE = "\x1b[31m\u202eevil\u200b"


def shown(text: str) -> set[str]:
    return {char for char in text if char != "\n" and unicodedata.category(char) in {"Cc", "Cf", "Cs"}}


def test_hostile_words_are_made_visible() -> None:
    surface = build_surface(
        {
            "tools": [{"name": HOSTILE, "inputSchema": {"properties": {HOSTILE: {}}}}],
            "serverInfo": {"version": HOSTILE},
            "prompts": [{"name": HOSTILE}],
        }
    )
    text = (
        f"## 1.0.0 (current) {HOSTILE}\n\n**{HOSTILE}**\n\n- `{HOSTILE}`: {HOSTILE}\n\n**Added {HOSTILE}**\n\n- `x`\n"
    )
    changes = compare(SURFACE, surface)
    found = check(parse(text, "log.md"), surface, changes, settings=ChangelogSettings(baseline=SURFACE))
    assert found
    for finding in found:
        assert not shown(finding.message + finding.fix + finding.path), finding


def test_a_hostile_name_can_be_reported() -> None:
    surface = build_surface(
        {"tools": [{"name": f"a`{HOSTILE}"}, {"name": "x" * 300}], "serverInfo": {"version": "1.1.0"}}
    )
    changes = compare(SURFACE, surface)
    reported = draft(parse("", "log.md"), changes, version="1.1.0", fingerprint=fingerprint(surface))
    assert not shown(reported)
    expected = ChangelogSettings(SchemaVersion("1.1.0", "x"), SURFACE)
    rules = {finding.rule for finding in check(parse(reported, "log.md"), surface, changes, settings=expected)}
    assert "changelog/missing-entry" not in rules


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_text(text: str) -> None:
    found = check(parse(text.replace("\0", ""), "log.md"), SURFACE, [])
    assert all(finding.path.startswith("log.md:") for finding in found)


@given(st.binary(max_size=80))
@settings(max_examples=100, deadline=None)
def test_any_bytes(data: bytes) -> None:
    reported = ""
    try:
        check(parse(data, "log.md"), SURFACE, [])
    except FileFormatError as error:
        reported = error.message
    assert reported.startswith("log.md:") or reported == ""
