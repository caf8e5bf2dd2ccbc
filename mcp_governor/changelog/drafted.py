"""Entries that nobody edited since they were drafted: their words are those of a template of a change kind."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from mcp_governor.change.wording import NOTHING, name_as_shown
from mcp_governor.changelog.replacements import parting_of
from mcp_governor.changelog.subjects import EntryIndex, homes, subject_of
from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.changelog.model import Entry, Kind

_MAX_ENTRY = 1_000
"""Characters of an entry that may be a drafted one; matching costs the square of the length."""

_SPAN = r"`+[^`]+`+"
_SPANS = rf"{_SPAN}(?:(?:, | and ){_SPAN})*(?: and \d+ more)?"
_VALUE = r'(?:"[^"]*["…]|[\w.+-]+(?: \| \w+)*|[\[{][^.;]*[\]}…])'
_FILLERS = {
    **dict.fromkeys(("tool", "lost", "gained"), _SPANS),
    **dict.fromkeys(("field", "name", "successor", "parent"), _SPAN),
    **dict.fromkeys(("was", "now"), r"[^`]*"),
    **dict.fromkeys(("old", "new"), _VALUE),
    **{f"{word}_field": rf"(?: {word} {_SPAN})?" for word in ("for", "in", "of")},
    "of": rf"(?: of {_SPAN})?",
    "thing": rf"(?:[\w-]+ ){{1,3}}{_SPAN}",
    "what": r"[\w-]+(?: [\w-]+){0,3}",
    "keyword": r"[\w-]+(?: [\w-]+){0,4}",
    "instead": rf"(?:use {_SPAN} instead|nothing replaces (?:it|them))",
    "until": rf"(?: until {_SPAN})?",
}
"""Placeholder of a template → what it can become. A template with another one, such as free text, is never matched: an
author's words may follow it."""

_PART = lazy_pattern(r"\{(\w+)\}|\[([^\[\]|]*)\|([^\[\]|]*)\]|<([^<>]+)>")


def is_drafted(entry: Entry) -> bool:
    """True if an entry has the words of a template, and so those of nobody else."""
    text = " ".join(entry.text.split())
    return len(text) <= _MAX_ENTRY and any(pattern.fullmatch(text) for pattern in _patterns())


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    from mcp_governor.change.registry import catalogue

    found: dict[str, None] = {}
    for kind in catalogue().values():
        templates = kind.entry or kind.message
        for template in (templates,) if isinstance(templates, str) else templates:
            made = _pattern(template)
            if made and kind.entry:
                found[made] = None
            elif made:  # the report's sentence, preceded by the names that it leaves out
                found[f"(?:{_SPANS}: )?(?i:{made})\\."] = None
    return tuple(re.compile(text) for text in found)


def _pattern(template: str) -> str:
    """A template as a regular expression; empty if its placeholders may be any text."""
    out, end = "", 0
    for match in _PART.finditer(template):
        out += re.escape(template[end : match.start()])
        end = match.end()
        if match[1]:
            if match[1] not in _FILLERS:
                return ""
            out += _FILLERS[match[1]]
        elif match[4]:
            forms = [_pattern(form) for form in match[4].split("|") if "[" not in match[4]]
            if not all(forms) or not forms:
                return ""
            out += f"(?:{'|'.join(forms)})"
        else:
            out += f"(?:{_pattern(match[2])}|{_pattern(match[3])})"
    return out + re.escape(template[end:])


def outdated(
    entries: Sequence[tuple[Kind | None, Entry]], changes: Sequence[Change], index: EntryIndex
) -> Iterator[Entry]:
    """Drafted entries that no change of now would give: what they say was taken back, replaced, or became graver."""
    of_line: dict[int, list[Change]] = {}
    for change in changes:
        for kind, entry in index.of(subject_of(change)):
            if kind in homes(change):
                of_line.setdefault(entry.line, []).append(change)
    for _, entry in entries:
        if not _is_said(entry, of_line.get(entry.line, [])) and is_drafted(entry):
            yield entry


def _is_said(entry: Entry, changes: Sequence[Change]) -> bool:
    """True if the draft for one of these changes, on all tools of the entry that have it, is the entry."""
    parting = parting_of(entry)
    instead = NOTHING if parting.nothing else parting.replacement
    alike: dict[str, list[Change]] = {}
    for change in changes:
        shared = change.entry(replacement=instead, tools=_ANY if change.tool is not None else ())
        alike.setdefault(shared, []).append(change)
    for group in alike.values():
        names = {name_as_shown(change.tool): change.tool for change in group if change.tool is not None}
        tools = [names[name] for name in entry.leading if name in names]
        if _plain(entry.text) in {_plain(group[0].entry(replacement=one, tools=tools)) for one in (instead, None)}:
            return True
    return False


def _plain(text: str) -> str:
    """An entry on one line; an author may write that nothing replaces "it" for several tools."""
    return " ".join(text.split()).replace("nothing replaces it", "nothing replaces them")


_ANY = ("\0",)
"""Stands for the tools where entries are compared without them."""
