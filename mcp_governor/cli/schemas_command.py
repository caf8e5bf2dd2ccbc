"""``mcp-governor schemas``: export and check."""

from __future__ import annotations

from pathlib import Path

import click

from mcp_governor.cli import common, completion, out
from mcp_governor.cli.groups import Group
from mcp_governor.errors import UsageError
from mcp_governor.text import visible


@click.group(cls=Group)
def schemas() -> None:
    """Write schemas as files, and check files, server and models against each other."""


@schemas.command(cls=common.TargetCommand)
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@common.target_argument
@click.option("--overwrite", is_flag=True, help="Also replace files that no export wrote")
@common.configured("quiet")
def export(run: common.Run, folder: Path, target: str | None, overwrite: bool) -> None:
    """Write the schemas of TARGET to DIR: NAME.json and NAME.output.json for each tool.

    The files are the same on every machine while the schemas are. Files of tools that are gone are deleted if an
    earlier export wrote them and nobody changed them since. Either all files are written or none.
    """
    from mcp_governor.checking.reading import read_governed, refuse_empty
    from mcp_governor.report.groups import count_of
    from mcp_governor.schema_files.folder import export as write

    surface = read_governed(run.source(target), run.config)
    refuse_empty(surface)
    done = write(surface, folder, overwrite=overwrite)
    for name in done.kept:
        out.echo(
            f"warning: {visible(str(folder / name))} belongs to no tool, but was edited since it was written, so it "
            "stays; delete it if nobody needs it.",
            err=True,
        )
    skipped = len(surface.entries) - len(surface.tools)
    if skipped:
        out.echo(f"warning: entries of tools/list without a name of their own have no files: {skipped}.", err=True)
    if run.output.verbose >= 0:
        parts = [count_of(len(done.files), "file"), f"{len(done.changed)} changed"]
        parts += [f"{len(done.removed)} deleted"] if done.removed else []
        out.echo(f"{visible(str(folder))}: {count_of(len(surface.tools), 'tool')}, {', '.join(parts)}")


@schemas.command(cls=common.TargetCommand)
@click.argument("folder", metavar="[DIR]", required=False, shell_complete=completion.targets)
@common.target_argument
@click.option(
    "--models",
    multiple=True,
    metavar="MODULE[:NAME]",
    help="Compare with the models of this Python module instead of a server; repeatable",
)
@common.reporting()
def check(run: common.Run, folder: str | None, target: str | None, models: tuple[str, ...]) -> int:
    """Check that DIR has exactly the schemas that TARGET publishes.

    A schema that is written differently and accepts the same values is a warning; one that accepts others is an error,
    with the changes from the file to the server and their proof.

    With --models, the schemas in DIR are compared with the Pydantic models, dataclasses, TypedDicts and annotated
    functions of MODULE. This imports MODULE, in a process of its own, and starts no server. DIR may also be a recorded
    surface (FILE.json); by default it is the recorded surface of the repository.

    \b
        mcp-governor schemas check schemas/tools -- my-server
        mcp-governor schemas check schemas/tools --models my_package.server
    """
    from mcp_governor.checking.schema_files import check_folder, check_models

    if models:
        if target is not None or common.server_command():
            raise common.useless("TARGET" if target is not None else "-- COMMAND", "--models, which starts no server")
        if run.config.launch.with_:
            raise common.useless("--with", "--models, which installs nothing")
        return common.deliver(check_models(folder, models, run.config), run)
    if folder is None:
        raise UsageError(
            "schemas check needs the folder of the schema files.",
            "Name it: mcp-governor schemas check DIR, or compare with Python types: --models MODULE",
        )
    from mcp_governor.checking.reading import read_governed

    surface = read_governed(run.source(target), run.config)
    return common.deliver(check_folder(Path(folder), surface, run.config), run)
