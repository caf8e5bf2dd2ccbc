"""The report of a run of one station alone: ``lint``, ``call``, ``load probe``, ``schemas``."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from mcp_governor.checking.decisions import decide
from mcp_governor.checking.model import Report, ServerInfo
from mcp_governor.checking.settings import fail_on
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
    """The report, and what the team decided about its findings.

    Args:
        station: its name.
        surface: what it looked at.
        config, selection: of the run.
        findings, changes: as the station returned them.
        today: the date at which acceptances are evaluated; defaults to the current date.
        known: ids of findings that do not count; by default those in the configured lint baseline.
        more: further fields of the report.
    """
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
