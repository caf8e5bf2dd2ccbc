"""A server that is our child, on an event loop: its process, its pipes, and its certain end."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Protocol

import anyio

from mcp_governor.errors import ProtocolError
from mcp_governor.wire import child, rpc
from mcp_governor.wire.duplex import Duplex, background
from mcp_governor.wire.pulse import Pulse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio.abc import ByteReceiveStream, Process

    from mcp_governor.wire.endpoint import Limits, StdioEndpoint
    from mcp_governor.wire.rpc import Message
    from mcp_governor.wire.transport import ConnectionLostError, Inbox


class Running:
    """A started server, read by tasks of an event loop.

    Args:
        process: the child.
        stdin: where it is written to.
        limits: bounds.
        stderr: gets the last words on its stderr, at most ``limits.stderr_bytes``.
    """

    def __init__(self, process: Process, stdin: Stdin, limits: Limits, stderr: bytearray) -> None:
        self._process = process
        self._stdin = stdin
        self._limits = limits
        self._stderr = stderr
        self._stderr_ended = anyio.Event()

    async def drain_stderr(self) -> None:
        """Read stderr to its end, so that the child never blocks on it, and keep the tail."""
        stream = _readable(self._process.stderr)
        with suppress(anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            while True:
                piece = await stream.receive(child.CHUNK)
                self._stdin.pulse.received += len(piece)
                self._stderr += piece
                del self._stderr[: -self._limits.stderr_bytes]
        self._stderr_ended.set()

    async def read_stdout(self, duplex: Duplex) -> None:
        """Feed every line of stdout to ``duplex`` until the child closes it or breaks a limit."""
        stream = _readable(self._process.stdout)
        lines = child.Lines(self._limits.message_bytes)
        try:
            while duplex.mailbox.broken is None:
                piece = await stream.receive(child.CHUNK)
                self._stdin.pulse.received += len(piece)
                duplex.mailbox.meter.received(len(piece))
                for line in lines.split(piece):
                    await duplex.feed(line)
        except ProtocolError as error:
            duplex.fail(error)
        except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            for line in lines.rest():
                await duplex.feed(line)
            duplex.fail(await self._why_gone())

    async def _why_gone(self) -> ConnectionLostError:
        await self._exited(1.0)
        with anyio.move_on_after(0.2):
            await self._stderr_ended.wait()
        return child.gone(self._process.returncode, heard=self._stdin.pulse.heard)

    async def close(self, *, gently: bool) -> None:
        """End the child and everything in its process group; afterwards nothing of it runs.

        Args:
            gently: close its stdin and give it ``limits.close_timeout`` to leave by itself first.
        """
        process = self._process
        await self._stdin.close()
        if gently:
            await self._exited(self._limits.close_timeout)
        # Also where the child itself has left: its own children may still be there.
        if self._signal(terminate=True) and not await self._group_gone(self._limits.close_timeout):
            self._signal(terminate=False)
        await self._exited(self._limits.close_timeout)
        child.ended(process.pid)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
                    await stream.aclose()
        _close_asyncio_transport(process)

    async def _exited(self, seconds: float) -> bool:
        # process.wait() would also wait for the pipes, which a grandchild may hold open.
        deadline = anyio.current_time() + seconds
        while self._process.returncode is None:
            if anyio.current_time() >= deadline:
                return False
            await anyio.sleep(child.POLL)
        return True

    async def _group_gone(self, seconds: float) -> bool:
        deadline = anyio.current_time() + seconds
        while child.signal_group(self._process.pid, 0):
            if anyio.current_time() >= deadline:
                return False
            await anyio.sleep(child.POLL)
        return True

    def _signal(self, *, terminate: bool) -> bool:
        """Signal the whole group; whether anything was there to receive it."""
        if child.NEW_SESSION:
            return child.signal_group(self._process.pid, signal.SIGTERM if terminate else signal.SIGKILL)
        if self._process.returncode is None:
            with suppress(OSError):
                self._process.kill()
        return False


class Stdin(Protocol):
    """Our end of a child's stdin.

    Attributes:
        pulse: life signs of the child.
    """

    pulse: Pulse

    async def send(self, data: bytes) -> None:
        """Write some bytes.

        Raises:
            OSError, anyio.BrokenResourceError, anyio.ClosedResourceError: the child reads no more.
        """
        ...

    async def close(self) -> None:
        """Close it; whoever still writes fails."""
        ...


class Pipe:
    """A :class:`Stdin` that is a pipe of our own: asyncio's may be a socket, which hides what is unread.

    Args:
        pipe: the writing end, not blocking.
        process: the child.
    """

    def __init__(self, pipe: int, process: Process) -> None:
        self._pipe = pipe
        self._unsent = bytearray()
        self._turn = anyio.Lock()
        self._open = True
        self._waiting = anyio.CancelScope()
        self.pulse = Pulse(pipe, process.pid)

    async def send(self, data: bytes) -> None:
        """See :class:`Stdin`; bytes that a cancelled call leaves go out first with the next."""
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
        """See :class:`Stdin`."""
        if self._open:
            self._open = False
            self._waiting.cancel()
            # The loop watches the pipe until whoever waits for it has left.
            async with self._turn:
                os.close(self._pipe)


class Given:
    """A :class:`Stdin` as anyio gives it, for Windows."""

    def __init__(self, process: Process) -> None:
        if process.stdin is None:
            raise RuntimeError("the child was started without a pipe")
        self._stream = process.stdin
        self.pulse = Pulse(-1, process.pid)

    async def send(self, data: bytes) -> None:
        """See :class:`Stdin`."""
        await self._stream.send(data)

    async def close(self) -> None:
        """See :class:`Stdin`."""
        with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            await self._stream.aclose()


@asynccontextmanager
async def open_stdio(endpoint: StdioEndpoint, limits: Limits, inbox: Inbox, stderr: bytearray) -> AsyncIterator[Duplex]:
    """Start the server and speak to it; it is ended with everything it started, however the block is left.

    Args:
        endpoint: the command.
        limits: bounds.
        inbox: takes what was not asked for.
        stderr: gets the last words on its stderr.

    Raises:
        TargetError: the folder to start in does not exist, or the command is empty.
        UnreachableError: the command cannot be started.
    """
    process, stdin = await _start(endpoint)
    running = Running(process, stdin, limits, stderr)

    async def send(message: Message) -> None:
        await stdin.send(rpc.encode(message) + b"\n")

    duplex = Duplex(send, inbox, limits, stdin.pulse)
    well = False
    try:
        async with background() as tasks:
            tasks.start_soon(running.read_stdout, duplex)
            tasks.start_soon(running.drain_stderr)
            try:
                yield duplex
                well = duplex.mailbox.broken is None
            finally:
                # Inside the group: stdout is read on while the child leaves, or it could block on a full pipe.
                with anyio.CancelScope(shield=True):
                    await running.close(gently=well)
    finally:
        child.ended(process.pid)


async def _start(endpoint: StdioEndpoint) -> tuple[Process, Stdin]:
    child.check(endpoint)
    if not child.NEW_SESSION:
        process = await _opened(endpoint, subprocess.PIPE)
        return process, Given(process)
    theirs, ours = os.pipe()
    try:
        process = await _opened(endpoint, theirs)
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    os.set_blocking(ours, False)
    return process, Pipe(ours, process)


async def _opened(endpoint: StdioEndpoint, stdin: int) -> Process:
    try:
        # Not to be cancelled between the start of the child and our knowing of it.
        with anyio.CancelScope(shield=True):
            process = await anyio.open_process(
                list(endpoint.command),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=child.child_environment(endpoint.env),
                cwd=endpoint.cwd,
                start_new_session=child.NEW_SESSION,
            )
            child.started(process.pid)
    except (OSError, ValueError) as error:
        raise child.not_started(error) from None
    return process


def _readable(stream: ByteReceiveStream | None) -> ByteReceiveStream:
    if stream is None:
        raise RuntimeError("the child was started without a pipe")
    return stream


def _close_asyncio_transport(process: Process) -> None:
    # asyncio keeps the transport open, and warns, while a stranger holds the other end of a pipe.
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    close = getattr(transport, "close", None)
    if callable(close):
        with suppress(PermissionError, ProcessLookupError):
            close()
