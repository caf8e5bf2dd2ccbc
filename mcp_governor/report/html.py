"""Report → one HTML page: no request, readable without script, nothing of a server is markup."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.checking.token_cost import former_names
from mcp_governor.findings import Severity
from mcp_governor.report.change_causes import cause_groups
from mcp_governor.report.finding_groups import causes
from mcp_governor.report.groups import (
    GRAVE,
    GROUPS,
    ONLY_BREAKING,
    count_of,
    counted_changes,
    counted_findings,
    counted_old,
    failed_words,
    grouped,
    judged_words,
    reproduction_of,
    step_of,
    witness_words,
)
from mcp_governor.report.history_picture import history_section
from mcp_governor.report.html_page import MAX_LENGTH, page, prose, safe
from mcp_governor.report.json_diff import definition_sides
from mcp_governor.report.response_words import response_lines
from mcp_governor.report.tool_list import anchor_of, tool_section
from mcp_governor.text import one_line, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.checking.model import Report
    from mcp_governor.findings import Finding
    from mcp_governor.report.change_causes import ChangeCause
    from mcp_governor.report.finding_groups import Cause

WHOLE_LINES = True
WITH_PLACES = True
WITH_HISTORY = True

_MAX_ROWS = 2_000
"""Items of a section that are written out, the worst first: a page of some megabytes, which a browser still lays out
at once. The JSON report lists all of them."""
_ROOM = 12
"""Causes of a group, above which edits that differ in names or values are one item: two screens of a browser."""
_MAX_WORDS = 20_000
"""Characters of an item that the filter looks at: a cause has the names of all its tools."""
_TITLES = {
    "breaking": "Breaking changes",
    "undecided": "Changes that could not be decided",
    "compatible": "Compatible changes",
    "wording": "Changes of wording",
}


def render(report: Report) -> str:
    """The report as a page that opens from a file."""
    return page(safe(f"{_name(report)}: {report.verdict}"), _body(report), script=True)


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
    shown = f' <span class="version">version {safe(version, 100)}</span>' if version else ""
    yield f'<h1><span class="verdict {report.verdict}">{report.verdict}</span> {safe(_name(report))}{shown}</h1>'
    yield from (f'<p class="facts">{fact}</p>' for fact in _result(report, live))
    yield from (f'<p class="facts quiet">{fact}</p>' for fact in _origin(report))
    yield "</header>"
    yield from _controls(report)
    yield "<main>"
    accepted = [change for change in report.changes if change.id in report.accepted]
    counted = {group: len(changes) for group, changes in grouped(live)}
    for group, items in _grouped(live, report):
        # As above: one cause may hold a break and what is compatible about it.
        yield from _section(_TITLES[group], items, counted[group])
    yield from _section("Findings", [_cause(cause, report) for cause in fresh])
    yield from _section("Accepted changes", [item for _, items in _grouped(accepted, report) for item in items])
    yield from _section("Accepted findings", [_cause(cause, report) for cause in known])
    if report.history is not None:
        yield from history_section(report.history)
    yield from tool_section(report)
    yield "</main>"


def _result(report: Report, live: Sequence[Change]) -> Iterator[str]:
    """What people ask first: why it failed, which version it needs, how much there is."""
    if words := failed_words(report):
        yield f"failed by: <strong>{safe(words)}</strong>"
    if report.only is not None:
        yield escape(ONLY_BREAKING)
    elif report.baseline is not None:
        label, step, rest = step_of(report)
        yield f"{label}: <strong>{safe(step)}</strong>{safe(rest)}"
    changes = f"no {report.only} changes" if report.only is not None and not live else counted_changes(live)
    yield "; ".join([escape(changes), escape(counted_findings(report.summary["findings"]))])
    if report.summary["accepted"]:
        yield f"{report.summary['accepted']:,} accepted, and not counted above"
    yield from map(safe, filter(None, (counted_old(report), judged_words(report), *response_lines(report))))


def _origin(report: Report) -> Iterator[str]:
    """What was read, and what it was compared with."""
    words = [f"read from <code>{safe(report.target)}</code>"]
    if report.server is not None and report.server.protocol:
        words.append(f"protocol {safe(report.server.protocol, 100)}")
    if report.baseline is not None:
        version = f" ({safe(report.baseline.version)})" if report.baseline.version else ""
        words.append(f"compared with <code>{safe(report.baseline.source)}</code>{version}")
    yield "; ".join(words)
    if report.fingerprint:
        yield f"fingerprint <code>{safe(report.fingerprint)}</code>"
    if command := reproduction_of(report):
        yield f"reproduce with <code>{safe(command)}</code>"


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


class _Item(Struct, frozen=True):
    """A box of a section.

    Attributes:
        number: of the changes or findings that it stands for.
        kind: group of the changes, or severity of the findings.
        id: of the first of them.
        words: what the filter looks at.
        head, body: HTML.
    """

    number: int
    kind: str
    id: str
    words: str
    head: str
    body: str


def _section(title: str, items: Sequence[_Item], count: int = 0) -> Iterator[str]:
    if not items:
        return
    yield f"<section><h2>{title} ({count or sum(item.number for item in items):,})</h2>"
    yield from map(_article, items[:_MAX_ROWS])
    if len(items) > _MAX_ROWS:
        yield f"<p>The first {_MAX_ROWS:,} are shown; the JSON report lists all of them.</p>"
    yield "</section>"


def _article(item: _Item) -> str:
    anchor = anchor_of(item.id)
    return (
        f'<article class="item {item.kind}" id="{anchor}" tabindex="-1" data-kind="{item.kind}" '
        f'data-words="{safe(item.words.lower(), _MAX_WORDS)}">'
        f'<a class="self" href="#{anchor}" aria-label="Link to this">#</a><h3>{item.head}</h3>{item.body}</article>'
    )


def _grouped(changes: Sequence[Change], report: Report) -> Iterator[tuple[str, list[_Item]]]:
    now = {old: new for new, old in former_names(report.changes).items()}
    for group, found in cause_groups(changes, dict.fromkeys(GROUPS, _ROOM), report):
        yield group, [_change(cause, group, report, now) for cause in found]


def _change(cause: ChangeCause, group: str, report: Report, now: Mapping[str, str]) -> _Item:
    first, changes = cause.first, cause.changes
    both = report.definitions.get(now.get(first.tool or "", first.tool or ""))
    one_tool = cause.alone or len({change.tool for change in changes}) == 1
    tool = f"<code>{safe(cause.subject)}</code>: " if cause.subject and not one_tool else ""
    body = f"<p>{tool}{prose(cause.sentence)}</p>"
    if (proven := cause.witness) is not None:
        value = one_line(json.dumps(proven.witness, ensure_ascii=False, default=str), MAX_LENGTH)
        body += f'<p class="label">{escape(witness_words(proven))}:</p><pre>{escape(value)}</pre>'
    if pieces := cause.words:
        marks = {"same": "span", "gone": "del", "new": "ins"}
        body += f"<p>{' '.join(f'<{marks[kind]}>{escape(text)}</{marks[kind]}>' for kind, text in pieces)}</p>"
    elif sides := _sides(first, both):
        body += sides if group in GRAVE else f"<details><summary>Before and after</summary>{sides}</details>"
    if first.id in report.accepted:
        body += f'<p class="quiet">accepted: {safe(report.accepted[first.id])}</p>'
    if len(changes) > 1:
        body += _places([(change.id, _said_at(change, differs=cause.level > 0)) for change in changes], "change")
    else:
        body += f'<p class="id">id: {safe(first.id)}</p>'
    head = f"{safe(cause.kinds)} {_at((first.tool or '') if one_tool else '', first.path if cause.alone else '')}"
    words = " ".join(f"{change.kind} {change.tool or ''} {change.path} {change.message}" for change in changes)
    return _Item(len(changes), group, first.id, words, head, body)


def _sides(change: Change, both: tuple[Any, Any] | None) -> str:
    """The definitions around a change, side by side; empty if there are not two of them, or the message says it all."""
    if change.tool is None:
        both = (change.old, change.new) if change.has_old and change.has_new else None
        return definition_sides(both) if both and any(isinstance(side, dict | list) for side in both) else ""
    old, new = both or (None, None)
    return definition_sides((old, new), change.path) if old is not None and old != new else ""


def _cause(cause: Cause, report: Report) -> _Item:
    first = cause.findings[0]
    body = f"<p>{prose(cause.sentence)}</p>"
    if cause.fix:
        body += f'<p class="fix"><span class="label">fix:</span> {prose(cause.fix)}</p>'
    if first.accepted is not None:
        body += f'<p class="quiet">accepted: {safe(first.accepted)}</p>'
    if len(cause.findings) > 1:
        body += _places([(finding.id, _place(finding, report)) for finding in cause.findings], "place")
    else:
        body += f'<p class="quiet">{_place(first, report)}</p><p class="id">id: {safe(first.id)}</p>'
    spots = [(spot.tool or "(server)", spot.path) for finding in cause.findings for spot in finding.spots]
    if spots:
        body += _places([("", _at(*spot)) for spot in spots], "place")
    tools = [*cause.tools, *(tool for tool, _ in spots)]
    words = " ".join(dict.fromkeys([cause.rule, cause.sentence, *tools]))
    return _Item(len(cause.findings), first.severity.value, first.id, words, safe(cause.rule), body)


def _places(listed: Sequence[tuple[str, str]], noun: str) -> str:
    """What an item is about, folded; the rows of the tools link to each of them."""
    items = "".join(
        f'<li id="{anchor_of(name)}">{where} <span class="id">{safe(name)}</span></li>'
        if name and at
        else f"<li>{where}</li>"
        for at, (name, where) in enumerate(listed[:_MAX_ROWS])
    )
    return f"<details><summary>{count_of(len(listed), noun)}</summary><ul>{items}</ul></details>"


def _place(finding: Finding, report: Report) -> str:
    place = report.places.get(finding.id)
    at = f" {safe(place.file)}:{place.line}" if place is not None else ""
    return f"{_at(finding.tool or '(server)', finding.path)}{at}"


def _said_at(change: Change, *, differs: bool) -> str:
    """The place of a change, with its sentence where that is not the one of the item."""
    return f"{_at(change.tool or '', change.path)} {prose(sentence(change.message)) if differs else ''}".rstrip()


def _at(tool: str, path: str) -> str:
    return " ".join(f"<code>{safe(word)}</code>" for word in (tool, path) if word)
