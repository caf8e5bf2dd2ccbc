"""What a run says at its end although nothing fails for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.change.vocabulary import Verdict
from mcp_governor.pytest_plugin.arguments import ROOT
from mcp_governor.pytest_plugin.outcomes import CHANGES, STALE, failing_changes, family_of, shown
from mcp_governor.report.finding_groups import causes, fitting, response_lines
from mcp_governor.report.groups import count_of, pending_words
from mcp_governor.report.lines import line, plain_text
from mcp_governor.report.text import cause_lines, change_lines, fix_lines
from mcp_governor.text import printable, visible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from mcp_governor.checking.model import Report
    from mcp_governor.pytest_plugin.running import Run
    from mcp_governor.report.lines import Line

_CAUSES = 7
"""Most warnings that are shown without ``-v``, one line each: as many as ``check`` shows."""


def summary_lines(run: Run, ids: Collection[str], *, full: bool, stale: bool) -> list[str]:
    """The lines of the section, safe to print; none if no item about the server has run.

    Args:
        run: of this process.
        ids: of the items that ran; what belongs to others is left out.
        full: show all warnings, with their fixes.
        stale: show what nobody uses.
    """
    if not any(one.startswith(f"{ROOT}::") for one in ids):
        return list(run.notes)
    if run.made is None:
        return list(run.notes)
    report = run.made.report
    shown_lines = [*_breaks(report, ids, full=full), *_warnings(report, ids, full=full, stale=stale)]
    lines = plain_text(shown_lines).splitlines()
    return [*lines, *map(printable, response_lines(report)), *run.notes]


def _breaks(report: Report, ids: Collection[str], *, full: bool) -> Iterator[Line]:
    """The breaks that fail nothing, because a release announces them or is still to come."""
    failing = {change.id for change in failing_changes(report)}
    found = [
        change
        for change in report.changes
        if change.verdict is not Verdict.COMPATIBLE
        and change.id not in failing
        and change.id not in report.accepted
        and f"{ROOT}::{shown(change.tool)}::{CHANGES}" in ids
    ]
    for change in found if full else found[:_CAUSES]:
        yield from change_lines(change, tool=shown(change.tool), indent=0)
    if len(found) > _CAUSES and not full:
        yield line(f"… and {count_of(len(found) - _CAUSES, 'more change')}; pytest -v lists them")
    if found and report.pending is not None:
        yield line(f"pending: {visible(pending_words(report))}")


def _warnings(report: Report, ids: Collection[str], *, full: bool, stale: bool) -> Iterator[Line]:
    failing = set(map(id, report.failing_findings))
    found = causes(
        finding
        for finding in report.findings
        if finding.accepted is None
        and id(finding) not in failing
        and finding.severity.value != "info"
        and f"{ROOT}::{shown(finding.tool)}::{family_of(finding.rule)}" in ids
        and (stale or finding.rule not in STALE)
    )
    kept = found if full else fitting(found, _CAUSES)
    for cause in kept:
        yield from cause_lines(cause, report)
        if full:
            yield from fix_lines(cause.fix, 2)
    left = sum(len(cause.findings) for cause in found) - sum(len(cause.findings) for cause in kept)
    if left:
        yield line(f"… and {count_of(left, 'more warning')}; pytest -v lists them")
