"""Calls the tools of a live target over the connection through which its surface was read."""

from __future__ import annotations

import contextlib
import contextvars
import sys
import threading
from dataclasses import dataclass, replace
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

    from mcp_governor.call.report import CallReport
    from mcp_governor.call.run import Watchdog
    from mcp_governor.call.sandbox import Sandbox
    from mcp_governor.call.settings import CallSettings
    from mcp_governor.checking.model import Report
    from mcp_governor.checking.response_coverage import Seen
    from mcp_governor.config import Config
    from mcp_governor.rules import Selection
    from mcp_governor.surface import Surface

_LOOK = 0.05
"""Seconds between two looks at the clock: nobody sees the difference, and a look costs nothing."""


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
    from mcp_governor.call.run import Watchdog
    from mcp_governor.call.sandbox import Sandbox
    from mcp_governor.wire import ObjectEndpoint
    from mcp_governor.wire.loop import run

    if not isinstance(source, LiveSource):
        raise UsageError(f"{source.shown} is a recording; only a live server can be called.", "Name a live server.")
    emit("read", source.shown)
    with Sandbox(scratch) as sandbox:
        job = _Job(source, config, settings, selection or selection_of(config), emit, sandbox, Watchdog())
        if isinstance(source.endpoint, ObjectEndpoint):
            return job.in_thread()
        return run(job.read_and_call)


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


@dataclass(eq=False)
class _Job:
    """Reading and calling one server; what it came to is kept while it goes on."""

    source: LiveSource
    config: Config
    settings: CallSettings
    selection: Selection
    emit: Emit
    sandbox: Sandbox
    watchdog: Watchdog
    surface: Surface | None = None
    report: CallReport | None = None
    error: BaseException | None = None

    def in_thread(self) -> tuple[Surface, CallReport]:
        """Call a server object of this process in a thread, which is left behind if it gives no sign of life.

        The thread, and the threads that the server starts in it, do not keep the process from ending.
        """
        import anyio

        context = contextvars.copy_context()

        def target() -> None:
            try:
                context.run(anyio.run, self.read_and_call)
            except BaseException as error:  # noqa: BLE001  (handed over to the caller's thread)
                self.error = error

        thread = threading.Thread(target=target, name="mcp-governor-calls", daemon=True)
        # Here and not in the thread, which may never come to putting it back: what a server prints is not our report.
        with contextlib.redirect_stdout(sys.stderr):
            thread.start()
            while thread.is_alive() and not self.watchdog.is_overdue:
                thread.join(_LOOK)
        if self.error is not None:
            raise self.error
        report = self.report or self.watchdog.given_up()
        assert self.surface is not None
        assert report is not None, "only calls are overdue"
        return self.surface, report

    async def read_and_call(self) -> tuple[Surface, CallReport]:
        """Do all of it, over one connection."""
        from mcp_governor import wire
        from mcp_governor.call.agent_info import check_server_info
        from mcp_governor.call.plan import plan_calls
        from mcp_governor.call.record import load_recordings, split_recordings
        from mcp_governor.call.run import run_calls
        from mcp_governor.wire.recording import make_first_calls

        source, config, settings = self.source, self.config, self.settings
        limits = limits_for_warnings(limits_of(source), self.selection)
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
            self.surface = surface
            recorded = load_recordings(config.resolve(config.calls_dir)) if config.calls_dir else []
            written, repeated = split_recordings(recorded)
            plan = plan_calls(
                surface, [*config.calls, *written], settings=settings, recorded=repeated, sandbox=self.sandbox
            )
            self.emit("call", "")
            report = await run_calls(
                session,
                surface,
                plan,
                settings=settings,
                selection=self.selection,
                reconnect=again,
                watchdog=self.watchdog,
            )
            found = await warning_findings(session, surface, report, config, self.selection)
            if isinstance(source.endpoint, wire.HttpEndpoint):
                found += await check_server_info(source.endpoint, self.selection)
            self.report = report = replace(report, findings=(*report.findings, *found))
            self.watchdog.within(limits.close_timeout)
        return surface, report


def wanted_calls(config: Config, selection: Selection) -> CallSettings | None:
    """What ``check`` calls, ``None`` for nothing.

    Args:
        config: names calls, of any tool, and may say more (``calls-mode``).
        selection: the rules of the run; a contract of results asks for safe calls.
    """
    mode = calls_mode(config, selection)
    if mode == NONE or (mode == CONFIGURED and not config.calls and not config.calls_dir):
        return None
    from mcp_governor.call.settings import CallSettings

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
