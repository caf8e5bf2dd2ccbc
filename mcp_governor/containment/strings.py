"""Find a string within length limits that matches some patterns and does not match others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcp_governor.containment import charset
from mcp_governor.containment.automaton import automaton
from mcp_governor.containment.formulas import Formula, Matches, Not, Opaque, Size, Values, make
from mcp_governor.containment.outcome import (
    Contradiction,
    Exhausted,
    Found,
    Outcome,
    Searcher,
    Unknown,
    refuted,
    unreachable,
)
from mcp_governor.containment.product import find_string
from mcp_governor.containment.regex import Alt, Cat, Chars, Look, Regex, Repeat, UnsupportedPatternError

if TYPE_CHECKING:
    from collections.abc import Iterable

_BREAKS = frozenset(chr(code) for low, high in charset.NEWLINES for code in range(low, high + 1))

MAX_LENGTH = 100_000
"""Longest required string, in characters: more than anyone would read in a witness. With more, the result is
unknown."""


def solve_string(atoms: Iterable[Formula], searcher: Searcher) -> Outcome:
    """The shortest string that satisfies all the atoms."""
    low, high = 0, None
    machines: list[tuple[Formula, bool]] = []
    excluded: set[str] = set()
    doubt = ""
    for atom in atoms:
        part, wanted = (atom.part, False) if isinstance(atom, Not) else (atom, True)
        if isinstance(part, Size):
            if part.low:
                low = max(low, part.limit)
            else:
                high = part.limit if high is None else min(high, part.limit)
        elif isinstance(part, Matches):
            machines.append((part, wanted))
        elif isinstance(part, Values):
            excluded.update(content for kind, content in part.members if kind == "string")
        elif isinstance(part, Opaque):
            doubt = part.why
    if high is not None and low > high:
        return refuted(Contradiction.SIZES)
    if low > MAX_LENGTH:
        return Unknown(f"a string longer than {MAX_LENGTH} characters")
    return _search(machines, (low, high), frozenset(excluded), searcher, doubt=doubt)


def _search(
    machines: list[tuple[Formula, bool]],
    lengths: tuple[int, int | None],
    excluded: frozenset[str],
    searcher: Searcher,
    *,
    doubt: str,
) -> Outcome:
    try:
        text = _shortest(machines, *lengths, excluded, searcher)
        if isinstance(text, Exhausted):
            return unreachable(text)
        if _breaks(text):
            wider = [(_every_dot(node), wanted) for node, wanted in machines]
            if isinstance(_shortest(wider, *lengths, excluded, searcher), Exhausted):
                return Unknown("strings with a line break, where regular expression engines differ")
    except UnsupportedPatternError as error:
        return Unknown(str(error))
    return Found(text, doubt, 1 + len(text))


def _breaks(text: str) -> bool:
    return not _BREAKS.isdisjoint(text)


def _every_dot(node: Formula) -> Formula:
    """The pattern with a dot that matches every character, as most authors expect."""
    return make(Matches, _widened(node.pattern)) if isinstance(node, Matches) else node


def _widened(tree: Regex) -> Regex:
    if isinstance(tree, Chars):
        return Chars(charset.ANY) if tree.chars == charset.DOT else tree
    if isinstance(tree, Cat | Alt):
        return replace(tree, parts=tuple(map(_widened, tree.parts)))
    return replace(tree, part=_widened(tree.part)) if isinstance(tree, Repeat | Look) else tree


def _shortest(
    patterns: list[tuple[Formula, bool]], low: int, high: int | None, excluded: frozenset[str], searcher: Searcher
) -> str | Exhausted:
    if not patterns:
        # Without patterns, most questions end here and do not need an automaton.
        for char in "a0b1_":
            if char * low not in excluded:
                return char * low
    machines = [(automaton(node.pattern), wanted) for node, wanted in patterns if isinstance(node, Matches)]
    return find_string(machines, low, high, excluded, searcher.tick)
