"""Drafting: what is missing is written, everything else stays as it was, byte for byte."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_governor.change import compare
from mcp_governor.changelog import (
    ChangelogSettings,
    SchemaVersion,
    check,
    draft,
    first_changelog,
    parse,
)
from mcp_governor.errors import FileFormatError
from mcp_governor.findings import Severity
from mcp_governor.surface import build_surface, fingerprint, load_surface

FOLDER = Path(__file__).parents[2] / "fixtures" / "changelogs"
OLD, NEW = load_surface(FOLDER / "old.json"), load_surface(FOLDER / "new.json")
CHANGES = compare(OLD, NEW)
TOOLS = {*OLD.by_name, *NEW.by_name}
LIVE = fingerprint(NEW)
START = """# Log

## 1.4.0 (current)

Fingerprint: `v1:sha256:6ed3e1e517c843943b3d8c94f1a6b89ea0be419f1bdb4cce2ab1eaa51fd7c088`

**Added**

- `search`, as it was.
"""


def drafted(text: str, version: str = "2.0.0") -> str:
    changelog = parse(text, "log.md")
    return draft(
        changelog, CHANGES, version=version, fingerprint=LIVE, tools=TOOLS, replacements={"old_search": "search"}
    )


def errors(text: str) -> list[str]:
    expected = ChangelogSettings(SchemaVersion("2.0.0", "the server"), OLD)
    found = check(parse(text, "log.md"), NEW, CHANGES, settings=expected)
    return [finding.rule for finding in found if finding.severity is Severity.ERROR]


def test_a_new_section_above_the_old_one() -> None:
    assert (
        drafted(START)
        == f"""# Log

## 2.0.0 (current)

Fingerprint: `{LIVE}`

**Added**

- `list_notes` takes an optional `cursor`.
- `tag_note` is a new tool.

**Removed**

- `old_search` is gone; use `search` instead.

**Breaking**

- `search` no longer accepts these values for `order`: `desc`.

## 1.4.0

Fingerprint: `v1:sha256:6ed3e1e517c843943b3d8c94f1a6b89ea0be419f1bdb4cce2ab1eaa51fd7c088`

**Added**

- `search`, as it was.
"""
    )


def test_only_what_is_missing_in_the_authors_own_style() -> None:
    text = f"""## 2.0.0 (current)

Fingerprint: `{LIVE}`

### Added

* A word of my own about `tag_note`,
  on two lines.

### Fixed

* `search` does not crash on an empty `query`.

Signed: me.

## 1.4.0
"""
    expected = f"""## 2.0.0 (current)

Fingerprint: `{LIVE}`

### Added

* A word of my own about `tag_note`,
  on two lines.
* `list_notes` takes an optional `cursor`.

### Removed

* `old_search` is gone; use `search` instead.

### Fixed

* `search` does not crash on an empty `query`.

### Breaking

* `search` no longer accepts these values for `order`: `desc`.

Signed: me.

## 1.4.0
"""
    assert drafted(text) == expected


def test_the_same_event_on_several_tools_is_one_entry() -> None:
    def surface(*names: str) -> object:
        return build_surface({"tools": [{"name": n, "inputSchema": {"properties": {"page": {}}}} for n in names]})

    plain = build_surface({"tools": [{"name": n, "inputSchema": {"properties": {}}} for n in ("a", "b", "c")]})
    new = surface("a", "b", "c")
    changes = compare(plain, new)  # type: ignore[arg-type]
    text = draft(parse("", "log.md"), changes, version="1.1.0", fingerprint="v1:sha256:" + "0" * 64)
    assert "- `a`, `b` and `c` take an optional `page`.\n" in text


def test_an_unreleased_section_becomes_the_version() -> None:
    text = START.replace(
        "## 1.4.0 (current)", "## Unreleased\n\n**Added**\n\n- `tag_note`: mine.\n\n## 1.4.0 (current)"
    )
    out = drafted(text)
    assert out.startswith(f"# Log\n\n## 2.0.0 (current)\n\nFingerprint: `{LIVE}`\n\n**Added**\n\n- `tag_note`: mine.\n")
    assert "## 1.4.0\n" in out
    assert errors(out) == []


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_line_ends_and_byte_order_mark_stay(newline: str, bom: str) -> None:
    out = drafted(bom + START.replace("\n", newline))
    assert out == bom + drafted(START).replace("\n", newline)


def test_the_last_line_without_an_end() -> None:
    out = drafted("Prose")
    assert out.startswith("Prose\n\n## 2.0.0 (current)\n")
    assert drafted(START.rstrip("\n")) == drafted(START).rstrip("\n")


@pytest.mark.parametrize(
    "name", sorted({file.stem for file in FOLDER.glob("*.md")} - {"latin-1", "merge-conflict", "unclosed-fence"})
)
def test_drafting_only_adds_lines_and_moves_the_marker(name: str) -> None:
    before = (FOLDER / f"{name}.md").read_bytes().decode()
    after = drafted(before)
    lost = [
        line[2:].strip("\ufeff")
        for line in difflib.ndiff(before.splitlines(), after.splitlines())
        if line.startswith("- ") and line[2:].strip()
    ]
    for line in lost:  # headings that gain or lose the marker, and the current fingerprint
        assert "current" in line.lower() or "unreleased" in line.lower() or "2.0.0" in line or "sha256" in line, line
    assert drafted(after) == after


def test_a_conflict_is_not_drafted_into() -> None:
    with pytest.raises(FileFormatError, match=r"log\.md:28 holds an unresolved merge conflict"):
        drafted((FOLDER / "merge-conflict.md").read_text())


def test_the_first_changelog_passes() -> None:
    text = first_changelog(NEW, "2.0.0")
    found = check(parse(text, "log.md"), NEW, None, settings=ChangelogSettings())
    assert found == []


def test_a_draft_for_nothing_passes_but_for_names_that_only_the_author_knows() -> None:
    text = draft(parse("", "log.md"), CHANGES, version="2.0.0", fingerprint=LIVE, tools=TOOLS)
    assert "`old_search` is gone; use `REPLACEMENT` instead." in text
    assert errors(text) == ["changelog/unknown-name"]
    assert errors(text.replace("REPLACEMENT", "search")) == []


PIECES = [
    "# Title",
    "Words about `search`.",
    "## 2.0.0",
    "## 2.0.0 (current)",
    "## Unreleased",
    "## 1.4.0 (current)",
    "## 1.4.0",
    "## [1.3.0] — 2026-01-01",
    "Fingerprint: `v1:sha256:" + "0" * 64 + "`",
    "MCP surface fingerprint: `sha256:be86e5571fcd0226`",
    "**Added**",
    "### Removed",
    "**Breaking — more**",
    "- `tag_note`: told.",
    "* `search` no longer accepts `desc` for `order`.",
    "  continued",
    "```",
    "> quoted",
    "<!-- hidden -->",
    "1.2.0\n-----",
    "",
]


@given(st.lists(st.sampled_from(PIECES), max_size=16), st.sampled_from(["\n", "\r\n", "\n\n"]), st.booleans())
@settings(max_examples=250, deadline=None)
def test_any_text_can_be_drafted_into_and_keeps_its_lines(pieces: list[str], between: str, ends: bool) -> None:
    text = between.join(pieces) + (between if ends else "")
    if any(problem.rule == "unclosed" for problem in parse(text, "log.md").problems):
        with pytest.raises(FileFormatError, match="never closed"):
            drafted(text)
        return
    after = drafted(text)
    kept = [
        line for line in text.splitlines() if line.strip() and not line.startswith(("#", "Fing", "MCP", "1.2", "--"))
    ]
    remaining = iter(after.splitlines())
    assert all(line in remaining for line in kept)  # a subsequence, in order
    assert drafted(after) == after


FINGERPRINT = "Fingerprint: `v1:sha256:" + 64 * "0" + "`"


@pytest.mark.parametrize(
    "line",
    [
        FINGERPRINT,
        FINGERPRINT.replace("Fingerprint:", "**Fingerprint:**"),
        FINGERPRINT.split("`")[1],
        "- " + FINGERPRINT,
    ],
)
def test_a_fingerprint_in_any_form_is_written_again(line: str) -> None:
    text = drafted(f"## 2.0.0 (current)\n\n{line}\n")
    assert text.count("sha256:") == 1
    assert f"Fingerprint: `{LIVE}`\n" in text


def test_an_empty_unreleased_section_stays_above() -> None:
    text = drafted(f"## [Unreleased]\n\n## 2.0.0 (current)\n\nFingerprint: `{LIVE}`\n")
    assert text.startswith("## [Unreleased]\n\n## 2.0.0 (current)\n")
    assert text.count("## 2.0.0") == 1
    [found] = [found for found in check(parse(text, "l"), NEW, CHANGES) if found.rule == "changelog/unreleased"]
    assert found.fix == "Remove it; 2.0.0 has its section at line 3."
