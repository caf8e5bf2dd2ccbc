"""Counts findings by rule, to show where to begin."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_governor.findings import Finding, Severity


class RuleCount(Struct, frozen=True):
    """Number of violations of a rule.

    Attributes:
        rule, severity: the rule, and the severity of the findings.
        findings: number of findings.
        tools: number of tools with a finding, or named by one about the whole server.
    """

    rule: str
    severity: Severity
    findings: int
    tools: int


def statistics(findings: Iterable[Finding]) -> list[RuleCount]:
    """One row per rule and severity, the most frequent first."""
    counts: Counter[tuple[str, Severity]] = Counter()
    tools: dict[tuple[str, Severity], set[str]] = {}
    for finding in findings:
        key = (finding.rule, finding.severity)
        counts[key] += 1
        named = {finding.tool, *(spot.tool for spot in finding.spots)}
        tools.setdefault(key, set()).update(tool for tool in named if tool is not None)
    rows = [RuleCount(*key, count, len(tools[key])) for key, count in counts.items()]
    return sorted(rows, key=lambda row: (-row.findings, row.rule, row.severity))
