"""Report → workflow commands of GitHub Actions: annotations on the lines of a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.findings import Severity
from mcp_governor.report.groups import failed_words, reproduction_of
from mcp_governor.report.items import Item, items, standalone_text
from mcp_governor.report.response_words import response_lines
from mcp_governor.text import inert, one_line

if TYPE_CHECKING:
    from mcp_governor.checking.model import Report

WITH_PLACES = True
IS_COMMANDS = True

MAX_OF_A_KIND = 10
"""Most annotations of one level in a step: GitHub silently drops more than ten."""

_MAX_LENGTH = 4_000
"""Characters of an annotation's message: GitHub cuts one at 4,096 bytes or so."""

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def render(report: Report) -> str:
    """One line for each annotation, the worst first, and one for the verdict."""
    lines, left = [], 0
    shown = dict.fromkeys(Severity, 0)
    for item in items(report):
        if item.accepted is not None:
            continue
        # The last place is for the line that says how many are left out.
        if shown[item.severity] >= MAX_OF_A_KIND - (item.severity is Severity.INFO):
            left += 1
            continue
        shown[item.severity] += 1
        lines.append(_annotation(item, report))
    if left:
        lines.append(f"::notice title=mcp-governor::{left:,} more are in the report; GitHub shows ten of a kind.")
    words = failed_words(report)
    lines += [f"mcp-governor: {_escaped(line, _DATA)}" for line in response_lines(report)]
    lines.append(f"mcp-governor: {report.verdict}" + (f", failed by {_escaped(words, _DATA)}" if words else ""))
    if command := reproduction_of(report):
        lines.append(f"mcp-governor: reproduce with: {_escaped(inert(command), _DATA)}")
    return "\n".join(lines) + "\n"


def _annotation(item: Item, report: Report) -> str:
    properties = {"file": item.file, "line": str(item.line or ""), "col": str(item.column or "")}
    properties["title"] = one_line(f"{item.rule}: {item.tool}" if item.tool else item.rule, 200)
    said = ",".join(f"{name}={_escaped(inert(value), _PROPERTY)}" for name, value in properties.items() if value)
    return f"::{_COMMANDS[item.severity]} {said}::{_escaped(inert(standalone_text(item, report, _MAX_LENGTH)), _DATA)}"


def _escaped(text: str, table: dict[str, str]) -> str:
    """A value escaped for a workflow command (actions/toolkit, packages/core/src/command.ts)."""
    return "".join(table.get(char, char) for char in text)
