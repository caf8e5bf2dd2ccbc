"""The good calls of one run: arguments use what earlier calls returned, and refused calls are retried."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcp_governor.call.attempts import Attempts
from mcp_governor.call.cases import GENERATED, Case, Purpose, with_portable
from mcp_governor.call.outcome import ASKED_BACK, Outcome, failure_message, suggested_arguments
from mcp_governor.call.prose import read_lesson
from mcp_governor.call.response import read_response

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp_governor.call.candidates import Supply
    from mcp_governor.call.report import CaseResult
    from mcp_governor.call.settings import CallSettings
    from mcp_governor.surface.model import Surface

    Make = Callable[[Case], Awaitable[CaseResult]]


class GoodCalls:
    """Makes the good calls of a run, and learns from each one.

    Args:
        surface: what the server publishes.
        supply: source of values for parameters.
        settings: limits.
        make: makes one call and checks the response.
        may_go_on: true if another call may be made: the server is up, and the time budget is not spent.
    """

    def __init__(
        self, surface: Surface, supply: Supply, settings: CallSettings, make: Make, may_go_on: Callable[[], bool]
    ) -> None:
        self._surface = surface
        self._supply = supply
        self._settings = settings
        self._make = make
        self._may_go_on = may_go_on
        self._attempts: dict[str, Attempts] = {}
        self._worked: dict[str, dict[str, Any]] = {}
        self._given_up: dict[str, CaseResult] = {}

    async def call(self, case: Case) -> None:
        """Make one planned good call. A generated call that fails is retried a few times with other arguments."""
        if self._settings.allow_writes:
            self._supply.sandbox.restore()
        tool = self._surface.by_name.get(case.tool)
        if tool is None or case.purpose not in GENERATED:
            self._learn(await self._make(case))
            return
        attempts = self._attempts.setdefault(tool.name, Attempts(tool, self._supply.of(tool), self._settings.seed))
        full = case.purpose is Purpose.FULL
        base = self._worked.get(tool.name, {}) if full else {}
        source = self._supply.of(tool)
        kept = {name: value for name, value in base.items() if not source.makes(name)}
        arguments = attempts.first(full=full, base=kept)
        # All of these arguments have been tried, for example because optional parameters add nothing new.
        if arguments is None:
            if full:
                return
            arguments = dict(case.arguments)
        await self._chain(case, arguments, attempts)

    async def again(self) -> None:
        """Retry tools without a successful call for which later responses provided new arguments."""
        for name, failed in list(self._given_up.items()):
            # What did not respond once would cost another timeout.
            if name in self._worked or not failed.outcome.answered or not self._may_go_on():
                continue
            arguments = self._attempts[name].first()
            if arguments is not None:
                await self._chain(failed.case, arguments, self._attempts[name], failed.case.attempt + 1, last=True)

    async def _chain(
        self, case: Case, arguments: dict[str, Any], attempts: Attempts, number: int = 0, *, last: bool = False
    ) -> None:
        most = number if last else self._settings.alternatives
        while True:
            bound = with_portable(
                replace(case, arguments=arguments, portable=None, attempt=number), self._supply.sandbox
            )
            result = await self._make(bound)
            self._learn(result)
            if not result.outcome.failed:
                return
            if case.purpose is Purpose.REQUIRED:
                self._given_up[case.tool] = result
            following = self._following(result, attempts) if number < most and self._may_go_on() else None
            if following is None:
                return
            arguments, number = following, number + 1

    def _following(self, result: CaseResult, attempts: Attempts) -> dict[str, Any] | None:
        if not _is_refusal(result.outcome):
            return None
        sent = result.case.arguments
        response = read_response(result.response)
        text = failure_message(response)
        self._supply.learned.note_refusal(text, sent)
        lesson = read_lesson(
            text,
            attempts.declared,
            sent,
            self._supply.sandbox.today,
            suggested=suggested_arguments(response, result.case.tool),
            known=self._surface.by_name,
        )
        if lesson.hopeless:
            self._given_up.pop(result.case.tool, None)
            return None
        return attempts.after(sent, lesson)

    def _learn(self, result: CaseResult) -> None:
        if result.outcome.failed or not result.case.good or result.response is None:
            return
        self._worked.setdefault(result.case.tool, dict(result.case.arguments))
        self._supply.learned.worked(result.case.arguments, trusted=not result.case.is_generated)
        response = read_response(result.response)
        self._supply.learned.note(result.case.tool, result.case.arguments, response)


def _is_refusal(outcome: Outcome) -> bool:
    """True if the tool itself refused the call: a response came, and it did not ask for input."""
    return outcome.answered and outcome.status != ASKED_BACK
