"""The subject of a change: the names that an entry must contain, and the kind of entry that it needs."""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.change.vocabulary import Event
from mcp_governor.change.wording import name_as_shown
from mcp_governor.changelog.model import Kind, names_in
from mcp_governor.changelog.replacements import parting_of
from mcp_governor.errors import FileFormatError
from mcp_governor.findings import Bump, Verdict
from mcp_governor.lazy import lazy_pattern
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.changelog.model import Entry

# The topics that an entry must mention in addition to the tool, for changes of a tool that stays.
_TOPICS = {
    "category": lazy_pattern(r"categor", re.IGNORECASE),
    "deprecated": lazy_pattern(r"deprecat", re.IGNORECASE),
    "description": lazy_pattern(r"describ|descript|word|phras|text|document", re.IGNORECASE),
    "icons": lazy_pattern(r"icon", re.IGNORECASE),
    "outputSchema": lazy_pattern(r"output|result|return|respon|structuredContent", re.IGNORECASE),
    "tier": lazy_pattern(
        r"\btiers?\b|\b(?:facade|standard|advanced|internal|tools/list)\b|\bdefault\s+(?:list|catalog)", re.IGNORECASE
    ),
    "title": lazy_pattern(r"title", re.IGNORECASE),
}
_EXISTENCE = frozenset({Event.ARRIVED, Event.REMOVED, Event.RENAMED})


class Subject(Struct, frozen=True):
    """What an entry must name to mention a change.

    Attributes:
        tool: the tool; ``None`` for what is not part of a tool.
        fields: names on the way to the place, outermost first; the last one is what changed. Empty for the
            tool as a whole.
        successor: the new name of what was renamed.
        topic: what an entry must mention in addition to the name.
        existence: the change is the tool's coming or going, so that the entry must be about it, not name it in
            passing.
    """

    tool: str | None
    fields: tuple[str, ...] = ()
    successor: str | None = None
    topic: re.Pattern[str] | None = None
    existence: bool = False

    @property
    def name(self) -> str:
        """The innermost name: an entry that mentions the subject carries it, or a glob."""
        return self.fields[-1] if self.fields else self.tool or ""

    def mentioned_by(self, entry: Entry, tools: Collection[str]) -> bool:
        """True if an entry names it.

        Args:
            entry: of the changelog.
            tools: every tool of the old and the new surface: an entry that names none of them but the field
                speaks of that field wherever it is.
        """
        names = entry.names
        if self.successor is not None and self.successor not in names:
            return False
        if self.topic is not None and not self.topic.search(entry.text):
            return False
        if self.fields and not self._field_in(entry):
            return False
        if self.tool is None:
            return True
        if self.existence:
            return self.is_about(entry)
        if self.tool in names or self._globbed(entry.spans):
            return True
        return bool(self.fields) and names.isdisjoint(tools) and not any("*" in span for span in entry.spans)

    def is_about(self, entry: Entry) -> bool:
        """True if the first names of an entry, or those that it takes leave of, are the tool or the field."""
        leading = (*entry.leading, *parting_of(entry).names)
        own = {self.tool, *self.fields}
        return any(not own.isdisjoint(names_in(span)) for span in leading) or self._globbed(leading)

    def _globbed(self, spans: Collection[str]) -> bool:
        return self.tool is not None and any("*" in span and fnmatch.fnmatchcase(self.tool, span) for span in spans)

    def _field_in(self, entry: Entry) -> bool:
        last = self.fields[-1]
        return last in entry.names or any(last in span.split() for span in entry.spans)


MAX_QUESTIONS = 10_000_000
"""How many times one changelog is asked if an entry mentions a change, in steps of about a microsecond. A change is
compared with the entries that carry its name, so a thousand changes in five hundred releases take a tenth of this."""


class EntryIndex:
    """Entries, found by the names in them.

    Args:
        entries: with the kind of their subsection, in order.
        tools: every tool of the old and the new surface.
        what: how messages name the changelog.
    """

    def __init__(self, entries: Sequence[tuple[Kind | None, Entry]], tools: Collection[str], what: str) -> None:
        self._entries = entries
        self._tools = tools
        self._what = what
        self._left = MAX_QUESTIONS
        self._by_name: dict[str, list[int]] = {}
        self._globs: list[int] = []
        for index, (_, entry) in enumerate(entries):
            if any("*" in span for span in entry.spans):
                self._globs.append(index)
            for name in entry.names.union(*(span.split() for span in entry.spans if " " in span)):
                self._by_name.setdefault(name, []).append(index)

    def of(self, subject: Subject) -> list[tuple[Kind | None, Entry]]:
        """The entries that mention a subject, in order.

        Raises:
            FileFormatError: too many long entries name the same things, so that nobody can say what they mention.
        """
        indices = self._by_name.get(subject.name, [])
        if self._globs and not subject.fields:  # a field is mentioned by its own name only
            indices = sorted({*indices, *self._globs})
        return [self._entries[index] for index in indices if self._mentions(subject, self._entries[index][1])]

    def _mentions(self, subject: Subject, entry: Entry) -> bool:
        self._left -= 2 + len(entry.spans) // 10
        if subject.existence or subject.topic is not None:  # the text is searched
            self._left -= len(entry.text) // 3
        if self._left < 0:
            raise FileFormatError(
                f"{self._what}: too many entries name `{one_line(subject.name, 60)}` or the other things that changed.",
                "Shorten its entries, or move old releases to another file.",
            )
        return subject.mentioned_by(entry, self._tools)


def subject_of(change: Change) -> Subject:
    """What a change is about; names as they can be shown, because that is how an entry spells them."""
    facts, meaning = change.facts, change.meaning
    fields = tuple(map(name_as_shown, facts.fields))
    renamed = meaning.event is Event.RENAMED and facts.successor is not None
    successor = name_as_shown(facts.successor or "") if renamed else None
    if change.tool is None:
        return Subject(None, fields[-1:], successor)
    topic = _TOPICS.get(change.path.split("/")[1]) if change.path and not fields else None
    existence = meaning.thing == "tool" and meaning.event in _EXISTENCE
    return Subject(name_as_shown(change.tool), fields, successor, topic, existence=existence)


_HOMES = {
    Event.ARRIVED: (Kind.ADDED,),
    Event.ADDED: (Kind.ADDED, Kind.CHANGED),
    Event.EXTENDED: (Kind.CHANGED, Kind.ADDED, Kind.FIXED),
    Event.REMOVED: (Kind.REMOVED, Kind.CHANGED),
    Event.RENAMED: (Kind.CHANGED, Kind.FIXED),
    Event.DEPRECATED: (Kind.DEPRECATED,),
    Event.POSTPONED: (Kind.DEPRECATED, Kind.CHANGED, Kind.FIXED),
    Event.CHANGED: (Kind.CHANGED, Kind.FIXED),
}
_HOMES_OF_BREAK = {Event.REMOVED: (Kind.REMOVED, Kind.BREAKING), Event.RENAMED: (Kind.BREAKING, Kind.REMOVED)}


def homes(change: Change) -> tuple[Kind, ...]:
    """The subsections that a change may be mentioned in, the best one first.

    Surface governance, "Changelog discipline": what is gone under Removed, any other break under Breaking; a
    break of an advanced tool, which a minor release may make, under Changed.
    """
    event = change.meaning.event
    if event in (Event.DEPRECATED, Event.POSTPONED):
        return _HOMES[event]
    if change.verdict is not Verdict.COMPATIBLE:
        minor = (Kind.CHANGED,) if change.bump is not Bump.MAJOR else ()
        gone = _HOMES_OF_BREAK.get(event)
        return (*gone, *minor) if gone else (*minor, Kind.BREAKING)
    if change.wording or change.bump is Bump.PATCH:
        return (Kind.FIXED, Kind.CHANGED)
    return _HOMES[event]
