"""Check that calls of deprecated tools warn: also of those that only the changelog deprecates, and on stderr.

The rules about one response see what the tool itself publishes. These need the changelog, or what the server wrote
besides its responses. They make no call of their own.
"""

from __future__ import annotations

import dataclasses
import re
import time
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcp_governor.errors import GovernorError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.call.report import CallReport
    from mcp_governor.charter.breach import Breach
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.rules import Selection
    from mcp_governor.surface import Surface, Tool
    from mcp_governor.wire import Limits, Session

IN_RESPONSES = "surface/deprecation-warning"
ON_STDERR = "surface/deprecation-stderr"

STDERR_KEPT = 1024 * 1024
"""Bytes of a server's stderr that are kept for this: some kilobytes for each of a few hundred calls. If it wrote
more, nothing is said about a warning that is not among them."""

_PATIENCE = 0.5
"""Seconds that a warning on stderr may take to arrive after the last response: it passes through another pipe."""
_STEP = 0.05
"""Seconds between two looks at it."""


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
    announced = _announced(surface, config) if checker.runs(IN_RESPONSES) or checker.runs(ON_STDERR) else []
    found: dict[str, Finding] = {}
    for tool, breach in _unwarned(announced, surface, called):
        for one in checker.findings([breach], tool):
            found.setdefault(one.id, one)
    if checker.runs(ON_STDERR) and session.stderr is not None and not called.restarts:
        deprecated = [tool for tool in surface.tools if tool.deprecation is not None]
        wanted = _called([*deprecated, *(tool for tool, _ in announced)], called)
        for silent in await _silent(session, wanted) if wanted else ():
            breach = Breach(ON_STDERR, "/deprecated")
            found.update((one.id, one) for one in checker.findings([breach], silent.name))
    return list(found.values())


def _announced(surface: Surface, config: Config) -> list[tuple[Tool, str]]:
    """The tools that only the changelog deprecates, as deprecated, and the section that says so.

    A changelog that cannot be read counts as none; the check says that.
    """
    from mcp_governor.checking.changelog import load_changelog
    from mcp_governor.policy.windows import History
    from mcp_governor.surface.model import Deprecation

    if not config.changelog:
        return []
    try:
        # Without versions every section counts: what is announced for the next release warns from then on, too.
        history = History(load_changelog(config), None, None)
    except GovernorError:
        return []
    found = []
    for tool in surface.tools:
        announced = history.announcement(tool) if tool.deprecation is None else None
        if announced is not None:
            notice = Deprecation(replacement=announced.replacement, source="changelog", nothing=announced.nothing)
            found.append((replace(tool, deprecation=notice), announced.section.title))
    return found


def _unwarned(
    announced: Sequence[tuple[Tool, str]], surface: Surface, called: CallReport
) -> Iterator[tuple[str, Breach]]:
    from mcp_governor.call.response import read_response
    from mcp_governor.call.results import deprecation_breaches

    for tool, section in announced:
        for result in called.results:
            if result.case.tool != tool.name or not result.is_useful or result.response is None:
                continue
            for breach in deprecation_breaches(read_response(result.response), tool, surface):
                says = "announced" if breach.says == "missing" else breach.says
                yield tool.name, dataclasses.replace(breach, says=says, facts={**breach.facts, "section": section})


def _called(tools: Sequence[Tool], called: CallReport) -> list[tuple[Tool, list[str]]]:
    """Those of some tools of which a call succeeded, with the warnings of its responses."""
    from mcp_governor.call.response import read_response

    found = []
    for tool in tools:
        made = [one for one in called.results if one.case.tool == tool.name and one.is_useful and one.response]
        warnings = [_warning(read_response(one.response).structured) for one in made]
        if made:
            found.append((tool, [text for text in warnings if isinstance(text, str)]))
    return found


def _warning(structured: Any) -> Any:
    return (structured.get("warning") or structured.get("warnings")) if isinstance(structured, dict) else None


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
