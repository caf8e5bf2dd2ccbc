"""``mcp-governor load probe``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from mcp_governor.cli import common, out
from mcp_governor.cli.common import Output
from mcp_governor.cli.load_sweep import base_url_option, source_of
from mcp_governor.cli.out import progress
from mcp_governor.errors import STOPPED, UsageError
from mcp_governor.report.lines import BLANK, line
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mcp_governor.checking.model import Report
    from mcp_governor.load.probe import Probe
    from mcp_governor.report.lines import Line
    from mcp_governor.target import LiveSource


@click.command(name="probe", cls=common.TargetCommand)
@common.target_argument
@base_url_option
@click.option("--log-file", type=common.FILE, help="Log of the server: read its statistics and warnings")
@click.option("--json-out", type=common.FILE, help="Write what was measured to this file, as JSON")
@click.option("--record", is_flag=True, help="Write the figures that budgets are compared with (load.record)")
@click.option("--sequential-only", is_flag=True, help="Make no concurrent runs")
@click.option("--i-own-this-host", is_flag=True, help="Measure a host that is not this machine")
@common.reporting("trust")
def load_probe(
    run: common.Run,
    target: str | None,
    base_url: str | None,
    log_file: Path | None,
    json_out: Path | None,
    record: bool,
    sequential_only: bool,
    i_own_this_host: bool,
) -> int:
    """Measure tools/list once: size, latency, caching, health, log.

    The first list of a connection is measured on its own, then 20 in a row, in both protocol eras if the server offers
    both, then 200 lists with 40 at a time and 1,000 with 100 at a time. A stdio server has one client, so its
    concurrent runs are smaller, with a process for each list in flight.

    Like a sweep, it asks this machine only, or with --i-own-this-host a host of yours.

    A list is also stated as a multiple of that of a server that only answers, measured in turn: this can be compared
    between machines. With --record, it is written to mcp-load.json with the sizes, and check --load fails if the list
    grows or slows down.

    After Ctrl-C, it reports what was measured until then, marked as incomplete, and exits with 130.

    \b
        mcp-governor load probe http://127.0.0.1:3002/mcp --log-file server.log
        mcp-governor load probe --record -- my-server
    """
    from datetime import date

    from mcp_governor.checking.loading import probe_report
    from mcp_governor.checking.reading import selection_of
    from mcp_governor.load.opened import live
    from mcp_governor.load.probe import ProbePlan, run_probe

    if record and run.config.isolated:
        raise UsageError("--record writes a file of the repository, and --isolated uses none.", "Remove one of them.")
    source = live(source_of(run, target, base_url))
    selection = selection_of(run.config)
    plan = ProbePlan(log=log_file, owned=i_own_this_host)
    plan = replace(plan, runs=()) if sequential_only else plan
    with progress(run.output.verbose) as emit:
        emit("load", source.shown)
        measured = run_probe(source, plan, keeps_interrupted=True)
    report = probe_report(measured, source, run.config, selection, date.today(), budgets=not record)
    if json_out is not None:
        from mcp_governor.load.probe import document

        common.write_json(document(measured, report.findings), Output(file=json_out))
    recorded = _record(measured, source, run) if record and not measured.interrupted else ""
    code = common.deliver(report, run, _lines(measured, report, run, recorded))
    if not measured.interrupted:
        return code
    out.echo("interrupted; nothing was recorded" if record else "interrupted", err=True)
    return STOPPED


def _record(measured: Probe, source: LiveSource, run: common.Run) -> str:
    """Write the record, and return its name."""
    from mcp_governor.checking.loading import recorded
    from mcp_governor.errors import FileFormatError
    from mcp_governor.load.findings import record_of
    from mcp_governor.writing import write_file

    if measured.listing.failure:
        raise UsageError("A list failed, so nothing was recorded.", "Repair the server, and measure again.")
    name = run.config.load.record
    try:
        before = recorded(run.config)
    except FileFormatError:
        before = None  # it is replaced
    write_file(run.config.resolve(name), record_of(measured, source, before).text(), root=run.config.root, shown=name)
    return name


def _lines(measured: Probe, report: Report, run: common.Run, recorded: str) -> Iterator[Line]:
    from mcp_governor.report.probe_text import probe_lines
    from mcp_governor.report.text import report_lines

    head, *rest = report_lines(report, verbose=run.output.verbose)
    yield head
    if run.output.verbose >= 0:
        yield from probe_lines(measured, verbose=run.output.verbose)
    yield from rest
    if run.output.verbose >= 0:
        yield BLANK
        yield line(("Next: ", "dim"), _next(measured, run, recorded), hang=6)


def _next(measured: Probe, run: common.Run, recorded: str) -> str:
    if measured.interrupted:
        return "run it again, to its end."
    if recorded:
        return f"commit {visible(recorded)}, and run check --load in CI."
    if measured.listing.failure:
        return "read the server's log around the list that failed."
    if not run.config.resolve(run.config.load.record).exists() and not run.config.isolated:
        return "keep these figures as a budget: mcp-governor load probe --record"
    return "find the concurrency that the server is good for: mcp-governor load sweep"
