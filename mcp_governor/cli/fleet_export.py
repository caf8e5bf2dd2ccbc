"""``mcp-governor fleet export``."""

from __future__ import annotations

from pathlib import Path

import click

from mcp_governor.cli import out
from mcp_governor.cli.common import Run, run_options
from mcp_governor.cli.fleet_options import opened
from mcp_governor.errors import Exit
from mcp_governor.text import one_line


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
