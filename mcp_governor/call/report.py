"""What a run of calls gives, and what it tells while it runs."""

from __future__ import annotations

import shlex
from dataclasses import field
from typing import TYPE_CHECKING, Any

from mcp_governor.call.cases import DESTRUCTIVE, NOT_SELECTED, UNSAID, WRITES, Purpose
from mcp_governor.errors import NothingCheckedError
from mcp_governor.frozen import frozen
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from mcp_governor.call.cases import Case, Skipped
    from mcp_governor.call.outcome import Outcome
    from mcp_governor.call.sandbox import Sandbox
    from mcp_governor.change.model import Change
    from mcp_governor.findings import Finding

_NAMED = 3
"""How many tools a hint names."""


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

    @property
    def came_to_something(self) -> bool:
        """Whether the call is worth what it was made for: it succeeded, or came out as it was expected or recorded.

        Whether an expectation was met is another finding.
        """
        return bool(self.case.status) or self.case.recorded is not None or not self.outcome.failed


@frozen
class CallReport:
    """The outcome of one run of calls.

    Attributes:
        results: every call that was made, in order.
        skipped: tools and calls that were left alone, with the reason.
        findings: what is wrong, each once, in the order of the calls.
        changes: recorded calls whose behaviour is another one now.
        restarts: how often the server was started again.
        sandbox: the files that the calls were made with, gone by now; ``None`` where there were none.
    """

    results: tuple[CaseResult, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    findings: tuple[Finding, ...] = ()
    changes: tuple[Change, ...] = ()
    restarts: int = 0
    sandbox: Sandbox | None = field(default=None, compare=False, repr=False)

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
            if result.case.good:
                first.setdefault(result.case.tool, result)
                if result.came_to_something:
                    answered.add(result.case.tool)
        return tuple(result for tool, result in first.items() if tool not in answered)

    @property
    def good_calls(self) -> GoodCallCounts:
        """How the good calls went."""
        tools = dict.fromkeys(result.case.tool for result in self.results if result.case.good)
        # A call that is made again with other arguments is the same call.
        final = {
            (result.case.tool, result.case.purpose, "" if result.case.is_generated else repr(result.case.said)): result
            for result in self.results
            if result.case.good
        }
        succeeded = sum(result.came_to_something for result in final.values())
        without = tuple(result.case.tool for result in self.never_answered)
        return GoodCallCounts(len(tools), succeeded, len(final) - succeeded, without)

    @property
    def without_success(self) -> NothingCheckedError | None:
        """What a run ends with whose good calls all failed, ``None`` where one succeeded or none was made."""
        counts = self.good_calls
        if not counts.tools or counts.succeeded:
            return None
        tools = "1 tool" if counts.tools == 1 else f"{counts.tools} tools"
        return NothingCheckedError(
            f"No good call succeeded ({tools} called), so its responses were not checked.",
            "Name calls that work in the configuration: [[tool.mcp-governor.calls]] with tool and arguments.",
        )

    def require_calls(self) -> None:
        """Refuse to pass a run that called no tool.

        Raises:
            NothingCheckedError: no published tool was called; the hint says how to allow it.
        """
        if any(result.case.purpose is not Purpose.UNKNOWN_TOOL for result in self.results):
            return
        left = f"{len(self.skipped)} {'was' if len(self.skipped) == 1 else 'were'} left alone"
        raise NothingCheckedError(f"No tool was called; {left}.", self._way())

    def _way(self) -> str:
        """What makes a call of a tool that was left alone: one step, and one that is enough."""
        reasons: dict[str, list[str]] = {}
        for skipped in self.skipped:
            reasons.setdefault(skipped.reason, []).append(one_line(skipped.tool, 60))
        if unsaid := reasons.get(UNSAID):
            one = shlex.quote(unsaid[0])
            listed = ", ".join(unsaid[:_NAMED]) + (", …" if len(unsaid) > _NAMED else "")
            return (
                f"The annotations do not say if these tools only read: {listed}. "
                f"If {one} only reads, add --assume-read-only {one} (read-only-tools in the configuration); "
                f"if it writes, add --allow-writes --destructive {one}"
            )
        if writing := [*reasons.get(WRITES, ()), *reasons.get(DESTRUCTIVE, ())]:
            options = " ".join(f"--destructive {shlex.quote(name)}" for name in writing[:_NAMED])
            more = f" and so on for {len(writing) - _NAMED} more" if len(writing) > _NAMED else ""
            return f"Their annotations say that they write. To call them anyway: --allow-writes {options}{more}"
        if len(reasons) == 1 and NOT_SELECTED in reasons:
            return f"The tools are {', '.join(reasons[NOT_SELECTED][:8])}."
        return "Name a call that works in the configuration: [[calls]] with tool and arguments."


@frozen
class GoodCallCounts:
    """How the good calls of a run went.

    Attributes:
        tools: how many tools a good call was made of.
        succeeded, failed: good calls; one that is made again with other arguments counts once, as it ended.
        without: tools of which none succeeded, in the order of the calls.
    """

    tools: int
    succeeded: int
    failed: int
    without: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The counts as ``mcp-governor/report-1`` writes them."""
        return {
            "tools": self.tools,
            "succeeded": self.succeeded,
            "failed": self.failed,
            "tools_without_success": list(self.without),
        }

    def __str__(self) -> str:
        worked = self.tools - len(self.without)
        return f"good calls: {worked} of {self.tools} {'tool' if self.tools == 1 else 'tools'} succeeded"


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
