"""Containment of a schema that lists its values, by checking each of them."""

from __future__ import annotations

from typing import Any

from mcp_governor.containment.likely import rank
from mcp_governor.containment.outcome import EMPTY, Empty, Found
from mcp_governor.schemas.dialects import dialect_of
from mcp_governor.schemas.soundness import native_validator

MAX_VALUES = 100
"""Most values that are checked one by one. With more, the engines decide."""
_TEXT_LIMITS = ('"dependencies', '"pattern', '"content', '"$re', '"$dynamic')


def listed_values(schema: Any, draft: int) -> list[Any] | None:
    """A list with all instances of the schema, if it or each of its branches lists a few values."""
    if not isinstance(schema, dict):
        return None
    if draft > 4 and "const" in schema:
        return [schema["const"]]
    if "enum" in schema:
        values = schema["enum"]
    else:
        branches = schema.get("anyOf") or schema.get("oneOf")
        if not isinstance(branches, list):
            return None
        values = []
        for branch in branches:
            part = listed_values(branch, draft)
            if part is None:
                return None
            values += part
    return values if isinstance(values, list) and len(values) <= MAX_VALUES else None


def _is_schema(schema: Any, draft: int) -> bool:
    """True if the value has the shape of a schema. In draft 4, booleans are not schemas."""
    return isinstance(schema, dict) or (draft > 4 and isinstance(schema, bool))


def refused(outer: Any, inner: Any, outer_text: str, inner_text: str, default_dialect: int) -> Found | Empty | None:
    """Find the most convincing value that ``inner`` lists and accepts, and that ``outer`` refuses.

    Args:
        outer: any JSON value.
        inner: any JSON value.
        outer_text: the canonical text of ``outer``.
        inner_text: the canonical text of ``inner``.
        default_dialect: the draft of a schema that does not name one.

    Returns:
        ``None`` if this method does not apply: ``inner`` does not list values, one of them is not a valid schema, or
        validating may be slow.
    """
    wide_draft, narrow_draft = dialect_of(outer, default_dialect), dialect_of(inner, default_dialect)
    if wide_draft is None or narrow_draft is None or not (_is_schema(outer, wide_draft) and isinstance(inner, dict)):
        return None
    values = listed_values(inner, narrow_draft)
    sides = ((wide_draft, outer_text), (narrow_draft, inner_text))
    if any(draft == 4 and '"integer"' in text for draft, text in sides):
        # A listed 1 also stands for 1.0, and in draft 4 only one of them is an integer.
        return None
    if values is None or any(word in outer_text or word in inner_text for word in _TEXT_LIMITS):
        return None
    try:
        narrow = native_validator(inner, inner_text, narrow_draft)
        wide = native_validator(outer, outer_text, wide_draft)
    except ValueError:
        return None

    for value in sorted(values, key=rank):
        if not wide.is_valid(value) and narrow.is_valid(value):
            return Found(value)
    return EMPTY
