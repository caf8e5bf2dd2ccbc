"""Estimates the work of validating a value against a schema, before validating it.

The engine evaluates a schema again for each reference to it, so two references at one place, nested forty times, never
finish. No schema from a server or a user's rule is evaluated without this estimate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.schemas.cost import Evaluations
from mcp_governor.schemas.extent import extent

if TYPE_CHECKING:
    from mcp_governor.schemas.references import Document

AFFORDABLE = 1_000_000
"""Maximum number of evaluations of subschemas: about a second."""


class Effort(Struct, frozen=True):
    """The cost of validating a value against a schema.

    Attributes:
        affordable: true if the value can be validated.
        parts: number of reachable subschemas, at five microseconds each, plus one for every five evaluations if it is
            affordable.
    """

    affordable: bool
    parts: int


def effort(schema: Any, document: Document, value: Any) -> Effort:
    """The cost of building a validator and validating a value.

    Args:
        schema: the schema.
        document: where its references are resolved.
        value: any JSON value.
    """
    places, depth = extent(value)
    evaluations = Evaluations(document, AFFORDABLE + 1)
    once = per_place = evaluations.of(schema, document.base_of(document.schema, ""))
    if evaluations.recursive:
        for _ in range(depth):
            per_place = min(per_place * once, AFFORDABLE + 1)
    if evaluations.dynamic or per_place * places > AFFORDABLE:
        return Effort(False, evaluations.reached)
    return Effort(True, evaluations.reached + per_place * places // 5)
