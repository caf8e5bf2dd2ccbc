"""Patterns as automata, and the question whether a string satisfies several of them at once.

A pattern becomes a nondeterministic automaton that is determinised lazily, state by state, so that only the
part of the product that a question needs is ever built.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from mcp_governor.containment import charset
from mcp_governor.containment.regex import Alt, Cat, Chars, Edge, Look, Regex, Repeat, UnsupportedPatternError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_STATES = 20_000
MAX_PRODUCT = 200_000

_START, _WORD, _OTHER, _END = range(4)
"""What stands beside a position: nothing before it, a word character, another one, nothing after it."""


@dataclass(frozen=True, slots=True)
class State:
    """A set of automaton states, before assertions are looked at, and the kind of character before it."""

    positions: frozenset[int]
    before: int


class Automaton:
    """The strings in which a pattern is found.

    Args:
        tree: the pattern.

    Raises:
        UnsupportedPatternError: it has a lookahead inside, or needs too many states.
    """

    def __init__(self, tree: Regex) -> None:
        self._edges: list[list[tuple[charset.CharSet | str | None, int]]] = []
        self._words = False
        start, self._final = self._new(), self._new()
        self._build(tree, start, self._final)
        # a pattern is searched for: it may begin anywhere and what follows it does not matter
        self._link(start, charset.ANY, start)
        self.start = State(frozenset([start]), _START)
        self._found = State(frozenset([self._final]), _OTHER)
        self._closed: dict[tuple[State, int], frozenset[int]] = {}
        self._steps: dict[tuple[State, int], State] = {}
        self._cuts: dict[State, tuple[int, ...]] = {}

    def _new(self) -> int:
        if len(self._edges) >= MAX_STATES:
            raise UnsupportedPatternError("a pattern with too many states")
        self._edges.append([])
        return len(self._edges) - 1

    def _link(self, source: int, label: charset.CharSet | str | None, target: int) -> None:
        self._edges[source].append((label, target))

    def _build(self, tree: Regex, source: int, target: int) -> None:
        if isinstance(tree, Chars):
            self._link(source, tree.chars, target)
        elif isinstance(tree, Cat):
            for part in tree.parts[:-1]:
                middle = self._new()
                self._build(part, source, middle)
                source = middle
            if tree.parts:
                self._build(tree.parts[-1], source, target)
            else:
                self._link(source, None, target)
        elif isinstance(tree, Alt):
            for part in tree.parts:
                entry, leave = self._new(), self._new()
                self._link(source, None, entry)
                self._build(part, entry, leave)
                self._link(leave, None, target)
        elif isinstance(tree, Repeat):
            self._repeat(tree, source, target)
        elif isinstance(tree, Edge):
            self._words = self._words or tree.kind in "bB"
            self._link(source, tree.kind, target)
        else:
            assert isinstance(tree, Look)
            raise UnsupportedPatternError("a lookahead inside the pattern")

    def _repeat(self, tree: Repeat, source: int, target: int) -> None:
        for _ in range(tree.low):
            middle = self._new()
            self._build(tree.part, source, middle)
            source = middle
        if tree.high is None:
            hub = self._new()
            self._link(source, None, hub)
            again = self._new()
            self._build(tree.part, hub, again)
            self._link(again, None, hub)
            self._link(hub, None, target)
            return
        for _ in range(tree.high - tree.low):
            self._link(source, None, target)
            middle = self._new()
            self._build(tree.part, source, middle)
            source = middle
        self._link(source, None, target)

    def _close(self, state: State, after: int) -> frozenset[int]:
        """The positions reachable without a character, given what comes next."""
        key = (state, after)
        closed = self._closed.get(key)
        if closed is None:
            seen = set(state.positions)
            pending = list(seen)
            while pending:
                for label, target in self._edges[pending.pop()]:
                    if target in seen or not (
                        label is None or (isinstance(label, str) and _holds(label, state.before, after))
                    ):
                        continue
                    seen.add(target)
                    pending.append(target)
            closed = self._closed[key] = frozenset(seen)
        return closed

    def step(self, state: State, code: int) -> State:
        """The state after one more character."""
        if state is self._found:
            return state
        after = _WORD if charset.holds(charset.WORD, code) else _OTHER
        key = (state, code)
        found = self._steps.get(key)
        if found is None:
            closed = self._close(state, after)
            if self._final in closed:
                found = self._found
            else:
                targets = frozenset(
                    target
                    for position in closed
                    for label, target in self._edges[position]
                    if isinstance(label, tuple) and charset.holds(label, code)
                )
                found = State(targets, after if self._words else _OTHER)
            self._steps[key] = found
        return found

    def accepts(self, state: State) -> bool:
        """Whether the pattern has been found when the string ends here."""
        return state is self._found or self._final in self._close(state, _END)

    def cuts(self, state: State) -> tuple[int, ...]:
        """Code points at which the behaviour of :meth:`step` may change, ascending."""
        if state is self._found:
            return ()
        cuts = self._cuts.get(state)
        if cuts is None:
            found: set[int] = set()
            closed = self._close(state, _WORD) | self._close(state, _OTHER)
            sets = [label for position in closed for label, _ in self._edges[position] if isinstance(label, tuple)]
            if self._words:
                sets.append(charset.WORD)
            for chars in sets:
                for low, high in chars:
                    found.update((low, high + 1))
            cuts = self._cuts[state] = tuple(sorted(found))
        return cuts

    def is_trivial(self) -> bool:
        """Whether the pattern is found in every string, as ``.*`` is."""
        return all(self._final in self._close(self.start, after) for after in (_WORD, _OTHER, _END))

    def matches(self, text: str) -> bool:
        """Whether the pattern is found in the text."""
        state = self.start
        for char in text:
            if state is self._found:
                return True
            state = self.step(state, ord(char))
        return self.accepts(state)


def _holds(kind: str, before: int, after: int) -> bool:
    if kind == "^":
        return before == _START
    if kind == "$":
        return after == _END
    boundary = (before == _WORD) != (after == _WORD)
    return boundary if kind == "b" else not boundary


@lru_cache(maxsize=512)
def automaton(tree: Regex) -> Automaton:
    """The automaton of a pattern, kept for the next question."""
    return Automaton(tree)


_ONE_LINE = charset.DOT


@dataclass
class _Search:
    """A walk, shortest strings first, through the product of several automata."""

    machines: Sequence[tuple[Automaton, bool]]
    excluded: frozenset[str]
    tick: Callable[[], None]
    alphabet: charset.CharSet
    parents: dict[int, tuple[int, str]] = field(default_factory=dict)

    def accepted(self, states: tuple[State, ...], rest: frozenset[str]) -> bool:
        return "" not in rest and all(
            machine.accepts(state) is wanted for (machine, wanted), state in zip(self.machines, states, strict=True)
        )

    def characters(self, states: tuple[State, ...], rest: frozenset[str]) -> list[str]:
        """One character for each class that the machines and the excluded strings tell apart."""
        cuts = {edge for low, high in self.alphabet for edge in (low, high + 1)}
        for (machine, _), state in zip(self.machines, states, strict=True):
            cuts.update(machine.cuts(state))
        for text in rest:
            if text:
                cuts.update((ord(text[0]), ord(text[0]) + 1))
        spans = [(low, high - 1) for low, high in pairwise(sorted(cuts)) if charset.holds(self.alphabet, low)]
        return sorted((charset.sample(*span) for span in spans), key=_taste)

    def run(self, low: int, high: int | None) -> str | None:
        start = (tuple(machine.start for machine, _ in self.machines), self.excluded)
        queue: deque[tuple[tuple[State, ...], frozenset[str], int, int]] = deque([(*start, 0, 0)])
        seen = {(start, 0)}
        number = 0
        while queue:
            states, rest, length, this = queue.popleft()
            self.tick()
            if length >= low and self.accepted(states, rest):
                return self.spelled(this)
            if length == high:
                continue
            for char in self.characters(states, rest):
                code = ord(char)
                after = tuple(
                    machine.step(state, code) for (machine, _), state in zip(self.machines, states, strict=True)
                )
                left = frozenset(text[1:] for text in rest if text[:1] == char)
                # shortest first: past the minimum, a state that was reached before needs no second visit
                key = ((after, left), min(length + 1, low))
                if key in seen:
                    continue
                if len(seen) > MAX_PRODUCT:
                    raise UnsupportedPatternError("patterns whose product is too large")
                seen.add(key)
                number += 1
                self.parents[number] = (this, char)
                queue.append((after, left, length + 1, number))
        return None

    def spelled(self, number: int) -> str:
        chars: list[str] = []
        while number:
            number, char = self.parents[number]
            chars.append(char)
        return "".join(reversed(chars))


def _taste(char: str) -> tuple[bool, bool, str]:
    """Letters first, unprintable characters last: samples are shown to people."""
    return not (char.isascii() and char.isprintable()), not char.isalnum(), char


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
