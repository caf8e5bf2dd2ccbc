"""A pattern as a formula."""

from __future__ import annotations

from functools import lru_cache

from mcp_governor.containment.automaton import automaton
from mcp_governor.containment.formulas import TRUE, Formula, Matches, Opaque, all_of, any_of, make, negate, types
from mcp_governor.containment.regex import Cat, Edge, Look, Reading, Regex, UnsupportedPatternError, parse, read
from mcp_governor.schemas.formats import WIDER
from mcp_governor.schemas.soundness import compiles
from mcp_governor.schemas.values import TYPES

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
