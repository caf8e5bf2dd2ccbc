"""An array with the items that some formulas ask for, and none that they forbid."""

from __future__ import annotations

from dataclasses import field
from itertools import product
from typing import TYPE_CHECKING, Any

from mcp_governor.containment.nodes import (
    Contains,
    Items,
    Node,
    Repeated,
    Size,
    SomeItem,
    Unique,
    negate,
    values,
)
from mcp_governor.containment.outcome import EMPTY, Empty, Found, Outcome, Searcher, Unknown, first_found
from mcp_governor.containment.values import freeze, thaw
from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_ITEMS = 2_000
MAX_COUNTED = 60
MAX_CONTAINS = 6
MAX_DISTINCT = 60

Goals = list[frozenset[Node]]


@frozen(slots=False)
class ArrayGoal:
    """The atoms of one conjunction about an array, sorted by what they do."""

    items: list[Items] = field(default_factory=list)
    somes: list[SomeItem] = field(default_factory=list)
    contains: list[Contains] = field(default_factory=list)
    sizes: list[Size] = field(default_factory=list)
    marks: set[type[Node]] = field(default_factory=set)
    doubt: str = ""

    @classmethod
    def of(cls, atoms: Iterable[Node], doubt: str) -> ArrayGoal:
        """Sort the atoms."""
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
    return _Builder(goal, searcher).solve()


class _Builder:
    def __init__(self, goal: ArrayGoal, searcher: Searcher) -> None:
        self.goal = goal
        self.searcher = searcher
        self.low = max((size.limit for size in goal.sizes if size.low), default=0)
        self.high = min((size.limit for size in goal.sizes if not size.low), default=None)
        self.prefix = max((len(items.prefix) for items in goal.items), default=0)
        self.pair: tuple[int, int] | None = None

    def solve(self) -> Outcome:
        if self.high is not None and self.low > self.high:
            return EMPTY
        if self.low > MAX_ITEMS:
            return Unknown(f"an array of more than {MAX_ITEMS} items")
        if Repeated in self.goal.marks:
            return first_found(self.repeated())
        return self.place(0, {})

    def repeated(self) -> Iterator[Outcome]:
        """Two equal items, somewhere in the prefix or beyond it."""
        for second in range(1, self.prefix + 2):
            for first in range(second):
                self.pair = (first, second)
                if not isinstance(self.searcher.solve(self.at(first, {})), Empty):
                    yield self.place(0, {})

    def at(self, index: int, extra: dict[int, list[Node]]) -> frozenset[Node]:
        """What the item at ``index`` has to satisfy; equal items have to satisfy the same."""
        places = self.pair if self.pair is not None and index in self.pair else (index,)
        return frozenset(
            [items.at(place) for items in self.goal.items for place in places]
            + [node for place in places for node in extra.get(place, ())]
        )

    def place(self, index: int, extra: dict[int, list[Node]]) -> Outcome:
        """Find an item for each existential atom, then build."""
        self.searcher.tick()
        if index == len(self.goal.somes):
            return self.build(extra)
        some = self.goal.somes[index]
        last = max(self.prefix, some.first) + len(self.goal.somes) if some.last is None else some.last
        return first_found(
            self.place(index + 1, placed)
            for position in range(some.first, last + 1)
            if (placed := self.put(position, some.item, extra)) is not None
        )

    def put(self, position: int, item: Node, extra: dict[int, list[Node]]) -> dict[int, list[Node]] | None:
        if self.high is not None and position >= self.high:
            return None
        placed = {**extra, position: [*extra.get(position, ()), item]}
        return None if isinstance(self.searcher.solve(self.at(position, placed)), Empty) else placed

    def build(self, extra: dict[int, list[Node]]) -> Outcome:
        least = max(self.low, max((*extra, *(self.pair or ())), default=-1) + 1)
        if self.high is not None and least > self.high:
            return EMPTY
        if not self.goal.contains:
            return self.fill([self.at(index, extra) for index in range(least)], exact=True)
        # whatever lies beyond these lengths could be taken out again without breaking a count
        most = max(least, self.prefix) + sum(part.low for part in self.goal.contains)
        if self.high is not None:
            most = min(most, self.high)
        if most > MAX_COUNTED or len(self.goal.contains) > MAX_CONTAINS:
            return Unknown("counts of contained items that are too large")
        return first_found(self.count(length, extra) for length in range(least, most + 1))

    def count(self, length: int, extra: dict[int, list[Node]]) -> Outcome:
        """Choose for each item which of the counted formulas it satisfies."""
        contains = self.goal.contains
        reached: dict[tuple[int, ...], Goals] = {(0,) * len(contains): []}
        doubt = ""
        for index in range(length):
            base = self.at(index, extra)
            weight = 1 if self.pair is None or index not in self.pair else 2 if index == self.pair[0] else 0
            after: dict[tuple[int, ...], Goals] = {}
            for choice in product((False, True), repeat=len(contains)):
                goal = base | frozenset(self.chosen(choice))
                outcome = self.searcher.solve(goal)
                if isinstance(outcome, Empty):
                    continue
                if isinstance(outcome, Unknown):
                    doubt = outcome.reason
                for counts, goals in reached.items():
                    new = self.counted(counts, choice, weight)
                    if new is not None:
                        after.setdefault(new, [*goals, goal])
            reached = after
        enough = [goals for counts, goals in reached.items() if self.enough(counts)]
        outcome = first_found(self.fill(goals, exact=False) for goals in enough)
        return Unknown(doubt) if doubt and isinstance(outcome, Empty) else outcome

    def chosen(self, choice: tuple[bool, ...]) -> Iterator[Node]:
        for part, fits in zip(self.goal.contains, choice, strict=True):
            if fits:
                yield part.item
            elif part.high is not None:
                yield negate(part.item)

    def counted(self, counts: tuple[int, ...], choice: tuple[bool, ...], weight: int) -> tuple[int, ...] | None:
        new: list[int] = []
        for part, count, fits in zip(self.goal.contains, counts, choice, strict=True):
            total = count + fits * weight
            if part.high is None:
                total = min(total, part.low)
            elif total > part.high:
                return None
            new.append(total)
        return tuple(new)

    def enough(self, counts: tuple[int, ...]) -> bool:
        return all(count >= part.low for part, count in zip(self.goal.contains, counts, strict=True))

    def fill(self, goals: Goals, *, exact: bool) -> Outcome:
        """Give every item its value; ``exact``: no other choice of goals is open at this length."""
        if Unique in self.goal.marks:
            return self.distinct(goals, exact=exact)
        result: list[Any] = []
        doubt = self.goal.doubt
        solved: dict[frozenset[Node], Found] = {}
        for goal in goals:
            outcome = solved.get(goal) or self.searcher.solve(goal)
            if not isinstance(outcome, Found):
                return outcome
            solved[goal] = outcome
            result.append(outcome.value)
            doubt = doubt or outcome.doubt
        if self.pair is not None:
            result[self.pair[1]] = result[self.pair[0]]
        return Found(result, doubt)

    def distinct(self, goals: Goals, *, exact: bool) -> Outcome:
        """A matching of items with values that are all different."""
        if len(goals) > MAX_DISTINCT:
            return Unknown("too many items that have to differ")
        pools: dict[frozenset[Node], list[Any]] = {}
        doubt = self.goal.doubt
        for goal in goals:
            if goal not in pools:
                pools[goal], why = self.pool(goal, len(goals))
                doubt = doubt or why
        owner: dict[Any, int] = {}
        if not all(self.assign(index, goals, pools, owner, set()) for index in range(len(goals))):
            if doubt or not exact:
                return Unknown(doubt or "counted items that have to differ")
            return EMPTY
        chosen = {index: value for value, index in owner.items()}
        for goal, pool in pools.items():
            # equal goals take their values in the order they were found, small ones first
            places = [index for index, other in enumerate(goals) if other == goal]
            chosen.update(zip(places, sorted((chosen[place] for place in places), key=pool.index), strict=True))
        return Found([thaw(chosen[index]) for index in range(len(goals))], doubt)

    def pool(self, goal: frozenset[Node], wanted: int) -> tuple[list[Any], str]:
        """As many different values as could ever be needed, or all there are."""
        found: list[Any] = []
        while len(found) < wanted:
            outcome = self.searcher.solve(goal | {negate(values(found))})
            if isinstance(outcome, Found):
                frozen = freeze(outcome.value)
                if outcome.doubt or frozen in found:
                    return found, outcome.doubt or "items that have to differ"
                found.append(frozen)
            else:
                return found, outcome.reason if isinstance(outcome, Unknown) else ""
        return found, ""

    def assign(
        self,
        index: int,
        goals: Goals,
        pools: dict[frozenset[Node], list[Any]],
        owner: dict[Any, int],
        tried: set[Any],
    ) -> bool:
        """One augmenting path of a bipartite matching."""
        for value in pools[goals[index]]:
            if value in tried:
                continue
            tried.add(value)
            if value not in owner or self.assign(owner[value], goals, pools, owner, tried):
                owner[value] = index
                return True
        return False
