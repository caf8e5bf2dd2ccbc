"""``check --offline``: governs the recorded surface without starting a server."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_governor.checking.base import with_base
from mcp_governor.checking.breaks import check_breaks
from mcp_governor.checking.events import Emit, silent
from mcp_governor.checking.last_release import last_release, last_release_of
from mcp_governor.checking.places import with_places
from mcp_governor.checking.reading import read_governed
from mcp_governor.checking.run import changelog_report, check_surface, report_of
from mcp_governor.checking.seen import RECORDING, seen_of
from mcp_governor.checking.settings import selection_of
from mcp_governor.checking.stage import stage_of
from mcp_governor.checking.stale import stale_record
from mcp_governor.target import recorded_baseline, recorded_source
from mcp_governor.target.git_door import one_look

if TYPE_CHECKING:
    from mcp_governor.checking.base import Base
    from mcp_governor.checking.model import Report
    from mcp_governor.config import Config
    from mcp_governor.surface import Surface
    from mcp_governor.target import Baseline, Source


@one_look()
def check_offline(
    target: str | None = None,
    *,
    config: Config,
    against: str | None = None,
    emit: Emit = silent,
    today: date | None = None,
    places: bool = False,
    release: bool = False,
    only_breaking: bool = False,
    base: Base | None = None,
) -> Report:
    """:func:`mcp_governor.checking.run.check` for the recorded surface in the work tree.

    Args:
        target: another recording to govern.
        config: names the surface file, the changelog, and all else.
        against: a recording to compare with; by default the same file at the latest release tag, else at ``HEAD``.
        emit: receives the events of the run.
        today: the date at which acceptances are evaluated; defaults to the current date.
        places: find the lines of the recorded file for the report.
        release: check version and changelog as those of a release, whatever ``policy.gate`` says.
        only_breaking: check for breaking changes only.
        base: the base branch of a pull request.

    Raises:
        UsageError: ``target`` or ``against`` is a live server.
        TargetError: there is no recording.
        GovernorError: as in :func:`mcp_governor.checking.run.check`.
    """
    here = Path.cwd()
    source = recorded_source(config, target, base=here)
    surface = read_governed(source, config, emit=emit)
    if base is not None:
        against = base.against(config, only_breaking=only_breaking) if against is None else against
        release = release or (base.is_before_release(config) and not only_breaking)
    stage = stage_of(config, surface, release=release)
    last = last_release_of(config, surface, stage, None, base)
    baseline = recorded_baseline(config, against, base=here, stage=stage, last=last)
    if only_breaking:
        report = check_breaks(surface, baseline, config, today=today or date.today())
    else:
        selection = selection_of(config)
        seen = seen_of(surface, config, selection, None, RECORDING)
        report = check_surface(
            surface, baseline, config, selection=selection, emit=emit, today=today, stage=stage, seen=seen
        )
    if not only_breaking:
        report = _or_stale(report, source, surface, baseline, config, today)
    if base is not None:
        report = with_base(report, base, surface, baseline, config)
    return with_places(report, surface, source) if places else report


@one_look()
def check_changelog_offline(
    target: str | None = None,
    *,
    config: Config,
    against: str | None = None,
    today: date | None = None,
    places: bool = False,
) -> Report:
    """The part of :func:`check_offline` about the changelog; arguments and errors are the same."""
    here = Path.cwd()
    source = recorded_source(config, target, base=here)
    surface = read_governed(source, config)
    stage = stage_of(config, surface)
    last = last_release(config, surface, stage)
    baseline = recorded_baseline(config, against, base=here, stage=stage, last=last)
    report = changelog_report(surface, baseline, config, today=today, stage=stage)
    report = _or_stale(report, source, surface, baseline, config, today)
    return with_places(report, surface, source) if places else report


def _or_stale(
    report: Report, source: Source, surface: Surface, baseline: Baseline | None, config: Config, today: date | None
) -> Report:
    """The report, or one that says only that the recording was not updated, if that is why it fails."""
    found = stale_record(report, source, config)
    if found is None:
        return report
    alone = report_of(found, surface, baseline, config, today=today)
    # If the configuration ignores this finding, no other one replaces it.
    return replace(report, findings=alone.findings) if alone.verdict == "fail" else report
