"""What a change is about, in the words that an entry uses: which names it must carry, and where it belongs."""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING

from mcp_governor.change.terms import Verdict
from mcp_governor.changelog.model import Kind, names_in
from mcp_governor.changelog.reading import code_spans
from mcp_governor.changelog.replacements import farewell
from mcp_governor.findings import Bump
from mcp_governor.frozen import frozen
from mcp_governor.schemas.keywords import SCHEMA_MAP_KEYS
from mcp_governor.schemas.pointers import unescape_pointer
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.changelog.model import Entry

# Stems of kinds that stand for a thing with a name: its coming and going is an addition and a removal, while
# an `enum-value-removed` is a break of the field that stays.
_THINGS = frozenset(
    {
        "argument",
        "env",
        "output-field",
        "output-schema",
        "package",
        "package-argument",
        "prompt",
        "prompt-argument",
        "remote",
        "remote-header",
        "resource",
        "resource-template",
        "runtime-argument",
        "template",
        "template-variable",
        "tool",
    }
)
_LISTED = frozenset({"prompt", "resource", "resource-template", "template", "tool"})
"""Things whose coming nobody would call a change of something else."""


# What an entry must speak of besides the tool, where a change concerns the tool but not its existence.
_TOPICS = {
    "category": re.compile(r"categor", re.IGNORECASE),
    "deprecated": re.compile(r"deprecat", re.IGNORECASE),
    "description": re.compile(r"describ|descript|word|phras|text|document", re.IGNORECASE),
    "icons": re.compile(r"icon", re.IGNORECASE),
    "outputSchema": re.compile(r"output|result|return|respon|structuredContent", re.IGNORECASE),
    "tier": re.compile(r"\btiers?\b|\b(?:facade|standard|advanced|internal)\b", re.IGNORECASE),
    "title": re.compile(r"title", re.IGNORECASE),
}
_EXISTENCE = frozenset({"tool-added", "tool-removed", "tool-renamed"})


@frozen
class Subject:
    """What an entry must name to tell a change.

    Attributes:
        tool: the tool; ``None`` for what stands beside the tools.
        fields: names on the way to the place, outermost first; the last one is what changed. Empty for the
            tool as a whole.
        successor: the new name of what was renamed.
        topic: what an entry must speak of besides the name.
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
        """The innermost name: an entry that tells the subject carries it, or a glob."""
        return self.fields[-1] if self.fields else self.tool or ""

    def told_by(self, entry: Entry, tools: Collection[str]) -> bool:
        """Whether an entry names it.

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
        """Whether the first names of an entry, or those that it takes leave of, are the tool or the field."""
        leading = (*entry.leading, *farewell(entry)[0])
        own = {self.tool, *self.fields}
        return any(not own.isdisjoint(names_in(span)) for span in leading) or self._globbed(leading)

    def _globbed(self, spans: Collection[str]) -> bool:
        return self.tool is not None and any("*" in span and fnmatch.fnmatchcase(self.tool, span) for span in spans)

    def _field_in(self, entry: Entry) -> bool:
        last = self.fields[-1]
        return last in entry.names or any(last in span.split() for span in entry.spans)


class Tellers:
    """The entries of a section, found by the names in them.

    Args:
        entries: with the kind of their subsection, in order.
        tools: every tool of the old and the new surface.
    """

    def __init__(self, entries: Sequence[tuple[Kind | None, Entry]], tools: Collection[str]) -> None:
        self._entries = entries
        self._tools = tools
        self._by_name: dict[str, list[int]] = {}
        self._anywhere: list[int] = []
        for index, (_, entry) in enumerate(entries):
            if any("*" in span or " " in span for span in entry.spans):
                self._anywhere.append(index)
            for name in entry.names:
                self._by_name.setdefault(name, []).append(index)

    def of(self, subject: Subject) -> list[tuple[Kind | None, Entry]]:
        """The entries that tell a subject, in order."""
        named = self._by_name.get(subject.name, [])
        indices = sorted({*named, *self._anywhere}) if self._anywhere else named
        return [self._entries[index] for index in indices if subject.told_by(self._entries[index][1], self._tools)]


def subject_of(change: Change) -> Subject:
    """What a change is about; names as they can be shown, because that is how an entry spells them."""
    tool = visible(change.tool) if change.tool is not None else None
    tokens = [visible(unescape_pointer(token)) for token in change.path.split("/")[1:]]
    if tool is None:
        name = _name_beside_tools(tokens) or change.kind
        if change.kind.endswith("-renamed"):
            return Subject(None, (_name_in(change.old) or name,), name)
        return Subject(None, (name,))
    fields = _names_on(tokens)
    if change.kind.endswith("-renamed") and fields:
        # The path of a renamed field is the new one; the old name is told by the message alone.
        spans = code_spans(change.message)
        old = _name_in(change.old) or (spans[0] if spans else fields[-1])
        return Subject(tool, (*fields[:-1], old), fields[-1])
    successor = _name_in(change.new) if change.kind == "tool-renamed" else None
    topic = _TOPICS.get(tokens[0]) if tokens and not fields else None
    return Subject(tool, fields, successor, topic, existence=change.kind in _EXISTENCE)


def _name_beside_tools(tokens: list[str]) -> str:
    """The name in ``/prompts/NAME/arguments/ARGUMENT``, ``/resources/URI/mimeType``, ``/capabilities/tools``, and in
    the manifest."""
    if tokens[:1] in (["prompts"], ["resources"], ["resourceTemplates"]) and len(tokens) > 1:
        return tokens[3] if tokens[2:3] == ["arguments"] and len(tokens) > 3 else tokens[1]
    if tokens[:1] == ["server.json"] and tokens[-1] in ("choices", "default", "transport"):
        return tokens[-2]
    return tokens[-1] if tokens else ""


def _name_in(value: object) -> str | None:
    name = value.get("name") if isinstance(value, dict) else value
    return visible(name) if isinstance(name, str) else None


def _names_on(tokens: list[str]) -> tuple[str, ...]:
    """The names that a pointer into a tool passes: property names, and hints."""
    if tokens[:1] == ["annotations"] and len(tokens) == 2:
        return (tokens[1],)
    names: list[str] = []
    properties: list[str] = []
    position = 0
    while position < len(tokens):
        if tokens[position] in SCHEMA_MAP_KEYS and position + 1 < len(tokens):
            names.append(tokens[position + 1])
            if tokens[position] == "properties":
                properties.append(tokens[position + 1])
            position += 1
        position += 1
    # A definition's name is known to the author of the schema only; it serves where there is nothing else.
    return tuple(properties or names[-1:])


def homes(change: Change) -> tuple[Kind, ...]:
    """The subsections that a change may be told in, the best one first.

    Surface governance, "Changelog discipline": what is gone under Removed, any other break under Breaking; a
    break of an advanced tool, which a minor release may make, under Changed.
    """
    stem, _, event = change.kind.rpartition("-")
    if event == "deprecated":
        return (Kind.DEPRECATED,)
    if change.kind == "deprecation-changed":
        return (Kind.DEPRECATED, Kind.CHANGED, Kind.FIXED)
    if change.verdict is not Verdict.COMPATIBLE:
        return _homes_of_break(change, gone=event == "removed" and stem in _THINGS, renamed=event == "renamed")
    if change.wording or change.bump is Bump.PATCH:
        return (Kind.FIXED, Kind.CHANGED)
    if event == "added" and stem in _LISTED:
        return (Kind.ADDED,)
    if event == "added" and stem in _THINGS:
        return (Kind.ADDED, Kind.CHANGED)
    if event == "added":
        return (Kind.CHANGED, Kind.ADDED, Kind.FIXED)
    if event == "removed" and stem in _THINGS:
        return (Kind.REMOVED, Kind.CHANGED)
    return (Kind.CHANGED, Kind.FIXED)


def _homes_of_break(change: Change, *, gone: bool, renamed: bool) -> tuple[Kind, ...]:
    minor = (Kind.CHANGED,) if change.bump is not Bump.MAJOR else ()
    if gone:
        return (Kind.REMOVED, Kind.BREAKING, *minor)
    if renamed:
        return (Kind.BREAKING, Kind.REMOVED, *minor)
    return (*minor, Kind.BREAKING)
