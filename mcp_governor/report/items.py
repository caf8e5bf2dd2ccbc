"""What formats for machines list: each change that breaks or could not be decided, and each finding, in one shape."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.findings import Severity, Verdict
from mcp_governor.report.groups import urgent_changes, witness_words
from mcp_governor.text import one_line, sentence, shortened, visible

if TYPE_CHECKING:
    from mcp_governor.change.model import Change
    from mcp_governor.checking.model import Report
    from mcp_governor.findings import Finding

_WITNESS = 1_000
"""Characters of a witness in a message, as in the Markdown report: what a reader of one annotation looks at."""


class Item(Struct, frozen=True):
    """One change or finding.

    Attributes:
        id: of the change or finding, stable under rewording.
        rule: the rule, or the kind of change.
        severity: of the finding; a change is an error where it fails the run or forces a step that the run refuses,
            and a remark where the release accounts for it.
        message: the message, safe to show, with the witness of a break.
        fix: what to do; may be empty.
        tool: the tool's name, safe to show; empty for the server or a file.
        pointer: JSON pointer into the tool or the surface; empty for a place in a file of text.
        file: the file that it is about, relative to the root of the repository if that is known; empty if no
            file says it.
        line, column: from 1; 0 where only the file is known.
        accepted: the reason why it is accepted, ``None`` if it is not.
    """

    id: str
    rule: str
    severity: Severity
    message: str
    fix: str
    tool: str
    pointer: str
    file: str
    line: int
    column: int
    accepted: str | None

    @property
    def path(self) -> str:
        """The file, or the usual name of a recorded surface: code hosts refuse a result without a file."""
        from mcp_governor.target.resolve import SURFACE_FILE

        return self.file or SURFACE_FILE

    @property
    def text(self) -> str:
        """The message and the fix."""
        return f"{self.message}\nFix: {self.fix}" if self.fix else self.message


def standalone_text(item: Item, report: Report, limit: int) -> str:
    """The text of an item that a reader sees without the report around it, with the command that reproduces it.

    Of so many characters, the command is never cut.
    """
    command = f"\nReproduce: {report.reproduce}" if report.reproduce else ""
    return shortened(item.text, max(limit - len(command), limit // 2)) + command


def items(report: Report) -> list[Item]:
    """The items of a report, the worst first; accepted ones are last. Compatible changes are omitted."""
    urgent = urgent_changes(report)
    found = [_change(change, report, urgent) for change in report.changes if change.verdict is not Verdict.COMPATIBLE]
    found += [_finding(finding, report) for finding in report.findings]
    return sorted(found, key=lambda item: (item.accepted is not None, -item.severity.rank))


def _change(change: Change, report: Report, urgent: frozenset[str]) -> Item:
    lead = visible(change.full_message.removesuffix(change.message))
    message = lead + sentence(visible(change.message))
    if change.has_witness:
        value = one_line(json.dumps(change.witness, ensure_ascii=False, default=str), _WITNESS)
        message += f" {sentence(witness_words(change)).removesuffix('.')}: {value}"
    severity = Severity.ERROR if change.id in urgent else Severity.INFO
    return _item(change, change.kind, severity, message, "", report.accepted.get(change.id), report)


def _finding(finding: Finding, report: Report) -> Item:
    message, fix = visible(finding.message), visible(finding.fix, keep_newlines=True)
    return _item(finding, finding.rule, finding.severity, message, fix, finding.accepted, report)


def _item(
    about: Change | Finding,
    rule: str,
    severity: Severity,
    message: str,
    fix: str,
    accepted: str | None,
    report: Report,
) -> Item:
    in_text = bool(about.path) and not about.path.startswith("/")
    place = report.places.get(about.id)
    file, line, column = report.surface_file, 0, 0
    if in_text:
        file, _, number = about.path.rpartition(":")
        file, line = (file, int(number)) if file and number.isdecimal() and len(number) < 8 else (about.path, 0)
    elif place is not None:
        file, line, column = place.file, place.line, place.column
    return Item(
        id=visible(about.id),
        rule=visible(rule),
        severity=severity,
        message=message,
        fix=fix,
        tool=visible(about.tool or ""),
        pointer="" if in_text else visible(about.path),
        file=_in_repository(visible(file), report.folder),
        line=line,
        column=column,
        accepted=None if accepted is None else visible(accepted),
    )


def _in_repository(file: str, folder: str) -> str:
    """A path relative to the repository; absolute and empty paths are unchanged."""
    from posixpath import isabs, normpath

    if not file:
        return ""
    file = file.replace("\\", "/")
    return file if isabs(file) or file[1:2] == ":" else normpath(f"{folder}/{file}" if folder else file)
