"""Edits of a changelog that leave every byte of the author's text alone: lines come, and headings change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.changelog.grammar import DIGEST, MARKER, MAX_HEADING, fingerprint_line, heading_line
from mcp_governor.errors import FileFormatError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.surface.fingerprint import fingerprint
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from mcp_governor.changelog.model import Changelog, Section
    from mcp_governor.surface.model import Surface

_LOOSE_LINE = lazy_pattern(rf"\W*(?:(?:[\w ]+ )?fingerprint[\w ]*\W*)?(?:{DIGEST.pattern})\W*", re.IGNORECASE)
_LINES = lazy_pattern(r"[^\r\n]*(?:\r\n|\n|\r|$)")

INTRODUCTION = """\
# MCP schema changelog

What changes for clients of this server: tools, their parameters and results. One section per version, the newest
first. `mcp-governor check` compares it with the published surface; `mcp-governor changelog draft` writes missing
entries.
"""

_BLOCKERS = {
    "merge-conflict": "holds an unresolved merge conflict",
    "unclosed": "opens a code fence or a comment that is never closed",
}


class Editor:
    """Collects edits by line number (from 1, of the text as read) and applies them together.

    Raises:
        FileFormatError: a merge conflict or an open code fence is left in it, so no place in it is sure.
    """

    def __init__(self, changelog: Changelog) -> None:
        for problem in changelog.problems:
            if problem.rule in _BLOCKERS:
                raise FileFormatError(
                    f"{changelog.what}:{problem.line} {_BLOCKERS[problem.rule]}; nothing was written.",
                    "Correct that line first.",
                )
        self._changelog = changelog
        body = changelog.text.removeprefix("\ufeff")
        self._bom = changelog.text[: len(changelog.text) - len(body)]
        self._lines = [match[0] for match in _LINES.finditer(body) if match[0]]
        crlf = changelog.text.count("\r\n")
        feeds, returns = changelog.text.count("\n"), changelog.text.count("\r")
        self.newline = "\r\n" if crlf * 2 > feeds else "\r" if returns > feeds else "\n"
        self._replaced: dict[int, str] = {}
        self._removed: set[int] = set()
        self._inserted: dict[int, list[tuple[list[str], bool]]] = {}

    def line(self, number: int) -> str:
        """A line without its line ending; empty after the end of the file."""
        return self._lines[number - 1].rstrip("\r\n") if 0 < number <= len(self._lines) else ""

    def __len__(self) -> int:
        return len(self._lines)

    def replace(self, number: int, text: str) -> None:
        """Replace the text of a line."""
        if self.line(number) != text:
            self._replaced[number] = text

    def remove(self, first: int, last: int, *, replaced: bool = False) -> None:
        """Remove lines, and the blank ones below them if there are blank ones above as well.

        Args:
            first, last: the lines.
            replaced: others are inserted in their place, so that blank lines stay.
        """
        self._removed.update(range(first, last + 1))
        below = last + 1
        while not replaced and self._blank_above(first) and below <= len(self._lines) and not self.line(below).strip():
            self._removed.add(below)
            below += 1

    def _blank_above(self, number: int) -> bool:
        above = number - 1
        while above in self._removed:
            above -= 1
        return above < 1 or not self.line(above).strip()

    def insert(self, after: int, lines: list[str], *, block: bool = False) -> None:
        """Put lines below line ``after`` (0: at the start), and below what was put there earlier.

        Args:
            after: a line number of the text as read.
            lines: without their ends.
            block: keep a blank line on either side.
        """
        self._inserted.setdefault(after, []).append((lines, block))

    def mark_current(self, section: Section, version: str, *, day: str | None = None) -> None:
        """Make a section the current one, with a version. A heading that changes gets the strict form."""
        day = section.date or day
        # A section that is "(unreleased)" is the current one, and says so from now on.
        marked = section.current and "current" in self.line(section.line).lower()
        if not (marked and section.version_text == version and section.date == day):
            self.replace(section.line, heading_line(version, current=True, day=day))
            if self.end_of_heading(section) > section.line:  # a heading that was underlined
                self._replaced[section.line + 1] = ""
        self.unmark(except_for=section)

    def unmark(self, *, except_for: Section | None = None) -> None:
        """Take the marker off every section but one, and leave the rest of their headings alone."""
        for section in self._changelog.sections:
            if section.current and section is not except_for:
                self.replace(section.line, MARKER.sub("", self.line(section.line)))

    def end_of_heading(self, section: Section) -> int:
        """The last line of a section's heading, which may be underlined."""
        below = self.line(section.line + 1)
        return section.line + 1 if below and not below.strip("=-") else section.line

    def text(self) -> str:
        """The edited text, which is the original text if nothing changed."""
        out: list[str] = []
        self._put_inserted(out, 0)
        for number, line in enumerate(self._lines, 1):
            body = line.rstrip("\r\n")
            if number not in self._removed:
                out.append(self._replaced.get(number, body) + line[len(body) :])
            self._put_inserted(out, number)
        return self._bom + "".join(out)

    def _put_inserted(self, out: list[str], number: int) -> None:
        for lines, block in self._inserted.get(number, ()):
            if out and not out[-1].endswith(("\n", "\r")):
                out[-1] += self.newline
            if block and out and out[-1].strip():
                out.append(self.newline)
            out.extend(line + self.newline for line in lines)
            below = next((at for at in range(number + 1, len(self._lines) + 1) if at not in self._removed), 0)
            if block and self.line(below).strip():
                out.append(self.newline)


def begin_section(changelog: Changelog, editor: Editor, lines: list[str], *, is_current: bool = True) -> None:
    """Put a new section above the newest one, or at the end of a changelog without sections."""
    if changelog.sections:
        if is_current:
            editor.unmark()
        editor.insert(changelog.sections[0].line - 1, lines, block=True)
    elif changelog.text.strip("\ufeff \t\r\n"):
        editor.insert(len(editor), lines, block=True)
    else:
        editor.insert(len(editor), [*INTRODUCTION.split("\n"), *lines])


def state_fingerprint(editor: Editor, section: Section, fingerprint: str) -> None:
    """Make a section state a fingerprint, in the place of the one that it states."""
    line = fingerprint_line(fingerprint)
    strict = [stated.line for stated in section.fingerprints if stated.strict]
    loose = [stated.line for stated in section.fingerprints if _is_loose(editor.line(stated.line))]
    for number in (*strict, *loose):
        editor.replace(number, line)
        return
    editor.insert(editor.end_of_heading(section), [line], block=True)


def _is_loose(line: str) -> bool:
    """True if a line states a fingerprint and nothing else; matching costs the square of the length."""
    return len(line) <= MAX_HEADING and _LOOSE_LINE.fullmatch(line) is not None


def first_changelog(surface: Surface, version: str) -> str:
    """A changelog with one current section that lists every published tool."""
    lines = [INTRODUCTION, heading_line(version, current=True), "", fingerprint_line(fingerprint(surface))]
    names = sorted(tool.name for tool in surface.tools)
    if names:
        lines += ["", "**Added**", "", *(f"- `{one_line(name).replace('`', '')}`, first recorded." for name in names)]
    return "\n".join(lines) + "\n"
