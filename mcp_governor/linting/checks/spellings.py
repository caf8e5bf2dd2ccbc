"""One thing under several names: parameters of different tools that are spelled in two ways."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.linting.context import Context, Hit, hit
from mcp_governor.linting.phrases import counted
from mcp_governor.linting.schemas import effective
from mcp_governor.linting.words import name_words, stem, words
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

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
"""Abbreviations and the full words that mean the same."""
_BARE = frozenset({"arn", "id", "key", "name", "number", "path", "slug", "url"})
"""Names that say only in the description what they belong to."""
_SUFFIXES = frozenset({"id", "ids", "path"})
"""Last words that a shorter name leaves to its description: "iteration", the path of one."""
_SETTINGS = frozenset({"condition", "filter", "option", "param", "parameter", "setting"})
"""Names whose plural means the same if the type is the same."""
_HOW_MANY = frozenset(
    [
        *("limit", "maxcount", "maximumresults", "maxitems", "maxresults", "nresults", "numresults", "pagesize"),
        *("perpage", "resultlimit", "resultsperpage", "topk"),
    ]
)
_NEXT_PAGE = frozenset(
    [
        *("continuationtoken", "cursor", "nextcursor", "nextpagetoken", "nexttoken", "pagecursor", "pagetoken"),
        *("startcursor", "startingtoken"),
    ]
)
_SOUGHT = frozenset(
    [
        *("keyword", "keywords", "q", "query", "search", "searchkey", "searchkeyword", "searchphrase", "searchquery"),
        *("searchstring", "searchterm", "searchtext"),
    ]
)
_SURE = frozenset({"acknowledge", "acknowledgement", "confirm", "confirmation", "confirmed"})
_ROLES = {
    _HOW_MANY: (frozenset({"number"}), ""),
    _NEXT_PAGE: (frozenset({"string"}), ""),
    frozenset({"offset", "skip"}): (frozenset({"number"}), ""),
    _SOUGHT: (frozenset({"string"}), stem("search")),
    _SURE: (frozenset({"string", "boolean"}), ""),
}
"""Names without marks → the types that they have in this sense, and the stem that their words must contain."""
_MAX_PROPERTIES = 1_000
"""Maximum number of parameters of one tool; a tool with more was not written by hand."""
_MAX_TOOLS = 3
"""Maximum number of tools named per spelling."""
_MAX_APART = 2
"""Maximum number of families with a finding of their own. More are a habit of the server, reported in one line."""
_MAX_FAMILIES = 12
"""Maximum number of families named in a message."""


class _Use(NamedTuple):
    """One tool that has a parameter of some name: its type, the stems of its description, and the names next to it."""

    tool: str
    kind: str
    said: frozenset[str]
    siblings: frozenset[str]


def spellings(surface: Surface, _context: Context) -> Iterator[Hit]:
    """One thing has one name in all tools; one hit per family, and a single hit if there are many."""
    uses: dict[str, list[_Use]] = defaultdict(list)
    for tool in surface.tools:
        schema = tool.input_schema
        properties = schema.get("properties") if isinstance(schema, dict) else None
        if not isinstance(properties, dict) or len(properties) > _MAX_PROPERTIES:
            continue
        siblings = frozenset(properties)
        for name, argument in properties.items():
            whole = effective(schema, argument)
            text = whole.get("description")
            said = frozenset(stem(word) for word in words(text[:400])) if isinstance(text, str) else frozenset()
            uses[name].append(_Use(tool.name, _kind(whole), said, siblings))
    families: dict[tuple[str, ...], dict[str, list[_Use]]] = defaultdict(dict)
    for name, all_uses in uses.items():
        families[_canonical(name)][name] = all_uses
    found: list[dict[str, list[_Use]]] = []
    run_together = {"".join(key): key for key in sorted(families, key=len)}
    for key, family in list(families.items()):
        if run_together["".join(key)] != key:
            continue
        found.append(_apart(_one_thing(key, family, families)))
    several = [names for names in (*found, *_roles(uses)) if len(names) > 1]
    if len(several) <= _MAX_APART:
        for names in several:
            shown = "; ".join(_shown(name, uses, _MAX_TOOLS) for name, uses in names.items())
            first = one_line(next(iter(names)), 64)
            yield hit("/tools", sorted(names), spots=_spots([names]), names=shown, name=first)
        return
    several.sort(key=lambda names: -sum(map(len, names.values())))
    many = [" and ".join(_shown(name, uses, 1) for name, uses in names.items()) for names in several[:_MAX_FAMILIES]]
    if len(several) > _MAX_FAMILIES:
        many.append(f"{len(several) - _MAX_FAMILIES} more")
    first = one_line(next(iter(several[0])), 64)
    yield hit("/tools", spots=_spots(several), names="; ".join(many), name=first)


def _spots(families: Iterable[Mapping[str, list[_Use]]]) -> Iterator[tuple[str, str]]:
    for names in families:
        for name, uses in names.items():
            for use in uses:
                yield use.tool, join_pointer("/inputSchema/properties", name)


def _one_thing(
    key: tuple[str, ...], family: dict[str, list[_Use]], families: dict[tuple[str, ...], dict[str, list[_Use]]]
) -> dict[str, list[_Use]]:
    """All names that other tools use for the thing with a name of these words."""
    names = dict(family)
    # "planid" and "planId".
    names |= families.get(("".join(key),), {}) if len(key) > 1 else {}
    names |= families.get((*key[:-1], f"{key[-1]}s"), {}) if key and key[-1] in _SETTINGS else {}
    if len(key) < 2:
        return names
    # "database" and "databaseName" are one thing, and so is "name" if its description says of what.
    if key[-1] == "name":
        names |= families.get(key[:-1], {})
    if key[-1] in _BARE:
        for bare, uses in families.get(key[-1:], {}).items():
            if meant := [use for use in uses if _means(use, key)]:
                names[bare] = meant
    if key[-1] in _SUFFIXES:
        suffix = stem(key[-1])
        for base in (key[:-1], (*key[:-2], f"{key[-2]}s")):
            for short, uses in families.get(base, {}).items():
                if meant := [use for use in uses if suffix in use.said]:
                    names[short] = meant
    return names


def _roles(uses: dict[str, list[_Use]]) -> Iterator[dict[str, list[_Use]]]:
    """Names for what tools of all servers have in common, where this server has several: how many, which page."""
    for role, (kinds, needed) in _ROLES.items():
        names = {
            name: [use for use in all_uses if use.kind in kinds and (not needed or needed in use.said)]
            for name, all_uses in uses.items()
            if "".join(name_words(name)) in role
        }
        found = _apart({name: meant for name, meant in names.items() if meant})
        if len({_canonical(name) for name in found}) > 1:
            yield found


def _kind(schema: Any) -> str:
    kind = schema.get("type")
    kind = next((item for item in kind if item != "null"), "") if isinstance(kind, list) else kind
    return "number" if kind == "integer" else str(kind or "")


def _canonical(name: str) -> tuple[str, ...]:
    return tuple(_LONG.get(word, word) for word in name_words(name))


def _means(use: _Use, key: tuple[str, ...]) -> bool:
    """True if the description and the tool's name show that a short name means the thing of the longer one."""
    of_tool = {stem(word) for word in name_words(use.tool)}
    return {stem(word) for word in key} <= use.said and {stem(word) for word in key[:-1]} <= of_tool


def _apart(names: dict[str, list[_Use]]) -> dict[str, list[_Use]]:
    """The names, most common first, without those that one tool has side by side or whose types differ."""
    if len(names) < 2:
        return {}
    ordered = sorted(names, key=lambda name: -len(names[name]))
    out: list[str] = []
    for name in ordered:
        kinds = {use.kind for use in names[name]}
        alone = all(not (use.siblings & (set(ordered) - {name})) for use in names[name])
        if alone and (not out or kinds & {use.kind for use in names[out[0]]}):
            out.append(name)
    return {name: names[name] for name in out}


def _shown(name: str, uses: list[_Use], most: int) -> str:
    tools = ", ".join(one_line(use.tool, 64) for use in uses[:most])
    more = ", …" if len(uses) > most else ""
    return f"{one_line(name, 64)} ({counted(len(uses), 'tool')}: {tools}{more})"
