"""Applies a team's decisions to the findings of all stations, once: the last station before the report; and the report
of a run of one station alone: ``lint``, ``call``, ``load probe``, ``schemas``.

:mod:`mcp_governor.rules.governing` applies ignored and suppressed rules, severities and the lint baseline.
Acceptances also cover changes, and apply to the remaining findings.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.checking.model import Report, ServerInfo
from mcp_governor.checking.reading import counts_of, definitions_of, fail_on, refuse_empty
from mcp_governor.checking.token_cost import token_cost
from mcp_governor.surface import fingerprint

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

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
    if not config.accept:
        return Decided(tuple(governed), {}, tuple(governor.gone()))
    from mcp_governor.policy.acceptance import apply_acceptances

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
        from mcp_governor.change.model import catalogue

        return name in catalogue() and catalogue()[name].of_calls
    from mcp_governor.rules import load_catalogue

    # Rules of packages and of the user's own folders read surfaces; an unknown name counts as such a rule.
    rule = load_catalogue().rules.get(name)
    return rule is not None and rule.station == "call"


def station_report(
    station: str,
    surface: Surface,
    config: Config,
    selection: Selection,
    findings: Iterable[Finding],
    changes: Sequence[Change] = (),
    *,
    today: date | None = None,
    known: frozenset[str] | None = None,
    **more: Any,
) -> tuple[Report, Decided]:
    """The report, with ``more`` of its fields, and what the team decided about the findings of the station."""
    decided = decide(
        findings,
        changes,
        config,
        today or date.today(),
        surface=surface,
        selection=selection,
        stations=(station,),
        known=known,
        complete=False,
    )
    made = Report(
        target=surface.source,
        server=ServerInfo.of(surface),
        fingerprint=fingerprint(surface),
        changes=tuple(changes),
        findings=decided.findings,
        accepted=dict(decided.changes),
        tools=tuple(tool.name for tool in surface.tools),
        fail_on=fail_on(config),
        **more,
    )
    return made, decided


def lint_report(
    surface: Surface,
    config: Config,
    selection: Selection,
    *,
    known: frozenset[str] | None = None,
    compared: Surface | None = None,
) -> tuple[Report, tuple[str, ...]]:
    """The report of a run that only lints, and the known ids without a finding.

    Known findings do not count; by default they are those in the configured lint baseline. Neither do those that the
    surface ``compared`` has as well.
    """
    from mcp_governor.rules.run import new_findings, run_rules, sorted_findings

    refuse_empty(surface)
    found = run_rules(surface, selection)
    report, decided = station_report(
        "lint",
        surface,
        config,
        selection,
        found,
        known=known,
        tiers={tool.name: tool.tier.value for tool in surface.tools},
        definitions=definitions_of(surface, compared),
        tokens=token_cost(surface, compared),
        counts={**counts_of(surface), "rules": len(selection.linted)},
        skipped_rules=selection.skipped,
    )
    left = report.findings
    if compared is not None:
        left = tuple(new_findings(left, compared, selection))
    old = len(report.findings) - len(left)
    return replace(report, findings=tuple(sorted_findings(left, surface)), old_findings=old), decided.gone
