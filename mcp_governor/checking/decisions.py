"""What a team decided about findings, applied once to those of all stations: the last station before the report.

Which rules are ignored or suppressed, severities and the lint baseline are applied by
:mod:`mcp_governor.catalogue.governing`; acceptances know changes as well, and are applied to what it leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import date

    from mcp_governor.catalogue import Selection
    from mcp_governor.change import Change
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.policy.acceptance import AcceptedBefore
    from mcp_governor.surface import Surface


_UNHIDDEN = frozenset({"policy/config-weakened", "policy/changelog-deleted"})


@frozen(slots=False)
class Decided:
    """What is left of a run.

    Attributes:
        findings: those that count, accepted ones with their reason.
        changes: id of each accepted change → the reason.
        gone: ids in the lint baseline that nothing has any more.
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
    """Apply the configuration's decisions to what the stations of a run found.

    Args:
        findings, changes: of the run, as the stations gave them.
        config: the decisions.
        today: the day that acceptances are judged by.
        surface: whose tools may suppress rules for themselves.
        selection: the rules that ran.
        stations: those that took part.
        known: ids of findings that do not count; default are those of the configured lint baseline.
        complete: true if all stations on paper took part, so that an acceptance without a finding is one. Of what
            only calls can find, that is known where station ``call`` took part.
        before: what the release that the run compares with accepted.

    Raises:
        FileFormatError: the lint baseline cannot be read.
    """
    from mcp_governor.catalogue.governing import Governor
    from mcp_governor.policy.acceptance import apply_acceptances

    known = _known(config) if known is None else known
    governor = Governor(selection, surface, stations=stations, known=known)
    found = list(findings)
    # A configuration cannot hide that it asks for less than it did: only an acceptance lets that pass.
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
        is_judged=lambda wanted: "call" in stations or not is_of_calls(wanted),
    )
    about_acceptances = governor.judge(accepted.findings[len(governed) :])
    return Decided(
        findings=(*accepted.findings[: len(governed)], *about_acceptances),
        changes=accepted.changes,
        gone=tuple(governor.gone()),
    )


def is_of_calls(finding: str) -> bool:
    """True if only calls can find what has this id: a rule of station ``call``, or a change of an answer."""
    name = finding.partition(":")[0]
    if "/" not in name:
        from mcp_governor.change.registry import catalogue

        return name in catalogue() and catalogue()[name].of_calls
    from mcp_governor.catalogue import load_catalogue

    # Rules of packages and of the user's own folders read surfaces, and so does a name that is none.
    rule = load_catalogue().rules.get(name)
    return rule is not None and rule.station == "call"


def _known(config: Config) -> frozenset[str]:
    if not config.lint.baseline:
        return frozenset()
    from mcp_governor.catalogue import load_baseline

    return load_baseline(config.resolve(config.lint.baseline), what=config.lint.baseline)
