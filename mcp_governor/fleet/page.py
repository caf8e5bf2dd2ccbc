"""A run over a fleet as one page: a table that filters, with a link to the page of each server."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from mcp_governor.fleet.members import file_name
from mcp_governor.fleet.words import (
    HEAD,
    OUTCOMES,
    cells,
    failures,
    marks_of,
    matrix_of,
    said_of,
    summary_of,
    variants_in,
)
from mcp_governor.report.html_page import page
from mcp_governor.text import capital, shortened, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.findings import Finding
    from mcp_governor.fleet.model import Difference, Fleet, Row, RowChange

_LONGEST = 400
"""Characters of one text of a server."""

_TABLE = '<div class="wide" role="region" aria-label="Table" tabindex="0"><table><thead><tr>'
"""The start of a table, which scrolls to the side where the screen is narrow."""


def render_index(fleet: Fleet, folder: str, names: dict[str, str]) -> str:
    """The page.

    Args:
        fleet: the run.
        folder: that of the pages about single servers, relative to this page.
        names: name of a server as the page shows it → the name in the list, of those that have a page.
    """
    return page(_safe(f"{fleet.named}: {fleet.verdict}"), _body(fleet, folder, names), script=True)


def _safe(text: str) -> str:
    return escape(shortened(visible(text), _LONGEST))


def _body(fleet: Fleet, folder: str, names: dict[str, str]) -> Iterator[str]:
    passed = "pass" if fleet.verdict == "clean" else "fail"
    yield f'<header><h1><span class="verdict {passed}">{passed}</span> {_safe(fleet.named)}</h1>'
    yield f'<p class="facts">{_safe(summary_of(fleet))}</p>'
    for reason in failures(fleet):
        yield f'<p class="facts"><strong>{_safe(capital(reason))}</strong></p>'
    yield "</header>"
    yield from _controls(fleet)
    yield f"<main><section><h2>Servers ({len(fleet.rows):,})</h2>{_TABLE}"
    yield "".join(f'<th scope="col">{escape(head)}</th>' for head in (*HEAD, "outcome"))
    yield "</tr></thead><tbody>"
    links = {shown: f"{folder}/{quote(file_name(name))}.html" for shown, name in names.items()}
    yield from (_row(row, links.get(row.name, "")) for row in fleet.rows)
    yield "</tbody></table></div></section>"
    for server, variants in variants_in(fleet).items():
        yield from _matrix(server, variants)
        yield from _differences(server, [one for one in fleet.differences if one.server == server], variants)
    if fleet.findings:
        yield f"<section><h2>In several servers ({len(fleet.findings):,})</h2>"
        yield from map(_finding, fleet.findings)
        yield "</section>"
    yield "</main>"


def _controls(fleet: Fleet) -> Iterator[str]:
    held = {row.outcome for row in fleet.rows}
    boxes = "".join(
        f'<label><input type="checkbox" value="{outcome}" checked> {escape(words)}</label>'
        for outcome, words in OUTCOMES.items()
        if outcome in held
    )
    yield (
        '<div class="bar" id="bar" role="search" hidden><label for="filter">Filter</label>'
        '<input type="search" id="filter" autocomplete="off" aria-describedby="keys">'
        f'{boxes}<span id="shown" role="status"></span>'
        '<span class="quiet" id="keys"><kbd>/</kbd> to filter, <kbd>Esc</kbd> to clear</span></div>'
    )


def _row(row: Row, link: str) -> str:
    words = " ".join([row.name, row.version or "", row.package or "", row.target, row.outcome, row.why or ""]).lower()
    shown = f'<a href="{escape(link)}">{_safe(row.name)}</a>' if link else _safe(row.name)
    head = f'<tr data-kind="{row.outcome}" data-words="{_safe(words)}"><th scope="row">{shown}</th>'
    if not row.reached:
        return f'{head}<td colspan="{len(HEAD) - 1}">{_safe(row.why or "")}</td><td>unreachable</td></tr>'
    _, version, tools, tokens, changes, leaving, findings = cells(row)
    listed = "".join(map(_change, row.changes))
    more = f"<details><summary>{_safe(changes)}</summary><ul>{listed}</ul></details>" if listed else _safe(changes)
    return (
        f'{head}<td>{_safe(version)}</td><td class="number">{tools}</td><td class="number">{tokens}</td><td>{more}</td>'
        f"<td>{_safe(leaving)}</td><td>{_safe(findings)}</td><td>{escape(OUTCOMES[row.outcome])}</td></tr>"
    )


def _change(change: RowChange) -> str:
    note = f" (accepted: {_safe(change.accepted)})" if change.accepted is not None else ""
    return f"<li>{change.verdict}: {_safe(said_of(change))} <code>{_safe(change.kind)}</code>{note}</li>"


def _matrix(server: str, variants: Sequence[Row]) -> Iterator[str]:
    """The changes of a server once, with a column for each variant."""
    rows = [
        (marks, f"{_safe(said_of(change))} <code>{_safe(change.kind)}</code>", f"{change.kind} {change.message}")
        for change, marks in matrix_of(variants, compatible=True)
    ]
    yield from _columns(f"{server}: changes by variant", variants, rows)


def _differences(server: str, found: Sequence[Difference], variants: Sequence[Row]) -> Iterator[str]:
    """The tools that the variants publish differently."""
    rows = [(marks_of(one, variants), f"<code>{_safe(one.tool)}</code>", one.tool) for one in found]
    yield from _columns(f"{server}: differences between variants", variants, rows)


def _columns(title: str, variants: Sequence[Row], rows: Sequence[tuple[Sequence[str], str, str]]) -> Iterator[str]:
    """A table with a column for each variant, and the HTML and the words of each row."""
    if not rows:
        return
    heads = "".join(f'<th scope="col">{_safe(row.label or "")}</th>' for row in variants)
    yield f"<section><h2>{_safe(title)} ({len(rows):,})</h2>{_TABLE}{heads}<th></th></tr>"
    yield "</thead><tbody>"
    for marks, html, words in rows:
        columns = "".join(f"<td>{escape(mark)}</td>" for mark in marks)
        yield f'<tr data-words="{_safe(words.lower())}">{columns}<td>{html}</td></tr>'
    yield "</tbody></table></div></section>"


def _finding(finding: Finding) -> str:
    return (
        f'<article class="item {finding.severity.value}" tabindex="-1" data-words="{_safe(finding.message.lower())}">'
        f"<h3>{_safe(finding.rule)}</h3><p>{_safe(finding.message)}</p>"
        f'<p class="fix"><span class="label">fix:</span> {_safe(finding.fix)}</p></article>'
    )
