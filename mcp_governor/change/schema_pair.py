"""Two schemas at one place of a tool, and how they are to be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.change.vocabulary import Level, Side

if TYPE_CHECKING:
    from mcp_governor.change.options import ChangeOptions
    from mcp_governor.findings import Tier


class SchemaPair(Struct, frozen=True):
    """The two sides of a comparison.

    Attributes:
        old, new: the published schemas.
        side: input or output.
        tool: the tool's name.
        tier: of the tool.
        level: declared or strict.
        options: the policy.
    """

    old: Any
    new: Any
    side: Side
    tool: str
    tier: Tier
    level: Level
    options: ChangeOptions

    @property
    def base(self) -> str:
        """Pointer to the schema in the tool."""
        return "/inputSchema" if self.side is Side.INPUT else "/outputSchema"
