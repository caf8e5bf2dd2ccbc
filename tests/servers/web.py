"""A web server whose paths misbehave, each in its own way: ``Web()`` runs it in a thread of this process."""

from __future__ import annotations

import contextlib
import json
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

INIT = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "w", "version": "1"}}
DISCOVER = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
TOOL = {"name": "t", "inputSchema": {"type": "object"}}


class Handler(BaseHTTPRequestHandler):
    """Finds the mode in the path: ``/mode/…`` is handled by the method ``mode``."""

    protocol_version = "HTTP/1.1"
    timeout = 10
    server: Web._Server

    def log_message(self, *arguments: object) -> None:
        pass

    def handle_any(self) -> None:
        length = int(self.headers.get("content-length", 0))
        body = self.rfile.read(length)
        self.message = json.loads(body) if body else {}
        self.server.seen.append((self.command, self.path, dict(self.headers), self.message))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            getattr(self, self.path.strip("/").split("/")[0].split("?")[0])()

    do_GET = do_POST = do_DELETE = handle_any

    # ── answers ─────────────────────────────────────────────────────────────────────────────────────────

    def send(self, status: int, body: bytes | str = b"", kind: str = "application/json", **headers: str) -> None:
        data = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def reply(self, result: object = None, *, status: int = 200, error: object = None, **headers: str) -> None:
        carried = {"error": error} if error is not None else {"result": result}
        self.send(status, json.dumps({"jsonrpc": "2.0", "id": self.message.get("id"), **carried}), **headers)

    def open_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, data: object, *, kind: str = "", number: str = "", retry: int | None = None) -> None:
        lines = [f"id: {number}"] if number else []
        lines += [f"retry: {retry}"] if retry is not None else []
        lines += [f"event: {kind}"] if kind else []
        lines.append(f"data: {data if isinstance(data, str) else json.dumps(data)}")
        self.wfile.write(("\n".join(lines) + "\n\n").encode())
        self.wfile.flush()

    def answer(self, result: object) -> dict:
        return {"jsonrpc": "2.0", "id": self.message["id"], "result": result}

    def modern(self) -> bool:
        """Serve as a 2026-07-28 server; false for ``tools/list``, which the mode answers."""
        if self.message.get("method") == "server/discover":
            self.reply(DISCOVER)
        return self.message.get("method") == "server/discover"

    def begun(self) -> bool:
        """Serve as a 2026-07-28 server, and begin the answer to ``tools/list``; false for everything else."""
        if self.modern():
            return False
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "1000")
        self.end_headers()
        return True

    def legacy(self) -> bool:
        """Serve as a 2025 server; false for what the mode answers."""
        method = self.message.get("method")
        if method == "server/discover":
            self.reply(error={"code": -32601, "message": "unknown"}, status=400)
        elif method == "initialize":
            self.reply(INIT, Mcp_Session_Id="session-1")
        elif self.command == "DELETE":
            self.send(204)
        elif "id" not in self.message and self.command == "POST":
            self.send(202)
        else:
            return False
        return True

    # ── modes ───────────────────────────────────────────────────────────────────────────────────────────

    def status(self) -> None:
        self.send(int(self.path.partition("?")[0].split("/")[2]), "<html>no</html>", "text/html")

    def guarded(self) -> None:
        """Asks for the bearer token ``right``, as RFC 6750 says it."""
        given = self.headers.get("Authorization")
        if given == "Bearer right":
            self.good()
        elif given is None:
            self.send(401, WWW_Authenticate='Bearer realm="web", scope="read"')
        else:
            said = 'Bearer error="invalid_token", error_description="The token \\"expired\\", it seems"'
            self.send(401, WWW_Authenticate=said)

    def explained(self) -> None:
        self.send(500, 'database "\x1b[31mdown\u202e" for ' + self.headers.get("X-Key", ""), "text/plain")

    def html(self) -> None:
        self.send(200, "<html><body>Welcome</body></html>", "text/html; charset=utf-8")

    def empty(self) -> None:
        self.send(200)

    def accepted(self) -> None:
        self.send(202)

    def other_json(self) -> None:
        self.send(200, '{"hello": "world"}')

    def cut_json(self) -> None:
        self.send(200, '{"jsonrpc": "2.0", "id": 1, "result"')

    def away(self) -> None:
        self.send(307, Location=self.server.elsewhere + "/stolen")

    def dropped(self) -> None:
        self.send(302, Location="/good")

    def moved(self) -> None:
        self.send(308, Location="/good/")

    def circle(self) -> None:
        self.send(307, Location="/circle/")

    def with_user(self) -> None:
        self.send(307, Location=f"http://user:pass@127.0.0.1:{self.server.server_port}/good")

    def stolen(self) -> None:
        self.good()

    def good(self) -> None:
        if not self.modern():
            self.reply({"tools": [TOOL]})

    def mute(self) -> None:
        self.server.stop.wait(20)

    def slow_body(self) -> None:
        if not self.begun():
            return
        for _ in range(200):
            if self.server.stop.wait(0.1):
                return
            self.wfile.write(b" ")

    def broken_off(self) -> None:
        if not self.begun():
            return
        self.wfile.write(b'{"jsonrpc"')
        self.close_connection = True

    def bad_gzip(self) -> None:
        self.send(200, b"this is not gzip", Content_Encoding="gzip")

    def bomb(self) -> None:
        import gzip

        if not self.modern():
            self.send(200, gzip.compress(b" " * 20_000_000), Content_Encoding="gzip")

    def big_event(self) -> None:
        if self.modern():
            return
        self.open_stream()
        for _ in range(40):
            self.wfile.write(b"data: " + b"x" * 100_000 + b"\n")

    def wrong_id(self) -> None:
        if not self.modern():
            self.send(200, json.dumps({"jsonrpc": "2.0", "id": 4711, "result": {}}))

    def rpc_error(self) -> None:
        if not self.modern():
            self.reply(error={"code": -32603, "message": "inside"}, status=500)

    def null_id(self) -> None:
        error = {"code": -32700, "message": "what?"}
        if not self.modern():
            self.send(400, json.dumps({"jsonrpc": "2.0", "id": None, "error": error}))

    def second_try(self) -> None:
        """Refuses the version once, and names it among those it supports."""
        if len([1 for seen in self.server.seen if seen[1] == self.path]) == 1:
            self.reply(error={"code": -32022, "message": "v", "data": {"supported": ["2026-07-28"]}}, status=400)
        else:
            self.good()

    def both(self) -> None:
        """A server of both eras."""
        if self.message.get("method") == "server/discover":
            self.reply(DISCOVER)
        elif not self.legacy():
            self.reply({"tools": [TOOL]})

    def waking(self) -> None:
        """Of both eras, behind a proxy that says 503 while it starts."""
        if len([1 for seen in self.server.seen if seen[1] == self.path]) == 1:
            self.send(503, "starting", "text/plain")
        else:
            self.both()

    def waking_slowly(self) -> None:
        """Of both eras; whoever comes first waits in vain."""
        if len([1 for seen in self.server.seen if seen[1] == self.path]) == 1:
            self.server.stop.wait(20)
        else:
            self.both()

    def deaf_to_discover(self) -> None:
        """Older, and never answers what it does not know."""
        if self.message.get("method") == "server/discover":
            self.server.stop.wait(20)
        else:
            self.session()

    def fails_on_discover(self) -> None:
        """Older, and falls over what it does not know."""
        if self.message.get("method") == "server/discover":
            self.send(500, "oops", "text/plain")
        else:
            self.session()

    def session(self) -> None:
        if not self.legacy():
            self.reply({"tools": [TOOL]})

    def streamed(self) -> None:
        """Answers as a stream, with a notification and a question of its own before the answer."""
        if self.legacy():
            return
        self.open_stream()
        self.event({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
        self.event("", kind="ping")
        self.event({"jsonrpc": "2.0", "id": "q", "method": "roots/list"})
        self.event(self.answer({"tools": [TOOL]}), kind="message")
        self.server.stop.wait(0.2)

    def resumed(self) -> None:
        """Breaks the answer off and gives the rest to whoever comes back with the last event's id."""
        if self.legacy():
            return
        self.open_stream()
        if self.command == "POST":
            self.server.pending = self.answer({"tools": [TOOL]})
            self.event("", number="e1", retry=30)
        elif self.headers.get("Last-Event-ID") == "e1":
            self.event({"jsonrpc": "2.0", "method": "notifications/message"}, number="e2")
        elif self.headers.get("Last-Event-ID") == "e2":
            self.event(self.server.pending, number="e3")

    def never_finished(self) -> None:
        if self.legacy():
            return
        self.open_stream()
        self.event("", number="e", retry=1)

    def cut_stream(self) -> None:
        if self.legacy():
            return
        self.open_stream()

    def bad_event(self) -> None:
        if self.legacy():
            return
        self.open_stream()
        self.event("{not json")

    # ── the older transport ─────────────────────────────────────────────────────────────────────────────

    def listened_to(self) -> bool:
        """Open the stream of a GET; false for a POST, which is refused."""
        if self.command == "POST":
            self.send(405)
            return False
        self.open_stream()
        return True

    def sse(self) -> None:
        if not self.listened_to():
            return
        self.event("/messages/?sid=1", kind="endpoint")
        while not self.server.stop.is_set():
            with self.server.arrived:
                if not self.server.mail:
                    self.server.arrived.wait(0.2)
                mail, self.server.mail[:] = list(self.server.mail), []
            for message in mail:
                if message.get("method") == "initialize":
                    self.event({"jsonrpc": "2.0", "id": message["id"], "result": INIT}, kind="message")
                elif message.get("method") == "tools/list":
                    result = {"tools": [TOOL]}
                    self.event({"jsonrpc": "2.0", "id": message["id"], "result": result}, kind="message")
                    return

    def messages(self) -> None:
        with self.server.arrived:
            self.server.mail.append(self.message)
            self.server.arrived.notify()
        self.send(202, "Accepted", "text/plain")

    def sse_away(self) -> None:
        if not self.listened_to():
            return
        self.event(f"{self.server.elsewhere}/messages", kind="endpoint")
        self.server.stop.wait(5)

    def sse_mute(self) -> None:
        if self.listened_to():
            self.server.stop.wait(20)


class Web:
    """The server in a thread.

    Attributes:
        seen: every request: method, path, headers, message.
    """

    class _Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False
        elsewhere = ""

        def __init__(self) -> None:
            super().__init__(("127.0.0.1", 0), Handler)
            self.seen: list[tuple[str, str, dict[str, str], dict]] = []
            self.stop = threading.Event()
            self.arrived = threading.Condition()
            self.mail: list[dict] = []
            self.pending: dict = {}

        def handle_error(self, *arguments: object) -> None:
            pass

    def __init__(self, certificate: tuple[Path, Path] | None = None) -> None:
        self._server = self._Server()
        self._scheme = "http"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            self._scheme = "https"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Web:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.stop.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def seen(self) -> list[tuple[str, str, dict[str, str], dict]]:
        return self._server.seen

    def waited_for(self, command: str, seconds: float = 5) -> bool:
        """Whether a request with that method has come, or comes in time."""
        end = time.monotonic() + seconds
        while not any(seen[0] == command for seen in self.seen):
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
        return True

    def lead_to(self, other: Web) -> None:
        """Make this server's ways out lead to another one."""
        self._server.elsewhere = other.url("")

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"{self._scheme}://{host}:{self._server.server_port}{path}"
