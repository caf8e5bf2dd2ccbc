"""A run over a fleet as text: one line for each server, then what drifted and what several of them have in common."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from mcp_governor.findings import Severity
from mcp_governor.report.groups import count_of
from mcp_governor.report.lines import BLANK, line
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.findings import Finding
    from mcp_governor.fleet.model import Difference, Fleet, Outcome, Row, RowChange
    from mcp_governor.report.lines import Line

MARKS: dict[Outcome, tuple[str, str]] = {
    "same": ("✓", "green"),
    "changed": ("✓", "green"),
    "drifted": ("✗", "bold red"),
    "new": ("·", "yellow"),
    "read": ("✓", "green"),
    "recorded": ("✓", "green"),
    "unreachable": ("?", "bold red"),
}
_SEVERITY_MARK = {Severity.ERROR: ("✗", "bold red"), Severity.WARNING: ("!", "yellow"), Severity.INFO: ("i", "cyan")}

OUTCOMES: dict[Outcome, str] = {
    "same": "unchanged",
    "changed": "with compatible changes only",
    "drifted": "drifted",
    "new": "without a recording",
    "read": "linted",
    "recorded": "recorded",
    "unreachable": "unreachable",
}
"""How many servers have which outcome, in the summary: ``9 unchanged, 1 drifted``."""

_WIDEST_NAME = 32
"""Columns for the name of a server; longer ones are cut."""

_MAX_CHANGES = 5
"""Changes of one server that are written out; -v lists more."""

_MAX_SERVERS = 20
"""Servers whose changes are written out; -v lists all."""

_MAX_FINDINGS = 20
"""Findings about several servers that are written out; -v lists all."""

HEAD = ("server", "version", "tools", "tokens", "changes", "deprecated", "findings")


def fleet_lines(fleet: Fleet, *, verbose: int = 0) -> Iterator[Line]:
    """The whole run. ``verbose`` below 0: only servers that drifted or were not reached; above 0: every change."""
    rows = [row for row in fleet.rows if verbose >= 0 or row.outcome in ("drifted", "unreachable") or row.failing]
    if rows or verbose >= 0:
        yield from _table(rows, fleet)
        yield from _changes([row for row in rows if row.server is None], verbose)
        yield from _matrices(fleet, verbose)
        yield from _findings(fleet, verbose)
        yield BLANK
    yield from closing_lines(fleet)


def cells(row: Row) -> tuple[str, str, str, str, str, str, str]:
    """The columns of :data:`HEAD`, of a server that was reached."""
    return (
        shown_name(row),
        one_line(row.version or "", 24),
        f"{len(row.tools):,}",
        f"{row.tokens:,}",
        change_words(row),
        leaving_words(row),
        ", ".join(count_of(count, severity) for severity, count in row.findings.items()),
    )


def shown_name(row: Row) -> str:
    """The name of a server as the table shows it; what is cut is not the name of a variant."""
    if row.server is None or row.label is None:
        return one_line(row.name, _WIDEST_NAME)
    label = one_line(row.label, _WIDEST_NAME - 8)
    return f"{one_line(row.server, _WIDEST_NAME - 1 - len(label))}@{label}"


def change_words(row: Row) -> str:
    """What changed since which version."""
    since = f" since {one_line(row.since, 24)}" if row.since else ""
    if row.outcome in ("new", "recorded"):
        return "no recording" if row.outcome == "new" else "recorded"
    if row.outcome == "read":
        return ""
    accepted = sum(change.accepted is not None for change in row.changes)
    parts = [f"{count:,} {verdict}" for verdict in _VERDICTS if (count := row.counts.get(verdict, 0))]
    parts += [f"{accepted} accepted"] if accepted else []
    return f"{', '.join(parts) or 'unchanged'}{since}"


_VERDICTS = ("breaking", "unknown", "compatible")


def leaving_words(row: Row) -> str:
    """How many tools are deprecated, and when the first one goes."""
    if not row.deprecations:
        return ""
    days = [leaving.days for leaving in row.deprecations if leaving.days is not None]
    if not days:
        return str(len(row.deprecations))
    least = min(days)
    left = f"{count_of(least, 'day')} left" if least >= 0 else f"{count_of(-least, 'day')} overdue"
    return f"{len(row.deprecations)}, {left}"


def _table(rows: Sequence[Row], fleet: Fleet) -> Iterator[Line]:
    reached = [cells(row) for row in rows if row.reached]
    # A column that says nothing of any server is left out.
    used = [at for at, head in enumerate(HEAD) if at < 4 or any(one[at] for one in reached)]
    widths = [max(len(HEAD[at]), *(len(one[at]) for one in reached), 0) if reached else len(HEAD[at]) for at in used]
    name_width = max((len(shown_name(row)) for row in rows), default=0)
    widths[0] = max(widths[0], name_width)
    yield line((f"{count_of(len(fleet.rows), 'server')} of {fleet.named}", "bold"), _shard(fleet))
    if rows:
        yield line(("  " + _padded(HEAD, used, widths), "dim"), fit="cut")
    for row in rows:
        mark, style = MARKS[row.outcome]
        if row.reached:
            yield line((mark, style), " ", _padded(cells(row), used, widths), fit="cut")
        else:
            name = f"{shown_name(row):<{widths[0]}}"
            why = visible(row.why or "").removesuffix(".")
            yield line((mark, style), f" {name}  ", ("unreachable: ", style), why, hang=4)
    if fleet.left_out:
        named = ", ".join(one_line(name, 40) for name in list(fleet.left_out)[:10])
        yield line((f"not read, because the client has turned them off: {named}", "dim"))


def _padded(values: Sequence[str], used: Sequence[int], widths: Sequence[int]) -> str:
    parts = (
        f"{values[at]:>{width}}" if HEAD[at] in ("tools", "tokens") else f"{values[at]:<{width}}"
        for at, width in zip(used, widths, strict=True)
    )
    return "  ".join(parts).rstrip()


def _shard(fleet: Fleet) -> str:
    return f", part {fleet.shard}" if fleet.shard else ""


def _changes(rows: Sequence[Row], verbose: int) -> Iterator[Line]:
    """What changed, of each server that drifted; with -v, of the others, too."""
    shown = [row for row in rows if row.changes and (row.outcome == "drifted" or verbose > 0)]
    for row in shown if verbose > 0 else shown[:_MAX_SERVERS]:
        yield BLANK
        versions = f" {visible(row.since)} → {visible(row.version)}" if row.since and row.version else ""
        yield line((one_line(row.name, 100), "bold"), versions)
        grave = [change for change in row.changes if change.verdict != "compatible" or verbose > 0]
        for change in grave if verbose > 0 else grave[:_MAX_CHANGES]:
            mark = ("✗", "bold red") if change.verdict == "breaking" else ("?", "yellow")
            mark = ("+", "green") if change.verdict == "compatible" else mark
            note = f"  accepted: {one_line(change.accepted)}" if change.accepted is not None else ""
            yield line(mark, " ", said_of(change), "  ", (change.kind, "dim"), (note, "dim"), indent=2, hang=2)
            if verbose > 0:
                yield line((f"id: {visible(change.id)}", "dim"), indent=6, fit="whole")
        left = len(grave) - _MAX_CHANGES
        if verbose <= 0 and left > 0:
            yield line((f"… and {count_of(left, 'more change')}; -v lists them", "dim"), indent=2)
    if verbose <= 0 and len(shown) > _MAX_SERVERS:
        yield line((f"… and {count_of(len(shown) - _MAX_SERVERS, 'more server')} that drifted; -v lists them", "dim"))


def _matrices(fleet: Fleet, verbose: int) -> Iterator[Line]:
    """Servers with variants: a change once, with a column for each variant; then what differs between them."""
    for server, variants in variants_in(fleet).items():
        if fleet.each:
            yield BLANK
            yield line((one_line(server, 100), "bold"), f": {'; '.join(each_words(variants))}", hang=2)
        yield from _matrix(server, variants, verbose)
        yield from _differing(server, [one for one in fleet.differences if one.server == server], variants, verbose)


def variants_in(fleet: Fleet) -> dict[str, list[Row]]:
    """The rows of servers with variants, by server."""
    groups: dict[str, list[Row]] = {}
    for row in fleet.rows:
        if row.server is not None:
            groups.setdefault(row.server, []).append(row)
    return groups


def matrix_of(variants: Sequence[Row], *, compatible: bool) -> list[tuple[RowChange, tuple[str, ...]]]:
    """Each change of the variants of a server once, with a mark for each variant.

    Args:
        variants: the rows.
        compatible: also changes that break nothing.
    """
    found: dict[tuple[str, str], RowChange] = {}
    has: dict[tuple[str, str], dict[int, str]] = {}
    for at, row in enumerate(variants):
        for change in row.changes:
            if compatible or change.verdict != "compatible":
                key = (change.id, change.message)
                found.setdefault(key, change)
                has.setdefault(key, {})[at] = "·" if change.accepted is not None else _VERDICT_MARKS[change.verdict]
    blank = [{"new": "new", "unreachable": "?"}.get(row.outcome, "-") for row in variants]
    # What most variants have comes first.
    order = sorted(found, key=lambda key: (_VERDICTS.index(found[key].verdict), -len(has[key]), key))
    return [(found[key], tuple(has[key].get(at, empty) for at, empty in enumerate(blank))) for key in order]


_VERDICT_MARKS = {"breaking": "✗", "unknown": "?!", "compatible": "+"}


def _matrix(server: str, variants: Sequence[Row], verbose: int) -> Iterator[Line]:
    changes = matrix_of(variants, compatible=verbose > 0)
    rows = [(marks, (said_of(change), "  ", (change.kind, "dim"))) for change, marks in changes]
    title = f"{one_line(server, 100)}, changes by variant"
    yield from _columns(title, variants, rows, len(rows) if verbose > 0 else _MAX_CHANGES * 2, "more change")


def _differing(server: str, differences: Sequence[Difference], variants: Sequence[Row], verbose: int) -> Iterator[Line]:
    """Tools that the variants publish differently: a number for each definition, and a hyphen for none."""
    rows = [(marks_of(one, variants), (visible(one.tool),)) for one in differences]
    title = f"{one_line(server, 100)}, differences between variants"
    yield from _columns(title, variants, rows, len(rows) if verbose > 0 else _MAX_FINDINGS, "more tool")


def _columns(
    title: str, variants: Sequence[Row], rows: Sequence[tuple[Sequence[str], tuple[Any, ...]]], most: int, more: str
) -> Iterator[Line]:
    """A table with a column of marks for each variant, and what they are about."""
    if not rows:
        return
    heads = [one_line(row.label or "", 24) for row in variants]
    yield BLANK
    yield line((title, "bold"))
    yield line(("  ".join(heads), "dim"), indent=2, fit="cut")
    for marks, about in rows[:most]:
        columns = "  ".join(f"{mark:^{len(head)}}" for mark, head in zip(marks, heads, strict=True))
        yield line(columns, "  ", *about, indent=2, hang=len(columns) + 2)
    if len(rows) > most:
        yield line((f"… and {count_of(len(rows) - most, more)}; -v lists them", "dim"), indent=2)


def marks_of(difference: Difference, variants: Sequence[Row]) -> list[str]:
    """For each variant the number of its definition, a hyphen for none, and a question mark if it was not reached."""
    found = (difference.definitions.get(row.label or "") for row in variants)
    return ["?" if number is None else str(number or "-") for number in found]


def each_words(variants: Sequence[Row]) -> Iterator[str]:
    """What each of several packages, installed with a server, makes of its surface; the first that starts is the
    measure."""
    reached = [row for row in variants if row.reached]
    equal = [row.label or "" for row in reached if row.fingerprint == reached[0].fingerprint]
    moved = [row.label or "" for row in reached if row.fingerprint != reached[0].fingerprint]
    for words, labels in (
        ("surface equal with", equal),
        ("moved by", moved),
        ("does not start with", [row.label or "" for row in variants if not row.reached]),
    ):
        if labels:
            yield f"{words} {', '.join(one_line(label, 60) for label in labels)}"


def _findings(fleet: Fleet, verbose: int) -> Iterator[Line]:
    found: list[Finding] = sorted(fleet.findings, key=lambda one: (-one.severity.rank, one.rule, one.path))
    if not found or verbose < 0:
        return
    yield BLANK
    yield line(("in several servers", "bold"))
    for one in found if verbose > 0 else found[:_MAX_FINDINGS]:
        mark, style = _SEVERITY_MARK[one.severity]
        yield line((mark, style), " ", visible(one.message), "  ", (one.rule, "dim"), hang=2)
        if verbose > 0:
            yield line((f"fix: {visible(one.fix)}", "dim"), indent=4, hang=2)
    if verbose <= 0 and len(found) > _MAX_FINDINGS:
        yield line((f"… and {count_of(len(found) - _MAX_FINDINGS, 'more finding')}; -v lists them", "dim"))


def said_of(change: RowChange) -> str:
    """The message of a change, which names its tool."""
    said = visible(change.message)
    return said if change.tool is None or f"`{change.tool}`" in said else f"{visible(change.tool)}: {said}"


def summary_of(fleet: Fleet) -> str:
    """How many servers there are of each outcome."""
    numbers = Counter(row.outcome for row in fleet.rows)
    # After a snapshot, "same" is a recording that is up to date.
    parts = [f"{numbers[outcome]:,} {words}" for outcome, words in OUTCOMES.items() if numbers[outcome]]
    return f"{count_of(len(fleet.rows), 'server')}: {', '.join(parts)}"


def closing_lines(fleet: Fleet) -> Iterator[Line]:
    """Counts, the next step, and the verdict."""
    yield line(summary_of(fleet))
    if fleet.of("new") and not fleet.each:
        yield line(("Record what has no recording with: mcp-governor snapshot --all", "dim"))
    reasons = list(failures(fleet))
    if reasons:
        yield line(f"failed by: {'; '.join(reasons)}", hang=2)
        yield line(("FAIL", "bold red"))
    else:
        yield line(("PASS", "bold green"))


def failures(fleet: Fleet) -> Iterator[str]:
    """Why the run fails, one clause each."""
    if drifted := fleet.of("drifted"):
        yield f"{count_of(len(drifted), 'server')} drifted"
    if linted := [row for row in fleet.rows if row.failing]:
        yield f"{count_of(sum(row.failing for row in linted), 'finding')} in {count_of(len(linted), 'server')}"
    if fleet.failing:
        yield f"{count_of(len(fleet.failing), 'finding')} about several servers"
    if not fleet.rows and fleet.shard:
        return
    if not fleet.coverage:
        yield "no server was reached"
    elif fleet.coverage < fleet.least:
        yield f"{fleet.coverage:.0f} % of the servers were reached, and {fleet.least:g} % are required"
