"""The decisions of the policy: the version step that a change requires, and if a release may be published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.findings import Bump, Tier, Verdict
from mcp_governor.versions import needed_step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.config.policy import PolicyConfig
    from mcp_governor.findings import Finding
    from mcp_governor.stage import Pending


class PolicyResult(Struct, frozen=True):
    """The decision about a release.

    Attributes:
        required_bump: the smallest step that the changes require, given tiers and the policy before 1.0.0.
        declared_bump: the step between the two versions; ``None`` if one of them is unknown.
        findings: findings of pack ``policy``.
        forcing: the changes that require ``required_bump``, so that a summary can name them.
        pending: what the next release will need; ``None`` at a release, and if nothing is pending.
        coming: the version to release the changes as; ``None`` if unknown.
    """

    required_bump: Bump = Bump.NONE
    declared_bump: Bump | None = None
    findings: tuple[Finding, ...] = ()
    forcing: tuple[Change, ...] = ()
    pending: Pending | None = None
    coming: str | None = None


def needed_by(changes: Sequence[Change], before: str | None, settings: PolicyConfig) -> tuple[Bump, tuple[Change, ...]]:
    """The step that a release must make, and the changes that require it.

    Args:
        changes: all of them, including accepted ones.
        before: the version before the step; ``None`` if unknown, which counts as one after 1.0.0.
        settings: the ``policy`` table of the configuration.
    """
    counted = [(change, required_step(change, unknown=settings.unknown)) for change in changes]
    highest = Bump.highest([bump for _, bump in counted])
    forcing = tuple(change for change, bump in counted if bump is highest and bump is not Bump.NONE)
    return needed_step(highest, before or "", zero_policy=settings.zero_policy), forcing


def required_step(change: Change, *, unknown: str = "breaking") -> Bump:
    """The step that one change requires from 1.0.0 on: its own step, or a major one if it removes a tool.

    Args:
        change: the change, with the step that its tier requires.
        unknown: ``compatible`` to count undecided changes as additions.
    """
    if change.verdict is Verdict.UNKNOWN and unknown == "compatible":
        return Bump.MINOR if change.bump is Bump.MAJOR else change.bump
    # Surface governance, "Deprecation policy", step 4: removal is allowed only on a major bump, whatever the tier.
    if change.kind == "tool-removed" and change.tier is Tier.ADVANCED:
        return Bump.MAJOR
    return change.bump
