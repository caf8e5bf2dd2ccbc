"""The description rules of the charter (Principle 2 and Enforcement level 1)."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from mcp_governor.linting.context import Context, Hit, hit
from mcp_governor.linting.mentions import NameIndex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Tool

_MARKS = re.compile(r"[*_]+")
_QUOTE = re.compile(r"[\s>]*")
_SENTENCE = re.compile(r"(?<=[.!?])[\s*_]+|\n\s*\n")
_LEAD = "use this when"
_CUES = ("instead when", "don't use when", "do not use when")


def _folded(text: str) -> str:
    """Lower case, no emphasis marks, one kind of apostrophe, white space and line breaks as single spaces."""
    return " ".join(_MARKS.sub("", text).lower().replace("\u2019", "'").split())


def use_this_when(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The description opens with "Use this when"; marks of emphasis and block quotes do not count."""
    opening = _QUOTE.sub("", tool.description, count=1)
    if not _folded(opening[:200]).startswith(_LEAD):
        yield hit("/description", tool.raw.get("description"))


def _disambiguates(text: str) -> bool:
    folded = _folded(text)
    return any(cue in folded for cue in _CUES)


def disambiguation(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The description says when to use something else, or when not to use this."""
    if not _disambiguates(tool.description):
        yield hit("/description", tool.raw.get("description"))


def _others(tool: Tool, context: Context) -> list[tuple[int, str]]:
    """Mentions of other tools of the surface in the description."""
    index = context.facts.memo("name-index", lambda: NameIndex(context.facts.names))
    return [(start, name) for start, name in index.mentions(tool.description) if name != tool.name]


def composition(tool: Tool, context: Context) -> Iterator[Hit]:
    """The description names another tool of the same surface."""
    if not _others(tool, context):
        yield hit("/description", tool.raw.get("description"))


def separate_composition(tool: Tool, context: Context) -> Iterator[Hit]:
    """Some other tool is named outside the sentences that tell when not to use this one."""
    text = tool.description
    others = _others(tool, context)
    if not others:
        return
    bounds = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text) + 1]
    for start, end in pairwise(bounds):
        if not _disambiguates(text[start:end]) and any(start <= at < end for at, _ in others):
            return
    yield hit("/description", text, names=sorted({name for _, name in others}))
