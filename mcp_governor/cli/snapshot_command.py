"""``mcp-governor snapshot``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from mcp_governor.cli import out as output
from mcp_governor.cli.common import Run, TargetCommand, configured, target_argument, useless
from mcp_governor.cli.fleet_options import Many, all_option, run_all
from mcp_governor.cli.repeating import OUTPUT_ONLY, command_to_repeat
from mcp_governor.errors import Exit
from mcp_governor.text import short_digests, visible

if TYPE_CHECKING:
    from mcp_governor.surface import Surface


@click.command(cls=TargetCommand)
@target_argument
@click.option(
    "-o",
    "--output",
    "out",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help='Output file ("-" for stdout)  [default: the baseline file]',
)
@click.option("--check", "only_check", is_flag=True, help="Exit with 1 if the file is stale; write nothing")
@click.option(
    "--exit-non-zero-on-change", "on_change", is_flag=True, help="Exit with 1 if the file was stale and was written"
)
@all_option("only_check", "on_change")
@configured("quiet")
def snapshot(
    run: Run,
    target: str | None,
    out: str | None,
    only_check: bool,
    on_change: bool,
    many: Many,
) -> int:
    """Record the surface of TARGET in a file that does not change while the surface does not.

    With --check, the file is compared with the server and not written. It is stale if a recording would have other
    content; its formatting does not matter. Use it in a hook or in CI to keep a committed file up to date.

    With --all, each server of the configuration or of a client's file is recorded in the folder surfaces, or in the
    folder that --output names, as NAME.json.
    """
    if many.every:
        if out == "-":
            raise useless("--output -", "--all, which writes a file for each server")
        return run_all(run, "snapshot", target, replace(many, against=out))
    from mcp_governor.checking.against.stale_recording import staleness
    from mcp_governor.checking.reading import read_governed, refuse_empty, with_schema_version
    from mcp_governor.report.text import stale_lines
    from mcp_governor.surface import dump_surface
    from mcp_governor.target import SURFACE_FILE
    from mcp_governor.writing import write_file

    if only_check and on_change:
        raise useless("--exit-non-zero-on-change", "--check, which writes nothing")
    if out == "-" and (only_check or on_change):
        raise useless("--check" if only_check else "--exit-non-zero-on-change", "--output -, which has no file")
    surface = read_governed(run.source(target), run.config)
    refuse_empty(surface)
    text = dump_surface(with_schema_version(surface, run.config))
    if out == "-":
        output.put(text, form="json")
        return int(Exit.PASS)
    configured = run.config.baseline if run.config.baseline.endswith(".json") else SURFACE_FILE
    path = Path(out) if out else run.config.resolve(configured)
    shown = visible(str(out or configured))
    stale = staleness(path, text, surface, run.config, shown=shown) if only_check or on_change else None
    if stale is not None:
        output.put_lines(stale_lines(stale, quiet=run.output.verbose < 0))
    elif only_check or on_change:
        _say(f"{shown} is up to date", surface, run)
        return int(Exit.PASS)
    if only_check:
        again = command_to_repeat(without=(OUTPUT_ONLY - {"output"}) | {"only_check"}, folder=False)
        output.echo(f"Renew it with: {again or 'mcp-governor snapshot'}", wrap=False)
        return int(Exit.FINDINGS)
    write_file(path, text, root=None if out else run.config.root, shown=shown)
    _say(shown, surface, run)
    return int(Exit.FINDINGS if stale is not None else Exit.PASS)


def _say(words: str, surface: Surface, run: Run) -> None:
    from mcp_governor.report.groups import count_of
    from mcp_governor.surface import fingerprint

    if run.output.verbose >= 0:
        output.echo(f"{words}: {count_of(len(surface.tools), 'tool')}, {short_digests(fingerprint(surface))}")
