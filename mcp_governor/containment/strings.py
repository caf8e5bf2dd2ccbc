"""A pattern as a formula, and a string within length limits that matches some patterns and does not match others."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from mcp_governor.containment.automaton import automaton
from mcp_governor.containment.formulas import (
    TRUE,
    Formula,
    Hint,
    Matches,
    Not,
    Opaque,
    Size,
    Values,
    all_of,
    any_of,
    make,
    negate,
    types,
)
from mcp_governor.containment.outcome import EMPTY, Found, Outcome, Searcher, Unknown
from mcp_governor.containment.product import find_string
from mcp_governor.containment.regex import Cat, Edge, Look, Reading, Regex, UnsupportedPatternError, parse, read
from mcp_governor.schemas.formats import WIDER
from mcp_governor.schemas.soundness import compiles
from mcp_governor.schemas.values import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_governor.containment.automaton import Automaton


_NO_STRING = types(kind for kind in TYPES if kind != "string")


# formulas are small, so the cache is larger than that of automata
@lru_cache(maxsize=2_048)
def pattern_node(source: str) -> Formula:
    """The formula of a pattern; lookaheads at its beginning become patterns of their own."""
    if not compiles(source):
        return make(Opaque, "string", f"pattern {source}", "a pattern that is not a regular expression of ECMA-262")
    try:
        return all_of([_split_lookaheads(parse(source)), *map(pattern_node, WIDER.get(source, ()))])
    except UnsupportedPatternError as error:
        return make(Opaque, "string", f"pattern {source}", f"a pattern with {error}")


def _split_lookaheads(tree: Regex) -> Formula:
    parts = tree.parts if isinstance(tree, Cat) else (tree,)
    looks: list[Formula] = []
    if parts and parts[0] == Edge("^"):
        while len(parts) > 1 and isinstance(parts[1], Look):
            look = parts[1]
            node = _matches(Cat((Edge("^"), look.part)))
            looks.append(node if look.positive else any_of([_NO_STRING, negate(node)]))
            parts = (parts[0], *parts[2:])
    return all_of([*looks, _matches(Cat(parts))])


def _matches(tree: Regex) -> Formula:
    return TRUE if automaton(read(tree, Reading.CERTAIN)).is_trivial() else make(Matches, tree)


WORD = "example"
"""A string that any parameter may have, and that no server reads as a number, a boolean or JSON."""
MAX_LENGTH = 100_000
"""Longest required string, in characters: more than anyone would read in a witness. With more, the result is
unknown."""


def solve_string(atoms: Iterable[Formula], searcher: Searcher) -> Outcome:
    """A short string that satisfies all the atoms, with the format that they suggest if possible."""
    atoms = list(atoms)
    suggested = [pattern for atom in atoms if isinstance(atom, Hint) for pattern in atom.format]
    if suggested:
        formatted = _solve([*atoms, *suggested], searcher)
        if isinstance(formatted, Found):
            return formatted
    return _solve(atoms, searcher)


def _solve(atoms: list[Formula], searcher: Searcher) -> Outcome:
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
        return EMPTY
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
        # No version of Unicode has a string if this reading, which matches the most and excludes the least, has none.
        widest = _automata(machines, Reading.POSSIBLE, Reading.CERTAIN)
        if doubt and not machines and not lengths[0] and "" not in excluded:
            return Found("", doubt)  # the most likely of all to be outside of what is not modelled
        text = _shortest(widest, *lengths, excluded, searcher)
        if text is None:
            return EMPTY
        agreed = _automata(machines, Reading.CERTAIN, Reading.LOOSE)
        if not all(machine.matches(text) is wanted for machine, wanted in agreed):
            text = _shortest(agreed, *lengths, excluded, searcher)
            if text is None:
                return Unknown("strings with characters on which regular expression engines differ")
    except UnsupportedPatternError as error:
        return Unknown(str(error))
    return Found(text, doubt, 1 + len(text))


def _automata(
    machines: list[tuple[Formula, bool]], matching: Reading, barring: Reading
) -> list[tuple[Automaton, bool]]:
    """The automata of patterns that must match (``True``) in one reading, and of those that must not in another."""
    return [
        (automaton(read(node.pattern, matching if wanted else barring)), wanted)
        for node, wanted in machines
        if isinstance(node, Matches)
    ]


def _shortest(
    machines: list[tuple[Automaton, bool]], low: int, high: int | None, excluded: frozenset[str], searcher: Searcher
) -> str | None:
    """The shortest string, but an empty one only if there is no other: it convinces nobody."""
    # Without patterns, most questions end here and do not need an automaton.
    for word in (WORD, *"ab1_"):
        text: str = word.ljust(low, "a")[:high]
        if text and text not in excluded and all(machine.matches(text) is wanted for machine, wanted in machines):
            return text
    if low == 0 and high != 0:
        found = find_string(machines, 1, high, excluded, searcher.tick)
        if isinstance(found, str):
            return found
    return find_string(machines, low, high, excluded, searcher.tick)
