"""Report → text: grouped by tool, each with place, reason and fix; the required bump last."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mcp_governor.change.terms import Verdict
from mcp_governor.findings import Severity
from mcp_governor.report.groups import (
    MOST_SHOWN,
    ONLY_BREAKING,
    advice_of,
    count_of,
    counted_findings,
    counted_of,
    declared_words,
    judged_words,
    more_than_shown,
    pending_words,
    witness_words,
)
from mcp_governor.report.lines import BLANK, Line, line
from mcp_governor.text import one_line, sentence, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.change.model import Change
    from mcp_governor.checking.model import Place, Report
    from mcp_governor.findings import Finding

_SURFACE = "surface"

_CHANGE_MARK = {
    Verdict.BREAKING: ("✗", "bold red"),
    Verdict.UNKNOWN: ("?", "bold magenta"),
    Verdict.COMPATIBLE: ("+", "green"),
}
_FINDING_MARK = {
    Severity.ERROR: ("✗", "bold red"),
    Severity.WARNING: ("!", "yellow"),
    Severity.INFO: ("i", "cyan"),
}
_WITNESS_LIMIT = 400
"""Characters of a witness: four or five lines of a terminal. A longer one is cut, and its length told."""


def report_lines(report: Report, *, verbose: int = 0) -> Iterator[Line]:
    """The whole report. ``verbose`` below 0 leaves only the summary; above 0 adds ids and wording changes."""
    yield from _head(report)
    if verbose >= 0:
        yield from _body(report, verbose)
    yield from closing_lines(report)


def _head(report: Report) -> Iterator[Line]:
    server = report.server
    if server is not None:
        # The version that counts, which schema-version or a registry may state instead of the server.
        version = report.declared_versions[1] if report.declared_versions is not None else server.version
        named = " ".join(visible(part) for part in (server.name, version) if part) or "unnamed server"
        reported = f" (reports {visible(server.version)})" if server.version and server.version != version else ""
        protocol = f", protocol {visible(server.protocol)}" if server.protocol else ""
        counted = ", ".join(count_of(count, name.removesuffix("s")) for name, count in report.counts.items() if count)
        yield line((named, "bold"), f"{reported} from {report.target}{protocol}" + (f": {counted}" if counted else ""))
    if report.baseline is not None:
        version = f" ({visible(report.baseline.version)})" if report.baseline.version else ""
        yield line(f"compared with {report.baseline.source}{version}")
    if judged := judged_words(report):
        yield line(judged)


def _body(report: Report, verbose: int) -> Iterator[Line]:
    groups: dict[str | None, list[Line]] = {}
    told = [change for change in report.changes if verbose or not change.wording]
    of_tool: dict[str | None, list[Change]] = {}
    for change in sorted(told, key=_change_order):
        of_tool.setdefault(change.tool, []).append(change)
    for tool, changes in of_tool.items():
        lines = groups.setdefault(tool, [])
        for change in changes[:MOST_SHOWN]:
            lines += change_lines(change, report.accepted.get(change.id), verbose, place=report.places.get(change.id))
        lines += _more(len(changes), "change")
    about: dict[str | None, list[Finding]] = {}
    for finding in sorted(report.findings, key=lambda f: (-f.severity.rank, f.rule, f.path)):
        about.setdefault(finding.tool, []).append(finding)
    for tool, findings in about.items():
        lines = groups.setdefault(tool, [])
        for finding in findings[:MOST_SHOWN]:
            lines += finding_lines(finding, verbose, report.places.get(finding.id))
        lines += _more(len(findings), "finding")
    for tool in sorted(groups, key=lambda name: (name is None, name or "")):
        yield BLANK
        yield line((visible(tool) if tool is not None else _SURFACE, "bold underline"))
        yield from groups[tool]
    quiet = len(report.changes) - len(told)
    if quiet:
        yield BLANK
        yield line((f"{count_of(quiet, 'change')} of wording only, shown with -v", "dim"))


def _more(count: int, noun: str) -> list[Line]:
    return [line((more_than_shown(count - MOST_SHOWN, noun), "dim"), indent=2)] if count > MOST_SHOWN else []


def _change_order(change: Change) -> tuple[int, str, str]:
    order = (Verdict.BREAKING, Verdict.UNKNOWN, Verdict.COMPATIBLE)
    return (order.index(change.verdict), change.path, change.kind)


def change_lines(
    change: Change, accepted: str | None = None, verbose: int = 0, *, tool: str = "", place: Place | None = None
) -> Iterator[Line]:
    """One change: kind and place, the reason, the proof. ``tool`` names it where no heading does."""
    mark, style = _CHANGE_MARK[change.verdict]
    note = f"  accepted: {one_line(accepted)}" if accepted is not None else ""
    where = (f"{tool} {visible(change.path)}".strip(), "cyan")
    yield line((mark, style), " ", (change.kind, style), "  ", where, (note, "dim"), indent=2)
    yield line(sentence(change.message), indent=6)
    if place is not None:
        yield line((f"{place.file}:{place.line}:{place.column}", "dim"), indent=6)
    if change.has_witness:
        yield line((f"{witness_words(change)}: ", "dim"), compact_json(change.witness), indent=6)
    if verbose:
        yield line((f"id: {visible(change.id)}", "dim"), indent=6)


def compact_json(value: object) -> str:
    """The shortest JSON of a value, safe to show, cut where it is very long."""
    text = visible(json.dumps(value, ensure_ascii=False, separators=(", ", ": ")))
    return text if len(text) <= _WITNESS_LIMIT else f"{text[:_WITNESS_LIMIT]}… ({len(text)} characters)"


def finding_lines(finding: Finding, verbose: int = 0, place: Place | None = None) -> Iterator[Line]:
    """One finding: rule and place, the reason, the fix; the lines of the file where it was read from one."""
    mark, style = ("·", "dim") if finding.accepted is not None else _FINDING_MARK[finding.severity]
    note = f"  accepted: {one_line(finding.accepted)}" if finding.accepted is not None else ""
    yield line(
        (mark, style), " ", (finding.rule, style), "  ", (visible(finding.path), "cyan"), (note, "dim"), indent=2
    )
    yield line(visible(finding.message), indent=6)
    if place is not None:
        yield line((f"{place.file}:{place.line}:{place.column}", "dim"), indent=6)
        yield from (line((text, "dim"), indent=6) for text in place.frame.split("\n"))
    if finding.fix:
        first, *rest = finding.fix.split("\n")
        yield line(("fix: ", "dim"), visible(first), indent=6)
        yield from (line(visible(more), indent=11) for more in rest)
    if verbose:
        yield line((f"id: {visible(finding.id)}", "dim"), indent=6)


def closing_lines(report: Report) -> Iterator[Line]:
    """What was counted, the bumps, and the verdict."""
    summary = report.summary
    parts = [counted_of(report)] if report.baseline is not None or report.changes else []
    # A comparison alone looks for no findings, so it does not say that it found none.
    if report.findings or report.baseline is None or not report.breaking_fails:
        parts.append(counted_findings(summary["findings"]))
    if summary["accepted"]:
        parts.append(f"{summary['accepted']} accepted")
    yield BLANK
    yield line("; ".join(parts))
    if report.only is not None:
        yield line(ONLY_BREAKING)
    elif report.baseline is not None:
        yield _bump_line(report)
    yield from (line(f"{advice}: ", (command, "bold")) for advice, command in advice_of(report))
    if report.good_calls is not None and report.good_calls.tools:
        yield line(str(report.good_calls))
    passed = report.verdict == "pass"
    yield line(("PASS" if passed else "FAIL", "bold green" if passed else "bold red"))


def _bump_line(report: Report) -> Line:
    forced = frozenset(report.forcing)
    forcing = [change for change in report.changes if change.id in forced]
    why = ", ".join(dict.fromkeys(f"{change.kind} in {visible(change.tool or _SURFACE)}" for change in forcing[:3]))
    more = f" and {len(forcing) - 3} more" if len(forcing) > 3 else ""
    because = f" ({why}{more})" if why else ""
    if report.stage is not None and report.stage.between:
        return line("pending: ", (visible(pending_words(report)), "bold"), because)
    declared = ""
    if report.declared_versions is not None:
        old, new = (visible(version) for version in report.declared_versions)
        made = declared_words(report.declared_bump)
        declared = f"; declared: {made} ({old} → {new})"
    return line("required bump: ", (report.required_bump.value, "bold"), because, declared)
