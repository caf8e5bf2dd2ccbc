"""``mcp-governor fleet worker``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_governor.cli import out
from mcp_governor.cli.common import Run, run_options
from mcp_governor.cli.fleet_options import jobs_option, opened
from mcp_governor.errors import Exit

if TYPE_CHECKING:
    from mcp_governor.fleet.model import Row


@click.command(name="worker")
@click.option("--store", required=True, metavar="URL", help="postgresql://USER@HOST/DATABASE")
@jobs_option
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="Where the files of the run are, as in the folder of fleet check  [default: .]",
)
@click.option("--idle", type=click.FloatRange(min=0.1), metavar="SECONDS", help="End after SECONDS without a job")
@click.option(
    "--heartbeat",
    type=click.FloatRange(0.2, 300),
    default=10.0,
    metavar="SECONDS",
    help="A worker that misses three is dead, and others do its jobs; the same everywhere  [default: 10]",
)
@run_options("trust", "quiet")
def fleet_worker(run: Run, store: str, jobs: int | None, folder: Path, idle: float | None, heartbeat: float) -> int:
    """Read servers for `fleet check --engine queue`, each in a process of its own with the limits of a single run.

    Any number of workers on any number of machines share the jobs. Each needs the files of the run: the list, the
    configuration and the recordings, as a checkout, an image or a volume. A file that is another one than that of
    `fleet check` is refused. Whoever can write to the database decides which packages and addresses are read.

    \b
        mcp-governor fleet worker --store postgresql://fleet@db/fleet --idle 60

    Set PGPASSWORD or PGPASSFILE for the password, so that no list of processes has it.
    """
    with opened(store, None, "queue") as place:
        assert place is not None
        from mcp_governor.fleet.crew import usual_at_once
        from mcp_governor.fleet.queueing import Workplace, work
        from mcp_governor.fleet.words import change_words, shown_name

        def say(row: Row) -> None:
            if run.output.verbose >= 0:
                said = change_words(row) if row.reached else f"unreachable: {row.why}"
                out.echo(f"{shown_name(row)}: {said}", err=True)

        at_once = jobs or usual_at_once([])
        trust = run.config.trust_rules
        count = work(place, Workplace(folder.resolve(), at_once, heartbeat, idle, trust, say, out.complain))
    if run.output.verbose >= 0:
        out.echo(f"{count:,} servers were read", err=True)
    return int(Exit.PASS)
