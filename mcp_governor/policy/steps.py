"""The version step that one change needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.change.model import Verdict
from mcp_governor.findings import Bump, Tier

if TYPE_CHECKING:
    from mcp_governor.change.model import Change


def required_step(change: Change, *, unknown: str = "breaking") -> Bump:
    """The step that one change needs from 1.0.0 on: the change's own, and a major one for any removal of a tool.

    Args:
        change: with the step that its tier asks for.
        unknown: ``compatible`` counts what could not be decided as an addition.
    """
    if change.verdict is Verdict.UNKNOWN and unknown == "compatible":
        return Bump.MINOR if change.bump is Bump.MAJOR else change.bump
    # Surface governance, "Deprecation policy", step 4: removal is allowed only on a major bump, whatever the tier.
    if change.kind == "tool-removed" and change.tier is Tier.ADVANCED:
        return Bump.MAJOR
    return change.bump
