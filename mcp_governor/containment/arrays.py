"""An array with the items that some formulas ask for, and none that they forbid.

From the *border* on no formula tells one index from another: leading items have ended, each existential atom about
certain indexes lies before it, and those about all later ones begin before it. Items from the border on may change
places, and where nothing asks for one of them by itself, it may be taken out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

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
    Cases,
    Contradiction,
    Empty,
    Found,
    Outcome,
    Pool,
    Searcher,
    Unknown,
    built,
    draw,
    first_found,
    refuted,
    represent,
)
from mcp_governor.frozen import frozen
from mcp_governor.schemas.values import freeze

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_ITEMS = 2_000
"""Items of an array: more than anyone would read in a witness. Beyond: unknown."""
MAX_PAIRS = 5_000
"""Places at which two equal items are looked for, which is all up to a hundred leading items. Beyond: unknown."""
MAX_COUNTED = 60
"""Length up to which items are counted: each one takes a step for every combination of counts. Beyond: unknown."""
MAX_CONTAINS = 6
"""Counts at once: each one doubles the choices for an item. Beyond: unknown."""
MAX_TABLE = 5_000
"""Combinations of counts at once: some fifty megabytes for sixty items. Beyond: unknown."""
MAX_DISTINCT = 60
"""Items that have to differ: each one is drawn from as many values as there are items. Beyond: unknown."""

Goal = dict[Formula, None]
"""What one item has to satisfy, in a fixed order."""


@dataclass(eq=False, slots=True)
class ArrayGoal:
    """The atoms of one conjunction about an array, sorted by what they do."""

    items: list[Items] = field(default_factory=list)
    somes: list[SomeItem] = field(default_factory=list)
    contains: list[Contains] = field(default_factory=list)
    sizes: list[Size] = field(default_factory=list)
    marks: set[type[Formula]] = field(default_factory=set)
    doubt: str = ""

    @classmethod
    def of(cls, atoms: Iterable[Formula], doubt: str) -> ArrayGoal:
        """Sort the atoms. One that is of no sort here is left out: that leaves more instances, never fewer."""
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
        return refuted(Contradiction.REPEATED)
    if Repeated not in goal.marks:
        return _Builder(goal, searcher).solve()
    border = _border(goal)
    # two equal items stand at two indexes, and from the border on it does not matter at which
    pairs = ((first, second) for second in range(1, border + 2) for first in range(second))
    places = Cases.within(pairs, MAX_PAIRS, "two equal items among many that differ")
    return first_found(places, lambda pair: _Builder(goal, searcher, pair).solve())


def _border(goal: ArrayGoal) -> int:
    """The index from which on no formula tells one index from another."""
    ends = [len(items.prefix) for items in goal.items]
    ends += [some.first if some.last is None else some.last + 1 for some in goal.somes]
    return max(ends, default=0)


Extra = dict[int, tuple[Formula, ...]]
"""What is asked of the items at certain indexes beyond what holds for every array."""


Counts = tuple[int, ...]
"""Of each counted formula, how many items satisfy it; where there is no greatest number, at most the least one."""


@frozen(eq=False)
class _Choice:
    """What one item has to satisfy, after what the items before it have to."""

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
            return refuted(Contradiction.SIZES)
        if self.low > MAX_ITEMS:
            return Unknown(f"an array of more than {MAX_ITEMS} items")
        if self.pair is not None:
            item = self.searcher.solve(self.at(self.pair[0], {}))
            if isinstance(item, Empty):
                return item
        return self.place(0, {})

    def at(self, index: int, extra: Extra) -> Goal:
        """What the item at ``index`` has to satisfy; equal items have to satisfy the same."""
        places = self.pair if self.pair is not None and index in self.pair else (index,)
        found = dict.fromkeys(items.at(place) for items in self.goal.items for place in places)
        return found | dict.fromkeys(node for place in places for node in extra.get(place, ()))

    def place(self, index: int, extra: Extra) -> Outcome:
        """Find an item for each existential atom, then build.

        From the border on, items may change places, so that those that existential atoms ask for, and two equal
        ones, come first there.
        """
        self.searcher.tick()
        if index == len(self.goal.somes):
            return self.build(extra)
        some = self.goal.somes[index]
        last = self.border + len(self.goal.somes) + 1 if some.last is None else some.last
        return first_found(Cases.counted(some.first, last), lambda position: self.placed(index, position, extra))

    def placed(self, index: int, position: int, extra: Extra) -> Outcome:
        """The existential atom satisfied by the item at a certain index."""
        if self.high is not None and position >= self.high:
            return refuted(Contradiction.SIZES)
        after = {**extra, position: (*extra.get(position, ()), self.goal.somes[index].item)}
        item = self.searcher.solve(self.at(position, after))
        return item if isinstance(item, Empty) else self.place(index + 1, after)

    def build(self, extra: Extra) -> Outcome:
        least = max(self.low, max((*extra, *(self.pair or ())), default=-1) + 1)
        if self.high is not None and least > self.high:
            return refuted(Contradiction.SIZES)
        if least > MAX_ITEMS:
            return Unknown(f"an array of more than {MAX_ITEMS} items")
        if not self.goal.contains:
            # a longer array satisfies all this without its last items as well
            return self.fill([self.at(index, extra) for index in range(least)], only=True)
        # Of what lies beyond these lengths nothing is asked but that it counts: all but as many items as have to
        # count could be taken out again, and the others moved up.
        most = max(least, self.border) + sum(part.low for part in self.goal.contains)
        if self.high is not None:
            most = min(most, self.high)
        if most > MAX_COUNTED or len(self.goal.contains) > MAX_CONTAINS:
            return Unknown("counts of contained items that are too large")
        table = _Table(self, extra)
        return first_found(Cases.counted(least, most), lambda length: self.count(table, length))

    def count(self, table: _Table, length: int) -> Outcome:
        """An array of a certain length that counts right."""
        reached = table.after(length)
        if isinstance(reached, Unknown):
            return reached
        return first_found(Cases.each(reached), lambda counts: self.filled(counts, reached[counts]))

    def chosen(self, choice: tuple[bool, ...]) -> Iterator[Formula]:
        """What an item satisfies that counts like this; one that counts for nothing may do so unseen."""
        for part, fits in zip(self.goal.contains, choice, strict=True):
            if fits:
                yield part.item
            elif part.high is not None:
                yield negate(part.item)

    def added(self, counts: Counts, choice: tuple[bool, ...], weight: int) -> Counts | None:
        """The counts after one more item; ``None`` where one is too high."""
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
            return refuted(Contradiction.COUNTS)
        goals: list[Goal] = []
        while choice is not None:
            goals.append(choice.goal)
            choice = choice.before
        return self.fill(goals[::-1], only=False)

    def fill(self, goals: list[Goal], *, only: bool) -> Outcome:
        """Give every item its value.

        Args:
            goals: what each item has to satisfy.
            only: whether these goals are the only ones that an array of this length can satisfy.
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
        """A matching of items with values that are all different."""
        if len(goals) > MAX_DISTINCT:
            return Unknown("too many items that have to differ")
        pools: dict[frozenset[Formula], Pool] = {}
        for goal in goals:
            if frozenset(goal) not in pools:
                pools[frozenset(goal)] = self.pool(goal, len(goals))
        keys = represent([pools[frozenset(goal)] for goal in goals])
        if not isinstance(keys, list):
            # other choices of what counts might leave other values
            return keys if only or isinstance(keys, Unknown) else Unknown("counted items that have to differ")
        return self.whole(_in_order(goals, pools, keys))

    def pool(self, goal: Goal, wanted: int) -> Pool:
        """As many different values as could ever be needed, or all there are."""
        return draw(lambda keys: self.searcher.solve([*goal, negate(values(keys))]), freeze, wanted)


class _Table:
    """The counts that arrays of a length can reach, each with what the items satisfy then.

    One choice is kept for each combination of counts. Any other one with the same counts is as good, but for items
    that have to differ.

    Args:
        builder: knows what the items have to satisfy.
        extra: what is asked of the items at certain indexes.
    """

    def __init__(self, builder: _Builder, extra: Extra) -> None:
        self.builder = builder
        self.extra = extra
        self.reached: dict[Counts, _Choice | None] = {(0,) * len(builder.goal.contains): None}
        self.length = 0
        self.stopped: Unknown | None = None

    def after(self, length: int) -> dict[Counts, _Choice | None] | Unknown:
        """The table of a length, which is never less than the one asked for before."""
        while self.length < length and self.stopped is None:
            self.extend()
            if len(self.reached) > MAX_TABLE:
                self.stopped = Unknown("too many counts of contained items at once")
        return self.reached if self.stopped is None else self.stopped

    def extend(self) -> None:
        """Add an item: one that counts by itself, or twice for two equal ones, or not, being the second of them."""
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
    """The items; where several have the same goal, in the order in which they were drawn, small ones first."""
    items = dict.fromkeys(range(len(goals)), Found(None))
    for kind, pool in pools.items():
        places = [index for index, goal in enumerate(goals) if frozenset(goal) == kind]
        drawn = dict(pool.found)
        chosen = {keys[place] for place in places}
        for place, key in zip(places, [key for key in drawn if key in chosen], strict=True):
            items[place] = drawn[key]
    return list(items.values())
