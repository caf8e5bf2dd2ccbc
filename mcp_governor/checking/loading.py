"""Measures how a server lists its tools, and judges the budgets of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.checking.model import Emit, silent
from mcp_governor.target import LiveSource

if TYPE_CHECKING:
    from datetime import date

    from mcp_governor.checking.model import Report
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.load.findings import LoadRecord
    from mcp_governor.load.probe import Probe
    from mcp_governor.rules import Selection
    from mcp_governor.target import Source


INCOMPLETE = "Ctrl-C ended the run before everything was measured."
"""Why a report of an interrupted probe does not pass."""


def measured_findings(source: Source, config: Config, selection: Selection, emit: Emit = silent) -> list[Finding]:
    """What a check finds about the list of a server: the cheap part of a probe, and the budgets.

    A recording cannot be measured, which is a finding.

    Raises:
        FileFormatError: the record cannot be read; nothing was measured yet.
        ServerError: the server cannot be reached, or its first list failed.
    """
    from mcp_governor.load.findings import not_measured
    from mcp_governor.load.probe import CHEAP, run_probe

    record = recorded(config)
    if not isinstance(source, LiveSource):
        return [not_measured(config.load)]
    emit("load", source.shown)
    return _judged(run_probe(source, CHEAP), record, source, config, selection)


def recorded(config: Config) -> LoadRecord | None:
    """The figures of the configured record; ``None`` if there is no such file, or none is to be read.

    Raises:
        FileFormatError: it cannot be read.
    """
    if config.isolated:
        return None
    from mcp_governor.load.findings import load_record

    return load_record(config.resolve(config.load.record), shown=config.load.record)


def _judged(
    probe: Probe, record: LoadRecord | None, source: LiveSource, config: Config, selection: Selection
) -> list[Finding]:
    from mcp_governor.load.findings import budget_findings, probe_findings
    from mcp_governor.load.probe import is_remote

    budgets = budget_findings(probe, record, config.load, remote=is_remote(source))
    return [*probe_findings(probe, selection), *budgets]


def probe_report(
    probe: Probe, source: LiveSource, config: Config, selection: Selection, today: date, *, budgets: bool = True
) -> Report:
    """The report of a run that only measured.

    Args:
        probe, source: what was measured, and of which server.
        config, selection: budgets, the options of the rules, and what a team decides about findings.
        today: the date at which acceptances are evaluated.
        budgets: judge the budgets too, if there are any; those of a run that was interrupted are not judged.
    """
    from mcp_governor.checking.decisions import station_report
    from mcp_governor.checking.reading import counts_of
    from mcp_governor.load.findings import is_unset, probe_findings

    surface, record = probe.listing.surface, recorded(config)
    judged = budgets and not probe.interrupted and not is_unset(record, config.load)
    found = _judged(probe, record, source, config, selection) if judged else probe_findings(probe, selection)
    lists = probe.listing.caching.lists + sum(point.requests for point in probe.concurrent)
    return station_report(
        "load",
        surface,
        config,
        selection,
        found,
        today=today,
        counts={**counts_of(surface), "lists": lists},
        nothing_checked=INCOMPLETE if probe.interrupted else "",
    )[0]
