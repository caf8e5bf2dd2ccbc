"""A string that satisfies several patterns at once, and others not."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from mcp_governor.containment import charset
from mcp_governor.containment.outcome import Exhausted, explore
from mcp_governor.containment.regex import UnsupportedPatternError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcp_governor.containment.automaton import Automaton

MAX_STATES = 200_000
"""Places of the product: some hundred megabytes. Beyond: the pattern is not modelled, and the answer unknown."""
_ONE_LINE = charset.DOT


def find_string(
    machines: Sequence[tuple[Automaton, bool]],
    low: int,
    high: int | None,
    excluded: frozenset[str],
    tick: Callable[[int], None],
) -> str | Exhausted:
    """A short string that is in (``True``) or not in (``False``) the language of every automaton.

    One without a line break is preferred: regular expression engines differ about those.

    Args:
        machines: automata, and whether their pattern is to be found.
        low: least length, in code points.
        high: greatest length; ``None`` is no limit.
        excluded: strings that are not wanted.
        tick: called at every step; may raise to stop the search.

    Returns:
        the proof, where no such string exists.

    Raises:
        UnsupportedPatternError: the product of the automata is too large.
    """
    barred = _Prefixes(excluded)
    readable = _Search(machines, barred, _ONE_LINE, low, high).run(tick)
    # the second walk sees all that the first one does
    return _Search(machines, barred, charset.ANY, low, high).run(tick) if isinstance(readable, Exhausted) else readable


class _Prefixes:
    """Some strings as a tree of their characters: each place stands for a beginning of one of them.

    Args:
        texts: the strings.
    """

    NOWHERE = -1
    """The place of a text that none of the strings begins with."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.below: list[dict[str, int]] = [{}]
        self.ends: set[int] = set()
        for text in sorted(texts):
            place = 0
            for char in text:
                after = self.below[place].get(char)
                if after is None:
                    after = self.below[place][char] = len(self.below)
                    self.below.append({})
                place = after
            self.ends.add(place)

    def step(self, place: int, char: str) -> int:
        return self.NOWHERE if place == self.NOWHERE else self.below[place].get(char, self.NOWHERE)

    def chars(self, place: int) -> Iterable[str]:
        return () if place == self.NOWHERE else self.below[place]


_Place = tuple[tuple[int, ...], int]
"""The states of the machines, and where the text is among the beginnings of excluded strings."""
_Step = tuple[_Place, int, int]
"""A place, the length of the text that leads there, and its number in the table of parents."""


@dataclass(eq=False, repr=False)
class _Search:
    """A walk, shortest strings first, through the product of several automata."""

    machines: Sequence[tuple[Automaton, bool]]
    barred: _Prefixes
    alphabet: charset.CharSet
    low: int
    high: int | None
    parents: list[tuple[int, str]] = field(default_factory=lambda: [(0, "")])
    seen: set[tuple[_Place, int]] = field(default_factory=set)

    def run(self, tick: Callable[[int], None]) -> str | Exhausted:
        start: _Place = (tuple(machine.START for machine, _ in self.machines), 0)
        return explore((start, 0, 0), self.step, lambda: tick(1 + len(self.machines)))

    def step(self, here: _Step, push: Callable[[_Step], None]) -> str | None:
        place, length, number = here
        if length >= self.low and self.accepted(place):
            return self.spelled(number)
        if length == self.high:
            return None
        for char, after in self.steps(place):
            # Past the least length, a place that was reached before needs no second visit: texts come shortest
            # first, so that all that follows there was within the greatest length the first time.
            key = (after, min(length + 1, self.low))
            if key in self.seen or self.hopeless(after):
                continue
            # A place holds a state of each machine: of many machines fewer places fit into the same memory.
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
        """Whether no string that begins like this can be accepted."""
        # A pattern that was found stays found, whatever follows.
        return any(
            machine.is_hopeless(state) if wanted else state == machine.FOUND
            for (machine, wanted), state in zip(self.machines, place[0], strict=True)
        )

    def steps(self, place: _Place) -> list[tuple[str, _Place]]:
        """One character, the most readable, for each place that the next one can lead to."""
        states, rest = place
        # Between two cuts all characters lead to the same place, so that one of them stands for all of Unicode there.
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
    """Letters first, unprintable characters last: samples are shown to people."""
    return not (char.isascii() and char.isprintable()), not char.isalnum(), char
