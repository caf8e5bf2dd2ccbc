"""In which order tools are called: those that say what there is before those that need to know it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.call.words import CREATING, LISTING, READING, REMOVING, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.call.supply import Supply
    from mcp_governor.surface.model import Tool

_LISTS, _MAKES, _SEARCHES, _READS, _CHANGES, _REMOVES = range(6)


def called_first(tools: Sequence[Tool], supply: Supply) -> list[Tool]:
    """The tools in the order of their good calls.

    What lists without being asked for anything comes first, then what creates, searches, reads, changes and removes;
    and a tool that the descriptions of another name comes before that one. Of those that remove something, the ones
    that need to know most remove least, and come first.

    Args:
        tools: in the order of the surface, which decides among equals.
        supply: says which tools a tool's descriptions name.
    """
    ranked = sorted(tools, key=lambda tool: (_rank(tool), -_needs(tool) if _rank(tool) == _REMOVES else 0))
    by_name = {tool.name: tool for tool in ranked}
    # Not recursive: a server may name a thousand tools in a row.
    placed: dict[str, Tool] = {}
    for tool in ranked:
        stack = [tool]
        waiting = {tool.name}
        while stack:
            here = stack[-1]
            before = [
                by_name[name]
                for name in sorted(supply.of(here).mentioned)
                if name in by_name
                and name not in placed
                and name not in waiting
                and _rank(by_name[name]) < _CHANGES
                # Two that name each other stay as their names rank them.
                and here.name not in supply.of(by_name[name]).mentioned
            ]
            if before and _rank(here) != _LISTS:
                stack.append(before[0])
                waiting.add(before[0].name)
            else:
                placed.setdefault(here.name, stack.pop())
    return list(placed.values())


def _rank(tool: Tool) -> int:
    does = words(tool.name)
    verb = next((word for word in does if word in CREATING | READING | REMOVING), "")
    reads = tool.hints.read_only or verb in READING
    if verb in REMOVING and not tool.hints.read_only:
        return _REMOVES
    if reads:
        if not _needs(tool):
            return _LISTS
        return _SEARCHES if verb in LISTING else _READS
    return _MAKES if verb in CREATING else _CHANGES


def _needs(tool: Tool) -> int:
    schema = tool.input_schema
    required = schema.get("required") if isinstance(schema, dict) else None
    return len(required) if isinstance(required, list) else 0
