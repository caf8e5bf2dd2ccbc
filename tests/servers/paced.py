"""An MCP server over HTTP with a known service time and capacity: ``paced.py PORT [SECONDS [CAPACITY [FLAW]]]``.

A request takes SECONDS of one of CAPACITY places. FLAW: ``modern`` and ``legacy`` speak one era alone, ``busy``
answers every fifth request with 503, ``rpc`` with a JSON-RPC error, ``tool`` with isError, ``stall`` holds every
response of one second, ``mute`` never responds, ``stream`` responds with server-sent events, ``auth`` wants a header.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

PORT, SECONDS, CAPACITY = int(sys.argv[1]), float((sys.argv[2:] or ["0.05"])[0]), int((sys.argv[3:] or ["20"])[0])
FLAW = (sys.argv[4:] or [""])[0]
INFO = {"name": "paced", "version": "1.0.0"}
TOOL = {
    "name": "find",
    "description": "Finds a book.",
    "inputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True},
}
places = asyncio.Semaphore(CAPACITY)
began = None
count = 0


async def result(message, headers):
    global began, count
    method = message["method"]
    if method == "server/discover" and FLAW != "legacy":
        return {"result": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "serverInfo": INFO}}
    if method == "initialize" and FLAW != "modern":
        return {"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": INFO}}
    if method not in ("tools/list", "tools/call"):
        return {"error": {"code": -32601, "message": "Method not found"}}
    if FLAW == "legacy" and headers.get("mcp-session-id") != "one":
        return 400
    if FLAW == "auth" and headers.get("authorization") != "Bearer pass-word-1":
        return 401
    count += 1
    if FLAW == "busy" and count % 5 == 0:
        return 503
    if FLAW == "rpc" and count % 5 == 0:
        return {"error": {"code": -32000, "message": "no"}}
    if FLAW == "stall":
        began = began or time.perf_counter()
        if 0.5 < time.perf_counter() - began < 1.5:
            await asyncio.sleep(1.5 - (time.perf_counter() - began))
    if FLAW == "mute":
        await asyncio.sleep(3600)
    async with places:
        await asyncio.sleep(SECONDS)
    if method == "tools/list":
        return {"result": {"tools": [TOOL]}}
    return {"result": {"content": [{"type": "text", "text": "a"}], "isError": FLAW == "tool"}}


async def serve(reader, writer):
    try:
        while True:
            lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            message = json.loads(body) if body else {}
            if "id" not in message:
                writer.write(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
                continue
            found = await result(message, headers)
            status, kind, extra = "200 OK", "application/json", ""
            if isinstance(found, int):
                status, data = f"{found} No", b"no"
            else:
                data = json.dumps({"jsonrpc": "2.0", "id": message["id"], **found}).encode()
            if FLAW == "stream":
                kind, data = "text/event-stream", b"event: message\ndata: " + data + b"\n\n"
            if message["method"] == "initialize":
                extra = "Mcp-Session-Id: one\r\n"
            head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{extra}Content-Length: {len(data)}\r\n\r\n"
            writer.write(head.encode() + data)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", PORT, backlog=1024)
    print("ready", flush=True)
    await server.serve_forever()


asyncio.run(main())
