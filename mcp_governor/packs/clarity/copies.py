"""Repeated words: copied descriptions, boilerplate, and near-identical tools. Linear in the number of tools."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.words import STOP_WORDS, name_words, stem, words
from mcp_governor.subjects.context import Context, Hit, hit
from mcp_governor.subjects.phrases import counted
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.subjects.context import SchemaPlace
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


def copied_argument(tool: Tool, context: Context) -> Iterator[Hit]:
    """No two parameters of one object have the same description.

    Three or more share one on purpose: it gives a format, such as "ISO 8601 date", and their names differ enough.
    """
    alike: dict[str, list[tuple[SchemaPlace, str]]] = {}
    for node in context.facts.nodes(tool):
        text = node.schema.get("description") if isinstance(node.schema, dict) else None
        if node.argument is not None and node.side == "inputSchema" and isinstance(text, str):
            alike.setdefault(_letters(text[:_MAX_TEXT]), []).append((node, text))
    yield from _of_the_tool(tool, alike)
    same: dict[tuple[Any, ...], list[tuple[SchemaPlace, str]]] = {}
    for node, text in (one for found in alike.values() if len(found) > 1 for one in found):
        said = tuple(words(text[:_MAX_TEXT]))
        if len([word for word in said if word not in STOP_WORDS]) < 2:
            continue
        same.setdefault((node.tokens[:-1], said), []).append((node, text))
    for found in same.values():
        if len(found) == _A_COPY:
            (first, _), (second, text) = found
            # Neither "Cloud only" nor "Colour without #" is about one of the two: what differs is in their names.
            one, other = ({stem(word) for word in name_words(node.argument or "")} for node in (first, second))
            if (one ^ other).isdisjoint(stem(word) for word in words(text[:_MAX_TEXT])):
                continue
            yield hit(f"{second.pointer}/description", text, argument=second.argument, other=first.argument)


def _of_the_tool(tool: Tool, said: dict[str, list[tuple[SchemaPlace, str]]]) -> Iterator[Hit]:
    """One of several parameters has the description of the tool."""
    own = tool.description[:_MAX_TEXT]
    several = sum(map(len, said.values())) > 1
    for node, text in said.get(_letters(own), ()) if several and len(words(own)) >= _MIN_WORDS else ():
        yield hit(f"{node.pointer}/description", text, says="tool", argument=node.argument)


_DROPPED = {code: None for code in range(128) if not chr(code).isalnum()}


def _letters(text: str) -> str:
    """The words of a string without what separates them: far cheaper than its words, and equal if they are."""
    return text.lower().translate(_DROPPED) if text.isascii() else "".join(words(text)).replace("'", "")


_A_COPY = 2
"""Number of parameters with the same description that suggests a mistake."""


# -- near-identical tools

_PRAISE = frozenset(
    [
        *("advanced", "basic", "better", "enhanced", "ex", "extended", "full", "improved", "legacy", "new", "old"),
        *("plus", "pro", "robust", "safe", "simple", "smart", "v2", "v3"),
    ]
)
"""Last words of names that say how good a tool is, not what it does."""
_WHEN = lazy_pattern(
    r"\b(?:use (?:this|it|when|for|only|if|instead)|instead of|rather than|prefer|unlike|when (?:you|the)|"
    r"only (?:for|if)|deprecated|also returns|in addition)\b",
    re.IGNORECASE,
)
_SHOWN = 3
"""Maximum number of other tools named in a message."""


def overlapping_tools(surface: Surface, _context: Context) -> Iterator[Hit]:
    """The description of a better version of a tool says when to use which; one hit per family."""
    families: dict[tuple[str, ...], list[Tool]] = {}
    for tool in surface.tools:
        parts = _name(tool)
        for size in range(1, min(len(parts), 4) + 1):
            families.setdefault(parts[:size], []).append(tool)
    done: set[tuple[str, ...]] = set()
    for tool in surface.tools:
        parts = _name(tool)
        base = parts[:-1]
        if len(base) < 2 or parts[-1] not in _PRAISE or base in done or len(base) > 4:
            continue
        twins = [other for other in islice(families[base], 20) if other is not tool]
        if (
            not twins
            or _explains(tool, twins)
            or any(_name(other) == base and _explains(other, [tool]) for other in twins)
        ):
            continue
        done.add(base)
        twins.sort(key=lambda other: (_name(other) != base, _name(other)[-1] not in _PRAISE))
        siblings = ", ".join(one_line(other.name, 64) for other in twins[:_SHOWN])
        yield hit("/description", tool.description, tool=tool.name, word=parts[-1], siblings=siblings)


def _name(tool: Tool) -> tuple[str, ...]:
    """The words of a name, with a version kept as one word."""
    parts = name_words(tool.name)
    if len(parts) > 2 and parts[-2] == "v" and parts[-1].isdigit():
        return (*parts[:-2], f"v{parts[-1]}")
    return parts


def _explains(tool: Tool, twins: list[Tool]) -> bool:
    text = tool.description[:_MAX_TEXT]
    if _WHEN.search(text) or any(other.name in text for other in twins):
        return True
    if _name(tool)[-1] not in _AMOUNTS:
        return False
    words = set(_WORD.findall(text.lower()))
    # A full version that lists what the light one lacks leaves no doubt.
    return all(len(words.difference(_WORD.findall(other.description[:_MAX_TEXT].lower()))) >= _ADDED for other in twins)


_WORD = lazy_pattern(r"[a-z]{3,}")
_ADDED = 6
"""Number of words that say what is added: "detailed and extensive, including all" has four."""
_AMOUNTS = frozenset({"basic", "extended", "full", "simple"})
"""Words of praise for an amount of output, which a description may spell out."""
