"""``mcp-governor fleet``: check, report, export and worker."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_governor.cli import out
from mcp_governor.cli.common import SECONDS, TIMEOUT_HELP, Run, configured, profile_option, run_options
from mcp_governor.cli.fleet_options import FLEET_FORMATS, Many, fleet_options, jobs_option, opened, run_all, write_fleet
from mcp_governor.errors import Exit
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from mcp_governor.fleet.model import Row


@click.command(name="check")
@click.argument("fleet", required=False, metavar="[FLEET]")
@click.option(
    "--against",
    metavar="FOLDER",
    help="Compare with the recordings in this folder, NAME.json  [default: surfaces next to FLEET]",
)
@profile_option()
@click.option("--differences", is_flag=True, help="List what differs between the variants of a server")
@click.option(
    "--with-each",
    multiple=True,
    metavar="REQUIREMENT",
    help="Run each package once with this package, such as mcp==2.1; repeatable",
)
@click.option("--packages", is_flag=True, help="Also install and start the packages that a registry lists")
@click.option("--timeout", type=SECONDS, help=TIMEOUT_HELP)
@fleet_options("against", "profile", "differences", "with_each", "packages", "timeout", "engine")
@click.option(
    "--engine",
    type=click.Choice(["local", "queue"]),
    default="local",
    help="Read the servers here, or by workers of the PostgreSQL that --store names  [default: local]",
)
@configured("output", "fail-on", "trust", "quiet", "verbose", formats=FLEET_FORMATS)
def fleet_check(run: Run, fleet: str | None, many: Many) -> int:
    """Compare each server of FLEET with its recording, and lint it: one table, one line for each server.

    FLEET is a TOML file with [servers.NAME] tables, the file of a client (.mcp.json, .vscode/mcp.json,
    .cursor/mcp.json, claude_desktop_config.json, Codex's config.toml), the URL of a registry (GET /v0.1/servers), or a
    folder of recordings. By default, it is the configuration.

    Record the servers first; a server without a recording is only linted:

    \b
        mcp-governor snapshot --all .mcp.json
        mcp-governor fleet check .mcp.json

    The exit code is 1 if a server drifted: it has a change that breaks clients, or may. It is 3 if none drifted, and
    fewer servers were reached than --min-coverage asks for. Findings are counted in the table, and fail the run only
    with --fail-on.

    Each server runs in a process of its own, --jobs of them at a time. With --store FILE, surfaces and rows are kept,
    and a run that was interrupted goes on where it ended when the command is repeated. With --shard 2/5, only the
    second of five parts of FLEET is checked. With --engine queue, workers on other machines read the servers:

    \b
        mcp-governor fleet check FLEET --engine queue --store postgresql://…
        mcp-governor fleet worker --store postgresql://…

    A server with variants in the configuration has a line for each, and a change of several variants is shown once.
    With --with-each, FLEET may also be one package, pypi:NAME, or the name of a server:

    \b
        mcp-governor fleet check pypi:NAME --with-each mcp==1.9 --with-each mcp==2

    The remote servers of a registry are connected to; its packages are only started with --packages, because they are
    the programs of strangers.
    """
    return run_all(run, "check", fleet, many)


@click.command(name="report")
@click.option("--store", required=True, metavar="FILE|URL", help="A SQLite file, or postgresql://USER@HOST/DATABASE")
@click.option("--run", "named", metavar="NAME", help="Name of the run  [default: the last one]")
@configured("output", "trust", "quiet", "verbose", formats=FLEET_FORMATS)
def fleet_report(run: Run, store: str, named: str | None) -> int:
    """Report a run that is in a store, as far as it is; no server is started.

    All parts of a list that were checked with --shard and one --run NAME are one run, so this is the report about all
    of them. A server that no part has read yet counts as not reached.

    \b
        mcp-governor fleet check LIST --store fleet.db --run 4711 --shard 2/5
        mcp-governor fleet report --store fleet.db --run 4711
    """
    with opened(store, named, exists=True) as place:
        assert place is not None
        from mcp_governor.fleet.run import stored_fleet

        done = stored_fleet(place, named or "", trust=run.config.trust_rules)
    write_fleet(done, run.output, [], None)
    return int(done.exit_code)


@click.command(name="export")
@click.option("--store", required=True, metavar="FILE|URL", help="A SQLite file, or postgresql://USER@HOST/DATABASE")
@click.option(
    "--parquet",
    required=True,
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for runs.parquet, facts.parquet and surfaces.parquet",
)
@run_options("quiet")
def fleet_export(run: Run, store: str, parquet: Path) -> int:
    """Write a store as Parquet files: its runs, a fact for each server of a run, and each surface once.

    \b
        mcp-governor fleet export --store fleet.db --parquet out
    """
    with opened(store, None, exists=True) as place:
        assert place is not None
        from mcp_governor.store.parquet import export

        written = export(place, parquet)
    if run.output.verbose >= 0:
        listed = ", ".join(f"{name} ({count:,})" for name, count in written.items())
        out.echo(f"{one_line(str(parquet), 200)}: {listed}")
    return int(Exit.PASS)


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
