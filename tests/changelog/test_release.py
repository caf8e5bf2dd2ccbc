"""Releases: the marker moves, the date is written, two releases stand side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mcp_governor.change import compare
from mcp_governor.changelog import (
    Recorded,
    parse,
    recorded_path,
    recorded_surfaces,
    release,
    release_note,
    show,
)
from mcp_governor.errors import UsageError
from mcp_governor.surface import build_surface, dump_surface, fingerprint, load_surface

FOLDER = Path(__file__).parents[2] / "fixtures" / "changelogs"
OLD, NEW = load_surface(FOLDER / "old.json"), load_surface(FOLDER / "new.json")
TEXT = "# Log\n\n## 1.1.0\n\n**Added**\n\n- `b`.\n\n## 1.0.0 (current) - 2026-01-01\n\n**Added**\n\n- `a`.\n"


def released(text: str, version: str, day: str | None = None) -> str:
    return release(parse(text, "log.md"), version, day=day)


def test_the_marker_moves() -> None:
    expected = TEXT.replace("## 1.1.0", "## 1.1.0 (current)").replace("1.0.0 (current) -", "1.0.0 -")
    assert released(TEXT, "1.1.0") == expected
    assert released(TEXT.replace("## 1.1.0", "## 1.1.0 (unreleased)"), "1.1.0") == expected


def test_the_date_is_written_where_asked_and_not_twice() -> None:
    once = released(TEXT, "1.1.0", "2026-11-21")
    assert "## 1.1.0 (current) - 2026-11-21\n" in once
    assert released(once, "1.1.0", "2026-12-24") == once


def test_an_unreleased_section_becomes_the_release() -> None:
    text = TEXT.replace("## 1.1.0", "## [Unreleased]")
    assert "\n## 1.1.0 (current)\n" in released(text, "1.1.0")
    assert "1.0.0 -" in released(text, "1.1.0")


@pytest.mark.parametrize("mark", ["(Current)", "*(current)*", "[current]", "— current"])
def test_a_marker_in_any_form_is_taken_off(mark: str) -> None:
    text = f"## 1.1.0\n\n## 1.0.0 {mark} - 2026-01-01\n"
    assert released(text, "1.1.0") == "## 1.1.0 (current)\n\n## 1.0.0 - 2026-01-01\n"


def test_an_underlined_heading_becomes_strict() -> None:
    assert released("1.1.0\n-----\n\n**Added**\n", "1.1.0") == "## 1.1.0 (current)\n\n\n**Added**\n"


@pytest.mark.parametrize(
    ("text", "version", "message"),
    [
        (TEXT, "1.2.0", "has no section 1.2.0"),
        (TEXT, "1.0.0", "holds 1.1.0, which is newer"),
        (TEXT, "1.1", "is not a semantic version"),
        (TEXT, "one", "is not a semantic version"),
        (TEXT, "../etc", "is not a semantic version"),
        (f"## Unreleased\n\n**Fixed**\n\n- `a`.\n\n{TEXT}", "1.1.0", "in two sections, at line 1 and at line 9"),
    ],
)
def test_what_cannot_be_released(text: str, version: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        released(text, version)


def test_a_version_may_be_given_as_its_tag_is_called() -> None:
    assert released(TEXT, "v1.1.0") == released(TEXT, "1.1.0")
    assert recorded_path("docs", "v1.1.0") == "docs/1.1.0.json"


def test_a_release_of_another_scheme_is_named_as_the_changelog_names_it() -> None:
    text = "## 2026.10\n\n## 2026.08 (current)\n"
    assert released(text, "2026.10") == "## 2026.10 (current)\n\n## 2026.08\n"
    with pytest.raises(UsageError, match="holds 2026.10, which is newer"):
        released(text, "2026.08")
    with pytest.raises(UsageError, match="is not a semantic version"):
        released(text, "2026.11")


def test_a_day_that_is_none() -> None:
    with pytest.raises(UsageError, match="is not a date"):
        released(TEXT, "1.1.0", "2026-02-30")


def test_where_a_release_is_recorded() -> None:
    assert recorded_path("docs/mcp-surface/", "1.2.0-rc.1") == "docs/mcp-surface/1.2.0-rc.1.json"
    with pytest.raises(UsageError):
        recorded_path("docs", "../../x")


def test_recorded_surfaces_are_those_of_released_sections(tmp_path: Path) -> None:
    (tmp_path / "1.0.0.json").write_text(dump_surface(OLD))
    (tmp_path / "1.1.0.json").write_text(dump_surface(NEW))
    (tmp_path / "0.9.0.json").write_text("{")
    changelog = parse(TEXT.replace("1.0.0 (current)", "1.0.0").replace("1.1.0", "1.1.0 (current)"), "log.md")
    found = list(recorded_surfaces(tmp_path, "docs/s", changelog))
    assert found == [Recorded("1.0.0", fingerprint(OLD), "docs/s/1.0.0.json")]
    assert list(recorded_surfaces(tmp_path / "none", "docs/s", changelog)) == []


def test_a_release_is_shown_as_written() -> None:
    changelog = parse("\ufeff" + TEXT.replace("\n", "\r\n"), "log.md")
    assert show(changelog, "1.1.0") == "## 1.1.0\n\n**Added**\n\n- `b`.\n"
    assert show(changelog, "current").startswith("## 1.0.0 (current)")
    with pytest.raises(UsageError, match=r'no section 1\.1\.1\. Did you mean "1\.1\.0"'):
        show(changelog, "1.1.1")


def test_two_releases_side_by_side() -> None:
    changelog = parse((FOLDER / "good.md").read_text(), "log.md")
    changes = compare(OLD, NEW)
    found = release_note(changelog, "1.4.0", "2.0.0", changes=changes, tools={*OLD.by_name, *NEW.by_name})
    assert found == (
        "# 1.4.0 → 2.0.0\n\nThere are breaking changes in `old_search` and `search`.\n\n"
        "## Added\n\n- `tag_note` is a new tool.\n- `list_notes` takes an optional `cursor`.\n\n"
        "## Removed\n\n- `old_search` is gone; use `search` instead.\n\n"
        "## Breaking\n\n- `search` no longer accepts `desc` for `order`.\n"
    )


CLOSED, OPEN, INTERNAL = (
    {"tools": [{"name": "a", "inputSchema": schema}, *more]}
    for schema, more in (
        ({"type": "object", "properties": {"q": {"type": "string", "maxLength": 5}}}, []),
        ({"type": "object", "properties": {"q": {"type": "string"}}}, []),
        (
            {"type": "object", "properties": {"q": {"type": "string"}}},
            [{"name": "b", "inputSchema": {"type": "object"}, "tier": "internal"}],
        ),
    )
)
SEEN, UNSEEN = (
    {"tools": [{"name": "a", "inputSchema": {"properties": {"q": {"$ref": f"https://example.org/{name}.json"}}}}]}
    for name in ("old", "new")
)


@pytest.mark.parametrize(
    ("old", "new", "entries", "headline"),
    [
        (OPEN, CLOSED, "**Breaking**\n\n- `a` takes at most 5 letters as `q`.", "There are breaking changes in `a`."),
        (CLOSED, OPEN, "**Added**\n\n- `a` takes any `q`.", "There are no breaking changes."),
        # a section about breaks is never below a headline that there are none
        (OPEN, OPEN, "**Breaking**\n\n- `a` answers in feet.", "Breaking lists changes that the two surfaces do not"),
        (CLOSED, OPEN, "**Breaking**\n\n- `a` takes any `q`.", "Breaking lists changes that the two surfaces do not"),
        (OPEN, OPEN, "**Removed**\n\n- `z` is gone.", "Removed lists changes that the two surfaces do not"),
        (
            OPEN,
            CLOSED,
            "**Removed**\n\n- `z` is gone.\n\n**Breaking**\n\n- `a` takes at most 5 letters as `q`.",
            "There are breaking changes in `a`. Removed lists changes that the two surfaces do not show as breaks.",
        ),
        # what no section has is no break
        (INTERNAL, OPEN, "**Fixed**\n\n- Nothing to see.", "There are no breaking changes."),
        (SEEN, UNSEEN, "**Fixed**\n\n- Nothing to see.", "Nothing shows if the changes in `a` break clients."),
        (OPEN, {"tools": []}, "**Removed**\n\n- `a` is gone.", "There are breaking changes in `a`."),
    ],
)
def test_headline_and_sections_agree(old: Any, new: Any, entries: str, headline: str) -> None:
    before, after = build_surface(old), build_surface(new)
    changelog = parse(f"## 2.0.0 (current)\n\n{entries}\n\n## 1.0.0\n", "log.md")
    note = release_note(
        changelog, "1.0.0", "2.0.0", changes=compare(before, after), tools={*before.by_name, *after.by_name}
    )
    assert note.split("\n")[2].startswith(headline)
    assert not ("There are no breaking changes" in note and ("## Breaking" in note or "## Removed" in note))


def test_a_release_note_keeps_the_authors_lists() -> None:
    text = "## 1.1.0 (current)\n\n**Added**\n\n* `a` takes:\n\n  - `x`\n  - `y`\n    and more\n\n## 1.0.0\n"
    note = release_note(parse(text.replace("\n", "\r\n"), "log.md"), "1.0.0", "current")
    assert note == "# 1.0.0 → 1.1.0\n\n## Added\n\n- `a` takes:\n\n  - `x`\n  - `y`\n    and more\n"


def test_sections_without_a_version_are_shown_and_compared() -> None:
    changelog = parse("## Unreleased\n\n**Added**\n\n- `a` is new.\n\n## 1.0.0\n", "log.md")
    assert show(changelog, "unreleased") == "## Unreleased\n\n**Added**\n\n- `a` is new.\n"
    assert "- `a` is new.\n" in release_note(changelog, "1.0.0", "unreleased")
    with pytest.raises(UsageError, match=r"no section that is marked \(current\)"):
        show(changelog, "current")
    with pytest.raises(UsageError, match="has no section 1.0.1"):
        show(changelog, "1.0.1")


def test_what_the_text_leaves_out_is_said_by_the_surfaces() -> None:
    changelog = parse((FOLDER / "untold.md").read_text(), "log.md")
    found = release_note(changelog, "1.4.0", "2.0.0", changes=compare(OLD, NEW), tools={*OLD.by_name, *NEW.by_name})
    assert "`order`: `desc`. (not in the changelog)" in found
    assert found.count("(not in the changelog)") == 1


def test_several_releases_between_name_themselves() -> None:
    changelog = parse((FOLDER / "good.md").read_text(), "log.md")
    found = release_note(changelog, "1.2.0", "1.4.0")
    assert "(1.3.0)\n" in found
    assert "- `raw_dump` is a new tool of the tier advanced. (1.4.0)\n" in found
    with pytest.raises(UsageError, match="not newer"):
        release_note(changelog, "1.4.0", "1.2.0")
