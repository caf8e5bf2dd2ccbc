"""The decision: equality first, then the native engine."""

from __future__ import annotations

from typing import Any

import jsonschema_rs

from mcp_governor.containment.model import Containment
from mcp_governor.containment.problem import DEFAULT_DIALECT, schema_problem


def contains(
    outer: Any, inner: Any, *, deadline: float = 1.0, default_dialect: int = DEFAULT_DIALECT
) -> Containment:
    """Does ``outer`` accept every instance that ``inner`` accepts?

    Formats are annotations. The dialect is that of ``$schema``.

    Args:
        outer: the schema that should accept more.
        inner: the schema whose instances are asked for.
        deadline: seconds after which the answer is ``unknown``.
        default_dialect: the draft of a schema that does not name one: 4, 6, 7, 19 or 20.

    Returns:
        ``yes`` is proved, ``no`` is proved or witnessed, ``unknown`` carries a reason. Never raises for a
        schema that is not one.
    """
    if outer == inner:
        return Containment("yes")
    for side, schema in (("outer", outer), ("inner", inner)):
        if problem := schema_problem(schema, default_dialect=default_dialect):
            return Containment("unknown", reason=f"the {side} schema {problem}")
    try:
        answer = _canonical(outer, default_dialect).covers(_canonical(inner, default_dialect))
    except ValueError as error:
        return Containment("unknown", reason=str(error))
    if answer == jsonschema_rs.canonical.Containment.YES:
        return Containment("yes")
    if answer == jsonschema_rs.canonical.Containment.NO:
        return Containment("no")
    return Containment("unknown", reason="the engine cannot decide it")


def _canonical(schema: Any, default_dialect: int) -> jsonschema_rs.CanonicalSchema:
    draft = None if isinstance(schema, dict) and "$schema" in schema else default_dialect
    return jsonschema_rs.canonicalize(schema, draft=draft, validate_formats=False, offline=True)
