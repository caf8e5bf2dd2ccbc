"""A null responder: it answers every request with the same bytes and does no work, so that it shows how many requests
our client can send.

``python -P -m mcp_governor.load.responder``: it reads one line of JSON (``{"kind", "before", "after"}``), prints its
port, and ends with its stdin.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading

from mcp_governor.load.recipe import DIGITS

_ID = b'"id":'
_END = b"\r\n\r\n"


class Responder(asyncio.Protocol):
    """Answers on one connection.

    Args:
        head: of the response.
        before, after: its body around the id.
    """

    def __init__(self, head: bytes, before: bytes, after: bytes) -> None:
        self._start = head + before
        self._after = after
        self._transport: asyncio.Transport | None = None
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        # Our client sends one request at a time, in one piece.
        self._received += data
        end = self._received.find(_END)
        at = self._received.find(_ID, max(end, 0))
        if end < 0 or at < 0 or len(self._received) < at + len(_ID) + DIGITS:
            return
        number = self._received[at + len(_ID) : at + len(_ID) + DIGITS]
        self._received = b""
        if self._transport is not None:
            self._transport.write(self._start + number + self._after)


async def serve(kind: str, before: bytes, after: bytes) -> None:
    """Serve on a free port of loopback until stdin ends."""
    length = len(before) + DIGITS + len(after)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n".encode()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Responder(head, before, after), "127.0.0.1", 0, backlog=1024)
    sys.stdout.write(json.dumps({"port": server.sockets[0].getsockname()[1]}) + "\n")
    sys.stdout.flush()
    over = asyncio.Event()
    threading.Thread(target=_wait, args=(loop, over), daemon=True).start()
    await over.wait()


def _wait(loop: asyncio.AbstractEventLoop, over: asyncio.Event) -> None:
    while os.read(0, 65_536):
        pass
    loop.call_soon_threadsafe(over.set)


def main() -> None:
    """Read what to answer, and serve."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    order = json.loads(sys.stdin.buffer.readline())
    asyncio.run(serve(order["kind"], order["before"].encode("latin-1"), order["after"].encode("latin-1")))


if __name__ == "__main__":
    main()
