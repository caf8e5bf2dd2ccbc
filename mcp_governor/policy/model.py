"""What the policy decides: the step that one change needs, and if a release may go out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.change.terms import Verdict
from mcp_governor.findings import Bump, Tier
from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from mcp_governor.change.model import Change
    from mcp_governor.findings import Finding
    from mcp_governor.stage import Pending


@frozen
class PolicyResult:
    """The decision about a release: if it may go out as it is.

    Attributes:
        required_bump: the smallest step that the changes need, given tiers and the policy before 1.0.0.
        declared_bump: the step that the two versions make; ``None`` where one of them is unknown.
        findings: of pack ``policy``.
        forcing: the changes that need the required bump, so that a summary can name them.
        pending: what waits for the next release, ``None`` at a release and where nothing does.
        coming: the version to release the changes as; ``None`` where it is unknown.
    """

    required_bump: Bump = Bump.NONE
    declared_bump: Bump | None = None
    findings: tuple[Finding, ...] = ()
    forcing: tuple[Change, ...] = ()
    pending: Pending | None = None
    coming: str | None = None


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
