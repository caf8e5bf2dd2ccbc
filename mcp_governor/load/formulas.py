"""The formulas of a sweep: percentile, knee, feasible points, recommendation, size of the connection pool."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from mcp_governor.load.model import Point, Sample

if TYPE_CHECKING:
    from collections.abc import Sequence

KNEE_LATENCY = 1.8
"""p95 of a point relative to the one before: at a knee it is at least this (the guide's sweep, FACTS 1.3)."""

KNEE_THROUGHPUT = 0.8
"""Throughput of a point relative to the one before: at a knee it is at most this (the guide's sweep, FACTS 1.3)."""

POOL_MINIMUM = 64
"""Least connections of the HTTP pool (the guide's sweep): small sweeps share a pool that never fills."""

POOL_SPARE = 16
"""Connections beyond the largest concurrency (the guide's sweep), for those that are being closed."""


def percentile(ascending: Sequence[float], share: float) -> float:
    """The percentile as the guide's sweep takes it: item ``clamp(int(n * share) - 1, 0, n - 1)``.

    Args:
        ascending: at least one value, in ascending order.
        share: from 0 to 1.

    Raises:
        ValueError: if there are no values.
    """
    if not ascending:
        raise ValueError("a percentile needs at least one value")
    return ascending[min(max(int(len(ascending) * share) - 1, 0), len(ascending) - 1)]


def pool_size(concurrencies: Sequence[int]) -> int:
    """Connections of the HTTP pool, so that the client never queues: ``max(64, largest + 16)``."""
    return max(POOL_MINIMUM, max(concurrencies) + POOL_SPARE)


def point(concurrency: int, sample: Sample, *, ceiling: float | None = None) -> Point:
    """A point from what was measured.

    Args:
        concurrency: requests in flight.
        sample: what the engine measured.
        ceiling: requests per second that the client can send at most at this concurrency.
    """
    good = sample.latencies_ms
    has_any = len(good) > 0
    return Point(
        concurrency=concurrency,
        requests=len(good) + sum(sample.errors.values()),
        errors=dict(sample.errors),
        seconds=sample.seconds,
        throughput=len(good) / sample.seconds if sample.seconds > 0 else 0.0,
        p50_ms=percentile(good, 0.5) if has_any else None,
        p95_ms=percentile(good, 0.95) if has_any else None,
        p99_ms=percentile(good, 0.99) if has_any else None,
        max_ms=good[-1] if has_any else None,
        mean_ms=math.fsum(good) / len(good) if has_any else None,
        ceiling=ceiling,
        stopped=sample.stopped,
    )


def knee(points: Sequence[Point]) -> int | None:
    """Concurrency of the first point at which p95 is at least 1.8 times that of the point before and throughput at most
    0.8 times (the guide's sweep, FACTS 1.3).

    A point that our client limits says nothing about the server, and neither is one without a successful request.

    Args:
        points: in ascending order of concurrency.
    """
    usable = [item for item in points if item.p95_ms is not None and not item.is_client_limited]
    for before, after in itertools.pairwise(usable):
        if before.p95_ms is None or after.p95_ms is None:
            continue
        slower = after.p95_ms >= KNEE_LATENCY * before.p95_ms
        if slower and after.throughput <= KNEE_THROUGHPUT * before.throughput:
            return after.concurrency
    return None


def feasible(points: Sequence[Point], p95_slo_ms: float, p99_slo_ms: float) -> tuple[Point, ...]:
    """Points without errors, measured in full, within both goals (milliseconds)."""
    return tuple(
        item
        for item in points
        if not item.errors
        and item.stopped is None
        and item.p95_ms is not None
        and item.p99_ms is not None
        and item.p95_ms <= p95_slo_ms
        and item.p99_ms <= p99_slo_ms
    )


def recommended(points: Sequence[Point], p95_slo_ms: float, p99_slo_ms: float) -> Point | None:
    """The best of the feasible points, or of all if none is: by throughput, then p95, then p99 (FACTS 1.3).

    Returns:
        ``None`` if no point had a successful request.
    """
    candidates = feasible(points, p95_slo_ms, p99_slo_ms) or [item for item in points if item.p95_ms is not None]
    return max(candidates, key=_goodness, default=None)


def _goodness(item: Point) -> tuple[float, float, float]:
    return item.throughput, -(item.p95_ms or 0.0), -(item.p99_ms or 0.0)
