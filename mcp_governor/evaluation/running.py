"""Runs an evaluation: every query to every runner, within limits of rate, time and money.

Each answer is kept as soon as it is there, so a run that is interrupted continues where it was. What ends a run early
is reported in :attr:`~mcp_governor.evaluation.model.Run.ended`; a run with fewer answers never passes for a whole one.
"""

from __future__ import annotations

from collections import Counter, deque
from datetime import UTC, datetime
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.errors import NothingCheckedError, UsageError
from mcp_governor.evaluation.asking import answer_key, offer_for
from mcp_governor.evaluation.model import (
    Answer,
    Estimate,
    Failure,
    Offer,
    Query,
    Run,
    Runner,
    Usage,
    ends_run,
    may_pass,
)
from mcp_governor.evaluation.pacing import Clock, Pacer, Purse, wait_before
from mcp_governor.evaluation.store import Kept
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mcp_governor.evaluation.asking import Keeper

CONCURRENCY = 4
"""Requests to one provider at once: the lowest tiers of the providers admit 50 requests a minute, and a request takes
2 to 5 s."""

ATTEMPTS = 5
"""Attempts per query: with the waits between them about 15 s, longer than the restarts of a provider's node."""

MAX_SECONDS = 3_600.0
"""Time limit of a whole evaluation unless another one is given: 500 queries to three models take ten minutes."""

MAX_FAILURES = 8
"""Queries in a row without an answer after which a runner is given up: two for each request at once."""


class Settings(Struct, frozen=True):
    """How an evaluation runs.

    Attributes:
        seed: seed of the orders of the tools.
        replay: use kept answers only.
        max_cost: dollars that may be spent at most; ``None`` for no limit.
        max_seconds: time limit.
        concurrency: requests to one provider at once.
        per_minute: family → maximum number of requests in a minute.
    """

    seed: int = 0
    replay: bool = False
    max_cost: float | None = None
    max_seconds: float = MAX_SECONDS
    concurrency: int = CONCURRENCY
    per_minute: Mapping[str, float] = {}


class Progress(Struct, frozen=True):
    """How far an evaluation is."""

    done: int
    total: int
    kept: int
    failed: int
    dollars: float


class Plan(Struct, frozen=True):
    """What a runner would be asked.

    Attributes:
        runner: its name.
        kept: queries that are answered from the store.
        asked: queries that would be sent.
        free: requests of this runner cost nothing.
        estimate: of all requests together; ``None`` for dollars if a price is not known.
    """

    runner: str
    kept: int
    asked: int
    free: bool
    estimate: Estimate


class Done(Struct, frozen=True):
    """The outcome of an evaluation.

    Attributes:
        runs: one for each runner, in the order given.
        dollars: what was spent in this process: kept answers cost nothing again.
        kept: answers from the store.
        asked: queries that were sent.
    """

    runs: tuple[Run, ...]
    dollars: float
    kept: int
    asked: int


def now_text() -> str:
    """The day and time in UTC, ISO 8601, in seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def plan(
    runners: Sequence[Runner],
    queries: Sequence[Query],
    tools: Sequence[Mapping[str, Any]],
    settings: Settings,
    keeper: Keeper,
) -> list[Plan]:
    """What an evaluation would send and cost, without sending anything."""
    engine = _Engine(runners, queries, tools, replace(settings, replay=False), keeper)
    tasks = [task for waiting in engine.waiting.values() for task in waiting]
    plans = []
    for at, runner in enumerate(runners):
        estimates = [runner.estimate(task.query, task.offer) for task in tasks if task.at == at]
        known = [one for one in estimates if one is not None]
        total = Estimate(
            sum(one.input_tokens for one in known),
            sum(one.output_tokens for one in known),
            _sum([one.dollars for one in known]),
            _sum([one.most_dollars for one in known]),
        )
        plans.append(Plan(runner.info.name, len(engine.answers[at]), len(estimates), runner.info.is_proxy, total))
    return plans


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(sum(known)) if len(known) == len(values) else None


async def evaluate(
    runners: Sequence[Runner],
    queries: Sequence[Query],
    tools: Sequence[Mapping[str, Any]],
    settings: Settings,
    keeper: Keeper,
    *,
    clock: Clock | None = None,
    emit: Callable[[Progress], None] = lambda _: None,
) -> Done:
    """Ask every runner every query, and close the runners.

    Args:
        runners: who is asked.
        queries: what is asked, in this order.
        tools: what is offered.
        settings: limits.
        keeper: where answers are kept.
        clock: the time; the system's by default.
        emit: receives the progress after each answer.

    Raises:
        NothingCheckedError: there are no queries, no runners or no tools.
        UsageError: a replay has no answer to a query, or the limit of dollars cannot be kept because a price is not
            known; nothing was sent then.
    """
    import anyio

    for number, what in ((len(queries), "query"), (len(runners), "runner"), (len(tools), "tool")):
        if not number:
            raise NothingCheckedError(f"There is no {what} to evaluate.", "Check the target and the query set.")
    try:
        engine = _Engine(runners, queries, tools, settings, keeper, clock or Clock(), emit)
        engine.report()
        engine.refuse()
        await engine.run()
    finally:
        with anyio.CancelScope(shield=True):
            for runner in runners:
                await runner.aclose()
    runs = tuple(map(engine.outcome, range(len(runners))))
    return Done(runs, engine.purse.spent, engine.kept, engine.sent)


class _Task(NamedTuple):
    """One query to one runner."""

    at: int
    runner: Runner
    query: Query
    offer: Offer
    key: str


class _Engine:
    """The state of an evaluation while it runs.

    What is kept is taken at once; the rest waits, by provider, one query of every model after the other.
    """

    def __init__(
        self,
        runners: Sequence[Runner],
        queries: Sequence[Query],
        tools: Sequence[Mapping[str, Any]],
        settings: Settings,
        keeper: Keeper,
        clock: Clock | None = None,
        emit: Callable[[Progress], None] = lambda _: None,
    ) -> None:
        self.runners, self.queries, self.settings, self.keeper, self.emit = runners, queries, settings, keeper, emit
        self.clock = clock or Clock()
        self.purse = Purse(settings.max_cost)
        self.answers: list[dict[str, Kept]] = [{} for _ in runners]
        self.ended: dict[int, str] = {}
        self.in_a_row = Counter[int]()
        self.kept = self.sent = self.failed = 0
        self.waiting: dict[str, deque[_Task]] = {}
        self.random = Random(settings.seed)  # noqa: S311  jitter
        self.end = self.clock.now() + settings.max_seconds
        self.stopped = ""
        for query in queries:
            offer = offer_for(tools, query, settings.seed)
            for at, runner in enumerate(runners):
                key = answer_key(runner.info, query, offer)
                found = keeper.get(key)
                # A failure is not an answer, except that a replay repeats it.
                if found is not None and (found.answer.failure is None or settings.replay):
                    # The same question may have had another id when it was asked.
                    self.answers[at][query.id] = replace(found, answer=replace(found.answer, query=query.id))
                    self.kept += 1
                else:
                    task = _Task(at, runner, query, offer, key)
                    self.waiting.setdefault(runner.info.family, deque()).append(task)

    def refuse(self) -> None:
        """Refuse what cannot be done as it was asked, before anything is sent."""
        tasks = [task for waiting in self.waiting.values() for task in waiting]
        if self.settings.replay and tasks:
            name, query = one_line(tasks[0].runner.info.name, 60), one_line(tasks[0].query.id, 60)
            more = f" ({len(tasks) - 1} more are missing)" if len(tasks) > 1 else ""
            raise UsageError(
                f'No answer of {name} to the query "{query}" was recorded for these tools, this model and this '
                f"seed{more}.",
                "Run without --replay, with --record, and commit the recorded file.",
            )
        for task in tasks if self.settings.max_cost is not None else ():
            estimate = task.runner.estimate(task.query, task.offer)
            if estimate is not None and estimate.most_dollars is None:
                raise UsageError(
                    f"The price of {one_line(task.runner.info.name, 60)} is unknown, so --max-cost cannot be kept.",
                    "Remove --max-cost, or this runner.",
                )

    async def run(self) -> None:
        import anyio

        self.changed = anyio.Condition()
        async with anyio.create_task_group() as group:
            for family, tasks in self.waiting.items():
                pacer = Pacer(self.clock, self.settings.per_minute.get(family))
                for _ in range(min(self.settings.concurrency, len(tasks))):
                    group.start_soon(self._work, tasks, pacer)

    async def _work(self, tasks: deque[_Task], pacer: Pacer) -> None:
        while tasks and not self.stopped:
            task = tasks.popleft()
            if task.at not in self.ended:
                await self._ask(task, pacer)

    async def _ask(self, task: _Task, pacer: Pacer) -> None:
        estimate = task.runner.estimate(task.query, task.offer)
        price = estimate.most_dollars if estimate is not None else None
        most = price or 0.0
        spent: list[Usage] = []
        answer: Answer | None = None
        asked = ""
        for attempt in range(1, ATTEMPTS + 1):
            if not (await self._sleep(pacer.take()) and await self._reserve(most)):
                break
            asked, cost = now_text(), most
            try:
                answer = await self._answer(task)
                cost = _cost(answer, most)
            finally:
                # Interrupted: the request may have been answered, and paid.
                await self._settle(most, cost)
            # Unknown stays unknown where no price is known.
            known = answer.usage.dollars is not None or price is not None
            spent.append(replace(answer.usage, dollars=cost if known else None))
            asks_to_wait = answer.retry_after
            answer = replace(answer, query=task.query.id, usage=Usage.of(spent), retry_after=None)
            self.sent += attempt == 1
            if answer.failure is None or not may_pass(answer.failure) or attempt == ATTEMPTS:
                break
            wait = wait_before(attempt, asks_to_wait, self.random)
            if asks_to_wait:
                pacer.pause(wait)
            if not await self._sleep(wait):
                break
        if answer is not None:
            self._take(task, answer, asked)

    async def _answer(self, task: _Task) -> Answer:
        """One request. A runner has a time limit of its own; beyond that of the run nobody waits for it."""
        import anyio

        with anyio.move_on_after(max(self.end - self.clock.now(), 0)):
            return await task.runner.answer(task.query, task.offer)
        return Answer(task.query.id, (), failure=Failure.TIMEOUT)

    async def _reserve(self, most: float) -> bool:
        """Set the money for a request aside; false if the run is over."""
        async with self.changed:
            while not self.stopped:
                if self.purse.reserve(most):
                    return True
                if not self.purse.is_waiting:
                    self.stopped = (
                        f"the next request may cost ${most:.4f}, and ${self.purse.spent:.4f} of "
                        f"${self.settings.max_cost or 0:.4f} are spent"
                    )
                    self.changed.notify_all()
                    return False
                await self.changed.wait()
        return False

    async def _settle(self, reserved: float, cost: float) -> None:
        self.purse.settle(reserved, cost)
        import anyio

        with anyio.CancelScope(shield=True):
            async with self.changed:
                self.changed.notify_all()

    async def _sleep(self, seconds: float) -> bool:
        """Wait, unless the time limit comes first; false if the run is over."""
        if self.clock.now() + seconds >= self.end:
            self.stopped = self.stopped or f"the time limit of {self.settings.max_seconds:g} s was reached"
        elif seconds > 0:
            await self.clock.sleep(seconds)
        return not self.stopped

    def _take(self, task: _Task, answer: Answer, asked: str) -> None:
        self.answers[task.at][task.query.id] = Kept(answer, asked)
        self.keeper.put(task.key, task.runner.info.name, answer, asked)
        self.in_a_row[task.at] = 0 if answer.failure is None else self.in_a_row[task.at] + 1
        if answer.failure is not None:
            self.failed += 1
            why = ""
            if ends_run(answer.failure):
                why = f"{answer.failure}: {answer.detail}" if answer.detail else answer.failure
            elif self.in_a_row[task.at] >= MAX_FAILURES:
                why = f"{MAX_FAILURES} queries in a row had no answer (the last one: {answer.failure})"
            if why:
                self.ended.setdefault(task.at, why)
        self.report()

    def report(self) -> None:
        """Say how far the run is."""
        done = sum(map(len, self.answers))
        total = len(self.queries) * len(self.runners)
        self.emit(Progress(done, total, self.kept, self.failed, self.purse.spent))

    def outcome(self, at: int) -> Run:
        """The answers of a runner in the order of the queries, when they began, and why there are not more."""
        kept = self.answers[at]
        answers = tuple(kept[query.id].answer for query in self.queries if query.id in kept)
        started = min((one.asked for one in kept.values()), default="")
        ended = self.ended.get(at) or (self.stopped if len(kept) < len(self.queries) else "")
        return Run(self.runners[at].info, answers, started, ended or None)


_MAY_BE_PAID = frozenset(("timeout", "cut", "malformed", "truncated", "too-large"))
"""Failures after which a provider may charge for what the model wrote."""


def _cost(answer: Answer, reserved: float) -> float:
    """What a request cost; the most that it may have cost where the provider does not say."""
    if answer.usage.dollars is not None:
        return answer.usage.dollars
    return reserved if answer.failure is None or answer.failure in _MAY_BE_PAID else 0.0
