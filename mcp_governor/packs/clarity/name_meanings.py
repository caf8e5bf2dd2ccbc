"""Short names that a description and the name of the tool complete: "id" of get_ticket is a ticket's."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from mcp_governor.packs.clarity.name_roles import ID_WORDS
from mcp_governor.prose.words import MUTATING_VERBS, READING_VERBS, name_words, stem, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcp_governor.packs.clarity.name_uses import Use

Key = tuple[str, ...]
Family = dict[str, list["Use"]]
"""The names of one thing, the most common first, each with the tools that use it."""

IDENTIFIERS = frozenset(
    ["arn", "code", "guid", "handle", "id", "identifier", "ids", "key", "number", "sha", "slug", "token", "uid", "uuid"]
)
"""Last words of names for values that one call takes from the answer to another."""
BARE = frozenset({"arn", "id", "key", "name", "number", "path", "slug", "uid", "url"})
"""Names that say only in the description what they belong to."""
VERBS = READING_VERBS | MUTATING_VERBS
ID_STEMS = frozenset(map(stem, (*ID_WORDS, "identifier")))
NEW = frozenset({"add", "create", "init", "make", "new", "rename"})
"""Words of tools that make a thing, or give it another name."""
_MAX_COMPARED = 50
"""Maximum number of longer names that share a word with a short one; with more, it may mean any, and means none."""


def short_names(families: Mapping[Key, Family]) -> Mapping[Key, Family]:
    """The short names that mean the same as a longer one, by the words of the longer one.

    Each use is compared only with the longer names whose rarest word is among its own: one with the names of all
    things would be the square of their number.
    """
    by_rarest = _by_rarest(families)
    found: dict[Key, Family] = defaultdict(dict)
    for bare in sorted(BARE | ID_WORDS):
        last = "id" if bare in ID_WORDS else bare
        for name, uses in families.get((bare,), {}).items():
            for use in uses:
                for key in _meant_by(use, last, families, by_rarest[last]):
                    found[key].setdefault(name, []).append(use)
    return found


Things = dict[str, list[tuple[Key, frozenset[str]]]]
"""Names that end in one word with the stems of the others, by the rarest of these."""


def _by_rarest(families: Iterable[Key]) -> Mapping[str, Things]:
    things = [
        (key, frozenset(map(stem, key[:-1])))
        for key in families
        if len(key) > 1 and key[-1] in BARE and key[0] not in VERBS
    ]
    count: dict[tuple[str, str], int] = defaultdict(int)
    for key, thing in things:
        for word in thing:
            count[key[-1], word] += 1
    found: dict[str, Things] = defaultdict(lambda: defaultdict(list))
    for key, thing in things:
        rarest = min(sorted(thing), key=lambda word: count[key[-1], word])
        found[key[-1]][rarest].append((key, thing))
    return found


def _meant_by(use: Use, last: str, families: Mapping[Key, Family], things: Things) -> Iterator[Key]:
    """The longer names that a short one means by its description and the name of its tool."""
    if not use.said:
        # "get_ticket" with an id that has no description.
        key = (*name_words(use.tool)[1:], last)
        if last in IDENTIFIERS and key in families:
            yield key
        return
    ends = {stem(last)} | (ID_STEMS if last in ("id", "uid") else set())
    if ends.isdisjoint(use.said):
        return
    if "new" in use.said and last not in IDENTIFIERS and not NEW.isdisjoint(name_words(use.tool)):
        # "Name of the new group" is not that of one that is there. Without "new", reviewers expect one name for both.
        return
    both = use.said & set(map(stem, name_words(use.tool)))
    near = [things[word] for word in both if word in things]
    if sum(map(len, near)) > _MAX_COMPARED:
        return
    meant = [key for some in near for key, thing in some if thing <= both]
    for key in meant:
        # "id" of an alert group is not that of an alert.
        if not any(len(other) > len(key) and set(key) < set(other) for other in meant):
            yield key


def takes_either(use: Use) -> bool:
    """True for "Name or id of the customer": more than the id, and more than the name."""
    said = [stem(word) for word in words(use.text.replace("/", " or "))]
    for at in (at for at, word in enumerate(said) if word == "or"):
        before, after = (
            {_SORTS[word] for word in part if word in _SORTS}
            for part in (said[max(at - _NEAR, 0) : at], said[at + 1 : at + 1 + _NEAR])
        )
        if before and after and before != after:
            return True
    return False


_NEAR = 2
"""Number of words on each side of "or" in which a thing may be named: "the name or the id"."""
_SORTS = {
    **dict.fromkeys(ID_STEMS, "id"),
    **{stem(word): word for word in ("code", "email", "key", "name", "number", "path", "slug", "title", "url")},
}
"""What a value may say of a thing; an identifier is an id."""


def apart(names: Family, *, mixed: bool = False) -> Family:
    """The names, most common first, without those that one tool has side by side or whose types differ."""
    if len(names) < 2:
        return {}
    ordered = sorted(names, key=lambda name: -len(names[name]))
    tools = {name: {use.tool for use in uses} for name, uses in names.items()}
    held = Counter(tool for own in tools.values() for tool in own)
    out: list[str] = []
    for name in ordered:
        kinds = {use.kind for use in names[name]}
        alone = all(held[tool] == 1 for tool in tools[name])
        if alone and (not out or mixed or kinds & {use.kind for use in names[out[0]]}):
            out.append(name)
    if mixed or len(out) < 2:
        return {name: names[name] for name in out}
    kinds = {use.kind for use in names[out[0]]} & {use.kind for name in out[1:] for use in names[name]}
    return {name: [use for use in names[name] if use.kind in kinds] for name in out}
