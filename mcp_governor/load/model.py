"""What a sweep is asked to do, what it measured, and that as JSON (``load sweep --json-out``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence  # noqa: TC003 - msgspec reads the types
from typing import Annotated, Any, Literal, Protocol

from msgspec import Meta, Struct, field

from mcp_governor.documents import Amount, Count, Governor

CLIENT_SHARE = 0.7
"""A point above this share of the client's own ceiling is limited by the client: beyond it, our own queues add to the
latency that we report."""

INTERRUPTED = "interrupted"
"""Why a point was stopped if the user pressed Ctrl-C: the sweep ends with it."""

TIME_OUTS = frozenset({"timeout", "connect-timeout"})
"""Kinds of failure whose requests took the whole time that they had: it is part of the percentiles."""

LIMITED = "http-429"
"""Kind of failure of a request that a rate limiter refused: 429 Too Many Requests (RFC 6585, 4)."""


class SweepPlan(Struct, frozen=True):
    """What to measure; the defaults are those of the tool schema guide (section 0b).

    Attributes:
        concurrencies: requests in flight at each point, ascending.
        total: requests for each point; with fewer than 1,000, p99 is one of the maxima.
        warm_up: requests before each point that are not counted: the first builds what the server caches, the second
            reads it.
        p95_slo_ms, p99_slo_ms: latency goals in milliseconds.
        rate: requests per second of the open loop; ``None`` for the closed loop. Latency then counts from the moment at
            which a request was due, not from when it was sent: a server that stalls delays the requests behind it.
        timeout: seconds for one response.
        seconds: most seconds for the sweep; what is left then is not measured.
        method: the method to send.
        params: its parameters, without ``_meta``.
    """

    concurrencies: tuple[int, ...] = (40, 80, 120, 160, 200)
    total: int = 1_000
    warm_up: int = 2
    p95_slo_ms: float = 400.0
    p99_slo_ms: float = 800.0
    rate: float | None = None
    timeout: float = 30.0
    seconds: float = 600.0
    method: str = "tools/list"
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def loop(self) -> Literal["closed", "open"]:
        """``closed``: a new request when one is answered; ``open``: at a fixed rate, whatever happens."""
        return "closed" if self.rate is None else "open"

    @property
    def tool(self) -> str | None:
        """The tool that is called; ``None`` if another method is sent."""
        return self.params["name"] if self.method == "tools/call" else None


class Sample(Struct, frozen=True):
    """What an engine measured at one point.

    Attributes:
        latencies_ms: milliseconds of each successful request, ascending.
        errors: kind of failure (``refused``, ``reset``, ``timeout``, ``http-503``, ``rpc--32603``, ``tool-error``, …) →
            number of requests.
        seconds: from the first request to the end of the last one.
        stopped: why fewer requests than planned were sent; ``None`` if all were.
        expired_ms: milliseconds until each request that timed out was given up.
        retry_after_s: the longest ``Retry-After`` of a response, in seconds; ``None`` if there was none.
    """

    latencies_ms: Sequence[float]
    errors: Mapping[str, int]
    seconds: float
    stopped: str | None = None
    expired_ms: Sequence[float] = ()
    retry_after_s: float | None = None


class Engine(Protocol):
    """Sends requests and measures them; one engine serves one sweep."""

    @property
    def name(self) -> str:
        """The name in reports: ``asyncio``, ``locust``."""

    def measure(self, plan: SweepPlan, concurrency: int, *, seconds: float) -> Sample:
        """Measure one point.

        Args:
            plan: the plan of the sweep.
            concurrency: requests in flight.
            seconds: most seconds that the point may take; a sample is returned in any case, also after Ctrl-C.
        """

    def close(self) -> None:
        """End all processes and connections of the engine."""


class Point(Struct, frozen=True):
    """One point; milliseconds are null if no request succeeded or timed out.

    Attributes:
        concurrency: Requests in flight.
        requests: Requests sent, without warm-up.
        errors: Kind of failure → number.
        throughput: Successful requests per second.
        ceiling: Requests per second of our client against a null responder; null if it was not measured.
        stopped: Why fewer requests than planned were sent.
        histogram: Lower bound of a bucket in microseconds, and the latencies in it. A bucket keeps the 8 leading bits
            of a value. Counts of several reports can be added.
        retry_after_s: The longest Retry-After of a response, in seconds.
    """

    concurrency: Annotated[int, Meta(ge=1)]
    requests: Count
    errors: Mapping[str, Count]
    seconds: Amount
    throughput: Amount = field(name="throughput_rps")
    p50_ms: Amount | None
    p95_ms: Amount | None
    p99_ms: Amount | None
    max_ms: Amount | None
    mean_ms: Amount | None
    ceiling: Amount | None = field(default=None, name="client_ceiling_rps")
    stopped: str | None = None
    histogram: Sequence[tuple[Count, Count]] = field(default=(), name="histogram_us")
    retry_after_s: Amount | None = None

    @property
    def succeeded(self) -> int:
        """Number of successful requests."""
        return self.requests - self.failed

    @property
    def failed(self) -> int:
        """Number of failed requests."""
        return sum(self.errors.values())

    @property
    def is_client_limited(self) -> bool:
        """True if our client, not the server, may have set the pace."""
        return self.ceiling is not None and self.throughput > CLIENT_SHARE * self.ceiling


class Sweep(Struct, frozen=True):
    """Points of a sweep, and the concurrency that follows from them.

    Attributes:
        target: The server as the user named it, safe to print.
        engine: asyncio or locust.
        points: In the order of the plan.
        knee: p95 jumps here while throughput falls.
        feasible: Without errors, within both goals.
        recommended: The best feasible one; null if none is.
        interrupted: Why the sweep ended early.
        notes: Sentences for the reader.
        saturation: From here on, throughput does not grow: a larger one was measured.
        response_bytes: Body of one response.
        workers: Processes that sent the requests.
        pool: Connections that the client may open.
    """

    target: str
    transport: Literal["http", "stdio"]
    era: Literal["modern", "legacy"]
    protocol: str
    engine: str
    plan: SweepPlan
    points: tuple[Point, ...]
    knee: Count | None = field(name="knee_concurrency")
    feasible: tuple[Count, ...] = field(name="feasible_concurrencies")
    recommended: Count | None = field(name="recommended_concurrency")
    interrupted: str | None = None
    notes: tuple[str, ...] = ()
    saturation: Count | None = field(default=None, name="saturation_concurrency")
    response_bytes: Count | None = None
    workers: Annotated[int, Meta(ge=1)] = 1
    pool: Count | None = None


class PlanDocument(Struct, frozen=True):
    """What was asked for.

    Attributes:
        tool: The tool that is called.
        rate: Requests per second of the open loop.
    """

    method: str
    tool: str | None
    loop: Literal["closed", "open"]
    rate: Amount | None
    total: Count
    warm_up: Count
    concurrencies: tuple[Count, ...]
    p95_slo_ms: Amount
    p99_slo_ms: Amount
    timeout: Amount = field(name="timeout_s")
    seconds: Amount


class PointDocument(Point, frozen=True, kw_only=True):
    """One point; milliseconds are null if no request succeeded or timed out."""

    failed: Count
    is_client_limited: bool = field(name="limited_by_client")


class SweepDocument(Sweep, frozen=True, tag_field="format", tag="mcp-governor/load-sweep-1", kw_only=True):
    """Points of a sweep, and the concurrency that follows from them."""

    governor: Governor = Governor()
    plan: PlanDocument  # type: ignore[assignment]  # parameters of a call may hold secrets, and stay out
    points: tuple[PointDocument, ...]
