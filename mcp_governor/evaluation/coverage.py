"""Which tools and parameters of a server a query set asks about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.evaluation.against import parameters
from mcp_governor.evaluation.model import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcp_governor.evaluation.model import Query
    from mcp_governor.surface import Tool


class ToolCoverage(Struct, frozen=True):
    """What a set asks about one tool.

    Attributes:
        tool: its name.
        positive, sibling: number of queries of these kinds for which it is right.
        parameters: names of its parameters.
        matched: those that a matcher of these queries names.
    """

    tool: str
    positive: int
    sibling: int
    parameters: tuple[str, ...]
    matched: tuple[str, ...]


def coverage(queries: Sequence[Query], tools: Iterable[Tool]) -> tuple[ToolCoverage, ...]:
    """What a set asks about each tool, in their order."""
    found = []
    for tool in tools:
        about = [query for query in queries if tool.name in query.gold]
        known = parameters(tool)
        matched = {name for query in about for name in query.arguments}
        found.append(
            ToolCoverage(
                tool.name,
                sum(query.kind is Kind.POSITIVE for query in about),
                sum(query.kind is Kind.SIBLING for query in about),
                known,
                tuple(name for name in known if name in matched),
            )
        )
    return tuple(found)
