"""Parts of a tool's description about single parameters: sections, bullets, and mentions in sentences.

Only the exact name of a parameter matches. Text below a heading about results ("Returns:") or examples is never about a
parameter, even if its bullets have the same names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.guarded import Guarded

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

_SECTION = Guarded(
    r"[#*_\s]*(?:(?:required|optional|input|tool|all)\s)?(?:args|arguments|parameters|params|inputs?|simple fields)"
    r"(?:\s\((?:all\s)?(?:required|optional)\))?[*_:\s]*|<(?:args|arguments|parameters|params|inputs?)>",
    *("arg", "param", "input", "fields"),
)
"""Headings of parameters."""
_HEADING = lazy_pattern(r"#{1,6}\s.*|[*_]{0,2}[A-Z][\w ]{0,40}[*_]{0,2}:[*_]{0,2}|-{3,}.*|</?\w{1,40}>")
_APART = lazy_pattern(
    r"\b(?:returns?|response|outputs?|results?|yields|raises|errors?|examples?|fields)\b", re.IGNORECASE
)
_LONGEST_HEADING = 60
"""Maximum length of a heading in characters: "###### **Required parameters (all optional)**:" and some more."""
_BULLET = lazy_pattern(r"[-*+]\s|•\s|\d{1,2}[.)]\s")
_NAME = r"[`*\"']{0,3}[A-Za-z_$][\w.\-$]{0,63}\??[`*\"']{0,3}"
_ENTRY = lazy_pattern(
    r"(?P<mark>[-*+]\s|•\s|\d{1,2}[.)]\s|:param\s(?:\w{1,20}\s)?)?"
    rf"(?P<names>{_NAME}(?:\s?(?:,|/|&|\+|,?\sand\s|\sor\s)\s?{_NAME}){{0,19}})"
    r"\s?(?P<note>\((?:[^()\n]|\([^()\n]{0,40}\)){0,80}\))?\**\s?(?::|–|—|--?\s)\s?\**\s?(?P<text>.*)"
)
"""A line for one or several parameters, with a type and a need in brackets: "- start, end (int): ends of a range"."""
_JOINTS = lazy_pattern(r"\s?(?:[,/&+]|,?\sand\s|\sor\s)\s?")

_IDENTIFIER = lazy_pattern(r"[A-Za-z_$][\w$]*+(?:-[\w$]++)*+")
_LISTED = lazy_pattern(r"\s?\(\s?(?:[`'\"]|“\S)|\s?=")
_SENTENCE_ENDS = lazy_pattern(r"[.!?](?=\s+[A-Z`*\"'(]|\s*$)|\n(?=\s*[-*#|\d]|\s*•|[^\S\n]*\n)")
_FEW_NAMES = 50
"""Maximum number of parameters for which the text is first searched by name, which is faster than reading its words."""
_MAX_MENTION = 400
"""Maximum number of characters in a mention: one sentence. Later text is about something else."""
_MAX_MENTIONS = 4
"""Maximum number of mentions per parameter; a description with more is narrative."""
_MAX_LISTED = 4_000
"""Number of characters after a mention that are searched for its bullets."""
_MAX_BULLETS = 60
"""Maximum number of bullets per list; a longer one belongs in a document."""
_MAX_SECTIONS = 40
"""Maximum number of headings with bullets per description; each is compared with each parameter."""
_TITLE = lazy_pattern(r"(?:#{1,6}\s|\*\*)?(?P<words>[A-Za-z][\w` ]{1,50}?)\s?(?::|\*\*)?\s?(?:\*\*)?\s?:?")


class Outline(Struct, frozen=True):
    """A tool's description, by parameter.

    Attributes:
        entries: the section or bullet about a parameter, in the form of a description of its own, with a note
            ("(string, required)") in front. Parameters with two entries are omitted.
        mentions: for each parameter that a sentence elsewhere certainly names, the rest of that sentence after the
            name; with the bullets that follow if it ends in a colon.
        sections: the bullets below a heading or a short line with a colon, as ("Filter types", "- a: …\\n- b: …").
    """

    entries: Mapping[str, str]
    mentions: Mapping[str, tuple[str, ...]]
    sections: tuple[tuple[str, str], ...] = ()


def outline(description: str, names: Collection[str]) -> Outline:
    """What a tool's description says about the parameters with these names; time linear in the description."""
    if not names:
        return Outline({}, {})
    reader = _Reader(names)
    for line in description.splitlines():
        reader.read(line)
    entries = {name: "\n".join(lines) for name, lines in reader.entries.items() if name not in reader.twice}
    mentions = _mentions("\n".join(reader.rest), names)
    return Outline(entries, mentions, tuple(_sections(reader.rest, reader.indents)))


def _sections(lines: Sequence[str], indents: Sequence[int]) -> Iterator[tuple[str, str]]:
    """Headings with the bullets that follow them."""
    kept = 0
    for position, line in enumerate(lines):
        if kept == _MAX_SECTIONS:
            return
        if not line or len(line) > _LONGEST_HEADING or _BULLET.match(line):
            continue
        title = _TITLE.fullmatch(line)
        if title is None or _APART.search(title["words"]):
            continue
        # A blank line may separate the heading from its bullets.
        start = position + 2 if not "".join(lines[position + 1 : position + 2]) else position + 1
        found = zip(_bullets(lines, start), indents[start:], strict=False)
        bullets = [line for line, indent in found if indent <= indents[start]]
        if bullets:
            kept += 1
            yield title["words"], "\n".join(bullets)


def _bullets(lines: Sequence[str], start: int) -> list[str]:
    """The bullets from a line on, without bold marks."""
    out = []
    for line in lines[start : start + _MAX_BULLETS]:
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
        self.indents: list[int] = []  # of each line in the rest
        self._within = False  # in a section about parameters
        self._apart = False  # in a section about results or examples
        self._apart_indent = 0  # of its heading
        self._open: list[str] | None = None  # the current entry
        self._indent = 0
        self._unmarked: int | None = None  # indent of the entries that nothing marks
        self._bulleted: int | None = None  # indent of the bullet to which the last line belongs
        self._code = False  # in a fenced code block

    def read(self, line: str) -> None:
        flat = " ".join(line.split())
        indent = len(line) - len(line.lstrip())
        if flat.startswith("```"):
            self._code = not self._code
        if self._code:
            # A call, an answer or a schema: '"limit": 10' does not describe the parameter.
            flat, self._open = "", None
        if self._open is not None and flat and indent > self._indent:
            if _BULLET.match(flat):
                self._open.append(flat)
            else:
                self._open[-1] = f"{self._open[-1]} {flat}".strip()
            return
        self._open = None
        if len(flat) <= _LONGEST_HEADING and _SECTION.fullmatch(flat):
            self._within, self._apart = True, False
        elif (flat[:1] in "#-<" or flat[-1:] in ":*_") and _HEADING.fullmatch(flat):
            # "Dictionary containing:" below "Returns:" belongs to it.
            if not (self._apart and indent > self._apart_indent):
                self._within, self._apart = False, _APART.search(flat) is not None
                self._apart_indent = indent
        elif not self._apart and self._takes(flat, indent):
            return
        if self._bulleted is not None and flat and indent > self._bulleted and not _BULLET.match(flat):
            self.rest[-1] = f"{self.rest[-1]} {flat}"  # a bullet with several lines
            return
        self._bulleted = indent if _BULLET.match(flat) and not self._apart else None
        self._unmarked = self._unmarked if not flat else None
        # A blank line separates sentences; text below "Returns:" is never about a parameter.
        self.rest.append("" if self._apart else flat)
        self.indents.append(indent)

    def _takes(self, flat: str, indent: int) -> bool:
        """Read a line about one parameter or several; false if it is about none."""
        if len(self.names) <= _FEW_NAMES and not any(name in flat for name in self.names):
            return False
        entry = _ENTRY.fullmatch(flat)
        if entry is None:
            return False
        names = [name.strip("`*\"'?") for name in _JOINTS.split(entry["names"])]
        if not all(name in self.names for name in names):
            return False
        # Outside a section, a line such as "type: …" is about the parameter only if it is marked as a name, or next to
        # "page_size: …", which can be nothing else.
        marked = self._within or entry["mark"] or flat[0] in "`*\"'"
        if not (marked or any("_" in name.strip("_") for name in names) or indent == self._unmarked):
            return False
        self._unmarked = None if marked else indent
        # What the next lines add is about all of them.
        self._open, self._indent = [f"{entry['note'] or ''} {entry['text']}".strip()], indent
        self.twice.update(name for name in names if name in self.entries)
        self.entries.update(dict.fromkeys(names, self._open))
        return True


def _mentions(text: str, names: Collection[str]) -> Mapping[str, tuple[str, ...]]:
    """For each name of a parameter, the rest of its sentence, up to the next parameter that is named."""
    if len(names) <= _FEW_NAMES and not any(name in text for name in names):
        return {}
    found = [
        (match, after) for match in _IDENTIFIER.finditer(text) if match[0] in names and (after := _named(text, match))
    ]
    out: dict[str, tuple[str, ...]] = {}
    for position, (match, after) in enumerate(found):
        limit = found[position + 1][0].start() if position + 1 < len(found) else len(text)
        limit = min(limit, after + _MAX_MENTION)
        stop = _SENTENCE_ENDS.search(text, after, limit)
        # The quote that opens before the next name does not belong to this text.
        passage = text[after : stop.start()] if stop else text[after:limit].rstrip("`'\"")
        passage = passage.strip()
        if stop and passage.endswith(":"):
            behind = text[stop.start() + 1 : stop.start() + _MAX_LISTED].split("\n")
            passage = "\n".join((passage, *_bullets(behind, 0 if behind[0] else 1)))
        known = out.get(match[0], ())
        if passage and len(known) < _MAX_MENTIONS:
            out[match[0]] = (*known, passage)
    return out


def _named(text: str, match: re.Match[str]) -> int:
    """Start of the text after a name, if the word is certainly the name of a parameter; else 0."""
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    if before in ("`", "'", '"') and after == before:
        return match.end() + 1
    word = match[0]
    if before in (".", "/", "-", "@", "$", "{", "<") or after in ("/", "@", "}", ">"):
        return 0
    # "position ('before' or 'after')", "mode='fast'", "…. mode: fast"; a name of several words cannot be a plain word.
    listed = _LISTED.match(text, match.end())
    ended = text[max(0, match.start() - 2) : match.start()] in (". ", "; ", ".\n")
    begins = ended and text.startswith(": ", match.end())
    plain = "_" not in word.strip("_") and (word.islower() or word.istitle())
    return match.end() if listed or begins or not plain else 0
