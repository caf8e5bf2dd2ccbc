"""A list under load is the list that came alone, in whatever order; any other one is a failure by its kind."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.load.model import Point

EMPTY, SHORTER, LONGER, OTHER = "list-empty", "list-shorter", "list-longer", "list-differs"
"""Kinds of failure: no tools at all; some are gone; some came; some of each, or a definition is another one."""

KINDS = (EMPTY, SHORTER, LONGER, OTHER)


def changed_lists(point: Point) -> int:
    """Number of responses of a point that were another list."""
    return sum(point.errors.get(kind, 0) for kind in KINDS)


def drift(first: Sequence[Any], now: Sequence[Any]) -> str | None:
    """How a list differs from the first one; ``None`` if it holds the same tools with the same definitions.

    The order does not count: a server that sorts by chance does so without load too, where ``load/unstable-order`` says
    it.

    Args:
        first, now: the tools of one page.
    """
    if now == first:
        return None
    if not now:
        return EMPTY
    before, after = _named(first), _named(now)
    gone, new = _names(before) - _names(after), _names(after) - _names(before)
    if gone or new:
        return OTHER if gone and new else SHORTER if gone else LONGER
    return None if before == after else OTHER


def _named(tools: Sequence[Any]) -> Mapping[str, list[Any]]:
    """The definitions of each name; those of one name stay in order."""
    found: dict[str, list[Any]] = {}
    for tool in tools:
        name = tool.get("name") if isinstance(tool, dict) else None
        found.setdefault(name if isinstance(name, str) else "", []).append(tool)
    return found


def _names(named: Mapping[str, list[Any]]) -> Counter[str]:
    return Counter({name: len(tools) for name, tools in named.items()})
