"""Calling tools of a live target, in the connection that its surface was read over."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_governor.checking.decisions import decide
from mcp_governor.checking.events import Emit, Finished, Started, silent
from mcp_governor.checking.reading import counts_of, refuse_empty, with_manifest
from mcp_governor.checking.settings import fail_on, lint_settings
from mcp_governor.errors import UsageError
from mcp_governor.target import LiveSource, Source, limits_of, surface_of, tier_rules

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

    from mcp_governor.call.report import CallReport
    from mcp_governor.call.sandbox import Sandbox
    from mcp_governor.call.settings import CallSettings
    from mcp_governor.checking.model import Report
    from mcp_governor.config import Config
    from mcp_governor.surface import Surface


def call_target(
    source: Source,
    config: Config,
    settings: CallSettings,
    *,
    emit: Emit = silent,
    scratch: Path | None = None,
) -> tuple[Surface, CallReport]:
    """Read a live server's surface and call its tools, over one connection.

    Args:
        source: the server.
        config, emit: as for :func:`mcp_governor.checking.run.check`.
        settings: permissions and limits.
        scratch: an existing folder in which a temporary one is made for arguments that mean a path; default is the
            system's.

    Raises:
        UsageError: the source is a recording, which cannot be called, or nothing can be written to ``scratch``.
        GovernorError: it cannot be reached, or a recorded call cannot be read.
    """
    from mcp_governor.wire.loop import run

    if not isinstance(source, LiveSource):
        raise UsageError(f"{source.shown} is a recording; only a live server can be called.", "Name a live server.")
    emit(Started("read", source.shown))
    from mcp_governor.call.sandbox import Sandbox

    with Sandbox(scratch) as sandbox:
        return run(_read_and_call, source, config, settings, emit, sandbox)


async def _read_and_call(
    source: LiveSource, config: Config, settings: CallSettings, emit: Emit, sandbox: Sandbox
) -> tuple[Surface, CallReport]:
    from mcp_governor import wire
    from mcp_governor.call.agent_info import check_server_info
    from mcp_governor.call.plan import plan_calls
    from mcp_governor.call.record import load_recordings, split_recordings
    from mcp_governor.call.run import run_calls
    from mcp_governor.catalogue import select

    limits = limits_of(source)
    # A server that is started again is spoken to as it was before.
    eras: dict[str, wire.Era] = {}
    async with wire.connect(source.endpoint, limits=limits, eras=eras) as session:
        recording = await wire.read_recording(session, list_params=source.list_params)
        surface = with_manifest(surface_of(recording, source, tiers=tier_rules(config)), config)
        refuse_empty(surface)
        emit(Finished("read", len(surface.entries)))
        recorded = load_recordings(config.resolve(config.calls_dir)) if config.calls_dir else []
        written, repeated = split_recordings(recorded)
        plan = plan_calls(surface, [*config.calls, *written], settings=settings, recorded=repeated, sandbox=sandbox)
        emit(Started("call"))
        selection = select(lint_settings(config))
        report = await run_calls(
            session,
            surface,
            plan,
            settings=settings,
            selection=selection,
            reconnect=lambda: wire.connect(source.endpoint, limits=limits, eras=eras),
        )
        if isinstance(source.endpoint, wire.HttpEndpoint):
            found = await check_server_info(source.endpoint, selection)
            report = replace(report, findings=(*report.findings, *found))
        emit(Finished("call", len(report.results)))
    return surface, report


def configured_calls(config: Config) -> CallSettings | None:
    """What ``check`` calls: only what the configuration names or a recording holds, ``None`` for nothing."""
    if not config.calls and not config.calls_dir:
        return None
    from mcp_governor.call.settings import CallSettings

    return CallSettings(generate=False, read_only=config.read_only_tools, timeout=config.timeout)


def call_report(surface: Surface, called: CallReport, config: Config, today: date) -> Report:
    """The report of a run that only called; ``nothing_checked`` where no good call succeeded.

    Raises:
        NothingCheckedError: no tool was called.
    """
    from mcp_governor.catalogue import select
    from mcp_governor.checking.model import Report, ServerInfo
    from mcp_governor.findings import Bump
    from mcp_governor.surface import fingerprint

    called.require_calls()
    failure = called.without_success
    settled = decide(
        called.findings,
        called.changes,
        config,
        today,
        surface=surface,
        selection=select(lint_settings(config)),
        stations=("call",),
        complete=False,
    )
    return Report(
        target=surface.source,
        server=ServerInfo.of(surface),
        fingerprint=fingerprint(surface),
        required_bump=Bump.highest([change.bump for change in called.changes]),
        changes=called.changes,
        findings=settled.findings,
        accepted=dict(settled.changes),
        counts={**counts_of(surface), "calls": len(called.results)},
        tools=tuple(tool.name for tool in surface.tools),
        fail_on=fail_on(config),
        breaking_fails=True,
        good_calls=called.good_calls,
        nothing_checked=failure.message if failure is not None else "",
    )
