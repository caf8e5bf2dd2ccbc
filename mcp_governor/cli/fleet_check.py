"""``mcp-governor fleet check``."""

from __future__ import annotations

import click

from mcp_governor.cli.common import SECONDS, Run, configured, profile_option
from mcp_governor.cli.fleet_options import FLEET_FORMATS, Many, fleet_options, run_all


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
@click.option(
    "--timeout",
    type=SECONDS,
    help="Timeout per response, in seconds [default: 30], and for startup [default: 60, packages: 180]",
)
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
