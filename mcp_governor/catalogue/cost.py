"""How much work it may be to hold a value against a schema, before anybody does it.

The engine evaluates a schema again wherever a reference leads to it, so that two references in one place, forty
times over, never end. Nothing that a server or a user's rule says is evaluated without this look at it first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.schemas.cost import Evaluations
from mcp_governor.schemas.extent import extent

if TYPE_CHECKING:
    from mcp_governor.schemas.references import Document

AFFORDABLE = 1_000_000
"""Most evaluations of subschemas that are worth an answer: about a second."""


class Effort(NamedTuple):
    """What it costs to hold a value against a schema.

    Attributes:
        affordable: true if it is worth the answer.
        parts: the subschemas that are reached, five microseconds each, and as much for every five evaluations of
            what is affordable.
    """

    affordable: bool
    parts: int


def affordable(schema: Any, document: Document, value: Any) -> bool:
    """True if a value can be held against a schema in bounded time; see :func:`effort`."""
    return effort(schema, document, value).affordable


def effort(schema: Any, document: Document, value: Any) -> Effort:
    """What it costs to build a validator of a schema and to hold a value against it.

    Args:
        schema: the schema.
        document: what its references are looked up in.
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
