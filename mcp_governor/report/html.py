"""Report → one HTML page: no request, readable without script, nothing of a server is markup."""

from __future__ import annotations

import hashlib
import json
from functools import partial
from html import escape
from typing import TYPE_CHECKING, TypeVar

from mcp_governor.findings import Severity
from mcp_governor.report.finding_groups import causes
from mcp_governor.report.groups import (
    ONLY_BREAKING,
    UNKNOWN_STEP,
    count_of,
    counted_changes,
    counted_findings,
    counted_old,
    failed_words,
    group_of,
    grouped,
    judged_words,
    pending_words,
    reproduction_of,
    witness_words,
)
from mcp_governor.report.history_picture import history_section
from mcp_governor.report.html_page import page
from mcp_governor.report.json_diff import fragment_sides
from mcp_governor.report.responses import response_lines
from mcp_governor.report.tool_list import tool_section
from mcp_governor.text import one_line, sentence, shortened, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.checking.model import Report
    from mcp_governor.findings import Finding
    from mcp_governor.report.finding_groups import Cause

WHOLE_LINES = True
WITH_PLACES = True
WITH_HISTORY = True

_T = TypeVar("_T")

_MAX_ROWS = 2_000
"""Items of a section that are written out, the worst first: a page of some megabytes, which a browser still lays out
at once. The JSON report lists all of them."""
_MAX_LENGTH = 2_000
"""Characters of one text, as in the other formats."""
_TITLES = {
    "breaking": "Breaking changes",
    "undecided": "Changes that could not be decided",
    "compatible": "Compatible changes",
    "wording": "Changes of wording",
}


def render(report: Report) -> str:
    """The report as a page that opens from a file."""
    return page(_safe(f"{_name(report)}: {report.verdict}"), _body(report), script=True)


def _safe(text: str, limit: int = _MAX_LENGTH) -> str:
    """Escape text of a server for the page, or for an attribute."""
    return escape(shortened(visible(text, keep_newlines=True), limit))


def _prose(text: str) -> str:
    """A message with code in backticks."""
    parts = shortened(visible(text, keep_newlines=True), _MAX_LENGTH).split("`")
    if len(parts) % 2 == 0:
        return escape("`".join(parts))
    return "".join(f"<code>{escape(part)}</code>" if at % 2 else escape(part) for at, part in enumerate(parts))


def _name(report: Report) -> str:
    return report.server.name if report.server is not None and report.server.name else report.target


def _body(report: Report) -> Iterator[str]:
    live = [change for change in report.changes if change.id not in report.accepted]
    found = causes(report.findings)
    known = [cause for cause in found if cause.findings[0].accepted is not None]
    fresh = [cause for cause in found if cause.findings[0].accepted is None]
    fresh.sort(key=lambda cause: -cause.severity.rank)
    yield "<header>"
    version = report.server.version if report.server is not None else None
    shown = f' <span class="version">version {_safe(version, 100)}</span>' if version else ""
    yield f'<h1><span class="verdict {report.verdict}">{report.verdict}</span> {_safe(_name(report))}{shown}</h1>'
    yield from (f'<p class="facts">{fact}</p>' for fact in _result(report, live))
    yield from (f'<p class="facts quiet">{fact}</p>' for fact in _origin(report))
    yield "</header>"
    yield from _controls(report)
    yield "<main>"
    for group, changes in grouped(live):
        yield from _section(_TITLES[group], len(changes), changes, partial(_change, group=group, report=report))
    yield from _causes("Findings", fresh, report)
    accepted = [change for change in report.changes if change.id in report.accepted]
    yield from _section("Accepted changes", len(accepted), accepted, partial(_accepted, report=report))
    yield from _causes("Accepted findings", known, report)
    if report.history is not None:
        yield from history_section(report.history)
    yield from tool_section(report)
    yield "</main>"


def _result(report: Report, live: Sequence[Change]) -> Iterator[str]:
    """What people ask first: why it failed, which version it needs, how much there is."""
    if words := failed_words(report):
        yield f"failed by: <strong>{_safe(words)}</strong>"
    if report.baseline is not None:
        yield _step(report)
    changes = f"no {report.only} changes" if report.only is not None and not live else counted_changes(live)
    yield "; ".join([escape(changes), escape(counted_findings(report.summary["findings"]))])
    if report.summary["accepted"]:
        yield f"{report.summary['accepted']:,} accepted, and not counted above"
    yield from map(_safe, filter(None, (counted_old(report), judged_words(report), *response_lines(report))))


def _origin(report: Report) -> Iterator[str]:
    """What was read, and what it was compared with."""
    words = [f"read from <code>{_safe(report.target)}</code>"]
    if report.server is not None and report.server.protocol:
        words.append(f"protocol {_safe(report.server.protocol, 100)}")
    if report.baseline is not None:
        version = f" ({_safe(report.baseline.version)})" if report.baseline.version else ""
        words.append(f"compared with <code>{_safe(report.baseline.source)}</code>{version}")
    yield "; ".join(words)
    if report.fingerprint:
        yield f"fingerprint <code>{_safe(report.fingerprint)}</code>"
    if command := reproduction_of(report):
        yield f"reproduce with <code>{_safe(command)}</code>"


def _step(report: Report) -> str:
    if report.only is not None:
        return escape(ONLY_BREAKING)
    if report.stage is not None and report.stage.between:
        return f"pending: <strong>{_safe(pending_words(report))}</strong>"
    step = f"required bump: <strong>{report.required_bump.value}</strong>"
    if report.declared_versions is None:
        return f"{step} (no versions to compare)"
    if report.declared_bump is None:
        return f"{step} ({UNKNOWN_STEP})"
    old, new = report.declared_versions
    return f"{step}; declared: {report.declared_bump.value} ({_safe(old)} → {_safe(new)})"


def _controls(report: Report) -> Iterator[str]:
    kinds = [group for group, _ in grouped(report.changes)]
    held = {finding.severity for finding in report.findings}
    kinds += [severity.value for severity in Severity if severity in held]
    boxes = "".join(
        f'<label><input type="checkbox" value="{kind}" checked> {"remark" if kind == "info" else kind}</label>'
        for kind in kinds
    )
    yield (
        '<div class="bar" id="bar" role="search" hidden>'
        '<label for="filter">Filter</label><input type="search" id="filter" autocomplete="off" '
        'aria-describedby="keys">' + boxes + '<span id="shown" role="status"></span>'
        '<span class="quiet" id="keys"><kbd>/</kbd> to filter, <kbd>j</kbd> and <kbd>k</kbd> to move, '
        "<kbd>Esc</kbd> to clear</span></div>"
    )


def _section(title: str, number: int, items: Sequence[_T], article: Callable[[_T], str]) -> Iterator[str]:
    if not items:
        return
    yield f"<section><h2>{title} ({number:,})</h2>"
    yield from map(article, items[:_MAX_ROWS])
    if len(items) > _MAX_ROWS:
        yield f"<p>The first {_MAX_ROWS:,} are shown; the JSON report lists all of them.</p>"
    yield "</section>"


def _article(kind: str, name: str, words: str, head: str, body: str) -> str:
    anchor = "i" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return (
        f'<article class="item {kind}" id="{anchor}" tabindex="-1" data-kind="{kind}" '
        f'data-words="{_safe(words.lower(), 400)}">'
        f'<a class="self" href="#{anchor}" aria-label="Link to this">#</a><h3>{head}</h3>{body}</article>'
    )


def _causes(title: str, listed: Sequence[Cause], report: Report) -> Iterator[str]:
    yield from _section(title, sum(len(cause.findings) for cause in listed), listed, partial(_cause, report=report))


def _accepted(change: Change, report: Report) -> str:
    return _change(change, group_of(change), report)


def _change(change: Change, group: str, report: Report) -> str:
    where = " ".join(f"<code>{_safe(word)}</code>" for word in (change.tool or "", change.path) if word)
    body = f"<p>{_prose(sentence(change.message))}</p>"
    if change.has_witness:
        value = one_line(json.dumps(change.witness, ensure_ascii=False, default=str), _MAX_LENGTH)
        body += f'<p class="label">{escape(witness_words(change))}:</p><pre>{escape(value)}</pre>'
    if change.id in report.accepted:
        body += f'<p class="quiet">accepted: {_safe(report.accepted[change.id])}</p>'
    body += fragment_sides(change)
    body += f'<p class="id">{_safe(change.id)}</p>'
    words = f"{change.kind} {change.tool or ''} {change.path} {change.message}"
    return _article(group, change.id, words, f"{_safe(change.kind)} {where}", body)


def _cause(cause: Cause, report: Report) -> str:
    first = cause.findings[0]
    body = f"<p>{_prose(cause.sentence)}</p>"
    if cause.fix:
        body += f'<p class="fix"><span class="label">fix:</span> {_prose(cause.fix)}</p>'
    if first.accepted is not None:
        body += f'<p class="quiet">accepted: {_safe(first.accepted)}</p>'
    listed = "".join(f"<li>{_place(finding, report)}</li>" for finding in cause.findings[:_MAX_ROWS])
    if len(cause.findings) == 1:
        body += f'<p class="quiet">{_place(first, report)}</p><p class="id">{_safe(first.id)}</p>'
    else:
        body += f"<details><summary>{count_of(len(cause.findings), 'place')}</summary><ul>{listed}</ul></details>"
    words = " ".join([*cause.rules, cause.sentence, *cause.tools])
    return _article(first.severity.value, first.id, words, _safe(", ".join(cause.rules)), body)


def _place(finding: Finding, report: Report) -> str:
    place = report.places.get(finding.id)
    at = f" {_safe(place.file)}:{place.line}" if place is not None else ""
    return f"<code>{_safe(finding.tool or '(server)')}</code> <code>{_safe(finding.path)}</code>{at}"
