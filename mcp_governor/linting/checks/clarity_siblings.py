"""Tools of one server that a model may take for one another. Every step is linear in the number of tools."""

from __future__ import annotations

import zlib
from collections import Counter
from typing import TYPE_CHECKING

from mcp_governor.linting.context import Context, Hit, hit
from mcp_governor.linting.words import MUTATING_VERBS, READING_VERBS, name_words, says, stem, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.surface.model import Surface, Tool

_SHINGLE = 4
"""Words in a row that are compared: fewer agree by chance, more miss descriptions that differ in a word here and
there."""
_SKETCH = 8
"""Shingles of one description that others are found by: descriptions that share most of theirs share one of eight
almost surely. A description with fewer is too short to be compared."""


def confusable_names(surface: Surface, _context: Context) -> Iterator[Hit]:
    """The word that tells two names apart is said in the description."""
    named = [(tool, parts) for tool, parts in _without_common_prefix(surface) if len(parts) > 1]
    siblings = _siblings(named)
    complete = {parts: tool.name for tool, parts in named}
    for tool, parts in named:
        stems: set[str] | None = None
        for position, word in enumerate(parts):
            rest = (parts[:position], parts[position + 1 :])
            other = _other(siblings.get(rest, ()), tool.name) or complete.get(rest[0] + rest[1])
            # Verbs are said in many ways; what tells objects and manners apart is said by its name.
            if other is None or word.isdigit() or word in READING_VERBS or word in MUTATING_VERBS:
                continue
            stems = stems if stems is not None else {stem(said) for said in words(tool.description)}
            if not says(stems, word):
                yield hit("/description", tool.raw.get("description"), tool=tool.name, word=word, sibling=other)


def _without_common_prefix(surface: Surface) -> Iterator[tuple[Tool, tuple[str, ...]]]:
    """Names as words, without a first word that most of the names share: the name of the product."""
    named = [(tool, name_words(tool.name)) for tool in surface.tools]
    counts = Counter(parts[0] for _, parts in named if parts)
    for tool, parts in named:
        common = len(parts) > 1 and len(named) > 2 and counts[parts[0]] * 2 > len(named)
        is_verb = bool(parts) and (parts[0] in READING_VERBS or parts[0] in MUTATING_VERBS)
        yield tool, parts[1:] if common and not is_verb else parts


_Gap = tuple[tuple[str, ...], tuple[str, ...]]


def _siblings(named: list[tuple[Tool, tuple[str, ...]]]) -> Mapping[_Gap, tuple[str, ...]]:
    """Names by what is left of them without one word; two per gap are enough to find a sibling."""
    out: dict[_Gap, tuple[str, ...]] = {}
    for tool, parts in named:
        for position in range(len(parts)):
            gap = (parts[:position], parts[position + 1 :])
            known = out.get(gap, ())
            if len(known) < 2:
                out[gap] = (*known, tool.name)
    return out


def _other(names: tuple[str, ...], name: str) -> str | None:
    return next((other for other in names if other != name), None)


def near_identical(surface: Surface, context: Context) -> Iterator[Hit]:
    """No two descriptions are the same but for a few words."""
    threshold = context.options["similarity"]
    shingled = [(tool, _shingles(tool)) for tool in surface.tools]
    first: dict[int, tuple[Tool, frozenset[int]]] = {}
    for tool, shingles in shingled:
        if len(shingles) < _SKETCH:
            continue
        sketch = sorted(shingles)[:_SKETCH]
        # Tools that share most of their shingles share one of the smallest; comparing with the first holder
        # of each keeps the work per tool constant.
        for other, theirs in {id(held): held for key in sketch if (held := first.get(key))}.values():
            similarity = len(shingles & theirs) / len(shingles | theirs)
            if similarity >= threshold:
                percent = round(100 * similarity)
                yield hit("/description", tool.description, tool=tool.name, sibling=other.name, percent=percent)
                break
        entry = (tool, shingles)
        for key in sketch:
            first.setdefault(key, entry)


def _shingles(tool: Tool) -> frozenset[int]:
    said = words(tool.description)
    return frozenset(
        zlib.crc32(" ".join(said[start : start + _SHINGLE]).encode("utf-8", "surrogatepass"))
        for start in range(len(said) - _SHINGLE + 1)
    )
