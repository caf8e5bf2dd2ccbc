"""Recognises words in a description that can only be names of the server's tools."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.subjects.schemas import effective, root_of, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.subjects.context import Facts

_INNER_CAPITAL = lazy_pattern(r"[a-z0-9][A-Z]")


def looks_like_a_tool(word: str, facts: Facts, *, marked: bool) -> bool:
    """True if a word is spelled like the server's tools, and nothing else on the server has that name.

    A word without a separator and without an inner capital is a plain word. A word in another style belongs to another
    server, or to the subject of this one.

    Args:
        word: an identifier; an existing tool of the server also counts.
        facts: of the surface.
        marked: the word is in quotes or called, which excludes "read-only" and "e.g".
    """
    if word in facts.names:
        return True
    wanted = _styles(word)
    if not wanted or (not marked and wanted <= {"-", "."}):
        return False
    return wanted <= facts.memo("tool-styles", lambda: frozenset().union(*map(_styles, facts.names))) and (
        word not in other_names(facts)
    )


def _styles(name: str) -> frozenset[str]:
    """How the parts of a name are separated, and if it is in capitals, like environment variables."""
    found = {mark for mark in "_-." if mark in name.strip("_-.")}
    if _INNER_CAPITAL.search(name):
        found.add("aB")
    if found and name.isupper():
        found.add("AB")
    return frozenset(found)


_CHOOSING = frozenset({"operation", "action", "command", "method", "mode", "op"})
"""Parameters that select what a tool does; without an ``enum``, descriptions name the values."""
_SNAKE = lazy_pattern(r"\b[a-z]{2,30}(?:_[a-z]{1,30}){1,8}\b", re.NOFLAG)
_MAX_READ = 20_000
"""Maximum number of characters searched for the values of such a parameter."""


def other_names(facts: Facts) -> frozenset[str]:
    """Names of parameters, result fields, values, prompts and resources; a word spelled like one is not a tool."""
    return facts.memo("other names", lambda: frozenset(_other_names(facts)))


def _other_names(facts: Facts) -> Iterator[str]:
    for tool in facts.surface.tools:
        for node in facts.nodes(tool):
            if node.argument is None or not isinstance(node.schema, dict):
                continue
            yield node.argument
            values = values_of(root_of(node), effective(root_of(node), node.schema))
            yield from (value for value in values or () if isinstance(value, str))
            if node.argument.lower() in _CHOOSING and not values:
                yield from _SNAKE.findall(f"{node.schema.get('description')} {tool.description}"[:_MAX_READ])
    for entry in (*facts.surface.prompts, *facts.surface.resources, *facts.surface.templates):
        name = entry.get("name") if isinstance(entry, dict) else None
        if isinstance(name, str):
            yield name
