"""Report → Markdown: what a pull request shows. Server words are escaped for Markdown and for HTML."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.report.change_causes import cause_groups, left_out
from mcp_governor.report.finding_groups import causes
from mcp_governor.report.groups import (
    GRAVE,
    MAX_SHOWN,
    ONLY_BREAKING,
    advice_of,
    base_words,
    cost_words,
    count_of,
    counts_in,
    grouped,
    growth_words,
    judged_words,
    more_than_shown,
    reproduction_of,
    step_of,
    witness_words,
)
from mcp_governor.report.response_words import response_lines
from mcp_governor.text import one_line, shortened, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.checking.model import Report
    from mcp_governor.checking.token_cost import TokenCost
    from mcp_governor.report.change_causes import ChangeCause
    from mcp_governor.report.finding_groups import Cause

WHOLE_LINES = True

# Characters that can begin markup within a line; "//" and "www." would become links.
_SPECIAL = lazy_pattern(r"[\\`*_\[\]#|~$]|(?<=:)/(?=/)|(?<=www)\.")
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "@<!-- -->"}
_TITLES = {
    "breaking": "Breaking",
    "undecided": "Could not be decided",
    "compatible": "Compatible",
    "wording": "Wording only",
}
_ROOM = {"breaking": 30, "undecided": 30, "compatible": 15, "wording": 15}
"""Causes of a group for which there is room: a comment is read from its beginning to its end."""
_WITNESS_LIMIT = 1_000
"""Characters of a witness: sixty of them fit into a GitHub comment. A longer one is cut."""
_MAX_COSTS = 50
"""Tools whose cost is written out, the dearest first; a comment has room for the findings, too."""
_MAX_GROWN = 20
"""Tools that grew, those first that grew most: a screen."""
_MAX_DIFF_LINES = 300
"""Lines of definitions that are shown: what somebody scrolls through in a comment."""
_MAX_DIFF_WIDTH = 200
"""Characters of such a line: a comment is about half as wide, and long descriptions are in the changes above."""
_MAX_DEFINITION_LINES = 2_000
"""Lines of a definition whose lines are compared: the comparison takes quadratic time, here a second at most."""
_MAX_FINDINGS = 500
"""Most causes that are written out: GitHub comments have at most 65,536 characters, which is about 300 causes."""


def render(report: Report) -> str:
    """The report as GitHub-flavoured Markdown."""
    return "\n".join(_document(report)) + "\n"


def escape(text: str) -> str:
    """Server words as plain Markdown text on one line: no markup, no HTML, no mention, no link."""
    return _escape_line(one_line(text, 2_000))


def _escape_line(text: str) -> str:
    html = re.sub("[&<>@]", lambda match: _HTML[match.group()], text)
    return _SPECIAL.sub(lambda match: f"\\{match.group()}", html.replace("<!-- -->", "\0")).replace("\0", "<!-- -->")


def prose(text: str) -> str:
    """One of our messages with server words in backticks: those become code spans, the rest is escaped."""
    parts = one_line(text, 2_000).split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return "".join(code(part) if index % 2 else _escape_line(part) for index, part in enumerate(parts))


def code(text: str, limit: int = 400) -> str:
    """Server words as an inline code span that they cannot end."""
    shown = one_line(text, limit)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") or not shown else ""
    return f"{fence}{pad}{shown}{pad}{fence}".replace("|", "\\|")


def _document(report: Report) -> Iterator[str]:
    passed = report.verdict == "pass"
    name = report.server.name if report.server and report.server.name else report.target
    yield f"## MCP surface of {escape(name)}: {'pass' if passed else 'fail'}"
    yield ""
    yield from _facts(report)
    by_cause = dict(cause_groups(report.changes, _ROOM, report))
    for group, changes in grouped(report.changes):
        yield ""
        yield f"### {_TITLES[group]} ({len(changes)})"
        yield ""
        together = by_cause.get(group, [])
        most = MAX_SHOWN if group in GRAVE else _ROOM[group]
        items = [item for cause in together[:most] for item in _change(cause, report)]
        if not together:
            items.append("- all of them part of the changes above")
        if len(together) > most:
            items.append(f"- … and {left_out(together[most:])}; see --format json")
        if group == "wording":
            items = ["<details><summary>Show</summary>", "", *items, "", "</details>"]
        yield from items
    if report.findings:
        yield ""
        yield f"### Findings ({len(report.findings)})"
        yield ""
        found = causes(report.findings)
        for cause in found[:_MAX_FINDINGS]:
            yield from _finding(cause)
        if len(found) > _MAX_FINDINGS:
            left = sum(len(cause.findings) for cause in found[_MAX_FINDINGS:])
            yield f"- {more_than_shown(left, 'finding')}"
    if command := reproduction_of(report):
        yield from ("", "Reproduce with:", "", *_block(command))
    if report.tokens is not None:
        yield ""
        yield from _growth(report)
        yield from _cost(report.tokens)
    if raw := list(_raw_diff(report)):
        yield ""
        yield from raw


def _block(command: str) -> Iterator[str]:
    """A command as a block that it cannot end, and that GitHub gives a button to copy."""
    longest = max((len(run) for run in re.findall("`+", command)), default=0)
    fence = "`" * max(longest + 1, 3)
    yield from (f"{fence}sh", command, fence)


def _growth(report: Report) -> Iterator[str]:
    """The tools that cost more than in the base of a pull request, or in the baseline of another run."""
    base, tokens = report.base, report.tokens
    since = code(report.baseline.source) if report.baseline is not None else ""
    if base is not None and base.tokens is not None:
        since, tokens = code(base.ref), base.tokens
    grown = tokens.grown() if tokens is not None else []
    if tokens is None or not grown:
        return
    yield f"### Tokens: {tokens.growth:+,} since {since}"
    yield from ("", f"About {tokens.total:,} for {count_of(len(tokens.tools), 'tool')}, in every request of a client.")
    yield from ("", "| tool | before | now | growth |", "| --- | ---: | ---: | ---: |")
    for name in grown[:_MAX_GROWN]:
        old = tokens.before_of(name)
        before = f"{old:,}" if old is not None else "new"
        yield f"| {code(name)} | {before} | {tokens.tools[name]:,} | {tokens.growth_of(name):+,} |"
    if len(grown) > _MAX_GROWN:
        yield f"| {more_than_shown(len(grown) - _MAX_GROWN, 'tool')} | | | |"
    yield ""


def _cost(tokens: TokenCost) -> Iterator[str]:
    yield f"<details><summary>Token cost: {cost_words(tokens)}</summary>"
    yield from ("", "| tool | tokens |", "| --- | ---: |")
    for name in tokens.dearest(_MAX_COSTS):
        yield f"| {code(name)} | {tokens.tools[name]:,}{growth_words(tokens.growth_of(name))} |"
    left = len(tokens.tools) - _MAX_COSTS
    if left > 0:
        yield f"| {more_than_shown(left, 'tool')} | |"
    yield from ("", "</details>")


def _raw_diff(report: Report) -> Iterator[str]:
    """The changed definitions as a unified diff, folded."""
    changed = dict.fromkeys(change.tool for change in report.changes if change.tool in report.definitions)
    lines: list[str] = []
    for name in changed:
        if name is not None and len(lines) <= _MAX_DIFF_LINES:
            lines += _diff_of(name, *report.definitions[name])
    if not lines:
        return
    shown = [shortened(visible(text), _MAX_DIFF_WIDTH) for text in lines[:_MAX_DIFF_LINES]]
    fence = "`" * max(3, 1 + max(len(run) for text in ("", *shown) for run in re.findall("`*", text)))
    yield "<details><summary>Definitions, line by line</summary>"
    yield from ("", f"{fence}diff", *shown, fence)
    if len(lines) > _MAX_DIFF_LINES:
        yield from ("", f"Only the first {_MAX_DIFF_LINES} lines are shown.")
    yield from ("", "</details>")


def _diff_of(name: str, old: Any, new: Any) -> Iterator[str]:
    from difflib import unified_diff

    was, now = (
        [] if side is None else json.dumps(side, ensure_ascii=False, indent=2).split("\n") for side in (old, new)
    )
    if max(len(was), len(now)) > _MAX_DEFINITION_LINES:
        yield from (f"@@ {name} @@", " (too long to be shown)")
        return
    for text in list(unified_diff(was, now, lineterm="", n=2))[2:]:
        yield f"{text} {name}" if text.startswith("@@") else text


def _facts(report: Report) -> Iterator[str]:
    if report.baseline is not None:
        compared = f"Compared with {code(report.baseline.source)}."
        label, step, rest = step_of(report)
        said = f"{label.capitalize()}: **{escape(step)}**{_escape_line(rest)}"
        yield f"{compared} {said if report.only is None else ONLY_BREAKING.capitalize()}."
    if judged := judged_words(report):
        yield f"{escape(judged[:1].upper() + judged[1:])}."
    if based := base_words(report):
        yield f"{escape(based[:1].upper() + based[1:])}."
    yield f"{'; '.join(counts_in(report)).capitalize()}."
    yield from (f"{escape(advice[:1].upper() + advice[1:])} {code(command)}." for advice, command in advice_of(report))
    if report.good_calls is not None and report.good_calls.tools:
        yield f"{str(report.good_calls).capitalize()}."
    yield from (f"{escape(line[:1].upper() + line[1:])}." for line in response_lines(report))


def _change(cause: ChangeCause, report: Report) -> Iterator[str]:
    first = cause.first
    named = cause.alone or bool(cause.subject)
    where = f"{code(first.tool)} " if named and first.tool is not None else ""
    place = f"{code(first.path)} " if cause.alone and first.path else ""
    accepted = f" (accepted: {escape(report.accepted[first.id])})" if first.id in report.accepted else ""
    yield f"- **{cause.kinds}** {where}{place}– {prose(cause.sentence)}{accepted}"
    if (proven := cause.witness) is not None:
        proof = json.dumps(proven.witness, ensure_ascii=False, separators=(", ", ": "))
        yield f"  - {witness_words(proven)}: {code(visible(proof), _WITNESS_LIMIT)}"
    if words := cause.words:
        marks = {"same": "", "gone": "~~", "new": "**"}
        yield "  - " + " ".join(f"{marks[kind]}{escape(text)}{marks[kind]}" for kind, text in words)


def _finding(cause: Cause) -> Iterator[str]:
    first = cause.findings[0]
    alone = len(cause.findings) == 1
    named = alone or bool(cause.subject)
    where = f"{code(first.tool)} " if named and first.tool is not None else ""
    place = f"{code(first.path)} " if alone and first.path else ""
    accepted = f" (accepted: {escape(first.accepted)})" if first.accepted is not None else ""
    yield f"- **{first.severity.value}** {cause.rule} {where}{place}– {prose(cause.sentence)}{accepted}"
    if cause.fix:
        yield f"  - fix: {'<br>'.join(prose(part) for part in cause.fix.splitlines())}"
