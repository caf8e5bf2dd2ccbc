"""The good calls of one run: arguments use what earlier calls returned, and refused calls are retried with others."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcp_governor.call.arguments import NOTHING, Place, Sampler, in_scope, sample_arguments
from mcp_governor.call.cases import GENERATED, Case, Purpose, with_portable
from mcp_governor.call.outcome import ASKED_BACK, failure_message, read_response, suggested_arguments
from mcp_governor.call.prose import read_lesson, spellings
from mcp_governor.change.budget import OverBudgetError
from mcp_governor.charter.recovery import misfit
from mcp_governor.containment.validators import compile_schema
from mcp_governor.schemas.walking import branches

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping

    from mcp_governor.call.candidates import Supply, ToolSupply
    from mcp_governor.call.cases import CallSettings, CaseResult
    from mcp_governor.call.prose import Lesson
    from mcp_governor.surface.model import Surface, Tool

    Make = Callable[[Case], Awaitable[CaseResult]]

_MAX_OPTIONS = 6
"""Most values for one parameter. Twice the number of retries after a refusal (``CallSettings.alternatives``) is enough;
further values are not tried."""
_MAX_ARGUMENTS = 100
"""Most parameters whose values are varied after a refusal: generous, because three retries vary few of them. The others
keep their value."""


class Attempts:
    """What to call one tool with, and what to call it with after that failed.

    Args:
        tool: the tool.
        source: values for its parameters.
        seed: chooses among equally good values.
    """

    def __init__(self, tool: Tool, source: ToolSupply, seed: int = 0) -> None:
        self._tool = tool
        self._source = source
        self._seed = seed
        self._tried: list[dict[str, Any]] = []
        self._schemas: dict[str, Any] = {}
        self._root = root = tool.input_schema if isinstance(tool.input_schema, dict) else {}
        for here in branches(root, root):
            properties = here.get("properties") if here is not None else None
            for name, schema in properties.items() if isinstance(properties, dict) else ():
                if len(self._schemas) < _MAX_ARGUMENTS:
                    self._schemas.setdefault(name, schema)
        names = root.get("required")
        self._needed = {name for name in (names if isinstance(names, list) else ()) if isinstance(name, str)}

    @property
    def declared(self) -> tuple[str, ...]:
        """Names of the parameters, up to a limit."""
        return tuple(self._schemas)

    def first(self, *, full: bool = False, base: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
        """The likeliest arguments that have not been tried yet.

        Args:
            full: include optional parameters.
            base: arguments of a call that succeeded; they are kept.
        """
        found = sample_arguments(self._tool.input_schema, seed=self._seed, optional=full, source=self._source)
        if found is None:
            return None
        return self._new({**found, **(base or {})})

    def after(self, sent: Mapping[str, Any], lesson: Lesson) -> dict[str, Any] | None:
        """Arguments to try after a refusal, or ``None`` if there are none left.

        Args:
            sent: the arguments that were refused.
            lesson: what the refusal says.
        """
        for proposal in self._proposals(dict(sent), lesson):
            new = self._new(proposal)
            if new is not None:
                return new
        return None

    def _new(self, arguments: dict[str, Any]) -> dict[str, Any] | None:
        # `misfit`: arguments that the schema refuses are not worth a call, even if a refusal suggested them.
        if arguments in self._tried or not self._source.confined(arguments) or misfit(self._tool, arguments):
            return None
        self._tried.append(arguments)
        return arguments

    def _proposals(self, sent: dict[str, Any], lesson: Lesson) -> Iterator[dict[str, Any]]:
        named = [name for name in lesson.arguments if name in self._schemas]
        yield from self._requested(sent, lesson, named)
        # A refusal that names a parameter usually means that it is missing. So adding it comes before changing its
        # value, and that before leaving it out.
        for name in named:
            if name not in sent:
                yield from ({**sent, name: value} for value in self._options(name)[:1])
        for name in named:
            if name in sent:
                yield from ({**sent, name: value} for value in self._others(name, sent))
        for name in named:
            if name in sent and name not in self._needed:
                yield {key: value for key, value in sent.items() if key != name}
        yield from self._unnamed(sent)

    def _requested(self, sent: dict[str, Any], lesson: Lesson, named: list[str]) -> Iterator[dict[str, Any]]:
        """What the refusal asks for: a kind of file, another name, one of several values."""
        assigned = {name: value for name, value in lesson.assigned if self._source.allows(name, "", value)}
        if assigned:
            yield {**sent, **assigned}
        about = named or [name for name in sent if name in self._schemas]
        for ending in lesson.endings:
            for name in about:
                yield from ({**sent, name: path} for path in self._source.files(name, ending))
        if lesson.taken:
            for name in sorted(sent, key=lambda name: (name not in named, name not in self._needed)):
                if isinstance(sent[name], str) and self._source.invents(name, ""):
                    yield {**sent, name: f"{sent[name]}-2"}
        for name in about:
            yield from ({**sent, name: value} for value in self._fitting(name, lesson))

    def _unnamed(self, sent: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """If the refusal does not name a parameter: fewer optional ones, then other values for all and for each."""
        optional = [name for name in sent if name not in self._needed]
        if optional:
            kept = set(optional[: len(optional) // 2])
            yield {name: value for name, value in sent.items() if name in self._needed or name in kept}
        others = {name: next(self._others(name, sent), NOTHING) for name in sent if name in self._schemas}
        changed = {name: value for name, value in others.items() if value is not NOTHING}
        if changed:
            yield {**sent, **changed}
            yield from ({**sent, name: value} for name, value in changed.items())

    def _fitting(self, name: str, lesson: Lesson) -> Iterator[Any]:
        schema = self._schemas[name]
        if not isinstance(schema, dict):
            return
        validator = compile_schema(in_scope(self._root, schema))
        for value in lesson.values:
            forms = [value, *(spellings(value) if isinstance(value, str) else ()), [value]]
            for form in forms:
                if (validator is None or validator.accepts(form)) and self._source.allows(name, "", form):
                    yield form
                    break

    def _options(self, name: str) -> list[Any]:
        sampler = Sampler(self._root, self._seed, source=self._source)
        try:
            return sampler.options(self._schemas[name], _MAX_OPTIONS, 1, Place(name))
        except OverBudgetError:
            return []

    def _others(self, name: str, sent: Mapping[str, Any]) -> Iterator[Any]:
        """Values that have not been tried yet, best first."""
        tried = [arguments[name] for arguments in self._tried if name in arguments]
        yield from (value for value in self._options(name) if value not in tried and value != sent[name])


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

    async def call(self, case: Case) -> None:
        """Make one planned good call. A generated call that fails is retried a few times with other arguments."""
        if self._settings.allow_writes:
            self._supply.sandbox.restore()
        tool = self._surface.by_name.get(case.tool)
        if tool is None or case.purpose not in GENERATED:
            self._learn(await self._make(case))
            return
        source = self._supply.of(tool)
        attempts = self._attempts.setdefault(tool.name, Attempts(tool, source, self._settings.seed))
        full = case.purpose is Purpose.FULL
        worked = self._worked.get(tool.name, {}) if full else {}
        kept = {name: value for name, value in worked.items() if not source.makes(name)}
        arguments = attempts.first(full=full, base=kept)
        # All of these arguments have been tried, for example because optional parameters add nothing new.
        if arguments is None and not full:
            arguments = dict(case.arguments)
        for number in itertools.count():
            if arguments is None:
                return
            bound = replace(case, arguments=arguments, portable=None, attempt=number)
            result = await self._make(with_portable(bound, self._supply.sandbox))
            self._learn(result)
            if not result.outcome.failed or number >= self._settings.alternatives or not self._may_go_on():
                return
            arguments = self._following(result, attempts)

    def _following(self, result: CaseResult, attempts: Attempts) -> dict[str, Any] | None:
        """What to call a tool with next, if it refused the call itself: it answered, and asked for nothing."""
        if not result.outcome.answered or result.outcome.status == ASKED_BACK:
            return None
        sent, response = result.case.arguments, read_response(result.response)
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
        return None if lesson.hopeless else attempts.after(sent, lesson)

    def _learn(self, result: CaseResult) -> None:
        case = result.case
        if not result.outcome.failed and case.good and result.response is not None:
            self._worked.setdefault(case.tool, dict(case.arguments))
            self._supply.learned.worked(case.arguments, trusted=not case.is_generated)
            self._supply.learned.note(case.tool, case.arguments, read_response(result.response))
