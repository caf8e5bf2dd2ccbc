"""``mcp-governor eval search``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from mcp_governor.cli.common import Run, TargetCommand, configured, target_argument, useless, write_json, write_lines
from mcp_governor.cli.eval_sets import governed, queries_option, queries_path
from mcp_governor.errors import NothingCheckedError, UsageError
from mcp_governor.evaluation.offering import offered_tools
from mcp_governor.evaluation.queries import load_queries
from mcp_governor.evaluation.searching import RETURNED, Searched, load_crowd
from mcp_governor.evaluation.terms import tool_text
from mcp_governor.report.lines import line
from mcp_governor.text import did_you_mean, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.report.lines import Line

_SHOWN = 10
"""Number of tools that are listed for one query: twice what a search returns."""


@click.command(name="search", cls=TargetCommand)
@click.argument("query", required=False)
@target_argument
@queries_option
@click.option(
    "--tool", metavar="NAME", help="With QUERY: the tool that it should find  [default: none; list the ranking]"
)
@click.option(
    "--method",
    type=click.Choice(["bm25", "regex", "minilm"]),
    default="bm25",
    show_default=True,
    help="Ranking: words, a regular expression, or similar meaning (extra embed)",
)
@click.option(
    "--among",
    type=click.Path(path_type=Path),
    metavar="FILE|DIR",
    help="Also rank among the tools of these recorded surfaces  [default: only the tools of TARGET]",
)
@configured("output", "verbose", formats=click.Choice(["text", "json"]))
def eval_search(
    run: Run,
    query: str | None,
    target: str | None,
    queries: Path | None,
    tool: str | None,
    method: str,
    among: Path | None,
) -> None:
    """Show at which rank a tool search finds the right tool.

    Hosts with many tools show a model only the first few that a search over names, descriptions and parameters returns.
    For each query of the set, this is the rank of its tool among the tools of TARGET, and with --among those of other
    servers; and which words of the query would bring it to the first place if its description had them.

    With QUERY, only this one is searched; --method regex takes it as a pattern. Without --queries and QUERY, the set of
    the project is read.

    \b
        mcp-governor eval search "what changed today" server.json --tool git_log
        mcp-governor eval search --queries set.jsonl --among surfaces/ server.json
    """
    if query is not None and queries is not None:
        # With a set, the first argument is TARGET.
        if target is not None:
            raise useless("QUERY", "--queries")
        query, target = None, query
    if tool is not None and query is None:
        raise UsageError("--tool has no effect without QUERY.", "A set names the tools itself, in gold_tools.")
    searched = _searched(run, target, method, among, query if method == "regex" else None)
    if query is not None:
        _one(run, searched, query, tool)
        return
    _set(run, searched, queries_path(queries, run))


def _searched(run: Run, target: str | None, method: Any, among: Path | None, pattern: str | None) -> Searched:
    from mcp_governor.evaluation.searching import Searched

    own = [tool_text(tool) for tool in offered_tools(governed(run, target))]
    others = load_crowd(among, own) if among is not None else ()
    return Searched(method, own, others, pattern)


def _one(run: Run, searched: Searched, query: str, tool: str | None) -> None:
    names = [one.name for one in searched.own]
    if tool is not None and tool not in names:
        raise UsageError(
            f"The server has no tool {one_line(tool, 80)}.{did_you_mean(tool, names)}", "Name one of its tools."
        )
    order = searched.order(query)
    found = _row(searched, query, (tool,), ()) if tool is not None else None
    if run.output.format == "json":
        ranking = [{"tool": one.name, "score": round(score, 6)} for one, score in order]
        write_json({"query": query, "method": searched.method, "ranking": ranking, **(found or {})}, run.output)
        return
    write_lines(_ranking_lines(searched, order, tool, found), run.output)


def _ranking_lines(
    searched: Searched, order: Sequence[tuple[Any, float]], tool: str | None, found: dict[str, Any] | None
) -> Iterator[Line]:
    if not order:
        yield line(f"No tool of {len(searched.own)} is found.")
    for number, (one, score) in enumerate(order[:_SHOWN], 1):
        style = "bold" if one.name == tool else ""
        yield line((f"{number:>4}  {visible(one.name)}", style), (f"  {score:.2f}", "dim"))
    if len(order) > _SHOWN:
        yield line(f"      and {len(order) - _SHOWN} more")
    if searched.method == "regex":
        yield line(f"{len(order)} of {len(searched.own)} tools match, in no order.")
    if found is not None:
        yield line("")
        yield from _row_lines(found)


def _set(run: Run, searched: Searched, path: Path) -> None:
    queries = load_queries(path)
    names = {one.name for one in searched.own}
    asked = [query for query in queries.queries if query.gold and not query.tools_file]
    unknown = next((query for query in asked if not any(name in names for name in query.gold)), None)
    if unknown is not None:
        raise UsageError(
            f"{visible(str(path))}:{unknown.line}: the server has no tool {one_line(unknown.gold[0], 80)}."
            f"{did_you_mean(unknown.gold[0], names)}",
            f"Check the set: mcp-governor eval check --queries {visible(str(path))}",
        )
    if not asked:
        raise NothingCheckedError(
            f"{visible(str(path))} has no query with a tool of this server, so nothing was searched.",
            "Add queries with gold_tools, or draft some: mcp-governor eval init",
        )
    others = [(query.text, query.gold) for query in asked]
    rows = [_row(searched, query.text, query.gold, others) for query in asked]
    summary = _summary(searched, rows)
    if run.output.format == "json":
        write_json({"set": queries.name, "digest": queries.digest, **summary, "queries": rows}, run.output)
        return
    write_lines(_set_lines(searched, rows, summary, everything=run.output.verbose > 0), run.output)


def _row(
    searched: Searched, query: str, gold: Sequence[str], others: Sequence[tuple[str, Sequence[str]]]
) -> dict[str, Any]:
    tool, own, among = searched.ranks(query, gold)
    wider = {"among": msgspec.to_builtins(among)} if among.count > own.count else {}
    row = {"query": query, "tool": tool, "own": msgspec.to_builtins(own), **wider}
    if among.rank != 1 and searched.method == "bm25":
        lift = searched.lift(query, tool, gold, others)
        row["words"] = lift and {
            "add": list(lift.words),
            "own": lift.own.rank,
            **({"among": lift.among.rank} if wider else {}),
            "lost": list(lift.lost),
        }
    return row


def _summary(searched: Searched, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    summary: dict[str, Any] = {"method": searched.method, "searched": len(rows)}
    for key in ("own", "among"):
        if key in rows[0]:
            ranks = [row[key]["rank"] for row in rows]
            summary[key] = {
                "tools": rows[0][key]["of"],
                "first": ranks.count(1),
                "returned": sum(rank is not None and rank <= RETURNED for rank in ranks),
                "not_found": ranks.count(None),
            }
    return summary


def _set_lines(
    searched: Searched, rows: Sequence[dict[str, Any]], summary: dict[str, Any], *, everything: bool
) -> Iterator[Line]:
    key = "among" if "among" in summary else "own"
    shown = [row for row in rows if everything or row[key]["rank"] != 1]
    for row in shown:
        yield from _row_lines(row)
    if shown:
        yield line("")
    for name, text in (("own", "tools of this server"), ("among", "tools with those of other servers")):
        if one := summary.get(name):
            yield line(
                f"Among the {one['tools']} {text}: {one['first']} of {len(rows)} queries find their tool first, "
                f"{one['returned']} within the first {RETURNED}, {one['not_found']} not at all "
                f"({searched.method}, a proxy)."
            )
    if any(row.get("words") for row in rows):
        yield line("Add a word only if it is true of the tool, and run eval search again.")


def _row_lines(row: dict[str, Any]) -> Iterator[Line]:
    own = row["own"]
    place = "not found" if own["rank"] is None else f"{own['rank']} of {own['of']}"
    if "among" in row:
        among = row["among"]
        place += ", not found among all" if among["rank"] is None else f", {among['rank']} of {among['of']}"
    yield line((visible(row["tool"]), "bold"), f"  {place}  ", (f'"{one_line(row["query"], 100)}"', "dim"))
    above = row.get("among", own)["above"]
    if above:
        yield line(f"before it: {', '.join(one_line(name, 60) for name in above)}", indent=4)
    words = row.get("words")
    if words:
        added = ", ".join(f'"{one_line(word, 40)}"' for word in words["add"])
        ranks = f"rank {words['own']}" + (f", among all {words['among']}" if "among" in words else "")
        yield line(f"with {added} in its description: {ranks}", indent=4)
        for text in words["lost"][:3]:
            yield line(f'then another query no longer finds its tool first: "{one_line(text, 80)}"', indent=6)
    elif "words" in row and own["rank"] != 1:
        yield line("no few words of the query change this; compare its description with theirs", indent=4)
