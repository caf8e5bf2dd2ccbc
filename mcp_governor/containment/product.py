"""Find a string that matches several patterns and does not match others."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from mcp_governor.containment import charset
from mcp_governor.containment.outcome import explore
from mcp_governor.containment.regex import UnsupportedPatternError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcp_governor.containment.automaton import Automaton

MAX_STATES = 200_000
"""Most states of the product: a few hundred megabytes. Larger products are not modelled, and the answer is unknown."""
_ONE_LINE = charset.DOT


def find_string(
    machines: Sequence[tuple[Automaton, bool]],
    low: int,
    high: int | None,
    excluded: frozenset[str],
    tick: Callable[[int], None],
) -> str | None:
    """Find a short string that each automaton accepts (``True``) or refuses (``False``).

    Strings without line breaks are preferred, because regular expression engines treat those differently.

    Args:
        machines: automata, and true if their pattern must be found.
        low: minimum length, in code points.
        high: maximum length; ``None`` for no limit.
        excluded: excluded strings.
        tick: called at every step; may raise an exception to stop the search.

    Returns:
        The string; ``None`` proves that there is none.

    Raises:
        UnsupportedPatternError: the product of the automata is too large.
    """
    barred = _Prefixes(excluded)
    readable = _Search(machines, barred, _ONE_LINE, low, high).run(tick)
    # The second search visits everything that the first one does.
    return _Search(machines, barred, charset.ANY, low, high).run(tick) if readable is None else readable


class _Prefixes:
    """A tree (trie) of several strings: each node is a prefix of one of them.

    Args:
        strings: the strings.
    """

    NO_PREFIX = -1
    """The node for anything that is not a prefix of the strings."""

    def __init__(self, strings: Iterable[str]) -> None:
        self.below: list[dict[str, int]] = [{}]
        self.ends: set[int] = set()
        for text in sorted(strings):
            place = 0
            for char in text:
                after = self.below[place].get(char)
                if after is None:
                    after = self.below[place][char] = len(self.below)
                    self.below.append({})
                place = after
            self.ends.add(place)

    def step(self, place: int, char: str) -> int:
        return self.NO_PREFIX if place == self.NO_PREFIX else self.below[place].get(char, self.NO_PREFIX)

    def chars(self, place: int) -> Iterable[str]:
        return () if place == self.NO_PREFIX else self.below[place]


_Place = tuple[tuple[int, ...], int]
"""The states of the machines, and the prefix of excluded strings that was read."""
_Step = tuple[_Place, int, int]
"""A place, the length of the string that leads there, and its number in the table of parents."""


@dataclass(eq=False, repr=False)
class _Search:
    """A search through the product of several automata, shortest strings first."""

    machines: Sequence[tuple[Automaton, bool]]
    barred: _Prefixes
    alphabet: charset.CharSet
    low: int
    high: int | None
    parents: list[tuple[int, str]] = field(default_factory=lambda: [(0, "")])
    seen: set[tuple[_Place, int]] = field(default_factory=set)

    def run(self, tick: Callable[[int], None]) -> str | None:
        start: _Place = (tuple(machine.START for machine, _ in self.machines), 0)
        return explore((start, 0, 0), self.step, lambda: tick(1 + len(self.machines)))

    def step(self, here: _Step, push: Callable[[_Step], None]) -> str | None:
        place, length, number = here
        if length >= self.low and self.accepted(place):
            return self.spelled(number)
        if length == self.high:
            return None
        for char, after in self.steps(place):
            # Beyond the minimum length, a place need not be visited twice: shorter strings come first, so everything
            # that follows was within the maximum length the first time.
            key = (after, min(length + 1, self.low))
            if key in self.seen or self.hopeless(after):
                continue
            # A place has a state per machine, so with many machines, fewer places fit into the same memory.
            if len(self.seen) > MAX_STATES // (1 + len(self.machines) // 4):
                raise UnsupportedPatternError("patterns whose product is too large")
            self.seen.add(key)
            self.parents.append((number, char))
            push((after, length + 1, len(self.parents) - 1))
        return None

    def accepted(self, place: _Place) -> bool:
        states, rest = place
        return rest not in self.barred.ends and all(
            machine.accepts(state) is wanted for (machine, wanted), state in zip(self.machines, states, strict=True)
        )

    def hopeless(self, place: _Place) -> bool:
        """True if no string with this prefix can be accepted."""
        # Once a pattern has been found, it stays found.
        return any(
            machine.is_hopeless(state) if wanted else state == machine.FOUND
            for (machine, wanted), state in zip(self.machines, place[0], strict=True)
        )

    def steps(self, place: _Place) -> list[tuple[str, _Place]]:
        """The most readable character for each reachable next place."""
        states, rest = place
        # Between two cuts, all characters lead to the same place, so one of them is enough.
        cuts = {edge for low, high in self.alphabet for edge in (low, high + 1)}
        for (machine, _), state in zip(self.machines, states, strict=True):
            cuts.update(machine.row(state)[0])
        cuts.update(code for char in self.barred.chars(rest) for code in (ord(char), ord(char) + 1))
        chars = [
            charset.sample(low, high - 1) for low, high in pairwise(sorted(cuts)) if charset.holds(self.alphabet, low)
        ]
        found: dict[_Place, str] = {}
        for char in sorted(chars, key=_taste):
            found.setdefault(self.after(place, char), char)
        return [(char, after) for after, char in found.items()]

    def after(self, place: _Place, char: str) -> _Place:
        states, rest = place
        code = ord(char)
        return (
            tuple(machine.step(state, code) for (machine, _), state in zip(self.machines, states, strict=True)),
            self.barred.step(rest, char),
        )

    def spelled(self, number: int) -> str:
        chars: list[str] = []
        while number:
            number, char = self.parents[number]
            chars.append(char)
        return "".join(reversed(chars))


def _taste(char: str) -> tuple[bool, bool, str]:
    """Sort key: letters first, unprintable characters last, because samples are shown to people."""
    return not (char.isascii() and char.isprintable()), not char.isalnum(), char
