"""The outcomes of a search for an instance, and the only ways to claim that there is none.

A "yes" of containment is an :class:`Empty`, which other modules cannot create directly. It comes from a ground argument
in :class:`Contradiction`, or from a helper in this module that has checked every case itself. The helpers take
:class:`Cases`, which cannot be sliced, skipped or left half way, and which include the limit on the number of cases. So
a search that stopped early cannot claim a proof: the type checker refuses that, and only :class:`Unknown` is left.
"""

from __future__ import annotations

from collections import deque
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mcp_governor.containment.formulas import Formula, Or

T = TypeVar("T")
R = TypeVar("R")

MAX_SIZE = 200_000
"""Largest instance that is built, in values and characters.

A longer witness is not readable, and a validator would need seconds for it. A definition that requires itself twice on
each of forty levels has no instance with fewer than 2^40 values. Beyond the limit, the answer is unknown.
"""


class Found(Struct, frozen=True):
    """An instance.

    Attributes:
        value: the instance.
        doubt: the part that could not be checked, if any.
        size: number of values and characters in it.
    """

    value: Any
    doubt: str = ""
    size: int = 1


class Unknown(Struct, frozen=True):
    """Neither an instance nor a proof; ``reason`` is one clause."""

    reason: str


# A wrong *yes* is the worst answer, because a break would look compatible. So proofs are sealed, and no other module
# can create one by mistake.
class _Seal:
    """A capability that only this module has."""


_SEAL = _Seal()


@final
class Empty:
    """A proof that there is no instance. Only functions of this module create it."""

    __slots__ = ()

    def __init__(self, seal: _Seal) -> None:
        assert seal is _SEAL


@final
class Exhausted:
    """A proof that :func:`explore` visited everything reachable. Only that function creates it."""

    __slots__ = ()

    def __init__(self, seal: _Seal) -> None:
        assert seal is _SEAL


Outcome = Found | Empty | Unknown
Nothing = Empty | Unknown
"""The reason why there is no (other) instance."""


class Contradiction(Enum):
    """Reasons why a goal has no instance that are obvious without a search."""

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
    """A proof by a ground argument. The caller must have checked that it applies."""
    return _EMPTY


def unreachable(_: Exhausted) -> Empty:
    """A proof by an exploration that found nothing."""
    return _EMPTY


class StoppedError(Exception):
    """The deadline or the step limit was reached."""


class Searcher(Protocol):
    """The part of the solver that the modules for the single types use."""

    def solve(self, goal: Iterable[Formula]) -> Outcome:
        """Find an instance of all these formulas at once."""

    def tick(self, weight: int = 1) -> None:
        """Count a step that takes the time of ``weight`` ordinary ones.

        Raises:
            StoppedError: no time is left.
        """


@final
class Cases(Generic[T]):
    """The cases of a case distinction, in order: all of them, or as many as a limit allows.

    Cases have no length, slices or iterator: only :func:`first_found` and :func:`gather` read them, and they check
    every case. Each constructor takes something that is complete by its nature; a list is not, so there is none for it.
    """

    __slots__ = ("_beyond", "_items", "_limit")

    def __init__(self, seal: _Seal, items: Iterable[T], limit: int | None = None, beyond: str = "") -> None:
        assert seal is _SEAL
        self._items = items
        self._limit = limit
        self._beyond = beyond

    @staticmethod
    def parts(node: Or) -> Cases[Formula]:
        """The alternatives of a disjunction."""
        return Cases(_SEAL, node.parts)

    @staticmethod
    def counted(first: int, last: int) -> Cases[int]:
        """The integers from ``first`` to ``last``."""
        return Cases(_SEAL, range(first, last + 1))

    @staticmethod
    def each(keys: Mapping[T, object]) -> Cases[T]:
        """The keys of a mapping, in its order."""
        return Cases(_SEAL, keys)

    @staticmethod
    def within(items: Iterable[T], limit: int, beyond: str) -> Cases[T]:
        """Possibly many cases: with more than ``limit``, the result is unknown, with the reason ``beyond``."""
        return Cases(_SEAL, items, limit, beyond)


@final
class _Walk(Generic[T]):
    """An iteration over cases that knows if it is complete."""

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
    """The first instance without doubt, or else a doubtful one, or the reason why the search stopped, or a proof.

    Args:
        cases: a case distinction; an instance exists only if one of the cases has one.
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
    """The better of two outcomes: an instance, or else an unknown one, or else the proof that both have none."""
    if isinstance(one, Empty) or (isinstance(one, Unknown) and isinstance(other, Found)):
        return other
    return one


class Pool(Struct, frozen=True):
    """Several instances.

    Attributes:
        found: the instances, each with its case.
        rest: the reason why there are no more; ``None`` if no more were requested.
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
    """Find up to ``wanted`` different instances of one goal.

    Args:
        ask: returns an instance whose key is not among the given ones, or a proof that there is none.
        key_of: returns the key of an instance; instances with different keys are different.
        wanted: maximum number of instances.
    """
    found: list[tuple[Any, Found]] = []
    keys: dict[T, None] = {}
    while len(found) < wanted:
        outcome = ask(list(keys))
        if not isinstance(outcome, Found):
            return Pool(found, outcome)
        key = key_of(outcome.value)
        if key in keys:
            # The known keys could not be excluded, so the repetition does not prove anything.
            return Pool(found, Unknown("values that have to differ"))
        keys[key] = None
        found.append((key, outcome))
        if outcome.doubt and len(found) < wanted:
            return Pool(found, Unknown(outcome.doubt))
    return Pool(found, None)


def no_more(one: Nothing | None, other: Nothing | None) -> Nothing:
    """The reason why two pools together are too small, although enough instances were requested of each."""
    both = _better(one or Unknown("a pool that was left early"), other or Unknown("a pool that was left early"))
    assert not isinstance(both, Found)
    return both


def represent(pools: Sequence[Pool]) -> list[Any] | Nothing:
    """Choose a different key from each pool.

    A pool with as many instances as there are pools can always be served last, so only exhausted pools can lack a key
    (Hall's theorem). All other pools must have that many instances.
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
    """Give each pool on the path the key through which the path leaves it."""
    held = {index: taken for taken, index in owner.items()}
    while True:
        index = reached[key]
        owner[key] = index
        if index == start:
            return
        key = held[index]


def explore(start: T, step: Callable[[T, Callable[[T], None]], R | None], tick: Callable[[], None]) -> R | Exhausted:
    """Search breadth first until a step returns something.

    Args:
        start: the first place.
        step: checks one place and pushes its successors; returns the result of the search, or ``None``.
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
    """An array or object as an outcome, if it is not too large."""
    if size > MAX_SIZE:
        return Unknown(f"an instance of more than {MAX_SIZE} values and characters")
    return Found(value, doubt, size)
