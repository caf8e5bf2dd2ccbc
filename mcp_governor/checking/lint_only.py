"""A run that only lints."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_governor.checking.reading import counts_of, definitions_of, refuse_empty
from mcp_governor.checking.station_report import station_report
from mcp_governor.checking.token_cost import token_cost
from mcp_governor.rules.run import Linted, new_findings, run_rules, sorted_findings

if TYPE_CHECKING:
    from mcp_governor.checking.model import Report
    from mcp_governor.config import Config
    from mcp_governor.rules import Selection
    from mcp_governor.surface import Surface


def lint_report(
    surface: Surface,
    config: Config,
    selection: Selection,
    *,
    known: frozenset[str] | None = None,
    compared: Surface | None = None,
) -> tuple[Report, tuple[str, ...]]:
    """The report of a run that only lints.

    Args:
        surface: the surface to lint.
        config, selection: the configuration, and its selected rules.
        known: ids of findings that do not count; by default those in the configured lint baseline.
        compared: report only findings that this surface does not have.

    Returns:
        The report, and the known ids without a finding.
    """
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
