"""The tools of a server on the page: one line for each, which unfolds to what was found and to its definition."""

from __future__ import annotations

import hashlib
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.checking.token_cost import former_names
from mcp_governor.report.groups import group_of, growth_words
from mcp_governor.report.html_page import prose, safe
from mcp_governor.report.json_diff import definition_sides
from mcp_governor.text import sentence, shortened, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcp_governor.checking.model import Report
    from mcp_governor.checking.token_cost import TokenCost

_MAX_TOOLS = 5_000
"""Tools that are listed; the largest server that we know of has 1,100."""
_MAX_BODIES = 3_000_000
"""Characters below the tools: those of a thousand tools of the usual size. Beyond that a tool is a line."""
_MAX_NOTES = 50
"""Changes and findings that are listed below a tool; the sections above have all of them."""
_MAX_NOTE = 300
"""Characters of one of them: two lines."""
_NAME = 400
"""Characters of a name. The specification allows 128."""
_DESCRIPTION = 6_000
"""Characters of a description that are rendered; clients cut them at 2,048."""
_COUNTS = ("change", "error", "warning", "remark")


class _Note(Struct, frozen=True):
    """A change or a finding that is not accepted, as the row of its tool has it.

    Attributes:
        count: the one of :data:`_COUNTS` that it adds to.
        kind: of its item, for the color.
        id: of the change or finding.
        name, said: rule or kind of change, and the sentence.
    """

    count: str
    kind: str
    id: str
    name: str
    said: str


def anchor_of(name: str) -> str:
    """The anchor of a change or a finding, by its id."""
    return "i" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def tool_section(report: Report) -> Iterator[str]:
    """The section of the page, as lines of HTML; empty if no tools were read."""
    if not report.tools:
        return
    notes = _notes(report)
    tokens = report.tokens
    yield f"<section><h2>Tools ({len(report.tools):,})</h2>"
    if tokens is not None:
        yield f"<p>About {tokens.total:,} tokens{escape(growth_words(tokens.growth))} in every request of a client.</p>"
    heads = "".join(f"<span>{name}</span>" for name in ("tool", "tier", "tokens", *(f"{name}s" for name in _COUNTS)))
    # Each number has its unit, which is hidden where these heads are shown.
    yield f'<div class="tool heads" aria-hidden="true">{heads}</div>'
    room = _MAX_BODIES
    for name in report.tools[:_MAX_TOOLS]:
        of_tool = notes.get(name, ())
        cells = f"<code>{safe(name, _NAME)}</code><span>{safe(report.tiers.get(name, ''))}</span>"
        cells += _tokens(name, tokens) if tokens is not None else ""
        cells += "".join(_cell(sum(note.count == count for note in of_tool), count) for count in _COUNTS)
        body = _body(name, of_tool, report) if room > 0 else ""
        room -= len(body)
        words = " ".join(dict.fromkeys([name.lower(), *(note.name for note in of_tool)]))
        row = f'class="row" data-words="{safe(words)}"'
        if body:
            yield f'<details {row}><summary class="tool">{cells}</summary>{body}</details>'
        else:
            yield f'<div {row}><div class="tool">{cells}</div></div>'
    if len(report.tools) > _MAX_TOOLS:
        yield f"<p>The first {_MAX_TOOLS:,} tools are shown.</p>"
    yield "</section>"


def _notes(report: Report) -> Mapping[str, Sequence[_Note]]:
    """Tool → what is said of it and not accepted; a tool that was renamed has what is said of its former name."""
    found: dict[str, list[_Note]] = {}
    now = {old: new for new, old in former_names(report.changes).items()}
    for change in report.changes:
        if change.tool is not None and change.id not in report.accepted:
            note = _Note("change", group_of(change), change.id, change.kind, sentence(change.message))
            found.setdefault(now.get(change.tool, change.tool), []).append(note)
    for finding in report.findings:
        if finding.accepted is None:
            count = _COUNTS[3 - finding.severity.rank]
            note = _Note(count, finding.severity.value, finding.id, finding.rule, finding.message)
            # A finding about the whole server lists the tools that it is about.
            for tool in dict.fromkeys([finding.tool, *(spot.tool for spot in finding.spots)]):
                if tool is not None:
                    found.setdefault(tool, []).append(note)
    return found


def _tokens(name: str, tokens: TokenCost) -> str:
    """The number with a bar of which the longest belongs to the dearest tool; what is new of it is another color."""
    cost, growth = tokens.tools.get(name, 0), tokens.growth_of(name) or 0
    widest = max(tokens.tools.values(), default=0) or 1
    new = min(max(growth, 0), cost)
    old, grown = (round(100 * part / widest) for part in (cost - new, new))
    bar = f'<rect width="{old}" height="6"/><rect class="grown" x="{old}" width="{grown}" height="6"/>'
    svg = f'<svg class="bars" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">{bar}</svg>'
    return f'<span class="number">{cost:,}<i> tokens</i>{escape(growth_words(growth))}{svg}</span>'


def _body(name: str, notes: Sequence[_Note], report: Report) -> str:
    listed = "".join(
        f'<li class="{note.kind}"><a href="#{anchor_of(note.id)}">{escape(visible(note.name))}</a> '
        f"{prose(note.said, _MAX_NOTE)}</li>"
        for note in notes[:_MAX_NOTES]
    )
    if len(notes) > _MAX_NOTES:
        listed += f"<li>and {len(notes) - _MAX_NOTES:,} more</li>"
    body = f'<ul class="notes">{listed}</ul>' if listed else ""
    if name in report.definitions:
        old, new = report.definitions[name]
        description = new.get("description") if isinstance(new, dict) else None
        if isinstance(description, str) and description.strip():
            body += f'<div class="prose">{_rendered(description)}</div>'
        body += definition_sides((old, new))
    return body


def _cell(number: int, noun: str) -> str:
    unit = noun if number == 1 else f"{noun}s"
    return f'<span class="number{"" if number else " none"}">{number:,}<i> {unit}</i></span>'


def _rendered(text: str) -> str:
    """The Markdown of a description as HTML: paragraphs, lists, code and emphasis, and nothing that leads elsewhere.

    HTML, links and pictures stay the text that they are, and so do headings, which would be those of our page.
    """
    rendered: str = _markdown().render(shortened(visible(text, keep_newlines=True), _DESCRIPTION))
    return rendered


@cache
def _markdown() -> Any:
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False, "maxNesting": 20})
    return markdown.disable(
        ["link", "image", "autolink", "reference", "heading", "lheading", "html_block", "html_inline"]
    )
