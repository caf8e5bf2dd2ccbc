"""The formulas of FACTS 1.3, by tables that were worked out by hand."""

from __future__ import annotations

import pytest

from mcp_governor.load.formulas import feasible, knee, percentile, point, pool_size, recommended
from mcp_governor.load.model import Point, Sample


def _point(concurrency, throughput, p95, p99=None, *, errors=0, ceiling=None, stopped=None):
    kinds = {"timeout": errors} if errors else {}
    p99 = p95 if p99 is None else p99
    return Point(concurrency, 1000, kinds, 1.0, throughput, p95, p95, p99, p99, p95, ceiling, stopped)


@pytest.mark.parametrize(
    ("count", "share", "index"),
    [
        (1, 0.5, 0),
        (1, 0.99, 0),
        (2, 0.5, 0),
        (20, 0.95, 18),
        (20, 0.99, 18),
        (100, 0.5, 49),
        (100, 0.95, 94),
        (100, 0.99, 98),
        (1000, 0.99, 989),
        (10, 0.0, 0),
        (10, 1.0, 9),
    ],
)
def test_a_percentile_is_the_item_of_the_index(count, share, index):
    assert percentile(list(range(count)), share) == index


def test_a_percentile_of_nothing_is_an_error():
    with pytest.raises(ValueError, match="at least one"):
        percentile([], 0.5)


@pytest.mark.parametrize(("points", "size"), [([1], 64), ([48], 64), ([49], 65), ([40, 200, 80], 216)])
def test_the_pool_is_larger_than_the_largest_point(points, size):
    assert pool_size(points) == size


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([_point(40, 1000, 10), _point(80, 800, 18)], 80),
        ([_point(40, 1000, 10), _point(80, 801, 18)], None),
        ([_point(40, 1000, 10), _point(80, 800, 17.9)], None),
        ([_point(40, 1000, 10), _point(80, 1000, 20), _point(120, 500, 60), _point(160, 200, 200)], 120),
        ([_point(40, 1000, 10)], None),
        ([], None),
        # Our client is the limit at 80: its fall says nothing about the server.
        ([_point(40, 1000, 10), _point(80, 700, 30, ceiling=900)], None),
    ],
)
def test_the_knee_is_the_first_point_that_is_slower_and_serves_less(points, expected):
    assert knee(points) == expected


@pytest.mark.parametrize(
    ("points", "within", "best"),
    [
        ([_point(40, 1000, 100), _point(80, 1500, 400, 800), _point(120, 1600, 401)], [40, 80], 80),
        ([_point(40, 1000, 100), _point(80, 1500, 100, errors=1)], [40], 40),
        ([_point(40, 1000, 100), _point(80, 1000, 90)], [40, 80], 80),
        ([_point(40, 1000, 100, 300), _point(80, 1000, 100, 200)], [40, 80], 80),
        ([_point(40, 10, 900), _point(80, 12, 2000)], [], 80),
        ([_point(40, 1000, 100, stopped="the time was over"), _point(80, 900, 100)], [80], 80),
        ([], [], None),
    ],
)
def test_the_recommendation_is_the_best_feasible_point(points, within, best):
    assert [item.concurrency for item in feasible(points, 400, 800)] == within
    chosen = recommended(points, 400, 800)
    assert (chosen.concurrency if chosen else None) == best


def test_a_point_counts_failures_apart_from_latencies():
    made = point(8, Sample([1.0, 2.0, 3.0, 6.0], {"timeout": 2}, 2.0))
    assert (made.requests, made.failed, made.throughput) == (6, 2, 2.0)
    assert (made.p50_ms, made.p95_ms, made.max_ms, made.mean_ms) == (2.0, 3.0, 6.0, 3.0)
    empty = point(8, Sample([], {"refused": 5}, 0.0))
    assert (empty.requests, empty.throughput, empty.p50_ms, empty.mean_ms) == (5, 0.0, None, None)
