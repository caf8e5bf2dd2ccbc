"""``mcp-governor check``."""

from __future__ import annotations

import click

from mcp_governor.cli.common import Run, TargetCommand, deliver, run_options, server_command, target_argument
from mcp_governor.cli.progress import progress


@click.command(cls=TargetCommand)
@target_argument
@click.option("--against", metavar="TARGET", help="Compare with this instead of the configured baseline.")
@click.option("--level", type=click.Choice(["declared", "strict"]), help="How schemas are compared.")
@run_options()
def check(run: Run, target: str | None, against: str | None, level: str | None) -> int:
    """Check the surface: breaking changes, version, changelog, lint. One verdict.

    TARGET may be left out where the configuration names one. A server can be given as -- COMMAND.
    """
    from dataclasses import replace

    from mcp_governor.checking import check as run_check

    config = replace(run.config, level=level) if level else run.config
    with progress(run.output) as emit:
        report = run_check(target, config=config, against=against, command=server_command(), emit=emit)
    return deliver(report, run.output)
