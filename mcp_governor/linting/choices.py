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
