"""``mcp-governor eval check``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcp_governor.cli.common import Run, TargetCommand, configured, target_argument, write_json, write_lines
from mcp_governor.cli.eval_sets import governed, problem_line, queries_option, queries_path, surfaces
from mcp_governor.errors import Exit
from mcp_governor.report.lines import line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mcp_governor.evaluation.model import QuerySet
    from mcp_governor.evaluation.queries import Problem
    from mcp_governor.report.lines import Line


@click.command(name="check", cls=TargetCommand)
@target_argument
@queries_option
@configured("output", formats=click.Choice(["text", "json"]))
def eval_check(run: Run, target: str | None, queries: Path | None) -> int:
    """Check a query set against the tools of TARGET.

    Every line has to be valid, and every tool and argument that it names has to exist.
    """
    from mcp_governor.evaluation.against import mismatches
    from mcp_governor.evaluation.queries import read_set

    path = queries_path(queries, run)
    found, problems = read_set(path)
    problems += mismatches(found, surfaces(found.queries, path, lambda: governed(run, target)))
    problems.sort(key=lambda problem: problem.line)
    if run.output.format == "json":
        write_json(_document(found, problems), run.output)
    else:
        write_lines(_lines(found, problems, path), run.output)
    return int(Exit.FINDINGS if problems else Exit.PASS)


def _document(found: QuerySet, problems: Iterable[Problem]) -> dict[str, object]:
    return {
        "set": found.name,
        "digest": found.digest,
        "queries": len(found.queries),
        "problems": [{"line": problem.line, "message": problem.message} for problem in problems],
    }


def _lines(found: QuerySet, problems: list[Problem], path: Path) -> Iterator[Line]:
    from mcp_governor.evaluation.model import Kind
    from mcp_governor.report.groups import count_of

    for problem in problems:
        yield line(problem_line(problem, path))
    counts = {kind: sum(query.kind is kind for query in found.queries) for kind in Kind}
    kinds = ", ".join(f"{number} {kind.value}" for kind, number in counts.items() if number)
    yield line(
        f"{count_of(len(found.queries), 'query', 'queries')} ({kinds or 'none usable'}), "
        f"{count_of(len(problems), 'problem')}"
    )
