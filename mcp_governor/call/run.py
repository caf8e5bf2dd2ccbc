"""Make the calls of a plan over an open session, safely, and check the responses."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio
from msgspec.structs import replace

from mcp_governor.call.cases import DEFAULT_SETTINGS, CallSettings, Case, Purpose, Skipped, budget_spent
from mcp_governor.call.expect import expectation_breaches, unanswered_findings
from mcp_governor.call.outcome import CUT, Channel, Outcome, is_dispatch, recovery_of
from mcp_governor.call.plan import Plan, refusal
from mcp_governor.call.report import CallReport, CaseResult
from mcp_governor.call.response import Response, read_response
from mcp_governor.call.single import call_once
from mcp_governor.call.validate import ResponseChecker
from mcp_governor.call.wrong import misnamed_case
from mcp_governor.charter.breach import Breach
from mcp_governor.charter.envelope import looks_like_envelope
from mcp_governor.charter.recovery import recovery_breaches, retry_arguments
from mcp_governor.errors import GovernorError
from mcp_governor.rules import LintSettings, select
from mcp_governor.text import one_line
from mcp_governor.wire import RpcError
from mcp_governor.wire.recording import tool_names

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping
    from contextlib import AbstractAsyncContextManager

    from mcp_governor.change.model import Change
    from mcp_governor.findings import Finding
    from mcp_governor.rules import Selection
    from mcp_governor.surface.model import Surface, Tool
    from mcp_governor.wire import Session


GONE = "the server is gone"
"""Why a call is left out after the server has ended."""

_NAMED = 8
"""Names of new tools in a message: a toolset has about ten."""

_ALIVE = 5.0
"""Seconds in which a server that still works lists its tools after a call that it did not answer: real servers take
milliseconds. A slower one is started again."""


async def run_calls(
    session: Session,
    surface: Surface,
    plan: Plan,
    *,
    settings: CallSettings = DEFAULT_SETTINGS,
    selection: Selection | None = None,
    reconnect: Callable[[], AbstractAsyncContextManager[Session]] | None = None,
) -> CallReport:
    """Make the calls of a plan, one after the other, and check the responses.

    Args:
        session: an open session with the server.
        surface: what the server publishes.
        plan: the calls (:func:`mcp_governor.call.plan.plan_calls`).
        settings: permissions and limits; the same as for the plan.
        selection: the rules that run; by default those of the profile ``recommended``.
        reconnect: opens another session with the same server, for one restart; without it, the run stops when the
            server exits.

    Returns:
        The calls, the skipped tools and the findings. Server failures are reported, not raised.
    """
    if selection is None:
        selection = select(LintSettings())
    run = _Run(session, surface, plan, settings, ResponseChecker(selection), reconnect)
    run.report_unknown_tools(plan.skipped)
    async with AsyncExitStack() as stack:
        await run.all(stack)
    return run.report()


@dataclass
class _Run:
    session: Session
    surface: Surface
    plan: Plan
    settings: CallSettings
    checker: ResponseChecker
    reconnect: Callable[[], AbstractAsyncContextManager[Session]] | None
    results: list[CaseResult] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    findings: dict[str, Finding] = field(default_factory=dict)
    changes: dict[str, Change] = field(default_factory=dict)
    restarts: int = 0
    stopped: str = ""
    followed: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    switched: str = ""

    def add(self, findings: Iterable[Finding]) -> None:
        """Keep what was not found before."""
        for finding in findings:
            self.findings.setdefault(finding.id, finding)

    def report(self) -> CallReport:
        """What the run came to."""
        plan = self.plan
        report = CallReport(
            results=tuple(self.results),
            skipped=(*plan.skipped, *self.skipped),
            changes=tuple(self.changes.values()),
            restarts=self.restarts,
            out_of_time=self.stopped == budget_spent(self.settings.budget),
            sandbox=plan.supply.sandbox if plan.supply is not None else None,
        )
        self.add(unanswered_findings(report, self.checker))
        return dataclasses.replace(report, findings=tuple(self.findings.values()))

    def report_unknown_tools(self, skipped: tuple[Skipped, ...]) -> None:
        """Report requested calls of tools that the server does not have."""
        for item in skipped:
            if item.case is not None and item.tool not in self.surface.by_name:
                facts = {"call": item.case.label, "named": item.tool, "reason": item.reason.rstrip(".?")}
                value = [item.tool, dict(item.case.arguments)]
                breach = Breach("call/expectation", "", value, "absent", facts)
                self.add(self.as_findings([breach], item.case))

    async def all(self, stack: AsyncExitStack) -> None:
        plan = self.plan
        deadline = anyio.current_time() + self.settings.budget

        async def make(case: Case) -> CaseResult:
            return await self.made(case, deadline, stack)

        def may_go_on() -> bool:
            return not self.stopped and anyio.current_time() < deadline

        good = None
        if plan.supply is not None:
            from mcp_governor.call.good import GoodCalls

            good = GoodCalls(self.surface, plan.supply, self.settings, make, may_go_on)
        for case in plan.cases:
            if not self.stopped and anyio.current_time() >= deadline:
                self.stopped = budget_spent(self.settings.budget)
            if self.stopped:
                self.skipped.append(Skipped(case.tool, self.stopped, case))
                continue
            if self.settings.quick and self.is_silent(case.tool):
                continue
            if good is not None and case.good:
                await good.call(case)
                continue
            result = await make(case)
            misnamed = misnamed_case(self.results, result, self.surface) if self.settings.quick else None
            if misnamed is not None and may_go_on():
                await make(misnamed)
        await self.probe(make, may_go_on)
        self.versions()
        if may_go_on():
            await self.list_again()

    def is_silent(self, tool: str) -> bool:
        """True if a call of a tool ended without a response."""
        return any(result.case.tool == tool and not result.outcome.answered for result in self.results)

    async def probe(self, make: Callable[[Case], Awaitable[CaseResult]], may_go_on: Callable[[], bool]) -> None:
        """Compare the metadata of tools that only read with what calls measure, if a selected rule does."""
        from mcp_governor.call.probes import Probes, needs_probes

        if not needs_probes(self.checker):
            return
        probes = Probes(self.surface, self.checker, make, may_go_on, self.floor)
        await probes.run(
            self.results,
            lambda tool: refusal(tool, replace(self.settings, allow_writes=False)) is None,
            again=self.settings.repeat,
        )
        self.skipped += probes.skipped
        for breach, tool in probes.breaches:
            self.add(self.checker.findings([breach], tool))

    async def list_again(self) -> None:
        """Report tools that calls have added, redefined or removed: nobody compares or checks what is there now."""
        try:
            with anyio.fail_after(self.settings.timeout):
                tools = await self.session.list_all("tools/list", "tools")
        except (GovernorError, TimeoutError):
            return  # a list that fails was read before, so it is for another rule
        listed = tool_names(tools)
        # What other parameters list is not in this list.
        default = {tool.name for tool in self.surface.tools if tool.opt_in is None or "callFirst" in tool.opt_in}
        sent = [tool.raw for tool in self.surface.tools]
        redefined = tool_names([tool for tool in tools if tool not in sent]) & default
        found = {
            "has {count} that it did not have before": listed - self.surface.by_name.keys(),
            "defines {count} in another way": redefined,
            "no longer has {count}": default - listed,
        }
        shown = [_clause(said, sorted(names)) for said, names in found.items() if names]
        if shown:
            facts = {"changes": ", ".join(shown), "call": self.switched}
            value = sorted(set().union(*found.values()))
            breach = Breach.of("call/list-grew", "", value, says="call" if self.switched else "", **facts)
            self.add(self.checker.findings([breach], None))

    async def floor(self) -> float:
        """How long an exchange without a tool's work takes, in milliseconds; at most the fastest call so far."""
        begun = time.perf_counter()
        with contextlib.suppress(GovernorError):
            await self.session.request("tools/list", timeout=self.settings.timeout)
        listing = (time.perf_counter() - begun) * 1000
        return min([listing, *(result.milliseconds for result in self.results if result.outcome.answered)])

    async def made(self, case: Case, deadline: float, stack: AsyncExitStack) -> CaseResult:
        """Make one call, follow its recovery suggestion if requested, and restart the server if the call ended it."""
        result = await self.one(case, deadline)
        if self.settings.follow and result.outcome.failed:
            await self.follow(result, deadline)
        if await self.lost(self.results[-1], deadline):
            self.stopped = await self.restart(stack)
        return result

    async def one(self, case: Case, deadline: float) -> CaseResult:
        asked, lines = len(self.session.inbox.refused), self.session.inbox.noise_lines
        noted, moved = len(self.session.mismatches), self.session.inbox.tool_changes
        begun = time.perf_counter()
        response, outcome, breaches = await self.ask(case, deadline)
        milliseconds = (time.perf_counter() - begun) * 1000
        asked_back = self.session.inbox.refused[asked:]
        if asked_back:
            methods = ", ".join(sorted({one_line(method, 40) for method in asked_back}))
            breaches.append(Breach("call/input-requested", "", methods, "request"))
        if self.session.inbox.tool_changes > moved:
            self.switched = self.switched or case.label
        if self.session.inbox.noise_lines > lines:
            self.report_noise(case, lines)
        breaches += [
            Breach.of("call/result-shape", note["path"], says="member", error=note["error"])
            for note in self.session.mismatches[noted:]
        ]
        tool = self.surface.by_name.get(case.tool)
        findings = self.judge(case, outcome, response, breaches, tool)
        findings = self.new(findings, case) if case.attempt else findings
        raw = None if response is None else response.raw
        result = CaseResult(case, outcome, milliseconds, raw, tuple(findings))
        if case.recorded is not None and response is not None and tool is not None:
            # Imported late, because a run without recordings does not need the change catalogue.
            from mcp_governor.call.behaviour import behaviour_changes

            for change in behaviour_changes(case.recorded, outcome, raw, tier=tool.tier):
                self.changes.setdefault(change.id, change)
        self.results.append(result)
        self.add(findings)
        return result

    def report_noise(self, case: Case, before: int) -> None:
        """Report lines on stdout that came during a call, once in a run: most come from one place below all tools."""
        # Only the first lines are kept, so the new ones may not be among them.
        first = next(iter(self.session.inbox.noise[before:] or self.session.inbox.noise), "")
        says = "mark" if first.startswith("\ufeff") else "noise"
        breach = Breach.of("call/stdout-noise", "", says=says, first=first, call=case.label)
        self.add(self.checker.findings([breach], None))

    def new(self, findings: list[Finding], case: Case) -> list[Finding]:
        """What the earlier attempts of a call did not say of the same place: they fail in one way, with other words."""
        said = {
            (found.rule, found.path)
            for result in self.results
            if (result.case.tool, result.case.purpose) == (case.tool, case.purpose)
            for found in result.findings
        }
        return [found for found in findings if (found.rule, found.path) not in said]

    async def ask(self, case: Case, deadline: float) -> tuple[Response | None, Outcome, list[Breach]]:
        """The response, its outcome, and why there is none if it is a breach."""
        seconds = min(self.settings.timeout, max(deadline - anyio.current_time(), 0.001))
        response, outcome, error = await call_once(
            self.session, case.tool, case.arguments, seconds, self.settings.result_bytes
        )
        if outcome.status == "timeout":
            if seconds < self.settings.timeout:
                # The run had no more time; that says nothing of the tool.
                return None, Outcome(Channel.NONE, CUT), []
            wrong = self.session.inbox.answered_another("tools/call")
            if wrong is not None:
                return None, Outcome(Channel.NONE, "protocol"), [_ended("protocol", case, error=wrong.message)]
            return None, outcome, [_ended("timeout", case, seconds=f"{seconds:.3g}")]
        if response is not None:
            return response, outcome, []
        rule = {"died": "server-exited"}.get(outcome.status, outcome.status)
        if isinstance(error, int):
            return None, outcome, [_ended(rule, case, size=f"{error:,}", cap=f"{self.settings.result_bytes:,}")]
        return None, outcome, [_ended(rule, case, says="wire" if rule == "too-large" else "", error=error)]

    def judge(
        self, case: Case, outcome: Outcome, response: Response | None, breaches: list[Breach], tool: Tool | None
    ) -> list[Finding]:
        if response is None:
            return self.as_findings(breaches, case)
        breaches += expectation_breaches(case, outcome, response)
        found = self.checker.check(
            response,
            tool=tool,
            surface=self.surface,
            arguments=case.arguments,
            dispatch=is_dispatch(case, outcome),
            live=True,
            trusted=case.purpose is Purpose.CONFIGURED and case.valid and not case.status,
            about=case.label,
        )
        return self.as_findings(breaches, case) + found

    def as_findings(self, breaches: list[Breach], case: Case) -> list[Finding]:
        known = case.tool if case.tool in self.surface.by_name else None
        return self.checker.findings(breaches, known)

    async def follow(self, failed: CaseResult, deadline: float) -> None:
        """Make the call that a recovery suggests, once per call, if it is safe and could succeed."""
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
        self.add(self.as_findings([breach], failed.case))

    def suggested(self, failed: CaseResult) -> Case | None:
        recovery = dict(recovery_of(read_response(failed.response)))
        own, given = self.surface.by_name.get(failed.case.tool), failed.case.arguments
        if not recovery or recovery_breaches(recovery, self.surface, own, given):
            return None
        again = retry_arguments(recovery, given)
        tool = own if again is not None else self.surface.by_name.get(str(recovery.get("suggested_tool")))
        arguments = again if again is not None else recovery.get("suggested_args") or {}
        if tool is None or not isinstance(arguments, dict) or refusal(tool, replace(self.settings, tools=())):
            return None
        return Case(tool.name, arguments, Purpose.FOLLOW, detail=f"of {failed.case.tool}")

    async def lost(self, result: CaseResult, deadline: float) -> bool:
        """True if the server must be restarted after a call; otherwise the next call would be blamed."""
        status = result.outcome.status
        return status == "died" or (status in ("timeout", "protocol", "too-large") and not await self.alive(deadline))

    async def alive(self, deadline: float) -> bool:
        """True if the connection survived a call without a response; only some failures end it."""
        seconds = min(self.settings.timeout, _ALIVE, max(deadline - anyio.current_time(), 0.001))
        try:
            await self.session.request("tools/list", timeout=seconds)
        except RpcError:
            return True
        except GovernorError:
            return False
        return True

    async def restart(self, stack: AsyncExitStack) -> str:
        """Restart the server. Returns the reason why the run must stop, or an empty string."""
        if self.reconnect is None or self.restarts:
            return GONE
        self.restarts += 1
        try:
            self.session = await stack.enter_async_context(self.reconnect())
        except GovernorError as error:
            return f"the server could not be started again: {error.message}"
        return ""

    def versions(self) -> None:
        """Check that all responses have the same charter version."""
        said = {
            str(envelope["charter_version"])
            for result in self.results
            if looks_like_envelope(envelope := read_response(result.response).envelope)
            and isinstance(envelope.get("charter_version"), str)
        }
        if len(said) > 1:
            shown = ", ".join(one_line(version, 20) for version in sorted(said))
            breach = Breach("call/charter-mixed", "", shown)
            self.add(self.checker.findings([breach], None))


def _clause(said: str, names: list[str]) -> str:
    """A clause about some tools, with their names."""
    shown = ", ".join(one_line(name, 60) for name in names[:_NAMED])
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"{said.format(count=f'{len(names):,} tool' + 's' * (len(names) > 1))}: {shown}{more}"


def _ended(rule: str, case: Case, says: str = "", **facts: Any) -> Breach:
    """The breach for a call without a response."""
    return Breach.of(f"call/{rule}", "", case.purpose.value, says=says, call=case.label, **facts)
