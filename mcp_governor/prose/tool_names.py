"""Recognises words in a description that can only be names of the server's tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern

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
        word not in facts.memo("other-names", lambda: frozenset(_other_names(facts)))
    )


def _styles(name: str) -> frozenset[str]:
    """How the parts of a name are separated, and if it is in capitals, like environment variables."""
    found = {mark for mark in "_-." if mark in name.strip("_-.")}
    if _INNER_CAPITAL.search(name):
        found.add("aB")
    if found and name.isupper():
        found.add("AB")
    return frozenset(found)


def _other_names(facts: Facts) -> Iterator[str]:
    """Other names on the server: parameters and fields, their values, prompts and resources."""
    for tool in facts.surface.tools:
        for node in facts.nodes(tool):
            if node.argument is not None:
                yield node.argument
            if isinstance(node.schema, dict):
                values = node.schema.get("enum")
                yield from (value for value in values if isinstance(value, str)) if isinstance(values, list) else ()
                if isinstance(node.schema.get("const"), str):
                    yield node.schema["const"]
    for entry in (*facts.surface.prompts, *facts.surface.resources, *facts.surface.templates):
        name = entry.get("name") if isinstance(entry, dict) else None
        if isinstance(name, str):
            yield name
