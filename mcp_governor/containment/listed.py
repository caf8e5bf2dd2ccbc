"""Containment of a schema that lists its values: each of them is looked at."""

from __future__ import annotations

from typing import Any

from mcp_governor.containment.outcome import Cases, Contradiction, Found, Outcome, first_found, refuted
from mcp_governor.schemas.dialects import dialect_of
from mcp_governor.schemas.soundness import native_validator
from mcp_governor.schemas.values import text_of

MOST = 100
"""Values that are looked at one by one. Beyond: the engines are asked."""
_TEXT_LIMITS = ('"pattern', '"content', '"$re', '"$dynamic')


def listed_values(schema: Any, draft: int) -> list[Any] | None:
    """Values that hold all instances of the schema, where it or each of its branches lists a few."""
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
    return values if isinstance(values, list) and len(values) <= MOST else None


def _is_schema(schema: Any, draft: int) -> bool:
    """Whether the value has the shape of a schema: draft 4 has no booleans among them."""
    return isinstance(schema, dict) or (draft > 4 and isinstance(schema, bool))


def refused(outer: Any, inner: Any, outer_text: str, inner_text: str, default_dialect: int) -> Outcome | None:
    """A value that ``inner`` lists and accepts and ``outer`` does not, the shortest.

    Args:
        outer: any JSON value.
        inner: any JSON value.
        outer_text: the canonical text of ``outer``.
        inner_text: the canonical text of ``inner``.
        default_dialect: the draft of a schema that does not name one.

    Returns:
        ``None`` where the question is not of this simple kind: nothing is listed, one of them is no valid schema, or
        validating could be more than a look.
    """
    wide_draft, narrow_draft = dialect_of(outer, default_dialect), dialect_of(inner, default_dialect)
    if wide_draft is None or narrow_draft is None or not (_is_schema(outer, wide_draft) and isinstance(inner, dict)):
        return None
    values = listed_values(inner, narrow_draft)
    sides = ((wide_draft, outer_text), (narrow_draft, inner_text))
    if any(draft == 4 and '"integer"' in text for draft, text in sides):
        # a listed 1 stands for 1.0 as well, and draft 4 takes only one of the two for an integer
        return None
    if values is None or any(word in outer_text or word in inner_text for word in _TEXT_LIMITS):
        return None
    try:
        narrow = native_validator(inner, inner_text, narrow_draft)
        wide = native_validator(outer, outer_text, wide_draft)
    except ValueError:
        return None

    def look(text: str) -> Outcome:
        value = ordered[text]
        refuses = not wide.is_valid(value) and narrow.is_valid(value)
        return Found(value) if refuses else refuted(Contradiction.CANDIDATE)

    ordered = dict(sorted(((text_of(value), value) for value in values), key=lambda pair: len(pair[0])))
    return first_found(Cases.each(ordered), look)
