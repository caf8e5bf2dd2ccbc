"""A server that says too much: ``flood.py MODE [MEGABYTES]`` over stdio, and over HTTP with ``--http PORT`` before it.

Over HTTP the mode is the path: ``/json/MODE/MEGABYTES`` answers with bodies, ``/stream/…`` with event streams, and
``/sse/…`` is the older transport. Standard library only; what it sends is made piece by piece, because its own memory
is measured as well.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import queue
import sys
import time
from collections.abc import Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MEGABYTE = 1024 * 1024
CAPABILITIES = {"tools": {}}
INFO = {"name": "flood", "version": "1.0.0"}
LEGACY = {"protocolVersion": "2025-06-18", "capabilities": CAPABILITIES, "serverInfo": INFO}
MODERN = {"supportedVersions": ["2026-07-28"], "capabilities": CAPABILITIES}
SMALL = b'[{"name":"t","description":"Does it.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]'


def line(**message: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode()


# ── tools: the array that tools/list answers with, in pieces ────────────────────────────────────────────────


def repeated(piece: bytes, size: int) -> Iterator[bytes]:
    times = size // len(piece)
    block = max(1, MEGABYTE // len(piece))
    for start in range(0, times, block):
        yield piece * min(block, times - start)


def counted(piece: bytes, size: int) -> Iterator[bytes]:
    """``piece`` with a number in it that differs each time."""
    sent = 0
    for number in itertools.count():
        numbered = piece % number
        sent += len(numbered)
        if sent > size:
            return
        yield numbered


def a_tool(before: bytes, pieces: Iterable[bytes], after: bytes) -> Iterator[bytes]:
    yield b'[{"name":"t","inputSchema":{"type":"object",' + before
    yield from pieces
    yield after + b"}]"


def listed(piece: bytes, size: int) -> Iterator[bytes]:
    return a_tool(b'"properties":{"a":{"enum":[', repeated(piece + b",", size), b'0]}}},"description":"Does it."')


def properties(size: int) -> Iterator[bytes]:
    return a_tool(b'"properties":{', counted(b'"p%d":{},', size), b'"z":{}}},"description":"Does it."')


def described(text: str, size: int) -> Iterator[bytes]:
    return a_tool(b'"properties":{}},"description":"', repeated(text.encode(), size), b'"')


def nested(size: int) -> Iterator[bytes]:
    deep = b'{"not":' * 150 + b"{}" + b"}" * 150
    return a_tool(b'"allOf":[', repeated(deep + b",", size), b'{}]},"description":"Does it."')


def honest(size: int) -> Iterator[bytes]:
    """As many tools as fill ``size``, 2.7 KB each."""
    described = {"type": "string", "description": "What it is, in a sentence of usual length.", "maxLength": 100}
    properties = {f"argument_{number}": described for number in range(20)}
    schema = json.dumps({"type": "object", "properties": properties, "required": ["argument_1", "argument_2"]})
    tool = b'{"name":"tool_%d","description":"Does one of the many things that are to be done.","inputSchema":@},'
    yield b"["
    yield from (piece.replace(b"@", schema.encode()) for piece in counted(tool, size * 106 // 2_700))
    yield SMALL[1:]


def tiny(size: int) -> Iterator[bytes]:
    yield b"["
    yield from counted(b'{"name":"t%d"},', size)
    yield SMALL[1:]


def callable_tools() -> Iterator[bytes]:
    return itertools.chain((b"[",), (SMALL[1:-1].replace(b'"t"', b'"t%d"' % n) + b"," for n in range(40)), (SMALL[1:],))


TOOLS = {
    "small": lambda size: iter((SMALL,)),
    "calls": lambda size: callable_tools(),
    "arrays": lambda size: listed(b"[]", size),
    "objects": lambda size: listed(b"{}", size),
    "members": lambda size: listed(b'{"":0}', size),
    "numbers": lambda size: listed(b"1.5", size),
    "strings": lambda size: listed('"\U0001f600"'.encode(), size),
    "described": lambda size: described("It does all that can be done. ", size),
    "word": lambda size: described("a", size),
    "emoji": lambda size: described("\U0001f600 and much more of it. ", size),
    "properties": properties,
    "wide": properties,
    "nested": nested,
    "honest": honest,
    "tiny": tiny,
}

LARGEST = {"members": 0.32, "emoji": 3.8, "nested": 0.18, "properties": 0.45, "described": 3, "arrays": 0.28}
LARGEST |= {"wide": 0.012}
"""Megabytes of one tool that is just read."""


def many(shape: str, times: int) -> Iterator[bytes]:
    """Several tools of one shape, each as large as a tool may be."""
    for number in range(times):
        tool = b"".join(TOOLS[shape](int(LARGEST[shape] * MEGABYTE)))
        yield (b"," if number else b"[") + tool[1:-1].replace(b'"t"', b'"t%d"' % number, 1)
    yield b"]"


def result(mode: str, size: float, request: dict) -> Iterator[bytes]:
    """The result of ``tools/list``, in pieces."""
    yield b'{"resultType":"complete","ttlMs":0,"cacheScope":"private",'
    if mode == "pages":
        cursor = int(request.get("params", {}).get("cursor", 0)) + 1
        yield b'"nextCursor":"%d",' % cursor
        tools = (piece.replace(b'"t"', b'"t%d"' % cursor) for piece in TOOLS["described"](int(size * MEGABYTE)))
    elif mode == "cursor":
        yield b'"nextCursor":"' + b"c" * int(size * MEGABYTE) + b'",'
        tools = iter((SMALL,))
    elif mode.startswith("many_"):
        tools = many(mode.removeprefix("many_"), int(size))
    else:
        tools = TOOLS.get(mode, TOOLS["small"])(int(size * MEGABYTE))
    yield b'"tools":'
    yield from tools
    yield b"}"


# ── what else comes with an answer: whole messages, before it ───────────────────────────────────────────────


def asides(mode: str, size: float) -> Iterator[Iterable[bytes]]:
    """Messages that a server sends before its answer to ``tools/list``, each in pieces."""
    total = int(size * MEGABYTE)
    if mode == "notifications":
        for _ in itertools.count():
            yield (line(method="notifications/message", params={"level": "info", "data": "x"}),)
    elif mode == "requests":
        for number in itertools.count():
            yield (line(id=number, method="roots/list"),)
    elif mode == "ids":
        for number in range(100):
            start = b'{"jsonrpc":"2.0","method":"roots/list","id":"%d' % number
            yield itertools.chain((start,), repeated(b"i", total), (b'"}',))
    elif mode == "methods":
        for number in range(100):
            start = b'{"jsonrpc":"2.0","id":%d,"method":"m' % number
            yield itertools.chain((start,), repeated(b"m", total), (b'"}',))
    elif mode == "strays":
        for number in range(90):
            yield itertools.chain((b'{"jsonrpc":"2.0","id":%d,"result":{"a":"' % (number + 1_000),),
                                  repeated(b"s", total), (b'"}}',))  # fmt: skip


def answer(mode: str, size: float, request: dict) -> Iterator[bytes]:
    """The response to any request, in pieces."""
    number = request["id"]
    method = request["method"]
    if method == "server/discover":
        yield line(id=number, result=MODERN)
    elif method == "tools/list" and mode == "error":
        yield b'{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"' % number
        yield from repeated(b"no ", int(size * MEGABYTE))
        yield b'"}}'
    elif method == "tools/list":
        yield b'{"jsonrpc":"2.0","id":%d,"result":' % number
        yield from result(mode, size, request)
        yield b"}"
    elif method == "tools/call":
        yield b'{"jsonrpc":"2.0","id":%d,"result":{"resultType":"complete","content":[{"type":"text","text":"' % number
        yield from repeated(b"result ", int(size * MEGABYTE))
        yield b'"}]}}'
    else:
        yield line(id=number, error={"code": -32601, "message": "unknown"})


# ── stdio ───────────────────────────────────────────────────────────────────────────────────────────────────


def forever(mode: str) -> None:
    out = sys.stdout.buffer
    while mode in ("stderr", "noise", "blank", "trickle"):
        if mode == "stderr":
            sys.stderr.write("x" * 65_535 + "\n")
        elif mode == "noise":
            out.write(b"x" * 1_000_000 + b"\n")
        elif mode == "blank":
            out.write(b"\n" * 65_536)
        else:
            out.write(b" ")
            out.flush()
            time.sleep(0.1)


def on_stdio(mode: str, size: float) -> None:
    out = sys.stdout.buffer
    for text in sys.stdin:
        request = json.loads(text)
        if "id" not in request or "method" not in request:
            continue
        if request["method"] == "tools/list":
            for pieces in asides(mode, size):
                out.writelines(pieces)
                out.write(b"\n")
            forever(mode)
        out.writelines(answer(mode, size, request))
        out.write(b"\n")
        out.flush()


# ── HTTP ────────────────────────────────────────────────────────────────────────────────────────────────────


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"
    events: queue.SimpleQueue[dict] = queue.SimpleQueue()

    def log_message(self, *arguments: object) -> None:
        pass

    def start(self, kind: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()

    def do_POST(self) -> None:
        way, mode, size = self.path.strip("/").split("/")
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            if way == "posted":
                self.events.put(request)
            if way == "posted" or "id" not in request or "method" not in request:
                self.start("text/plain", 202)
            elif way == "sse":
                self.start("text/plain", 405)
            elif way == "json":
                self.body(mode, float(size), request)
            else:
                self.start("text/event-stream")
                self.report_to(mode, float(size), request)

    def do_GET(self) -> None:
        way, mode, size = self.path.strip("/").split("/")
        if way != "sse":
            return self.start("text/plain", 405)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.start("text/event-stream")
            self.wfile.write(f"event: endpoint\ndata: /posted/{mode}/{size}\n\n".encode())
            while True:
                request = self.events.get()
                if request.get("method") == "initialize":
                    self.event((line(id=request["id"], result=LEGACY),))
                elif "id" in request and "method" in request:
                    self.report_to(mode, float(size), request)

    def body(self, mode: str, size: float, request: dict) -> None:
        if mode == "headers" and request["method"] == "tools/list":
            self.send_response(200)
            for number in itertools.count():
                self.send_header(f"X-{number}", "x" * 1_000)
                self.flush_headers()
        self.start("application/json")
        if mode == "trickle" and request["method"] == "tools/list":
            self.trickle(b" ")
        for piece in answer(mode, size, request):
            self.wfile.write(piece)

    def report_to(self, mode: str, size: float, request: dict) -> None:
        if request["method"] == "tools/list":
            for pieces in asides(mode, size):
                self.event(pieces)
            if mode == "comments":
                while True:
                    self.wfile.write(b": still here\n" * 5_000)
            if mode == "lines":
                while True:
                    self.wfile.write(b"data:ab\n" * 8_000)
            if mode == "trickle":
                self.trickle(b": still here\n")
        self.event(answer(mode, size, request))

    def trickle(self, piece: bytes) -> None:
        while True:
            self.wfile.write(piece)
            self.wfile.flush()
            time.sleep(0.1)

    def event(self, pieces: Iterable[bytes]) -> None:
        self.wfile.write(b"data: ")
        for piece in pieces:
            self.wfile.write(piece)
        self.wfile.write(b"\n\n")
        self.wfile.flush()


def main() -> None:
    if sys.argv[1] == "--http":
        ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
    with contextlib.suppress(BrokenPipeError):
        on_stdio(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 1)


if __name__ == "__main__":
    main()
