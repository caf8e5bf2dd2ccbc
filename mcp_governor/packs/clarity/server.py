"""What is missing from a server as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.subjects.context import hit
from mcp_governor.subjects.phrases import counted, first_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.subjects.context import Context, Hit
    from mcp_governor.surface.model import Surface


def undescribed_tools(surface: Surface, _context: Context) -> Iterator[Hit]:
    """More than half of the tools have a description; one hit for the server."""
    silent = [tool.name for tool in surface.tools if not tool.description.strip()]
    if silent and 2 * len(silent) >= len(surface.tools):
        spots = ((name, "/description") for name in silent)
        total, names = counted(len(surface.tools), "tool"), first_of(silent, 6)
        yield hit("/tools", None, spots=spots, count=len(silent), total=total, names=names)
