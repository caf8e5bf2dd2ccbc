"""What the subcommands of ``eval`` share: the query set that they read, and the tools that it is about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_governor.cli.common import FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcp_governor.cli.common import Run
    from mcp_governor.evaluation.model import Query
    from mcp_governor.surface import Surface

queries_option = click.option(
    "--queries",
    type=FILE,
    help="Query set, one JSON object a line  [default: mcp-queries.jsonl next to the configuration]",
)


def queries_path(typed: Path | None, run: Run) -> Path:
    """The query set that a command line means."""
    from mcp_governor.evaluation.queries import DEFAULT_NAME

    if typed is not None:
        return typed
    path = run.config.resolve(run.config.evaluation.queries or DEFAULT_NAME)
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def surfaces(queries: Iterable[Query], path: Path, governed: Callable[[], Surface]) -> Callable[[Query], Surface]:
    """The surface that each query is about; ``governed`` is read once, and only if a query is about it.

    Args:
        queries: those of the set.
        path: the file of the set, whose folder holds the files that it names.
        governed: reads TARGET.

    Raises:
        GovernorError: one of them cannot be read.
    """
    from mcp_governor.evaluation.offering import load_tools

    read: dict[str, Surface] = {}
    for query in queries:
        if query.tools_file not in read:
            read[query.tools_file] = load_tools(path.parent / query.tools_file) if query.tools_file else governed()
    return lambda query: read[query.tools_file]


def governed(run: Run, target: str | None) -> Surface:
    """The surface of TARGET, which has tools.

    Raises:
        GovernorError: it cannot be read, or has no tool.
    """
    from mcp_governor.checking.reading import read_governed, refuse_empty

    surface = read_governed(run.source(target), run.config)
    refuse_empty(surface)
    return surface
