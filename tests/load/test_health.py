"""``GET /health`` and the server info: what is taken from them, and servers that send something else."""

from __future__ import annotations

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import anyio
import pytest

from mcp_governor.load.health import MAX_BYTES, health_of, read_health, read_server_info
from mcp_governor.wire import HttpEndpoint

GUIDE = {
    "status": "ok",
    "mcp": {
        "enabled": True,
        "tools_list": {"cache_hits": 97, "cache_misses": 3, "cache_refreshes": 3, "hit_rate_pct": 97.0},
    },
    "observability": {
        "total_requests": 1200,
        "total_errors": 2,
        "in_flight": 4,
        "top_endpoints": [{"endpoint": "/message", "requests": 1100}, {"path": "/sse", "count": 100}, 5, {"path": 1}],
    },
}  # fmt: skip


def test_the_summaries_of_the_guide_are_found_wherever_they_are():
    found = health_of(GUIDE)
    assert found.cache == {"cache_hits": 97, "cache_misses": 3, "cache_refreshes": 3, "hit_rate_pct": 97.0}
    assert found.observability == {"total_requests": 1200, "total_errors": 2, "in_flight": 4}
    assert dict(found.endpoints) == {"/message": 1100, "/sse": 100}
    assert found.ok == "ok"
    flat = health_of({"cache_hits": 1, "cache_misses": 1, "hit_rate_pct": 50, "total_requests": 2})
    assert (flat.cache["hit_rate_pct"], flat.observability["total_requests"]) == (50, 2)


@pytest.mark.parametrize("body", [None, [], "ok", 5, {}, {"status": None}, {"observability": []}])
def test_other_json_has_no_summaries(body):
    found = health_of(body)
    assert (found.cache, found.observability, found.endpoints, found.not_numbers) == ({}, {}, {}, ())


def test_values_that_are_no_numbers_are_named_and_not_used():
    found = health_of({"cache_hits": "97", "cache_misses": True, "hit_rate_pct": 10**400, "cache_refreshes": 1})
    assert found.cache == {"cache_refreshes": 1}
    assert set(found.not_numbers) == {"cache_hits", "cache_misses", "hit_rate_pct"}


def test_a_body_with_a_million_values_is_searched_up_to_a_bound():
    deep: dict = {"cache_hits": 1}
    for _ in range(5_000):
        deep = {"next": deep}
    assert health_of(deep).cache == {}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        self.server.seen.append((self.path, dict(self.headers)))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            getattr(self, self.server.mode)()

    def _send(self, body: bytes, status: int = 200, kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def guide(self) -> None:
        info = {"name": "s", "version": "1", "protocolVersion": "2026-07-28"}
        self._send(json.dumps(GUIDE if self.path == "/health" else info).encode())

    def wrong_info(self) -> None:
        self._send(b'{"name": "s", "more": 1}')

    def missing(self) -> None:
        self._send(b"no", 404)

    def failing(self) -> None:
        self._send(b'{"status": "down"}', 503)

    def garbage(self) -> None:
        self._send(b"\xff\xfe<html>\x1b[31m")

    def nested(self) -> None:
        self._send(b"[" * 100_000)

    def large(self) -> None:
        self._send(b'{"x": "' + b"y" * (MAX_BYTES + 10) + b'"}')

    def stream(self) -> None:
        self._send(b"data: 1\n\n", kind="text/event-stream")

    def away(self) -> None:
        self._send(b"", 302, Location="http://192.0.2.1/stolen")

    def endless(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while not self.server.stop.wait(0.02):
            self.wfile.write(b"1\r\n \r\n")
            self.wfile.flush()

    def flood(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.close_connection = True
        while not self.server.stop.is_set():
            self.wfile.write(b"[" * 65_536)

    def mute(self) -> None:
        self.server.stop.wait(20)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, mode: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.mode, self.seen, self.stop = mode, [], threading.Event()


@contextlib.contextmanager
def serving(mode: str):
    server = _Server(mode)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server, HttpEndpoint(f"http://127.0.0.1:{server.server_port}/mcp", {"X-Key": "k"})
    finally:
        server.stop.set()
        server.shutdown()
        thread.join()
        server.server_close()


def read(mode: str, timeout: float = 5.0):
    with serving(mode) as (server, endpoint):

        async def both():
            return await read_health(endpoint, timeout=timeout), await read_server_info(endpoint, timeout=timeout)

        return *anyio.run(both), server.seen


def test_the_guides_server():
    found, info, seen = read("guide")
    assert found.cache["cache_hits"] == 97
    assert info.conforms
    assert [path for path, _ in seen] == ["/health", "/mcp"]
    assert all(headers["X-Key"] == "k" for _, headers in seen)


def test_a_server_info_with_other_members_says_why_it_does_not_conform():
    _, info, _ = read("wrong_info")
    assert not info.conforms
    assert "does not conform to omni.agent.server_info.v1" in info.problem


@pytest.mark.parametrize(
    ("mode", "problem"),
    [
        ("missing", "HTTP 404: the server does not have it"),
        ("garbage", "HTTP 200, and the body is not JSON"),
        ("nested", "HTTP 200, and the body is not JSON"),
        ("large", "it is longer than 256 KiB"),
        ("flood", "it is longer than 256 KiB"),
        ("stream", "it is an event stream"),
        ("away", "HTTP 302, and the body is not JSON"),
        ("endless", "no complete response within 0.5 s"),
        ("mute", "no complete response within 0.5 s"),
    ],
)
def test_hostile_and_missing_health(mode, problem):
    found, info, seen = read(mode, 0.5 if mode in ("endless", "mute") else 10.0)
    assert found.problem == problem
    assert found.cache == {}
    assert not info.conforms
    assert info.is_stream == (mode == "stream")
    assert all(path in ("/health", "/mcp") for path, _ in seen)


def test_a_server_that_says_it_is_down():
    found, info, _ = read("failing")
    assert (found.status, found.ok) == (503, "down")
    assert (info.conforms, info.problem) == (False, "HTTP 503")


def test_nobody_listens():
    with serving("guide") as (_, endpoint):
        pass
    found = anyio.run(read_health, endpoint)
    assert found.problem.startswith("the request failed")
