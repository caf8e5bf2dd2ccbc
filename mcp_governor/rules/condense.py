"""Bounds the findings that a run keeps: repetitions at many places are counted instead of listed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_governor.findings import Finding

MAX_PLACES = 1_000
"""Maximum number of places per tool and rule: nobody reads more, and a finding takes 1 KB."""

MAX_FINDINGS = 100_000
"""Maximum number of findings in a run: 10,000 tools with ten each, 100 MB. Beyond it, a rule lists one place per
tool."""


def condensed(findings: Iterable[Finding]) -> list[Finding]:
    """Keep the first findings of a rule about a tool, and add one that counts the rest.

    The additional finding has the severity of the others, so that the run fails as it would have without it.
    """
    kept: list[Finding] = []
    listed: Counter[tuple[str, str | None]] = Counter()
    more: dict[tuple[str, str | None], tuple[Finding, int]] = {}
    for finding in findings:
        key = finding.rule, finding.tool
        if listed[key] < (MAX_PLACES if len(kept) < MAX_FINDINGS else 1):
            listed[key] += 1
            kept.append(finding)
        else:
            more[key] = finding, more.get(key, (finding, 0))[1] + 1
    return [*kept, *(_counted(finding, count) for finding, count in more.values())]


def _counted(finding: Finding, count: int) -> Finding:
    places = "1 more place" if count == 1 else f"{count:,} more places"
    return replace(finding, message=f"The same applies to {places}, not listed.", path="", value=None, correction=None)
