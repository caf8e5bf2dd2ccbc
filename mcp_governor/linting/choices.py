"""The values that an argument can have, by its schema or, where it chooses what a tool does, by its description."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.linting.schemas import effective

if TYPE_CHECKING:
    from collections.abc import Iterable

_CHOOSING = frozenset({"operation", "action", "command", "method", "mode", "op"})
"""Arguments that choose what a tool does; their values are named in prose where they have no ``enum``."""
_VALUES = re.compile(r"\b[a-z]{2,30}(?:_[a-z]{1,30}){1,8}\b")


_QUOTED = re.compile(r"[`'\"]([A-Za-z][\w\-]{1,40})[`'\"]")
_MOST_READ = 2_000
"""Characters of a description that are read for values."""


def quoted_choices(name: str, schema: Any, entry: str) -> list[str]:
    """The values in quotes that the text on an argument gives, where the argument chooses what a tool does.

    Args:
        name: of the argument.
        schema: its schema; what has an ``enum`` has its values there.
        entry: what the description of the tool says of it.
    """
    if name.lower() not in _CHOOSING or not isinstance(schema, dict) or "enum" in schema:
        return []
    own = schema.get("description")
    found = _QUOTED.findall(f"{own if isinstance(own, str) else ''} {entry}"[:_MOST_READ])
    return list(dict.fromkeys(found)) if len(set(found)) > 1 else []


def values_of(root: Any, name: str, schema: Any) -> Iterable[str]:
    """The textual values of an argument, or of the items of a list.

    Args:
        root: the schema that references lead into.
        name: of the argument.
        schema: its schema.
    """
    found = effective(root, schema)
    items = found.get("items")
    listed = found.get("enum", effective(root, items).get("enum") if isinstance(items, dict) else None)
    if isinstance(listed, list):
        return [value for value in listed if isinstance(value, str)]
    said = found.get("description")
    return _VALUES.findall(said) if name.lower() in _CHOOSING and isinstance(said, str) else ()
