"""``check --only breaking``: checks for breaking changes only, for teams that begin with that."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_governor.checking.comparison import compare_surfaces
from mcp_governor.checking.governed import as_strict_as_before, check_settings_of_breaks, governed_before
from mcp_governor.checking.last_release import last_rewritten, lost_release
from mcp_governor.checking.reading import definitions_of, refuse_empty
from mcp_governor.checking.settings import fail_on
from mcp_governor.errors import NothingCheckedError
from mcp_governor.findings import Bump

if TYPE_CHECKING:
    from datetime import date

    from mcp_governor.checking.governed import Before
    from mcp_governor.checking.model import Report
    from mcp_governor.config import Config
    from mcp_governor.policy.acceptance import AcceptedBefore
    from mcp_governor.surface import Surface
    from mcp_governor.target import Baseline


def check_breaks(surface: Surface, baseline: Baseline | None, config: Config, *, today: date) -> Report:
    """The changes that break clients, or may break them: each of them fails the run unless it is accepted.

    Version, changelog and rules are ignored. Tools of tier ``internal`` promise nothing, so their changes do not break.
    The run also fails if a setting that decides what breaks is more lenient than at the last release, or if the
    changelog states another surface for the last release than it did.

    Args:
        surface: the current one.
        baseline: what it is compared with.
        config: how schemas are compared, tiers, and accepted findings.
        today: the date at which acceptances are evaluated.

    Raises:
        NothingCheckedError: there is no baseline.
    """
    from mcp_governor.policy.acceptance import apply_acceptances

    refuse_empty(surface)
    if baseline is None:
        raise NothingCheckedError(
            "There is nothing to compare with: no release and no recorded surface.",
            "Name it: --against pypi:NAME, or --against git:main:mcp-surface.json once that file is recorded with "
            "mcp-governor snapshot.",
        )
    report = compare_surfaces(baseline, surface, config, governed=True, only_breaking=True)
    breaks = tuple(change for change in report.changes if change.bump is not Bump.NONE)
    before = governed_before(config, baseline)
    judged = [*last_rewritten(config, surface), *(check_settings_of_breaks(before, config) if before else ())]
    accepted = apply_acceptances(
        config.accept,
        judged,
        breaks,
        today=today,
        complete=False,
        baseline=_accepted_before(before, baseline) if config.accept else None,
    )
    findings = accepted.findings[: len(judged)]
    return replace(
        report,
        changes=breaks,
        accepted=dict(accepted.changes),
        only="breaking",
        definitions=definitions_of(surface, baseline.surface),
        findings=(*lost_release(baseline, config), *findings),
        fail_on=fail_on(as_strict_as_before(config, findings)),
    )


def _accepted_before(before: Before | None, baseline: Baseline) -> AcceptedBefore:
    from mcp_governor.policy.acceptance import AcceptedBefore

    accepted = before.config.accept if before is not None and before.config is not None else ()
    return AcceptedBefore(baseline.surface.version, frozenset(item.finding for item in accepted))
