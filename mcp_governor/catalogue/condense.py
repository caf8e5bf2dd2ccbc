"""How many findings one run keeps: what says the same about very many places is counted, not listed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_governor.findings import Finding

MOST_PLACES = 1_000
"""Places of one tool that one rule lists: nobody reads more, and a finding takes 1 KB."""

MOST_FINDINGS = 100_000
"""Findings of a run: 10,000 tools with ten each, 100 MB. Beyond it a rule lists one place of a tool."""


def condensed(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, where a rule has too many about a tool only the first of them and one that counts the others.

    That one has the severity of the others, so that they fail a run as they would have done.
    """
    kept: list[Finding] = []
    listed: Counter[tuple[str, str | None]] = Counter()
    more: dict[tuple[str, str | None], tuple[Finding, int]] = {}
    for finding in findings:
        key = finding.rule, finding.tool
        if listed[key] < (MOST_PLACES if len(kept) < MOST_FINDINGS else 1):
            listed[key] += 1
            kept.append(finding)
        else:
            more[key] = finding, more.get(key, (finding, 0))[1] + 1
    return [*kept, *(_counted(finding, count) for finding, count in more.values())]


def _counted(finding: Finding, count: int) -> Finding:
    places = "1 more place" if count == 1 else f"{count:,} more places"
    return replace(finding, message=f"The same applies to {places}, not listed.", path="", value=None, correction=None)
