"""Check that calls of deprecated tools warn: also of those that only the changelog deprecates, and on stderr.

The rules about one response see what the tool itself publishes. These need the changelog, or what the server wrote
besides its responses. They make no call of their own.
"""

from __future__ import annotations

import dataclasses
import re
import time
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.errors import GovernorError
from mcp_governor.findings import Tier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.call.cases import CallReport, CaseResult
    from mcp_governor.changelog import Changelog
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

    checker = ResponseChecker(selection)
    notices = _notices(surface, config) if checker.runs(IN_RESPONSES) or checker.runs(ON_STDERR) else []
    found: dict[str, Finding] = {}
    for tool, breach in _unwarned(notices, surface, called):
        for one in checker.findings([breach], tool):
            found.setdefault(one.id, one)
    if checker.runs(ON_STDERR) and session.stderr is not None and not called.restarts:
        wanted = _deprecated(surface, notices, called)
        for silent in await _silent(session, wanted) if wanted else ():
            found.update((one.id, one) for one in checker.findings([_stderr_breach()], silent.name))
    return list(found.values())


def _stderr_breach() -> Breach:
    from mcp_governor.charter.breach import Breach

    return Breach(ON_STDERR, "/deprecated")


# what the changelog announces


def _notices(surface: Surface, config: Config) -> list[_Notice]:
    changelog = _changelog(config)
    if changelog is None:
        return []
    from mcp_governor.policy.windows import History
    from mcp_governor.surface.model import Deprecation

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
