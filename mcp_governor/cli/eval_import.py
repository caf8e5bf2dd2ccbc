"""``mcp-governor eval import``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from mcp_governor.cli import out
from mcp_governor.cli.common import FILE, Run, configured, write_text
from mcp_governor.text import visible

if TYPE_CHECKING:
    from pathlib import Path


@click.command(name="import")
@click.argument("form", metavar="FORMAT", type=click.Choice(["inspect", "promptfoo"]))
@click.argument("file", type=FILE)
@configured("output", isolated=False)
def eval_import(run: Run, form: str, file: Path) -> None:
    """Write FILE, a data set of inspect_ai (JSON, JSONL) or a configuration of promptfoo (JSON), as a query set.

    What is not taken over is said on standard error.

    \b
        mcp-governor eval import promptfoo promptfooconfig.json -o queries.jsonl
    """
    from mcp_governor.errors import FileFormatError
    from mcp_governor.evaluation.exchange import imported
    from mcp_governor.evaluation.queries import MAX_FILE, as_line
    from mcp_governor.files import read_named

    shown = visible(str(file))
    queries, problems, lost = imported(read_named(file, shown, limit=MAX_FILE), form, shown)
    if problems:
        first = problems[0]
        more = f" {len(problems) - 1} more problems follow." if len(problems) > 1 else ""
        raise FileFormatError(
            f"{shown}: sample {first.line}: {first.message}{more}", "Correct it, or take it out; nothing was written."
        )
    for sentence in lost:
        out.echo(f"note: {sentence}", err=True)
    write_text("".join(f"{json.dumps(as_line(query))}\n" for query in queries.queries), run.output, form="json")
    if run.output.file is not None:
        place = visible(str(run.output.file))
        out.echo(f"{place}: {len(queries.queries)} queries. Next: mcp-governor eval check --queries {place}")
