"""Report of ``diff`` → text: breaking first, with witness; then undecided; then additions; then wording."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mcp_governor.checking.model import MAX_LISTED
from mcp_governor.report.change_causes import cause_groups, left_out
from mcp_governor.report.groups import GRAVE, GROUPS, MAX_SHOWN, group_of, grouped, more_than_shown
from mcp_governor.report.lines import BLANK, Line, line
from mcp_governor.report.text import change_lines, closing_lines, grave_lines, quiet_lines, subject_of
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.checking.model import Report
    from mcp_governor.report.change_causes import ChangeCause

_ROOM = {"breaking": 10, "undecided": 5, "compatible": 7, "wording": 4}
"""Causes of a group for which there is room: with head and verdict they are two screens, of 30 lines each."""
_PROVEN = 7
"""Causes of a group with their proof, in three lines; where there are more, the others have a line each."""


def diff_lines(report: Report, *, stat: bool = False, verbose: int = 0) -> Iterator[Line]:
    """The comparison.

    ``stat`` counts per tool instead; ``verbose`` above 0 writes each change out, below 0 leaves what breaks.
    """
    assert report.baseline is not None
    # Without a step they are not versions of one thing.
    versions = report.declared_versions if report.declared_bump is not None else None
    between = f" ({visible(versions[0])} → {visible(versions[1])})" if versions is not None else ""
    yield line((f"{report.baseline.source} → {report.target}", "bold"), between)
    if verbose >= 0 or not stat:
        yield from _stat(report) if stat else _groups(report, verbose)
    yield from closing_lines(report)


def _groups(report: Report, verbose: int) -> Iterator[Line]:
    if verbose > 0:
        yield from _each(report, verbose)
        return
    counts = {name: len(changes) for name, changes in grouped(report.changes)}
    found = dict(cause_groups(report.changes, _ROOM, report))
    for name in GROUPS:
        if name not in counts or (verbose < 0 and name not in GRAVE):
            continue
        yield BLANK
        yield line((f"{name} ({counts[name]:,})", "bold underline"))
        causes = found.get(name, [])
        if not causes:
            yield line(("all of them part of the changes above", "dim"), indent=2)
        most = MAX_SHOWN if name in GRAVE else _ROOM[name]
        for index, cause in enumerate(causes[:most]):
            yield from _cause_lines(cause, report, proven=name in GRAVE and index < _PROVEN)
        if len(causes) > most:
            yield line((f"… and {left_out(causes[most:])}; -v lists them", "dim"), indent=2)


def _each(report: Report, verbose: int) -> Iterator[Line]:
    for name, changes in grouped(report.changes):
        yield BLANK
        yield line((f"{name} ({len(changes):,})", "bold underline"))
        for change in changes[:MAX_LISTED]:
            yield from change_lines(change, report.accepted.get(change.id), verbose, tool=subject_of(change.tool))
        if len(changes) > MAX_LISTED:
            yield line((more_than_shown(len(changes) - MAX_LISTED, "change"), "dim"), indent=2)


def _cause_lines(cause: ChangeCause, report: Report, *, proven: bool) -> Iterator[Line]:
    first = cause.first
    accepted = report.accepted.get(first.id)
    if not proven:
        yield from quiet_lines(cause, accepted)
    elif cause.alone:
        yield from change_lines(first, accepted, tool=subject_of(first.tool))
    else:
        yield from grave_lines(cause, accepted)


def _stat(report: Report) -> Iterator[Line]:
    rows: dict[str, Counter[str]] = {}
    for change in report.changes:
        rows.setdefault(subject_of(change.tool), Counter())[group_of(change)] += 1
    if not rows:
        return
    width = max(len(name) for name in rows)
    yield BLANK
    yield line((f"{'':<{width}}" + "".join(f"{name:>12}" for name in GROUPS), "dim"))
    for name in sorted(rows):
        yield line(f"{name:<{width}}" + "".join(f"{rows[name][group] or '':>12}" for group in GROUPS))
