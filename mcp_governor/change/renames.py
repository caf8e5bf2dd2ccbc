"""Detects renamed parameters and tools: similar words and a similar schema, never a guess between two candidates."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.lazy import lazy_pattern
from mcp_governor.surface.canonical import canonical_json
from mcp_governor.surface.fingerprint import strip

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from mcp_governor.surface.model import Tool


_ENOUGH = 0.72
"""Minimum likeness for a removed and an added tool to count as renamed. Name and description together reach 0.7, name
and schema 0.65: two of the three are not enough, unless description and schema are equal."""
_CANDIDATES = 8
"""Number of new things with which one that is gone is compared: those that share its rarest features."""


class _Traits(Struct, frozen=True):
    """Features of a tool that a rename preserves.

    Attributes:
        name, text: as published.
        arguments: name → canonical schema, without wording.
        features: keys of the index.
    """

    name: str
    text: str
    arguments: Mapping[str, str]
    features: tuple[str, ...]

    @classmethod
    def of(cls, tool: Tool) -> _Traits:
        """The traits of a tool."""
        schema = tool.input_schema
        properties = schema.get("properties") if isinstance(schema, dict) else None
        arguments = {}
        if isinstance(properties, dict):
            arguments = {name: canonical_json(strip(value)) for name, value in properties.items()}
        features = {f"word:{word}" for word in words(tool.name)}
        features |= {f"argument:{name}" for name in arguments}
        features |= {f"arguments:{sorted(arguments.items())}", f"text:{tool.description[:200]}"}
        return cls(tool.name, tool.description, arguments, tuple(sorted(features)))


def match_renamed(gone: Sequence[Tool], come: Sequence[Tool]) -> Mapping[str, Tool]:
    """Match removed tools with added ones, by name; conservatively, and each tool at most once.

    Two tools match if name, wording and arguments agree well enough together. The time is linear in the number of
    tools, because candidates come from an index.
    """
    if not gone or not come:
        return {}
    new = [_Traits.of(tool) for tool in come]
    sharing = index_by_features(tool.features for tool in new)
    scored: list[tuple[float, int, int]] = []
    for left, tool in enumerate(gone):
        old = _Traits.of(tool)
        for right in sharing(old.features):
            score = _tool_likeness(old, new[right])
            if score >= _ENOUGH:
                scored.append((score, left, right))
    taken_old: set[int] = set()
    taken_new: set[int] = set()
    matched: dict[str, Tool] = {}
    for _, left, right in sorted(scored, key=lambda item: (-item[0], item[1], item[2])):
        if left not in taken_old and right not in taken_new:
            taken_old.add(left)
            taken_new.add(right)
            matched[gone[left].name] = come[right]
    return matched


def _tool_likeness(old: _Traits, new: _Traits) -> float:
    """How certain it is that ``new`` is ``old`` under another name, from 0 to 1."""
    if words(old.name) == words(new.name):
        # `list-issues` and `list_issues`: whatever else changed is reported as a change of the tool.
        return 1.0
    schema = _schema_likeness(old.arguments, new.arguments)
    name = name_likeness(old.name, new.name)
    if not old.text or not new.text:
        return 0.6 * name + 0.4 * schema
    if old.text != new.text and 0.35 * name + 0.35 + 0.3 * schema < _ENOUGH:
        return 0.0  # not enough, however alike the descriptions are
    text = text_likeness(old.text, new.text)
    if text >= 0.95 and schema >= 0.95:
        return 1.0
    return 0.35 * name + 0.35 * text + 0.3 * schema


def _schema_likeness(before: Mapping[str, str], after: Mapping[str, str]) -> float:
    if not before and not after:
        return 0.6  # two tools without arguments have little in common
    keys = before.keys() | after.keys()
    shared = before.keys() & after.keys()
    same = sum(1 for key in shared if before[key] == after[key])
    return (same + len(shared)) / 2 / len(keys)


def index_by_features(things: Iterable[Iterable[Hashable]]) -> Callable[[Iterable[Hashable]], list[int]]:
    """A function from features to the positions of the things that share the rarest of them, best first.

    Args:
        things: the features of each.
    """
    places: dict[Hashable, list[int]] = defaultdict(list)
    for position, features in enumerate(things):
        for feature in features:
            places[feature].append(position)

    def sharing(features: Iterable[Hashable]) -> list[int]:
        votes: dict[int, float] = defaultdict(float)
        known = sorted((places[feature] for feature in features if feature in places), key=len)
        for found in known[: 2 * _CANDIDATES]:
            for position in found[: 2 * _CANDIDATES]:
                votes[position] += 1 / len(found)
        return sorted(votes, key=lambda position: (-votes[position], position))[:_CANDIDATES]

    return sharing


_WORD = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def words(name: str) -> list[str]:
    """The words of an identifier: ``listOpenIssues``, ``list-open-issues`` and ``list_open_issues`` alike."""
    return [word.lower() for word in _WORD.findall(name)]


def name_likeness(old: str, new: str) -> float:
    """How alike two identifiers are by their words and their letters, from 0 to 1."""
    before, after = words(old), words(new)
    if before == after:
        return 1.0
    # A word more or less: by letters, `id` and `document_id` would be unrelated.
    if set(before) < set(after) or set(after) < set(before):
        return 0.8
    return _likeness("".join(before), "".join(after))


def text_likeness(old: str, new: str) -> float:
    """How alike two descriptions are, word by word, from 0 to 1."""
    if old == new:
        return 1.0 if old else 0.0
    before, after = old.split(), new.split()
    if not before or not after:
        return 0.0
    return _likeness(before, after)


_MAX_COMPARED = 1_000
"""Number of letters of a name, and of words of a description, that are compared: about a millisecond."""


def _likeness(old: Sequence[str], new: Sequence[str]) -> float:
    """The share of the longest common subsequence.

    Each bit of ``left`` is a place of ``new`` and 0 if the subsequence uses it (Hyyrö 2004), so that the time does not
    depend on the content. That of ``difflib`` does: two descriptions of 2 KB can take half a minute.
    """
    before, after = old[:_MAX_COMPARED], new[:_MAX_COMPARED]
    places: dict[str, int] = {}
    for place, item in enumerate(after):
        places[item] = places.get(item, 0) | 1 << place
    left = everything = (1 << len(after)) - 1
    for item in before:
        matches = left & places.get(item, 0)
        left = (left + matches | left - matches) & everything
    common = len(after) - left.bit_count()
    return 2 * common / (len(before) + len(after))


def likely_same_argument(old: str, new: str, old_notes: Mapping[str, Any], new_notes: Mapping[str, Any]) -> bool:
    """True if two parameters with the same schema are one that was renamed.

    Names that differ in form only (``user_id`` and ``userId``, ``filepath`` and ``path``) match whatever their
    descriptions say; other names need descriptions that agree. Counterparts (``start`` and ``end``) never match: one of
    a pair was removed and the other added.
    """
    before, after = argument_words(old), argument_words(new)
    if _are_distinct(before, after):
        return False
    if same_but_for_shape(old, new):
        return True
    alike = name_likeness(old, new)
    spelling = alike >= 0.75 and old[:1].lower() == new[:1].lower()  # "colour" and "color", not "state" and "estate"
    descriptions = [notes.get("description") for notes in (old_notes, new_notes)]
    if not all(isinstance(text, str) and text for text in descriptions):
        return spelling
    one, other = map(str, descriptions)
    if _named_only_in(one, other, before) and _named_only_in(other, one, after):
        # "The start date", "The end date": descriptions of related parameters differ only in the names
        return spelling
    agreeing = text_likeness(one, other)
    return agreeing >= 0.8 or (agreeing >= 0.5 and alike >= 0.6)


def same_but_for_shape(old: str, new: str) -> bool:
    """True if two names are the same in another style, or with additional words that add no meaning."""
    before, after = argument_words(old), argument_words(new)
    return "".join(before) == "".join(after) or _says_more(before, after) or _says_more(after, before)


def argument_words(name: str) -> list[str]:
    """The words of a parameter's name; two common ones written as one are separated: ``filepath``, ``userid``."""
    found: list[str] = []
    for word in words(name):
        cuts = range(len(word)) if len(word) <= _MAX_JOINED else ()
        cut = next((at for at in cuts if {word[:at], word[at:]} <= _COMMON_WORDS), None)
        found.extend([word] if cut is None else [word[:cut], word[cut:]])
    return found


_COMMON_WORDS = frozenset(
    [
        "base",
        "branch",
        "channel",
        "code",
        "column",
        "count",
        "data",
        "database",
        "date",
        "db",
        "dir",
        "directory",
        "doc",
        "document",
        "field",
        "file",
        "folder",
        "host",
        "id",
        "image",
        "index",
        "issue",
        "item",
        "key",
        "limit",
        "line",
        "list",
        "max",
        "message",
        "min",
        "mode",
        "name",
        "num",
        "number",
        "object",
        "page",
        "path",
        "pattern",
        "project",
        "query",
        "range",
        "repo",
        "repository",
        "root",
        "row",
        "search",
        "size",
        "sort",
        "source",
        "start",
        "string",
        "table",
        "tag",
        "task",
        "team",
        "text",
        "time",
        "title",
        "token",
        "type",
        "uri",
        "url",
        "user",
        "value",
        "work",
        "workspace",
        "zone",
    ]
)
"""Common words in names of parameters."""
_MAX_JOINED = 2 * max(map(len, _COMMON_WORDS))

_APART = tuple(
    frozenset(pair.split())
    for pair in (
        "start end",
        "begin end",
        "start stop",
        "start finish",
        "first last",
        "from to",
        "since until",
        "before after",
        "previous next",
        "prev next",
        "min max",
        "minimum maximum",
        "lower upper",
        "low high",
        "source target",
        "source destination",
        "src dst",
        "src dest",
        "origin destination",
        "input output",
        "in out",
        "old new",
        "left right",
        "top bottom",
        "width height",
        "x y",
        "row column",
        "lat lon",
        "lat lng",
        "latitude longitude",
        "include exclude",
        "allow deny",
        "enable disable",
        "show hide",
        "add remove",
        "parent child",
        "head base",
        "head tail",
        "key value",
        "limit offset",
        "username password",
        "created updated",
        "ascending descending",
        "create update",
        "read write",
    )
)
"""Words for the two members of a pair."""

_QUALIFIERS = frozenset().union(*_APART) - {"in", "input", "key", "source", "src", "value", "x", "y"} | {
    "all",
    "alternate",
    "default",
    "is",
    "no",
    "not",
    "other",
    "second",
    "total",
}
"""Words that make it another parameter: ``price`` and ``max_price``, ``id`` and ``parent_id``."""


def _are_distinct(before: list[str], after: list[str]) -> bool:
    """True if two names form a pair, or if only one of them has a qualifier."""
    gone, come = set(before) - set(after), set(after) - set(before)
    if not gone or not come:
        return not _QUALIFIERS.isdisjoint(gone | come)
    return any(pair <= gone | come and pair & gone and pair & come for pair in _APART)


def _says_more(short: list[str], long: list[str]) -> bool:
    """True if a name is another one with additional words that add no meaning."""
    size = len(short)
    if not 0 < size < len(long):
        return False
    if long[-size:] == short:
        return _QUALIFIERS.isdisjoint(long[:-size])
    return long[:size] == short and _QUALIFIERS.isdisjoint(long[size:])


def _named_only_in(text: str, other: str, name: list[str]) -> bool:
    """True if a description names its parameter in words that the other description lacks."""
    here, there = ({word.lower() for word in _WORD.findall(item)} for item in (text, other))
    return bool(set(name) & (here - there))
