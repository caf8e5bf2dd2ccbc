"""Repeated words: copied descriptions, boilerplate, and near-identical tools. Linear in the number of tools."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from mcp_governor.prose.words import words
from mcp_governor.subjects.context import Context, Hit, hit
from mcp_governor.subjects.phrases import counted
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface, Tool

_MAX_TEXT = 20_000
"""Maximum number of characters of one description that are compared: far more than any client shows."""

_MIN_WORDS = 3
"""Minimum number of words of a description that two tools share; shorter ones are labels."""


def twins(surface: Surface, _context: Context) -> Iterator[Hit]:
    """No two tools have the same description and the same input schema; one hit for the server."""
    said = [" ".join(tool.description.split()) for tool in surface.tools]
    copies = Counter(said)
    families: dict[tuple[str, str], list[Tool]] = {}
    for tool, text in zip(surface.tools, said, strict=True):
        if copies[text] > 1 and len(words(tool.description[:_MAX_TEXT])) >= _MIN_WORDS:
            schema = json.dumps(tool.raw.get("inputSchema"), sort_keys=True, default=str)
            families.setdefault((text, schema), []).append(tool)
    found = [family for family in families.values() if len({tool.name for tool in family}) > 1]
    if found:
        shown = [" and ".join(one_line(tool.name, 64) for tool in family[:_SHOWN]) for family in found[:_SHOWN]]
        more = f" and {counted(len(found) - _SHOWN, 'more pair')}" if len(found) > _SHOWN else ""
        spots = ((tool.name, "/description") for family in found for tool in family)
        named = [[tool.name for tool in family] for family in found]
        yield hit("/tools", named, spots=spots, twins="; ".join(shown) + more)


# -- near-identical tools

_SHOWN = 3
"""Maximum number of other tools named in a message."""
