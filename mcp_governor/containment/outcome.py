"""The outcomes of a search for an instance, and the helpers that combine them.

A wrong *yes* of containment is the worst answer, because a break would look compatible. So an :class:`Empty` is a
proof: a search that stopped early, or left out a case, returns :class:`Unknown` instead.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcp_governor.containment.formulas import Formula

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


class Empty(Struct, frozen=True):
    """A proof that there is no instance."""


EMPTY = Empty()

Outcome = Found | Empty | Unknown
Nothing = Empty | Unknown
"""The reason why there is no (other) instance."""


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


def first_found(
    cases: Iterable[T], look: Callable[[T], Outcome], *, limit: int | None = None, beyond: str = ""
) -> Outcome:
    """The first instance without doubt, or else a doubtful one, or the reason why the search stopped, or a proof.

    Args:
        cases: all cases of a case distinction: an instance exists only if one of them has one.
        look: searches one case.
        limit: most cases that are searched; with more, the result is unknown.
        beyond: the reason in that case.
    """
    best: Outcome = EMPTY
    for number, case in enumerate(cases):
        if limit is not None and number >= limit:
            return _better(best, Unknown(beyond))
        outcome = look(case)
        if isinstance(outcome, Found) and not outcome.doubt:
            return outcome
        best = _better(best, outcome)
    return best


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


def gather(cases: Iterable[T], look: Callable[[T], Outcome], wanted: int) -> Pool:
    """The instances of the first ``wanted`` cases that have one; ``cases`` are all that there are."""
    found: list[tuple[Any, Found]] = []
    rest: Nothing = EMPTY
    for case in cases:
        if len(found) >= wanted:
            break
        outcome = look(case)
        if isinstance(outcome, Found):
            found.append((case, outcome))
        elif isinstance(rest, Empty):
            rest = outcome
    return Pool(found, None if len(found) >= wanted else rest)


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
    return next((rest for rest in (one, other) if not isinstance(rest, Empty)), EMPTY) or Unknown(_LEFT_EARLY)


_LEFT_EARLY = "a pool that was left early"


def represent(pools: Sequence[Pool]) -> list[Any] | Nothing:
    """Choose a different key from each pool.

    A pool with as many instances as there are pools can always be served last, so only exhausted pools can lack a key
    (Hall's theorem). All other pools must have that many instances.
    """
    owner: dict[Any, int] = {}
    for start in range(len(pools)):
        if not _assign(start, pools, owner):
            return next((rest for pool in pools if not isinstance(rest := _shortage(pool, len(pools)), Empty)), EMPTY)
    chosen = {index: key for key, index in owner.items()}
    return [chosen[index] for index in range(len(pools))]


def _shortage(pool: Pool, wanted: int) -> Nothing:
    if pool.rest is None and len(pool.found) < wanted:
        return Unknown(_LEFT_EARLY)
    return pool.rest or EMPTY


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


def explore(start: T, step: Callable[[T, Callable[[T], None]], R | None], tick: Callable[[], None]) -> R | None:
    """Search breadth first until a step returns something; ``None`` if nothing that is reachable does.

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
    return None


def built(value: Any, doubt: str, size: int) -> Found | Unknown:
    """An array or object as an outcome, if it is not too large."""
    if size > MAX_SIZE:
        return Unknown(f"an instance of more than {MAX_SIZE} values and characters")
    return Found(value, doubt, size)
