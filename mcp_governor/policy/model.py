"""What the policy decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.findings import Bump
from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from mcp_governor.change.model import Change
    from mcp_governor.findings import Finding


@frozen
class PolicyResult:
    """Whether a release may go out as it is.

    Attributes:
        required_bump: the smallest step that the changes need, given tiers and the policy before 1.0.0.
        declared_bump: the step that the two versions make; ``None`` where one of them is not told.
        findings: of pack ``policy``.
        forcing: the changes that need the required bump, so that a summary can name them.
    """

    required_bump: Bump = Bump.NONE
    declared_bump: Bump | None = None
    findings: tuple[Finding, ...] = ()
    forcing: tuple[Change, ...] = ()
