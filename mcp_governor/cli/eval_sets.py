"""Query sets: ``mcp-governor eval init``, ``check``, ``import`` and ``export``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from mcp_governor.checking.reading import read_governed, refuse_empty
from mcp_governor.cli import common, out
from mcp_governor.cli.common import write_text
from mcp_governor.errors import Exit, UsageError
from mcp_governor.evaluation.queries import DEFAULT_NAME, MAX_FILE, Problem, as_line, load_queries, read_set
from mcp_governor.files import read_named
from mcp_governor.findings import Severity
from mcp_governor.report.groups import count_of
from mcp_governor.report.lines import line
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mcp_governor.evaluation.model import Query, QuerySet
    from mcp_governor.evaluation.query_checks import ToolCoverage
    from mcp_governor.report.lines import Line
    from mcp_governor.surface import Surface


queries_option = click.option(
    "--queries",
    type=common.FILE,
    help="Query set, one JSON object a line  [default: mcp-queries.jsonl next to the configuration]",
)


def queries_path(typed: Path | None, run: common.Run) -> Path:
    """The query set that a command line means."""
    if typed is not None:
        return typed
    path = run.config.resolve(run.config.evaluation.queries or DEFAULT_NAME)
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def surfaces(queries: Iterable[Query], path: Path, governed: Callable[[], Surface]) -> Callable[[Query], Surface]:
    """The surface that each query is about, of TARGET or of a file next to the set; TARGET is read once, if at all."""
    from mcp_governor.evaluation.offering import load_tools

    read: dict[str, Surface] = {}
    for query in queries:
        if query.tools_file not in read:
            read[query.tools_file] = load_tools(path.parent / query.tools_file) if query.tools_file else governed()
    return lambda query: read[query.tools_file]


def governed(run: common.Run, target: str | None) -> Surface:
    """The surface of TARGET, which has tools."""
    surface = read_governed(run.source(target), run.config)
    refuse_empty(surface)
    return surface


_HEADER = """\
# Queries of mcp-governor, one a line: what a user says, and the tools that are right for it.
# Replace each draft by what your users say, in their words and not in those of the descriptions; then remove "draft".
# The keys: mcp-governor schema queries. The check: mcp-governor eval check
"""


@click.command(name="init", cls=common.TargetCommand)
@common.target_argument
@queries_option
@common.configured("quiet")
def eval_init(run: common.Run, target: str | None, queries: Path | None) -> None:
    """Draft a query set from the tools of TARGET, to be edited.

    Each tool gets a positive query and one for which its nearest sibling is easily taken; some queries fit no tool. The
    drafts are marked as such, and are a start: only your users' words measure something. Lines that a set has already
    are never changed; run it again after a tool was added.
    """
    from mcp_governor.evaluation.drafting import MAX_TOOLS, drafts
    from mcp_governor.evaluation.offering import offered_tools
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
    kept = f"; {count_of(len(existing), 'query', 'queries')} kept as they were" if existing else ""
    out.echo(f"{shown}: {count_of(len(made), 'draft')} written ({_kinds(made)}){kept}")
    if len(tools) > MAX_TOOLS:
        out.echo(f"warning: drafts were made for the first {MAX_TOOLS} of {len(tools)} tools.", err=True)
    out.echo('Next: replace each draft by what your users say and remove "draft": true; then run')
    out.echo(f"  mcp-governor eval check --queries {shown}", wrap=False)


def _existing(path: Path) -> tuple[bytes | None, tuple[Query, ...]]:
    """The content of a set and its queries."""
    from mcp_governor.errors import NothingCheckedError

    if not path.exists():
        return None, ()
    data = read_named(path, visible(str(path)), limit=MAX_FILE)
    try:
        return data, load_queries(path).queries
    except NothingCheckedError:
        return data, ()


_NAMED = 8
"""Number of tools that a line names; --verbose lists all."""


@click.command(name="check", cls=common.TargetCommand)
@common.target_argument
@queries_option
@common.configured("output", "fail-on", "verbose", formats=click.Choice(["text", "json"]))
def eval_check(run: common.Run, target: str | None, queries: Path | None) -> int:
    """Check a query set against the tools of TARGET.

    Errors: a line that cannot be used, and a tool or argument that does not exist. Warnings: queries that repeat the
    name or the description of their tool, and drafts that nobody edited. Then the coverage: which tools and parameters
    the set asks about.
    """
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
        common.write_json(_document(found, rows, covered), run.output)
    else:
        common.write_lines(_lines(found, rows, covered, path, everything=run.output.verbose > 0), run.output)
    if run.config.fail_on == "never":
        return int(Exit.PASS)
    limit = Severity(run.config.fail_on)
    failing = [severity for _, severity in rows if severity.rank >= limit.rank]
    return int(Exit.FINDINGS if failing else Exit.PASS)


def _warnings(queries: Sequence[Query], surface_of: Callable[[Query], Surface]) -> Iterator[Problem]:
    from mcp_governor.evaluation.query_checks import leak_of
    from mcp_governor.evaluation.terms import tool_text

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
    for problem, severity in rows:
        style = "red" if severity is Severity.ERROR else "yellow"
        place = f"{visible(str(path))}:{problem.line}" if problem.line else visible(str(path))
        yield line(f"{place}: ", (severity.value, style), f": {problem.message}")
    if rows:
        yield line("")
    errors = sum(severity is Severity.ERROR for _, severity in rows)
    yield line(
        f"{count_of(len(found.queries), 'query', 'queries')} ({_kinds(found.queries) or 'none usable'}), "
        f"{count_of(errors, 'error')}, {count_of(len(rows) - errors, 'warning')}"
    )
    if covered:
        yield from _coverage_lines(covered, everything=everything)
    yield from _next(found, errors, covered, path)


def _kinds(queries: Sequence[Query]) -> str:
    """How many queries there are of each kind."""
    from mcp_governor.evaluation.model import Kind

    counts = {kind: sum(query.kind is kind for query in queries) for kind in Kind}
    return ", ".join(f"{number} {kind.value}" for kind, number in counts.items() if number)


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


@click.command(name="import")
@click.argument("form", metavar="FORMAT", type=click.Choice(["inspect", "promptfoo"]))
@click.argument("file", type=common.FILE)
@common.configured("output", isolated=False)
def eval_import(run: common.Run, form: str, file: Path) -> None:
    """Write FILE, a data set of inspect_ai (JSON, JSONL) or a configuration of promptfoo (JSON), as a query set.

    What is not taken over is said on standard error.

    \b
        mcp-governor eval import promptfoo promptfooconfig.json -o queries.jsonl
    """
    from mcp_governor.errors import FileFormatError
    from mcp_governor.evaluation.exchange import imported

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


@click.command(name="export")
@click.argument("form", metavar="FORMAT", type=click.Choice(["inspect", "promptfoo"]))
@queries_option
@common.configured("output", isolated=False)
def eval_export(run: common.Run, form: str, queries: Path | None) -> None:
    """Write a query set as a data set of inspect_ai (JSONL) or a configuration of promptfoo (JSON).

    What the other program will not judge is said on standard error; eval import brings everything back.
    """
    from mcp_governor.evaluation.exchange import exported

    text, lost = exported(load_queries(queries_path(queries, run)).queries, form)
    for sentence in lost:
        out.echo(f"note: {sentence}", err=True)
    write_text(text, run.output, form="json")
