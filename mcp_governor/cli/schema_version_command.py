"""``mcp-governor schema-version``."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import click

from mcp_governor.cli import out
from mcp_governor.cli.common import Run, configured
from mcp_governor.errors import UsageError
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_governor.surface import Surface
    from mcp_governor.version_sources import SchemaVersion


@click.command("schema-version")
@click.argument("source", required=False)
@click.option(
    "--renumber",
    multiple=True,
    metavar="OLD=NEW",
    help="Version of an older changelog section in the new source",
)
@configured(isolated=False)
def schema_version(run: Run, source: str | None, renumber: tuple[str, ...]) -> None:
    """Show where the version comes from, or change that to SOURCE.

    SOURCE is pyproject.toml, package.json, server.json, distribution:NAME, git-tag, package.module:NAME, serverInfo,
    or a version. The configuration, the changelog's headings and the recorded surfaces change together, so that the
    new source is not checked against versions of the old one.
    """
    from mcp_governor.checking.reading import read_governed
    from mcp_governor.checking.source_change import change_source
    from mcp_governor.version_sources import SERVER_INFO
    from mcp_governor.version_sources import schema_version as read
    from mcp_governor.writing import locked, write_files

    config = run.config
    spec = config.schema_version if source is None else source
    surface = read_governed(run.source(None), run.config) if spec == SERVER_INFO else None
    now = read(spec, surface, config.root, config=config.path)
    if source is None:
        if renumber:
            raise UsageError("--renumber has no effect without SOURCE.", "Add the new source.")
        _show(now, surface, run)
        return
    change = change_source(config, now, renumbered=_pairs(renumber))
    with locked(config.root):
        write_files(*change.files)
    for file in change.obsolete:
        with contextlib.suppress(OSError):
            file.unlink()
    for clause in change.clauses:
        out.echo(f"{clause}.")
    out.echo(f"The version is {one_line(now.text or '', 40)}, from {_from(now)}.")
    if change.files:
        out.echo("Commit these files.")


def _show(now: SchemaVersion, surface: Surface | None, run: Run) -> None:
    from mcp_governor.version_sources import suggest_source

    out.echo(f"{one_line(now.text, 40)}, from {_from(now)}" if now.text else "The server reports no version.")
    if surface is None:
        return
    if now.place is not None:
        out.echo(f"It is written in {now.place}.")
    suggested = suggest_source(surface, run.config.root)
    if suggested.reason:
        out.echo(suggested.reason)
        out.echo(f"Take it from the project with: mcp-governor schema-version {visible(suggested.spec)}")


def _from(now: SchemaVersion) -> str:
    return str(now.written) if now.written is not None else now.source


def _pairs(words: Iterable[str]) -> dict[str, str]:
    from mcp_governor.versions import Numbered

    pairs: dict[str, str] = {}
    for word in words:
        old, equals, new = word.partition("=")
        if not equals or not old or Numbered.parse(new) is None:
            raise UsageError(f'--renumber takes OLD=NEW, not "{one_line(word, 60)}".', "For example: 4.1.0=0.1.0")
        pairs[old] = new
    return pairs
