"""What a tool's description says of single arguments: sections, bullets, tables, and mentions within a sentence.

An argument is found by its exact name only. What stands under a heading about results ("Returns:") or examples says
nothing of an argument, whatever its bullets are called.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

_SECTION = lazy_pattern(
    r"#{0,6}\s?[*_]{0,2}(?:required|optional|input|key|tool|all|main|additional)?\s?"
    r"(?:args|arguments|parameters|params|inputs?|(?:simple|basic|common|advanced|request)\s(?:fields|options))(?:\s\((?:all\s)?(?:required|optional)\))?[*_]{0,2}\s?:?[*_]{0,2}",
    re.IGNORECASE,
)
_LONGEST_SECTION = 60
"""Characters of the longest heading of a section: "###### **Additional parameters (all required)**:" and some."""
_HEADING = lazy_pattern(r"#{1,6}\s.*|[*_]{0,2}[A-Z][\w ]{0,40}[*_]{0,2}:[*_]{0,2}|-{3,}.*|<[\w_]{1,40}>", re.NOFLAG)
_APART = lazy_pattern(
    r"\b(?:returns?|response|outputs?|results?|yields|raises|errors?|examples?|fields|columns|see also)\b",
    re.IGNORECASE,
)
_ENTRY = lazy_pattern(
    r"(?P<mark>[-*•+]\s|\d{1,2}[.)]\s|:param\s(?:\w{1,20}\s)?|@param\s)?(?P<open>[`*\"']{0,3})(?P<name>[A-Za-z_$][\w.\-$]{0,63})[`*\"']{0,3}"
    r"\s?(?P<note>\([^()\n]{0,80}\))?\**\s?(?P<sign>:|–|—|-\s)\s?\**\s?(?P<text>.*)"
)
_BULLET = lazy_pattern(r"[-*•+]\s|\d{1,2}[.)]\s")
_CELL = lazy_pattern(r"(?<!\\)\|")
_RULE = lazy_pattern(r":?-+:?")
_TYPE_COLUMN = frozenset({"type", "data type"})
_NEED_COLUMN = frozenset({"required", "required?", "mandatory"})
_YES = frozenset({"yes", "true", "required", "✓", "✅", "y"})
_NO = frozenset({"no", "false", "optional", "n", "❌"})

_IDENTIFIER = lazy_pattern(r"[A-Za-z_$][\w$]*+(?:-[\w$]++)*+")
_LISTED = lazy_pattern(r"\s?\(\s?[`'\"“]|\s?=")
_SENTENCE_ENDS = lazy_pattern(r"[.!?](?=\s+[A-Z`*\"'(]|\s*$)|\n(?=\s*[-*•#|\d]|\s*\n)")
_FEW_NAMES = 50
"""Arguments up to which a text is first asked for each of them, which takes less than to read its words."""
_MOST_MENTION = 400
"""Characters of a mention: a sentence. What stands beyond is about something else."""
_MOST_MENTIONS = 4
"""Mentions of one argument that are read; a description that names it more often tells a story."""
_MOST_LISTED = 4_000
"""Characters behind a mention in which its bullets are looked for."""
_MOST_BULLETS = 60
"""Bullets of one list that are read; a longer one belongs in a document."""
_MOST_SECTIONS = 40
"""Headings with bullets of one description that are kept; each is compared with each argument."""
_TITLE = re.compile(r"(?:#{1,6}\s|\*\*)?(?P<words>[A-Za-z][\w` ]{1,50}?)\s?(?::|\*\*)?\s?(?:\*\*)?\s?:?")


class Outline(NamedTuple):
    """A tool's description by argument.

    Attributes:
        entries: what a section, a bullet or a row of a table says of an argument, as its own description would say it,
            with a note ("(string, required)") in front. Arguments with two entries are left out.
        mentions: for each argument that a sentence elsewhere names beyond doubt, the rest of that sentence from behind
            the name; with its bullets, where it ends in a colon.
        sections: the bullets below a heading or a short line with a colon, as ("Filter types", "- a: …\\n- b: …").
    """

    entries: Mapping[str, str]
    mentions: Mapping[str, tuple[str, ...]]
    sections: tuple[tuple[str, str], ...] = ()


def outline(description: str, names: Collection[str]) -> Outline:
    """What a tool's description says of the arguments with these names; time linear in the description."""
    if not names or not description:
        return Outline({}, {})
    reader = _Reader(names)
    for line in description.splitlines():
        reader.read(line)
    entries = {name: "\n".join(lines) for name, lines in reader.entries.items() if name not in reader.twice}
    return Outline(entries, _mentions("\n".join(reader.rest), names), tuple(_sections(reader.rest, reader.indents)))


def _sections(lines: Sequence[str], indents: Sequence[int]) -> Iterator[tuple[str, str]]:
    """Headings with the bullets that follow them."""
    kept = 0
    for position, line in enumerate(lines):
        if kept == _MOST_SECTIONS:
            return
        if not line or len(line) > _MOST_TITLE or _BULLET.match(line) or (title := _TITLE.fullmatch(line)) is None:
            continue
        # One blank line may part the heading from its bullets.
        start = position + 2 if not "".join(lines[position + 1 : position + 2]) else position + 1
        found = zip(_bullets(lines, start), indents[start:], strict=False)
        bullets = [line for line, indent in found if indent <= indents[start]]
        if bullets and not _APART.search(title["words"]):
            kept += 1
            yield title["words"], "\n".join(bullets)


_MOST_TITLE = 60
"""Characters of a line that may be a heading."""


def _bullets(lines: Sequence[str], start: int) -> list[str]:
    """The bullets that begin at a line, without bold marks."""
    out = []
    for line in lines[start : start + _MOST_BULLETS]:
        if not _BULLET.match(line):
            break
        out.append(_BULLET.sub("- ", line, count=1).replace("**", ""))
    return out


class _Reader:
    """Reads a description line by line: entries with the lines that belong to them, and the rest."""

    def __init__(self, names: Collection[str]) -> None:
        self.names = names
        self.entries: dict[str, list[str]] = {}
        self.twice: set[str] = set()
        self.rest: list[str] = []
        self.indents: list[int] = []  # of each line of the rest
        self._within = False  # a section on arguments
        self._apart = False  # a section on results or examples
        self._open: list[str] | None = None  # the entry that is read
        self._indent = 0
        self._bulleted: int | None = None  # how far the bullet is indented that the last line is part of
        self._columns: list[str] = []
        self._code = False  # within a fence

    def read(self, line: str) -> None:
        flat = " ".join(line.split())
        indent = len(line) - len(line.lstrip())
        if flat.startswith("```"):
            self._code = not self._code and not flat.endswith("```", 3)
        if self._code:
            # A call, an answer or a schema: '"limit": 10' says nothing of the argument.
            flat, self._open = "", None
        if self._open is not None and flat and indent > self._indent:
            self._continue(flat)
            return
        self._open = None
        if len(flat) <= _LONGEST_SECTION and _SECTION.fullmatch(flat):
            self._within, self._apart = True, False
        elif (flat[:1] in "#-<" or flat[-1:] in ":*_") and _HEADING.fullmatch(flat):
            self._within, self._apart = False, _APART.search(flat) is not None
        elif flat.startswith("|"):
            self._row(flat)
            return
        elif not self._apart and self._entry(flat, indent):
            return
        self._columns = []
        if self._bulleted is not None and flat and indent > self._bulleted and not _BULLET.match(flat):
            self.rest[-1] = f"{self.rest[-1]} {flat}"  # a bullet of several lines
            return
        self._bulleted = indent if _BULLET.match(flat) and not self._apart else None
        # A blank line keeps sentences apart; what stands under "Returns:" is about no argument.
        self.rest.append("" if self._apart else flat)
        self.indents.append(indent)

    def _continue(self, flat: str) -> None:
        assert self._open is not None
        if _BULLET.match(flat):
            self._open.append(flat)
        else:
            self._open[-1] = f"{self._open[-1]} {flat}".strip()

    def _entry(self, flat: str, indent: int) -> bool:
        entry = _ENTRY.fullmatch(flat)
        if entry is None or entry["name"] not in self.names:
            return False
        # Outside of a section, a line such as "type: …" is about the argument where it is marked as a name.
        if not self._within and not entry["mark"] and not entry["open"]:
            return False
        self._take(entry["name"], f"{entry['note'] or ''} {entry['text']}".strip())
        self._open, self._indent = self.entries[entry["name"]], indent
        return True

    def _take(self, name: str, text: str) -> None:
        if name in self.entries:
            self.twice.add(name)
        self.entries[name] = [text]

    def _row(self, flat: str) -> None:
        cells = [cell.strip(" `*") for cell in _CELL.split(flat.strip("|"))]
        if all(_RULE.fullmatch(cell) for cell in cells if cell):
            return
        if self._apart or cells[0] not in self.names:
            self._columns = [cell.lower() for cell in cells]
            return
        notes, text = [], []
        for position, cell in enumerate(cells[1:], 1):
            column = self._columns[position] if position < len(self._columns) else ""
            if column in _TYPE_COLUMN:
                notes.append(cell)
            elif column in _NEED_COLUMN and cell.lower() in _YES | _NO:
                notes.append("required" if cell.lower() in _YES else "optional")
            elif column == "default" and cell and cell not in "-–—":
                text.append(f"Default: {cell}.")
            elif cell:
                text.append(cell)
        note = f"({', '.join(notes)}) " if notes else ""
        self._take(cells[0], note + " ".join(text))


def _mentions(text: str, names: Collection[str]) -> Mapping[str, tuple[str, ...]]:
    """Behind each name of an argument: the rest of its sentence, up to the next argument that is named."""
    if len(names) <= _FEW_NAMES and not any(name in text for name in names):
        return {}
    found = [
        (match, after) for match in _IDENTIFIER.finditer(text) if match[0] in names and (after := _named(text, match))
    ]
    out: dict[str, tuple[str, ...]] = {}
    for position, (match, after) in enumerate(found):
        limit = found[position + 1][0].start() if position + 1 < len(found) else len(text)
        limit = min(limit, after + _MOST_MENTION)
        stop = _SENTENCE_ENDS.search(text, after, limit)
        # The quote that opens in front of the next name is not part of this one's text.
        told = text[after : stop.start()] if stop else text[after:limit].rstrip("`'\"")
        told = told.strip()
        if stop and told.endswith(":"):
            behind = text[stop.start() + 1 : stop.start() + _MOST_LISTED].split("\n")
            told = "\n".join((told, *_bullets(behind, 0 if behind[0] else 1)))
        known = out.get(match[0], ())
        if told and len(known) < _MOST_MENTIONS:
            out[match[0]] = (*known, told)
    return out


def _named(text: str, match: re.Match[str]) -> int:
    """Where the text behind a name begins, if a word there is the name of an argument and no common word; else 0."""
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    if before in ("`", "'", '"') and after == before:
        return match.end() + 1
    word = match[0]
    if before in (".", "/", "-", "@", "$", "{", "<") or after in ("/", "@", "}", ">"):
        return 0
    # "position ('before' or 'after')", "mode='fast'"; a name of several words is no word of a sentence.
    listed = _LISTED.match(text, match.end())
    return match.end() if listed or "_" in word.strip("_") or not (word.islower() or word.istitle()) else 0
