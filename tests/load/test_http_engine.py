"""The engine for streamable HTTP against servers whose behaviour is known: what it counts, and what it never counts."""

from __future__ import annotations

import pytest
from certificates import self_signed
from replacing import replace
from serving import loaded

from mcp_governor.errors import MissingDependencyError, UnreachableError, UsageError
from mcp_governor.load.engines import HttpEngine
from mcp_governor.load.model import SweepPlan
from mcp_governor.load.opened import Permissions
from mcp_governor.load.sweep import run_sweep
from mcp_governor.target import LiveSource
from mcp_governor.wire import HttpEndpoint

PLAN = SweepPlan(concurrencies=(4,), total=40, timeout=20.0, seconds=60.0)


def swept(url: str, plan: SweepPlan = PLAN, *, ceiling: bool = False, **options):
    """A sweep; only with ``ceiling`` it measures itself as well, which takes as much again."""
    source = LiveSource(shown=url, endpoint=HttpEndpoint(url))
    with pytest.MonkeyPatch.context() as patch:
        if not ceiling:
            patch.setattr("mcp_governor.load.sweep.client_ceilings", lambda *_: {})
        return run_sweep(source, plan, **options)


def _plan(**changes) -> SweepPlan:
    return replace(PLAN, **changes)


@pytest.mark.parametrize(
    ("server", "era"),
    [
        ({}, "modern"),
        ({"era": "legacy"}, "legacy"),
        ({"era": "legacy", "sessions": True}, "legacy"),
        ({"sse": True}, "modern"),
        ({"era": "legacy", "sessions": True, "sse": True}, "legacy"),
        ({"close": True}, "modern"),
        ({"era": "legacy", "sessions": True, "close": True}, "legacy"),
        ({"varies": True}, "modern"),
        ({"wrong": "no-length"}, "modern"),
        ({"wrong": "turned-list"}, "modern"),
        ({"tools": 300, "bytes": 400}, "modern"),
    ],
    ids=str,
)
def test_every_request_to_a_good_server_is_good(server, era):
    with loaded(**server) as there:
        measured = server in ({}, {"era": "legacy", "sessions": True, "sse": True})
        sweep = swept(there.url, ceiling=measured)
        (point,) = sweep.points
        assert (point.requests, point.errors, point.stopped) == (40, {}, None)
        assert (sweep.transport, sweep.era, sweep.recommended) == ("http", era, 4)
        assert bool(point.ceiling) == measured
        # One handshake and two trials, and the requests of the warm-up, are not counted.
        assert there.seen["list"] >= 40 + 2


def test_each_client_has_a_session_and_ends_it():
    with loaded(era="legacy", sessions=True) as there:
        sweep = swept(there.url, _plan(concurrencies=(3, 6)))
        seen = there.seen
    assert any("session" in note for note in sweep.notes)
    assert seen["initialize"] >= 6
    assert seen["deleted"] >= 6


def test_connections_are_kept_and_no_more_are_in_flight_than_asked_for():
    with loaded(service=0.02) as there:
        swept(there.url, _plan(concurrencies=(5,), total=100))
        seen = there.seen
    assert seen["most"] == 5
    # Five, and a few before: the judged address, the handshake, the trials.
    assert seen["connections"] < 15


def test_a_stream_that_does_not_end_after_its_response_costs_a_connection_and_no_request():
    with loaded(sse=True, endless_sse=True) as there:
        (point,) = swept(there.url, _plan(total=8, timeout=10.0)).points
    assert (point.requests, point.errors) == (8, {})
    assert point.max_ms < 9_000


@pytest.mark.parametrize(
    ("wrong", "kinds"),
    [
        ("endless-body", {"too-long"}),
        ("endless-headers", {"headers", "not-http"}),
        ("interim", {"not-http"}),
        ("drip", {"timeout"}),
        ("garbage", {"not-http"}),
        ("gzip", {"encoding"}),
        ("redirect", {"http-307"}),
        ("another-id", {"not-mcp"}),
        ("half", {"closed", "reset"}),
        ("closes", {"closed", "reset"}),
        ("deep", {"not-mcp"}),
        ("upgrade", {"not-http"}),
        ("web-page", {"not-mcp"}),
        ("empty-list", {"list-empty"}),
        ("short-list", {"list-shorter"}),
        ("long-list", {"list-longer"}),
        ("other-list", {"list-differs"}),
        ("limited", {"http-429"}),
    ],
)
def test_what_a_hostile_server_sends_is_an_error_of_its_kind(wrong, kinds):
    with loaded(wrong=wrong, good=12) as there:
        # A drip takes all of the time that it has; the others fail at once.
        plan = _plan(total=16, concurrencies=(2,), timeout=1.0 if wrong == "drip" else 2.0)
        (point,) = swept(there.url, plan).points
    assert set(point.errors) <= kinds
    assert point.failed >= 4
    assert point.requests == 16
    assert point.retry_after_s == (7 if wrong == "limited" else None)
    if wrong == "drip":
        # What was given up took its second, and is among the percentiles.
        assert point.p99_ms is not None
        assert point.p99_ms >= 1_000
        assert sum(count for _, count in point.histogram) == 16


def test_a_second_response_that_nobody_asked_for_is_never_taken_for_one():
    with loaded(wrong="twice", good=8) as there:
        (point,) = swept(there.url, _plan(total=16, concurrencies=(2,))).points
    assert point.failed >= 6
    assert set(point.errors) <= {"not-http", "closed", "reset", "not-mcp"}


def test_json_rpc_errors_and_503_are_counted_by_their_code():
    with loaded(rpc_error=True, good=12) as there:
        (point,) = swept(there.url, _plan(total=24, concurrencies=(2,))).points
    assert set(point.errors) == {"rpc--32603"}
    with loaded(burst=[20, 5]) as there:
        (point,) = swept(there.url, _plan(total=100)).points
    assert set(point.errors) == {"http-503"}
    assert point.failed == 25
    assert point.requests == 100


def test_a_server_that_dies_at_a_point_leaves_that_point_marked_and_the_others_measured():
    with loaded(service=0.01, dies_at=8) as there:
        small, large, after = swept(there.url, _plan(concurrencies=(4, 12, 16), total=1_000, seconds=90.0)).points
    assert small.errors == {}
    assert set(large.errors) <= {"closed", "reset", "refused", "unfinished"}
    assert {"refused"} < set(large.errors)
    assert large.stopped is not None
    assert "in a row failed" in large.stopped
    assert large.requests < 1_000
    assert set(after.errors) <= {"refused", "unfinished"}
    assert after.throughput == 0
    assert after.stopped is not None


def test_time_that_is_over_stops_a_point_and_leaves_time_for_the_others():
    with loaded(service=0.1) as there:
        sweep = swept(there.url, _plan(concurrencies=(1, 2), total=1_000, seconds=1.5))
    first, second = sweep.points
    assert first.stopped == second.stopped == "the time was over"
    assert 0 < first.requests < 20
    assert second.requests > 0
    assert sweep.feasible == ()


def test_latencies_of_the_open_loop_count_from_the_moment_at_which_a_request_was_due():
    # 20 requests per second are served, 80 come in: the last of 40 has waited for one and a half seconds.
    with loaded(service=0.05, capacity=1) as there:
        (point,) = swept(there.url, _plan(concurrencies=(2,), total=40, rate=80.0)).points
    assert point.errors == {}
    assert point.max_ms > 1_000
    assert point.p50_ms > 500
    with loaded(service=0.05, capacity=1) as there:
        (closed,) = swept(there.url, _plan(concurrencies=(2,), total=40)).points
    assert closed.p50_ms < point.p50_ms / 2


def test_a_server_over_tls_is_measured_if_its_certificate_is_trusted(tmp_path, monkeypatch):
    certificate, key = self_signed(tmp_path)
    with loaded(certificate=[str(certificate), str(key)]) as there:
        with pytest.raises(UnreachableError, match="certificate"):
            swept(there.url)
        assert there.seen["list"] == 0
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        sweep = swept(there.url)
        (point,) = sweep.points
        assert there.seen["list"] >= 40
    assert there.url.startswith("https:")
    assert (point.requests, point.errors, point.stopped) == (40, {}, None)
    assert any("without TLS" in note for note in sweep.notes)


def test_a_tool_is_called_with_its_arguments_and_its_errors_are_none_of_the_good_ones():
    call = {"method": "tools/call", "params": {"name": "echo", "arguments": {"text": "a"}}}
    with loaded() as there:
        (point,) = swept(there.url, _plan(**call)).points
        assert there.seen["call"] >= 42
        assert point.errors == {}
    with loaded(tool_error=True) as there, pytest.raises(UsageError, match="answers these arguments with an error"):
        swept(there.url, _plan(**call))


def test_a_tool_that_may_write_needs_permission():
    call = {"method": "tools/call", "params": {"name": "write_1", "arguments": {}}}
    with loaded() as there:
        with pytest.raises(UsageError, match="not marked as read-only"):
            swept(there.url, _plan(**call))
        assert there.seen["call"] == 0
        (point,) = swept(there.url, _plan(**call), permissions=Permissions(writes=True)).points
        assert point.errors == {}
        with pytest.raises(UsageError, match='no tool "ecko".*Did you mean "echo"'):
            swept(there.url, _plan(method="tools/call", params={"name": "ecko", "arguments": {}}))


@pytest.mark.parametrize(("wrong", "kind"), [("redirect", "redirects"), ("gzip", "encoding"), ("web-page", "not-mcp")])
def test_a_server_that_fails_without_load_is_not_measured(wrong, kind):
    # The handshake and its listings succeed; the first request of the engine does not.
    with loaded(wrong=wrong, good=2) as there, pytest.raises(UnreachableError, match=kind):
        swept(there.url)


def test_a_server_that_is_not_there_is_unreachable():
    with loaded() as there:
        url = there.url
    with pytest.raises(UnreachableError, match="no connection"):
        swept(url)


def test_several_workers_share_the_requests_and_the_clients():
    with loaded(service=0.02) as there:
        sweep = swept(there.url, _plan(concurrencies=(5,), total=101), workers=2, ceiling=True)
        assert there.seen["most"] == 5
    (point,) = sweep.points
    assert (point.requests, point.errors, sweep.workers) == (101, {}, 2)
    assert sum(count for _, count in point.histogram) == 101


def test_without_its_parser_the_engine_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError) as error:
        HttpEngine([])
    assert "extra load" in error.value.message
    assert "'httptools>=" in error.value.hint
