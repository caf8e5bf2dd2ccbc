"""Calls the tools of a live target over the connection through which its surface was read."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_governor.checking.asked import Emit, silent
from mcp_governor.checking.deprecation_warnings import limits_for_warnings, warning_findings
from mcp_governor.checking.reading import counts_of, permitted, read_governed, refuse_empty, with_manifest
from mcp_governor.checking.response_coverage import CONFIGURED, NONE, OFF, RECORDING, SAFE, UNNAMED, calls_mode, seen_of
from mcp_governor.checking.settings import selection_of
from mcp_governor.checking.station_report import station_report
from mcp_governor.errors import UsageError
from mcp_governor.target import LiveSource, Source, limits_of, surface_of, tier_rules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from datetime import date
    from pathlib import Path

    from mcp_governor.call.cases import CallReport, CallSettings
    from mcp_governor.call.sandbox import Sandbox
    from mcp_governor.checking.model import Report
    from mcp_governor.checking.response_coverage import Seen
    from mcp_governor.config import Config
    from mcp_governor.rules import Selection
    from mcp_governor.surface import Surface


def call_target(
    source: Source,
    config: Config,
    settings: CallSettings,
    *,
    selection: Selection | None = None,
    emit: Emit = silent,
    scratch: Path | None = None,
) -> tuple[Surface, CallReport]:
    """Read a live server's surface and call its tools, over one connection.

    Args:
        source: the server.
        config, emit: as for :func:`mcp_governor.checking.run.check`.
        settings: permissions and limits.
        selection: the rules that run; defaults to those of the configuration.
        scratch: an existing folder in which a temporary one is created for arguments that are paths; defaults to the
            system's.

    Raises:
        UsageError: the source is a recording, which cannot be called, or nothing can be written to ``scratch``.
        GovernorError: the server cannot be reached, or a recorded call cannot be read.
    """
    from mcp_governor.call.sandbox import Sandbox
    from mcp_governor.wire.loop import run

    if not isinstance(source, LiveSource):
        raise UsageError(f"{source.shown} is a recording; only a live server can be called.", "Name a live server.")
    emit("read", source.shown)
    with Sandbox(scratch) as sandbox:
        return run(_called, source, config, settings, selection or selection_of(config), emit, sandbox)


def read_and_call(
    source: Source, config: Config, selection: Selection | None, emit: Emit
) -> tuple[Surface, CallReport | None, Seen | None]:
    """The surface, the calls that the configuration asks for, if there is a server to call, and what they saw.

    Without a selection nothing is called, and nothing said about calls.
    """
    live = isinstance(source, LiveSource)
    wanted = wanted_calls(config, selection) if selection is not None and live else None
    if selection is not None and wanted is not None:
        config = permitted(config, source)
        wanted = wanted_calls(config, selection)
    if selection is None or wanted is None:
        surface = read_governed(source, config, emit=emit)
        why = RECORDING if not live else OFF if config.calls_mode == NONE else UNNAMED
        return surface, None, seen_of(surface, config, selection, None, why) if selection is not None else None
    surface, called = call_target(source, config, wanted, selection=selection, emit=emit)
    return surface, called, seen_of(surface, config, selection, called, UNNAMED)


async def _called(
    source: LiveSource,
    config: Config,
    settings: CallSettings,
    selection: Selection,
    emit: Emit,
    sandbox: Sandbox,
) -> tuple[Surface, CallReport]:
    """The surface and the calls, over one connection."""
    from mcp_governor import wire
    from mcp_governor.call.agent_info import check_server_info
    from mcp_governor.call.plan import plan_calls
    from mcp_governor.call.record import load_recordings, split_recordings
    from mcp_governor.call.run import run_calls
    from mcp_governor.wire.recording import make_first_calls

    limits = limits_for_warnings(limits_of(source), selection)
    # A restarted server is addressed in the same protocol era as before.
    eras: dict[str, wire.Era] = {}

    @contextlib.asynccontextmanager
    async def again() -> AsyncIterator[wire.Session]:
        async with wire.connect(source.endpoint, limits=limits, eras=eras) as session:
            await make_first_calls(session, source.call_first)
            yield session

    async with wire.connect(source.endpoint, limits=limits, eras=eras) as session:
        recording = await wire.read_recording(session, list_params=source.list_params, call_first=source.call_first)
        surface = with_manifest(surface_of(recording, source, tiers=tier_rules(config)), config)
        refuse_empty(surface)
        recorded = load_recordings(config.resolve(config.calls_dir)) if config.calls_dir else []
        written, repeated = split_recordings(recorded)
        plan = plan_calls(surface, [*config.calls, *written], settings=settings, recorded=repeated, sandbox=sandbox)
        emit("call", "")
        report = await run_calls(
            session,
            surface,
            plan,
            settings=settings,
            selection=selection,
            reconnect=again,
        )
        found = await warning_findings(session, surface, report, config, selection)
        if isinstance(source.endpoint, wire.HttpEndpoint):
            found += await check_server_info(source.endpoint, selection)
    return surface, replace(report, findings=(*report.findings, *found))


def wanted_calls(config: Config, selection: Selection) -> CallSettings | None:
    """What ``check`` calls, ``None`` for nothing.

    Args:
        config: names calls, of any tool, and may say more (``calls-mode``).
        selection: the rules of the run; a contract of results asks for safe calls.
    """
    mode = calls_mode(config, selection)
    if mode == NONE or (mode == CONFIGURED and not config.calls and not config.calls_dir):
        return None
    from mcp_governor.call.cases import CallSettings

    safe = mode == SAFE
    return CallSettings(
        generate=safe,
        quick=safe,
        named=True,
        repeat=False,
        read_only=config.read_only_tools,
        timeout=config.timeout,
        budget=config.calls_budget,
    )


def call_report(surface: Surface, called: CallReport, config: Config, today: date) -> Report:
    """The report of a run that only made calls; ``nothing_checked`` if no good call succeeded.

    Raises:
        NothingCheckedError: no tool was called.
    """
    from mcp_governor.findings import Bump

    called.require_calls()
    failure = called.without_success
    return station_report(
        "call",
        surface,
        config,
        selection_of(config),
        called.findings,
        called.changes,
        today=today,
        required_bump=Bump.highest([change.bump for change in called.changes]),
        counts={**counts_of(surface), "calls": len(called.results)},
        breaking_fails=True,
        good_calls=called.good_calls,
        nothing_checked=failure.message if failure is not None else "",
    )[0]
