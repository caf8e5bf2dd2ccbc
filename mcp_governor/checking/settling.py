"""What is left of findings once selection, severities, acceptances and the lint baseline have had their say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.checking.settings import lint_settings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from mcp_governor.change import Change
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.policy import Accepted


def settle(
    findings: Sequence[Finding], changes: Sequence[Change], config: Config, today: date, *, complete: bool = True
) -> Accepted:
    """Findings under the configured selection, severities and acceptances."""
    from mcp_governor.catalogue import select
    from mcp_governor.checking.settings import govern
    from mcp_governor.policy import apply_acceptances

    governed = govern(findings, select(lint_settings(config)))
    where = config.path.name if config.path else ""
    return apply_acceptances(config.accept, governed, changes, today=today, where=where, complete=complete)


def without_known(findings: list[Finding], config: Config) -> list[Finding]:
    """The findings that the configured lint baseline does not hold."""
    if not config.lint.baseline:
        return findings
    from mcp_governor.catalogue import load_baseline, new_findings

    return new_findings(findings, load_baseline(config.resolve(config.lint.baseline), what=config.lint.baseline))
