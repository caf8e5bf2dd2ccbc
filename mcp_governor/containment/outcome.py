"""What the search for an instance can come to, and the only ways to claim that there is none.

A "yes" of containment is an :class:`Empty`, and an :class:`Empty` cannot be had for the asking. It comes from one
of the ground arguments in :class:`Contradiction`, or from a helper of this module that ran through every case by
itself. The helpers take :class:`Cases`, which cannot be sliced, skipped or left half way, and a limit on cases is
part of them. So a search that stopped early has nothing to make a proof of: the type checker refuses it, and
what is left to return is :class:`Unknown`.
"""

from __future__ import annotations

from collections import deque
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, final

from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mcp_governor.containment.formulas import Formula, Or

T = TypeVar("T")
R = TypeVar("R")

MAX_SIZE = 200_000
"""The greatest instance that is built, in values and characters.

Nobody reads a longer witness, and a validator would need seconds for it. A definition that requires itself twice on
each of forty levels has no smaller instance than 2^40 values. Beyond the limit the answer is unknown.
"""


@frozen
class Found:
    """An instance.

    Attributes:
        value: the instance.
        doubt: what could not be checked of it, if anything.
        size: how many values and characters it holds.
    """

    value: Any
    doubt: str = ""
    size: int = 1


@frozen
class Unknown:
    """Neither an instance nor a proof; ``reason`` is one clause."""

    reason: str


# A wrong *yes* is the worst answer: a break would pass for compatible. So proofs are sealed, and no other module can
# make one by mistake.
class _Seal:
    """What only this module has."""


_SEAL = _Seal()


@final
class Empty:
    """Proved: there is no instance. Made only by the functions of this module."""

    __slots__ = ()

    def __init__(self, seal: _Seal) -> None:
        assert seal is _SEAL


@final
class Exhausted:
    """Proved: :func:`explore` saw everything that can be reached. Made only there."""

    __slots__ = ()

    def __init__(self, seal: _Seal) -> None:
        assert seal is _SEAL


Outcome = Found | Empty | Unknown
Nothing = Empty | Unknown
"""Why there is no (further) instance."""


class Contradiction(Enum):
    """Why a goal has no instance, where no search is needed to see it."""

    FALSE = "a formula and its negation, or the formula that nothing satisfies, is asked for"
    SMALLER = "an instance of least height holds no smaller instance of the same goal"
    RANGE = "no number lies within the bounds"
    STEPS = "every multiple of the one step is a multiple of another that is ruled out"
    SIZES = "the least size is above the greatest"
    MEMBERS = "more members, each with a name of its own, than the greatest size"
    COUNTS = "the items that count cannot reach the least number"
    REPEATED = "no array has two equal items and none"
    CANDIDATE = "this candidate does not satisfy the goal"


_EMPTY = Empty(_SEAL)


def refuted(_: Contradiction) -> Empty:
    """The proof by a ground argument, which the caller has checked to apply."""
    return _EMPTY


def unreachable(_: Exhausted) -> Empty:
    """The proof by an exploration that found nothing."""
    return _EMPTY


class StoppedError(Exception):
    """The deadline or the step limit was reached."""


class Searcher(Protocol):
    """What the modules for the single types need of the solver."""

    def solve(self, goal: Iterable[Formula]) -> Outcome:
        """An instance of all these formulas at once."""

    def tick(self, weight: int = 1) -> None:
        """Count a step that takes the time of ``weight`` ordinary ones.

        Raises:
            StoppedError: no time is left.
        """


@final
class Cases(Generic[T]):
    """The cases of a case distinction, in order: all there are, or as many as a limit lets through.

    It has no length, no slices and no iterator: only :func:`first_found` and :func:`gather` look into it, and they
    look at every case. Each constructor takes something that is complete by nature. A list is not, and is refused.
    """

    __slots__ = ("_beyond", "_items", "_limit")

    def __init__(self, seal: _Seal, items: Iterable[T], limit: int | None = None, beyond: str = "") -> None:
        assert seal is _SEAL
        self._items = items
        self._limit = limit
        self._beyond = beyond

    @staticmethod
    def parts(node: Or) -> Cases[Formula]:
        """The alternatives of a disjunction: it holds where one of them does."""
        return Cases(_SEAL, node.parts)

    @staticmethod
    def counted(first: int, last: int) -> Cases[int]:
        """The whole numbers from ``first`` to ``last``."""
        return Cases(_SEAL, range(first, last + 1))

    @staticmethod
    def each(keys: Mapping[T, object]) -> Cases[T]:
        """The keys of a mapping, in its order."""
        return Cases(_SEAL, keys)

    @staticmethod
    def within(items: Iterable[T], limit: int, beyond: str) -> Cases[T]:
        """Cases that may be many: where there are more than ``limit``, the result is unknown for ``beyond``."""
        return Cases(_SEAL, items, limit, beyond)


@final
class _Walk(Generic[T]):
    """One way through some cases, that knows whether it is complete."""

    __slots__ = ("_cases", "left_out")

    def __init__(self, cases: Cases[T]) -> None:
        self._cases = cases
        self.left_out: Unknown | None = None

    def __iter__(self) -> Iterator[T]:
        limit = self._cases._limit
        for number, item in enumerate(self._cases._items):
            if limit is not None and number >= limit:
                self.left_out = Unknown(self._cases._beyond)
                return
            yield item


def first_found(cases: Cases[T], look: Callable[[T], Outcome]) -> Outcome:
    """The first instance that is beyond doubt, else a doubtful one, else what stopped the search, else none.

    Args:
        cases: a case distinction: an instance exists only where one of the cases has one.
        look: searches one case.
    """
    best: Outcome = _EMPTY
    walk = _Walk(cases)
    for case in walk:
        outcome = look(case)
        if isinstance(outcome, Found) and not outcome.doubt:
            return outcome
        best = _better(best, outcome)
    return best if walk.left_out is None else _better(best, walk.left_out)


def _better(one: Outcome, other: Outcome) -> Outcome:
    """Of two alternatives, the one to report: an instance, else what is unknown, else the proof that both have none."""
    if isinstance(one, Empty) or (isinstance(one, Unknown) and isinstance(other, Found)):
        return other
    return one


@frozen
class Pool:
    """Several instances.

    Attributes:
        found: the instances, each with the case it comes from.
        rest: why there are no more; ``None`` where no more were asked for.
    """

    found: Sequence[tuple[Any, Found]]
    rest: Nothing | None


def gather(cases: Cases[T], look: Callable[[T], Outcome], wanted: int) -> Pool:
    """The instances of the first ``wanted`` cases that have one."""
    found: list[tuple[Any, Found]] = []
    rest: Outcome = _EMPTY
    walk = _Walk(cases)
    for case in walk:
        if len(found) >= wanted:
            return Pool(found, None)
        outcome = look(case)
        if isinstance(outcome, Found):
            found.append((case, outcome))
        else:
            rest = _better(rest, outcome)
    if len(found) >= wanted:
        return Pool(found, None)
    rest = rest if walk.left_out is None else _better(rest, walk.left_out)
    assert not isinstance(rest, Found)
    return Pool(found, rest)


def draw(ask: Callable[[list[T]], Outcome], key_of: Callable[[Any], T], wanted: int) -> Pool:
    """Different instances of one goal, up to ``wanted``.

    Args:
        ask: an instance whose key is none of those given, or the proof that there is no other.
        key_of: what tells instances apart.
        wanted: how many to draw at most.
    """
    found: list[tuple[Any, Found]] = []
    keys: dict[T, None] = {}
    while len(found) < wanted:
        outcome = ask(list(keys))
        if not isinstance(outcome, Found):
            return Pool(found, outcome)
        key = key_of(outcome.value)
        if key in keys:
            # It was asked to differ and does not: the keys so far could not be ruled out, and nothing follows.
            return Pool(found, Unknown("values that have to differ"))
        keys[key] = None
        found.append((key, outcome))
        if outcome.doubt and len(found) < wanted:
            return Pool(found, Unknown(outcome.doubt))
    return Pool(found, None)


def no_more(one: Nothing | None, other: Nothing | None) -> Nothing:
    """Why two pools together are too small, each of which was asked for enough."""
    both = _better(one or Unknown("a pool that was left early"), other or Unknown("a pool that was left early"))
    assert not isinstance(both, Found)
    return both


def represent(pools: Sequence[Pool]) -> list[Any] | Nothing:
    """A key from each pool, all of them different.

    A pool that holds as many instances as there are pools can always be served last, so that only pools that are
    exhausted can be in short supply (Hall's theorem). Others have to be drawn for that many.
    """
    owner: dict[Any, int] = {}
    for start in range(len(pools)):
        if not _assign(start, pools, owner):
            return first_found(Cases(_SEAL, pools), lambda pool: _shortage(pool, len(pools)))  # type: ignore[return-value]
    chosen = {index: key for key, index in owner.items()}
    return [chosen[index] for index in range(len(pools))]


def _shortage(pool: Pool, wanted: int) -> Nothing:
    if pool.rest is None and len(pool.found) < wanted:
        return Unknown("a pool that was left early")
    return _EMPTY if pool.rest is None else pool.rest


def _assign(start: int, pools: Sequence[Pool], owner: dict[Any, int]) -> bool:
    """One augmenting path of a bipartite matching, breadth first."""
    reached: dict[Any, int] = {}
    queue = deque([start])
    while queue:
        index = queue.popleft()
        for key, _ in pools[index].found:
            if key in reached:
                continue
            reached[key] = index
            if key in owner:
                queue.append(owner[key])
                continue
            _turn(key, start, reached, owner)
            return True
    return False


def _turn(key: Any, start: int, reached: dict[Any, int], owner: dict[Any, int]) -> None:
    """Give each pool on the path the key by which it was left."""
    held = {index: taken for taken, index in owner.items()}
    while True:
        index = reached[key]
        owner[key] = index
        if index == start:
            return
        key = held[index]


def explore(start: T, step: Callable[[T, Callable[[T], None]], R | None], tick: Callable[[], None]) -> R | Exhausted:
    """A walk, breadth first, until a step returns something.

    Args:
        start: where to begin.
        step: looks at one place and passes on the places that follow it; returns what is looked for, or ``None``.
        tick: called before every step.
    """
    queue = deque([start])
    while queue:
        tick()
        found = step(queue.popleft(), queue.append)
        if found is not None:
            return found
    return Exhausted(_SEAL)


def built(value: Any, doubt: str, size: int) -> Found | Unknown:
    """An array or object as an outcome, where it is not too large."""
    if size > MAX_SIZE:
        return Unknown(f"an instance of more than {MAX_SIZE} values and characters")
    return Found(value, doubt, size)
