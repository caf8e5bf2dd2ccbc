"""Matches alternatives of the old schema with those of the new one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mcp_governor.change.names import tags
from mcp_governor.change.renames import index_by_features
from mcp_governor.change.view import Alternative, as_type

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    _Tags = dict[str, frozenset[str]]


def pair(
    old: list[Alternative], new: list[Alternative], signature: Callable[[Alternative], int]
) -> tuple[list[tuple[Alternative, Alternative]], list[Alternative], list[Alternative]]:
    """Pairs to compare, then removed alternatives, then added ones. Equal ones are left out.

    Alternatives with the same content are paired first, then objects with the same tag, then those of one type: objects
    by their common keys, others in order. A single object and several others are not paired: see ``change.joint``.
    """
    # However much it changed, its edits are more informative than a removal and an addition.
    if len(old) == len(new) == 1 and old[0].type == new[0].type:
        return [(old[0], new[0])], [], []
    gone, come = _without_equals(old, new, signature)
    pairs: list[tuple[Alternative, Alternative]] = []
    old_tags, new_tags = [_tags(item) for item in gone], [_tags(item) for item in come]
    scored = [
        (_likeness(gone[left], come[right], old_tags[left], new_tags[right]), -left - right, left, right)
        for left, right in _candidates(gone, come, old_tags, new_tags)
    ]
    same = _same_tags(scored)
    used_old = {left for left, _ in same}
    used_new = {right for _, right in same}
    pairs += [(gone[left], come[right]) for left, right in same]
    counts = [
        sum(item.type == "object" for index, item in enumerate(side) if index not in used)
        for side, used in ((gone, used_old), (come, used_new))
    ]
    if min(counts) == 1 < max(counts):
        scored = [score for score in scored if gone[score[2]].type != "object"]
    # The likeliest pair comes first; of equally likely ones the first in the lists, so that runs agree.
    for score, _, left, right in sorted(scored, reverse=True):
        if left in used_old or right in used_new or score < 0:
            continue
        used_old.add(left)
        used_new.add(right)
        pairs.append((gone[left], come[right]))
    gone = [item for index, item in enumerate(gone) if index not in used_old]
    come = [item for index, item in enumerate(come) if index not in used_new]
    return pairs, gone, come


def _same_tags(scored: list[tuple[float, int, int, int]]) -> list[tuple[int, int]]:
    """Pairs of positions of alternatives that share values of their tags, each with the other only."""
    agreeing = [(left, right) for score, _, left, right in scored if score >= _TAGGED]
    lefts, rights = (Counter(pair[at] for pair in agreeing) for at in (0, 1))
    return [(left, right) for left, right in agreeing if lefts[left] == rights[right] == 1]


_TAGGED = 2.0
"""The likeness from which two alternatives share the values of a tag."""
_MAX_PAIRS = 10_000
"""Maximum number of pairs that are all scored. With more, only pairs that share one of their rarest features are
scored: real tags are unique, so one would be enough."""


def _candidates(
    gone: list[Alternative], come: list[Alternative], old_tags: list[_Tags], new_tags: list[_Tags]
) -> Iterator[tuple[int, int]]:
    """Positions of alternatives that may match, in linear time if there are many."""
    if len(gone) * len(come) <= _MAX_PAIRS:
        yield from (
            (left, right)
            for left, before in enumerate(gone)
            for right, after in enumerate(come)
            if before.type == after.type
        )
        return
    sharing = index_by_features(
        _features(after, tagged, right) for right, (after, tagged) in enumerate(zip(come, new_tags, strict=True))
    )
    for left, before in enumerate(gone):
        yield from ((left, right) for right in sharing(_features(before, old_tags[left], left)))


def _features(alternative: Alternative, tagged: _Tags, position: int) -> Iterator[Hashable]:
    """Common features of matching alternatives: values of tags, keys, or at least their position in the list."""
    kind = alternative.type
    if kind in ("object", None):
        yield from ((kind, name, value) for name, values in tagged.items() for value in sorted(values))
        yield from ((kind, name) for name in alternative.keys.get("properties", ()))
    yield kind, position


def _without_equals(
    old: list[Alternative], new: list[Alternative], signature: Callable[[Alternative], int]
) -> tuple[list[Alternative], list[Alternative]]:
    waiting: dict[int, list[Alternative]] = {}
    for alternative in new:
        waiting.setdefault(signature(alternative), []).append(alternative)
    gone = []
    for alternative in old:
        same = waiting.get(signature(alternative))
        if same:
            same.pop(0)
        else:
            gone.append(alternative)
    left = {id(item) for items in waiting.values() for item in items}
    return gone, [alternative for alternative in new if id(alternative) in left]


def _tags(alternative: Alternative) -> _Tags:
    return tags(alternative.node()) if alternative.type in ("object", None) else {}


def _likeness(old: Alternative, new: Alternative, before: _Tags, after: _Tags) -> float:
    """The likeness of two alternatives of one type from 0 to 3; below 0 if they have different tags."""
    if old.type not in ("object", None):
        return 1.0
    shared = before.keys() & after.keys()
    if shared:
        agreeing = sum(1 for name in shared if before[name] & after[name])
        # Tags are the names of alternatives: with another value it is another alternative, however alike the rest is.
        if agreeing == 0:
            return -1.0
        return _TAGGED + agreeing / len(shared)
    keys = set(old.keys.get("properties", ())), set(new.keys.get("properties", ()))
    return len(keys[0] & keys[1]) / max(1, len(keys[0] | keys[1]))


_NUMBERS = {"integer", "number"}
_IN_PLACE = {"allOf", "anyOf", "if", "oneOf"}


def pair_retyped(gone: list[Alternative], come: list[Alternative]) -> list[tuple[Alternative, Alternative]]:
    """Alternatives that match despite another type, so that their other keywords can be compared.

    A number that becomes an integer, or the reverse; or the only alternative, if its type becomes explicit or is no
    longer explicit. An object without a common keyword is a replacement, since its keys come with its type. So is the
    result of a combination of schemas, which may well give the type itself.
    """
    numbers = [[item for item in side if item.type in _NUMBERS] for side in (gone, come)]
    if len(numbers[0]) == len(numbers[1]) == 1:
        return [(numbers[0][0], numbers[1][0])]
    if len(gone) != 1 or len(come) != 1 or (gone[0].type is None) == (come[0].type is None):
        return []
    untyped = gone[0] if gone[0].type is None else come[0]
    shared = gone[0].keys.keys() & come[0].keys.keys()
    if not shared and ("object" in (gone[0].type, come[0].type) or untyped.keys.keys() & _IN_PLACE):
        return []
    return [(gone[0], come[0])]


def comparable(before: Alternative, after: Alternative) -> tuple[Alternative, Alternative]:
    """Two retyped alternatives, each with its own type, and with keywords in the spelling of the narrower type."""
    names = [item.type for item in (before, after) if item.type is not None]
    name = "integer" if "integer" in names else names[0]
    return as_type(before, name), as_type(after, name)


def with_type_of(one: Alternative, other: Alternative) -> Alternative:
    """An alternative with the type of another and otherwise unchanged."""
    return Alternative(other.type, one.keys, one.where, one.home, one.notes, one.stated)
