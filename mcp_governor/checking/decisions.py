"""Applies a team's decisions to the findings of all stations, once: the last station before the report.

:mod:`mcp_governor.rules.governing` applies ignored and suppressed rules, severities and the lint baseline.
Acceptances also cover changes, and apply to the remaining findings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import date

    from mcp_governor.change import Change
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.policy.acceptance import AcceptedBefore
    from mcp_governor.rules import Selection
    from mcp_governor.surface import Surface


_UNHIDDEN = frozenset({"policy/config-weakened", "policy/changelog-deleted"})


class Decided(Struct, frozen=True, dict=True):
    """The remaining results of a run.

    Attributes:
        findings: the findings that count, with the reason if they are accepted.
        changes: id of each accepted change → the reason.
        gone: ids in the lint baseline without a current finding.
    """

    findings: tuple[Finding, ...]
    changes: Mapping[str, str]
    gone: tuple[str, ...]


def decide(
    findings: Iterable[Finding],
    changes: Sequence[Change],
    config: Config,
    today: date,
    *,
    surface: Surface,
    selection: Selection,
    stations: Collection[str],
    known: frozenset[str] | None = None,
    complete: bool = True,
    before: AcceptedBefore | None = None,
) -> Decided:
    """Apply the configuration's decisions to the results of the stations.

    Args:
        findings, changes: as the stations returned them.
        config, selection: the decisions, and the selected rules.
        today: the date at which acceptances are evaluated.
        surface: the tools whose inline suppressions apply.
        stations: the stations that took part.
        known: ids of findings that do not count; by default those in the configured lint baseline.
        complete: true if all offline stations took part, so that unused acceptances can be reported. For findings that
            only calls produce, this requires the station ``call``, for those about schema files ``schemas``, and for
            measured ones ``load``.
        before: the acceptances at the release with which the run compares.

    Raises:
        FileFormatError: the lint baseline cannot be read.
    """
    from mcp_governor.policy.acceptance import apply_acceptances
    from mcp_governor.rules.governing import Governor

    if known is None:
        from mcp_governor.rules import load_baseline

        file = config.lint.baseline
        known = load_baseline(config.resolve(file), what=file) if file else frozenset()
    governor = Governor(selection, surface, stations=stations, known=known)
    found = list(findings)
    # A configuration cannot hide that it has become more lenient; only an acceptance can allow that.
    certain = [one for one in found if one.rule in _UNHIDDEN]
    governed = [*governor.judge(one for one in found if one.rule not in _UNHIDDEN), *certain, *governor.stale()]
    where = config.path.name if config.path else ""
    accepted = apply_acceptances(
        config.accept,
        governed,
        changes,
        today=today,
        where=where,
        complete=complete,
        baseline=before,
        is_judged=lambda wanted: _may_be_found(wanted, stations),
    )
    about_acceptances = governor.judge(accepted.findings[len(governed) :])
    return Decided(
        findings=(*accepted.findings[: len(governed)], *about_acceptances),
        changes=accepted.changes,
        gone=tuple(governor.gone()),
    )


def _may_be_found(finding: str, stations: Collection[str]) -> bool:
    """True if one of the stations could have produced a finding with this id."""
    for station in ("schemas", "load"):
        if finding.startswith(f"{station}/"):
            return station in stations
    return "call" in stations or not is_of_calls(finding)


def is_of_calls(finding: str) -> bool:
    """True if only calls produce findings with this id: a rule of station ``call``, or a changed response."""
    name = finding.partition(":")[0]
    if "/" not in name:
        from mcp_governor.change.registry import catalogue

        return name in catalogue() and catalogue()[name].of_calls
    from mcp_governor.rules import load_catalogue

    # Rules of packages and of the user's own folders read surfaces; an unknown name counts as such a rule.
    rule = load_catalogue().rules.get(name)
    return rule is not None and rule.station == "call"
