"""``mcp-governor snapshot``."""

from __future__ import annotations

import click

from mcp_governor.cli import out as output
from mcp_governor.cli.common import Run, TargetCommand, configured, target_argument
from mcp_governor.errors import NothingCheckedError
from mcp_governor.text import short_digests, visible


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
@configured("quiet")
def snapshot(run: Run, target: str | None, out: str | None) -> None:
    """Record the surface of TARGET in a file that does not change while the surface does not."""
    from mcp_governor.checking.reading import read_governed, with_schema_version
    from mcp_governor.report.groups import count_of
    from mcp_governor.surface import dump_surface, fingerprint
    from mcp_governor.target import SURFACE_FILE
    from mcp_governor.writing import write_file

    surface = read_governed(run.source(target), run.config)
    if not (surface.entries or surface.prompts or surface.resources or surface.templates):
        raise NothingCheckedError(
            f"{surface.source} publishes no tools, prompts or resources; nothing was recorded.",
            "Check that the server registers its tools before it starts.",
        )
    text = dump_surface(with_schema_version(surface, run.config))
    if out == "-":
        output.put(text, form="json")
        return
    configured = run.config.baseline if run.config.baseline.endswith(".json") else SURFACE_FILE
    if out:
        write_file(out, text)
    else:
        write_file(run.config.resolve(configured), text, root=run.config.root, shown=configured)
    if run.output.verbose >= 0:
        tools = count_of(len(surface.tools), "tool")
        output.echo(f"{visible(str(out or configured))}: {tools}, {short_digests(fingerprint(surface))}")
