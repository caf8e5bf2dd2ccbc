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

from mcp_governor.call.cases import (
    DEFAULT_SETTINGS,
    CallReport,
    CallSettings,
    Case,
    CaseResult,
    Purpose,
    Skipped,
    budget_spent,
    is_dispatch,
)
from mcp_governor.call.expect import expectation_breaches, unanswered_findings
from mcp_governor.call.outcome import (
    CUT,
    Channel,
    Outcome,
    Response,
    outcome_of,
    read_response,
    recovery_of,
)
from mcp_governor.call.plan import Plan, refusal
from mcp_governor.call.validate import ResponseChecker
from mcp_governor.call.wrong import misnamed_case
from mcp_governor.charter.breach import Breach
from mcp_governor.charter.envelope import looks_like_envelope
from mcp_governor.charter.recovery import recovery_breaches, retry_arguments
from mcp_governor.errors import GovernorError, ProtocolError, TooMuchError, UnreachableError
from mcp_governor.rules import LintSettings, select
from mcp_governor.surface.tokens import json_bytes
from mcp_governor.text import one_line
from mcp_governor.wire import RpcError
from mcp_governor.wire.recording import tool_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from contextlib import AbstractAsyncContextManager

    from mcp_governor.change.model import Change
    from mcp_governor.findings import Finding
    from mcp_governor.rules import Selection
    from mcp_governor.surface.model import Surface
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
    checker = ResponseChecker(select(LintSettings()) if selection is None else selection)
    async with AsyncExitStack() as stack:
        deadline = anyio.current_time() + settings.budget
        run = _Run(session, surface, plan, settings, checker, reconnect, stack, deadline)
        await run.all()
    return run.report()


@dataclass
class _Run:
    session: Session
    surface: Surface
    plan: Plan
    settings: CallSettings
    checker: ResponseChecker
    reconnect: Callable[[], AbstractAsyncContextManager[Session]] | None
    stack: AsyncExitStack
    deadline: float
    results: list[CaseResult] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    findings: dict[str, Finding] = field(default_factory=dict)
    changes: dict[str, Change] = field(default_factory=dict)
    restarts: int = 0
    stopped: str = ""
    followed: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    switched: str = ""

    def found(self, breaches: list[Breach], tool: str | None = None) -> list[Finding]:
        """The findings about a tool, of which those that are new are kept; a tool that is not published has no name."""
        found = self.checker.findings(breaches, tool if tool in self.surface.by_name else None)
        self.add(found)
        return found

    def add(self, findings: Iterable[Finding]) -> None:
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

    def may_go_on(self) -> bool:
        """True if another call may be made."""
        return not self.stopped and anyio.current_time() < self.deadline

    def seconds(self, most: float) -> float:
        """A timeout within the time that is left."""
        return min(self.settings.timeout, most, max(self.deadline - anyio.current_time(), 0.001))

    async def all(self) -> None:
        plan, good = self.plan, None
        for item in plan.skipped:
            if item.case is not None and item.tool not in self.surface.by_name:
                facts = {"call": item.case.label, "named": item.tool, "reason": item.reason.rstrip(".?")}
                value = [item.tool, dict(item.case.arguments)]
                self.found([Breach("call/expectation", "", value, "absent", facts)])
        if plan.supply is not None:
            from mcp_governor.call.good import GoodCalls

            good = GoodCalls(self.surface, plan.supply, self.settings, self.made, self.may_go_on)
        for case in plan.cases:
            if not self.stopped and not self.may_go_on():
                self.stopped = budget_spent(self.settings.budget)
            if self.stopped:
                self.skipped.append(Skipped(case.tool, self.stopped, case))
            elif self.settings.quick and self.is_silent(case.tool):
                continue
            elif good is not None and case.good:
                await good.call(case)
            else:
                result = await self.made(case)
                misnamed = misnamed_case(self.results, result, self.surface) if self.settings.quick else None
                if misnamed is not None and self.may_go_on():
                    await self.made(misnamed)
        await self.probe()
        self.versions()
        if self.may_go_on():
            await self.list_again()

    def is_silent(self, tool: str) -> bool:
        """True if a call of a tool ended without a response."""
        return any(result.case.tool == tool and not result.outcome.answered for result in self.results)

    async def probe(self) -> None:
        """Compare the metadata of tools that only read with what calls measure, if a selected rule does."""
        from mcp_governor.call.probes import Probes, needs_probes

        if not needs_probes(self.checker):
            return
        probes = Probes(self.surface, self.checker, self.made, self.may_go_on, self.floor)
        await probes.run(
            self.results,
            lambda tool: refusal(tool, replace(self.settings, allow_writes=False)) is None,
            again=self.settings.repeat,
        )
        self.skipped += probes.skipped
        for breach, tool in probes.breaches:
            self.found([breach], tool)

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
        found = {
            "has {} that it did not have before": listed - self.surface.by_name.keys(),
            "defines {} in another way": tool_names([tool for tool in tools if tool not in sent]) & default,
            "no longer has {}": default - listed,
        }
        shown = [_clause(said, sorted(names)) for said, names in found.items() if names]
        if shown:
            facts = {"changes": ", ".join(shown), "call": self.switched}
            value = sorted(set().union(*found.values()))
            self.found([Breach("call/list-grew", "", value, "call" if self.switched else "", facts)])

    async def floor(self) -> float:
        """How long an exchange without a tool's work takes, in milliseconds; at most the fastest call so far."""
        begun = time.perf_counter()
        with contextlib.suppress(GovernorError):
            await self.session.request("tools/list", timeout=self.settings.timeout)
        listing = (time.perf_counter() - begun) * 1000
        return min([listing, *(result.milliseconds for result in self.results if result.outcome.answered)])

    async def made(self, case: Case) -> CaseResult:
        """Make one call, follow its recovery suggestion if requested, and restart the server if the call ended it."""
        result = await self.one(case)
        if self.settings.follow and result.outcome.failed:
            await self.follow(result)
        if await self.lost(self.results[-1].outcome.status):
            self.stopped = await self.restart()
        return result

    async def one(self, case: Case) -> CaseResult:
        inbox = self.session.inbox
        asked, lines, moved = len(inbox.refused), inbox.noise_lines, inbox.tool_changes
        noted, begun = len(self.session.mismatches), time.perf_counter()
        response, outcome, breaches = await self.ask(case)
        milliseconds = (time.perf_counter() - begun) * 1000
        if asked_back := inbox.refused[asked:]:
            methods = ", ".join(sorted({one_line(method, 40) for method in asked_back}))
            breaches.append(Breach("call/input-requested", "", methods, "request"))
        if inbox.tool_changes > moved:
            self.switched = self.switched or case.label
        if inbox.noise_lines > lines:
            # Once in a run: most come from one place below all tools. Only the first lines are kept, so the new ones
            # may not be among them.
            first = next(iter(inbox.noise[lines:] or inbox.noise), "")
            says = "mark" if first.startswith("\ufeff") else "noise"
            self.found([Breach.of("call/stdout-noise", "", says=says, first=first, call=case.label)])
        breaches += [
            Breach.of("call/result-shape", note["path"], says="member", error=note["error"])
            for note in self.session.mismatches[noted:]
        ]
        tool, checked = self.surface.by_name.get(case.tool), []
        if response is not None:
            breaches += expectation_breaches(case, outcome, response)
            checked = self.checker.check(
                response,
                tool=tool,
                surface=self.surface,
                arguments=case.arguments,
                dispatch=is_dispatch(case, outcome),
                live=True,
                trusted=case.purpose is Purpose.CONFIGURED and case.valid and not case.status,
                about=case.label,
            )
        findings = self.checker.findings(breaches, case.tool if tool is not None else None) + checked
        findings = self.new(findings, case) if case.attempt else findings
        raw = None if response is None else response.raw
        result = CaseResult(case, outcome, milliseconds, raw, tuple(findings))
        if case.recorded is not None and response is not None and tool is not None:
            # Imported late, because a run without recordings does not need the change catalogue.
            from mcp_governor.call.record import behaviour_changes

            for change in behaviour_changes(case.recorded, outcome, raw, tier=tool.tier):
                self.changes.setdefault(change.id, change)
        self.results.append(result)
        self.add(findings)
        return result

    def new(self, findings: list[Finding], case: Case) -> list[Finding]:
        """What the earlier attempts of a call did not say of the same place: they fail in one way, with other words."""
        said = {
            (found.rule, found.path)
            for result in self.results
            if (result.case.tool, result.case.purpose) == (case.tool, case.purpose)
            for found in result.findings
        }
        return [found for found in findings if (found.rule, found.path) not in said]

    async def ask(self, case: Case) -> tuple[Response | None, Outcome, list[Breach]]:
        """The response, its outcome, and why there is none if it is a breach."""
        seconds, most = self.seconds(self.settings.timeout), self.settings.result_bytes
        response, outcome, error = await call_once(self.session, case.tool, case.arguments, seconds, most)
        if response is not None:
            return response, outcome, []
        rule, says, facts = outcome.status, "", {"error": error}
        if rule == "timeout":
            if seconds < self.settings.timeout:
                # The run had no more time; that says nothing of the tool.
                return None, Outcome(Channel.NONE, CUT), []
            wrong = self.session.inbox.answered_another("tools/call")
            facts = {"seconds": f"{seconds:.3g}"}
            if wrong is not None:
                rule, outcome, facts = "protocol", Outcome(Channel.NONE, "protocol"), {"error": wrong.message}
        elif isinstance(error, int):
            facts = {"size": f"{error:,}", "cap": f"{most:,}"}
        elif rule == "too-large":
            says = "wire"
        rule = "server-exited" if rule == "died" else rule
        return None, outcome, [Breach(f"call/{rule}", "", case.purpose.value, says, {"call": case.label, **facts})]

    async def follow(self, failed: CaseResult) -> None:
        """Make the call that a recovery suggests, once per call, if it is safe and could succeed."""
        suggested = self.suggested(failed)
        if suggested is None:
            return
        call = (suggested.tool, suggested.arguments)
        if call == (failed.case.tool, failed.case.arguments):
            self.loop(failed, "itself")
        elif call not in self.followed:
            self.followed.append(call)
            outcome = (await self.one(suggested)).outcome
            if outcome.failed and (outcome.kind, outcome.status) == (failed.outcome.kind, failed.outcome.status):
                self.loop(failed, "again")

    def loop(self, failed: CaseResult, says: str) -> None:
        kind, path = failed.outcome.kind, "/structuredContent/error/recovery"
        facts = {"kind": kind, "call": failed.case.label}
        self.found([Breach("call/recovery-failed", path, [kind, says], says, facts)], failed.case.tool)

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

    async def lost(self, status: str) -> bool:
        """True if the server must be restarted after a call; otherwise the next call would be blamed.

        Only some calls without a response end the connection.
        """
        if status not in ("timeout", "protocol", "too-large"):
            return status == "died"
        try:
            await self.session.request("tools/list", timeout=self.seconds(_ALIVE))
        except RpcError:
            return False
        except GovernorError:
            return True
        return False

    async def restart(self) -> str:
        """Restart the server. Returns the reason why the run must stop, or an empty string."""
        if self.reconnect is None or self.restarts:
            return GONE
        self.restarts += 1
        try:
            self.session = await self.stack.enter_async_context(self.reconnect())
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
            self.found([Breach("call/charter-mixed", "", shown)])


def _clause(said: str, names: list[str]) -> str:
    """A clause about some tools, with their names."""
    shown = ", ".join(one_line(name, 60) for name in names[:_NAMED])
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"{said.format(f'{len(names):,} tool' + 's' * (len(names) > 1))}: {shown}{more}"


async def call_once(
    session: Session, tool: str, arguments: Mapping[str, Any], seconds: float, most: int
) -> tuple[Response | None, Outcome, str | int]:
    """Make a call, whatever the server does, and say what came of it.

    Args:
        session: open.
        tool, arguments: of the call.
        seconds: its timeout.
        most: largest result, in bytes of compact JSON.

    Returns:
        The response, its outcome, and why there is no response: what the wire says, or the size of a result beyond
        ``most``. The status is then ``timeout``, ``died``, ``too-large`` or ``protocol``.
    """
    why: str | int = ""
    try:
        with anyio.fail_after(seconds):
            # Our timeout must fire before the session's own, because its error looks like other failures.
            raw: Any = await session.call_tool(tool, arguments, timeout=seconds + 60)
    except TimeoutError:
        status = "timeout"
    except RpcError as error:
        response = read_response({"error": {"code": error.code, "message": error.text, "data": error.data}})
        return response, outcome_of(response), ""
    except UnreachableError as error:
        status, why = "died", error.message
    except TooMuchError as error:
        status, why = "too-large", error.message
    except ProtocolError as error:
        status, why = "protocol", error.message
    else:
        size = _size(raw)
        if size <= most:
            response = Response.of_result(raw)
            return response, outcome_of(response), ""
        status, why = "too-large", size
    return None, Outcome(Channel.NONE, status), why


def _size(raw: Any) -> int:
    try:
        return json_bytes(raw)
    except (ValueError, RecursionError):
        return 0
