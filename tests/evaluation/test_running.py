"""The engine: order, limits, retries, money, and what is kept when it ends early."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import anyio
import pytest
from evaluation_fakes import TOOLS, FakeClock, FakeRunner, PricedRunner, query, query_set, right
from hypothesis import given, settings
from hypothesis import strategies as st
from replacing import replace

from mcp_governor.errors import NothingCheckedError, UsageError
from mcp_governor.evaluation.asking import offer_for
from mcp_governor.evaluation.model import Answer, Estimate, Failure, Usage, ends_run, may_pass
from mcp_governor.evaluation.pacing import wait_before
from mcp_governor.evaluation.running import ATTEMPTS, Done, Progress, Settings, evaluate, plan
from mcp_governor.evaluation.store import Kept

QUERIES = query_set(*(query(number) for number in range(6)))


class Memory:
    """Keeps answers in a dictionary."""

    def __init__(self) -> None:
        self.kept: dict[str, Kept] = {}

    def get(self, key: str) -> Kept | None:
        return self.kept.get(key)

    def put(self, key: str, runner: str, answer: Answer, asked: str) -> None:
        self.kept[key] = Kept(answer, asked)


class Forgetful:
    """Keeps nothing."""

    def get(self, key: str) -> None:
        pass

    def put(self, key: str, runner: str, answer: Answer, asked: str) -> None:
        pass


def _go(
    *runners: Any,
    keeper: Any = None,
    clock: FakeClock | None = None,
    queries: Any = QUERIES,
    emit: Callable[[Progress], None] = lambda _: None,
    **more: Any,
) -> Done:
    keeper, clock = keeper or Forgetful(), clock or FakeClock()
    return anyio.run(
        lambda: evaluate(runners, queries.queries, TOOLS, Settings(**more), keeper, clock=clock, emit=emit)
    )


def _failing(kind: str, times: int, retry_after: float | None = None) -> Any:
    """Fails the first so many attempts of each query."""

    def reply(asked: Any, _: Any, attempt: int) -> Answer:
        if attempt <= times:
            return Answer(asked.id, (), failure=kind, retry_after=retry_after)
        return right(asked)

    return reply


def test_every_runner_is_asked_every_query_in_its_own_order_of_tools() -> None:
    shown = {}

    def reply(asked: Any, offer: Any, _: int) -> Answer:
        shown[asked.id] = offer
        return right(asked)

    first, second = FakeRunner(reply=reply), FakeRunner("openai:two")
    done = _go(first, second, seed=5)
    assert [[one.query for one in run.answers] for run in done.runs] == [[f"q{at}" for at in range(6)]] * 2
    assert shown == {one.id: offer_for(TOOLS, one, 5) for one in QUERIES.queries}
    assert (done.asked, done.kept, done.runs[0].ended) == (12, 0, None)


def test_no_more_than_so_many_requests_to_one_provider_at_once() -> None:
    running = {"anthropic": 0, "openai": 0}
    highest = dict(running)

    class Slow(FakeRunner):
        async def answer(self, query: Any, offer: Any) -> Answer:
            running[self.info.family] += 1
            highest[self.info.family] = max(highest[self.info.family], running[self.info.family])
            for _ in range(5):
                await anyio.lowlevel.checkpoint()
            running[self.info.family] -= 1
            return right(query)

    _go(Slow("anthropic:one"), Slow("anthropic:two"), Slow("openai:one"), concurrency=3)
    assert highest == {"anthropic": 3, "openai": 3}


@pytest.mark.parametrize("kind", ["timeout", "rate-limited", "http-500", "http-503", "unreachable"])
def test_a_failure_that_may_pass_is_asked_again_with_growing_waits(kind: str) -> None:
    clock, runner = FakeClock(), FakeRunner(reply=_failing(kind, 3))
    done = _go(runner, clock=clock, queries=query_set(query(1)))
    assert done.runs[0].answers[0].failure is None
    assert done.runs[0].answers[0].usage.requests == 4
    assert [low <= wait <= 2 * low for wait, low in zip(clock.waits, (0.5, 1, 2), strict=True)] == [True] * 3


def test_attempts_end_and_the_failure_stays() -> None:
    runner = FakeRunner(reply=_failing("http-500", 99))
    done = _go(runner, queries=query_set(query(1)))
    assert (done.runs[0].answers[0].failure, len(runner.sent)) == ("http-500", ATTEMPTS)


@pytest.mark.parametrize("kind", ["http-400", "truncated", "too-large"])
def test_a_failure_that_stays_is_not_asked_again(kind: str) -> None:
    runner = FakeRunner(reply=_failing(kind, 99))
    _go(runner, queries=query_set(query(1)))
    assert runner.sent == ["q1"]


def test_retry_after_is_obeyed_and_holds_for_the_whole_provider() -> None:
    clock = FakeClock()
    times: list[tuple[str, float]] = []

    def reply(asked: Any, _: Any, attempt: int) -> Answer:
        times.append((asked.id, clock.now()))
        if asked.id == "q0" and attempt == 1:
            return Answer(asked.id, (), failure="rate-limited", retry_after=30)
        return right(asked)

    _go(FakeRunner(reply=reply), clock=clock, concurrency=1)
    assert times[0] == ("q0", 0.0)
    assert all(at >= 30 for _, at in times[1:])


def test_a_wait_beyond_the_time_limit_ends_the_run_instead() -> None:
    clock = FakeClock()
    done = _go(FakeRunner(reply=_failing("rate-limited", 9, 9_999)), clock=clock, max_seconds=60)
    assert clock.now() < 60
    assert done.runs[0].ended == "the time limit of 60 s was reached"


def test_a_runner_that_hangs_ends_with_the_run() -> None:
    class Hanging(FakeRunner):
        async def answer(self, query: Any, offer: Any) -> Answer:
            await anyio.sleep_forever()
            raise AssertionError

    clock = FakeClock()
    done = _go(Hanging(), clock=clock, max_seconds=0.05, concurrency=1)
    assert done.runs[0].answers[0].failure == "timeout"


def test_a_rate_limit_spreads_requests() -> None:
    clock = FakeClock()
    times: list[float] = []

    def reply(asked: Any, *_: Any) -> Answer:
        times.append(clock.now())
        return right(asked)

    _go(FakeRunner(reply=reply), clock=clock, per_minute={"anthropic": 30}, concurrency=1)
    assert times == pytest.approx([0, 2, 4, 6, 8, 10])


def test_waits_have_jitter_and_a_limit() -> None:
    waits = [wait_before(attempt, None, Random(1)) for attempt in range(1, 12)]
    assert max(waits) <= 60
    assert waits[0] <= 1
    assert len({wait_before(3, None, Random(seed)) for seed in range(9)}) == 9
    assert 17 <= wait_before(1, 17.0, Random(1)) <= 18


@pytest.mark.parametrize("kind", ["auth", "quota", "unknown-model"])
def test_a_failure_of_every_request_ends_its_runner_and_no_other(kind: str) -> None:
    broken, other = FakeRunner(reply=_failing(kind, 99)), FakeRunner("openai:two")
    done = _go(broken, other, concurrency=1)
    assert (broken.sent, done.runs[0].ended) == (["q0"], kind)
    assert (len(other.sent), done.runs[1].ended) == (6, None)


def test_a_provider_that_never_answers_is_given_up() -> None:
    many = query_set(*(query(number) for number in range(40)))
    runner = FakeRunner(reply=_failing("http-400", 99))
    done = _go(runner, queries=many, concurrency=1)
    assert len(runner.sent) == 8
    assert done.runs[0].ended == "8 queries in a row had no answer (the last one: http-400)"


def test_failures_with_answers_between_them_are_not_in_a_row() -> None:
    many = query_set(*(query(number) for number in range(40)))
    runner = FakeRunner(
        reply=lambda asked, *_: right(asked) if int(asked.id[1:]) % 8 == 0 else Answer(asked.id, (), failure="http-400")
    )
    assert _go(runner, queries=many, concurrency=1).runs[0].ended is None
    assert len(runner.sent) == 40


# --- money


@pytest.mark.parametrize(
    ("limit", "sent"),
    [(0.0, 0), (0.0099, 0), (0.01, 1), (0.0139, 1), (0.014, 2), (0.018, 3), (0.03, 6), (1.0, 6)],
)
@pytest.mark.parametrize("concurrency", [1, 2, 4])
def test_max_cost_stops_before_the_request_that_could_exceed_it(limit: float, sent: int, concurrency: int) -> None:
    """A request may cost 1 cent and costs 0.4: after n of them, the next one needs 0.4 n + 1 cents."""
    runner = PricedRunner()
    done = _go(runner, max_cost=limit, concurrency=concurrency)
    assert len(runner.sent) == sent
    assert done.dollars == pytest.approx(0.004 * sent)
    if sent < 6:
        assert done.runs[0].ended == (
            f"the next request may cost $0.0100, and ${0.004 * sent:.4f} of ${limit:.4f} are spent"
        )
        assert len(done.runs[0].answers) == sent


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(min_value=0, max_value=0.01), min_size=6, max_size=6),
    st.floats(min_value=0, max_value=0.08),
    st.integers(min_value=1, max_value=5),
    st.lists(st.booleans(), min_size=6, max_size=6),
)
def test_no_order_of_costs_and_failures_spends_more_than_the_limit(
    costs: list[float], limit: float, concurrency: int, fails: list[bool]
) -> None:
    paid = 0.0

    def reply(asked: Any, _: Any, attempt: int) -> Answer:
        nonlocal paid
        at = int(asked.id[1:])
        paid += costs[at]
        if fails[at] and attempt == 1:
            return Answer(asked.id, (), failure="timeout", usage=Usage(dollars=costs[at]))
        return right(asked, dollars=costs[at])

    done = _go(PricedRunner(reply=reply), max_cost=limit, concurrency=concurrency)
    assert paid <= limit + 1e-8
    assert done.dollars == pytest.approx(paid)


def test_a_timeout_may_have_been_paid() -> None:
    runner = PricedRunner(reply=_failing("timeout", 99))
    done = _go(runner, max_cost=0.035, concurrency=1)
    assert (len(runner.sent), round(done.dollars, 6)) == (3, 0.03)
    free = PricedRunner(reply=_failing("rate-limited", 2))
    assert _go(free, max_cost=1.0, queries=query_set(query(1))).dollars == pytest.approx(0.004)


def test_without_a_price_the_limit_cannot_be_kept_so_nothing_is_sent() -> None:
    runner = PricedRunner(most=None)
    with pytest.raises(UsageError, match="The price of anthropic:one is unknown, so --max-cost cannot be kept"):
        _go(runner, max_cost=5.0)
    assert runner.sent == []
    assert _go(runner).runs[0].ended is None


# --- what is kept


def test_what_was_answered_is_not_asked_again() -> None:
    memory, first = Memory(), PricedRunner()
    _go(first, keeper=memory, max_cost=0.02)
    second = PricedRunner()
    done = _go(second, keeper=memory)
    assert len(first.sent) == 3
    assert second.sent == ["q3", "q4", "q5"]
    assert (done.kept, done.asked, round(done.dollars, 6)) == (3, 3, 0.012)
    assert len(done.runs[0].answers) == 6


def test_an_interrupted_run_keeps_what_was_answered() -> None:
    memory = Memory()

    def reply(asked: Any, *_: Any) -> Answer:
        if asked.id == "q3":
            raise KeyboardInterrupt
        return right(asked)

    with pytest.raises((KeyboardInterrupt, BaseExceptionGroup)):
        _go(FakeRunner(reply=reply), keeper=memory, concurrency=1)
    again = FakeRunner()
    _go(again, keeper=memory)
    assert again.sent == ["q3", "q4", "q5"]


def test_a_kept_failure_is_asked_again_and_a_replay_repeats_it() -> None:
    memory = Memory()
    first = _go(FakeRunner(reply=_failing("http-400", 1)), keeper=memory, queries=query_set(query(1)))
    replayed = _go(FakeRunner(), keeper=memory, queries=query_set(query(1)), replay=True)
    assert replayed.runs == first.runs
    again = FakeRunner()
    _go(again, keeper=memory, queries=query_set(query(1)))
    assert again.sent == ["q1"]


def test_a_replay_names_the_query_that_was_not_recorded() -> None:
    memory = Memory()
    _go(FakeRunner(), keeper=memory, queries=query_set(query(0), query(1)))
    with pytest.raises(UsageError, match=r'to the query "q2" was recorded .* \(3 more are missing\)'):
        _go(FakeRunner(), keeper=memory, replay=True)
    with pytest.raises(UsageError, match=r'to the query "q0" was recorded'):
        _go(FakeRunner(), keeper=memory, replay=True, seed=1)


def test_a_plan_sends_nothing() -> None:
    memory, runner = Memory(), PricedRunner()
    _go(PricedRunner(), keeper=memory, queries=query_set(query(0), query(1)))
    runners = [runner, PricedRunner("openai:two", most=None), FakeRunner("bm25", proxy=True)]
    first, second, third = plan(runners, QUERIES.queries, TOOLS, Settings(), memory)
    assert (first.kept, first.asked, first.estimate) == (2, 4, Estimate(400, 200, 0.02, 0.04))
    assert (second.asked, second.estimate) == (6, Estimate(600, 300, None, None))
    assert (third.free, third.asked, third.estimate) == (True, 6, Estimate(0, 0, 0.0, 0.0))
    assert runner.sent == []


def test_progress_counts_everything() -> None:
    memory, seen = Memory(), []
    _go(PricedRunner(), keeper=memory, queries=query_set(query(0), query(1)))
    _go(PricedRunner(), keeper=memory, concurrency=1, emit=seen.append)
    assert [(one.done, one.total, one.kept) for one in seen] == [(2 + at, 6, 2) for at in range(5)]
    assert seen[-1].dollars == pytest.approx(0.016)


def test_nothing_to_evaluate_is_an_error() -> None:
    with pytest.raises(NothingCheckedError, match="There is no runner to evaluate"):
        _go()
    with pytest.raises(NothingCheckedError, match="There is no query to evaluate"):
        _go(FakeRunner(), queries=replace(QUERIES, queries=()))


def test_runners_are_closed_whatever_happens() -> None:
    one, two = FakeRunner(), FakeRunner()
    with pytest.raises(UsageError):
        _go(one, two, replay=True)
    assert (one.closed, two.closed) == (True, True)


TABLE = {
    Failure.TIMEOUT: (True, False),
    Failure.UNREACHABLE: (True, False),
    Failure.CUT: (True, False),
    Failure.RATE_LIMITED: (True, False),
    # Another draw of the model may be well formed.
    Failure.MALFORMED: (True, False),
    Failure.QUOTA: (False, True),
    Failure.AUTH: (False, True),
    Failure.UNKNOWN_MODEL: (False, True),
    # The same request would reach the same limit, and be paid for again.
    Failure.TRUNCATED: (False, False),
    Failure.TOO_LARGE: (False, False),
    "http-400": (False, False),
    "http-408": (True, False),
    "http-409": (True, False),
    "http-413": (False, False),
    "http-500": (True, False),
    "http-529": (True, False),
}


def test_the_table_has_every_kind():
    assert set(Failure) <= set(TABLE)


@pytest.mark.parametrize("failure", TABLE)
def test_a_failure_passes_or_ends_the_run(failure):
    assert (may_pass(failure), ends_run(failure)) == TABLE[failure]
