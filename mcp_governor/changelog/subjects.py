"""What a change is about, in the words that an entry uses: which names it must carry, and where it belongs."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_governor.change.model import Verdict
from mcp_governor.changelog.model import Kind
from mcp_governor.changelog.parse import code_spans
from mcp_governor.findings import Bump
from mcp_governor.vocabulary import SCHEMA_MAP_KEYS, unescape_pointer

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcp_governor.change.model import Change
    from mcp_governor.changelog.model import Entry

# Stems of kinds that stand for a thing with a name: its coming and going is an addition and a removal, while
# an `enum-value-removed` is a break of the field that stays.
_THINGS = frozenset(
    {
        "argument",
        "env",
        "header",
        "output-field",
        "package",
        "package-argument",
        "prompt",
        "prompt-argument",
        "remote",
        "resource",
        "resource-template",
        "template",
        "tool",
    }
)
_LISTED = frozenset({"prompt", "resource", "resource-template", "template", "tool"})
"""Things whose coming nobody would call a change of something else."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What an entry must name to tell a change.

    Attributes:
        tool: the tool; ``None`` for what stands beside the tools.
        fields: names on the way to the place, outermost first; the last one is what changed. Empty for the
            tool as a whole.
        successor: the new name of what was renamed.
    """

    tool: str | None
    fields: tuple[str, ...] = ()
    successor: str | None = None

    @property
    def name(self) -> str:
        """The innermost name."""
        return self.fields[-1] if self.fields else self.tool or "server"

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
        if self.fields and not self._field_in(entry):
            return False
        if self.tool is None or self.tool in names:
            return True
        globs = [span for span in entry.spans if "*" in span]
        if any(fnmatch.fnmatchcase(self.tool, glob) for glob in globs):
            return True
        return bool(self.fields) and not globs and names.isdisjoint(tools)

    def _field_in(self, entry: Entry) -> bool:
        last = self.fields[-1]
        return last in entry.names or any(last in span.split() for span in entry.spans)


def subject_of(change: Change) -> Subject:
    """What a change is about."""
    tokens = [unescape_pointer(token) for token in change.path.split("/")[1:]]
    if change.tool is None:
        # `/prompts/NAME`, `/resources/URI`, `/instructions`, `/capabilities/tools`, a place in server.json
        return Subject(None, tuple(tokens[-1:]) or (change.kind,))
    fields = _names_on(tokens)
    if not change.kind.endswith("-renamed"):
        return Subject(change.tool, fields)
    if not fields:
        return Subject(change.tool, (), _name_in(change.new))
    # The path of a renamed field is the new one; the old name is told by the message alone.
    spans = code_spans(change.message)
    old = _name_in(change.old) or (spans[0] if spans else fields[-1])
    return Subject(change.tool, (*fields[:-1], old), fields[-1])


def _name_in(value: object) -> str | None:
    name = value.get("name") if isinstance(value, dict) else value
    return name if isinstance(name, str) else None


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


_WORDING = re.compile(r"(?:^|-)(?:description|icons|instructions|title|wording)(?:-|$)")


def is_wording(change: Change) -> bool:
    """Whether a change touches only what a model reads."""
    return change.verdict is Verdict.COMPATIBLE and _WORDING.search(change.kind) is not None


def homes(change: Change) -> tuple[Kind, ...]:
    """The subsections that a change may be told in, the best one first.

    Surface governance, "Changelog discipline": what is gone under Removed, any other break under Breaking; a
    break of an advanced tool, which a minor release may make, under Changed.
    """
    stem, _, event = change.kind.rpartition("-")
    if event == "deprecated":
        return (Kind.DEPRECATED,)
    if change.verdict is not Verdict.COMPATIBLE:
        return _homes_of_break(change, gone=event == "removed" and stem in _THINGS, renamed=event == "renamed")
    if is_wording(change) or change.bump is Bump.PATCH:
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
