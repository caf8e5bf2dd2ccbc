"""One thing under several names: parameters of different tools that are spelled in two ways."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.linting.context import Context, Hit, hit
from mcp_governor.linting.declared import declared
from mcp_governor.linting.likeness import plain
from mcp_governor.linting.phrases import counted
from mcp_governor.linting.schemas import effective
from mcp_governor.linting.words import STOP_WORDS, name_words, stem, words
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
_MAX_CARRIED = 3
"""The same where each is a likely mistake: what comes after the worst three is read when those are repaired."""


class _Use(NamedTuple):
    """One tool that has a parameter of some name.

    Attributes:
        tool: its name.
        kind: type of the parameter; integers are numbers.
        text: its description.
        siblings: the names next to it.
        pointer: where it is in the tool.
        strict: the call fails without it, or with an unknown name in its place.
        listed: its values are listed.
    """

    tool: str
    kind: str
    text: str
    siblings: frozenset[str]
    pointer: str
    strict: bool
    listed: bool

    @property
    def said(self) -> frozenset[str]:
        """Stems of its description, which few uses are asked for."""
        return _stems(self.text)


_MAX_READ = 400
"""Maximum number of characters read from a description."""


# The uses of one name are compared with those of several others, one pair after the other.
@lru_cache(maxsize=512)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text))


_Family = dict[str, list[_Use]]
"""The names of one thing, the most common first, each with the tools that use it."""


def spellings(_surface: Surface, context: Context) -> Iterator[Hit]:
    """One thing has one name in all tools; one hit per family, and a single hit if there are many."""
    several = _families(context)[1]
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


def carried_names(_surface: Surface, context: Context) -> Iterator[Hit]:
    """What a call takes over from another has the same name in both; one hit for the server."""
    found = sorted(_families(context)[0], key=_confusion, reverse=True)
    if not found:
        return
    shown = [" is ".join(_shown(name, uses, 2) for name, uses in names.items()) for names in found[:_MAX_CARRIED]]
    if len(found) > _MAX_CARRIED:
        shown.append(counted(len(found) - _MAX_CARRIED, "more value"))
    usual, other = list(found[0])[:2]
    worst = next((use for use in found[0][other] if use.strict), found[0][other][0])
    yield hit(
        "/tools",
        # The usual name stays.
        spots=_spots([dict(list(names.items())[1:]) for names in found]),
        says="" if worst.strict else "dropped",
        names="; ".join(shown),
        name=one_line(usual, 64),
        tool_of=one_line(worst.tool, 64),
    )


def _confusion(names: _Family) -> tuple[bool, bool, int]:
    """How likely the wrong name is sent: one that fails, an identifier, in many tools."""
    usual, *others = names.items()
    fails = any(use.strict for _, uses in others for use in uses)
    known = name_words(usual[0])[-1:]
    return fails, bool(known) and known[0] in _IDENTIFIERS, sum(map(len, names.values()))


def _families(context: Context) -> tuple[list[_Family], list[_Family]]:
    """The families of names of the server: those of values that one call takes over from another, and the rest."""
    return context.facts.memo("families of names", lambda: _read_families(context))


def _read_families(context: Context) -> tuple[list[_Family], list[_Family]]:
    uses = _uses(context.surface)
    families: dict[tuple[str, ...], _Family] = defaultdict(dict)
    for name, all_uses in uses.items():
        families[_canonical(name)][name] = all_uses
    found: list[_Family] = []
    run_together = {"".join(key): key for key in sorted(families, key=len)}
    for key, family in list(families.items()):
        if run_together["".join(key)] == key:
            found.append(_apart(_one_thing(key, family, families)))
    carried: list[_Family] = []
    rest: list[_Family] = []
    for names in (*found, *_roles(uses)):
        if len(names) > 1:
            taken = _carried(names)
            (carried if len(taken) > 1 else rest).append(taken if len(taken) > 1 else names)
    done = {name for names in carried for name in names}
    carried += [names for names in _nested(context, uses) if done.isdisjoint(names)]
    return carried, rest


def _uses(surface: Surface) -> dict[str, list[_Use]]:
    """The parameters of all tools by name; where a single object wraps them all, what is inside."""
    uses: dict[str, list[_Use]] = defaultdict(list)
    for tool in surface.tools:
        schema, at = tool.input_schema, "/inputSchema"
        properties = schema.get("properties") if isinstance(schema, dict) else None
        if isinstance(properties, dict) and len(properties) == 1:
            ((name, only),) = properties.items()
            inner = effective(schema, only)
            if isinstance(inner.get("properties"), dict):
                at, properties = join_pointer(f"{at}/properties", name), inner["properties"]
                holder = inner
            else:
                holder = schema
        else:
            holder = schema
        if not isinstance(properties, dict) or len(properties) > _MAX_PROPERTIES:
            continue
        required = holder.get("required")
        needed = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
        closed = holder.get("additionalProperties") is False
        siblings = frozenset(properties)
        for name, argument in properties.items():
            whole = effective(schema, argument)
            text = whole.get("description")
            pointer = join_pointer(f"{at}/properties", name)
            listed = "enum" in whole or "const" in whole
            strict = closed or name in needed
            text = text[:_MAX_READ] if isinstance(text, str) else ""
            uses[name].append(_Use(tool.name, _kind(whole), text, siblings, pointer, strict, listed))
    return uses


def _nested(context: Context, uses: Mapping[str, list[_Use]]) -> Iterator[_Family]:
    """Names that differ in case and separators only, at least one of them within an object."""
    alike: dict[str, _Family] = defaultdict(dict)
    for one in declared(context.surface, context):
        # Other names within objects are those of the interface behind, and seldom taken over.
        if one.nested and (parts := name_words(one.name)) and (parts[-1] in _TAKEN_OVER or one.name in _OBJECTS):
            use = _Use(one.tool.name, _kind(one.schema), "", frozenset(), one.pointer, one.required, False)
            alike["".join(_canonical(one.name))].setdefault(one.name, []).append(use)
    for name, all_uses in uses.items():
        if (key := "".join(_canonical(name))) in alike:
            alike[key].setdefault(name, []).extend(all_uses)
    for names in alike.values():
        if len(names) > 1:
            found = _apart(names)
            if len(found) > 1:
                yield found


_PARTS = frozenset({"child", "from", "parent", "previous", "root", "source", "target", "to"})
"""Names that say which of several, not of what: the parent of a task, the parent of a folder."""
_IDENTIFIERS = frozenset(
    ["arn", "code", "guid", "handle", "id", "identifier", "ids", "key", "number", "sha", "slug", "token", "uid", "uuid"]
)
"""Last words of names for values that one call takes from the answer to another."""
_OBJECTS = {one for pair in _LONG.items() for one in pair if pair[1] in ("collection", "database", "repository")}
"""Names of one word, in both forms, for what calls are about."""
_TAKEN_OVER = _IDENTIFIERS | {"name", "path", "uids", "uri", "url"}


def _carried(names: _Family) -> _Family:
    """The names of a family that stand for one value, without those that only may."""
    usual = next(iter(names))
    return {name: uses for name, uses in names.items() if name == usual or _is_same(usual, name, names)}


def _is_same(usual: str, name: str, names: _Family) -> bool:
    """True if two names are for one value: two spellings, a short form, or "id" and "ticketId"."""
    long, short = sorted((_canonical(usual), _canonical(name)), key=len, reverse=True)
    if plain(usual) == plain(name) or long == short or "".join(long) == "".join(short):
        return True
    uses = [use for one in (usual, name) for use in names[one]]
    if any(use.listed for use in uses) or len({use.kind for use in uses}) > 1 or uses[0].kind == "boolean":
        return False
    if short == long[-1:]:
        # The name of what is only about to be made is often just "name".
        old = any(_NEW.isdisjoint(name_words(use.tool)) for use in _of(short, names))
        return short[0] in _IDENTIFIERS or (old and len(names[usual]) > 1)
    last = long[-1]
    if long[:-1] != short or last not in _TAKEN_OVER or not _PARTS.isdisjoint(short):
        return False
    if last == "name":
        both = [{one for use in _of(key, names) for one in use.said} for key in (long, short)]
        return both[1].isdisjoint(_CONTENTS) and bool(both[0] & both[1] - _COMMON - {stem(word) for word in long})
    return all(stem(last) in use.said for use in _of(short, names))


def _of(key: tuple[str, ...], names: _Family) -> list[_Use]:
    return [use for name, uses in names.items() if _canonical(name) == key for use in uses]


_NEW = frozenset({"add", "create", "init", "make", "new", "rename"})
_CONTENTS = frozenset(map(stem, ("body", "code", "content", "contents", "json", "object", "source", "text")))
"""Words for the thing itself, where another tool takes its name."""
_COMMON = frozenset(map(stem, (*STOP_WORDS, "id", "name", "optional", "required", "string", "filter", "new", "list")))


def _spots(families: Iterable[_Family]) -> Iterator[tuple[str, str]]:
    for names in families:
        for uses in names.values():
            for use in uses:
                yield use.tool, use.pointer


def _one_thing(key: tuple[str, ...], family: _Family, families: dict[tuple[str, ...], _Family]) -> _Family:
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


def _roles(uses: dict[str, list[_Use]]) -> Iterator[_Family]:
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
    if not use.said:
        # "get_ticket" with an id that has no description.
        return key[-1] in _IDENTIFIERS and name_words(use.tool)[1:] == key[:-1]
    return {stem(word) for word in key} <= use.said and {stem(word) for word in key[:-1]} <= of_tool


def _apart(names: _Family) -> _Family:
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
    # An object may have the name in several places.
    tools = list(dict.fromkeys(use.tool for use in uses))
    shown = ", ".join(one_line(tool, 64) for tool in tools[:most])
    more = ", …" if len(tools) > most else ""
    return f"{one_line(name, 64)} ({counted(len(tools), 'tool')}: {shown}{more})"
