"""Whoever can reach the port of `serve --http`: connections, bodies, sessions and waiting calls have bounds."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from attack import MEGABYTE
from served import INITIALIZE, Served, serving
from test_hostile_serve import LINUX, UNREADABLE

HELLO = json.dumps(INITIALIZE).encode()


@pytest.fixture
def server(tmp_path):
    with serving(tmp_path) as served:
        yield served


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A server for all tests after which it can go on."""
    with serving(tmp_path_factory.mktemp("served")) as served:
        yield served


@LINUX
def test_connections_are_bounded_and_come_free_again(shared: Served) -> None:
    opened = [shared.connection() for _ in range(1_500)]
    time.sleep(1)
    # 128 that are served, and 128 more that are told that there are too many.
    assert len(list(Path(f"/proc/{shared.process.pid}/fd").iterdir())) < 300
    for line in opened:
        line.close()
    time.sleep(1)
    assert shared.post(HELLO)[0] == 200


@pytest.mark.waits
def test_a_request_that_does_not_arrive_is_hung_up_on(shared: Served) -> None:
    slow = {"nothing": b"", "head": b"POST /mcp HT", "body": shared.request(b"{", promised=4_000_000)}
    lines = {name: shared.connection() for name, start in slow.items()}
    for name, line in lines.items():
        line.sendall(slow[name])
    opened = time.monotonic()
    for name, line in lines.items():
        line.settimeout(60)
        with contextlib.suppress(ConnectionResetError):
            assert line.recv(65536) == b"", name
        line.close()
    assert time.monotonic() - opened > 5


@LINUX
def test_bodies_that_are_not_finished_take_bounded_memory_and_do_not_delay_the_end(server: Served) -> None:
    before = server.peak()
    unfinished = b" " * 4_000_000
    lines = []
    for _ in range(100):
        line = server.connection()
        lines.append(line)
        try:
            line.sendall(server.request(unfinished, promised=len(unfinished) + 1))
        except OSError:
            continue
    time.sleep(1)
    assert server.peak() - before < 100 * MEGABYTE
    assert server.interrupted() == 130
    for line in lines:
        line.close()


@LINUX
def test_calls_whose_client_has_gone_take_bounded_memory(server: Served) -> None:
    session = server.session()
    tool = {"name": "t", "inputSchema": {"enum": [[] for _ in range(330_000)]}}
    params = {"name": "compare_surfaces", "arguments": {"old_tools": [tool], "new_tools": []}}
    for number in range(2, 62):
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        with server.connection() as line:
            try:
                line.sendall(server.request(json.dumps(message, separators=(",", ":")).encode(), session))
                time.sleep(0.1)
            except OSError:
                continue
    assert server.peak() < 500 * MEGABYTE


def test_what_stdio_refuses_is_refused(shared: Served) -> None:
    for name, (body, *_) in {**UNREADABLE, "nothing": (b"",)}.items():
        status, answer = shared.post(body)
        assert status == 400, name
        assert b'"error":{"code":-32' in answer, name


def test_sessions_are_bounded(server: Served) -> None:
    statuses = [server.post(HELLO)[0] for _ in range(140)]
    assert set(statuses) == {200, 503}
    assert statuses.count(200) == 128


def test_a_port_that_is_taken_is_a_usage_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-m", "mcp_governor", "serve", "--http", "--port", str(port)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 2
    assert f"127.0.0.1:{port} cannot be listened on: Address already in use." in done.stderr
