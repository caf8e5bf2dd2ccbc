"""A sweep as JSON, ``load sweep --json-out``."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from mcp_governor.documents import Amount, Count, Governor
from mcp_governor.load.model import Loop  # noqa: TC001

Number = Annotated[int, Meta(ge=1)]


class PlanDocument(Struct, frozen=True):
    """What was asked for.

    Attributes:
        tool: The tool that is called.
        rate: Requests per second of the open loop.
    """

    method: str
    tool: str | None
    loop: Loop
    rate: Amount | None
    total: Count
    warm_up: Count
    concurrencies: tuple[Count, ...]
    p95_slo_ms: Amount
    p99_slo_ms: Amount
    timeout: Amount = field(name="timeout_s")
    seconds: Amount


class PointDocument(Struct, frozen=True):
    """One point; milliseconds are null if no request succeeded or timed out.

    Attributes:
        errors: Kind of failure → number.
        throughput: Successful requests per second.
        ceiling: Requests per second of our client against a null responder.
        retry_after_s: The longest Retry-After of a response, in seconds.
        stopped: Why fewer requests than planned were sent.
        histogram: Lower bound of a bucket in microseconds, and the latencies in it. A bucket keeps the 8 leading bits
            of a value. Counts of several reports can be added.
    """

    concurrency: Number
    requests: Count
    failed: Count
    errors: Mapping[str, Count]
    seconds: Amount
    throughput: Amount = field(name="throughput_rps")
    p50_ms: Amount | None
    p95_ms: Amount | None
    p99_ms: Amount | None
    max_ms: Amount | None
    mean_ms: Amount | None
    ceiling: Amount | None = field(name="client_ceiling_rps")
    is_client_limited: bool = field(name="limited_by_client")
    retry_after_s: Amount | None
    stopped: str | None
    histogram: tuple[tuple[Count, Count], ...] = field(name="histogram_us")


class SweepDocument(Struct, frozen=True, tag_field="format", tag="mcp-governor/load-sweep-1", kw_only=True):
    """Points of a sweep, and the concurrency that follows from them.

    Attributes:
        pool: Connections that the client may open.
        response_bytes: Body of one response.
        knee: p95 jumps here while throughput falls.
        saturation: From here on, throughput does not grow: a larger one was measured.
        feasible: Without errors, within both goals.
        recommended: The best feasible one; null if none is.
        interrupted: Why the sweep ended early.
    """

    governor: Governor = Governor()
    target: str
    transport: Literal["http", "stdio"]
    era: Literal["modern", "legacy"]
    protocol: str
    engine: str
    workers: Number
    pool: Count | None
    response_bytes: Count | None
    plan: PlanDocument
    points: tuple[PointDocument, ...]
    knee: Count | None = field(name="knee_concurrency")
    saturation: Count | None = field(name="saturation_concurrency")
    feasible: tuple[Count, ...] = field(name="feasible_concurrencies")
    recommended: Count | None = field(name="recommended_concurrency")
    interrupted: str | None
    notes: tuple[str, ...]
