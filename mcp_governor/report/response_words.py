"""The responses of a run in words: what was called, and what was not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.checking.response_coverage import CALLED, DOUBTED, OFF, RECORDING
from mcp_governor.config.model import SAFE
from mcp_governor.report.finding_groups import named_tools
from mcp_governor.report.groups import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.checking.model import Report
    from mcp_governor.checking.response_coverage import Unseen

_SHARED: Mapping[str, str] = {
    RECORDING: "a recording does not respond",
    OFF: "calls are turned off",
}
"""Reasons that apply to the whole run, so that tools need not be named."""

_WHY: Mapping[str, tuple[str, str]] = {
    "no-read-only-hint": ("without readOnlyHint", "without readOnlyHint"),
    "writes": ("that writes by its annotations", "that write by their annotations"),
    "contradicts-hint": ("whose words contradict its readOnlyHint", "whose words contradict their readOnlyHint"),
    "not-configured": ("that no [[calls]] entry names", "that no [[calls]] entry names"),
    "no-arguments": ("whose arguments could not be made up", "whose arguments could not be made up"),
    "time-limit": ("beyond the time limit (calls-budget)", "beyond the time limit (calls-budget)"),
    "server-gone": ("left when the server ended", "left when the server ended"),
    "arguments-refused": ("that refused its arguments", "that refused their arguments"),
    "no-response": ("that did not respond", "that did not respond"),
    "asked-back": ("that asked the client for input", "that asked the client for input"),
}
"""Of one tool, and of several."""


def seen_words(report: Report) -> str:
    """``envelope: 7 of 9 tools seen``; empty if the profile has no result contract."""
    seen = report.calls
    if seen is None or not seen.contracts:
        return ""
    what = "envelope" if "envelope" in seen.contracts else "responses"
    return f"{what}: {seen.count} of {count_of(seen.tools, 'tool')} seen"


def unseen_words(report: Report) -> Iterator[tuple[str, str]]:
    """Label and text about tools that were not called or had no successful call; none if calls are not configured."""
    seen = report.calls
    if seen is None or not (seen.contracts or seen.mode == SAFE):
        return
    for label, called in (("not called", False), ("called without a result", True)):
        if parts := [part for part in seen.unseen if (part.why in CALLED) is called]:
            yield label, "; ".join(map(_words, parts))


def response_lines(report: Report) -> Iterator[str]:
    """All of it, in lines: how many tools were seen, and what was not called."""
    if words := seen_words(report):
        yield words
    yield from (f"{label}: {words}" for label, words in unseen_words(report))


def _words(part: Unseen) -> str:
    count = count_of(len(part.tools), "tool")
    if part.why in _SHARED:
        return f"{count}, because {_SHARED[part.why]}"
    names = named_tools(part.tools).rpartition(": ")[2]
    return f"{count} {_WHY[part.why][len(part.tools) > 1]}: {names}{_way(part)}"


def _way(part: Unseen) -> str:
    """How to have tools called that a run does not believe."""
    if part.why != DOUBTED:
        return ""
    return f" (called only if {'an entry names it' if len(part.tools) == 1 else 'entries name them'} in [[calls]])"


def reason_words(part: Unseen) -> str:
    """Why there is no response of one tool: ``not called: tool without readOnlyHint``."""
    if part.why in _SHARED:
        return f"not called: {_SHARED[part.why]}"
    return f"{'called without a result' if part.why in CALLED else 'not called'}: tool {_WHY[part.why][0]}{_way(part)}"
