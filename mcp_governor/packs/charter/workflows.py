"""Workflows of the charter (principle 5): their steps have to be tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.prose.alike_names import looks_like_a_tool
from mcp_governor.prose.chains import Step, chained, listed
from mcp_governor.subjects.context import Context, Hit, hit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface


def workflows(surface: Surface, context: Context) -> Iterator[Hit]:
    """Every step of a workflow is a tool: in chains with arrows, and in lists and tables with at least one tool."""
    strings = [(tool.name, "/description", tool.description) for tool in surface.tools]
    if surface.instructions:
        strings.append(("", "/instructions", surface.instructions))
    known = context.facts.names
    for tool, path, text in strings:
        unknown: set[str] = set()
        for steps in (*chained(text), *listed(text)):
            # If no step is a tool, it is about something else: columns, states, settings.
            if not known.isdisjoint(step.name for step in steps):
                unknown.update(step.name for step in steps if _dangles(step, context))
        if unknown:
            yield hit(path, text, tool=tool or None, unknown=sorted(unknown))


def _dangles(step: Step, context: Context) -> bool:
    facts = context.facts
    return step.name not in facts.names and looks_like_a_tool(step.name, facts, marked=step.marked)
