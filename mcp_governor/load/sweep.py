"""A sweep: connect, measure the client alone, then each point; what was measured is returned in any case."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Literal, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from mcp_governor.errors import ServerError, UsageError
from mcp_governor.load import formulas
from mcp_governor.load.model import INTERRUPTED, Loop, Sample, Sweep
from mcp_governor.load.opened import Permissions, open_target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.load.model import Engine, Point, SweepPlan
    from mcp_governor.load.opened import Opened
    from mcp_governor.target import Source


class Doing(Struct, frozen=True):
    """A step of a sweep begins.

    Attributes:
        step: ``connect``, ``ceiling`` (the client alone) or ``point``.
        concurrency: requests in flight; 0 for ``connect``.
        number, of: which of the points this is.
        target: what is measured, safe to print.
    """

    step: Literal["connect", "ceiling", "point"]
    concurrency: int = 0
    number: int = 0
    of: int = 0
    target: str = ""


Emit = Callable[[Doing], None]


def silent(_: Doing) -> None:
    """Ignore all events."""


MAX_CONCURRENCY = 1_000
"""Most requests in flight: five times the guide's largest point, and what one machine's file descriptors allow."""

MAX_POINTS = 20
"""Most points: four times the guide's."""

MAX_TOTAL = 100_000
"""Most requests for a point: a hundred times the guide's, enough for a p99.9 of a hundred requests."""

MAX_REQUESTS = 1_000_000
"""Most requests of a sweep: ten points of the most that one may have."""

MAX_RATE = 50_000.0
"""Most requests per second of the open loop: several times what our client can send on one machine."""

MAX_SECONDS = 3_600.0
"""Most seconds of a sweep: a job of CI that takes an hour is a mistake."""

MAX_WORKERS = 16
"""Most processes that send: each takes a core."""

MAX_WARM_UP = 1_000
"""Most requests before each point: as many as the guide's points have."""


def check(plan: SweepPlan, workers: int) -> None:
    """Refuse a plan that goes beyond a limit, or that measures nothing.

    Raises:
        UsageError: it names the option, its limit and the reason.
    """
    points = plan.concurrencies
    if not points:
        raise UsageError("--concurrency-values names no point.", "Name some, for example: 40,80,120")
    if len(points) > MAX_POINTS:
        raise UsageError(
            f"--concurrency-values names {len(points):,} points, and a sweep has at most {MAX_POINTS}.",
            "Name fewer; the recommendation needs five or six.",
        )
    _within("--concurrency-values", min(points), 1, MAX_CONCURRENCY)
    _within("--concurrency-values", max(points), 1, MAX_CONCURRENCY)
    _within("--total", plan.total, 1, MAX_TOTAL)
    if plan.total * len(points) > MAX_REQUESTS:
        raise UsageError(
            f"{len(points)} points of {plan.total:,} requests are more than {MAX_REQUESTS:,} requests.",
            "Name fewer points, or a smaller --total.",
        )
    _within("--warm-up", plan.warm_up, 0, MAX_WARM_UP)
    _within("--workers", workers, 1, MAX_WORKERS)
    if plan.rate is not None and not 0 < plan.rate <= MAX_RATE:
        raise UsageError(
            f"--rate is {plan.rate:g}; it must be above 0 and at most {MAX_RATE:,.0f} requests per second.",
            "Start with what the server gets in production.",
        )
    if not 0 < plan.seconds <= MAX_SECONDS:
        raise UsageError(
            f"--seconds is {plan.seconds:g}; it must be above 0 and at most {MAX_SECONDS:,.0f}.",
            "Use a smaller --total.",
        )


def _within(option: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise UsageError(
            f"{option} has {value:,}; it must be from {least:,} to {most:,}.", "Use a number within these limits."
        )


STDIO_CONCURRENCIES = (1, 2, 4, 8)
"""Points of a sweep over stdio where the user names none: each request in flight needs a process of its own."""

CEILING_REQUESTS = 100_000
"""Requests to a null responder for one point: more than our client can send in the seconds that it has."""

CEILING_SECONDS = 0.6
"""Seconds for the client's ceiling at one point: some thousand requests, which differ by 5 % from run to run, and five
points take three seconds."""


class Bench(Protocol):
    """An engine for a server, and what it learned about the responses.

    Attributes:
        engine: measures the server.
        response_bytes: body of one response; ``None`` if it was not measured.
        workers: processes that send.
        notes: sentences for the report.
    """

    engine: Engine
    response_bytes: int | None
    workers: int
    notes: tuple[str, ...]

    def null(self) -> Engine | None:
        """An engine that measures a null responder the same way; ``None`` if there is none."""


class Options(Struct, frozen=True):
    """How a sweep is run.

    Attributes:
        permissions: what the user allows.
        workers: processes that send; ``None`` for the engine's own choice.
        named_points: the user named the concurrencies.
    """

    permissions: Permissions = field(default_factory=Permissions)
    workers: int | None = None
    named_points: bool = True


def run_sweep(
    source: Source,
    plan: SweepPlan,
    *,
    options: Options | None = None,
    make_bench: Callable[[Opened, SweepPlan, Options], Bench] | None = None,
    emit: Emit = silent,
) -> Sweep:
    """Measure a server at each concurrency of a plan.

    After Ctrl-C, the sweep ends and returns its points until then.

    Args:
        source: the server.
        plan: what to measure.
        options: how.
        make_bench: makes the engine; by default the one for the transport of the server.
        emit: gets each step.

    Raises:
        UsageError: the plan goes beyond a limit, or the user may not put load on this server.
        ServerError: the server cannot be reached, or does not answer the request at all.
    """
    options = options or Options()
    check(plan, options.workers or 1)
    emit(Doing("connect", target=source.shown))
    opened = open_target(source, plan, options.permissions)
    if opened.transport == "stdio" and not options.named_points:
        plan = replace(plan, concurrencies=STDIO_CONCURRENCIES)
    bench = (make_bench or default_bench)(opened, plan, options)
    try:
        ceilings = client_ceilings(bench, plan, emit)
        points, interrupted = _points(bench.engine, plan, ceilings, emit)
    finally:
        bench.engine.close()
    return _result(opened, plan, bench, points, interrupted)


def default_bench(opened: Opened, plan: SweepPlan, options: Options) -> Bench:
    """Our engine for the transport of a server."""
    if opened.address is None:
        from mcp_governor.load.benches import StdioBench

        return StdioBench(opened, plan)
    from mcp_governor.load.benches import HttpBench

    return HttpBench(opened, plan, workers=options.workers or 1)


def client_ceilings(bench: Bench, plan: SweepPlan, emit: Emit) -> Mapping[int, float]:
    """Requests per second that our client reaches alone, by concurrency; points that were not measured are absent.

    Raises:
        KeyboardInterrupt: the user pressed Ctrl-C before anything was measured.
    """
    null = bench.null()
    if null is None:
        return {}
    found: dict[int, float] = {}
    alone = replace(plan, total=CEILING_REQUESTS, rate=None, warm_up=1)
    try:
        for number, concurrency in enumerate(plan.concurrencies, 1):
            emit(Doing("ceiling", concurrency, number, len(plan.concurrencies)))
            sample = null.measure(alone, concurrency, seconds=CEILING_SECONDS)
            if sample.stopped == INTERRUPTED:
                raise KeyboardInterrupt
            if sample.latencies_ms:
                found[concurrency] = len(sample.latencies_ms) / sample.seconds
    finally:
        null.close()
    return found


def _points(
    engine: Engine, plan: SweepPlan, ceilings: Mapping[int, float], emit: Emit
) -> tuple[list[Point], str | None]:
    """The points that were measured, and why there are no more of them."""
    points: list[Point] = []
    end = monotonic() + plan.seconds
    try:
        for number, concurrency in enumerate(plan.concurrencies):
            left = end - monotonic()
            if left <= 0:
                return points, f"the {plan.seconds:g} s of --seconds were over"
            emit(Doing("point", concurrency, number + 1, len(plan.concurrencies)))
            # A slow point leaves their share to the others, and a fast one more than that.
            share = left / (len(plan.concurrencies) - number)
            sample = _measured(engine, plan, concurrency, share)
            points.append(formulas.point(concurrency, sample, ceiling=ceilings.get(concurrency)))
            if sample.stopped == INTERRUPTED:
                return points, INTERRUPTED
    except KeyboardInterrupt:
        return points, INTERRUPTED
    return points, None


def _measured(engine: Engine, plan: SweepPlan, concurrency: int, seconds: float) -> Sample:
    try:
        return engine.measure(plan, concurrency, seconds=seconds)
    except ServerError as error:
        # The other points are tried all the same.
        return Sample((), {}, 0.0, error.message)


def _result(opened: Opened, plan: SweepPlan, bench: Bench, points: Sequence[Point], interrupted: str | None) -> Sweep:
    goals = plan.p95_slo_ms, plan.p99_slo_ms
    best = formulas.recommended(points, *goals)
    notes = list(bench.notes)
    if opened.has_more_pages and plan.method == "tools/list":
        notes.append("The list has several pages; the first one was measured.")
    return Sweep(
        target=opened.shown,
        transport=opened.transport,
        era=opened.era.value,
        protocol=opened.protocol,
        engine=bench.engine.name,
        plan=plan,
        points=tuple(points),
        knee=formulas.knee(points),
        feasible=tuple(item.concurrency for item in formulas.feasible(points, *goals)),
        recommended=best.concurrency if best is not None else None,
        interrupted=interrupted,
        notes=tuple(notes),
        saturation=formulas.saturation(points) if plan.loop is Loop.CLOSED else None,
        response_bytes=bench.response_bytes,
        workers=bench.workers,
        pool=formulas.pool_size(plan.concurrencies) if opened.transport == "http" else None,
    )
