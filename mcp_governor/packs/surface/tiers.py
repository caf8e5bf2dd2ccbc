"""Tiers, and the lists that return the tools of each (pack surface)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mcp_governor.findings import Tier
from mcp_governor.subjects.context import Context, Hit, hit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Tool


def internal_unpublished(tool: Tool, _context: Context) -> Iterator[Hit]:
    """An internal tool is not published, except in a separate list."""
    if tool.tier is Tier.INTERNAL and tool.opt_in is None:
        yield hit("", tool.tier.value, source=tool.tier_source)


def internal_returned(tool: Tool, _context: Context) -> Iterator[Hit]:
    """No parameter of ``tools/list`` returns an internal tool."""
    if tool.tier is Tier.INTERNAL and tool.opt_in is not None:
        yield hit("", tool.tier.value, params=json.dumps(tool.opt_in))


_TIER_SAID_IN = {
    "config": "the configuration",
    "recorded": "the recording",
    "_meta": "_meta",
    "tags": "its tags",
    "list": "the list that returns it",
}


def tier_agrees(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The declared tier of a tool is that of the list that returns it."""
    if _misfiled(tool) and tool.list_tier is not None:
        yield hit(
            "/tier",
            [tool.tier.value, tool.list_tier.value],
            tier=tool.tier.value,
            source=_TIER_SAID_IN.get(tool.tier_source, tool.tier_source),
            listed=tool.list_tier.value,
        )


def _misfiled(tool: Tool) -> bool:
    return tool.list_tier is not None and tool.list_tier is not tool.tier


def default_list(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The default list contains the tiers ``facade`` and ``standard``, and no others."""
    if _misfiled(tool):
        return  # tier_agrees reports this
    source = _TIER_SAID_IN.get(tool.tier_source, tool.tier_source)
    if tool.tier is Tier.ADVANCED and tool.opt_in is None:
        yield hit("/tier", tool.tier.value, source=source)
    # An undeclared tier cannot contradict the list; tier_declared requires a declaration.
    if tool.tier.rank > Tier.ADVANCED.rank and tool.opt_in is not None and tool.tier_source != "default":
        tier, params = tool.tier.value, json.dumps(tool.opt_in)
        yield hit("/tier", tier, says="hidden", tier=tier, source=source, params=params)
