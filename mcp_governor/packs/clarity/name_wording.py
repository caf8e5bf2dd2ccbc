"""Names of one thing by what is said of it: the same words, the same values, the longer name in full."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.packs.clarity.name_meanings import BARE, IDENTIFIERS, VERBS, Family, apart
from mcp_governor.packs.clarity.name_roles import LONG, canonical
from mcp_governor.packs.clarity.name_uses import MAX_READ, Use, takes_a_list, use_of
from mcp_governor.prose.alike_names import plain
from mcp_governor.prose.declared import declared
from mcp_governor.prose.words import STOP_WORDS, name_words, stem, words
from mcp_governor.subjects.schemas import effective

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.packs.clarity.name_meanings import Key
    from mcp_governor.subjects.context import Context
    from mcp_governor.surface.model import Tool


def said_alike(context: Context, families: Mapping[Key, Family]) -> Iterator[Family]:
    """The families of names that stand for one thing by what is said of it."""
    yield from _alike(context)
    yield from _in_full(families)
    yield from _lists(context)
    yield from _counterparts(context)


def _alike(context: Context) -> Iterator[Family]:
    """Names of parameters that are described in the same words, or take the same values."""
    by_words: dict[tuple[str, str], list[Use]] = defaultdict(list)
    by_values: dict[tuple[str, frozenset[str]], list[Use]] = defaultdict(list)
    # Half of all parameters are in several tools, with the same description.
    essences: dict[tuple[str, str], str] = {}
    for one in declared(context.surface, context):
        if "." in one.name:
            continue  # "System.TeamProject" is a field of the service behind, which no server names.
        use, text, values = use_of(one), one.schema.get("description"), one.schema.get("enum")
        if isinstance(text, str):
            said = text[:MAX_READ], one.name
            content = essences.get(said)
            if content is None:
                content = essences[said] = _essence(*said)
            if content:
                by_words[use.kind, content].append(use)
        if isinstance(values, list) and _FEWEST_VALUES <= len(values) <= _MOST_VALUES:
            by_values[use.kind, frozenset(plain(str(value)) for value in values)].append(use)
    for uses in by_words.values():
        yield from _named_apart(uses)
    for uses in by_values.values():
        # Lists of values are often equal by chance: the names have to end in the same word.
        if len({canonical(use.name)[-1:] for use in uses}) == 1:
            yield from _named_apart(uses)


_FEWEST_VALUES = 3
"""Minimum number of values: many arguments take two, such as asc and desc."""
_MOST_VALUES = 100
"""Maximum number of values compared; more are a catalogue."""
_FEWEST_WORDS = 3
"""Minimum number of words with a meaning: "The name of it" describes anything."""


def _essence(text: str, name: str) -> str:
    """The words of a description that say what it is about, without verbs: another tool does another thing with it.

    A verb that the name has as well is part of the thing: the list of task_list_id.
    """
    own = name_words(name)
    said = words(text)
    content = [stem(word) for word in said if word not in STOP_WORDS and (word not in VERBS or word in own)]
    return " ".join(content) if len(content) >= _FEWEST_WORDS else ""


def _named_apart(uses: list[Use]) -> Iterator[Family]:
    names: Family = {}
    for use in uses:
        names.setdefault(use.name, []).append(use)
    keys = {canonical(name) for name in names}
    if len(keys) > 1 and all(_SIDES.isdisjoint(key) for key in keys):
        found = apart(names)
        if len(found) > 1:
            yield found


_SIDES = frozenset(
    [
        *(
            "after",
            "base",
            "before",
            "child",
            "destination",
            "end",
            "exclude",
            "first",
            "from",
            "include",
            "last",
            "left",
        ),
        *("maximum", "minimum", "new", "old", "parent", "query", "right", "search", "source", "start", "target", "to"),
        *("add", "remove"),
    ]
)
"""Words for one of two things that are described alike, or for what is sought in them."""


# -- the longer name in full


def _in_full(families: Mapping[Key, Family]) -> Iterator[Family]:
    """Names that leave out a word of a longer one, and have it in their description: "The ID of the parent folder"."""
    ends = Counter(
        (tool, _end(key))
        for key, names in families.items()
        for tool in {use.tool for one in names.values() for use in one}
    )
    for key, names in families.items():
        for at in range(len(key) - 1 if len(key) <= _MAX_WORDS else 0):
            short = (*key[:at], *key[at + 1 :])
            # What a plain "id" or "name" stands for is read elsewhere.
            if key[at] in _OF_TWO or short not in families or (len(short) == 1 and short[0] in BARE):
                continue
            # An identifier is one of what its other words say: "project ID" is not in "the project status ID".
            phrase = key[:-1] if key[-1] in IDENTIFIERS else key[at : at + 2]
            if len(phrase) > 1 and (meant := _meant(families[short], names, tuple(map(stem, phrase)))):
                # Next to a "header_color", a "text_color" needs both words.
                alone = {
                    name: own
                    for name, uses in names.items()
                    if (own := [use for use in uses if ends[use.tool, _end(key)] == 1])
                }
                found = apart({**alone, **meant})
                if len({canonical(name) for name in found}) > 1:
                    yield found


def _end(key: Key) -> Key:
    """The words of a name that say what sort of thing it is: of an identifier also of what."""
    return key[-2:] if key[-1:] and key[-1] in IDENTIFIERS else key[-1:]


def _meant(short: Family, long: Family, phrase: tuple[str, ...]) -> Family:
    listed = any(use.listed for uses in long.values() for use in uses)
    found: Family = {}
    for name, uses in short.items():
        if meant := [use for use in uses if use.listed == listed and _has(use, phrase)]:
            found[name] = meant
    return found


def _has(use: Use, phrase: tuple[str, ...]) -> bool:
    """True if a description begins with words that contain a phrase."""
    if not use.said.issuperset(phrase):
        return False
    opening = _CLAUSE.split(use.text, maxsplit=1)[0]
    said = [stem(LONG.get(word, word)) for word in words(opening)[:_OPENING]]
    size = len(phrase)
    return any(tuple(said[at : at + size]) == phrase for at in range(len(said) - size + 1))


_CLAUSE = lazy_pattern(r"[.,;:(\n]")
_OPENING = 10
"""Number of words in which a description says of what it is; later ones compare it with something else."""
_MAX_WORDS = 8
"""Maximum number of words of a name that is compared."""
_OF_TWO = _SIDES - {"parent"}


# -- one and many


def _lists(context: Context) -> Iterator[Family]:
    """A list under a singular name, where another tool has one under the plural: "tag" and "tags"."""
    found: dict[tuple[Key, bool], Family] = defaultdict(dict)
    for one in declared(context.surface, context):
        if takes_a_list(one.schema) and (key := canonical(one.name)):
            items = effective(one.tool.input_schema, one.schema.get("items"))
            found[key, "enum" in items].setdefault(one.name, []).append(use_of(one))
    for (key, listed), names in list(found.items()):
        if key[-1] not in _ANYTHING and (many := found.get(((*key[:-1], f"{key[-1]}s"), listed))):
            both = apart({**many, **names}, mixed=True)
            if len({canonical(name) for name in both}) > 1:
                yield both


_ANYTHING = frozenset({"data", "item", "value"})
"""Names of values of any type."""


# -- tools that undo or change what another did


def _counterparts(context: Context) -> Iterator[Family]:
    """What one tool adds and another changes: the text of a comment, under two names."""
    groups: dict[Key, list[Tool]] = defaultdict(list)
    for tool in context.surface.tools:
        parts = name_words(tool.name)
        verb = next((at for at, word in enumerate(parts[:3]) if word in _PAIRED), None)
        if verb is not None:
            groups[*parts[:verb], "", *parts[verb + 1 :]].append(tool)
    wanted = {tool.name for group in groups.values() if len(group) > 1 for tool in group}
    needed: dict[str, list[Use]] = defaultdict(list)
    for one in declared(context.surface, context) if wanted else ():
        if one.tool.name in wanted and one.required and not one.nested:
            needed[one.tool.name].append(use_of(one))
    for group in groups.values():
        for first, second in itertools.combinations(group[:_MAX_GROUP], 2):
            yield from _pair(needed[first.name], needed[second.name])


_PAIRED = frozenset({"add", "change", "create", "delete", "edit", "remove", "set", "unlink", "unset", "update", "link"})
"""Verbs of tools that take the same thing."""
_MAX_GROUP = 6
"""Maximum number of tools of one noun that are compared."""


def _pair(first: list[Use], second: list[Use]) -> Iterator[Family]:
    """The two parameters that only one of two tools has, if they are described alike."""
    names = [{canonical(use.name) for use in uses} for uses in (first, second)]
    one, other = (
        [use for use in uses if canonical(use.name) not in theirs and use.kind in _PLAIN and not use.listed]
        for uses, theirs in ((first, names[1]), (second, names[0]))
    )
    alike = [(use, twin) for use in one for twin in other if use.kind == twin.kind and _described_alike(use, twin)]
    if len(alike) == 1:
        ((use, twin),) = alike
        yield {use.name: [use], twin.name: [twin]}


_PLAIN = frozenset({"number", "string"})


def _described_alike(one: Use, other: Use) -> bool:
    mine, theirs = (set(canonical(use.name)) for use in (one, other))
    if mine <= theirs or theirs <= mine:
        return False
    # The id of what is changed is another than the id of what it is added to.
    ends = [canonical(use.name)[-2:] for use in (one, other)]
    if any(end[-1] in IDENTIFIERS for end in ends) and ends[0] != ends[1]:
        return False
    few, many = sorted((_core(one), _core(other)), key=len)
    return len(few) >= _FEWEST_SHARED and few <= many


_FEWEST_SHARED = 2
"""Minimum number of words that two descriptions share."""


def _core(use: Use) -> set[str]:
    said = words(_CLAUSE.split(use.text, maxsplit=1)[0])
    return {stem(word) for word in said if word not in STOP_WORDS and word not in VERBS and word not in _CHANGED}


_CHANGED = frozenset({"new", "updated"})
