"""Findings that a team starts from: a file of ids, so that only what is new fails.

An id is made of rule, tool, place and a hash of the value, never of the wording; an entry stops to cover its
finding as soon as somebody changes the value in question.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.errors import FileFormatError
from mcp_governor.surface.file import parse_json, write_atomic
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from mcp_governor.findings import Finding, Severity

FORMAT = "mcp-governor/findings-1"


class Split(NamedTuple):
    """Findings sorted by a baseline.

    Attributes:
        new: not in the baseline.
        known: in it.
        gone: ids in it that no finding has any more; the file can be written anew without them.
    """

    new: list[Finding]
    known: list[Finding]
    gone: list[str]


@dataclass(frozen=True, slots=True)
class FindingsBaseline:
    """Ids of findings that are not news."""

    ids: frozenset[str]

    def split(self, findings: Iterable[Finding]) -> Split:
        """Findings into new and known ones, order kept."""
        new: list[Finding] = []
        known: list[Finding] = []
        for finding in findings:
            (known if finding.id in self.ids else new).append(finding)
        return Split(new, known, sorted(self.ids - {finding.id for finding in known}))


def dump_baseline(findings: Iterable[Finding]) -> str:
    """The text of a findings baseline: sorted ids, one a line, so that a review shows what was added."""
    ids = sorted({finding.id for finding in findings})
    return json.dumps({"format": FORMAT, "findings": ids}, indent=2, ensure_ascii=True) + "\n"


def write_baseline(path: str | Path, findings: Iterable[Finding]) -> None:
    """Write a findings baseline, atomically.

    Raises:
        FileFormatError: the file cannot be written; the old one is still there.
    """
    write_atomic(path, dump_baseline(findings))


def read_baseline(path: Path) -> FindingsBaseline:
    """The findings baseline in a file.

    Raises:
        FileFormatError: the file is missing, unreadable, not JSON, or not a findings baseline.
    """
    shown = visible(str(path))
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise FileFormatError(
            f"{shown} does not exist.", f"Write it with: mcp-governor lint --write-baseline {shown}"
        ) from None
    except OSError as error:
        raise FileFormatError(f"{shown} cannot be read: {error.strerror}.", "Check the path.") from None
    document = parse_json(data, shown)
    ids = document.get("findings") if isinstance(document, dict) and document.get("format") == FORMAT else None
    if not isinstance(ids, list) or not all(isinstance(item, str) for item in ids):
        raise FileFormatError(
            f"{shown} is not a findings baseline.", f"Write it with: mcp-governor lint --write-baseline {shown}"
        )
    return FindingsBaseline(frozenset(ids))


class RuleCount(NamedTuple):
    """How often a rule was not kept."""

    rule: str
    severity: Severity
    findings: int
    tools: int


def statistics(findings: Iterable[Finding]) -> list[RuleCount]:
    """Findings counted by rule, the most frequent first."""
    counts: Counter[tuple[str, Severity]] = Counter()
    tools: dict[tuple[str, Severity], set[str | None]] = {}
    for finding in findings:
        key = (finding.rule, finding.severity)
        counts[key] += 1
        tools.setdefault(key, set()).add(finding.tool)
    rows = [
        RuleCount(rule, severity, count, len(tools[rule, severity] - {None}))
        for (rule, severity), count in counts.items()
    ]
    return sorted(rows, key=lambda row: (-row.findings, row.rule, row.severity))
