"""``mcp-governor eval export``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcp_governor.cli import out
from mcp_governor.cli.common import Run, configured, write_text
from mcp_governor.cli.eval_sets import queries_option, queries_path

if TYPE_CHECKING:
    from pathlib import Path


@click.command(name="export")
@click.argument("form", metavar="FORMAT", type=click.Choice(["inspect", "promptfoo"]))
@queries_option
@configured("output", isolated=False)
def eval_export(run: Run, form: str, queries: Path | None) -> None:
    """Write a query set as a data set of inspect_ai (JSONL) or a configuration of promptfoo (JSON).

    What the other program will not judge is said on standard error; eval import brings everything back.
    """
    from mcp_governor.evaluation.exchange import exported
    from mcp_governor.evaluation.queries import load_queries

    text, lost = exported(load_queries(queries_path(queries, run)).queries, form)
    for sentence in lost:
        out.echo(f"note: {sentence}", err=True)
    write_text(text, run.output, form="json")
