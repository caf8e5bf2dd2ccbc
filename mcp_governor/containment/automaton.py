"""Patterns as automata.

A pattern becomes a nondeterministic automaton that is determinised lazily, state by state, so that only the necessary
part is built.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

from mcp_governor.containment import charset
from mcp_governor.containment.regex import Alt, Cat, Chars, Edge, Look, Regex, Repeat, UnsupportedPatternError

MAX_POSITIONS = 20_000
"""Most positions in a pattern, with repetitions expanded. Larger patterns are not modelled."""
MAX_STATES = 50_000
"""Most states of one pattern, for all questions together. Larger patterns are not modelled."""

_START, _WORD, _OTHER, _END = range(4)
"""The neighbour of a position in a string: the start, a word character, another character, or the end."""

Row = tuple[list[int], list[int]]
"""The transitions from a state: the code points at which they change, and the target state from each of them on."""


class Automaton:
    """The strings in which a pattern is found, as a deterministic automaton with numbered states.

    Args:
        tree: the pattern.

    Raises:
        UnsupportedPatternError: the pattern has a lookahead inside, or needs too many states.
    """

    FOUND = 0
    """The state after the pattern has been found, whatever follows."""
    START = 1

    def __init__(self, tree: Regex) -> None:
        self._edges: list[list[tuple[charset.CharSet | str | None, int]]] = []
        self._words = False
        start, self._final = self._new(), self._new()
        self._build(tree, start, self._final)
        # A pattern is searched for, so it may begin anywhere.
        self._link(start, charset.ANY, start)
        self._subsets: list[tuple[frozenset[int], int]] = [(frozenset(), _OTHER), (frozenset([start]), _START)]
        self._numbers = {self._subsets[self.START]: self.START}
        self._rows: dict[int, Row] = {self.FOUND: ([0], [self.FOUND])}
        self._ends: dict[int, bool] = {self.FOUND: True}
        self._hopeful = self._leading_to_final()

    def _new(self) -> int:
        if len(self._edges) >= MAX_POSITIONS:
            raise UnsupportedPatternError("a pattern with too many positions")
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

    def _leading_to_final(self) -> frozenset[int]:
        """The positions from which the end of the pattern is reachable after the start of the string."""
        sources: list[list[int]] = [[] for _ in self._edges]
        for position, edges in enumerate(self._edges):
            for label, target in edges:
                if label != "^":
                    sources[target].append(position)
        seen = {self._final}
        pending = [self._final]
        while pending:
            fresh = [source for source in sources[pending.pop()] if source not in seen]
            seen.update(fresh)
            pending.extend(fresh)
        return frozenset(seen)

    def _close(self, state: int, after: int) -> set[int]:
        """The positions that are reachable without consuming a character, given what comes next."""
        positions, before = self._subsets[state]
        seen = set(positions)
        pending = list(seen)
        while pending:
            for label, target in self._edges[pending.pop()]:
                if target in seen or not (label is None or (isinstance(label, str) and _holds(label, before, after))):
                    continue
                seen.add(target)
                pending.append(target)
        return seen

    def row(self, state: int) -> Row:
        """The transitions from a state."""
        row = self._rows.get(state)
        if row is None:
            row = self._rows[state] = self._new_row(state)
        return row

    def _new_row(self, state: int) -> Row:
        steps = {after: self._labelled(state, after) for after in ((_WORD, _OTHER) if self._words else (_OTHER,))}
        cuts = {0}
        for edges in (*steps.values(), [(charset.WORD, 0)] if self._words else []):
            for chars, _ in edges or ():
                for low, high in chars:
                    cuts.update((low, high + 1))
        starts: list[int] = []
        targets: list[int] = []
        for code in sorted(cuts):
            after = _WORD if self._words and charset.holds(charset.WORD, code) else _OTHER
            target = self._target(steps[after], after, code)
            if not targets or targets[-1] != target:
                starts.append(code)
                targets.append(target)
        return starts, targets

    def _labelled(self, state: int, after: int) -> list[tuple[charset.CharSet, int]] | None:
        """The edges that consume a character; ``None`` if the pattern has been found before it."""
        closed = self._close(state, after)
        if self._final in closed:
            return None
        return [
            (label, target)
            for position in closed
            for label, target in self._edges[position]
            if isinstance(label, tuple)
        ]

    def _target(self, edges: list[tuple[charset.CharSet, int]] | None, after: int, code: int) -> int:
        if edges is None:
            return self.FOUND
        subset = (frozenset(target for chars, target in edges if charset.holds(chars, code)), after)
        number = self._numbers.get(subset)
        if number is None:
            if len(self._subsets) >= MAX_STATES:
                raise UnsupportedPatternError("a pattern with too many states")
            # In this order, an interrupt between the two statements only leaves an unreachable state.
            self._subsets.append(subset)
            number = self._numbers[subset] = len(self._subsets) - 1
        return number

    def step(self, state: int, code: int) -> int:
        """The state after one more character."""
        starts, targets = self.row(state)
        return targets[bisect_right(starts, code) - 1]

    def accepts(self, state: int) -> bool:
        """True if the pattern has been found when the string ends here."""
        ends = self._ends.get(state)
        if ends is None:
            ends = self._ends[state] = self._final in self._close(state, _END)
        return ends

    def is_hopeless(self, state: int) -> bool:
        """True if the pattern can no longer be found, whatever follows."""
        return state > self.START and self._hopeful.isdisjoint(self._subsets[state][0])

    def is_trivial(self) -> bool:
        """True if the pattern is found in every string, as ``.*`` is."""
        return all(self._final in self._close(self.START, after) for after in (_WORD, _OTHER, _END))

    def matches(self, text: str) -> bool:
        """True if the pattern is found in ``text``."""
        state = self.START
        for char in text:
            state = self.step(state, ord(char))
        return self.accepts(state)


def _holds(kind: str, before: int, after: int) -> bool:
    if kind == "^":
        return before == _START
    if kind == "$":
        return after == _END
    boundary = (before == _WORD) != (after == _WORD)
    return boundary if kind == "b" else not boundary


# enough for the patterns of two surfaces; each entry keeps its states, so the cache is small
@lru_cache(maxsize=256)
def automaton(tree: Regex) -> Automaton:
    """The automaton of a pattern; cached."""
    return Automaton(tree)
