"""What GET on an HTTP endpoint answers."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import anyio
import pytest

from mcp_governor.call.agent_info import check_server_info
from mcp_governor.rules import LintSettings, select
from mcp_governor.wire import HttpEndpoint
from tests.support import free_port

OMNI = select(LintSettings(select=("omni/*",)))
GOOD = {"name": "s", "version": "1", "protocolVersion": "2025-11-25"}


@pytest.fixture
def serve():
    running = []

    def start(body: bytes, status: int = 200, sse: bytes | None = None, kind: str = "application/json"):
        class Handler(BaseHTTPRequestHandler):
            seen: list[tuple[str, str | None]] = []  # noqa: RUF012

            def do_GET(self):
                self.seen.append((self.path, self.headers.get("X-Key")))
                found = body if self.path.startswith("/mcp") else sse
                self.send_response(404 if found is None else status)
                self.send_header("Content-Length", str(len(found or b"")))
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write(found or b"")

            def log_message(self, *args):
                pass

        server = HTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        running.append((server, thread))
        return f"http://127.0.0.1:{server.server_port}/mcp", Handler.seen

    yield start
    for server, thread in running:
        server.shutdown()
        thread.join()
        server.server_close()


def check(url, **headers):
    return anyio.run(check_server_info, HttpEndpoint(url, headers=headers), OMNI)


@pytest.mark.parametrize(
    ("document", "paths"),
    [
        (GOOD, []),
        ({**GOOD, "message": "POST here."}, []),
        ({**GOOD, "message": None}, ["/message"]),
        ({**GOOD, "uptime": 3}, ["/uptime"]),
        ({"name": "s"}, ["/version", "/protocolVersion"]),
        ([GOOD], [""]),
    ],
)
def test_the_document_is_checked(serve, document, paths):
    url, seen = serve(json.dumps(document).encode())
    findings = check(url, **{"X-Key": "k"})
    assert [(finding.rule, finding.path) for finding in findings] == [("omni/server-info", path) for path in paths]
    assert seen == [("/mcp", "k"), ("/sse", "k")]


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"<html>", 200, "JSON"),
        (b"", 404, "status 404"),
        (b"", 405, "status 405"),
        (b"[" * 60_000, 200, "JSON"),
        (b"x" * 100_000, 200, "64 KiB"),
    ],
)
def test_another_answer_is_reported(serve, body, status, words):
    url, _ = serve(body, status)
    (finding,) = check(url)
    assert words in finding.message


def test_nobody_is_asked_where_the_rule_does_not_run():
    endpoint = HttpEndpoint(f"http://127.0.0.1:{free_port()}/mcp")
    assert anyio.run(check_server_info, endpoint, select(LintSettings())) == []


@pytest.mark.parametrize(
    ("sse", "places"),
    [
        (None, []),
        (GOOD, []),
        ({"name": "s"}, ["/version", "/protocolVersion"]),
    ],
)
def test_the_other_address_may_be_absent_and_else_gives_the_same(serve, sse, places):
    url, _ = serve(json.dumps(GOOD).encode(), sse=None if sse is None else json.dumps(sse).encode())
    findings = check(url)
    assert [finding.path for finding in findings] == places
    assert all("/sse" in finding.message for finding in findings)


def test_one_mistake_at_both_addresses_is_one_finding(serve):
    wrong = json.dumps({**GOOD, "uptime": 3}).encode()
    url, _ = serve(wrong, sse=wrong)
    assert [finding.path for finding in check(url)] == ["/uptime"]


def test_an_event_stream_is_not_read(serve):
    url, _ = serve(b"x" * 100_000, kind="text/event-stream; charset=utf-8")
    (finding,) = check(url)
    assert "event stream" in finding.message
