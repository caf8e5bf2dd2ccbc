"""Latencies as counts of buckets, which can be written down and added: the layout of HdrHistogram.

The samples of a sweep are kept whole, eight bytes each, and its quantiles are exact. A report holds the histogram, so
that reports of several machines can be merged: quantiles are not additive, and counts are.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

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


def middle(lower: int) -> float:
    """The middle of a bucket in milliseconds, from its lower bound in microseconds."""
    width = 1 << max(0, lower.bit_length() - BITS)
    return (lower + (width - 1) / 2) / UNIT


def counted(latencies_ms: Iterable[float]) -> tuple[tuple[int, int], ...]:
    """Buckets with their counts, in ascending order."""
    return tuple(sorted(Counter(map(bucket, latencies_ms)).items()))


def added(*histograms: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The histogram of all latencies together."""
    total: Counter[int] = Counter()
    for histogram in histograms:
        for lower, count in histogram:
            total[lower] += count
    return tuple(sorted(total.items()))


def quantile(histogram: Sequence[tuple[int, int]], share: float) -> float:
    """The latency, in milliseconds, that :func:`mcp_governor.load.formulas.percentile` gives, to the width of a bucket.

    Args:
        histogram: at least one bucket, in ascending order.
        share: from 0 to 1.

    Raises:
        ValueError: it is empty.
    """
    total = sum(count for _, count in histogram)
    if not total:
        raise ValueError("a quantile needs at least one value")
    index = min(max(int(total * share) - 1, 0), total - 1)
    for lower, count in histogram:
        index -= count
        if index < 0:
            return middle(lower)
    raise AssertionError("the counts add up to the total")
