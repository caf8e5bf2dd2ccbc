"""What the search for an instance can come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_governor.containment.nodes import Node


@frozen
class Found:
    """An instance; ``doubt`` says what could not be checked of it, if anything."""

    value: Any
    doubt: str = ""


@frozen
class Empty:
    """Proved: there is no instance."""


@frozen
class Unknown:
    """Neither; ``reason`` is one clause."""

    reason: str


Outcome = Found | Empty | Unknown
EMPTY = Empty()


class StoppedError(Exception):
    """The deadline or the step limit was reached."""


class Searcher(Protocol):
    """What the modules for the single types need of the solver."""

    def solve(self, goal: Iterable[Node]) -> Outcome:
        """An instance of all these formulas at once."""

    def tick(self) -> None:
        """Count a step.

        Raises:
            StoppedError: no time is left.
        """


def first_found(outcomes: Iterable[Outcome]) -> Outcome:
    """The first instance that is beyond doubt, else a doubtful one, else what stopped the search, else none.

    The outcomes are alternatives: no instance exists where every one of them is empty.
    """
    best: Outcome = EMPTY
    for outcome in outcomes:
        if isinstance(outcome, Found) and not outcome.doubt:
            return outcome
        if isinstance(best, Empty) or (isinstance(best, Unknown) and isinstance(outcome, Found)):
            best = outcome
    return best
