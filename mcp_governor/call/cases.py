"""One call: its purpose, its arguments, and its name in messages; the limits of a run of calls, and what it came to."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from mcp_governor.call.outcome import ASKED_BACK, Channel
from mcp_governor.documents import Count  # noqa: TC001 - msgspec reads the types
from mcp_governor.errors import NothingCheckedError
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

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


class CallSettings(Struct, frozen=True):
    """Limits and permissions of one run.

    Attributes:
        allow_writes: call tools that are not read-only by their resolved hints.
        destructive: names of destructive tools that may be called; effective only together with ``allow_writes``.
        read_only: globs for names of tools that only read; annotations take precedence.
        tools: globs for tool names; empty means all tools.
        generate: make calls from the schemas; if false, make only configured and recorded calls.
        unhappy: also make calls that the schema refuses.
        quick: one good and one bad call for each tool that only reads and whose words do not contradict that, and none
            of an unknown tool. A failed good call is retried as usual; a bad call that the tool itself never receives,
            with a name that does not exist. A tool that did not respond is not called again.
        repeat: repeat calls of tools that only read, to compare the results with each other and with the metadata.
        named: make the calls of the configuration for any tool that they name.
        follow: make the call that an error's recovery suggests, once.
        seed: chooses among equally good sample values; the same seed gives the same calls.
        cases_per_tool: most generated calls per tool: generous, a tool with a dozen parameters has about forty.
            Further wrong calls are not made.
        alternatives: most retries of a failed good call with other arguments. Each one is a call to a real server, and
            the likeliest values come first.
        timeout: timeout for one call, in seconds, as ``Config.timeout``.
        budget: time limit for all calls together, in seconds; the remaining calls are reported as skipped.
        result_bytes: largest result that is checked, in bytes of compact JSON; a larger one is a finding. What is read
            for one call is more (``Limits.call_bytes``), and a call beyond that is the same finding.
    """

    allow_writes: bool = False
    destructive: frozenset[str] = frozenset()
    read_only: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    generate: bool = True
    unhappy: bool = True
    quick: bool = False
    named: bool = False
    repeat: bool = True
    follow: bool = False
    seed: int = 0
    cases_per_tool: int = 60
    alternatives: int = 3
    timeout: float = 30.0
    budget: float = 300.0
    result_bytes: int = 10 * 1024 * 1024


DEFAULT_SETTINGS = CallSettings()


NOT_SELECTED = "not selected"
UNSAID = "its annotations do not say that it only reads"
WRITES = "not annotated as read-only; see call --allow-writes"
DESTRUCTIVE = "destructive, and not allowed by name"
CONTRADICTED = "its own words contradict its readOnlyHint"
NO_ARGUMENTS = "no arguments could be made from its schema"
NOT_CONFIGURED = "no call is configured"
"""Reasons not to call a tool that the settings do not allow by name."""


def budget_spent(seconds: float) -> str:
    """Why a call is left out that there was no time for.

    Args:
        seconds: for all calls together.
    """
    return f"the budget of {seconds:g} s is spent"


class Purpose(StrEnum):
    """The purpose of a call."""

    CONFIGURED = "configured"
    RECORDED = "recorded"
    REQUIRED = "required"
    FULL = "full"
    MISSING = "missing"
    UNKNOWN = "unknown"
    TYPE = "type"
    BOUND = "bound"
    LENGTH = "length"
    ENUM = "enum"
    PATTERN = "pattern"
    ITEMS = "items"
    MISNAMED = "misnamed"
    UNKNOWN_TOOL = "unknown-tool"
    FOLLOW = "follow"
    REPEAT = "repeat"
    FORMAT = "format"


GOOD = frozenset({Purpose.CONFIGURED, Purpose.RECORDED, Purpose.REQUIRED, Purpose.FULL})
"""Calls with valid arguments, which should succeed."""
GENERATED = frozenset({Purpose.REQUIRED, Purpose.FULL})
"""Good calls whose arguments the run makes up, and improves as it learns."""


@dataclass(frozen=True, slots=True)
class Case:
    """One call.

    Attributes:
        tool: name of the tool.
        arguments: the arguments that are sent.
        purpose: why the call is made.
        detail: where the arguments are wrong, safe to show.
        valid: true if the input schema, as people read it, accepts the arguments.
        open: true if the arguments contain an undeclared name that the schema neither forbids nor invites, so the
            server may accept or refuse it.
        status: expected status of a configured call, empty if none is configured.
        kind: expected error kind of a configured call, empty if none is configured.
        suggested_tool: tool that its recovery should suggest, empty if none is configured.
        fuzzy_matches: minimum number of alternatives in its recovery.
        recorded: the recording that this call repeats, or ``None``.
        portable: the arguments with placeholders for what differs from run to run (sandbox paths, today's date),
            for messages, identities and recordings; ``None`` if nothing differs.
        attempt: number of good calls with the same purpose that failed before this one.
    """

    tool: str
    arguments: Mapping[str, Any]
    purpose: Purpose
    detail: str = ""
    valid: bool = True
    open: bool = False
    status: str = ""
    kind: str = ""
    suggested_tool: str = ""
    fuzzy_matches: int = 0
    recorded: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    portable: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    attempt: int = 0

    @property
    def portable_arguments(self) -> Mapping[str, Any]:
        """The arguments as messages and recordings show them."""
        return self.arguments if self.portable is None else self.portable

    @property
    def good(self) -> bool:
        """True if this call should succeed: its purpose is a good call, and the schema accepts its arguments."""
        return self.valid and self.purpose in GOOD

    @property
    def expects(self) -> bool:
        """True if the configuration says how this call is answered; then a failure may be what is expected."""
        return bool(self.status or self.kind or self.suggested_tool or self.fuzzy_matches)

    @property
    def is_generated(self) -> bool:
        """True if this is a good call whose arguments the run made up."""
        return self.purpose in GENERATED

    @property
    def label(self) -> str:
        """The name of the call in messages, safe to show."""
        words = {
            Purpose.CONFIGURED: "configured call",
            Purpose.RECORDED: "recorded call",
            Purpose.REQUIRED: "required arguments",
            Purpose.FULL: "all arguments",
            Purpose.MISSING: "missing argument",
            Purpose.UNKNOWN: "unknown argument",
            Purpose.MISNAMED: "unknown name:",
            Purpose.UNKNOWN_TOOL: "unknown tool",
            Purpose.FOLLOW: "suggested recovery",
            Purpose.REPEAT: "repeated call",
            Purpose.FORMAT: "response_format",
        }
        return " ".join(filter(None, (words.get(self.purpose, f"wrong {self.purpose.value}:"), self.detail)))


class Skipped(Struct, frozen=True):
    """A tool or call that was skipped, and why."""

    tool: str
    reason: str
    case: Case | None = None


def is_dispatch(case: Case, outcome: Outcome) -> bool:
    """True if the call itself was wrong, so that the protocol layer may answer instead of the tool."""
    return not case.valid or outcome.refused_arguments


def with_portable(case: Case, sandbox: Sandbox) -> Case:
    """The call, with its portable arguments if they differ from those that are sent."""
    portable = sandbox.portable(dict(case.arguments))
    return case if portable == case.arguments else replace(case, portable=portable)


def shown_arguments(arguments: Mapping[str, Any]) -> str:
    """Arguments for a message, shortened and safe to show."""
    return one_line(", ".join(f"{key}={value!r}" for key, value in arguments.items()), 60)
