"""Recognise alternatives that exclude each other, without a search.

An exclusive disjunction says for each pair of alternatives that not both hold. If the two have different types, or list
different values for the same member, this is always true. A union of two thousand objects with a discriminator has two
million pairs, and none of them matters.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.containment.formulas import And, Formula, Props, Required, Types, Values
from mcp_governor.schemas.values import TYPES, Frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_COMPARED = 200_000
"""Most pairs that are compared: a tenth of a second. If there are more, there are too many alternatives."""


class _Marks(Struct, frozen=True):
    """Characteristics of the values of an alternative.

    Attributes:
        kinds: their types.
        members: member that all its objects have → its few values; ``None`` → all values of the alternative.
    """

    kinds: frozenset[str]
    members: dict[str | None, frozenset[Frozen]]


def overlapping(parts: Sequence[Formula], most: int) -> list[tuple[Formula, Formula]] | None:
    """The pairs of formulas that one value might satisfy; ``None`` if there may be more than ``most``."""
    marks = [_marks(part) for part in parts]
    found: list[tuple[Formula, Formula]] = []
    for looks, (one, other) in enumerate(_meeting(marks)):
        if not _apart(marks[one], marks[other]):
            found.append((parts[one], parts[other]))
        if len(found) > most or looks > MAX_COMPARED:
            return None
    return found


def _meeting(marks: list[_Marks]) -> Iterator[tuple[int, int]]:
    """All pairs, except objects with different values for the most common discriminator."""
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
