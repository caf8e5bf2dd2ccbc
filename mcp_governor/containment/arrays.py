"""Find an array with the items that some formulas require, and none that they forbid.

From the *border* on, no formula distinguishes one index from another: the leading items have ended, existential atoms
about certain indexes are before it, and existential atoms about all later indexes begin before it. Items from the
border on may change places, and items that no formula requires may be removed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.containment.formulas import (
    Contains,
    Formula,
    Items,
    Repeated,
    Size,
    SomeItem,
    Unique,
    negate,
    values,
)
from mcp_governor.containment.outcome import (
    EMPTY,
    Empty,
    Found,
    Outcome,
    Pool,
    Searcher,
    Unknown,
    built,
    draw,
    first_found,
    represent,
)
from mcp_governor.schemas.values import freeze

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_ITEMS = 2_000
"""Most items of an array: more than anyone would read in a witness. With more, the result is unknown."""
MAX_PAIRS = 5_000
"""Most pairs of indexes that are tried for two equal items, which covers a hundred leading items. With more, the result
is unknown."""
MAX_COUNTED = 60
"""Longest array whose items are counted: each item takes a step per combination of counts. For longer arrays, the
result is unknown."""
MAX_CONTAINS = 6
"""Most counts at once: each one doubles the choices for an item. With more, the result is unknown."""
MAX_TABLE = 5_000
"""Most combinations of counts at once: about 50 MB for sixty items. With more, the result is unknown."""
MAX_DISTINCT = 60
"""Most items that must differ: each is drawn from as many values as there are items. With more, the result is
unknown."""

Goal = dict[Formula, None]
"""The formulas that one item must satisfy, in a fixed order."""


@dataclass(eq=False, slots=True)
class ArrayGoal:
    """The atoms of one conjunction about an array, sorted by class."""

    items: list[Items] = field(default_factory=list)
    somes: list[SomeItem] = field(default_factory=list)
    contains: list[Contains] = field(default_factory=list)
    sizes: list[Size] = field(default_factory=list)
    marks: set[type[Formula]] = field(default_factory=set)
    doubt: str = ""

    @classmethod
    def of(cls, atoms: Iterable[Formula], doubt: str) -> ArrayGoal:
        """Sort the atoms. Others are left out, which allows for more instances, never fewer."""
        goal = cls(doubt=doubt)
        for atom in atoms:
            if isinstance(atom, Items):
                goal.items.append(atom)
            elif isinstance(atom, SomeItem):
                goal.somes.append(atom)
            elif isinstance(atom, Contains):
                goal.contains.append(atom)
            elif isinstance(atom, Size):
                goal.sizes.append(atom)
            elif isinstance(atom, Unique | Repeated):
                goal.marks.add(type(atom))
        return goal


def solve_array(goal: ArrayGoal, searcher: Searcher) -> Outcome:
    """An array that satisfies all the atoms, as short as possible."""
    if {Unique, Repeated} <= goal.marks:
        return EMPTY
    if Repeated not in goal.marks:
        return _Builder(goal, searcher).solve()
    border = _border(goal)
    # Two equal items have two indexes; from the border on, it does not matter which ones.
    pairs = ((first, second) for second in range(1, border + 2) for first in range(second))
    return first_found(
        pairs,
        lambda pair: _Builder(goal, searcher, pair).solve(),
        limit=MAX_PAIRS,
        beyond="two equal items among many that differ",
    )


def _border(goal: ArrayGoal) -> int:
    """The index from which no formula distinguishes one index from another."""
    ends = [len(items.prefix) for items in goal.items]
    ends += [some.first if some.last is None else some.last + 1 for some in goal.somes]
    return max(ends, default=0)


Extra = dict[int, tuple[Formula, ...]]
"""Additional requirements for items at certain indexes."""


Counts = tuple[int, ...]
"""The number of items that satisfy each counted formula; without a maximum, counting stops at the minimum."""


class _Choice(Struct, frozen=True, eq=False):
    """The formulas that one item must satisfy, linked to those of the items before it."""

    goal: Goal
    before: _Choice | None


class _Builder:
    def __init__(self, goal: ArrayGoal, searcher: Searcher, pair: tuple[int, int] | None = None) -> None:
        self.goal = goal
        self.searcher = searcher
        self.pair = pair
        self.low = max((size.limit for size in goal.sizes if size.low), default=0)
        self.high = min((size.limit for size in goal.sizes if not size.low), default=None)
        self.border = _border(goal)

    def solve(self) -> Outcome:
        if self.high is not None and self.low > self.high:
            return EMPTY
        if self.low > MAX_ITEMS:
            return Unknown(f"an array of more than {MAX_ITEMS} items")
        if self.pair is not None:
            item = self.searcher.solve(self.at(self.pair[0], {}))
            if isinstance(item, Empty):
                return item
        return self.place(0, {})

    def at(self, index: int, extra: Extra) -> Goal:
        """The formulas that the item at ``index`` must satisfy; two equal items share theirs."""
        places = self.pair if self.pair is not None and index in self.pair else (index,)
        found = dict.fromkeys(items.at(place) for items in self.goal.items for place in places)
        return found | dict.fromkeys(node for place in places for node in extra.get(place, ()))

    def place(self, index: int, extra: Extra) -> Outcome:
        """Choose an item for each existential atom, then build.

        From the border on, items may change places, so those that existential atoms require, and two equal ones, are
        put first there.
        """
        self.searcher.tick()
        if index == len(self.goal.somes):
            return self.build(extra)
        some = self.goal.somes[index]
        last = self.border + len(self.goal.somes) + 1 if some.last is None else some.last
        return first_found(range(some.first, last + 1), lambda position: self.placed(index, position, extra))

    def placed(self, index: int, position: int, extra: Extra) -> Outcome:
        """Let the item at a certain index satisfy the existential atom."""
        if self.high is not None and position >= self.high:
            return EMPTY
        after = {**extra, position: (*extra.get(position, ()), self.goal.somes[index].item)}
        item = self.searcher.solve(self.at(position, after))
        return item if isinstance(item, Empty) else self.place(index + 1, after)

    def build(self, extra: Extra) -> Outcome:
        least = max(self.low, max((*extra, *(self.pair or ())), default=-1) + 1)
        if self.high is not None and least > self.high:
            return EMPTY
        if least > MAX_ITEMS:
            return Unknown(f"an array of more than {MAX_ITEMS} items")
        if not self.goal.contains:
            # A longer array would also satisfy this without its last items.
            return self.fill([self.at(index, extra) for index in range(least)], only=True)
        # Items beyond these lengths matter only for counts. All of them that are not needed for a minimum could be
        # removed, and the others moved up.
        most = max(least, self.border) + sum(part.low for part in self.goal.contains)
        if self.high is not None:
            most = min(most, self.high)
        if most > MAX_COUNTED or len(self.goal.contains) > MAX_CONTAINS:
            return Unknown("counts of contained items that are too large")
        table = _Table(self, extra)
        return first_found(range(least, most + 1), lambda length: self.count(table, length))

    def count(self, table: _Table, length: int) -> Outcome:
        """Find an array of a certain length with the right counts."""
        reached = table.after(length)
        if isinstance(reached, Unknown):
            return reached
        return first_found(reached, lambda counts: self.filled(counts, reached[counts]))

    def chosen(self, choice: tuple[bool, ...]) -> Iterator[Formula]:
        """The formulas for an item with this choice; formulas that it need not satisfy are left open."""
        for part, fits in zip(self.goal.contains, choice, strict=True):
            if fits:
                yield part.item
            elif part.high is not None:
                yield negate(part.item)

    def added(self, counts: Counts, choice: tuple[bool, ...], weight: int) -> Counts | None:
        """The counts after one more item; ``None`` if one is too high."""
        new: list[int] = []
        for part, count, fits in zip(self.goal.contains, counts, choice, strict=True):
            total = count + fits * weight
            if part.high is None:
                total = min(total, part.low)
            elif total > part.high:
                return None
            new.append(total)
        return tuple(new)

    def filled(self, counts: Counts, choice: _Choice | None) -> Outcome:
        if any(count < part.low for part, count in zip(self.goal.contains, counts, strict=True)):
            return EMPTY
        goals: list[Goal] = []
        while choice is not None:
            goals.append(choice.goal)
            choice = choice.before
        return self.fill(goals[::-1], only=False)

    def fill(self, goals: list[Goal], *, only: bool) -> Outcome:
        """Find a value for every item.

        Args:
            goals: the formulas that each item must satisfy.
            only: true if these are the only possible goals for an array of this length.
        """
        if Unique in self.goal.marks:
            return self.distinct(goals, only=only)
        items: list[Found] = []
        unsure: Unknown | None = None
        for index, goal in enumerate(goals):
            if self.pair is not None and index == self.pair[1]:
                items += items[self.pair[0] : self.pair[0] + 1]
                continue
            outcome = self.searcher.solve(goal)
            if isinstance(outcome, Empty):
                return outcome
            if isinstance(outcome, Found):
                items.append(outcome)
            else:
                unsure = unsure or outcome
        return self.whole(items) if unsure is None else unsure

    def whole(self, items: list[Found]) -> Outcome:
        doubt = next((item.doubt for item in items if item.doubt), "")
        return built([item.value for item in items], self.goal.doubt or doubt, 1 + sum(item.size for item in items))

    def distinct(self, goals: list[Goal], *, only: bool) -> Outcome:
        """Match items with different values."""
        if len(goals) > MAX_DISTINCT:
            return Unknown("too many items that have to differ")
        pools: dict[frozenset[Formula], Pool] = {}
        for goal in goals:
            if frozenset(goal) not in pools:
                pools[frozenset(goal)] = self.pool(goal, len(goals))
        keys = represent([pools[frozenset(goal)] for goal in goals])
        if not isinstance(keys, list):
            # Other choices of the counted items might allow other values.
            return keys if only or isinstance(keys, Unknown) else Unknown("counted items that have to differ")
        return self.whole(_in_order(goals, pools, keys))

    def pool(self, goal: Goal, wanted: int) -> Pool:
        """As many different values as may be needed, or all that exist."""
        return draw(lambda keys: self.searcher.solve([*goal, negate(values(keys))]), freeze, wanted)


class _Table:
    """The counts that arrays of a given length can reach, each with the choices for the items.

    One choice is kept for each combination of counts. Others with the same counts are equivalent, unless items must
    differ.

    Args:
        builder: knows the formulas for the items.
        extra: additional requirements for items at certain indexes.
    """

    def __init__(self, builder: _Builder, extra: Extra) -> None:
        self.builder = builder
        self.extra = extra
        self.reached: dict[Counts, _Choice | None] = {(0,) * len(builder.goal.contains): None}
        self.length = 0
        self.stopped: Unknown | None = None

    def after(self, length: int) -> dict[Counts, _Choice | None] | Unknown:
        """The table for a length. Lengths must not decrease between calls."""
        while self.length < length and self.stopped is None:
            self.extend()
            if len(self.reached) > MAX_TABLE:
                self.stopped = Unknown("too many counts of contained items at once")
        return self.reached if self.stopped is None else self.stopped

    def extend(self) -> None:
        """Add an item. The first of two equal items counts twice, the second one does not count."""
        pair, index = self.builder.pair, self.length
        self.length += 1
        if pair is not None and index == pair[1]:
            self.reached = {counts: _Choice({}, choice) for counts, choice in self.reached.items()}
            return
        base, searcher = self.builder.at(index, self.extra), self.builder.searcher
        after: dict[Counts, _Choice | None] = {}
        for choice in product((False, True), repeat=len(self.builder.goal.contains)):
            goal = base | dict.fromkeys(self.builder.chosen(choice))
            searcher.tick(len(self.reached))
            if isinstance(searcher.solve(goal), Empty):
                continue
            for counts, before in self.reached.items():
                new = self.builder.added(counts, choice, 2 if pair is not None and index == pair[0] else 1)
                if new is not None and new not in after:
                    after[new] = _Choice(goal, before)
        self.reached = after


def _in_order(goals: list[Goal], pools: dict[frozenset[Formula], Pool], keys: list[Any]) -> list[Found]:
    """The items; those with the same goal are in the order in which they were drawn, small ones first."""
    items = dict.fromkeys(range(len(goals)), Found(None))
    for kind, pool in pools.items():
        places = [index for index, goal in enumerate(goals) if frozenset(goal) == kind]
        drawn = dict(pool.found)
        chosen = {keys[place] for place in places}
        for place, key in zip(places, [key for key in drawn if key in chosen], strict=True):
            items[place] = drawn[key]
    return list(items.values())
