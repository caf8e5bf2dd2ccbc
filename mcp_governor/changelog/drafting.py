"""Writing what is missing: the section, its fingerprint, and an entry for each change that nobody told."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.changelog.editing import Editor
from mcp_governor.changelog.first import INTRODUCTION
from mcp_governor.changelog.grammar import DIGEST, MAX_HEADING, fingerprint_line, heading_line
from mcp_governor.changelog.subjects import Tellers, homes, subject_of
from mcp_governor.findings import Bump
from mcp_governor.versions import Numbered

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.changelog.model import Changelog, Kind, Section, Subsection

_LOOSE_LINE = re.compile(rf"\W*(?:(?:[\w ]+ )?fingerprint[\w ]*\W*)?(?:{DIGEST.pattern})\W*", re.IGNORECASE)
_BULLET = re.compile(r"\s{0,3}([-*+])\s")


def draft(
    changelog: Changelog,
    changes: Sequence[Change],
    *,
    version: str,
    fingerprint: str,
    tools: Collection[str] = (),
    replacements: Mapping[str, str] | None = None,
    released: Collection[Numbered] = (),
) -> str:
    """The changelog with everything in it that the changes need; pure, nothing is written.

    The section of ``version`` is begun above the others where there is none, an unreleased section at the top
    becomes it, the ``(current)`` marker moves to it, its fingerprint line becomes the live one, and each change
    that no entry tells gets one in its subsection. Nothing else changes, byte for byte.

    Args:
        changelog: as read (an empty text starts one).
        changes: from the baseline to now.
        version: the version that the surface has now.
        fingerprint: the live one.
        tools: every tool of the old and the new surface, see :meth:`Subject.told_by`.
        replacements: for tools that go, the tool to use instead, where it is known.
        released: the versions that are out, where that is known: a current section of an older version that is not
            among them was drafted too early, and becomes the section of ``version``.

    Raises:
        FileFormatError: a merge conflict is left in the file, or its entries name the same things too often.
    """
    editor = Editor(changelog)
    section = _section_for(changelog, version, released)
    told = Tellers(section.entries if section is not None else (), tools, changelog.what)
    entries = _entries(changes, told, replacements or {})
    if section is None:
        _begin(changelog, editor, version, fingerprint, entries)
    else:
        editor.mark_current(section, version)
        _state_fingerprint(editor, section, fingerprint)
        _add_entries(changelog, editor, section, entries)
    return editor.text()


def _section_for(changelog: Changelog, version: str, released: Collection[Numbered]) -> Section | None:
    top = changelog.sections[0] if changelog.sections else None
    known, current, wanted = changelog.section(version), changelog.current, Numbered.parse(version)
    if known is None and top is not None and top.unreleased:
        return top
    if known is not None or current is None or current is not top or current.numbered is None or wanted is None:
        return known
    in_flight = bool(released) and current.date is None and current.numbered not in released
    return current if in_flight and current.numbered < wanted else None


def _entries(changes: Sequence[Change], told: Tellers, replacements: Mapping[str, str]) -> dict[Kind, list[str]]:
    """The sentences of what is not told yet, by subsection; the same event on several tools is one sentence."""
    groups: dict[tuple[Kind, str], list[Change]] = {}
    for change in changes:
        if change.bump is Bump.NONE or told.of(subject_of(change)):
            continue
        home = homes(change)[0]
        instead = replacements.get(change.tool or "")
        shared = change.entry(replacement=instead, tools=["\0"] if change.tool is not None else ())
        groups.setdefault((home, shared), []).append(change)
    out: dict[Kind, list[str]] = {}
    for (home, _), group in groups.items():
        names = list(dict.fromkeys(change.tool for change in group if change.tool is not None))
        instead = replacements.get(group[0].tool or "")
        out.setdefault(home, []).append(group[0].entry(replacement=instead, tools=names))
    return out


def _begin(
    changelog: Changelog, editor: Editor, version: str, fingerprint: str, entries: Mapping[Kind, list[str]]
) -> None:
    """A new section above the newest one, or at the end of a text without sections."""
    lines = [heading_line(version, current=True), "", fingerprint_line(fingerprint)]
    marks = _Style(changelog, editor)
    for kind in sorted(entries, key=lambda kind: kind.position):
        lines += ["", marks.label(kind), "", *marks.bullets(entries[kind])]
    if changelog.sections:
        editor.unmark()
        editor.insert(changelog.sections[0].line - 1, lines, block=True)
    elif changelog.text.strip("\ufeff \t\r\n"):
        editor.insert(len(editor), lines, block=True)
    else:
        editor.insert(len(editor), [*INTRODUCTION.split("\n"), *lines])


def _state_fingerprint(editor: Editor, section: Section, fingerprint: str) -> None:
    line = fingerprint_line(fingerprint)
    strict = [stated.line for stated in section.fingerprints if stated.strict]
    loose = [stated.line for stated in section.fingerprints if _is_loose(editor.line(stated.line))]
    for number in (*strict, *loose):
        editor.replace(number, line)
        return
    editor.insert(_end_of_heading(editor, section), [line], block=True)


def _is_loose(line: str) -> bool:
    """Whether a line states a fingerprint and nothing else; matching costs the square of the length."""
    return len(line) <= MAX_HEADING and _LOOSE_LINE.fullmatch(line) is not None


def _end_of_heading(editor: Editor, section: Section) -> int:
    below = editor.line(section.line + 1)
    return section.line + 1 if below and not below.strip("=-") else section.line


def _add_entries(changelog: Changelog, editor: Editor, section: Section, entries: Mapping[Kind, list[str]]) -> None:
    marks = _Style(changelog, editor)
    for kind in sorted(entries, key=lambda kind: kind.position):
        home = next((part for part in reversed(section.subsections) if part.kind is kind), None)
        if home is not None:
            _append(editor, home, marks.bullets(entries[kind]))
            continue
        above = _above(section, kind)
        lines = [marks.label(kind), "", *marks.bullets(entries[kind])]
        editor.insert(above.end if above is not None else _start(section), lines, block=True)


def _append(editor: Editor, home: Subsection, lines: list[str]) -> None:
    editor.insert(home.end, lines, block=not home.entries)


def _above(section: Section, kind: Kind) -> Subsection | None:
    """The subsection that a new one stands below."""
    before = [part for part in section.subsections if part.kind is not None and part.kind.position < kind.position]
    return before[-1] if before else None


def _start(section: Section) -> int:
    """The last line before the first subsection: below the fingerprint and any introduction."""
    if section.subsections:
        return section.subsections[0].line - 1
    return section.end


class _Style:
    """How this author writes labels and bullets."""

    def __init__(self, changelog: Changelog, editor: Editor) -> None:
        self._as_heading = any(
            editor.line(part.line).startswith("### ")
            for section in changelog.sections[:5]
            for part in section.subsections
        )
        entry = next((entry for section in changelog.sections[:5] for _, entry in section.entries), None)
        bullet = _BULLET.match(editor.line(entry.line)) if entry is not None else None
        self._bullet = bullet[1] if bullet else "-"

    def label(self, kind: Kind) -> str:
        return f"### {kind.value}" if self._as_heading else f"**{kind.value}**"

    def bullets(self, sentences: Sequence[str]) -> list[str]:
        return [f"{self._bullet} {text}" for text in sentences]
