"""Report → one HTML page: no request, readable without script, nothing of a server is markup."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from mcp_governor.report.causes import causes
from mcp_governor.report.groups import (
    ONLY_BREAKING,
    UNKNOWN_STEP,
    count_of,
    counted_findings,
    counted_of,
    failed_words,
    grouped,
    growth_words,
    pending_words,
    reproduction_of,
    witness_words,
)
from mcp_governor.report.responses import response_lines
from mcp_governor.report.sides import fragment_sides, tool_sides
from mcp_governor.secrets import redact
from mcp_governor.text import one_line, sentence, shortened, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.checking.model import Report
    from mcp_governor.findings import Finding
    from mcp_governor.report.causes import Cause

WITH_PLACES = True

_T = TypeVar("_T")

_PAGE = Path(__file__).parent / "page"
_MAX_ROWS = 2_000
"""Items of a section that are written out, the worst first: a page of some megabytes, which a browser still lays out
at once. The JSON report lists all of them."""
_MAX_LENGTH = 2_000
"""Characters of one text, as in the other formats."""
_MAX_TOOLS = 5_000
"""Rows of the table of tools; the largest server that we know of has 1,100."""
_TITLES = {
    "breaking": "Breaking changes",
    "undecided": "Changes that could not be decided",
    "compatible": "Compatible changes",
    "wording": "Changes of wording",
}


def render(report: Report) -> str:
    """The report as a page that opens from a file."""
    style, script = ((_PAGE / name).read_text("utf-8") for name in ("page.css", "page.js"))
    # The page may load and run nothing but these two, whatever else gets into it.
    policy = f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; base-uri 'none'"
    title = f"{_name(report)}: {report.verdict}"
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_safe(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
    )
    body = "\n".join(_body(report))
    return redact(f"{head}{body}\n<script>{script}</script>\n</body>\n</html>\n")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


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
    yield "<header>"
    yield f'<h1><span class="verdict {report.verdict}">{report.verdict}</span> {_safe(_name(report))}</h1>'
    yield from (f'<p class="facts">{fact}</p>' for fact in _facts(report))
    yield "</header>"
    yield from _controls(report)
    yield "<main>"
    for group, changes in grouped(report.changes):
        yield from _section(_TITLES[group], len(changes), changes, partial(_change, group=group, report=report))
    found = causes(report.findings)
    live = [cause for cause in found if cause.findings[0].accepted is None]
    live.sort(key=lambda cause: -cause.severity.rank)
    accepted = [cause for cause in found if cause.findings[0].accepted is not None]
    for title, listed in (("Findings", live), ("Accepted findings", accepted)):
        number = sum(len(cause.findings) for cause in listed)
        yield from _section(title, number, listed, partial(_cause, report=report))
    yield from _tools(report)
    yield "</main>"


def _facts(report: Report) -> Iterator[str]:
    server = report.server
    words = [f"version {_safe(server.version)}"] if server is not None and server.version else []
    words += [f"protocol {_safe(server.protocol)}"] if server is not None and server.protocol else []
    words.append(f"read from <code>{_safe(report.target)}</code>")
    if report.baseline is not None:
        version = f" ({_safe(report.baseline.version)})" if report.baseline.version else ""
        words.append(f"compared with <code>{_safe(report.baseline.source)}</code>{version}")
    yield "; ".join(words)
    if report.fingerprint:
        yield f"fingerprint <code>{_safe(report.fingerprint)}</code>"
    yield "; ".join([escape(counted_of(report)), escape(counted_findings(report.summary["findings"]))])
    if report.summary["accepted"]:
        yield f"{report.summary['accepted']:,} accepted, and not counted above"
    if report.baseline is not None:
        yield _step(report)
    yield from map(_safe, response_lines(report))
    if words_ := failed_words(report):
        yield f"failed by: {_safe(words_)}"
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
    kinds += dict.fromkeys(finding.severity.value for finding in report.findings)
    boxes = "".join(
        f'<label><input type="checkbox" value="{kind}" checked> {kind}</label>' for kind in dict.fromkeys(kinds)
    )
    yield (
        '<div class="bar" id="bar" role="search" hidden>'
        '<label for="filter">Filter</label><input type="search" id="filter" autocomplete="off" '
        'aria-describedby="keys">' + boxes + '<span id="shown" role="status"></span>'
        '<span class="quiet" id="keys">/ to filter, j and k to move, Escape to clear</span></div>'
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


def _change(change: Change, group: str, report: Report) -> str:
    where = " ".join(f"<code>{_safe(word)}</code>" for word in (change.tool or "", change.path) if word)
    body = f"<p>{_prose(sentence(change.message))}</p>"
    if change.has_witness:
        value = one_line(json.dumps(change.witness, ensure_ascii=False, default=str), _MAX_LENGTH)
        body += f'<p class="quiet">{escape(witness_words(change))}:</p><pre>{escape(value)}</pre>'
    if change.id in report.accepted:
        body += f'<p class="quiet">accepted: {_safe(report.accepted[change.id])}</p>'
    body += fragment_sides(change)
    body += f'<p class="quiet">{_safe(change.id)}</p>'
    words = f"{change.kind} {change.tool or ''} {change.path} {change.message}"
    return _article(group, change.id, words, f"{_safe(change.kind)} {where}", body)


def _cause(cause: Cause, report: Report) -> str:
    first = cause.findings[0]
    body = f"<p>{_prose(cause.sentence)}</p>"
    if cause.fix:
        body += f'<p class="quiet">fix:</p><pre>{_safe(cause.fix)}</pre>'
    if first.accepted is not None:
        body += f'<p class="quiet">accepted: {_safe(first.accepted)}</p>'
    listed = "".join(f"<li>{_place(finding, report)}</li>" for finding in cause.findings[:_MAX_ROWS])
    if len(cause.findings) == 1:
        body += f'<p class="quiet">{_place(first, report)}</p>'
    else:
        body += f"<details><summary>{count_of(len(cause.findings), 'place')}</summary><ul>{listed}</ul></details>"
    words = " ".join([first.rule, cause.sentence, *cause.tools])
    return _article(first.severity.value, first.id, words, _safe(first.rule), body)


def _place(finding: Finding, report: Report) -> str:
    place = report.places.get(finding.id)
    at = f" {_safe(place.file)}:{place.line}" if place is not None else ""
    return f"<code>{_safe(finding.tool or '(server)')}</code> <code>{_safe(finding.path)}</code>{at}"


def _tools(report: Report) -> Iterator[str]:
    if not report.tools:
        return
    counted = {name: [0, 0, 0] for name in report.tools}
    for finding in report.findings:
        if finding.accepted is None and finding.tool in counted:
            counted[finding.tool][2 - finding.severity.rank] += 1
    changed: dict[str, int] = dict.fromkeys(report.tools, 0)
    for change in report.changes:
        if change.tool in changed:
            changed[change.tool] += 1
    tokens = report.tokens
    yield f"<section><h2>Tools ({len(report.tools):,})</h2>"
    if tokens is not None:
        yield f"<p>About {tokens.total:,} tokens{escape(growth_words(tokens.growth))}.</p>"
    yield '<div class="wide"><table class="tools"><thead><tr><th scope="col">tool</th><th scope="col">tier</th>'
    names = ("tokens", "changes", "errors", "warnings", "remarks")
    yield "".join(f'<th scope="col" class="number">{name}</th>' for name in names) + "</tr></thead>"
    budget = _MAX_SIDES
    for name in report.tools[:_MAX_TOOLS]:
        cost = f"{tokens.tools.get(name, 0):,}{growth_words(tokens.growth_of(name))}" if tokens is not None else ""
        numbers = [cost, *(f"{number:,}" for number in (changed[name], *counted[name]))]
        cells = "".join(f'<td class="number">{escape(number)}</td>' for number in numbers)
        sides = tool_sides(report.definitions[name]) if budget > 0 and name in report.definitions else ""
        budget -= len(sides)
        folded = (
            f'<tr><td colspan="7"><details><summary>definition</summary>{sides}</details></td></tr>' if sides else ""
        )
        yield (
            f'<tbody data-words="{_safe(name.lower(), 400)}"><tr><th scope="row"><code>{_safe(name)}</code></th>'
            f"<td>{_safe(report.tiers.get(name, ''))}</td>{cells}</tr>{folded if sides else ''}</tbody>"
        )
    yield "</table></div>"
    if len(report.tools) > _MAX_TOOLS:
        yield f"<p>The first {_MAX_TOOLS:,} tools are shown.</p>"
    yield "</section>"


_MAX_SIDES = 3_000_000
"""Characters of definitions on a page: those of a thousand tools of the usual size. Beyond that a tool is a name."""
