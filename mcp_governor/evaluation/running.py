"""Runs an evaluation: every query to every runner, within limits of rate, time and money.

Each answer is kept as soon as it is there, so a run that is interrupted continues where it was. What ends a run early
is reported in :attr:`~mcp_governor.evaluation.model.Run.ended`; a run with fewer answers never passes for a whole one.
"""

from __future__ import annotations

from collections import Counter, deque
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.errors import NothingCheckedError, UsageError
from mcp_governor.evaluation.asking import answer_key, offer_for
from mcp_governor.evaluation.model import Answer, Estimating, Failure, Run, Usage, ends_run, may_pass
from mcp_governor.evaluation.pacing import Clock, Pacer, Purse, RealClock, most_of, wait_before
from mcp_governor.evaluation.store import Kept
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from mcp_governor.evaluation.model import Estimate, Offer, Query, Runner

CONCURRENCY = 4
"""Requests to one provider at once: the lowest tiers of the providers admit 50 requests a minute, and a request takes
2 to 5 s."""

ATTEMPTS = 5
"""Attempts per query: with the waits between them about 15 s, longer than the restarts of a provider's node."""

MAX_SECONDS = 3_600.0
"""Time limit of a whole evaluation unless another one is given: 500 queries to three models take ten minutes."""

MAX_FAILURES = 8
"""Queries in a row without an answer after which a runner is given up: two for each request at once."""


class Keeper(Protocol):
    """Where answers are kept."""

    def get(self, key: str) -> Kept | None:
        """The answer under a key."""

    def put(self, key: str, runner: str, answer: Answer, asked: str) -> None:
        """Keep an answer."""


class Settings(Struct, frozen=True):
    """How an evaluation runs.

    Attributes:
        seed: seed of the orders of the tools.
        replay: use kept answers only.
        max_cost: dollars that may be spent at most; ``None`` for no limit.
        max_seconds: time limit.
        concurrency: requests to one provider at once.
        attempts: attempts per query.
        per_minute: family → maximum number of requests in a minute.
    """

    seed: int = 0
    replay: bool = False
    max_cost: float | None = None
    max_seconds: float = MAX_SECONDS
    concurrency: int = CONCURRENCY
    attempts: int = ATTEMPTS
    per_minute: Mapping[str, float] | None = None


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
        input_tokens: of these; ``None`` if the runner says nothing about tokens.
        output_tokens: the most that may come back; ``None`` as above.
        dollars: expected cost; ``None`` if a price is not known.
        most_dollars: the most that they may cost; ``None`` as above.
        free: requests of this runner cost nothing.
    """

    runner: str
    kept: int
    asked: int
    input_tokens: int | None
    output_tokens: int | None
    dollars: float | None
    most_dollars: float | None
    free: bool = False


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


class Subject(Struct, frozen=True):
    """What is evaluated: the tools as offered, and the digests and the name of their surface."""

    tools: tuple[Mapping[str, Any], ...]
    fingerprint: str
    wording: str
    server: str = ""


def now_text() -> str:
    """The day and time in UTC, ISO 8601, in seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def estimate_of(runner: Runner, query: Query, offer: Offer) -> Estimate | None:
    """What a request takes; ``None`` if it costs nothing."""
    return runner.estimate(query, offer) if isinstance(runner, Estimating) else None


def plan(
    runners: Sequence[Runner], queries: Sequence[Query], subject: Subject, settings: Settings, keeper: Keeper
) -> list[Plan]:
    """What an evaluation would send and cost, without sending anything."""
    plans = []
    for runner in runners:
        kept, estimates = 0, []
        for query in queries:
            offer = offer_for(subject.tools, query, settings.seed)
            if _kept(keeper, answer_key(runner.info, query, offer), query, replay=False) is not None:
                kept += 1
            else:
                estimates.append(estimate_of(runner, query, offer))
        free = not isinstance(runner, Estimating)
        known = [one for one in estimates if one is not None]
        plans.append(
            Plan(
                runner=runner.info.name,
                kept=kept,
                asked=len(estimates),
                input_tokens=None if free else sum(one.input_tokens for one in known),
                output_tokens=None if free else sum(one.output_tokens for one in known),
                dollars=0.0 if free else _sum([one.dollars for one in known]),
                most_dollars=0.0 if free else _sum([one.most_dollars for one in known]),
                free=free,
            )
        )
    return plans


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _kept(keeper: Keeper, key: str, query: Query, *, replay: bool) -> Kept | None:
    """A kept answer; a failure is not one, except that a replay repeats it."""
    found = keeper.get(key)
    if found is None or (found.answer.failure is not None and not replay):
        return None
    # The same question may have had another id when it was asked.
    return replace(found, answer=replace(found.answer, query=query.id))


async def evaluate(
    runners: Sequence[Runner],
    run_of: Callable[[Runner, tuple[Answer, ...], str, str | None], Run],
    queries: Sequence[Query],
    subject: Subject,
    settings: Settings,
    *,
    keeper: Keeper,
    clock: Clock | None = None,
    emit: Callable[[Progress], None] = lambda _: None,
    now: Callable[[], str] | None = None,
) -> Done:
    """Ask every runner every query.

    Args:
        runners: who is asked; they are not closed.
        run_of: makes a run from a runner, its answers, when it started, and why it ended early.
        queries: what is asked, in this order.
        subject: the tools.
        settings: limits.
        keeper: where answers are kept.
        clock: the time; the system's by default.
        emit: receives the progress after each answer.
        now: the day and time, as text; the system's by default.

    Raises:
        NothingCheckedError: there are no queries, no runners or no tools.
        UsageError: a replay has no answer to a query, or the limit of dollars cannot be kept because a price is not
            known; nothing was sent then.
    """
    for number, what in ((len(queries), "query"), (len(runners), "runner"), (len(subject.tools), "tool")):
        if not number:
            raise NothingCheckedError(f"There is no {what} to evaluate.", "Check the target and the query set.")
    engine = _Engine(runners, queries, subject, settings, keeper, clock or RealClock(), emit, now or now_text)
    engine.look_up()
    if settings.replay:
        engine.refuse_misses()
    elif settings.max_cost is not None:
        engine.refuse_unpriced()
    if engine.waiting:
        await engine.run()
    return Done(
        runs=tuple(run_of(runner, *engine.outcome(at)) for at, runner in enumerate(runners)),
        dollars=engine.purse.spent,
        kept=engine.kept,
        asked=engine.sent,
    )


class _Task:
    """One query to one runner."""

    __slots__ = ("at", "key", "offer", "query", "runner")

    def __init__(self, at: int, runner: Runner, query: Query, offer: Offer, key: str) -> None:
        self.at, self.runner, self.query, self.offer, self.key = at, runner, query, offer, key


class _Engine:
    """The state of an evaluation while it runs."""

    def __init__(
        self,
        runners: Sequence[Runner],
        queries: Sequence[Query],
        subject: Subject,
        settings: Settings,
        keeper: Keeper,
        clock: Clock,
        emit: Callable[[Progress], None],
        now: Callable[[], str],
    ) -> None:
        self.runners, self.queries, self.subject, self.settings = runners, queries, subject, settings
        self.keeper, self.clock, self.emit, self.now = keeper, clock, emit, now
        self.purse = Purse(settings.max_cost)
        self.answers: list[dict[str, Kept]] = [{} for _ in runners]
        self.ended: dict[int, str] = {}
        self.in_a_row = Counter[int]()
        self.kept = self.sent = self.failed = 0
        self.waiting: dict[str, deque[_Task]] = {}
        self.random = Random(settings.seed)  # noqa: S311  jitter
        self.end = clock.now() + settings.max_seconds
        self.stopped = ""

    def look_up(self) -> None:
        """Take what is kept; the rest waits, by provider, one query of every model after the other."""
        for query in self.queries:
            offer = offer_for(self.subject.tools, query, self.settings.seed)
            for at, runner in enumerate(self.runners):
                key = answer_key(runner.info, query, offer)
                found = _kept(self.keeper, key, query, replay=self.settings.replay)
                if found is not None:
                    self.answers[at][query.id] = found
                    self.kept += 1
                else:
                    task = _Task(at, runner, query, offer, key)
                    self.waiting.setdefault(runner.info.family, deque()).append(task)
        self.report()

    def refuse_misses(self) -> None:
        missing = [task for tasks in self.waiting.values() for task in tasks]
        if not missing:
            return
        first = missing[0]
        more = f" ({len(missing) - 1} more are missing)" if len(missing) > 1 else ""
        raise UsageError(
            f'No answer of {one_line(first.runner.info.name, 60)} to the query "{one_line(first.query.id, 60)}" was '
            f"recorded for these tools, this model and this seed{more}.",
            "Run without --replay, with --record, and commit the recorded file.",
        )

    def refuse_unpriced(self) -> None:
        for tasks in self.waiting.values():
            for task in tasks:
                estimate = estimate_of(task.runner, task.query, task.offer)
                if estimate is not None and estimate.most_dollars is None:
                    raise UsageError(
                        f"The price of {one_line(task.runner.info.name, 60)} is unknown, so --max-cost cannot be kept.",
                        "Remove --max-cost, or this runner.",
                    )

    async def run(self) -> None:
        import anyio

        limits = self.settings.per_minute or {}
        self.changed = anyio.Condition()
        async with anyio.create_task_group() as group:
            for family, tasks in self.waiting.items():
                pacer = Pacer(self.clock, limits.get(family))
                for _ in range(min(self.settings.concurrency, len(tasks))):
                    group.start_soon(self._work, tasks, pacer)

    async def _work(self, tasks: deque[_Task], pacer: Pacer) -> None:
        while tasks and not self.stopped:
            task = tasks.popleft()
            if task.at not in self.ended:
                await self._ask(task, pacer)

    async def _ask(self, task: _Task, pacer: Pacer) -> None:
        spent: list[Usage] = []
        answer: Answer | None = None
        for attempt in range(1, self.settings.attempts + 1):
            reserved = await self._ready(task, pacer)
            if reserved is None:
                break
            asked = self.now()
            answer = None
            try:
                answer = await self._answer(task)
            finally:
                # Interrupted: the request may have been answered, and paid.
                cost = reserved if answer is None else _cost(answer, reserved)
                await self._settle(reserved, cost)
            spent.append(replace(answer.usage, dollars=_dollars(answer, cost)))
            asks_to_wait = answer.retry_after
            answer = replace(answer, query=task.query.id, usage=_total(spent), retry_after=None)
            self.sent += attempt == 1
            failure = answer.failure
            if failure is None or not may_pass(failure) or attempt == self.settings.attempts:
                break
            wait = wait_before(attempt, asks_to_wait, self.random)
            if not await self._pause(wait.seconds, pacer if wait.named else None):
                break
        if answer is not None:
            self._take(task, answer, asked)

    async def _answer(self, task: _Task) -> Answer:
        """One request. A runner has a time limit of its own; beyond that of the run nobody waits for it."""
        import anyio

        with anyio.move_on_after(max(self.end - self.clock.now(), 0)):
            return await task.runner.answer(task.query, task.offer)
        return Answer(task.query.id, (), failure=Failure.TIMEOUT)

    async def _ready(self, task: _Task, pacer: Pacer) -> float | None:
        """Wait for the place in the rate, and set the money aside; ``None`` if the run is over."""
        if not await self._sleep(pacer.take()):
            return None
        estimate = estimate_of(task.runner, task.query, task.offer)
        async with self.changed:
            while not self.stopped:
                reserved = self.purse.reserve(estimate)
                if reserved is not None:
                    return reserved
                if not self.purse.is_waiting:
                    self.stopped = (
                        f"the next request may cost ${most_of(estimate):.4f}, and ${self.purse.spent:.4f} of "
                        f"${self.settings.max_cost or 0:.4f} are spent"
                    )
                    self.changed.notify_all()
                    return None
                await self.changed.wait()
        return None

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

    async def _pause(self, seconds: float, pacer: Pacer | None) -> bool:
        if pacer is not None:
            pacer.pause(seconds)
        return await self._sleep(seconds)

    def _take(self, task: _Task, answer: Answer, asked: str) -> None:
        self.answers[task.at][task.query.id] = Kept(answer, asked)
        self.keeper.put(task.key, task.runner.info.name, answer, asked)
        if answer.failure is None:
            self.in_a_row[task.at] = 0
        else:
            self.failed += 1
            self.in_a_row[task.at] += 1
            if ends_run(answer.failure):
                said = f": {answer.detail}" if answer.detail else ""
                self.ended.setdefault(task.at, f"{answer.failure}{said}")
            elif self.in_a_row[task.at] >= MAX_FAILURES:
                self.ended.setdefault(
                    task.at, f"{MAX_FAILURES} queries in a row had no answer (the last one: {answer.failure})"
                )
        self.report()

    def report(self) -> None:
        """Say how far the run is."""
        done = sum(map(len, self.answers))
        total = len(self.queries) * len(self.runners)
        self.emit(Progress(done, total, self.kept, self.failed, self.purse.spent))

    def outcome(self, at: int) -> tuple[tuple[Answer, ...], str, str | None]:
        """The answers of a runner in the order of the queries, when they began, and why there are not more."""
        kept = self.answers[at]
        answers = tuple(kept[query.id].answer for query in self.queries if query.id in kept)
        started = min((one.asked for one in kept.values()), default="")
        ended = self.ended.get(at) or (self.stopped if len(kept) < len(self.queries) else "")
        return answers, started, ended or None


_MAY_BE_PAID = frozenset(("timeout", "cut", "malformed", "truncated", "too-large"))
"""Failures after which a provider may charge for what the model wrote."""


def _cost(answer: Answer, reserved: float) -> float:
    """What a request cost; the most that it may have cost where the provider does not say."""
    if answer.usage.dollars is not None:
        return answer.usage.dollars
    return reserved if answer.failure is None or answer.failure in _MAY_BE_PAID else 0.0


def _dollars(answer: Answer, cost: float) -> float | None:
    """The cost in the record: unknown stays unknown where no price is known."""
    return answer.usage.dollars if answer.usage.dollars is not None else (cost or None)


def _total(parts: Sequence[Usage]) -> Usage:
    """All attempts together."""
    known = [part.dollars for part in parts if part.dollars is not None]
    return Usage(
        input_tokens=sum(part.input_tokens for part in parts),
        output_tokens=sum(part.output_tokens for part in parts),
        cached_tokens=sum(part.cached_tokens for part in parts),
        dollars=sum(known) if known else None,
        seconds=parts[-1].seconds,
        requests=sum(part.requests for part in parts),
    )


@asynccontextmanager
async def closing(runners: Sequence[Runner]) -> AsyncIterator[None]:
    """Close every runner at the end, whatever happens."""
    import anyio

    try:
        yield
    finally:
        with anyio.CancelScope(shield=True):
            for runner in runners:
                await runner.aclose()
