"""Dependencies between parameters that their names suggest without a word: the halves of a position, the identifiers of
one thing, the sources of what is taken in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.words import name_words
from mcp_governor.subjects.schemas import types_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from mcp_governor.surface.model import Tool

_OTHER_HALF = {"lat": ("lon", "lng", "long"), "latitude": ("longitude",), "x": ("y",)}
"""Last word of a name → the last words of names that make it a position."""
_IDENTIFIES = frozenset({"arn", "guid", "id", "identifier", "iid", "key", "name", "path", "slug", "uid", "url", "uuid"})
_LEFT_OUT = lazy_pattern(
    r"\b(?:optional(?:ly)?|omitted|not (?:provided|given|specified|set)|defaults?|current|filter(?:s|ed)?"
    r"|search(?:es)?|new)\b",
    re.IGNORECASE,
)
_FINDS_MANY = frozenset({"count", "create", "filter", "find", "list", "new", "query", "search", "set"})
"""Words of tools for which the name of a thing may be left out: they find several, or make it."""
_TAKES_IN = frozenset(
    {"add", "attach", "convert", "extract", "import", "ingest", "load", "parse", "transcribe", "upload"}
)
_LINK, _FILE = frozenset({"uri", "url"}), frozenset({"file", "filepath", "path"})
_CONTENT = frozenset({"base64", "content", "text"})
_CHOOSES = frozenset({"action", "mode", "operation", "source", "type"})
"""Parameters that say which source counts, so that the others may be left out."""


def unsaid_needs(
    tool: Tool, arguments: Mapping[str, Any], optional: Collection[str], *, whole: bool
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Parameters of one object that are nothing alone, or one of which a call has to have, and which of both.

    Args:
        tool: whose name says what the parameters are about.
        arguments: the parameters.
        optional: those that may be left out.
        whole: they are the parameters of the call, not of an object within it.
    """
    words = {name: name_words(name) for name in arguments}
    by_words = {said: name for name, said in reversed(words.items())}
    for name, said in words.items():
        for last in _OTHER_HALF.get(said[-1], ()) if said else ():
            other = by_words.get((*said[:-1], last))
            if other is not None and all(_is_bare_number(arguments[one]) for one in (name, other)):
                yield (name, other), "must be given together"
    if not whole:
        return
    spare = [name for name in arguments if name in optional and _may_be_needed(arguments[name])]
    about = set(name_words(tool.name))
    # `issueId` and `issueKey` of "get_issue": without one of them, the call is about nothing.
    things: dict[tuple[str, ...], list[str]] = {}
    for name, said in words.items():
        if len(said) > 1 and said[-1] in _IDENTIFIES and said[-2] in about and _FINDS_MANY.isdisjoint(about):
            things.setdefault(said[:-1], []).append(name)
    named = [name for name, said in words.items() if (_LINK | _FILE | _CONTENT).intersection(said[-1:])]
    kinds = {kind for kind in (_LINK, _FILE) for name in named if kind.intersection(words[name][-1:])}
    if len(kinds) == 2 and not _TAKES_IN.isdisjoint(about) and _CHOOSES.isdisjoint(arguments):
        things[()] = named
    for names in things.values():
        if len(names) > 1 and set(names) <= set(spare):
            yield tuple(names), "at least one must be given"


def _may_be_needed(schema: Any) -> bool:
    """True if nothing says what a tool does without the parameter."""
    if not isinstance(schema, dict) or schema.get("default") is not None:
        return False
    said = schema.get("description")
    return not isinstance(said, str) or _LEFT_OUT.search(said) is None


def _is_bare_number(schema: Any) -> bool:
    types = types_of(schema) if isinstance(schema, dict) and "default" not in schema else None
    return types is not None and types - {"null"} in ({"number"}, {"integer"})
