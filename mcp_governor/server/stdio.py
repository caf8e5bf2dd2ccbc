"""Serving over stdin and stdout: bounded in what is read, in what waits, and in how long we outlive the client.

Two threads do what blocks, so that neither a silent client nor one that does not read stops the event loop. The
reader hands over one message at a time and waits until it is taken, so that a client which sends faster than we work
fills its own pipe and not our memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import queue
import select
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from mcp_governor.server.lines import BUSY, INVALID_REQUEST, Lines, Refused, cost, is_id, read

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from mcp.server.mcpserver import MCPServer

    from mcp_governor.server.pool import Pool


CHUNK = 65_536
"""Size of one read, in bytes: the capacity of a pipe on Linux."""

REQUESTS = 128
"""Requests that may be without an answer at a time, twice as many as may wait for a worker."""

REQUESTS_COST = 64 << 20
"""Most memory, as ``lines.cost`` estimates it, that these may take. One message always fits."""

UNREAD = 4 << 20
"""Bytes of answers that may wait for the client to read them; above that no work is begun and no line is read."""

GRACE = 0.4
"""Time for running calls after the client has closed our stdin, in seconds, so that piped requests get responses."""

AFTERLIFE = 0.9
"""Seconds after which a process whose client is gone ends, whatever it is doing."""

POLL = 0.1
"""Seconds between two checks if the client is gone, while it does not read."""


@contextlib.contextmanager
def own_wire() -> Iterator[tuple[int, int]]:
    """Take descriptors 0 and 1 away from the rest of the process: 0 reads nothing then, and 1 writes to stderr.

    Yields:
        Duplicates of both, which accidental reads and prints cannot reach.
    """
    inward, outward = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    try:
        yield inward, outward
    finally:
        os.dup2(inward, 0)
        os.dup2(outward, 1)


class _News:
    """Wakes whoever waits for something to become true."""

    def __init__(self) -> None:
        self._event = anyio.Event()

    def announce(self) -> None:
        """Something has changed."""
        event, self._event = self._event, anyio.Event()
        event.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until it is true."""
        while not condition():
            await self._event.wait()


class Output:
    """What goes to the client."""

    def __init__(self, number: int, pool: Pool) -> None:
        self._number = number
        self._pool = pool
        self._loop = asyncio.get_running_loop()
        self._queue: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._unread = 0
        self._news = _News()
        self.broken = anyio.Event()
        threading.Thread(target=self._write, daemon=True).start()

    async def put(self, line: bytes) -> None:
        """Send a line; waits while the client is too far behind. A client that is gone gets nothing."""
        await self._news.until(lambda: not self.stalled)
        self._unread += len(line)
        self._queue.put(line)
        if self._unread > UNREAD:
            self._pool.hold()

    @property
    def stalled(self) -> bool:
        """True if the client is too far behind to be sent more."""
        return self._unread > UNREAD and not self.broken.is_set()

    async def drained(self) -> None:
        """Return when everything was written."""
        await self._news.until(lambda: not self._unread or self.broken.is_set())

    def _write(self) -> None:
        while True:
            line = self._queue.get()
            rest = memoryview(line)
            try:
                while rest:
                    rest = rest[os.write(self._number, rest) :]
            except OSError:
                self._call(self._break)
                return
            self._call(self._written, len(line))

    def _call(self, function: Any, *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(function, *arguments)

    def _written(self, size: int) -> None:
        self._unread -= size
        if self._unread <= UNREAD:
            self._pool.resume()
        self._news.announce()

    def _break(self) -> None:
        self.broken.set()
        self._news.announce()


class Desk:
    """Knows which requests are without an answer, and refuses those that are one too many."""

    def __init__(self) -> None:
        self._open: dict[str, int] = {}
        self._news = _News()

    def admit(self, number: str | int, size: int) -> Refused | None:
        """Take a request, or say why not."""
        key = str(number)  # as the SDK sees it: 7 and "7" are one id to it
        if key in self._open:
            return Refused(INVALID_REQUEST, "a request with this id is still pending; use another id", number)
        if len(self._open) >= REQUESTS or (self._open and sum(self._open.values()) + size > REQUESTS_COST):
            return Refused(INVALID_REQUEST, BUSY, number)
        self._open[key] = size
        return None

    def settle(self, number: Any) -> None:
        """A request was answered, or was cancelled and will not be."""
        self._open.pop(str(number), None)
        self._news.announce()

    async def settled(self) -> None:
        """Return when every request has its answer."""
        await self._news.until(lambda: not self._open)


class Input:
    """What comes from the client.

    Args:
        number: the descriptor.
        output: gets the refusals.
        desk: admits requests.
        server: takes messages: the SDK's end of a stream.
        pool: is ended when the client is gone.
    """

    def __init__(self, number: int, output: Output, desk: Desk, server: Any, pool: Pool) -> None:
        self._number = number
        self._output = output
        self._desk = desk
        self._server = server
        self._pool = pool
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            self._read()
        finally:
            self._hand_over(self._finish())
            time.sleep(AFTERLIFE)
            # Something does not end, and nobody is left to wait for it.
            self._pool.close()
            os._exit(0)

    def _read(self) -> None:
        lines = Lines()
        with contextlib.suppress(OSError):
            while piece := os.read(self._number, CHUNK):
                for line in lines.split(piece):
                    if not self._take(line):
                        return
        for line in lines.rest():
            self._take(line)

    def _take(self, line: Any) -> bool:
        """Respond to a line, or pass it to the server; ``False`` if the client has gone away."""
        outcome = read(line)
        if isinstance(outcome, Refused):
            return self._hand_over(self._output.put(outcome.encoded()))
        try:
            message = jsonrpc_message_adapter.validate_python(outcome, by_name=False)
        except ValueError:
            number = outcome.get("id")
            why = "the message is not a JSON-RPC 2.0 request, notification or response of MCP"
            refused = Refused(INVALID_REQUEST, why, number if is_id(number) else None)
            return self._hand_over(self._output.put(refused.encoded()))
        return self._hand_over(self._accept(outcome, message, cost(line)))

    async def _accept(self, plain: dict[str, Any], message: Any, size: int) -> None:
        if "method" in plain and "id" in plain:
            refused = self._desk.admit(plain["id"], size)
            if refused is not None:
                await self._output.put(refused.encoded())
                return
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await self._server.send(SessionMessage(message))
        params = plain.get("params")
        if plain.get("method") == "notifications/cancelled" and isinstance(params, dict):
            self._desk.settle(params.get("requestId"))

    async def _finish(self) -> None:
        """The client has closed our stdin: answer what can be answered at once, and end the session."""
        with anyio.move_on_after(GRACE):
            await self._desk.settled()
        self._server.close()

    def _hand_over(self, work: Coroutine[Any, Any, None]) -> bool:
        """Run something in the event loop and wait for it; ``False`` if the client has gone away."""
        try:
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:  # the loop has ended
            work.close()
            return False
        while True:
            try:
                future.result(POLL)
            except TimeoutError:
                if future.done() or (self._output.stalled and self._hung_up()):
                    return False
            except BaseException:  # noqa: BLE001  (a session that has ended is reported in its own place)
                return False
            else:
                return True

    def _hung_up(self) -> bool:
        """True if the other end of stdin is closed, though not everything was read from it."""
        if sys.platform == "win32":  # it is seen when the rest has been read
            return False
        poll = select.poll()
        poll.register(self._number, getattr(select, "POLLRDHUP", 0))
        return any(events & ~select.POLLIN for _, events in poll.poll(0))


def serve_stdio(server: MCPServer[Any], pool: Pool) -> None:
    """Serve one client over stdin and stdout until it is gone."""
    # Before there is an event loop: where stderr is closed, its selector would be descriptor 2.
    with unblocking_stderr(), own_wire() as (inward, outward):
        anyio.run(_serve, server, pool, inward, outward)


async def _serve(server: MCPServer[Any], pool: Pool, inward: int, outward: int) -> None:
    to_server, from_client = anyio.create_memory_object_stream[Any](0)
    to_client, from_server = anyio.create_memory_object_stream[Any](0)
    output, desk = Output(outward, pool), Desk()
    Input(inward, output, desk, to_server, pool)
    low = server._lowlevel_server  # the SDK has no other way to serve streams

    async def answer() -> None:
        async with from_server:
            async for item in from_server:
                await output.put(_line(item.message))
                desk.settle(getattr(item.message, "id", None))

    async with anyio.create_task_group() as tasks:

        async def leave_when_broken() -> None:
            await output.broken.wait()
            tasks.cancel_scope.cancel()

        tasks.start_soon(leave_when_broken)
        tasks.start_soon(answer)
        await low.run(from_client, to_client, low.create_initialization_options())
        with anyio.move_on_after(GRACE):
            await output.drained()
        tasks.cancel_scope.cancel()


def _line(message: Any) -> bytes:
    try:
        text: str = message.model_dump_json(by_alias=True, exclude_unset=True)
        return text.encode() + b"\n"
    except ValueError:
        logging.getLogger(__name__).exception("a response cannot be written as JSON")
        return Refused(-32603, "the response cannot be written as JSON", getattr(message, "id", None)).encoded()


PIECE = 4096
"""Most bytes of a write: a pipe that takes anything takes as much (POSIX: PIPE_BUF on Linux, at least 512)."""


@contextlib.contextmanager
def unblocking_stderr() -> Iterator[None]:
    """Have descriptor 2 lead to a thread that passes on what the real one takes at once, and drops the rest.

    Windows has no way to ask; there it stays what it was. A closed descriptor 2 leads to the null device from now on.
    """
    try:
        real = os.dup(2)
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)  # the lowest that is free, which may be 2
        os.dup2(null, 2)
        real = os.dup(2)
    if sys.platform == "win32":
        yield
        return
    outlet, inlet = os.pipe()
    os.dup2(inlet, 2)
    os.close(inlet)
    thread = threading.Thread(target=_pass_on, args=(outlet, real), daemon=True)
    thread.start()
    try:
        yield
    finally:
        os.dup2(real, 2)
        thread.join(0.2)


def _pass_on(outlet: int, real: int) -> None:
    if sys.platform == "win32":
        return
    poll = select.poll()
    poll.register(real, select.POLLOUT)
    while piece := os.read(outlet, PIECE):
        with contextlib.suppress(OSError):
            if any(events & select.POLLOUT for _, events in poll.poll(0)):
                os.write(real, piece)
