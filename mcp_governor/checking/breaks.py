"""``check --only breaking``: checks for breaking changes only, for teams that begin with that."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_governor.checking.against.baseline import lost_release
from mcp_governor.checking.against.configuration import as_strict_as_before, check_settings_of_breaks
from mcp_governor.checking.against.last_release import last_rewritten
from mcp_governor.checking.diff import compare_surfaces
from mcp_governor.checking.reading import refuse_empty
from mcp_governor.checking.settings import fail_on
from mcp_governor.errors import NothingCheckedError
from mcp_governor.findings import Bump

if TYPE_CHECKING:
    from mcp_governor.checking.against.comparison import Comparison
    from mcp_governor.checking.model import Report


def check_breaks(compared: Comparison) -> Report:
    """The changes that break clients, or may break them: each of them fails the run unless it is accepted.

    Version, changelog and rules are ignored. Tools of tier ``internal`` promise nothing, so their changes do not break.
    The run also fails if a setting that decides what breaks is more lenient than at the last release, or if the
    changelog states another surface for the last release than it did.

    Raises:
        NothingCheckedError: there is no baseline.
    """
    from mcp_governor.policy.acceptance import AcceptedBefore, apply_acceptances

    surface, config, baseline = compared.surface, compared.config, compared.baseline
    refuse_empty(surface)
    if baseline is None:
        raise NothingCheckedError(
            "There is nothing to compare with: no release and no recorded surface.",
            "Name it: --against pypi:NAME, or --against git:main:mcp-surface.json once that file is recorded with "
            "mcp-governor snapshot.",
        )
    report = compare_surfaces(compared, governed=True, only_breaking=True)
    breaks = tuple(change for change in report.changes if change.bump is not Bump.NONE)
    before = compared.before
    judged = [*last_rewritten(config, surface), *(check_settings_of_breaks(before, config) if before else ())]
    accepted = apply_acceptances(
        config.accept,
        judged,
        breaks,
        today=compared.today,
        complete=False,
        baseline=AcceptedBefore(baseline.surface.version, compared.accepted_before),
    )
    findings = accepted.findings[: len(judged)]
    return replace(
        report,
        changes=breaks,
        accepted=dict(accepted.changes),
        only="breaking",
        findings=(*lost_release(baseline, config), *findings),
        fail_on=fail_on(as_strict_as_before(config, findings)),
    )
