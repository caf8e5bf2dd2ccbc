"""Decide about a release from its changes, tiers and versions: the step that it requires, and its findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.config.policy import PolicyConfig
from mcp_governor.findings import Bump, Tier
from mcp_governor.policy.deprecation import check_departures, check_deprecations
from mcp_governor.policy.model import PolicyResult, needed_by
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
    from mcp_governor.stage import Stage
    from mcp_governor.surface.model import Surface
    from mcp_governor.version_sources import SchemaVersion


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
