"""Alternatives that exclude each other, seen without a search.

An exclusive disjunction of many alternatives says of every pair that not both hold. Where the two are of different
types, or list other values for the same member, there is nothing to say: a union of two thousand objects that a
member tells apart has two million pairs, and none of them matters.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

from mcp_governor.containment.formulas import And, Formula, Props, Required, Types, Values
from mcp_governor.frozen import frozen
from mcp_governor.schemas.values import TYPES, Frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_LOOKS = 200_000
"""Pairs that are looked at: a tenth of a second. Beyond: the alternatives count as too many."""


@frozen
class _Marks:
    """What marks the values of an alternative.

    Attributes:
        kinds: their types.
        members: the few values that a member has which each object among them has; under ``None``, all values.
    """

    kinds: frozenset[str]
    members: dict[str | None, frozenset[Frozen]]


def overlapping(parts: Sequence[Formula], most: int) -> list[tuple[Formula, Formula]] | None:
    """The pairs of formulas that one value might satisfy both of; ``None`` where they may be more than ``most``."""
    marks = [_marks(part) for part in parts]
    found: list[tuple[Formula, Formula]] = []
    for looks, (one, other) in enumerate(_meeting(marks)):
        if not _apart(marks[one], marks[other]):
            found.append((parts[one], parts[other]))
        if len(found) > most or looks > MAX_LOOKS:
            return None
    return found


def _meeting(marks: list[_Marks]) -> Iterator[tuple[int, int]]:
    """All pairs but those of objects that list other values for the member which most of them list."""
    counted = Counter(key for mark in marks for key in mark.members if key is not None)
    key = max(counted, key=lambda name: counted[name], default=None)
    same: defaultdict[Frozen, list[int]] = defaultdict(list)
    loose: list[int] = []
    for index, mark in enumerate(marks):
        if key is None or mark.kinds != {"object"} or key not in mark.members:
            loose.append(index)
            continue
        for member in mark.members[key]:
            same[member].append(index)
    for together in same.values():
        yield from combinations(together, 2)
    marked = sorted({index for together in same.values() for index in together})
    yield from combinations(loose, 2)
    yield from ((one, other) for one in loose for other in marked)


def _marks(part: Formula) -> _Marks:
    pending = list(part.parts) if isinstance(part, And) else [part]
    kinds = frozenset(TYPES)
    members: dict[str | None, frozenset[Frozen]] = {}
    required = {node.key for node in pending if isinstance(node, Required)}
    for node in pending:
        if isinstance(node, Types):
            kinds &= {"number" if name == "integer" else name for name in node.names}
        elif isinstance(node, Values):
            kinds &= {kind for kind, _ in node.members}
            members[None] = node.members
        elif isinstance(node, Props):
            for key in required & node.named.keys():
                listed = node.named[key]
                if isinstance(listed, Values):
                    members[key] = listed.members
    return _Marks(kinds, members)


def _apart(one: _Marks, other: _Marks) -> bool:
    common = one.kinds & other.kinds
    if not common:
        return True
    shared = one.members.keys() & other.members.keys()
    return any(one.members[key].isdisjoint(other.members[key]) for key in shared if key is None or common == {"object"})
