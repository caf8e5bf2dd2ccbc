"""What a run of calls gives, and what it tells while it runs."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import NothingCheckedError
from mcp_governor.frozen import frozen
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from mcp_governor.call.cases import Case, Skipped
    from mcp_governor.call.outcome import Outcome
    from mcp_governor.change.model import Change
    from mcp_governor.findings import Finding


@frozen
class CaseResult:
    """One call that was made.

    Attributes:
        case: the call.
        outcome: what it came to.
        milliseconds: how long it took.
        response: the ``tools/call`` result, or ``{"error": …}`` for a JSON-RPC error; ``None`` where none came.
        findings: what is wrong with it.
    """

    case: Case
    outcome: Outcome
    milliseconds: float
    response: Any = field(default=None, compare=False, repr=False)
    findings: tuple[Finding, ...] = ()


@frozen
class CallReport:
    """The outcome of one run of calls.

    Attributes:
        results: every call that was made, in order.
        skipped: tools and calls that were left alone, with the reason.
        findings: what is wrong, each once, in the order of the calls.
        changes: recorded calls whose behaviour is another one now.
        restarts: how often the server was started again.
    """

    results: tuple[CaseResult, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    findings: tuple[Finding, ...] = ()
    changes: tuple[Change, ...] = ()
    restarts: int = 0

    @property
    def cases(self) -> tuple[Case, ...]:
        """The calls that were made."""
        return tuple(result.case for result in self.results)

    @property
    def never_answered(self) -> tuple[CaseResult, ...]:
        """The first good call of each tool of which no good call came to anything."""
        first: dict[str, CaseResult] = {}
        answered = set()
        for result in self.results:
            if result.case.valid:
                first.setdefault(result.case.tool, result)
                as_told = result.case.status or result.case.recorded is not None
                if as_told or not result.outcome.failed:
                    answered.add(result.case.tool)
        return tuple(result for tool, result in first.items() if tool not in answered)

    def require_calls(self) -> None:
        """Refuse to pass a run that called no tool.

        Raises:
            NothingCheckedError: no published tool was called; the hint says how to allow it.
        """
        from mcp_governor.call.cases import NOT_SELECTED, Purpose

        if any(result.case.purpose is not Purpose.UNKNOWN_TOOL for result in self.results):
            return
        hint = "Mark read-only tools with readOnlyHint, configure calls, or pass --allow-writes."
        if self.skipped and all(skipped.reason == NOT_SELECTED for skipped in self.skipped):
            hint = f"The tools are {', '.join(one_line(skipped.tool, 60) for skipped in self.skipped[:8])}."
        raise NothingCheckedError(f"No tool was called; {len(self.skipped)} were left alone.", hint)


@frozen
class CallStarted:
    """A call begins; ``number`` of ``total``, recovery that is followed not counted."""

    case: Case
    number: int
    total: int


@frozen
class CallFinished:
    """A call is over."""

    result: CaseResult


@frozen
class ServerRestarted:
    """The server was started again because of ``case``."""

    case: Case


CallEvent = CallStarted | CallFinished | ServerRestarted


def silent(_: CallEvent) -> None:
    """Listens to nothing."""
