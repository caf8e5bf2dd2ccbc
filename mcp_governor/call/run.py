"""Make the calls of a plan over an open session, safely, and say what is wrong with what comes back."""

from __future__ import annotations

import json
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import anyio

from mcp_governor.call.cases import Case, Purpose, Skipped
from mcp_governor.call.expect import expectation_breaches, is_dispatch
from mcp_governor.call.outcome import Channel, Outcome, outcome_of
from mcp_governor.call.plan import Plan, refusal
from mcp_governor.call.report import (
    CallEvent,
    CallFinished,
    CallReport,
    CallStarted,
    CaseResult,
    ServerRestarted,
    silent,
)
from mcp_governor.call.response import Response, read_response
from mcp_governor.call.settings import DEFAULT_SETTINGS, CallSettings
from mcp_governor.call.validate import ResponseChecker
from mcp_governor.catalogue import LintSettings, select
from mcp_governor.charter.breach import Breach
from mcp_governor.charter.envelope import looks_like_envelope
from mcp_governor.charter.recovery import recovery_breaches
from mcp_governor.errors import GovernorError, ProtocolError, UnreachableError
from mcp_governor.text import one_line
from mcp_governor.wire import RpcError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    from mcp_governor.call.good import GoodCalls
    from mcp_governor.catalogue import Selection
    from mcp_governor.change.model import Change
    from mcp_governor.findings import Finding
    from mcp_governor.surface.model import Surface, Tool
    from mcp_governor.wire import Session


async def run_calls(
    session: Session,
    surface: Surface,
    plan: Plan,
    *,
    settings: CallSettings = DEFAULT_SETTINGS,
    selection: Selection | None = None,
    emit: Callable[[CallEvent], None] = silent,
    reconnect: Callable[[], AbstractAsyncContextManager[Session]] | None = None,
) -> CallReport:
    """Make every call of a plan, one after the other, and check what comes back.

    Args:
        session: an open session with the server.
        surface: what the server publishes.
        plan: the calls (:func:`mcp_governor.call.plan.plan_calls`).
        settings: permissions and limits; the same that the plan was made with.
        selection: the rules that run; by default those of the profile ``recommended``.
        emit: told when a call begins and ends.
        reconnect: opens another session with the same server, for one restart; without it a server that dies
            ends the run.

    Returns:
        What was called, what was not, and what is wrong. A server that fails is reported, never raised.
    """
    if selection is None:
        selection = select(LintSettings())
    run = _Run(session, surface, settings, ResponseChecker(selection), emit, reconnect)
    run.absent(plan.skipped)
    async with AsyncExitStack() as stack:
        await run.all(plan, stack)
    report = CallReport(
        results=tuple(run.results),
        skipped=(*plan.skipped, *run.skipped),
        changes=tuple(run.changes.values()),
        restarts=run.restarts,
        sandbox=plan.supply.sandbox if plan.supply is not None else None,
    )
    run.unanswered(report)
    return replace(report, findings=tuple(run.findings.values()))


@dataclass
class _Run:
    session: Session
    surface: Surface
    settings: CallSettings
    checker: ResponseChecker
    emit: Callable[[CallEvent], None]
    reconnect: Callable[[], AbstractAsyncContextManager[Session]] | None
    results: list[CaseResult] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    findings: dict[str, Finding] = field(default_factory=dict)
    changes: dict[str, Change] = field(default_factory=dict)
    restarts: int = 0
    stopped: str = ""
    followed: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)

    def absent(self, skipped: tuple[Skipped, ...]) -> None:
        """Calls that were asked for and cannot be made, because there is no such tool."""
        for item in skipped:
            if item.case is not None and item.tool not in self.surface.by_name:
                facts = {"call": item.case.label, "named": item.tool, "reason": item.reason.rstrip(".?")}
                value = [item.tool, dict(item.case.arguments)]
                breach = Breach("call/expectation", "", value, "absent", facts)
                for finding in self.told([breach], item.case):
                    self.findings.setdefault(finding.id, finding)

    async def all(self, plan: Plan, stack: AsyncExitStack) -> None:
        deadline = anyio.current_time() + self.settings.budget

        async def make(case: Case) -> CaseResult:
            return await self.made(case, deadline, stack)

        def may_go_on() -> bool:
            return not self.stopped and anyio.current_time() < deadline

        good = self.good_calls(plan, make, may_go_on)
        calls_again = good is not None
        for number, case in enumerate(plan.cases, 1):
            if good is not None and calls_again and not case.good:
                calls_again = False
                await good.again()
            if not self.stopped and anyio.current_time() >= deadline:
                self.stopped = f"the budget of {self.settings.budget:g} s is spent"
            if self.stopped:
                self.skipped.append(Skipped(case.tool, self.stopped, case))
                continue
            self.emit(CallStarted(case, number, len(plan.cases)))
            if good is not None and case.good:
                await good.call(case)
            else:
                await make(case)
        if good is not None and calls_again:
            await good.again()
        self.versions()

    def good_calls(
        self, plan: Plan, make: Callable[[Case], Awaitable[CaseResult]], may_go_on: Callable[[], bool]
    ) -> GoodCalls | None:
        """What makes good calls better as it learns, ``None`` where arguments come from the schemas alone."""
        if plan.supply is None:
            return None
        from mcp_governor.call.good import GoodCalls

        return GoodCalls(self.surface, plan.supply, self.settings, make, may_go_on)

    async def made(self, case: Case, deadline: float, stack: AsyncExitStack) -> CaseResult:
        """Make one call, what it suggests where that is asked for, and start a server again that it ended."""
        result = await self.one(case, deadline)
        if self.settings.follow and result.outcome.failed:
            await self.follow(result, deadline)
        if await self.lost(self.results[-1], deadline):
            self.stopped = await self.restart(case, stack)
        return result

    async def one(self, case: Case, deadline: float) -> CaseResult:
        asked = len(self.session.refused_requests)
        begun = time.perf_counter()
        response, outcome, breach = await self.ask(case, deadline)
        milliseconds = (time.perf_counter() - begun) * 1000
        breaches = [breach] if breach is not None else []
        asked_back = self.session.refused_requests[asked:]
        if asked_back:
            methods = ", ".join(sorted({one_line(method, 40) for method in asked_back}))
            breaches.append(Breach("call/input-requested", "", methods, "request"))
        tool = self.surface.by_name.get(case.tool)
        findings = (
            self.told(breaches, case) if response is None else self.judge(case, outcome, response, breaches, tool)
        )
        raw = None if response is None else response.raw
        result = CaseResult(case, outcome, milliseconds, raw, tuple(findings))
        if case.recorded is not None and response is not None and tool is not None:
            # The change catalogue is of no use to a run without recordings.
            from mcp_governor.call.behaviour import behaviour_changes

            for change in behaviour_changes(case.recorded, outcome, raw, tier=tool.tier):
                self.changes.setdefault(change.id, change)
        self.results.append(result)
        for finding in findings:
            self.findings.setdefault(finding.id, finding)
        self.emit(CallFinished(result))
        return result

    async def ask(self, case: Case, deadline: float) -> tuple[Response | None, Outcome, Breach | None]:
        """The response, what it came to, and what is wrong where none came."""
        seconds = min(self.settings.timeout, max(deadline - anyio.current_time(), 0.001))
        nothing = Channel.NONE
        try:
            with anyio.fail_after(seconds):
                # The session's own limit must not end the wait before ours does: it could not be told apart.
                raw: Any = await self.session.call_tool(case.tool, case.arguments, timeout=seconds + 60)
        except TimeoutError:
            return None, Outcome(nothing, "timeout"), _ended("timeout", case, seconds=f"{seconds:.3g}")
        except RpcError as error:
            response = read_response({"error": {"code": error.code, "message": error.text, "data": error.data}})
            return response, outcome_of(response), None
        except UnreachableError as error:
            return None, Outcome(nothing, "died"), _ended("server-exited", case, error=error.message)
        except ProtocolError as error:
            return None, Outcome(nothing, "protocol"), _ended("protocol", case, error=error.message)
        size = _size(raw)
        if size > self.settings.result_bytes:
            cap = f"{self.settings.result_bytes:,}"
            return None, Outcome(nothing, "too-large"), _ended("too-large", case, size=f"{size:,}", cap=cap)
        response = Response.of_result(raw)
        return response, outcome_of(response), None

    def judge(
        self, case: Case, outcome: Outcome, response: Response, breaches: list[Breach], tool: Tool | None
    ) -> list[Finding]:
        breaches += expectation_breaches(case, outcome, response)
        dispatch = is_dispatch(case, outcome)
        found = self.checker.check(response, tool=tool, surface=self.surface, dispatch=dispatch, about=case.label)
        return self.told(breaches, case) + found

    def told(self, breaches: list[Breach], case: Case) -> list[Finding]:
        known = case.tool if case.tool in self.surface.by_name else None
        return self.checker.findings(breaches, known)

    async def follow(self, failed: CaseResult, deadline: float) -> None:
        """Make the call that a recovery suggests, once per call, where it is safe and could work."""
        suggested = self.suggested(failed)
        if suggested is None:
            return
        call = (suggested.tool, suggested.arguments)
        if call == (failed.case.tool, failed.case.arguments):
            self.loop(failed, "itself")
            return
        if call in self.followed:
            return
        self.followed.append(call)
        outcome = (await self.one(suggested, deadline)).outcome
        if outcome.failed and (outcome.kind, outcome.status) == (failed.outcome.kind, failed.outcome.status):
            self.loop(failed, "again")

    def loop(self, failed: CaseResult, says: str) -> None:
        kind, path = failed.outcome.kind, "/structuredContent/error/recovery"
        breach = Breach.of("call/recovery-failed", path, [kind, says], says=says, kind=kind, call=failed.case.label)
        for finding in self.told([breach], failed.case):
            self.findings.setdefault(finding.id, finding)

    def suggested(self, failed: CaseResult) -> Case | None:
        envelope = read_response(failed.response).envelope
        error = envelope.get("error") if looks_like_envelope(envelope) else None
        recovery = error.get("recovery") if isinstance(error, dict) else None
        if not isinstance(recovery, dict) or recovery_breaches(recovery, self.surface):
            return None
        tool = self.surface.by_name.get(str(recovery.get("suggested_tool")))
        arguments = recovery.get("suggested_args") or {}
        if tool is None or not isinstance(arguments, dict) or refusal(tool, replace(self.settings, tools=())):
            return None
        return Case(tool.name, arguments, Purpose.FOLLOW, detail=f"of {failed.case.tool}")

    async def lost(self, result: CaseResult, deadline: float) -> bool:
        """Whether the server has to be started again after a call; else the next call would be blamed for it."""
        status = result.outcome.status
        return status == "died" or (status in ("timeout", "protocol") and not await self.alive(deadline))

    async def alive(self, deadline: float) -> bool:
        """Whether the connection survived a call without an answer; some end it, some concern one call."""
        seconds = min(self.settings.timeout, max(deadline - anyio.current_time(), 0.001))
        try:
            await self.session.request("tools/list", timeout=seconds)
        except RpcError:
            return True
        except GovernorError:
            return False
        return True

    async def restart(self, case: Case, stack: AsyncExitStack) -> str:
        """Start the server again; why the run has to stop, empty where it goes on."""
        if self.reconnect is None or self.restarts:
            return "the server is gone"
        self.restarts += 1
        try:
            self.session = await stack.enter_async_context(self.reconnect())
        except GovernorError as error:
            return f"the server could not be started again: {error.message}"
        self.emit(ServerRestarted(case))
        return ""

    def unanswered(self, report: CallReport) -> None:
        """Say of which tools no good call came to anything."""
        from mcp_governor.call.unanswered import unanswered_findings

        for finding in unanswered_findings(report, self.checker):
            self.findings.setdefault(finding.id, finding)

    def versions(self) -> None:
        """All tools of a server follow one charter version."""
        said = {
            str(envelope["charter_version"])
            for result in self.results
            if looks_like_envelope(envelope := read_response(result.response).envelope)
            and isinstance(envelope.get("charter_version"), str)
        }
        if len(said) > 1:
            shown = ", ".join(one_line(version, 20) for version in sorted(said))
            breach = Breach("call/charter-mixed", "", shown)
            for finding in self.checker.findings([breach], None):
                self.findings.setdefault(finding.id, finding)


def _ended(rule: str, case: Case, **facts: Any) -> Breach:
    """What is wrong with a call that has no answer."""
    return Breach.of(f"call/{rule}", "", case.purpose.value, call=case.label, **facts)


def _size(raw: Any) -> int:
    try:
        return len(json.dumps(raw, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return 0
