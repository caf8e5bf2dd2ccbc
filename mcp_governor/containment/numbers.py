"""Find a number within bounds that is a multiple of some steps and not of others."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, lcm
from typing import TYPE_CHECKING

from mcp_governor.containment.formulas import Bound, Formula, Multiple, Not, Values
from mcp_governor.containment.likely import USUAL
from mcp_governor.containment.outcome import EMPTY, Found, Outcome, Searcher, Unknown, first_found
from mcp_governor.schemas.values import MAX_INTEGER, Number, exact, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_TRIES = 5_000
"""Most multiples of one step that are tried against excluded steps. After that, the result is unknown."""


class Range:
    """The interval that satisfies a set of bounds."""

    def __init__(self, atoms: Iterable[Formula]) -> None:
        self.low: Number | None = None
        self.high: Number | None = None
        self.low_open = self.high_open = False
        for atom in atoms:
            if isinstance(atom, Bound):
                self._narrow(atom)

    def _narrow(self, bound: Bound) -> None:
        if bound.low:
            if self.low is None or (bound.limit, bound.open) > (self.low, self.low_open):
                self.low, self.low_open = bound.limit, bound.open
        elif self.high is None or (-bound.limit, bound.open) > (-self.high, self.high_open):
            self.high, self.high_open = bound.limit, bound.open

    @property
    def is_empty(self) -> bool:
        """True if no real number is inside."""
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))

    def holds(self, number: Number) -> bool:
        """True if the number is inside."""
        above = self.low is None or number > self.low or (number == self.low and not self.low_open)
        below = self.high is None or number < self.high or (number == self.high and not self.high_open)
        return above and below


def solve_number(atoms: Iterable[Formula], searcher: Searcher) -> Outcome:
    """A number that satisfies all the atoms."""
    atoms = list(atoms)
    inside = Range(atoms)
    if inside.is_empty:
        return EMPTY
    steps = [atom.step for atom in atoms if isinstance(atom, Multiple)]
    barred = [atom.part for atom in atoms if isinstance(atom, Not)]
    avoided = [part.step for part in barred if isinstance(part, Multiple)]
    excluded = {
        content for part in barred if isinstance(part, Values) for kind, content in part.members if kind == "number"
    }
    step = _common(steps)
    if step is None:
        return _real(inside, avoided, excluded, searcher)
    return _grid(inside, step, avoided, excluded, searcher)


def _common(steps: list[Number]) -> Number | None:
    """The least common multiple of the steps."""
    if not steps:
        return None
    fractions = [Fraction(step) for step in steps]
    scale = lcm(*(fraction.denominator for fraction in fractions))
    common = Fraction(lcm(*(int(fraction * scale) for fraction in fractions)), scale)
    return common.numerator if common.denominator == 1 else common


def is_multiple(number: Number, step: Number) -> bool | None:
    """True if a number is a multiple of a step; ``None`` where validators differ.

    Beyond 64 bits they divide floats: for some 3e30 is a multiple of 1e20, for others it is not.
    """
    if number % step == 0:
        return True
    return False if -MAX_INTEGER <= number <= MAX_INTEGER else None


_ROUNDED = "a multiple beyond 64 bits, where validators divide floats"


def _fits(number: Number, avoided: list[Number], excluded: set[Number]) -> bool:
    return number not in excluded and not any(number % step == 0 for step in avoided)


def _found(number: Number) -> Found | None:
    """The number as a JSON value, if a float can represent it."""
    try:
        value = plain(number)
        return Found(value) if exact(value) == number else None
    except (OverflowError, ValueError):
        return None


def _grid(inside: Range, step: Number, avoided: list[Number], excluded: set[Number], searcher: Searcher) -> Outcome:
    """A multiple of ``step``, usual ones first."""
    first = None if inside.low is None else ceil(Fraction(inside.low) / step)
    last = None if inside.high is None else floor(Fraction(inside.high) / step)
    if first is not None and not inside.holds(first * step):
        first += 1
    if last is not None and not inside.holds(last * step):
        last -= 1
    if first is not None and last is not None and first > last:
        ends = [end for end in (inside.low, inside.high) if end is not None]
        return Unknown(_ROUNDED) if None in [is_multiple(end, step) for end in ends] else EMPTY
    if any((Fraction(other) / step).numerator == 1 for other in avoided):
        return EMPTY

    def look(factor: int) -> Outcome:
        searcher.tick()
        number = factor * step
        if not _fits(number, avoided, excluded):
            return EMPTY
        return _found(number) or Unknown("a number that no float is equal to")

    tries = MAX_TRIES + len(excluded)
    # Multiples of a fraction are best near zero, where a float has them exactly enough for every validator.
    usual = ceil(Fraction(USUAL) / step) if isinstance(step, int) else 1
    beyond = "a number that is a multiple of some steps only"
    return first_found(_outward(first, last, usual), look, limit=tries, beyond=beyond)


def _outward(first: int | None, last: int | None, start: int) -> Iterator[int]:
    """The integers of a range, those near ``start`` first."""
    if first is not None and first > start:
        start = first
    elif last is not None and last < start:
        start = last
    yield start
    distance = 1
    while True:
        up = last is None or start + distance <= last
        down = first is None or start - distance >= first
        if not up and not down:
            return
        if up:
            yield start + distance
        if down:
            yield start - distance
        distance += 1


def _real(inside: Range, avoided: list[Number], excluded: set[Number], searcher: Searcher) -> Outcome:
    """A number without a required step; short ones first."""
    if inside.low is not None and inside.low == inside.high:
        if not _fits(inside.low, avoided, excluded):
            return EMPTY
        return _found(inside.low) or Unknown("a number that no float is equal to")
    for number in _short(inside):
        searcher.tick()
        if inside.holds(number) and _fits(number, avoided, excluded) and (found := _found(number)):
            return found
    # This is not a proof: an interval has infinitely many numbers, and only countably many are excluded.
    return Unknown("a number between bounds that are too close for a float")


def _short(inside: Range) -> Iterator[Number]:
    yield from (USUAL, Fraction(3, 2), 0, -1)
    low, high = inside.low, inside.high
    near = [bound for bound in (low, high) if bound is not None]
    for bound in near:
        yield bound
        whole = floor(bound)
        yield from (whole, whole + 1, whole - 1)
    yield from (1, Fraction(1, 2), Fraction(-1, 2))
    # Where nothing bounds the interval below, it begins near zero: people read the number.
    left = Fraction(low) if low is not None else Fraction(high) - 1 if high is not None and high <= 0 else Fraction(0)
    right = Fraction(high) if high is not None else left + 2000
    for digits in range(1, 18):
        scale = 10**digits
        start = ceil(left * scale)
        for offset in range(12):
            if start + offset <= right * scale:
                yield Fraction(start + offset, scale)
    for count in range(1, 200):
        yield left + (right - left) * Fraction(count, 200)
