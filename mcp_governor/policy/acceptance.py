"""Acceptances: findings and changes that the team has reviewed, with a reason and an end date.

:mod:`.accepting` writes them into the configuration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from mcp_governor.config.model import AcceptConfig
from mcp_governor.rules.finding import finding
from mcp_governor.text import did_you_mean, one_line
from mcp_governor.versions import Numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import date

    from mcp_governor.change.model import Change
    from mcp_governor.findings import Finding


Acceptance = AcceptConfig
"""One accepted finding or change, as configured."""


class Accepted(Struct, frozen=True):
    """The findings and changes of a run with acceptances applied.

    Attributes:
        findings: all findings; accepted ones have a reason, and findings about the acceptances come last.
        changes: id of each accepted change → the reason. An accepted break still counts in the required bump.
    """

    findings: tuple[Finding, ...]
    changes: Mapping[str, str] = field(default_factory=dict)


class AcceptedBefore(Struct, frozen=True):
    """Acceptances of the release that a run compares with.

    Attributes:
        version: its version, or ``None`` if unknown.
        findings: the ids that its configuration accepted.
        source: its name in messages.
    """

    version: str | None = None
    findings: frozenset[str] = frozenset()
    source: str = ""

    def is_at_least(self, version: str) -> bool:
        """True if this is the given release or a later one; false if its version is unknown."""
        own, other = Numbered.parse(self.version or ""), Numbered.parse(version)
        if own is None or other is None:
            return self.version == version
        return own >= other


def apply_acceptances(
    acceptances: Iterable[Acceptance],
    findings: Sequence[Finding],
    changes: Sequence[Change] = (),
    *,
    today: date,
    where: str = "",
    complete: bool = True,
    baseline: AcceptedBefore | None = None,
    is_judged: Callable[[str], bool] = lambda _: True,
) -> Accepted:
    """Mark accepted findings and changes, and report acceptances that expired or match nothing.

    Args:
        acceptances: the acceptances from the configuration.
        findings, changes: the findings and changes of this run.
        today: the current day; an acceptance is valid through its last day.
        where: the configuration file, as the place of findings.
        complete: true if the run checked everything; a partial run (``lint`` alone) cannot know which acceptances
            match nothing.
        baseline: the release that the run compares with. An acceptance that was published with it is no longer
            needed.
        is_judged: true for ids that the run could have produced; a run without calls cannot produce ids of calls.
    """
    before = baseline or AcceptedBefore()
    reasons: dict[str, str] = {}
    problems: list[Finding] = []
    known = {found.id for found in findings} | {change.id for change in changes}
    seen: set[str] = set()
    for acceptance in acceptances:
        if acceptance.released:
            # Kept for the record and for comparisons with older releases, so it is not reported.
            if acceptance.finding in known and not before.is_at_least(acceptance.released):
                reasons.setdefault(acceptance.finding, acceptance.reason)
            continue
        if acceptance.finding in seen:
            shown = one_line(acceptance.finding, 120)
            problems.append(finding("policy/acceptance-duplicate", where, value=acceptance.finding, finding=shown))
            continue
        seen.add(acceptance.finding)
        over = acceptance.until is not None and acceptance.until < today
        if not over and acceptance.finding in known:
            reasons[acceptance.finding] = acceptance.reason
        elif over or (complete and is_judged(acceptance.finding)):
            problems.append(_useless(acceptance, before, known, where, over=over))
    marked = [_marked(found, reasons) for found in findings]
    return Accepted((*marked, *problems), {change.id: reasons[change.id] for change in changes if change.id in reasons})


def _marked(found: Finding, reasons: Mapping[str, str]) -> Finding:
    reason = reasons.get(found.id) if reasons else None
    return found if reason is None else replace(found, accepted=reason)


def _useless(
    acceptance: Acceptance, before: AcceptedBefore, known: Collection[str], where: str, *, over: bool
) -> Finding:
    """The finding for an acceptance that expired or matches nothing."""
    shown = one_line(acceptance.finding, 120)
    if acceptance.finding not in known and acceptance.finding in before.findings:
        return finding(
            "policy/acceptance-released", where, value=acceptance.finding, finding=shown, release=before.source
        )
    if over:
        until = acceptance.until.isoformat() if acceptance.until else ""
        return finding("policy/acceptance-expired", where, value=acceptance.finding, finding=shown, until=until)
    return finding(
        "policy/acceptance-unmatched",
        where,
        value=acceptance.finding,
        finding=shown,
        reason=acceptance.reason,
        hint=did_you_mean(acceptance.finding, known),
    )
