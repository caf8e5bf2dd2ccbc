"""Run a server as a child process on an event loop: its process, its pipes, and its reliable end."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import anyio

from mcp_governor.errors import ProtocolError
from mcp_governor.programs.leashed import POSIX, start_in_job, start_on_loop
from mcp_governor.wire import child, rpc
from mcp_governor.wire.duplex import Duplex, background
from mcp_governor.wire.pulse import Pulse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from anyio.abc import ByteReceiveStream, Process

    from mcp_governor.programs.hold import Hold
    from mcp_governor.programs.job import Job
    from mcp_governor.wire.endpoint import StdioEndpoint
    from mcp_governor.wire.limits import Limits
    from mcp_governor.wire.meter import Meter
    from mcp_governor.wire.rpc import Message
    from mcp_governor.wire.transport import ConnectionLostError, Inbox


class Running:
    """A running server that tasks of an event loop read.

    Args:
        process: the child or its leash, with the child's pipes.
        keeper: ends the child and all processes that it started.
        stdin: the child's stdin.
        limits: limits on what the server may send.
        stderr: receives the end of its stderr, at most ``limits.stderr_bytes``.
    """

    def __init__(
        self, process: Process, keeper: Hold | Job, stdin: Pipe | Wrapped, limits: Limits, stderr: bytearray
    ) -> None:
        self._process = process
        self._keeper = keeper
        self._stdin = stdin
        self._limits = limits
        self._stderr = stderr
        self._stderr_ended = anyio.Event()

    async def drain_stderr(self) -> None:
        """Read stderr to its end, so that the child does not block, and keep the last part."""
        stream = _readable(self._process.stderr)
        with suppress(anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            while True:
                piece = await stream.receive(child.CHUNK)
                self._stdin.pulse.received += len(piece)
                self._stderr += piece
                del self._stderr[: -self._limits.stderr_bytes]
        self._stderr_ended.set()

    async def read_stdout(self, duplex: Duplex, meter: Meter) -> None:
        """Feed every line of stdout to ``duplex`` until the child closes it or exceeds a limit."""
        stream = _readable(self._process.stdout)
        lines = child.Lines(self._limits.message_bytes)
        try:
            while duplex.broken is None:
                piece = await stream.receive(child.CHUNK)
                self._stdin.pulse.received += len(piece)
                meter.received(len(piece))
                for line in lines.split(piece):
                    await duplex.feed(line)
        except ProtocolError as error:
            duplex.fail(error)
        except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            for line in lines.rest():
                await duplex.feed(line)
            duplex.fail(await self._why_gone())

    async def _why_gone(self) -> ConnectionLostError:
        await _until(self._keeper.look, 1.0)
        with anyio.move_on_after(0.2):
            await self._stderr_ended.wait()
        return child.gone(self._keeper.returncode, heard=self._stdin.pulse.heard)

    async def close(self, *, gently: bool) -> None:
        """End the child and everything that it started.

        Args:
            gently: close its stdin first and give it ``limits.close_timeout`` to exit by itself.
        """
        process, keeper = self._process, self._keeper
        await self._stdin.close()
        if gently:
            await _until(keeper.look, self._limits.close_timeout)
        keeper.release()
        # Also if the program itself has exited, because processes that it started may still run.
        await _until(lambda: keeper.look() and keeper.over, keeper.longest_end)
        keeper.close(process.pid)
        await _until(lambda: process.returncode is not None, self._limits.close_timeout)
        await _close_pipes(process)
        child.name_left(keeper.left, lost=keeper.lost)


class Pipe:
    """Our end of a child's stdin, over our own pipe: asyncio may use a socket, which hides the number of unread bytes.

    Args:
        pipe: the write end, non-blocking.
        pid: process id of the child.

    Attributes:
        pulse: observes the child.
    """

    def __init__(self, pipe: int, pid: int) -> None:
        self._pipe = pipe
        self._unsent = bytearray()
        self._turn = anyio.Lock()
        self._open = True
        self._waiting = anyio.CancelScope()
        self.pulse = Pulse(pipe, pid)

    async def send(self, data: bytes) -> None:
        """Write some bytes; those that a cancelled call leaves are written first by the next call.

        Raises:
            OSError, anyio.BrokenResourceError, anyio.ClosedResourceError: the child does not read any more.
        """
        self._unsent += data
        async with self._turn:
            while self._unsent:
                if not self._open:
                    raise BrokenPipeError
                try:
                    del self._unsent[: os.write(self._pipe, self._unsent)]
                except BlockingIOError:
                    with anyio.CancelScope() as self._waiting:
                        await anyio.wait_writable(self._pipe)
                except OSError:
                    self.pulse.deaf = True
                    raise

    async def close(self) -> None:
        """Close it; pending writes fail."""
        if self._open:
            self._open = False
            self._waiting.cancel()
            # The loop watches the pipe until the waiting task has left.
            async with self._turn:
                os.close(self._pipe)


class Wrapped:
    """The same over anyio's stream, for Windows."""

    def __init__(self, process: Process) -> None:
        if process.stdin is None:
            raise RuntimeError("the child was started without a pipe")
        self._stream = process.stdin
        self.pulse = Pulse(-1, process.pid)

    async def send(self, data: bytes) -> None:
        """See :class:`Pipe`."""
        await self._stream.send(data)

    async def close(self) -> None:
        """See :class:`Pipe`."""
        with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            await self._stream.aclose()


@asynccontextmanager
async def open_stdio(endpoint: StdioEndpoint, limits: Limits, inbox: Inbox, stderr: bytearray) -> AsyncIterator[Duplex]:
    """Start the server and connect to it; at the end of the block, it is ended with all processes that it started.

    Args:
        endpoint: the command.
        limits: limits on what the server may send.
        inbox: receives messages that are not responses.
        stderr: receives the end of its stderr.

    Raises:
        TargetError: the working directory does not exist, or the command is empty.
        UnreachableError: the command cannot be started.
    """
    # Do not allow cancellation between the start of the child and the assignment of its handle.
    with anyio.CancelScope(shield=True):
        process, keeper, stdin = await _start(endpoint, limits)
    running = Running(process, keeper, stdin, limits, stderr)

    async def send(message: Message) -> None:
        await stdin.send(rpc.encode(message) + b"\n")

    duplex = Duplex(send, inbox, limits, stdin.pulse)
    well = False
    async with background() as tasks:
        tasks.start_soon(running.read_stdout, duplex, inbox.meter)
        tasks.start_soon(running.drain_stderr)
        try:
            yield duplex
            well = duplex.broken is None
        finally:
            # Inside the task group, so that stdout is still read; otherwise the child could block on a full pipe.
            with anyio.CancelScope(shield=True):
                await running.close(gently=well)


async def _start(endpoint: StdioEndpoint, limits: Limits) -> tuple[Process, Hold | Job, Pipe | Wrapped]:
    program = child.program_of(endpoint, limits)
    try:
        if not POSIX:
            process, job = await start_in_job(program)
            return process, job, Wrapped(process)
        process, hold, stdin = await start_on_loop(program)
    except (OSError, ValueError) as error:
        raise child.not_started(error) from None
    return process, hold, Pipe(stdin, hold.pid)


async def _until(done: Callable[[], bool], seconds: float) -> None:
    deadline = anyio.current_time() + seconds
    while not done():
        if anyio.current_time() >= deadline:
            return
        await anyio.sleep(child.POLL)


def _readable(stream: ByteReceiveStream | None) -> ByteReceiveStream:
    if stream is None:
        raise RuntimeError("the child was started without a pipe")
    return stream


async def _close_pipes(process: Process) -> None:
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
                await stream.aclose()
    # asyncio keeps the transport open and warns if another process still has the other end of a pipe.
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    close = getattr(transport, "close", None)
    if callable(close):
        with suppress(PermissionError, ProcessLookupError):
            close()
