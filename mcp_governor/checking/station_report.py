"""The report of a run of one station alone: ``lint``, ``call``, ``load probe``, ``schemas``."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcp_governor.checking.decisions import decide
from mcp_governor.checking.model import Report, ServerInfo
from mcp_governor.checking.reading import counts_of, definitions_of, refuse_empty
from mcp_governor.checking.settings import fail_on
from mcp_governor.checking.token_cost import token_cost
from mcp_governor.surface import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcp_governor.change import Change
    from mcp_governor.checking.decisions import Decided
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.rules import Selection
    from mcp_governor.surface import Surface


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
    from mcp_governor.rules.run import Linted, new_findings, run_rules, sorted_findings

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
        left = tuple(new_findings(left, compared, selection, Linted(surface, found)))
    old = len(report.findings) - len(left)
    return replace(report, findings=tuple(sorted_findings(left, surface)), old_findings=old), decided.gone
