"""An HTTP server that is no MCP server; the path says in which way."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HTML = b"<!doctype html><title>Sign in</title>\x1b[31m<script>x</script>"
SECRET = "sekret-0123456789"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *arguments: object) -> None:
        pass

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        self.server.authorizations.add(self.headers.get("authorization"))
        kind = self.path.partition("?")[0].strip("/")
        if kind == "html":
            self._send(200, HTML, "text/html")
        elif kind == "redirect":
            self._send(302, b"", "text/plain", location="http://127.0.0.1:1/elsewhere")
        elif kind == "slow":
            self._drip()
        else:
            self._send(int(kind), b'{"oops": "\x1b[31m"}', "application/json")

    def _send(self, status: int, body: bytes, content_type: str, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content-type": content_type, "content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _drip(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "100000")
        self.end_headers()
        with contextlib.suppress(OSError):
            while not self.server.ended.is_set():
                self.wfile.write(b" ")
                time.sleep(0.05)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.ended = threading.Event()
        self.authorizations: set[str | None] = set()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_port}"


@contextlib.contextmanager
def faulty_http() -> Iterator[_Server]:
    """The server, listening on a free port of 127.0.0.1 until the block ends."""
    with _Server() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.ended.set()
            server.shutdown()
            thread.join()
