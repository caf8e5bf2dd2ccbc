"""Whoever knows the port of `serve --http`, and not the token or the name of this machine."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys

import anyio
import pytest
from served import INITIALIZE, serving

from mcp_governor.server import http as served_http
from mcp_governor.server.address import TOKEN
from mcp_governor.server.http import Door
from mcp_governor.server.lines import LINE_BYTES

SECRET = "k3-" + "q7Zr" * 10


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    """A server for all tests after which it can go on."""
    with serving(tmp_path_factory.mktemp("served")) as served:
        yield served


FOREIGN_HOSTS = (
    "evil.example",
    "evil.example:{port}",
    "127.0.0.1.evil.example:{port}",
    "127.0.0.1:1",
    "0.0.0.0:{port}",
    "[::]:{port}",
    "localhost",
    "",
)
FOREIGN_ORIGINS = (
    "http://evil.example",
    "null",
    "https://127.0.0.1:{port}",
    "http://127.0.0.1:1",
    "http://localhost.evil.example:{port}",
    "file://",
)


def test_a_page_of_the_web_does_not_get_in(one):
    for host in FOREIGN_HOSTS:
        for method, path, body in (("POST", "/mcp", INITIALIZE), ("GET", "/mcp", None), ("GET", "/health", None)):
            status, said = one.ask(method, path, body, Host=host.format(port=one.port))
            assert status in (400, 421), (host, method, path)
            assert "mcp-governor" not in said
    for origin in FOREIGN_ORIGINS:
        for method, path, body in (("POST", "/mcp", INITIALIZE), ("GET", "/mcp", None), ("GET", "/health", None)):
            assert one.ask(method, path, body, Origin=origin.format(port=one.port))[0] == 403, (origin, path)
    for name in ("127.0.0.1", "localhost", "[::1]"):
        here = f"{name}:{one.port}"
        assert one.ask("POST", "/mcp", INITIALIZE, Host=here, Origin=f"http://{here}")[0] == 200


def test_the_loopback_of_ipv6(tmp_path):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    with serving(tmp_path, "::1") as one:
        assert one.ask("POST", "/mcp", INITIALIZE)[0] == 200
        assert one.ask("POST", "/mcp", INITIALIZE, Host=f"evil.example:{one.port}")[0] == 421
        assert json.loads(one.ask("GET", "/mcp")[1])["name"] == "mcp-governor"


def test_a_get_on_our_endpoint_is_answered_with_the_server_info(one):
    """Tool schema guide, section 0a (P51)."""
    status, body = one.ask("GET", "/mcp")
    info = json.loads(body)
    assert status == 200
    assert (info["name"], set(info)) == ("mcp-governor", {"name", "version", "protocolVersion", "message"})


def test_without_the_token_nothing_is_said_and_the_token_is_in_no_log(tmp_path):
    wrong = (
        "",
        "Bearer",
        "Bearer ",
        f"Bearer {SECRET[:-1]}",
        f"Bearer {SECRET}x",
        f"Basic {SECRET}",
        SECRET,
        f"Bearer {SECRET} {SECRET}",
        "Bearer \xe9",
    )
    with serving(tmp_path, "0.0.0.0", SECRET) as one:
        one.shown = f"127.0.0.1:{one.port}"
        for given in wrong:
            for method, body in (("POST", INITIALIZE), ("GET", None), ("DELETE", None), ("OPTIONS", None)):
                status, said = one.ask(method, "/mcp", body, Authorization=given)
                assert status == 401, (given, method)
                assert "mcp-governor" not in said
                assert SECRET not in said
        assert one.ask("POST", f"/mcp?token={SECRET}", INITIALIZE)[0] == 401
        assert one.ask("POST", "/mcp", INITIALIZE, Authorization=f"Bearer {SECRET}")[0] == 200
        assert one.ask("POST", "/mcp", INITIALIZE, Authorization=f"bearer  {SECRET}")[0] == 200
    assert SECRET not in one.log.read_text()


def test_tokens_are_compared_in_constant_time(monkeypatch):
    seen = []
    compare = served_http.hmac.compare_digest
    monkeypatch.setattr(served_http.hmac, "compare_digest", lambda *both: seen.append(both) or compare(*both))
    assert served_http._admits("right", b"Bearer right")
    assert not served_http._admits("right", b"Basic right")
    assert not served_http._admits("right", b"Bearer wrong")
    assert not served_http._admits("right", b"Bearer \xe9")
    assert len(seen) == 4


@pytest.mark.parametrize("host", ["0.0.0.0:18765", "[::]:18765", "[::ffff:0.0.0.0]:18765"])
def test_other_machines_are_not_served_without_a_token(tmp_path, host):
    environment = {name: value for name, value in os.environ.items() if name != TOKEN}
    for token in ("", "short", "x" * 31):
        done = subprocess.run(
            [sys.executable, "-m", "mcp_governor", "serve", "--http", host],
            cwd=tmp_path,
            env={**environment, TOKEN: token},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 2
        assert TOKEN in done.stderr
        assert not token or token not in done.stderr


def test_a_large_head_is_refused(one):
    with socket.create_connection(("127.0.0.1", one.port), 20) as line:
        line.sendall(f"GET /health HTTP/1.1\r\nHost: {one.shown}\r\n".encode())
        sent = 0
        with contextlib.suppress(OSError):
            while sent < 50_000_000:
                line.sendall(b"X-Large: " + b"x" * 60_000 + b"\r\n")
                sent += 60_000
        assert sent < 5_000_000
    assert one.ask("GET", "/health")[0] == 200


@pytest.mark.parametrize("parts", [1, 3, 10_000])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({b"host": b"evil.example"}, 421),
        ({b"host": b"here", b"origin": b"https://evil.example"}, 403),
        ({b"host": b"here"}, 401),
    ],
)
def test_a_refused_body_is_read_before_the_refusal_and_only_so_much_of_it(headers, status, parts):
    """Closed with data that nobody read, a connection is reset, and the client learns no status."""
    left = [{"type": "http.request", "body": b"x" * 1_000, "more_body": True}] * parts
    left[-1] = {**left[-1], "more_body": False}
    sent: list[tuple[int, int]] = []

    async def receive():
        return left.pop(0)

    async def send(message):
        sent.append((message.get("status", 0), len(left)))

    door = Door(None, token="secret", hosts=["here"])
    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": list(headers.items())}
    anyio.run(door, scope, receive, send)
    assert sent[0][0] == status
    assert sent[0][1] == max(0, parts - LINE_BYTES // 1_000 - 1)
