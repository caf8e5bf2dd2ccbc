"""What a sweep is asked to do, and what it measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence  # noqa: TC003 - msgspec reads the types
from enum import StrEnum
from typing import Any, Protocol

from msgspec import Struct, field

DEFAULT_CONCURRENCIES = (40, 80, 120, 160, 200)
"""Points of a sweep: the defaults of the tool schema guide, section 0b."""

DEFAULT_TOTAL = 1_000
"""Requests for each point: the default of the tool schema guide, section 0b. With fewer, p99 is one of the maxima."""

DEFAULT_WARM_UP = 2
"""Requests before each point that are not counted: the first builds what the server caches, the second reads it."""

DEFAULT_P95_SLO_MS = 400.0
"""Goal for p95 in milliseconds: the default of the tool schema guide, section 0b."""

DEFAULT_P99_SLO_MS = 800.0
"""Goal for p99 in milliseconds: the default of the tool schema guide, section 0b."""

CLIENT_SHARE = 0.7
"""A point above this share of the client's own ceiling is limited by the client: beyond it, our own queues add to the
latency that we report."""


INTERRUPTED = "interrupted"
"""Why a point was stopped if the user pressed Ctrl-C: the sweep ends with it."""


TIME_OUTS = frozenset({"timeout", "connect-timeout"})
"""Kinds of failure whose requests took the whole time that they had: it is part of the percentiles."""


LIMITED = "http-429"
"""Kind of failure of a request that a rate limiter refused: 429 Too Many Requests (RFC 6585, 4)."""


class Loop(StrEnum):
    """How requests are sent: ``closed``, a new one when one is answered; ``open``, at a fixed rate whatever happens."""

    CLOSED = "closed"
    OPEN = "open"


class SweepPlan(Struct, frozen=True):
    """What to measure.

    Attributes:
        concurrencies: requests in flight at each point, ascending.
        total: requests for each point.
        warm_up: requests before each point that are not counted.
        p95_slo_ms, p99_slo_ms: latency goals in milliseconds.
        rate: requests per second of the open loop; ``None`` for the closed loop. Latency then counts from the moment at
            which a request was due, not from when it was sent: a server that stalls delays the requests behind it.
        timeout: seconds for one response.
        seconds: most seconds for the sweep; what is left then is not measured.
        method: the method to send.
        params: its parameters, without ``_meta``.
    """

    concurrencies: tuple[int, ...] = DEFAULT_CONCURRENCIES
    total: int = DEFAULT_TOTAL
    warm_up: int = DEFAULT_WARM_UP
    p95_slo_ms: float = DEFAULT_P95_SLO_MS
    p99_slo_ms: float = DEFAULT_P99_SLO_MS
    rate: float | None = None
    timeout: float = 30.0
    seconds: float = 600.0
    method: str = "tools/list"
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def loop(self) -> Loop:
        """The kind of loop that the plan asks for."""
        return Loop.CLOSED if self.rate is None else Loop.OPEN

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
    """One point of a sweep.

    Attributes:
        concurrency: requests in flight.
        requests: requests sent, without warm-up.
        errors: kind of failure → number.
        seconds: wall-clock time.
        throughput: successful requests per second.
        p50_ms, p95_ms, p99_ms, max_ms, mean_ms: latencies in milliseconds of the requests that succeeded or timed out;
            ``None`` if there is no such request.
        ceiling: requests per second that our client reached against a null responder with this concurrency; ``None`` if
            it was not measured.
        stopped: why fewer requests than planned were sent.
        histogram: latencies as counts of buckets (:mod:`mcp_governor.load.formulas`), which can be added to those of
            other runs; quantiles above are exact.
        retry_after_s: the longest ``Retry-After`` of a response, in seconds; ``None`` if there was none.
    """

    concurrency: int
    requests: int
    errors: Mapping[str, int]
    seconds: float
    throughput: float
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    max_ms: float | None
    mean_ms: float | None
    ceiling: float | None = None
    stopped: str | None = None
    histogram: Sequence[tuple[int, int]] = ()
    retry_after_s: float | None = None

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
    """A sweep, measured.

    Attributes:
        target: the server as the user named it, safe to print.
        transport: ``http`` or ``stdio``.
        era: ``modern`` (``server/discover``) or ``legacy`` (``initialize``).
        protocol: protocol version that was spoken.
        engine: name of the engine.
        plan: what was asked for.
        points: the points, in the order of the plan.
        knee: concurrency at which latency jumps while throughput falls (:func:`~mcp_governor.load.formulas.knee`).
        feasible: concurrencies without errors within both goals.
        recommended: the concurrency to configure; ``None`` if none is feasible.
        interrupted: why the sweep ended early; ``None`` if it did not.
        notes: sentences for the reader, for example about N processes behind stdio.
        saturation: concurrency of the first point that brings the server to its highest throughput
            (:func:`~mcp_governor.load.formulas.saturation`); ``None`` in the open loop.
        response_bytes: body of one response; ``None`` if it was not measured.
        workers: processes that sent the requests.
        pool: connections that the client may open.
    """

    target: str
    transport: str
    era: str
    protocol: str
    engine: str
    plan: SweepPlan
    points: tuple[Point, ...]
    knee: int | None
    feasible: tuple[int, ...]
    recommended: int | None
    interrupted: str | None = None
    notes: tuple[str, ...] = ()
    saturation: int | None = None
    response_bytes: int | None = None
    workers: int = 1
    pool: int | None = None
