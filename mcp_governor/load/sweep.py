"""A sweep: connect, measure the client alone, then each point; what was measured is returned in any case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.errors import ServerError, UnreachableError, UsageError
from mcp_governor.load import formulas
from mcp_governor.load.engines import MAX_PROCESSES, HttpEngine, NullEngine, NullStdio, StdioEngine
from mcp_governor.load.judge import response_in, split_at_id
from mcp_governor.load.model import INTERRUPTED, Engine, Sample, Sweep, SweepPlan
from mcp_governor.load.opened import Opened, Permissions, open_target
from mcp_governor.load.recipe import DIGITS, RESPONSE_FLOOR, RESPONSE_GROWTH, Recipe, http_job, recipe_of
from mcp_governor.text import one_line
from mcp_governor.wire import HttpEndpoint, StdioEndpoint
from mcp_governor.wire.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.load.model import Point
    from mcp_governor.target import Source


class Bench(Struct, frozen=True):
    """An engine for a server, and what it learned about the responses.

    Attributes:
        engine: measures the server.
        null: makes an engine that measures a null responder the same way; ``None`` if there is none.
        response_bytes: body of one response; ``None`` if it was not measured.
        workers: processes that send.
        notes: sentences for the report.
    """

    engine: Engine
    null: Callable[[], Engine | None]
    response_bytes: int | None = None
    workers: int = 1
    notes: Sequence[str] = ()


def default_bench(opened: Opened, plan: SweepPlan, workers: int | None) -> Bench:
    """Our engine for the transport of a server.

    Raises:
        UnreachableError: no good response came.
        UsageError: the tool answers these arguments with an error, or more processes are asked for than there may be.
    """
    if opened.address is None:
        return _stdio_bench(opened, plan)
    engine, recipe = http_engine(opened, plan, workers or 1)
    notes = []
    if recipe.session:
        notes.append("Each client opened a session of its own before its first request.")
    if not recipe.is_same:
        notes.append("Two responses of the server differ in more than their id, so each response was parsed.")
    if opened.address.tls:
        notes.append("The ceiling of the client was measured without TLS, which costs it something as well.")
    null = partial(NullEngine, recipe, workers or 1)
    return Bench(engine, null, recipe.response_bytes, workers or 1, notes)


def http_engine(opened: Opened, plan: SweepPlan, workers: int) -> tuple[HttpEngine, Recipe]:
    """Our engine for a server over streamable HTTP, and what it sends."""
    assert opened.address is not None
    assert isinstance(opened.endpoint, HttpEndpoint)
    job = http_job(opened.endpoint, opened.era, opened.protocol, plan, opened.tools)
    recipe = recipe_of(job, opened.address, longest=DEFAULT_LIMITS.message_bytes, timeout=plan.timeout)
    engine = HttpEngine([recipe] * workers)
    try:
        found, second = _tried(engine, opened, plan), _tried(engine, opened, plan)
        body: bytes = found["body"]
        parts = split_at_id(body, found["number"].encode())
        recipe = replace(
            recipe,
            # Without the id in it (an event of its own, say), any place will do: only the size counts.
            first=parts or (body[:-DIGITS], b""),
            is_same=parts is not None and parts == split_at_id(second["body"], second["number"].encode()),
            kind=found["kind"],
            tools=_tools_in(found) if plan.tool is None else None,
            session=found["session"],
            longest=max(RESPONSE_FLOOR, RESPONSE_GROWTH * len(body)),
        )
        engine.take([recipe] * workers)
    except BaseException:
        engine.close()
        raise
    return engine, recipe


def _tools_in(found: dict[str, Any]) -> list[Any] | None:
    message = response_in(found["kind"], found["body"], int(found["number"]))
    tools = message["result"].get("tools") if message is not None else None
    return tools if isinstance(tools, list) else None


def _tried(engine: HttpEngine, opened: Opened, plan: SweepPlan) -> dict[str, Any]:
    """A response that was checked in full."""
    found = engine.trial()
    if found["failure"] is None:
        return found
    kind = one_line(str(found["failure"]), 60)
    if plan.tool is not None and (kind == "tool-error" or kind.startswith("rpc")):
        raise UsageError(
            f"{opened.shown}: the tool answers these arguments with an error ({kind}).",
            "Name arguments that it accepts: --arguments '{…}'",
        )
    if kind.startswith("http-3"):
        raise UnreachableError(
            f"{opened.shown}: it redirects {plan.method} ({kind}), and a sweep follows no redirects.",
            "Name the final address.",
        )
    hint = _HINTS.get(kind, "Check the server's log.")
    raise UnreachableError(f"{opened.shown}: {plan.method} failed without any load ({kind}).", hint)


_HINTS = {
    "encoding": "It compresses responses although the request asks for none; turn that off.",
    "timeout": "Raise --timeout, or check why it is slow.",
    "tls": "Check the certificate; name the authority of a private one in SSL_CERT_FILE.",
}


def _stdio_bench(opened: Opened, plan: SweepPlan) -> Bench:
    assert isinstance(opened.endpoint, StdioEndpoint)
    most = max(plan.concurrencies)
    if most > MAX_PROCESSES:
        raise UsageError(
            f"A sweep over stdio starts one process for each request in flight, and {most:,} are more than "
            f"{MAX_PROCESSES}.",
            "Name smaller --concurrency-values, or the address of the server over HTTP.",
        )
    limits = Limits(request_timeout=plan.timeout, connect_timeout=DEFAULT_LIMITS.connect_timeout)
    result: dict[str, Any] = {"content": [], "isError": False}
    if plan.tool is None:
        result = {"ttlMs": 0, "cacheScope": "public", "tools": [*opened.tools.values()]}
    note = (
        "Over stdio, each request in flight has a process of the server of its own: this shows what the machine "
        "carries, not how one process queues."
    )
    return Bench(
        StdioEngine(opened.endpoint, opened.era, limits, tools=opened.first_page),
        partial(NullStdio, {"resultType": "complete", **result}, limits),
        notes=(note,),
    )


Emit = Callable[[str], None]
"""Gets a sentence about each step."""

MakeBench = Callable[[Opened, "SweepPlan", int | None], Bench]
"""Makes the engine for a server; the number is that of ``--workers``, ``None`` for the engine's own choice."""

MAX_POINTS = 20
"""Most points: four times the guide's."""

MAX_REQUESTS = 1_000_000
"""Most requests of a sweep: ten points of the most that one may have."""

_LIMITS = {
    # Five times the guide's largest point, and what one machine's file descriptors allow.
    "--concurrency-values": (1, 1_000),
    # A hundred times the guide's, enough for a p99.9 of a hundred requests.
    "--total": (1, 100_000),
    # As many as the guide's points have requests.
    "--warm-up": (0, 1_000),
    # Each takes a core.
    "--workers": (1, 16),
    # No latency is within a goal that is not a number.
    "--p95-slo-ms": (0.001, 1_000_000),
    "--p99-slo-ms": (0.001, 1_000_000),
    # Several times what our client can send on one machine.
    "--rate": (0.001, 50_000),
    # A job of CI that takes more than an hour is a mistake.
    "--seconds": (0.001, 3_600),
}
"""Option → its least and its largest value."""

STDIO_CONCURRENCIES = (1, 2, 4, 8)
"""Points of a sweep over stdio where the user names none: each request in flight needs a process of its own."""

CEILING_REQUESTS = 100_000
"""Requests to a null responder for one point: more than our client can send in the seconds that it has."""

CEILING_SECONDS = 0.6
"""Seconds for the client's ceiling at one point: some thousand requests, which differ by 5 % from run to run, and five
points take three seconds."""


def check(plan: SweepPlan, workers: int) -> None:
    """Refuse a plan that goes beyond a limit, or that measures nothing.

    Raises:
        UsageError: it names the option and its limit.
    """
    points = plan.concurrencies
    if not 1 <= len(points) <= MAX_POINTS:
        raise UsageError(
            f"--concurrency-values names {len(points):,} points, and a sweep has 1 to {MAX_POINTS}.",
            "Name five or six, for example: 40,80,120",
        )
    given: list[tuple[str, float]] = [("--concurrency-values", value) for value in points]
    given += [("--total", plan.total), ("--warm-up", plan.warm_up), ("--workers", workers), ("--seconds", plan.seconds)]
    given += [("--p95-slo-ms", plan.p95_slo_ms), ("--p99-slo-ms", plan.p99_slo_ms)]
    if plan.rate is not None:
        given.append(("--rate", plan.rate))
    for option, value in given:
        least, most = _LIMITS[option]
        if not least <= value <= most:
            raise UsageError(
                f"{option} has {value:,g}; it must be from {least:,} to {most:,}.", "Use a number within these limits."
            )
    if plan.total * len(points) > MAX_REQUESTS:
        raise UsageError(
            f"{len(points)} points of {plan.total:,} requests are more than {MAX_REQUESTS:,} requests.",
            "Name fewer points, or a smaller --total.",
        )


def run_sweep(
    source: Source,
    plan: SweepPlan,
    *,
    permissions: Permissions | None = None,
    workers: int | None = None,
    named_points: bool = True,
    make_bench: MakeBench = default_bench,
    emit: Emit = lambda _: None,
) -> Sweep:
    """Measure a server at each concurrency of a plan.

    After Ctrl-C, the sweep ends and returns its points until then.

    Args:
        source: the server.
        plan: what to measure.
        permissions: what the user allows.
        workers: processes that send; ``None`` for the engine's own choice.
        named_points: the user named the concurrencies.
        make_bench: makes the engine; by default the one for the transport of the server.
        emit: gets each step.

    Raises:
        UsageError: the plan goes beyond a limit, or the user may not put load on this server.
        ServerError: the server cannot be reached, or does not answer the request at all.
    """
    check(plan, workers or 1)
    emit(f"connecting to {one_line(source.shown, 60)} …")
    opened = open_target(source, plan, permissions or Permissions())
    if opened.transport == "stdio" and not named_points:
        plan = replace(plan, concurrencies=STDIO_CONCURRENCIES)
    bench = make_bench(opened, plan, workers)
    try:
        points, interrupted = _points(bench, plan, client_ceilings(bench, plan, emit), emit)
    finally:
        bench.engine.close()
    goals = plan.p95_slo_ms, plan.p99_slo_ms
    best = formulas.recommended(points, *goals)
    several_pages = "The list has several pages; the first one was measured."
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
        notes=(*bench.notes, *([several_pages] if opened.has_more_pages and plan.tool is None else ())),
        saturation=formulas.saturation(points) if plan.loop == "closed" else None,
        response_bytes=bench.response_bytes,
        workers=bench.workers,
        pool=formulas.pool_size(plan.concurrencies) if opened.transport == "http" else None,
    )


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
            emit(f"measuring our client: {concurrency} in flight ({number} of {len(plan.concurrencies)}) …")
            sample = null.measure(alone, concurrency, seconds=CEILING_SECONDS)
            if sample.stopped == INTERRUPTED:
                raise KeyboardInterrupt
            if sample.latencies_ms:
                found[concurrency] = len(sample.latencies_ms) / sample.seconds
    finally:
        null.close()
    return found


def _points(bench: Bench, plan: SweepPlan, ceilings: Mapping[int, float], emit: Emit) -> tuple[list[Point], str | None]:
    """The points that were measured, and why there are no more of them."""
    points: list[Point] = []
    end = monotonic() + plan.seconds
    try:
        for number, concurrency in enumerate(plan.concurrencies):
            left = end - monotonic()
            if left <= 0:
                return points, f"the {plan.seconds:g} s of --seconds were over"
            emit(f"measuring: {concurrency} in flight ({number + 1} of {len(plan.concurrencies)}) …")
            # A slow point leaves their share to the others, and a fast one more than that.
            share = left / (len(plan.concurrencies) - number)
            try:
                sample = bench.engine.measure(plan, concurrency, seconds=share)
            except ServerError as error:
                # The other points are tried all the same.
                sample = Sample((), {}, 0.0, error.message)
            points.append(formulas.point(concurrency, sample, ceiling=ceilings.get(concurrency)))
            if sample.stopped == INTERRUPTED:
                return points, INTERRUPTED
    except KeyboardInterrupt:
        return points, INTERRUPTED
    return points, None
