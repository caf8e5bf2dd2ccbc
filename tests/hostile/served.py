"""`serve --http` in a process of its own: what it answers, and what it costs."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from support import Leash, free_port

from mcp_governor.server.address import TOKEN

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


class Served:
    """`serve --http` on a host, whose stderr is kept."""

    def __init__(self, folder: Path, host: str = "127.0.0.1", token: str = "") -> None:
        self.host, self.port, self.leash = host, free_port(), Leash()
        shown = f"[{host}]" if ":" in host else host
        self.shown = f"{shown}:{self.port}"
        self.log = folder / "stderr"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "mcp_governor", "serve", "--http", self.shown],
                env={**os.environ, "MCP_GOVERNOR_TEST": self.leash.mark, **({TOKEN: token} if token else {})},
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + 30
        while True:
            try:
                self.connection().close()
                return
            except OSError:
                assert time.monotonic() < deadline, self.log.read_text()
                time.sleep(0.1)

    def connection(self) -> socket.socket:
        return socket.create_connection((self.host, self.port), 20)

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, str]:
        """Status and body; a header that is an empty text is not sent."""
        line = http.client.HTTPConnection(self.host, self.port, timeout=20)
        try:
            line.putrequest(method, path, skip_host=True)
            sent = {"Host": self.shown, **(ACCEPT if body is not None else {}), **headers}
            data = json.dumps(body).encode() if body is not None else b""
            for name, value in {**sent, "Content-Length": str(len(data))}.items():
                if value:
                    line.putheader(name, value)
            line.endheaders(data)
            answer = line.getresponse()
            return answer.status, answer.read(4_000).decode()
        finally:
            line.close()

    def request(self, body: bytes, *headers: str, promised: int | None = None) -> bytes:
        """A POST as it is sent, which may promise more than it has."""
        named = {"Host": self.shown, **ACCEPT, "Content-Length": str(len(body) if promised is None else promised)}
        lines = ["POST /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in named.items()), *headers]
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
        """The header of a new session."""
        status, answer = self.post(json.dumps(INITIALIZE).encode())
        assert status == 200
        lines = answer.split(b"\r\n\r\n")[0].decode().lower().split("\r\n")
        return "Mcp-Session-Id: " + next(line for line in lines if line.startswith("mcp-session-id")).split(": ")[1]

    def peak(self) -> int:
        """Largest resident memory of the server and its workers so far, in bytes, added up."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text("utf-8").split()
        status = "".join(Path(f"/proc/{pid}/status").read_text("utf-8") for pid in (self.process.pid, *children))
        return sum(1024 * int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))

    def interrupted(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(20)


@contextlib.contextmanager
def serving(folder: Path, host: str = "127.0.0.1", token: str = "") -> Iterator[Served]:
    """A server that runs inside the block, and leaves nothing."""
    served = Served(folder, host, token)
    yield served
    served.process.terminate()
    served.process.wait(20)
    assert served.leash.left_behind() == []
