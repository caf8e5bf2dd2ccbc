"""The formulas of a sweep, and latencies as counts of buckets (the layout of HdrHistogram)."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import TYPE_CHECKING

from mcp_governor.load.model import Point, Sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

BITS = 8
"""Leading bits of a value that a bucket keeps: its middle is at most 1/256, 0.4 %, away from any value in it. Runs
differ by more."""

UNIT = 1_000
"""Units in one millisecond: values are counted in microseconds, the shortest time that differs between two requests."""


def bucket(milliseconds: float) -> int:
    """The lower bound of the bucket of a latency, in microseconds."""
    value = max(0, round(milliseconds * UNIT))
    shift = max(0, value.bit_length() - BITS)
    return value >> shift << shift


def counted(latencies_ms: Iterable[float]) -> tuple[tuple[int, int], ...]:
    """Buckets with their counts, in ascending order."""
    return tuple(sorted(Counter(map(bucket, latencies_ms)).items()))


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
    # Without those that were given up, a server looks faster the more of its responses never come.
    took = sorted([*good, *sample.expired_ms]) if sample.expired_ms else good
    p50, p95, p99 = (percentile(took, share) if took else None for share in (0.5, 0.95, 0.99))
    return Point(
        concurrency=concurrency,
        requests=len(good) + sum(sample.errors.values()),
        errors=dict(sample.errors),
        seconds=sample.seconds,
        throughput=len(good) / sample.seconds if sample.seconds > 0 else 0.0,
        p50_ms=p50,
        p95_ms=p95,
        p99_ms=p99,
        max_ms=took[-1] if took else None,
        mean_ms=math.fsum(took) / len(took) if took else None,
        ceiling=ceiling,
        stopped=sample.stopped,
        histogram=counted(took),
        retry_after_s=sample.retry_after_s,
    )


def knee(points: Sequence[Point]) -> int | None:
    """Concurrency of the first point at which p95 is at least 1.8 times that of the point before and throughput at most
    0.8 times (the guide's sweep, FACTS 1.3).

    A point that our client limits says nothing about the server, and neither does one without a latency.

    Args:
        points: in ascending order of concurrency.
    """
    usable = [(item.p95_ms, item) for item in points if item.p95_ms is not None and not item.is_client_limited]
    for (p95, before), (next_p95, after) in itertools.pairwise(usable):
        if next_p95 >= KNEE_LATENCY * p95 and after.throughput <= KNEE_THROUGHPUT * before.throughput:
            return after.concurrency
    return None


PLATEAU = 1.2
"""Least mean latency at the largest concurrency, relative to the lowest one, at which a server counts as saturated: by
Little's law, the concurrency is then 20 % beyond what the highest throughput needs. Runs differ by 5 to 10 %."""

NEAR = 0.9
"""A point whose concurrency is at least this share of what the highest throughput needs has reached it: the need is
known to some percent only, and a point exactly at the capacity must not be missed."""

MOSTLY = 0.01
"""Most failed requests, as a share, of a point that saturation is judged by: failures are often faster than responses,
and Little's law then holds for neither."""


def saturation(points: Sequence[Point]) -> int | None:
    """Concurrency of the first point that brings the server to its highest throughput: beyond it, requests only queue.

    A server with a fixed capacity serves the same number of requests at each larger concurrency, which :func:`knee`
    does not see, because it asks for a fall. Little's law gives the concurrency that the highest throughput needs:
    throughput times the lowest mean latency (the asymptotic bounds of a closed queueing system; Denning and Buzen
    1978). All points take part, so that no single noisy one decides.

    Args:
        points: of a closed loop, in ascending order of concurrency.

    Returns:
        ``None`` unless a larger concurrency was measured that brought nothing, or if there are not two points without
        failures that our client did not limit.
    """
    usable = [
        (item.mean_ms, item)
        for item in points
        if item.mean_ms is not None
        and not item.is_client_limited
        and item.stopped is None
        and item.failed <= MOSTLY * item.requests
    ]
    lowest = min((mean for mean, _ in usable), default=0.0)
    if len(usable) < 2 or usable[-1][0] < PLATEAU * lowest:
        return None
    needed = max(item.throughput for _, item in usable) * lowest / 1000
    for index, (_, item) in enumerate(usable[:-1], 1):
        if item.concurrency >= NEAR * needed:
            rest = max(larger.throughput for _, larger in usable[index:])
            return item.concurrency if item.throughput >= (1 - SATURATED_TIE) * rest else None
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


TIE = 0.1
"""Throughputs that differ by at most this share of the best one are a tie. Runs of the same point differ by 2 to 5 %;
and at its capacity itself, a server waits for the way between client and server, some percent of a request, which
further requests in flight fill although they only queue."""


SATURATED_TIE = 0.2
"""The same for the point of saturation, where theory says that further requests in flight only queue: on a machine with
five times as many jobs as cores, it served up to 15 % less than points beyond it."""


def recommended(points: Sequence[Point], p95_slo_ms: float, p99_slo_ms: float) -> Point | None:
    """The best of the feasible points: by throughput, then p95, then p99 (FACTS 1.3).

    Unlike the guide's sweep, a point that is not feasible is never recommended. And throughputs within :data:`TIE` of
    the best one are equal (:data:`SATURATED_TIE` at the point of :func:`saturation`), and the lower latency decides.
    With exact numbers, noise would choose among the points beyond a server's capacity, and often the slowest of them.

    Returns:
        ``None`` if no point is feasible.
    """
    candidates = feasible(points, p95_slo_ms, p99_slo_ms)
    best = max((item.throughput for item in candidates), default=0.0)
    saturated = saturation(points)
    ties = {item.concurrency: SATURATED_TIE if item.concurrency == saturated else TIE for item in candidates}
    tied = [item for item in candidates if item.throughput >= (1 - ties[item.concurrency]) * best]
    return min(tied, key=lambda item: (item.p95_ms or 0.0, item.p99_ms or 0.0, item.concurrency), default=None)
