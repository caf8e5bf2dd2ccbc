"""The result of a run of calls."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from mcp_governor.call.cases import DESTRUCTIVE, NOT_SELECTED, UNSAID, WRITES, Purpose
from mcp_governor.call.outcome import ASKED_BACK, Channel, is_dispatch
from mcp_governor.documents import Count  # noqa: TC001 - msgspec reads the types
from mcp_governor.errors import NothingCheckedError
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from mcp_governor.call.cases import Case, Skipped
    from mcp_governor.call.outcome import Outcome
    from mcp_governor.call.sandbox import Sandbox
    from mcp_governor.change.model import Change
    from mcp_governor.findings import Finding

_NAMED = 3
"""Most tools that a hint names; more would hide the command in it."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One call that was made.

    Attributes:
        case: the call.
        outcome: the outcome.
        milliseconds: duration in milliseconds.
        response: the ``tools/call`` result, or ``{"error": …}`` for a JSON-RPC error; ``None`` without a response.
        findings: problems with the response.
    """

    case: Case
    outcome: Outcome
    milliseconds: float
    response: Any = field(default=None, compare=False, repr=False)
    findings: tuple[Finding, ...] = ()

    @property
    def is_useful(self) -> bool:
        """True if the call succeeded, or if its outcome is configured or recorded.

        A configured outcome that does not occur has a finding of its own.
        """
        return self.case.expects or self.case.recorded is not None or not self.outcome.failed

    @property
    def is_of_tool(self) -> bool:
        """If the response is the tool's own, so that the contract of results applies."""
        outcome = self.outcome
        if not outcome.answered or outcome.status == ASKED_BACK:
            return False
        outside = outcome.channel in (Channel.IS_ERROR, Channel.RPC_ERROR)
        return not (outside and is_dispatch(self.case, outcome))


@dataclass(frozen=True, slots=True)
class CallReport:
    """The outcome of one run of calls.

    Attributes:
        results: every call that was made, in order.
        skipped: tools and calls that were skipped, with the reason.
        findings: all findings, each once, in the order of the calls.
        changes: changed behaviour of recorded calls.
        restarts: number of server restarts.
        out_of_time: the time limit of the run was reached before all calls were made.
        sandbox: the files that the calls used, which are deleted by now; ``None`` if there were none.
    """

    results: tuple[CaseResult, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    findings: tuple[Finding, ...] = ()
    changes: tuple[Change, ...] = ()
    restarts: int = 0
    out_of_time: bool = False
    sandbox: Sandbox | None = field(default=None, compare=False, repr=False)

    @property
    def cases(self) -> tuple[Case, ...]:
        """The calls that were made."""
        return tuple(result.case for result in self.results)

    @property
    def never_answered(self) -> tuple[CaseResult, ...]:
        """The first good call of each tool without a successful good call."""
        first: dict[str, CaseResult] = {}
        answered = set()
        for result in self.results:
            if result.case.good:
                first.setdefault(result.case.tool, result)
                if result.is_useful:
                    answered.add(result.case.tool)
        return tuple(result for tool, result in first.items() if tool not in answered)

    @property
    def heard(self) -> frozenset[str]:
        """Tools of which at least one response came: the tool's own, and not what was refused in front of it."""
        return frozenset(result.case.tool for result in self.results if result.is_of_tool)

    @property
    def good_calls(self) -> GoodCallCounts:
        """Counts of good calls by outcome."""
        tools = dict.fromkeys(result.case.tool for result in self.results if result.case.good)
        # A retry with other arguments counts as the same call.
        final = {
            (
                result.case.tool,
                result.case.purpose,
                "" if result.case.is_generated else repr(result.case.portable_arguments),
            ): result
            for result in self.results
            if result.case.good
        }
        succeeded = sum(result.is_useful for result in final.values())
        without = tuple(result.case.tool for result in self.never_answered)
        return GoodCallCounts(len(tools), succeeded, len(final) - succeeded, without)

    @property
    def without_success(self) -> NothingCheckedError | None:
        """The error of a run in which all good calls failed; ``None`` if one succeeded or none was made."""
        counts = self.good_calls
        if not counts.tools or counts.succeeded:
            return None
        tools = "1 tool" if counts.tools == 1 else f"{counts.tools} tools"
        return NothingCheckedError(
            f"No good call succeeded ({tools} called), so its responses were not checked.",
            "Name calls that work in the configuration: [[tool.mcp-governor.calls]] with tool and arguments.",
        )

    def require_calls(self) -> None:
        """Fail if the run did not call any tool.

        Raises:
            NothingCheckedError: no published tool was called; the hint says how to allow calls.
        """
        if any(result.case.purpose is not Purpose.UNKNOWN_TOOL for result in self.results):
            return
        left = f"{len(self.skipped)} {'was' if len(self.skipped) == 1 else 'were'} left alone"
        raise NothingCheckedError(f"No tool was called; {left}.", self._hint())

    def _hint(self) -> str:
        """A hint with one step that is enough to call a skipped tool."""
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


class GoodCallCounts(Struct, frozen=True):
    """Counts of the good calls of a run by outcome.

    Attributes:
        tools: Number of tools with a good call.
        succeeded: Number of good calls; a call with retries counts once, with its last outcome.
        without: Tools without a successful good call, in the order of the calls.
    """

    tools: Count
    succeeded: Count
    failed: Count
    without: tuple[str, ...] = msgspec.field(default=(), name="tools_without_success")

    def __str__(self) -> str:
        worked = self.tools - len(self.without)
        return f"good calls: {worked} of {self.tools} {'tool' if self.tools == 1 else 'tools'} succeeded"
