"""One thing under several names: arguments of different tools that are spelled in two ways."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.linting.context import Context, Hit, hit
from mcp_governor.linting.phrases import counted
from mcp_governor.linting.schemas import effective
from mcp_governor.linting.words import name_words, stem, words
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface

_LONG = {
    "repo": "repository",
    "repos": "repositories",
    "db": "database",
    "coll": "collection",
    "msg": "message",
    "dir": "directory",
    "col": "column",
    "lang": "language",
    "org": "organization",
    "desc": "description",
    "num": "number",
    "doc": "document",
    "docs": "documents",
    "env": "environment",
    "lat": "latitude",
    "lon": "longitude",
    "lng": "longitude",
    "long": "longitude",
    "img": "image",
    "src": "source",
    "dst": "destination",
    "dest": "destination",
    "config": "configuration",
    "cfg": "configuration",
    "max": "maximum",
    "min": "minimum",
    "ts": "timestamp",
}
"""Short forms that name the same as the long one."""
_BARE = frozenset({"id", "name", "key"})
"""Names that say of which thing only in the description."""
_MOST_PROPERTIES = 1_000
"""Arguments of one tool; one that has more was not written by hand."""
_MOST_TOOLS = 3
"""Tools that a message names of each spelling."""


class _Use(NamedTuple):
    """One tool that takes an argument of a name: its type, the stems of its description, and the names beside it."""

    tool: str
    kind: str
    said: frozenset[str]
    beside: frozenset[str]


def spellings(surface: Surface, _context: Context) -> Iterator[Hit]:
    """One thing has one name in all tools; one hit per family."""
    uses: dict[str, list[_Use]] = defaultdict(list)
    for tool in surface.tools:
        schema = tool.input_schema
        properties = schema.get("properties") if isinstance(schema, dict) else None
        if not isinstance(properties, dict) or len(properties) > _MOST_PROPERTIES:
            continue
        beside = frozenset(properties)
        for name, argument in properties.items():
            whole = effective(schema, argument)
            text = whole.get("description")
            said = frozenset(stem(word) for word in words(text[:400])) if isinstance(text, str) else frozenset()
            uses[name].append(_Use(tool.name, _kind(whole), said, beside))
    families: dict[tuple[str, ...], dict[str, list[_Use]]] = defaultdict(dict)
    for name, all_uses in uses.items():
        families[_canonical(name)][name] = all_uses
    for key, family in list(families.items()):
        names = dict(family)
        # "database" and "databaseName" are one thing, and "name" too where its description says of what.
        if len(key) > 1 and key[-1] == "name" and key[:-1] in families:
            names |= families[key[:-1]]
        if len(key) > 1 and key[-1] in _BARE:
            for bare, bare_uses in families.get(key[-1:], {}).items():
                if meant := [use for use in bare_uses if _means(use, key)]:
                    names[bare] = meant
        found = _apart(names)
        if len(found) > 1:
            shown = [_shown(name, names[name]) for name in found]
            yield hit("/tools", sorted(found), names="; ".join(shown), name=one_line(found[0], 64))


def _kind(schema: Any) -> str:
    kind = schema.get("type")
    kind = next((item for item in kind if item != "null"), "") if isinstance(kind, list) else kind
    return "number" if kind == "integer" else str(kind or "")


def _canonical(name: str) -> tuple[str, ...]:
    return tuple(_LONG.get(word, word) for word in name_words(name))


def _means(use: _Use, key: tuple[str, ...]) -> bool:
    """Whether a bare name means the thing of the longer one, by its description and by the name of the tool."""
    of_tool = {stem(word) for word in name_words(use.tool)}
    return {stem(word) for word in key} <= use.said and {stem(word) for word in key[:-1]} <= of_tool


def _apart(names: dict[str, list[_Use]]) -> list[str]:
    """The names, commonest first, but for those that one tool takes side by side, or that differ in their type."""
    ordered = sorted(names, key=lambda name: -len(names[name]))
    out: list[str] = []
    for name in ordered:
        kinds = {use.kind for use in names[name]}
        alone = all(not (use.beside & (set(ordered) - {name})) for use in names[name])
        if alone and (not out or kinds & {use.kind for use in names[out[0]]}):
            out.append(name)
    return out


def _shown(name: str, uses: list[_Use]) -> str:
    tools = ", ".join(one_line(use.tool, 64) for use in uses[:_MOST_TOOLS])
    more = ", …" if len(uses) > _MOST_TOOLS else ""
    return f"{one_line(name, 64)} ({counted(len(uses), 'tool')}: {tools}{more})"
