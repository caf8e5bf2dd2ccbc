"""Calls the tools of a live target over the connection through which its surface was read, and checks that calls of
deprecated tools warn: also of those that only the changelog deprecates, and on stderr.

The rules about one response see what the tool itself publishes. Those here need the changelog, or what the server wrote
besides its responses. They make no call of their own.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
import time
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.checking.decisions import station_report
from mcp_governor.checking.model import Emit, silent
from mcp_governor.checking.reading import counts_of, permitted, read_governed, refuse_empty, selection_of, with_manifest
from mcp_governor.checking.response_coverage import OFF, RECORDING, UNNAMED, calls_mode, seen_of
from mcp_governor.config.model import CONFIGURED, NONE, SAFE
from mcp_governor.errors import GovernorError, UsageError
from mcp_governor.findings import Bump, Tier
from mcp_governor.surface.model import Deprecation
from mcp_governor.target import LiveSource, Source, limits_of, surface_of, tier_rules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence
    from datetime import date
    from pathlib import Path

    from mcp_governor.call.cases import CallReport, CallSettings, CaseResult
    from mcp_governor.call.sandbox import Sandbox
    from mcp_governor.changelog import Changelog
    from mcp_governor.charter.breach import Breach
    from mcp_governor.checking.model import Report
    from mcp_governor.checking.response_coverage import Seen
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.rules import Selection
    from mcp_governor.surface import Surface, Tool
    from mcp_governor.wire import Limits, Session


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
    from mcp_governor.wire.duplex import run

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

    @contextlib.asynccontextmanager
    async def again() -> AsyncIterator[wire.Session]:
        # A restarted server is addressed in the same protocol era as before.
        async with wire.connect(source.endpoint, limits=limits, era=session.era) as restarted:
            await make_first_calls(restarted, source.call_first)
            yield restarted

    async with wire.connect(source.endpoint, limits=limits) as session:
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
    return surface, dataclasses.replace(report, findings=(*report.findings, *found))


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


# warnings of deprecated tools


IN_RESPONSES = "surface/deprecation-warning"
ON_STDERR = "surface/deprecation-stderr"

STDERR_KEPT = 1024 * 1024
"""Bytes of a server's stderr that are kept for this: some kilobytes for each of a few hundred calls. If it wrote
more, nothing is said about a warning that is not among them."""

_PATIENCE = 0.5
"""Seconds that a warning on stderr may take to arrive after the last response: it passes through another pipe."""
_STEP = 0.05
"""Seconds between two looks at it."""


class _Notice(Struct, frozen=True):
    """A deprecation that the changelog announces and the tool itself does not publish.

    Attributes:
        tool: the tool; as deprecated, where it is deprecated as a whole.
        section: the release that announced it.
        part: the argument or field that is deprecated; empty for the tool as a whole.
    """

    tool: Tool
    section: str
    part: str = ""


def limits_for_warnings(limits: Limits, selection: Selection) -> Limits:
    """The limits of a connection over which tools are called, for a selection that looks at stderr."""
    return limits if selection.get(ON_STDERR) is None else replace(limits, stderr_bytes=STDERR_KEPT)


async def warning_findings(
    session: Session, surface: Surface, called: CallReport, config: Config, selection: Selection
) -> list[Finding]:
    """What is missing of the warnings that deprecated tools owe their callers.

    Args:
        session: the connection that the calls were made over, still open.
        surface: what the server publishes.
        called: the calls.
        config: names the changelog.
        selection: the rules that run.
    """
    from mcp_governor.call.validate import ResponseChecker
    from mcp_governor.charter.breach import Breach

    checker = ResponseChecker(selection)
    notices = _notices(surface, config) if checker.runs(IN_RESPONSES) or checker.runs(ON_STDERR) else []
    found: dict[str, Finding] = {}
    for tool, breach in _unwarned(notices, surface, called):
        for one in checker.findings([breach], tool):
            found.setdefault(one.id, one)
    if checker.runs(ON_STDERR) and session.stderr is not None and not called.restarts:
        wanted = _deprecated(surface, notices, called)
        for silent in await _silent(session, wanted) if wanted else ():
            found.update((one.id, one) for one in checker.findings([Breach(ON_STDERR, "/deprecated")], silent.name))
    return list(found.values())


# what the changelog announces


def _notices(surface: Surface, config: Config) -> list[_Notice]:
    changelog = _changelog(config)
    if changelog is None:
        return []
    from mcp_governor.policy.windows import History

    # Without versions every section counts: what is announced for the next release warns from then on, too.
    history = History(changelog, None, None)
    found = []
    for tool in surface.tools:
        announced = history.announcement(tool) if tool.deprecation is None else None
        if announced is not None:
            notice = Deprecation(replacement=announced.replacement, source="changelog", nothing=announced.nothing)
            found.append(_Notice(replace(tool, deprecation=notice), announced.section.title))
        elif tool.tier is Tier.ADVANCED:
            found += _parts(tool, changelog)
    return found


def _changelog(config: Config) -> Changelog | None:
    """The configured changelog; ``None`` where there is none, or none that can be read, which the check says."""
    from mcp_governor.checking.changelog import load_changelog

    if not config.changelog:
        return None
    try:
        return load_changelog(config)
    except GovernorError:
        return None


def _parts(tool: Tool, changelog: Changelog) -> Iterator[_Notice]:
    """Arguments and fields of an advanced tool that a Deprecated entry names: a minor release may break them."""
    from mcp_governor.changelog.model import Kind
    from mcp_governor.policy.windows import parts_of

    parts = parts_of(tool)
    seen: set[str] = set()
    for section in changelog.sections:
        for entry in section.of_kind(Kind.DEPRECATED):
            named = sorted(entry.names & parts) if tool.name in entry.names else []
            for part in named:
                if part not in seen:
                    seen.add(part)
                    yield _Notice(tool, section.title, part)


# responses


def _unwarned(notices: Sequence[_Notice], surface: Surface, called: CallReport) -> Iterator[tuple[str, Breach]]:
    from mcp_governor.call.outcome import read_response
    from mcp_governor.call.results import deprecation_breaches
    from mcp_governor.charter.breach import Breach

    for notice in notices:
        for result in called.results:
            if result.case.tool != notice.tool.name or not result.is_useful or result.response is None:
                continue
            response = read_response(result.response)
            if not notice.part:
                for breach in deprecation_breaches(response, notice.tool, surface):
                    says = "announced" if breach.says == "missing" else breach.says
                    facts = {**breach.facts, "section": notice.section}
                    yield notice.tool.name, dataclasses.replace(breach, says=says, facts=facts)
            elif _uses(result, response.structured, notice.part) and not _warning(response.structured):
                path, facts = "/structuredContent/warning", {"part": notice.part, "section": notice.section}
                yield notice.tool.name, Breach(IN_RESPONSES, path, notice.part, "part", facts)


def _uses(result: CaseResult, structured: Any, part: str) -> bool:
    """True if a call passed an argument of that name, or got a field of it."""
    return part in result.case.arguments or (isinstance(structured, dict) and part in structured)


def _warning(structured: Any) -> Any:
    return (structured.get("warning") or structured.get("warnings")) if isinstance(structured, dict) else None


# stderr


def _deprecated(surface: Surface, notices: Sequence[_Notice], called: CallReport) -> list[tuple[Tool, list[str]]]:
    """The deprecated tools of which a call succeeded, with the warnings of its responses."""
    from mcp_governor.call.outcome import read_response

    announced = [notice.tool for notice in notices if not notice.part]
    found = []
    for tool in (*(tool for tool in surface.tools if tool.deprecation is not None), *announced):
        made = [one for one in called.results if one.case.tool == tool.name and one.is_useful and one.response]
        warnings = [_warning(read_response(one.response).structured) for one in made]
        if made:
            found.append((tool, [text for text in warnings if isinstance(text, str)]))
    return found


async def _silent(session: Session, wanted: Sequence[tuple[Tool, list[str]]]) -> list[Tool]:
    """Those of the tools that nothing on stderr warns of."""
    import anyio

    end = time.monotonic() + _PATIENCE
    while True:
        written = bytes(session.stderr or b"")
        text = written.decode("utf-8", "replace")
        lines = [line for line in text.splitlines() if "deprecat" in line.lower()]
        silent = [
            tool for tool, warnings in wanted if not (any(map(text.__contains__, warnings)) or _is_named(lines, tool))
        ]
        if not silent or time.monotonic() >= end:
            break
        await anyio.sleep(_STEP)
    # What was cut off may have held it.
    return [] if len(written) >= session.limits.stderr_bytes else silent


def _is_named(lines: Sequence[str], tool: Tool) -> bool:
    """True if one of the lines names a tool or its replacement."""
    replacement = tool.deprecation.replacement if tool.deprecation is not None else None
    names = "|".join(re.escape(name) for name in (tool.name, replacement) if name)
    named = re.compile(rf"(?<![\w-])(?:{names})(?![\w-])")
    return any(map(named.search, lines))
