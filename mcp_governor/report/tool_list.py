"""The tools of a server on the page: one line for each, which unfolds to its definition."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mcp_governor.report.groups import growth_words
from mcp_governor.report.json_diff import tool_sides
from mcp_governor.text import shortened, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.checking.model import Report

_MAX_TOOLS = 5_000
"""Tools that are listed; the largest server that we know of has 1,100."""
_MAX_SIDES = 3_000_000
"""Characters of definitions on a page: those of a thousand tools of the usual size. Beyond that a tool is a name."""
_NAME = 400
"""Characters of a name. The specification allows 128."""
_COUNTS = ("change", "error", "warning", "remark")


def tool_section(report: Report) -> Iterator[str]:
    """The section of the page, as lines of HTML; empty if no tools were read."""
    if not report.tools:
        return
    counted = _counted(report)
    tokens = report.tokens
    yield f"<section><h2>Tools ({len(report.tools):,})</h2>"
    if tokens is not None:
        yield f"<p>About {tokens.total:,} tokens{escape(growth_words(tokens.growth))}.</p>"
    heads = "".join(f"<span>{name}</span>" for name in ("tool", "tier", "tokens", *(f"{name}s" for name in _COUNTS)))
    # Each number has its unit, which is hidden where these heads are shown.
    yield f'<div class="tool heads" aria-hidden="true">{heads}</div>'
    budget = _MAX_SIDES
    for name in report.tools[:_MAX_TOOLS]:
        cells = f"<code>{_safe(name)}</code><span>{_safe(report.tiers.get(name, ''))}</span>"
        if tokens is not None:
            growth = escape(growth_words(tokens.growth_of(name)))
            cells += f'<span class="number">{tokens.tools.get(name, 0):,}<i> tokens</i>{growth}</span>'
        cells += "".join(map(_cell, counted[name], _COUNTS))
        sides = tool_sides(report.definitions[name]) if budget > 0 and name in report.definitions else ""
        budget -= len(sides)
        words = f'data-words="{_safe(name.lower())}"'
        if sides:
            yield f'<details class="row" {words}><summary class="tool">{cells}</summary>{sides}</details>'
        else:
            yield f'<div class="row" {words}><div class="tool">{cells}</div></div>'
    if len(report.tools) > _MAX_TOOLS:
        yield f"<p>The first {_MAX_TOOLS:,} tools are shown.</p>"
    yield "</section>"


def _counted(report: Report) -> dict[str, list[int]]:
    """Tool → numbers of changes, errors, warnings and remarks that are not accepted."""
    counted = {name: [0, 0, 0, 0] for name in report.tools}
    for change in report.changes:
        if change.tool in counted and change.id not in report.accepted:
            counted[change.tool][0] += 1
    for finding in report.findings:
        if finding.accepted is None and finding.tool in counted:
            counted[finding.tool][3 - finding.severity.rank] += 1
    return counted


def _cell(number: int, noun: str) -> str:
    unit = noun if number == 1 else f"{noun}s"
    return f'<span class="number{"" if number else " none"}">{number:,}<i> {unit}</i></span>'


def _safe(text: str) -> str:
    return escape(shortened(visible(text), _NAME))
