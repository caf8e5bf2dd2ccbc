"""The parts of the engine that need no server: verdicts on responses, histograms, limits, addresses, requests."""

from __future__ import annotations

import json
import socket
from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_governor.errors import TargetError, UnreachableError, UsageError
from mcp_governor.load.engines import merged
from mcp_governor.load.formulas import bucket, counted
from mcp_governor.load.judge import Judge, events_of, response_in, split_at_id
from mcp_governor.load.model import Sample, SweepPlan
from mcp_governor.load.opened import judged_address
from mcp_governor.load.recipe import DIGITS, Address, Recipe, http_job, recipe_of
from mcp_governor.load.sweep import check
from mcp_governor.wire import Era, HttpEndpoint

NUMBER = b"100000007"
GOOD = b'{"jsonrpc":"2.0","id":100000007,"result":{"tools":[]}}'
EXPECTED = (b'{"jsonrpc":"2.0","id":', b',"result":{"tools":[]}}')
JSON = "application/json"
EVENTS = "text/event-stream"


def _rpc(**members: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 100000007, **members}).encode()


@pytest.mark.parametrize("expected", [EXPECTED, None], ids=["known", "parsed"])
@pytest.mark.parametrize(
    ("method", "status", "kind", "body", "failure"),
    [
        ("tools/list", 200, JSON, GOOD, None),
        ("tools/list", 200, JSON, GOOD + b"\n", None),
        ("tools/list", 200, JSON, _rpc(result={"tools": [], "nextCursor": "2"}), None),
        ("tools/list", 200, JSON, GOOD.replace(b"100000007", b"100000008"), "not-mcp"),
        ("tools/list", 200, JSON, GOOD.replace(b"100000007", b'"10000000"'), "not-mcp"),
        ("tools/list", 200, JSON, GOOD[:-1], "not-mcp"),
        ("tools/list", 200, JSON, b"", "not-mcp"),
        ("tools/list", 200, JSON, b"<html>", "not-mcp"),
        ("tools/list", 200, JSON, b"[" * 100_000, "not-mcp"),
        ("tools/list", 200, JSON, _rpc(result={"tools": {}}), "not-mcp"),
        ("tools/list", 200, JSON, _rpc(result=None), "not-mcp"),
        ("tools/list", 200, JSON, _rpc(error={"code": -32603, "message": "x"}), "rpc--32603"),
        ("tools/list", 200, JSON, _rpc(error="x"), "rpc"),
        ("tools/list", 200, JSON, _rpc(result={"tools": []}, error={"code": 5}), "rpc-5"),
        ("tools/list", 200, JSON, _rpc(result={"resultType": "input_required"}), "not-complete"),
        ("tools/list", 202, JSON, b"", "http-202"),
        ("tools/list", 503, JSON, GOOD, "http-503"),
        ("tools/list", 429, JSON, b"", "http-429"),
        ("tools/list", 200, EVENTS, b"event: message\r\ndata: " + GOOD + b"\r\n\r\n", None),
        ("tools/list", 200, EVENTS, b": note\n\ndata: {}\n\ndata: " + GOOD + b"\n\n", None),
        ("tools/list", 200, EVENTS, b"data: {}\n\n", "not-mcp"),
        ("tools/list", 200, EVENTS, GOOD, "not-mcp"),
        ("tools/call", 200, JSON, _rpc(result={"content": []}), None),
        ("tools/call", 200, JSON, _rpc(result={"content": [], "isError": False}), None),
        ("tools/call", 200, JSON, _rpc(result={"content": [], "isError": True}), "tool-error"),
        ("tools/call", 200, JSON, _rpc(result={"content": [], "isError": "no"}), "tool-error"),
    ],
)
def test_a_response_is_good_or_has_a_kind_of_failure(method, status, kind, body, failure, expected):
    judge = Judge(method, expected if method == "tools/list" else None, JSON)
    assert judge.failure(status, kind, body, NUMBER) == failure


def test_the_bytes_of_a_good_response_do_not_excuse_another_id():
    judge = Judge("tools/list", EXPECTED)
    assert judge.is_expected(GOOD, NUMBER)
    assert not judge.is_expected(GOOD, b"100000008")
    assert not judge.is_expected(GOOD + b" ", NUMBER)
    # Before and after overlap in a body that is too short.
    assert not Judge("tools/list", (b"ab", b"bc")).is_expected(b"abc", b"")


def test_a_body_is_cut_at_its_id_only_if_the_digits_are_unique():
    assert split_at_id(GOOD, NUMBER) == EXPECTED
    assert split_at_id(GOOD + NUMBER, NUMBER) is None
    assert split_at_id(b"{}", NUMBER) is None


def test_events_join_their_data_lines():
    assert events_of(b"id: 1\rdata: a\rdata:b\r\r: note\n\ndata:\n\n") == [b"a\nb", b""]
    found = response_in(EVENTS, b'data: {"jsonrpc":"2.0",\ndata: "id":7,"result":{}}\n\n', 7)
    assert found == {"jsonrpc": "2.0", "id": 7, "result": {}}


@given(st.floats(0, 3_600_000))
def test_a_bucket_is_within_half_a_percent_of_its_values(value):
    assert 0 <= value - bucket(value) / 1_000 + 0.0005 <= max(0.001, value / 128 + 0.001)


@given(st.lists(st.floats(0, 100_000), max_size=60), st.lists(st.floats(0, 100_000), max_size=60))
def test_counts_of_buckets_add_up(some, more):
    together = Counter(dict(counted(some))) + Counter(dict(counted(more)))
    assert counted(some + more) == tuple(sorted(together.items()))


def test_samples_of_workers_are_one():
    def part(latencies: list[float], errors: dict[str, int], began: float, ended: float, stopped: str | None = None):
        sample = Sample(latencies, errors, ended - began, stopped, latencies, began)
        return {"sample": json.loads(msgspec.json.encode(sample)), "began": began, "ended": ended}

    sample = merged([part([3.0, 1.0], {"reset": 1}, 10.0, 12.0), part([2.0], {"reset": 2, "a": 1}, 9.5, 11.0, "why")])
    assert list(sample.latencies_ms) == [1.0, 2.0, 3.0]
    assert list(sample.expired_ms) == [1.0, 2.0, 3.0]
    assert sample.retry_after_s == 10.0
    assert sample.errors == {"a": 1, "reset": 3}
    assert (sample.seconds, sample.stopped) == (2.5, "why")
    assert merged([]).seconds == 0.0
    # Interrupted before its round began: perf_counter counts from the start of the machine, perhaps.
    assert merged([part([1.0], {}, 5000.0, 5002.0), part([], {}, 0.0, 0.0, "interrupted")]).seconds == 2.0


@pytest.mark.parametrize(
    ("changes", "workers", "said"),
    [
        ({"concurrencies": ()}, 1, "names 0 points"),
        ({"concurrencies": (0,)}, 1, "--concurrency-values has 0; it must be from 1 to 1,000"),
        ({"concurrencies": (1, 1_001)}, 1, "--concurrency-values has 1,001"),
        ({"concurrencies": tuple(range(1, 22))}, 1, "21 points"),
        ({"total": 0}, 1, "--total has 0"),
        ({"total": 100_001}, 1, "--total has 100,001"),
        ({"total": 100_000, "concurrencies": tuple(range(1, 12))}, 1, "more than 1,000,000 requests"),
        ({"warm_up": -1}, 1, "--warm-up has -1"),
        ({"rate": 0.0}, 1, "--rate has 0"),
        ({"rate": float("nan")}, 1, "--rate has nan"),
        ({"rate": 1e9}, 1, "--rate has 1e"),
        ({"p95_slo_ms": float("nan")}, 1, "--p95-slo-ms has nan"),
        ({"p99_slo_ms": -1.0}, 1, "--p99-slo-ms has -1"),
        ({"seconds": 4_000.0}, 1, "--seconds has 4,000"),
        ({}, 0, "--workers has 0"),
        ({}, 17, "--workers has 17"),
    ],
)
def test_a_plan_beyond_a_limit_is_refused_by_its_option(changes, workers, said):
    with pytest.raises(UsageError) as raised:
        check(SweepPlan(**changes), workers)
    assert said in raised.value.message


def _resolver(monkeypatch, *answers):
    asked = []

    def fake(host, port, **_):
        asked.append(host)
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in answers[min(len(asked), len(answers)) - 1]
        ]

    monkeypatch.setattr(socket, "getaddrinfo", fake)
    return asked


@pytest.mark.parametrize("found", [["192.0.2.1"], ["127.0.0.1", "192.0.2.1"]])
def test_a_name_with_one_address_elsewhere_needs_permission(monkeypatch, found):
    _resolver(monkeypatch, found)
    with pytest.raises(UsageError) as raised:
        judged_address(HttpEndpoint("http://server.test:8000/mcp"), owned=False)
    assert "192.0.2.1, which is not this machine" in raised.value.message
    assert "--i-own-this-host" in raised.value.hint


def test_a_name_is_resolved_once_and_the_address_that_was_judged_is_connected_to(monkeypatch):
    asked = _resolver(monkeypatch, ["127.0.0.1"], ["192.0.2.1"])
    tried = []

    class Connection:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

    def connect(address, _timeout):
        tried.append(address)
        return Connection()

    monkeypatch.setattr(socket, "create_connection", connect)
    address = judged_address(HttpEndpoint("https://server.test/mcp"), owned=False)
    assert address == Address("server.test", "127.0.0.1", 443, tls=True)
    assert (asked, tried) == (["server.test"], [("127.0.0.1", 443)])


def test_names_and_addresses_that_lead_nowhere_are_errors(monkeypatch):
    with pytest.raises(TargetError):
        judged_address(HttpEndpoint("http://[::1/mcp"), owned=False)

    def fails(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fails)
    with pytest.raises(UnreachableError, match="does not resolve"):
        judged_address(HttpEndpoint("http://nowhere.test/mcp"), owned=True)


def _recipe(era: Era, url: str = "http://user:pass@127.0.0.1:9/a b?q=1", **headers: str):
    job = http_job(HttpEndpoint(url, headers), era, "2026-07-28" if era is Era.MODERN else "2025-11-25", SweepPlan())
    return recipe_of(job, Address("127.0.0.1", "127.0.0.1", 9, tls=False), longest=1_000, timeout=5.0)


@pytest.mark.parametrize("era", list(Era))
def test_a_request_has_the_length_that_it_says_and_goes_through_a_pipe_unchanged(era):
    recipe = _recipe(era, Authorization="Bearer x")
    assert msgspec.convert(json.loads(json.dumps(msgspec.to_builtins(recipe))), Recipe) == recipe
    requests = [recipe.request, *recipe.handshake]
    assert len(requests) == (1 if era is Era.MODERN else 3)
    for head, before, after in requests:
        assert head.startswith(b"POST /a%20b?q=1 HTTP/1.1\r\nHost: 127.0.0.1:9\r\n")
        number = b"1" * DIGITS if after else b""
        assert f"Content-Length: {len(before + number + after)}\r\n".encode() in head
        assert b"Authorization: Bearer x\r\n" in head
        assert json.loads(before + number + after)["jsonrpc"] == "2.0"
    assert recipe.farewell.startswith(b"DELETE ") is (era is Era.LEGACY)


def test_a_header_cannot_start_another_one():
    recipe = _recipe(Era.MODERN, **{"X-A": "a\r\nX-B: b"})
    assert b"\r\nX-B" not in recipe.request[0]


def test_headers_of_the_user_replace_ours():
    recipe = _recipe(Era.MODERN, host="inner.test", **{"User-agent": "me"})
    assert recipe.request[0].lower().count(b"\r\nhost:") == 1
    assert b"host: inner.test" in recipe.request[0]
    assert recipe.request[0].lower().count(b"user-agent:") == 1
