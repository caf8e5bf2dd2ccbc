"""``mcp-governor diff``."""

from __future__ import annotations

import click

from mcp_governor.cli import common, completion
from mcp_governor.errors import UsageError


@click.command(cls=common.TargetCommand)
@click.argument("old", shell_complete=completion.targets)
@click.argument("new", required=False, shell_complete=completion.targets)
@common.level_option
@click.option("--only", type=click.Choice(["breaking"]), help="Report only changes that break, or may break")
@click.option("--stat", is_flag=True, help="Show counts per tool instead of each change")
@common.reporting()
def diff(run: common.Run, old: str, new: str | None, level: str | None, only: str | None, stat: bool) -> int:
    """Report the changes from OLD to NEW with verdicts, witnesses and the required version bump.

    Both are TARGETs; NEW may be a -- COMMAND. One edit is one line for all its places; -v shows each change. Exits 1
    when something breaks or cannot be decided.
    """
    from msgspec.structs import replace

    from mcp_governor.checking.diff import compare_targets
    from mcp_governor.report.diff_text import diff_lines

    command = common.server_command()
    if (new is None) == (not command):
        raise UsageError("diff compares two targets.", "Give OLD and NEW, or OLD and -- COMMAND.")
    if stat and run.output.format != "text":
        raise common.useless("--stat", f"--format {run.output.format}")
    config = replace(run.config, level=level) if level else run.config
    # The text shows pointers; what finds lines need not be loaded for it.
    places = common.places_wanted(replace(run.output, verbose=-1))
    report = compare_targets(old, new, config=config, command=command, only_breaking=only is not None, places=places)
    return common.deliver(report, run, diff_lines(report, stat=stat, verbose=run.output.verbose))
