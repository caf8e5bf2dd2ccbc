"""An MCP server over streamable HTTP whose behaviour under load is known: ``python loaded.py JSON``.

Keys of JSON, all optional: ``era`` (``modern``, ``legacy``), ``service`` (seconds of work), ``capacity`` (requests that
are worked on at once, 0 for any number), ``dies_at`` (exits at once when so many requests are in the house), ``stall``
([from, to]: nothing is answered in these seconds after the first request), ``token`` (who has another one gets 401),
``burst`` ([every, for]: of each ``every`` requests the last ``for`` are refused with 503), ``sse`` (answers as a
stream), ``endless_sse`` (which does not end), ``close`` (``Connection: close``), ``sessions`` (legacy: each client gets
a session), ``tools``, ``bytes`` (of each description), ``tool_error`` (the call fails), ``varies``, ``port``, ``wrong``
(name of something that a server must not do, after ``good`` good answers), ``certificate`` (its file and that of its
key: the server speaks TLS).

It prints its port. Each connection and each request that it saw is counted; ``GET /seen`` has the
counts, and the seconds that each request was in the house (``took``).
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import ssl
import sys
import time

OPTIONS = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
ERA = OPTIONS.get("era", "modern")
SERVICE = OPTIONS.get("service", 0.0)
CAPACITY = OPTIONS.get("capacity", 0)
MODERN = "io.modelcontextprotocol/protocolVersion"
FOUND = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "e", "version": "1"}}
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}
TOOLS = [
    {
        "name": "echo" if index == 0 else f"write_{index}",
        "description": "d" * OPTIONS.get("bytes", 100),
        "inputSchema": SCHEMA,
        **({"annotations": {"readOnlyHint": True}} if index == 0 else {}),
    }
    for index in range(OPTIONS.get("tools", 3))
]
LISTS = {
    "empty-list": [],
    "short-list": TOOLS[1:],
    "long-list": [*TOOLS, {**TOOLS[0], "name": "more"}],
    "other-list": [{**TOOLS[0], "description": "another one"}, *TOOLS[1:]],
    "turned-list": TOOLS[::-1],
}
SEEN = {"connections": 0, "list": 0, "call": 0, "initialize": 0, "inside": 0, "most": 0, "deleted": 0, "authorized": 0}
BOMB = gzip.compress(b"0" * 50_000_000) if OPTIONS.get("wrong") == "gzip" else b""
BEGAN: list[float] = []
TOOK: list[float] = []
WORKING = asyncio.Semaphore(CAPACITY or 1_000_000)


async def work() -> None:
    began = time.perf_counter()
    BEGAN.append(began)
    SEEN["inside"] += 1
    SEEN["most"] = max(SEEN["most"], SEEN["inside"])
    try:
        if SEEN["inside"] >= OPTIONS.get("dies_at", 10**9):
            os._exit(1)
        start, end = OPTIONS.get("stall", (0, 0))
        if start < began - BEGAN[0] < end:
            await asyncio.sleep(end - (began - BEGAN[0]))
        async with WORKING:
            await asyncio.sleep(SERVICE)
    finally:
        SEEN["inside"] -= 1
        TOOK.append(time.perf_counter() - began)


def result_of(method: str, message: dict) -> tuple[str, object]:
    if method == "server/discover" and ERA == "modern":
        return "result", FOUND
    if method == "initialize" and ERA == "legacy":
        SEEN["initialize"] += 1
        return "result", HELLO
    if method == "tools/list":
        if OPTIONS.get("rpc_error") and SEEN["list"] > OPTIONS.get("good", 6):
            return "error", {"code": -32603, "message": "internal"}
        varied = {"_meta": {"n": SEEN["list"]}} if OPTIONS.get("varies") else {}
        return "result", {"tools": TOOLS, **varied}
    if method == "tools/call":
        SEEN["call"] += 1
        text = message["params"]["arguments"].get("text", "")
        failed = OPTIONS.get("tool_error") or text == "fail"
        return "result", {"content": [{"type": "text", "text": text}], "isError": failed}
    return "error", {"code": -32601, "message": "unknown method"}


async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    SEEN["connections"] += 1
    try:
        while await one(reader, writer):
            pass
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    first, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    SEEN["authorized"] += headers.get("authorization", "") == "Bearer let-me-in-0123456789"
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    verb, path, _ = first.split()
    if verb == "GET":
        return await send(writer, 200, json.dumps({**SEEN, "took": TOOK}).encode() if path == "/seen" else b"{}")
    if verb == "DELETE":
        SEEN["deleted"] += 1
        return await send(writer, 200, b"")
    message = json.loads(body)
    method = message["method"]
    if "id" not in message:
        return await send(writer, 202, b"")
    if method in ("tools/list", "tools/call"):
        SEEN["list"] += method == "tools/list"
        number = SEEN["list"]
        if ERA == "legacy" and OPTIONS.get("sessions") and not headers.get("mcp-session-id", "").startswith("s-"):
            return await send(writer, 400, b"no session")
        if ERA == "modern" and (MODERN not in message["params"]["_meta"] or headers.get("mcp-method") != method):
            return await send(writer, 400, b"no envelope")
        if "token" in OPTIONS and headers.get("authorization") != f"Bearer {OPTIONS['token']}":
            return await send(writer, 401, b"no")
        await work()
        every, refused = OPTIONS.get("burst", [0, 0])
        if every and number % every >= every - refused:
            return await send(writer, 503, b"busy")
        if OPTIONS.get("wrong") and number > OPTIONS.get("good", 6):
            return await wrong(OPTIONS["wrong"], writer, message["id"])
    key, value = result_of(method, message)
    more = f"Mcp-Session-Id: s-{SEEN['initialize']}\r\n" if OPTIONS.get("sessions") and method == "initialize" else ""
    answer = json.dumps({"jsonrpc": "2.0", "id": message["id"], key: value}).encode()
    if OPTIONS.get("sse") and method in ("tools/list", "tools/call"):
        return await stream(writer, answer)
    return await send(writer, 200, answer, more)


async def stream(writer: asyncio.StreamWriter, answer: bytes) -> bool:
    """The response as an event, after a notification, in two chunks; then the end of the stream, or not."""
    note = (
        b'event: message\r\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}\r\n\r\n'
    )
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    for part in (note, b"event: message\r\ndata: " + answer + b"\r\n\r\n"):
        writer.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
        await writer.drain()
        await asyncio.sleep(0)
    if OPTIONS.get("endless_sse"):
        await asyncio.sleep(60)
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


async def send(writer: asyncio.StreamWriter, status: int, body: bytes, more: str = "") -> bool:
    close = OPTIONS.get("close", False)
    end = "Connection: close\r\n" if close else ""
    kind = "application/json"
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{end}{more}\r\n"
    writer.write(head.encode() + body)
    await writer.drain()
    return not close


async def wrong(kind: str, writer: asyncio.StreamWriter, number: int) -> bool:  # noqa: C901
    """What a hostile or broken server does."""
    json_head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    answer = json.dumps({"jsonrpc": "2.0", "id": number, "result": {"tools": TOOLS}}).encode()
    if kind == "endless-body":
        writer.write(json_head + b"Transfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"10000\r\n" + b"x" * 65_536 + b"\r\n")
            await writer.drain()
    if kind == "endless-headers":
        writer.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            writer.write(b"X-A: " + b"a" * 1_000 + b"\r\n")
            await writer.drain()
    if kind == "interim":
        while True:
            writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n")
            await writer.drain()
    if kind == "drip":
        writer.write(json_head + b"Content-Length: 100000\r\n\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)
    if kind == "garbage":
        writer.write(b"\x00\xff\xfe not HTTP at all\r\n\r\n")
    elif kind == "gzip":
        head = f"Content-Encoding: gzip\r\nContent-Length: {len(BOMB)}\r\n\r\n".encode()
        writer.write(json_head + head + BOMB)
    elif kind == "redirect":
        writer.write(b"HTTP/1.1 307 X\r\nLocation: http://192.0.2.1/mcp\r\nContent-Length: 0\r\n\r\n")
    elif kind == "another-id":
        body = answer.replace(str(number).encode(), str(number + 1).encode())
        writer.write(json_head + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    elif kind == "twice":
        response = json_head + f"Content-Length: {len(answer)}\r\n\r\n".encode() + answer
        writer.write(response + response)
    elif kind == "half":
        writer.write(json_head + f"Content-Length: {len(answer)}\r\n\r\n".encode() + answer[:20])
        await writer.drain()
        return False
    elif kind == "no-length":
        writer.write(json_head + b"\r\n" + answer)
        await writer.drain()
        return False
    elif kind == "deep":
        body = b'{"jsonrpc":"2.0","id":%d,"result":{"tools":%s}}' % (number, b"[" * 5_000 + b"]" * 5_000)
        writer.write(json_head + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    elif kind == "upgrade":
        writer.write(b"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n")
    elif kind == "web-page":
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>")
    elif kind in LISTS:
        body = json.dumps({"jsonrpc": "2.0", "id": number, "result": {"tools": LISTS[kind]}}).encode()
        writer.write(json_head + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    elif kind == "limited":
        writer.write(b"HTTP/1.1 429 X\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")
    elif kind == "closes":
        return False
    await writer.drain()
    return True


def tls() -> ssl.SSLContext | None:
    if "certificate" not in OPTIONS:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*OPTIONS["certificate"])
    return context


async def main() -> None:
    place = OPTIONS.get("host", "127.0.0.1"), OPTIONS.get("port", 0)
    server = await asyncio.start_server(handle, *place, backlog=1024, limit=1 << 20, ssl=tls())
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


asyncio.run(main())
