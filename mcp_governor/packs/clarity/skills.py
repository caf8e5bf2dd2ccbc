"""What the skills of a server say about its tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.subjects.context import Context, Hit, hit
from mcp_governor.text import nearest, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface

_OWN = lazy_pattern(r"[a-z][a-z0-9]*(?:[_.-][a-zA-Z0-9]+)+")
"""Names as servers give them. Those of hosts are one word (``bash``) or begin with a capital (``WebFetch``)."""


def allowed_tools(surface: Surface, _context: Context) -> Iterator[Hit]:
    """The names in ``allowed-tools`` that no tool has."""
    if not surface.tools:
        return
    for skill in surface.skills:
        gone = [
            name for name in skill.allowed_tools if _OWN.fullmatch(name) and name not in surface.by_name
            # mcp__SERVER__TOOL: the host has named the server
            and "__" not in name
        ]  # fmt: skip
        if gone:
            meant = nearest(gone[0], surface.by_name) if len(gone) == 1 else None
            yield hit(
                f"/skills/{skill.index}/frontmatter/allowed-tools",
                skill.frontmatter.get("allowed-tools"),
                skill=one_line(skill.name, 64),
                names=", ".join(one_line(name, 64) for name in gone[:10]),
                meant=f" ({meant} is near)" if meant else "",
            )
