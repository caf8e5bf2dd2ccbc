"""``mcp-governor eval check``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import msgspec

from mcp_governor.cli.common import Run, TargetCommand, configured, target_argument, write_json, write_lines
from mcp_governor.cli.eval_sets import governed, queries_option, queries_path, surfaces
from mcp_governor.errors import Exit
from mcp_governor.findings import Severity
from mcp_governor.report.lines import line
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from mcp_governor.evaluation.model import Query, QuerySet
    from mcp_governor.evaluation.queries import Problem
    from mcp_governor.evaluation.query_checks import ToolCoverage
    from mcp_governor.report.lines import Line
    from mcp_governor.surface import Surface

_NAMED = 8
"""Number of tools that a line names; --verbose lists all."""


@click.command(name="check", cls=TargetCommand)
@target_argument
@queries_option
@configured("output", "fail-on", "verbose", formats=click.Choice(["text", "json"]))
def eval_check(run: Run, target: str | None, queries: Path | None) -> int:
    """Check a query set against the tools of TARGET.

    Errors: a line that cannot be used, and a tool or argument that does not exist. Warnings: queries that repeat the
    name or the description of their tool, and drafts that nobody edited. Then the coverage: which tools and parameters
    the set asks about.
    """
    from mcp_governor.evaluation.queries import read_set
    from mcp_governor.evaluation.query_checks import coverage, mismatches

    path = queries_path(queries, run)
    found, errors = read_set(path)
    surface_of = surfaces(found.queries, path, lambda: governed(run, target))
    errors += mismatches(found, surface_of)
    rows = [
        *((problem, Severity.ERROR) for problem in errors),
        *((problem, Severity.WARNING) for problem in _warnings(found.queries, surface_of)),
    ]
    rows.sort(key=lambda row: (row[0].line == 0, row[0].line))
    own = [query for query in found.queries if not query.tools_file]
    covered = tuple(coverage(own, surface_of(own[0]).tools)) if own else ()
    if run.output.format == "json":
        write_json(_document(found, rows, covered), run.output)
    else:
        write_lines(_lines(found, rows, covered, path, everything=run.output.verbose > 0), run.output)
    if run.config.fail_on == "never":
        return int(Exit.PASS)
    limit = Severity(run.config.fail_on)
    failing = [severity for _, severity in rows if severity.rank >= limit.rank]
    return int(Exit.FINDINGS if failing else Exit.PASS)


def _warnings(queries: Sequence[Query], surface_of: Callable[[Query], Surface]) -> Iterator[Problem]:
    from mcp_governor.evaluation.queries import Problem
    from mcp_governor.evaluation.query_checks import leak_of
    from mcp_governor.evaluation.terms import tool_text
    from mcp_governor.report.groups import count_of

    for query in queries:
        tools = surface_of(query).by_name
        said = leak_of(query, [tool_text(tools[name].raw) for name in query.gold if name in tools])
        if said is not None:
            yield Problem(query.line, f"{said} Write what a user would say.")
    if drafted := sum(query.draft for query in queries):
        said = count_of(drafted, "query is still a draft", "queries are still drafts")
        yield Problem(0, f'{said}: write what users say, and remove "draft".')


def _document(
    found: QuerySet, rows: Sequence[tuple[Problem, Severity]], covered: Sequence[ToolCoverage]
) -> dict[str, Any]:
    return {
        "set": found.name,
        "digest": found.digest,
        "queries": len(found.queries),
        "drafts": sum(query.draft for query in found.queries),
        "problems": [
            {"line": problem.line or None, "severity": severity.value, "message": problem.message}
            for problem, severity in rows
        ],
        "coverage": msgspec.to_builtins(covered),
    }


def _lines(
    found: QuerySet,
    rows: Sequence[tuple[Problem, Severity]],
    covered: Sequence[ToolCoverage],
    path: Path,
    *,
    everything: bool,
) -> Iterator[Line]:
    from mcp_governor.evaluation.model import Kind
    from mcp_governor.report.groups import count_of

    for problem, severity in rows:
        style = "red" if severity is Severity.ERROR else "yellow"
        place = f"{visible(str(path))}:{problem.line}" if problem.line else visible(str(path))
        yield line(f"{place}: ", (severity.value, style), f": {problem.message}")
    if rows:
        yield line("")
    counts = {kind: sum(query.kind is kind for query in found.queries) for kind in Kind}
    kinds = ", ".join(f"{number} {kind.value}" for kind, number in counts.items() if number)
    errors = sum(severity is Severity.ERROR for _, severity in rows)
    yield line(
        f"{count_of(len(found.queries), 'query', 'queries')} ({kinds or 'none usable'}), {count_of(errors, 'error')}, "
        f"{count_of(len(rows) - errors, 'warning')}"
    )
    if covered:
        yield from _coverage_lines(covered, everything=everything)
    yield from _next(found, errors, covered, path)


def _coverage_lines(covered: Sequence[ToolCoverage], *, everything: bool) -> Iterator[Line]:
    asked = sum(bool(one.positive or one.sibling) for one in covered)
    known, matched = sum(len(one.parameters) for one in covered), sum(len(one.matched) for one in covered)
    yield line(f"Coverage: {asked} of {len(covered)} tools, {matched} of {known} parameters")
    for what, missing in (
        ("no query", [one.tool for one in covered if not one.positive and not one.sibling]),
        ("no sibling query", [one.tool for one in covered if one.positive and not one.sibling]),
    ):
        if missing:
            named = missing if everything else missing[:_NAMED]
            more = f", and {len(missing) - len(named)} more" if len(missing) > len(named) else ""
            yield line(f"{what}: {', '.join(one_line(name, 60) for name in named)}{more}", indent=2)
    if everything:
        for one in covered:
            missing = [name for name in one.parameters if name not in one.matched]
            tail = f"; no matcher for {', '.join(one_line(name, 40) for name in missing)}" if missing else ""
            yield line(
                f"{one_line(one.tool, 80)}: {one.positive} positive, {one.sibling} sibling{tail}", indent=2, hang=2
            )


def _next(found: QuerySet, errors: int, covered: Sequence[ToolCoverage], path: Path) -> Iterator[Line]:
    shown = visible(str(path))
    if errors:
        return
    if any(not one.positive for one in covered):
        yield line(f"Next: draft the missing queries: mcp-governor eval init --queries {shown}")
    elif any(query.draft for query in found.queries):
        yield line("Next: edit the drafts, then run eval check again.")
    elif covered:
        yield line(f"Next: mcp-governor eval run --queries {shown}, or eval search for the words of its tools")
