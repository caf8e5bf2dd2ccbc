"""Decide about a release from its changes, tiers and versions: the step that it requires, and its findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.change.vocabulary import Verdict
from mcp_governor.config.policy import PolicyConfig
from mcp_governor.findings import Bump, Tier
from mcp_governor.policy.deprecation import check_departures, check_deprecations
from mcp_governor.policy.stepping import VersionStep
from mcp_governor.policy.windows import History
from mcp_governor.rules.finding import finding
from mcp_governor.stage import EVERY_CHANGE
from mcp_governor.versions import needed_step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from mcp_governor.change.model import Change
    from mcp_governor.changelog import Changelog
    from mcp_governor.findings import Finding
    from mcp_governor.stage import Pending, Stage
    from mcp_governor.surface.model import Surface
    from mcp_governor.version_sources import SchemaVersion


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


DEFAULT_POLICY = PolicyConfig()


def evaluate(
    changes: Sequence[Change],
    old: Surface | None,
    new: Surface,
    *,
    old_version: str | None,
    new_version: str | None,
    changelog: Changelog | None = None,
    settings: PolicyConfig = DEFAULT_POLICY,
    today: date | None = None,
    stage: Stage = EVERY_CHANGE,
    admitted: Bump = Bump.NONE,
    source: SchemaVersion | None = None,
) -> PolicyResult:
    """Check a release against its promises: tiers, version step and deprecation windows.

    Args:
        changes: changes from ``old`` to ``new``, including accepted ones, because an accepted break still counts.
        old: the baseline; if ``None``, only the current surface is checked.
        new: the current surface.
        old_version, new_version: the versions that clients see; ``None`` if unknown.
        changelog: the changelog, which counts releases and announces deprecations.
        settings: the ``policy`` table of the configuration.
        today: the current day; if ``None``, sunset days are not checked.
        stage: the stage of the run; between releases, an unchanged version is not checked.
        admitted: the step that the changelog's entries for the next release require, by the rules after 1.0.0.
        source: where ``new_version`` comes from.
    """
    needed, forcing = needed_by(changes, old_version, settings)
    admitted_bump = needed_step(admitted, old_version or "", zero_policy=settings.zero_policy)
    step = VersionStep(old_version, new_version, needed, forcing, settings, stage, admitted_bump, source)
    history = History(changelog, old_version, step.judged, settings.windows)
    found = list(_published(new))
    found += check_deprecations(old, new, history, today=today)
    if old is None:
        return PolicyResult(findings=tuple(found))
    found += step.findings()
    found += check_departures(changes, old, new, history, zero_policy=settings.zero_policy, today=today)
    return PolicyResult(needed, step.made.bump if step.made else None, tuple(found), forcing, step.pending, step.coming)


def _published(surface: Surface) -> Iterator[Finding]:
    for tool in surface.tools:
        # A tool that is in an opt-in list only is not listed by default.
        if tool.tier is Tier.INTERNAL and tool.opt_in is None:
            yield finding(
                "policy/internal-published", "/tier", tool=tool.name, value="internal", source=tool.tier_source
            )
