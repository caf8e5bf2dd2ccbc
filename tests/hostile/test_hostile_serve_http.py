"""Whoever can reach the port of `serve --http`: connections, bodies, sessions and waiting calls have bounds."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from attack import MEGABYTE
from support import Leash, free_port

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="memory and descriptors are read from /proc")
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
INITIALIZE = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}).encode()


class Server:
    """`serve --http` in a process of its own, and what it costs."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.leash = Leash()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mcp_governor", "serve", "--http", "--port", str(self.port)],
            env={**os.environ, "MCP_GOVERNOR_TEST": self.leash.mark},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 30
        while True:
            try:
                self.connection().close()
                return
            except OSError:
                assert time.monotonic() < deadline, "it does not listen"
                time.sleep(0.1)

    def connection(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), 20)

    def request(self, body: bytes, *headers: str, promised: int | None = None) -> bytes:
        lines = [
            "POST /mcp HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            "Content-Type: application/json",
            "Accept: application/json, text/event-stream",
            f"Content-Length: {len(body) if promised is None else promised}",
            *headers,
        ]
        return "\r\n".join([*lines, "", ""]).encode() + body

    def post(self, body: bytes, *headers: str) -> tuple[int, bytes]:
        """Status and the beginning of the rest."""
        with self.connection() as line:
            line.sendall(self.request(body, *headers))
            answer = b""
            while b"\r\n\r\n" not in answer or b"}" not in answer:
                piece = line.recv(65536)
                if not piece:
                    break
                answer += piece
        return int(answer.split(b" ", 2)[1]), answer

    def session(self) -> str:
        status, answer = self.post(INITIALIZE)
        assert status == 200
        lines = answer.split(b"\r\n\r\n")[0].decode().lower().split("\r\n")
        return "Mcp-Session-Id: " + next(line for line in lines if line.startswith("mcp-session-id")).split(": ")[1]

    def peak(self) -> int:
        """Largest resident memory of the server and its workers so far, in bytes, added up."""
        marked = [self.process.pid, *_children(self.process.pid)]
        status = "".join(Path(f"/proc/{pid}/status").read_text(encoding="utf-8") for pid in marked)
        return sum(1024 * int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))

    def interrupted(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(20)


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()


@pytest.fixture
def server(tmp_path):
    served = Server(tmp_path)
    yield served
    served.process.kill()
    served.process.wait()
    assert served.leash.left_behind() == []


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A server for all tests after which it can go on."""
    served = Server(tmp_path_factory.mktemp("served"))
    yield served
    served.process.kill()
    served.process.wait()
    assert served.leash.left_behind() == []


@LINUX
def test_connections_are_bounded_and_come_free_again(shared: Server) -> None:
    opened = [shared.connection() for _ in range(1_500)]
    time.sleep(1)
    # 128 that are served, and 128 more that are told that there are too many.
    assert len(list(Path(f"/proc/{shared.process.pid}/fd").iterdir())) < 300
    for line in opened:
        line.close()
    time.sleep(1)
    assert shared.post(INITIALIZE)[0] == 200


@pytest.mark.waits
def test_a_request_that_does_not_arrive_is_hung_up_on(shared: Server) -> None:
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
def test_bodies_that_are_not_finished_take_bounded_memory_and_do_not_delay_the_end(server: Server) -> None:
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
def test_calls_whose_client_has_gone_take_bounded_memory(server: Server) -> None:
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


BAD = {
    "cut off": b"{",
    "nothing": b"",
    "batch": b"[" + INITIALIZE + b"]",
    "not UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xff"}',
    "half a pair": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\\ud800"}}',
    "deep": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
    "infinite": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1e999}}',
    "values": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":[' + b"[]," * 1_300_000 + b"[]]}}",
}


def test_what_stdio_refuses_is_refused(shared: Server) -> None:
    for name, body in BAD.items():
        status, answer = shared.post(body)
        assert status == 400, name
        assert b'"error":{"code":-32' in answer, name


def test_sessions_are_bounded(server: Server) -> None:
    statuses = [server.post(INITIALIZE)[0] for _ in range(140)]
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
