"""Order the calls: tools that list things come before tools that need their ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.call.words import CREATING, LISTING, READING, REMOVING, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.call.candidates import Supply
    from mcp_governor.surface.model import Tool

_LISTS, _MAKES, _SEARCHES, _READS, _CHANGES, _REMOVES = range(6)


def called_first(tools: Sequence[Tool], supply: Supply) -> list[Tool]:
    """The tools in the order of their good calls.

    Tools that list things and require no arguments come first, then those that create, search, read, change and
    remove. A tool that the descriptions of another tool mention comes before that tool. Among tools that remove
    something, those with the most required parameters remove the least, so they come first.

    Args:
        tools: in the order of the surface, which breaks ties.
        supply: knows which tools the descriptions of a tool mention.
    """
    ranked = sorted(tools, key=lambda tool: (_rank(tool), -_required_count(tool) if _rank(tool) == _REMOVES else 0))
    by_name = {tool.name: tool for tool in ranked}
    # Not recursive, because a server may publish a chain of a thousand tools that mention each other.
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
                # Two tools that mention each other stay in the order of their ranks.
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
        if not _required_count(tool):
            return _LISTS
        return _SEARCHES if verb in LISTING else _READS
    return _MAKES if verb in CREATING else _CHANGES


def _required_count(tool: Tool) -> int:
    schema = tool.input_schema
    required = schema.get("required") if isinstance(schema, dict) else None
    return len(required) if isinstance(required, list) else 0
