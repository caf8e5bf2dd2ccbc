"""``mcp-governor call``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_governor.cli import out
from mcp_governor.cli.common import SECONDS, Run, TargetCommand, deliver, profile_option, reporting, target_argument
from mcp_governor.cli.out import progress
from mcp_governor.errors import UsageError
from mcp_governor.report.groups import count_of
from mcp_governor.report.lines import line
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.call.cases import CallReport
    from mcp_governor.checking.model import Report
    from mcp_governor.report.lines import Line


@click.command(cls=TargetCommand)
@target_argument
@click.option("--tool", "tools", multiple=True, metavar="GLOB", help="Call only these tools")
@profile_option("Rules for results")
@click.option(
    "--assume-read-only",
    multiple=True,
    metavar="GLOB",
    help="Treat tools without annotations as read-only; adds to read-only-tools in the configuration",
)
@click.option("--allow-writes", is_flag=True, help="Also call tools that are not annotated as read-only")
@click.option("--destructive", multiple=True, metavar="TOOL", help="With --allow-writes: call this destructive tool")
@click.option("--configured-only", is_flag=True, help="Generate no calls: make only those in the configuration")
@click.option("--happy-only", is_flag=True, help="Make no calls with arguments that the schema rejects")
@click.option("--follow", is_flag=True, help="Make the call that the recovery of an error suggests, once")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed for the choice among sample values")
@click.option("--budget", type=SECONDS, default=300, show_default=True, help="Time limit for all calls, in seconds")
@click.option(
    "--scratch",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder for sample files for path parameters  [default: the system's temporary folder]",
)
@click.option(
    "--record",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the calls to this folder",
)
@reporting("trust")
def call(
    run: Run,
    target: str | None,
    tools: tuple[str, ...],
    profile: tuple[str, ...],
    assume_read_only: tuple[str, ...],
    allow_writes: bool,
    destructive: tuple[str, ...],
    configured_only: bool,
    happy_only: bool,
    follow: bool,
    seed: int,
    budget: float,
    scratch: Path | None,
    record: Path | None,
) -> int:
    """Call tools with good and bad arguments, and validate the results.

    Only tools that their annotations mark as read-only are called; --assume-read-only adds tools without annotations,
    and --allow-writes the others.

    Good arguments come from the configuration, the schemas, examples in descriptions, the server's resources and
    prompts, results of earlier calls, and files in a temporary folder. A run in which no good call succeeds exits
    with 4.
    """
    from datetime import date

    from msgspec.structs import replace

    from mcp_governor.call.cases import CallSettings
    from mcp_governor.checking.calling import call_report, call_target
    from mcp_governor.checking.reading import permitted

    if destructive and not allow_writes:
        raise UsageError(
            "--destructive has no effect without --allow-writes.", "Add --allow-writes, or remove --destructive."
        )
    source = run.source(target)
    config = permitted(replace(run.config, profile=profile) if profile else run.config, source)
    settings = CallSettings(
        read_only=(*config.read_only_tools, *assume_read_only),
        allow_writes=allow_writes,
        destructive=frozenset(destructive),
        tools=tools,
        generate=not configured_only,
        unhappy=not happy_only,
        follow=follow,
        seed=seed,
        timeout=config.timeout,
        budget=budget,
    )
    with progress(run.output.verbose) as emit:
        surface, called = call_target(source, config, settings, emit=emit, scratch=scratch)
    if record is not None:
        from mcp_governor.call.record import write_recordings

        files = write_recordings(record, called.results, sandbox=called.sandbox)
        if run.output.verbose >= 0:
            out.echo(f"{visible(str(record))}: {count_of(len(files), 'call')} recorded.", err=True)
    report = call_report(surface, called, config, date.today())
    code = deliver(report, run, _lines(report, called, run.output.verbose))
    failure = called.without_success
    if failure is None:
        return code
    if run.output.format != "text" or run.output.file is not None:
        raise failure
    # The report that was just printed says what failed.
    out.complain("", failure.hint)
    return int(failure.exit_code)


def _lines(report: Report, called: CallReport, verbose: int) -> Iterator[Line]:
    from mcp_governor.report.text import report_lines

    if verbose >= 0:
        yield from _left_alone(called, verbose)
    if verbose > 0:
        for result in called.results:
            outcome = result.outcome.status or result.outcome.channel.value
            case = result.case
            yield line(f"{result.milliseconds:8.1f} ms  ", (visible(case.tool), "bold"), f"  {case.label}: {outcome}")
    yield from report_lines(report, verbose=verbose)


def _left_alone(called: CallReport, verbose: int) -> Iterator[Line]:
    """What was not called: tools one by one, single calls counted by their reason unless asked for."""
    counted: Counter[str] = Counter()
    for skipped in called.skipped:
        if skipped.case is None or verbose:
            yield line(("not called: ", "dim"), (visible(skipped.tool), "bold"), f"  {one_line(skipped.reason)}")
        else:
            counted[skipped.reason] += 1
    for reason, number in counted.items():
        yield line(("not called: ", "dim"), count_of(number, "call"), f"  {one_line(reason)}")
