"""The formulas of FACTS 1.3, by tables that were worked out by hand."""

from __future__ import annotations

import pytest

from mcp_governor.load.formulas import feasible, knee, percentile, point, pool_size, recommended, saturation
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
        ([_point(40, 9, 900), _point(80, 12, 2000)], [], None),
        ([_point(40, 1000, 100, errors=1), _point(80, 1500, 100, errors=1)], [], None),
        # Within 10 % of the best throughput, the lower latency decides, and then the lower concurrency.
        ([_point(40, 900, 50), _point(80, 1000, 100), _point(160, 990, 200)], [40, 80, 160], 40),
        ([_point(40, 899, 50), _point(80, 1000, 100), _point(160, 990, 200)], [40, 80, 160], 80),
        ([_point(40, 990, 50), _point(80, 1000, 50)], [40, 80], 40),
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
    assert made.succeeded == 4
    empty = point(8, Sample([], {"refused": 5}, 0.0))
    assert (empty.requests, empty.throughput, empty.p50_ms, empty.mean_ms) == (5, 0.0, None, None)


def test_what_timed_out_is_part_of_the_percentiles_with_its_time():
    """Two of twenty requests never come back: without them, p95 would be that of a quick server."""
    made = point(8, Sample([5.0] * 18, {"timeout": 2}, 60.0, expired_ms=[30_000.0, 30_000.0], retry_after_s=2))
    assert (made.p50_ms, made.p95_ms, made.max_ms) == (5.0, 30_000.0, 30_000.0)
    assert made.mean_ms == pytest.approx((18 * 5 + 60_000) / 20)
    assert (made.succeeded, made.throughput, made.retry_after_s) == (18, 0.3, 2)
    assert sum(count for _, count in made.histogram) == 20
    lost = point(8, Sample([], {"timeout": 1}, 30.0, expired_ms=[30_000.0]))
    assert (lost.p50_ms, lost.throughput, lost.succeeded) == (30_000.0, 0.0, 0)
    assert feasible([made, lost], 1e9, 1e9) == ()


def _closed(capacity, service, concurrencies, *, noise=()):
    """Points of a server with a fixed capacity, by Little's law; ``noise`` are factors of the latencies."""
    points = []
    for index, concurrency in enumerate(concurrencies):
        factor = noise[index] if index < len(noise) else 1.0
        latency = service * max(1.0, concurrency / capacity) * factor
        points.append(_point(concurrency, concurrency / latency * 1000, latency))
    return points


GUIDE = (40, 80, 120, 160, 200)


@pytest.mark.parametrize(
    ("capacity", "concurrencies", "noise", "expected"),
    [
        (10, (40, 80), (), 40),
        (40, GUIDE, (), 40),
        (80, GUIDE, (), 80),
        (100, GUIDE, (), 120),
        (100, GUIDE, (1.03, 0.97, 1.02, 0.98, 1.03), 120),
        (100, GUIDE, (0.97, 1.03, 0.98, 1.03, 0.97), 120),
        (80, GUIDE, (1.05, 1.0, 0.95, 1.05, 1.0), 80),
        (80, GUIDE, (0.95, 1.05, 1.0, 1.0, 1.05), 80),
        # 200 in flight are not 20 % beyond what 170 need: noise looks the same.
        (170, GUIDE, (), None),
        (1000, GUIDE, (), None),
        (1000, GUIDE, (1.1, 0.95, 1.05, 0.95, 1.1), None),
    ],
)
def test_a_server_is_saturated_at_the_first_point_that_has_its_capacity(capacity, concurrencies, noise, expected):
    points = _closed(capacity, 50.0, concurrencies, noise=noise)
    assert saturation(points) == expected
    # A plateau is no knee of the guide's formula.
    assert knee(points) is None


def test_points_that_say_nothing_about_the_server_do_not_saturate_it():
    first, *rest = _closed(40, 50.0, GUIDE)
    assert saturation([first]) is None
    assert saturation([]) is None
    limited = [_point(item.concurrency, item.throughput, item.mean_ms, ceiling=item.throughput) for item in rest]
    assert saturation([first, *limited]) is None
    failing = [_point(item.concurrency, item.throughput, item.mean_ms, errors=11) for item in rest]
    assert saturation([first, *failing]) is None
    stopped = [_point(item.concurrency, item.throughput, item.mean_ms, stopped="why") for item in rest]
    assert saturation([first, *stopped]) is None


def test_a_server_is_saturated_only_where_a_larger_point_brought_nothing():
    # By Little's law, 200 in flight are what 200 need: nobody has seen that more of them only wait.
    assert saturation([_point(40, 800, 50), _point(200, 3_000, 67)]) is None
    assert saturation([_point(40, 800, 50), _point(200, 3_000, 67), _point(240, 3_050, 79)]) == 200
    # A third more is a gain, wherever the law puts the need.
    assert saturation([_point(40, 800, 30), _point(60, 1_200, 50), _point(80, 1_600, 50)]) is None


@pytest.mark.parametrize("noise", [(1.0,) * 5, (1.02, 1.0, 0.98, 1.02, 1.0), (1.0, 1.02, 1.0, 0.98, 0.98)])
def test_the_recommendation_at_a_plateau_is_its_first_point_whatever_the_noise(noise):
    chosen = recommended(_closed(80, 50.0, GUIDE, noise=noise), 400, 800)
    assert chosen is not None
    assert chosen.concurrency == 80


def test_the_point_of_saturation_may_serve_somewhat_less_than_those_beyond_it():
    points = [_point(10, 190, 53), _point(20, 330, 60), _point(40, 380, 105), _point(80, 385, 210)]
    assert saturation(points) == 20
    assert recommended(points, 400, 800) == points[1]
    # With 20 % less, it is not the same throughput any more.
    less = [points[0], _point(20, 305, 60), *points[2:]]
    assert recommended(less, 400, 800) == points[2]
