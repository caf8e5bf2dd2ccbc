"""Acceptances: findings and changes that the team has reviewed, with a reason and an end.

:mod:`.accepting` writes them into the configuration.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from mcp_governor.catalogue.finding import finding
from mcp_governor.config.model import AcceptConfig
from mcp_governor.frozen import frozen
from mcp_governor.text import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from mcp_governor.change.model import Change
    from mcp_governor.findings import Finding


Acceptance = AcceptConfig
"""One accepted finding or change: as the configuration holds it."""


@frozen
class Accepted:
    """What acceptances make of a run.

    Attributes:
        findings: all of them, the accepted ones with their reason, and the findings about the acceptances
            themselves at the end.
        changes: id of each accepted change → the reason. An accepted break still counts in the required bump.
    """

    findings: tuple[Finding, ...]
    changes: Mapping[str, str] = field(default_factory=dict)


def apply_acceptances(
    acceptances: Iterable[Acceptance],
    findings: Sequence[Finding],
    changes: Sequence[Change] = (),
    *,
    today: date,
    where: str = "",
    complete: bool = True,
) -> Accepted:
    """Mark what is accepted, and report acceptances that ran out or match nothing.

    Args:
        acceptances: from the configuration.
        findings, changes: of this run.
        today: the day that ends are judged by; an acceptance holds through its last day.
        where: the configuration file, for the findings' place.
        complete: whether the run looked at everything; a partial one (``lint`` alone) cannot tell which
            acceptances match nothing.
    """
    reasons: dict[str, str] = {}
    problems: list[Finding] = []
    known = {found.id for found in findings} | {change.id for change in changes}
    seen: set[str] = set()
    for acceptance in acceptances:
        shown = one_line(acceptance.finding, 120)
        if acceptance.finding in seen:
            problems.append(finding("policy/acceptance-duplicate", where, value=acceptance.finding, finding=shown))
            continue
        seen.add(acceptance.finding)
        if acceptance.until is not None and acceptance.until < today:
            until = acceptance.until.isoformat()
            problems.append(
                finding("policy/acceptance-expired", where, value=acceptance.finding, finding=shown, until=until)
            )
        elif acceptance.finding in known:
            reasons[acceptance.finding] = acceptance.reason
        elif complete:
            problems.append(
                finding(
                    "policy/acceptance-unmatched",
                    where,
                    value=acceptance.finding,
                    finding=shown,
                    reason=acceptance.reason,
                    hint=did_you_mean(acceptance.finding, known),
                )
            )
    marked = [replace(found, accepted=reasons[found.id]) if found.id in reasons else found for found in findings]
    return Accepted((*marked, *problems), {change.id: reasons[change.id] for change in changes if change.id in reasons})
