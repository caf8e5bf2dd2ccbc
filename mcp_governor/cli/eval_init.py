"""``mcp-governor eval init``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_governor.cli import out
from mcp_governor.cli.common import Run, TargetCommand, configured, target_argument
from mcp_governor.cli.eval_sets import governed, queries_option, queries_path
from mcp_governor.errors import UsageError
from mcp_governor.text import visible

if TYPE_CHECKING:
    from mcp_governor.evaluation.model import Query

_HEADER = """\
# Queries of mcp-governor, one a line: what a user says, and the tools that are right for it.
# Replace each draft by what your users say, in their words and not in those of the descriptions; then remove "draft".
# The keys: mcp-governor schema queries. The check: mcp-governor eval check
"""


@click.command(name="init", cls=TargetCommand)
@target_argument
@queries_option
@configured("quiet")
def eval_init(run: Run, target: str | None, queries: Path | None) -> None:
    """Draft a query set from the tools of TARGET, to be edited.

    Each tool gets a positive query and one for which its nearest sibling is easily taken; some queries fit no tool. The
    drafts are marked as such, and are a start: only your users' words measure something. Lines that a set has already
    are never changed; run it again after a tool was added.
    """
    from mcp_governor.evaluation.drafting import MAX_TOOLS, drafts
    from mcp_governor.evaluation.model import Kind
    from mcp_governor.evaluation.offering import offered_tools
    from mcp_governor.evaluation.queries import as_line
    from mcp_governor.report.groups import count_of
    from mcp_governor.writing import NewFile, write_files

    path = queries_path(queries, run)
    shown = visible(str(path))
    root = run.config.root if queries is None else None
    before, existing = _existing(path)
    if before is not None and not existing and root is not None:
        raise UsageError(
            f"{shown} exists and has no query; nothing was written.",
            f"If it is the query set, type its path: mcp-governor eval init --queries {shown}",
        )
    tools = offered_tools(governed(run, target))
    made = list(drafts(tools, existing))
    if not made:
        out.echo(f"{shown}: every tool has its queries; nothing was written.")
        out.echo(f"Next: mcp-governor eval check --queries {shown}")
        return
    text = before.decode("utf-8") if before is not None else _HEADER
    text += "" if text.endswith("\n") or not text else "\n"
    text += "".join(f"{json.dumps(as_line(query))}\n" for query in made)
    write_files(NewFile(Path.cwd() / path, text.encode("utf-8"), root, shown, expected=before))
    if run.output.verbose < 0:
        return
    counts = {kind: sum(query.kind is kind for query in made) for kind in Kind}
    kinds = ", ".join(f"{number} {kind.value}" for kind, number in counts.items() if number)
    kept = f"; {count_of(len(existing), 'query', 'queries')} kept as they were" if existing else ""
    out.echo(f"{shown}: {count_of(len(made), 'draft')} written ({kinds}){kept}")
    if len(tools) > MAX_TOOLS:
        out.echo(f"warning: drafts were made for the first {MAX_TOOLS} of {len(tools)} tools.", err=True)
    out.echo('Next: replace each draft by what your users say and remove "draft": true; then run')
    out.echo(f"  mcp-governor eval check --queries {shown}", wrap=False)


def _existing(path: Path) -> tuple[bytes | None, tuple[Query, ...]]:
    """The content of a set and its queries.

    Raises:
        FileFormatError: it has a line that cannot be used.
    """
    from mcp_governor.errors import NothingCheckedError
    from mcp_governor.evaluation.queries import MAX_FILE, load_queries
    from mcp_governor.files import read_named

    if not path.exists():
        return None, ()
    data = read_named(path, visible(str(path)), limit=MAX_FILE)
    try:
        return data, load_queries(path).queries
    except NothingCheckedError:
        return data, ()
