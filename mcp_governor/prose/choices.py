"""Values that a parameter can have, from its schema or, if it selects what a tool does, from its description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.subjects.schemas import effective

if TYPE_CHECKING:
    from collections.abc import Iterable

_CHOOSING = frozenset({"operation", "action", "command", "method", "mode", "op"})
"""Parameters that select what a tool does; without an ``enum``, their description names the values."""
_LISTED = frozenset({"enum", "items", "$ref", "anyOf", "oneOf"})
"""Keywords with one of which a schema may list values."""
_VALUES = lazy_pattern(r"\b[a-z]{2,30}(?:_[a-z]{1,30}){1,8}\b")


_QUOTED = lazy_pattern(r"[`'\"]([A-Za-z][\w\-]{1,40})[`'\"]")
_MAX_READ = 2_000
"""Maximum number of characters of a description searched for values."""


def may_have_values(name: str, schema: Any) -> bool:
    """True if :func:`quoted_choices` or :func:`values_of` may find anything, which is so for few parameters."""
    return isinstance(schema, dict) and (not _LISTED.isdisjoint(schema) or name.lower() in _CHOOSING)


def quoted_choices(name: str, schema: Any, entry: str) -> list[str]:
    """The quoted values in the description of a parameter that selects what a tool does.

    Args:
        name: of the parameter.
        schema: its schema; if it has an ``enum``, the values are there.
        entry: the tool's description of the parameter.
    """
    if name.lower() not in _CHOOSING or not isinstance(schema, dict) or "enum" in schema:
        return []
    own = schema.get("description")
    found = _QUOTED.findall(f"{own if isinstance(own, str) else ''} {entry}"[:_MAX_READ])
    return list(dict.fromkeys(found)) if len(set(found)) > 1 else []


def values_of(root: Any, name: str, schema: Any) -> Iterable[str]:
    """The string values of a parameter or of a list's items.

    Args:
        root: the schema in which references are resolved.
        name: of the parameter.
        schema: its schema.
    """
    if not may_have_values(name, schema):
        return ()
    found = effective(root, schema)
    items = found.get("items")
    listed = found.get("enum", effective(root, items).get("enum") if isinstance(items, dict) else None)
    if isinstance(listed, list):
        return [value for value in listed if isinstance(value, str)]
    said = found.get("description")
    return _VALUES.findall(said) if name.lower() in _CHOOSING and isinstance(said, str) else ()
