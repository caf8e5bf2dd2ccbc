"""Which of several witnesses convinces: one that a live server refuses too, and that a client might send.

Servers coerce: pydantic and zod take ``false`` for 0, 1 for ``true``, ``null`` for an omitted parameter, and
JavaScript's ``Number("")`` and ``Number([])`` are 0. JavaScript cannot send an integer beyond 2**53 exactly. None of
this is against a schema, so it decides only which value is tried first.
"""

from __future__ import annotations

from typing import Any

from mcp_governor.schemas.values import text_of, type_of

KINDS = ("string", "object", "array", "number", "boolean", "null")
"""The JSON types, those first whose values no server takes for another type."""
USUAL = 2
"""A number that no server takes for a boolean."""
SAFE = 2**53
"""Integers below it are exact in JavaScript (RFC 8259, section 6)."""


def rank(value: Any) -> tuple[int, int, int, str]:
    """Sort key for values: convincing ones first, then short ones."""
    text = text_of(value)
    return int(is_coercible(value)), KINDS.index(type_of(value)), len(text), text


def is_coercible(value: Any) -> bool:
    """True if some servers take the value for one of another type, or if few clients can send it."""
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return value in (0, 1) or abs(value) >= SAFE
    return isinstance(value, str) and (not value or value.strip().lower() in _WORDS or _is_number(value))


_WORDS = frozenset(["0", "1", "f", "false", "n", "no", "null", "off", "on", "t", "true", "y", "yes"])
"""What pydantic reads as a boolean, and JSON as null."""


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
