"""A sweep: connect, measure the client alone, then each point; what was measured is returned in any case."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from mcp_governor.errors import ServerError
from mcp_governor.load import caps, formulas
from mcp_governor.load.events import Doing, Emit, silent
from mcp_governor.load.model import INTERRUPTED, Loop, Sample, Sweep
from mcp_governor.load.opened import Permissions, open_target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mcp_governor.load.model import Engine, Point, SweepPlan
    from mcp_governor.load.opened import Opened
    from mcp_governor.target import Source

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
    caps.check(plan, options.workers or 1)
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
