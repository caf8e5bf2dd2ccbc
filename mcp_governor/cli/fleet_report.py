"""``mcp-governor fleet report``."""

from __future__ import annotations

import click

from mcp_governor.cli.common import Run, configured
from mcp_governor.cli.fleet_options import FLEET_FORMATS, opened, write_fleet


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
