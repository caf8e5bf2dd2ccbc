"""``mcp-governor eval report``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcp_governor.cli.common import FILE, Run, configured
from mcp_governor.cli.eval_results import (
    Earlier,
    baseline_of,
    baseline_option,
    json_option,
    result_of,
    store_of,
    store_option,
    tolerance_option,
)
from mcp_governor.errors import NothingCheckedError, UsageError
from mcp_governor.writing import write_file

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_governor.evaluation.record import Evaluation


@click.command(name="report")
@click.argument("records", nargs=-1, type=FILE, metavar="[RECORD]…")
@click.option("--last", type=click.IntRange(1, 1000), default=10, show_default=True, help="Number of evaluations")
@baseline_option
@tolerance_option
@store_option
@json_option
@configured("output", formats=click.Choice(["text", "markdown", "html", "json"]))
def eval_report(
    run: Run,
    records: tuple[Path, ...],
    last: int,
    baseline: str | None,
    tolerated_drop: float | None,
    store: Path | None,
    json_out: Path | None,
) -> int:
    """Show the last evaluation, the history, and which edits moved which tool.

    The evaluations are those of the history, or recorded files, the oldest first.
    """
    from mcp_governor.evaluation.assessment import history
    from mcp_governor.evaluation.record import read_record
    from mcp_governor.report.evaluation_words import history_blocks

    evaluations: list[tuple[int | None, Evaluation]] = []
    with store_of(store, run) as opened:
        if records:
            evaluations += [(None, read_record(record)) for record in records[-last:]]
        else:
            evaluations += [(one.number, one.evaluation) for one in opened.evaluations(last)]
        if not evaluations:
            raise NothingCheckedError("The history has no evaluation.", "Run one: mcp-governor eval run")
        newest = evaluations[-1][1]
        earlier = baseline_of(baseline, opened, other_than=newest)
    if earlier is None and len(evaluations) > 1 and baseline is None:
        number, before = evaluations[-2]
        earlier = Earlier(f"evaluation {number}" if number else str(records[-2]), before)
    steps = history(evaluations)
    try:
        result = result_of(newest, earlier, run, tolerated_drop)
    except UsageError:
        # The two have nothing in common, and nobody asked for a comparison.
        if baseline is not None:
            raise
        result = result_of(newest, None, run, tolerated_drop)
    if json_out is not None:
        write_file(json_out, result.json)
    result.write(run, history_blocks(steps) if len(steps) > 1 else (), steps)
    return result.code
