"""Dependencies between parameters that their names suggest without a word: the halves of a position, the identifiers of
one thing, the sources of what is taken in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.need import Group, Need
from mcp_governor.prose.words import name_words
from mcp_governor.subjects.schemas import types_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.surface.model import Tool

_OTHER_HALF = {
    "lat": ("lon", "lng", "long"),
    "latitude": ("longitude",),
    "x": ("y",),
}
"""Last word of a name → the last words of names that make it a position."""


def coordinates(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The numbers that are one position: one without the other says nothing, whatever the description says."""
    by_words: dict[tuple[str, ...], str] = {}
    for name in arguments:
        by_words.setdefault(name_words(name), name)
    for name in arguments:
        words = name_words(name)
        for last in _OTHER_HALF.get(words[-1], ()) if words else ():
            other = by_words.get((*words[:-1], last))
            if other is not None and all(_is_bare_number(arguments[one]) for one in (name, other)):
                yield name, other


_IDENTIFIES = frozenset({"arn", "guid", "id", "identifier", "iid", "key", "name", "path", "slug", "uid", "url", "uuid"})
_LEFT_OUT = Guarded(
    r"\b(?:optional(?:ly)?|omitted|not (?:provided|given|specified|set)|defaults?|current|filter(?:s|ed)?"
    r"|search(?:es)?|new)\b",
    *("optional", "omitted", "not ", "default", "current", "filter", "search", "new"),
)
_FINDS_MANY = frozenset({"count", "create", "filter", "find", "list", "new", "query", "search", "set"})
"""Words of tools for which the name of a thing may be left out: they find several, or make it."""


def identifiers(tool: Tool, arguments: Mapping[str, Any], group: Group) -> Iterator[Need]:
    """The identifiers of the one thing that a tool is about, each of which may be left out: `issueId`, `issueKey` of
    "get_issue". Without one of them, the call is about nothing, whatever the description says."""
    about = name_words(tool.name)
    if not _FINDS_MANY.isdisjoint(about):
        return
    found: dict[tuple[str, ...], list[str]] = {}
    for name in arguments:
        words = name_words(name)
        if len(words) > 1 and words[-1] in _IDENTIFIES and words[-2] in about:
            found.setdefault(words[:-1], []).append(name)
    for names in found.values():
        spare = len(names) > 1 and all(name in group.optional and _may_be_needed(arguments[name]) for name in names)
        if spare:
            yield Need("any", tuple(names), ways=tuple((name,) for name in names))


_TAKES_IN = frozenset(
    {"add", "attach", "convert", "extract", "import", "ingest", "load", "parse", "transcribe", "upload"}
)
_LINK, _FILE = frozenset({"uri", "url"}), frozenset({"file", "filepath", "path"})
_CONTENT = frozenset({"base64", "content", "text"})
_CHOOSES = frozenset({"action", "mode", "operation", "source", "type"})
"""Parameters that say which source counts, so that the others may be left out."""


def sources(tool: Tool, arguments: Mapping[str, Any], group: Group) -> Iterator[Need]:
    """What a tool takes in, by URL, as a file or directly. Without any of these, the call is about nothing."""
    if _TAKES_IN.isdisjoint(name_words(tool.name)) or not _CHOOSES.isdisjoint(arguments):
        return
    last = {name: name_words(name)[-1:] for name in arguments if name_words(name)}
    named = [name for name, word in last.items() if (_LINK | _FILE | _CONTENT).intersection(word)]
    kinds = {kind for kind in (_LINK, _FILE) for name in named if kind.intersection(last[name])}
    if len(kinds) == 2 and all(name in group.optional and _may_be_needed(arguments[name]) for name in named):
        yield Need("any", tuple(named), ways=tuple((name,) for name in named))


def _may_be_needed(schema: Any) -> bool:
    """True if nothing says what a tool does without the parameter."""
    if not isinstance(schema, dict) or schema.get("default") is not None:
        return False
    said = schema.get("description")
    return not isinstance(said, str) or _LEFT_OUT.search(said) is None


def _is_bare_number(schema: Any) -> bool:
    types = types_of(schema) if isinstance(schema, dict) and "default" not in schema else None
    return types is not None and types - {"null"} in ({"number"}, {"integer"})
