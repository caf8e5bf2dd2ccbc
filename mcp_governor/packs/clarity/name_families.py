"""Families of names: one thing that parameters of several tools name differently."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcp_governor.packs.clarity.name_meanings import (
    ID_STEMS,
    IDENTIFIERS,
    NEW,
    Family,
    Key,
    apart,
    short_names,
    takes_either,
)
from mcp_governor.packs.clarity.name_roles import LONG, ROLE_NAMES, ROLES, Role, canonical, without_unit
from mcp_governor.packs.clarity.name_uses import Use, use_of, uses_of, wrapped_uses
from mcp_governor.packs.clarity.name_wording import said_alike
from mcp_governor.prose.alike_names import plain
from mcp_governor.prose.declared import declared
from mcp_governor.prose.words import READING_VERBS, STOP_WORDS, name_words, stem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mcp_governor.subjects.context import Context

_SUFFIXES = frozenset({"code", "id", "ids", "path"})
"""Last words that a shorter name leaves to its description: "iteration", the path of one."""
_SETTINGS = frozenset({"condition", "filter", "option", "param", "parameter", "setting"})
"""Names whose plural means the same if the type is the same."""


def families_of(context: Context) -> tuple[list[Family], list[Family]]:
    """The families of names of the server: those of values that one call takes over from another, and the rest."""
    return context.facts.memo("families of names", lambda: _read_families(context))


def _read_families(context: Context) -> tuple[list[Family], list[Family]]:
    uses = uses_of(context)
    families: dict[Key, Family] = defaultdict(dict)
    for name, all_uses in uses.items():
        if key := canonical(name):  # "$" and "_" have no words that could be compared.
            families[key][name] = all_uses
    found: list[Family] = []
    short = short_names(families)
    run_together = {"".join(key): key for key in sorted(families, key=len)}
    for key, family in list(families.items()):
        if run_together["".join(key)] == key:
            found.append(apart(_one_thing(key, family, families, short)))
    carried: list[Family] = []
    rest: list[Family] = []
    roles = list(_roles({**uses, **wrapped_uses(context, uses)}))
    for names in _others((names for names in found if len(names) > 1), roles):
        taken = _carried(names)
        if len(taken) > 1 and not _is_setting(taken):
            carried.append(taken)
        else:
            rest.append(names)
    rest += roles
    rest += _others(said_alike(context, families), [*carried, *rest])
    done = {name for names in carried for name in names}
    carried += [names for names in _nested(context, uses) if done.isdisjoint(names)]
    return carried, rest


def _others(families: Iterable[Family], known: list[Family]) -> Iterator[Family]:
    """The families whose names are not all in one of those that are known, nor in one before them."""
    places: dict[str, set[int]] = defaultdict(set)
    place = 0
    for place, names in enumerate(known):
        for name in names:
            places[name].add(place)
    for names in families:
        # The name with the fewest places first: "id" may be in every family.
        first, *more = sorted((places[name] for name in names), key=len)
        if not first.intersection(*more):
            place += 1
            for name in names:
                places[name].add(place)
            yield names


def _nested(context: Context, uses: Mapping[str, list[Use]]) -> Iterator[Family]:
    """Names that differ in case and separators only, at least one of them within an object."""
    alike: dict[str, Family] = defaultdict(dict)
    for one in declared(context.surface, context):
        # Other names within objects are those of the interface behind, and seldom taken over.
        if one.nested and (parts := name_words(one.name)) and (parts[-1] in _TAKEN_OVER or one.name in _OBJECTS):
            use = replace(use_of(one), text="")
            alike["".join(canonical(one.name))].setdefault(one.name, []).append(use)
    for name, all_uses in uses.items():
        if (key := "".join(canonical(name))) in alike:
            alike[key].setdefault(name, []).extend(all_uses)
    for names in alike.values():
        if len(names) > 1:
            found = apart(names)
            if len(found) > 1:
                yield found


_PARTS = frozenset({"child", "from", "parent", "previous", "root", "source", "target", "to"})
"""Names that say which of several, not of what: the parent of a task, the parent of a folder."""
_OBJECTS = {one for pair in LONG.items() for one in pair if pair[1] in ("collection", "database", "repository")}
"""Names of one word, in both forms, for what calls are about."""
_TAKEN_OVER = IDENTIFIERS | {"name", "path", "uids", "uri", "url"}


def _carried(names: Family) -> Family:
    """The names of a family that stand for one value, without those that only may."""
    usual = next(iter(names))
    uses: dict[Key, list[Use]] = defaultdict(list)
    for name, own in names.items():
        uses[canonical(name)] += own
    # Once for all spellings: there may be many.
    same = {key: _is_same(canonical(usual), key, uses, often=len(names[usual]) > 1) for key in uses}
    kinds = _kinds(names[usual])
    out: Family = {}
    for name, own in names.items():
        spelled = plain(usual) == plain(name) or "".join(canonical(usual)) == "".join(canonical(name))
        if spelled or (same[canonical(name)] and len(kinds | _kinds(own)) == 1 and kinds.isdisjoint(_NO_VALUES)):
            out[name] = own
    return out


def _kinds(uses: list[Use]) -> set[str]:
    return {_LISTED if use.listed else use.kind for use in uses}


_LISTED = "listed"
"""In place of the type of a parameter whose values are listed."""
_NO_VALUES = frozenset({_LISTED, "boolean"})
"""Types of choices: no call answers with one."""


def _is_same(usual: Key, other: Key, uses: Mapping[Key, list[Use]], *, often: bool) -> bool:
    """True if two names are for one value, the one a short form of the other: "id" and "ticketId"."""
    long, short = sorted((usual, other), key=len, reverse=True)
    if short == long[-1:]:
        # The name of what is only about to be made is often just "name".
        old = any(NEW.isdisjoint(name_words(use.tool)) for use in uses[short])
        return short[0] in IDENTIFIERS or (old and often)
    last = long[-1:]
    if long[:-1] != short or _TAKEN_OVER.isdisjoint(last) or not _PARTS.isdisjoint(short):
        return False
    if last == ("name",):
        both = [{one for use in uses[key] for one in use.said} for key in (long, short)]
        return both[1].isdisjoint(_CONTENTS) and bool(both[0] & both[1] - _COMMON - {stem(word) for word in long})
    return all(stem(last[0]) in use.said for use in uses[short])


_CONTENTS = frozenset(map(stem, ("body", "code", "content", "contents", "json", "object", "source", "text")))
"""Words for the thing itself, where another tool takes its name."""
_COMMON = frozenset(map(stem, (*STOP_WORDS, "id", "name", "optional", "required", "string", "filter", "new", "list")))


def _one_thing(key: Key, family: Family, families: Mapping[Key, Family], short: Mapping[Key, Family]) -> Family:
    """All names that other tools use for the thing with a name of these words."""
    names = dict(family)
    # "planid" and "planId".
    names |= families.get(("".join(key),), {}) if len(key) > 1 else {}
    names |= families.get((*key[:-1], f"{key[-1]}s"), {}) if key and key[-1] in _SETTINGS else {}
    return names | (_shorter(key, families) | short.get(key, {}) if len(key) > 1 else {})


def _shorter(key: Key, families: Mapping[Key, Family]) -> Family:
    """The names that leave a word of a longer one to their descriptions."""
    names: Family = {}
    if (timed := without_unit(key)) != key:
        names |= families.get(timed, {})
    # "database" and "databaseName" are one thing, and so is "name" if its description says of what.
    if key[-1] == "name" and not _only_made(key, families.get(key, {})):
        # A value out of a list is a choice, not the name of a thing.
        names |= _meant(families.get(key[:-1], {}), lambda use: not use.listed)
    if key[-1] == "names":
        names |= families.get((*key[:-2], f"{key[-2]}s"), {})
    if key[-1] in _SUFFIXES and not (len(key) == _ONE_MORE and key[0] in _PARTS):
        # "Name or id of the box" is more than a box_id, unless that takes both as well.
        either = any(takes_either(use) for uses in families.get(key, {}).values() for use in uses)
        suffix = ID_STEMS if key[-1] == "id" else {stem(key[-1])}
        for base in (key[:-1], (*key[:-2], f"{key[-2]}s")):
            names |= _meant(
                families.get(base, {}),
                lambda use: not suffix.isdisjoint(use.said) and (either or not takes_either(use)),
            )
    return names


def _only_made(key: Key, names: Family) -> bool:
    """True for the name of what is only about to be made, which does not name what is there."""
    tools = [name_words(use.tool) for uses in names.values() for use in uses]
    return all(not NEW.isdisjoint(said[:2]) and set(key[:-1]) <= set(said) for said in tools)


_ONE_MORE = 2
"""Number of words of a name that says which of several, not of what: "parent_id"."""


def _meant(names: Family, is_meant: Callable[[Use], bool]) -> Family:
    return {name: meant for name, uses in names.items() if (meant := [use for use in uses if is_meant(use)])}


def _roles(uses: dict[str, list[Use]]) -> Iterator[Family]:
    """Names for what tools of all servers have in common, where this server has several: how many, which page."""
    possible = {name: flat for name in uses if (flat := "".join(name_words(name))) in ROLE_NAMES}
    for role in ROLES:
        found: Family = {}
        for name, flat in possible.items():
            if role.may_have(flat) and (meant := [use for use in uses[name] if _plays(role, name, use)]):
                found[name] = meant
        found = apart(found, mixed=role.mixed)
        if len({canonical(name) for name in found}) > 1:
            yield found


def _is_setting(names: Family) -> bool:
    """True for names that say how a call is to answer, such as "page size": no call answers with one."""
    flat = ["".join(name_words(name)) for name in names]
    return any(
        all(_plays(role, name, use) for name, uses in names.items() for use in uses)
        for role in ROLES
        if not role.answered and all(map(role.may_have, flat))
    )


def _plays(role: Role, name: str, use: Use) -> bool:
    # Without a description, the tool's name says that something is searched, and "page" what it is.
    said = use.said or {stem(word) for word in (*name_words(use.tool), *name_words(name))}
    reads = not _READING.isdisjoint(name_words(use.tool)[:3])
    return role.has(name, use.kind, said, reads=reads)


_READING = READING_VERBS | {"analyze", "fetch", "download", "export", "extract", "retrieve", "summarize"}
