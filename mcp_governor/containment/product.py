"""A string that satisfies several patterns at once, and others not."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from mcp_governor.containment import charset
from mcp_governor.containment.regex import UnsupportedPatternError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcp_governor.containment.automaton import Automaton

MAX_STATES = 200_000
_ONE_LINE = charset.DOT


def find_string(
    machines: Sequence[tuple[Automaton, bool]],
    low: int,
    high: int | None,
    excluded: frozenset[str],
    tick: Callable[[], None],
) -> str | None:
    """A short string that is in (``True``) or not in (``False``) the language of every automaton.

    One without a line break is preferred: regular expression engines differ about those.

    Args:
        machines: automata, and whether their pattern is to be found.
        low: least length, in code points.
        high: greatest length; ``None`` is no limit.
        excluded: strings that are not wanted.
        tick: called at every step; may raise to stop the search.

    Returns:
        ``None`` where no such string exists.

    Raises:
        UnsupportedPatternError: the product of the automata is too large.
    """
    for alphabet in (_ONE_LINE, charset.ANY):
        found = _Search(machines, excluded, tick, alphabet).run(low, high)
        if found is not None:
            return found
    return None


_Place = tuple[tuple[int, ...], frozenset[str]]
"""The states of the machines, and what is left of the excluded strings that begin like this one."""


@dataclass(eq=False, repr=False)
class _Search:
    """A walk, shortest strings first, through the product of several automata."""

    machines: Sequence[tuple[Automaton, bool]]
    excluded: frozenset[str]
    tick: Callable[[], None]
    alphabet: charset.CharSet
    parents: list[tuple[int, str]] = field(default_factory=lambda: [(0, "")])

    def run(self, low: int, high: int | None) -> str | None:
        start: _Place = (tuple(machine.START for machine, _ in self.machines), self.excluded)
        queue: deque[tuple[_Place, int, int]] = deque([(start, 0, 0)])
        seen: set[tuple[_Place, int]] = {(start, 0)}
        while queue:
            place, length, number = queue.popleft()
            self.tick()
            if length >= low and self.accepted(place):
                return self.spelled(number)
            if length == high:
                continue
            for char, after in self.steps(place):
                # past the least length, a place that was reached before needs no second visit
                key = (after, min(length + 1, low))
                if key in seen or self.hopeless(after):
                    continue
                if len(seen) > MAX_STATES:
                    raise UnsupportedPatternError("patterns whose product is too large")
                seen.add(key)
                self.parents.append((number, char))
                queue.append((after, length + 1, len(self.parents) - 1))
        return None

    def accepted(self, place: _Place) -> bool:
        states, rest = place
        return "" not in rest and all(
            machine.accepts(state) is wanted for (machine, wanted), state in zip(self.machines, states, strict=True)
        )

    def hopeless(self, place: _Place) -> bool:
        """Whether no string that begins like this can be accepted."""
        return any(
            machine.is_hopeless(state) if wanted else state == machine.FOUND
            for (machine, wanted), state in zip(self.machines, place[0], strict=True)
        )

    def steps(self, place: _Place) -> list[tuple[str, _Place]]:
        """One character, the most readable, for each place that the next one can lead to."""
        states, rest = place
        cuts = {edge for low, high in self.alphabet for edge in (low, high + 1)}
        for (machine, _), state in zip(self.machines, states, strict=True):
            cuts.update(machine.row(state)[0])
        cuts.update(code for text in rest if text for code in (ord(text[0]), ord(text[0]) + 1))
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
            frozenset(text[1:] for text in rest if text[:1] == char),
        )

    def spelled(self, number: int) -> str:
        chars: list[str] = []
        while number:
            number, char = self.parents[number]
            chars.append(char)
        return "".join(reversed(chars))


def _taste(char: str) -> tuple[bool, bool, str]:
    """Letters first, unprintable characters last: samples are shown to people."""
    return not (char.isascii() and char.isprintable()), not char.isalnum(), char
