"""Run a server as a child process on an event loop: its process, its pipes, and its reliable end."""

from __future__ import annotations

import os
import signal
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from mcp_governor.errors import ProtocolError, TargetError, UnreachableError
from mcp_governor.programs import misread, startable
from mcp_governor.programs.child import clean_environment
from mcp_governor.programs.leashed import POSIX, Program, start_in_job, start_on_loop
from mcp_governor.text import one_line
from mcp_governor.wire import rpc
from mcp_governor.wire.duplex import Duplex, background
from mcp_governor.wire.limits import too_long
from mcp_governor.wire.pulse import Pulse
from mcp_governor.wire.transport import ConnectionLostError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from anyio.abc import Process

    from mcp_governor.programs.job import Job
    from mcp_governor.programs.leashed import Hold
    from mcp_governor.wire.endpoint import StdioEndpoint
    from mcp_governor.wire.limits import Limits, Meter
    from mcp_governor.wire.rpc import Message
    from mcp_governor.wire.transport import Inbox


CHUNK = 65_536
"""Size of one read, in bytes: the capacity of a pipe on Linux."""
POLL = 0.01
"""Polling interval for a child that is about to exit, in seconds."""


def program_of(endpoint: StdioEndpoint, limits: Limits) -> Program:
    """What the operating system is to start.

    Raises:
        TargetError: the command is empty, the folder to start in does not exist, or Windows would run it through
            ``cmd.exe``, which would read one of its arguments as commands.
    """
    if not endpoint.command:
        raise TargetError("the command of the server is empty.", "Name the program after --.")
    if endpoint.cwd is not None and not Path(endpoint.cwd).is_dir():
        raise TargetError(f"the folder to start in, {one_line(endpoint.cwd)}, does not exist.", "Check cwd.")
    environment = clean_environment(endpoint.env, inherits=endpoint.inherits)
    command = startable(endpoint.command, environment, endpoint.cwd)
    if (argument := misread(command)) is not None:
        raise TargetError(
            f"{one_line(command[0], 80)} runs through cmd.exe, which would not take the argument "
            f"{one_line(argument, 80)} as text.",
            "Start the program behind it instead, such as node with the path of a script.",
        )
    return Program(command, environment, endpoint.cwd, limits.close_timeout)


class Lines:
    """Joins the pieces that are read from a pipe into lines.

    Args:
        longest: most bytes of a line.
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._parts: list[bytes] = []
        self._size = 0

    def split(self, piece: bytes) -> list[bytes]:
        """The lines that end in this piece.

        Raises:
            ProtocolError: the current line is too long; the rest of it is dropped.
        """
        *lines, rest = piece.split(b"\n")
        if lines:
            lines[0] = b"".join((*self._parts, lines[0]))
            self._parts, self._size = [], 0
        self._parts.append(rest)
        self._size += len(rest)
        if self._size > self._longest:
            self._parts.clear()
            raise too_long(self._longest)
        return lines

    def rest(self) -> list[bytes]:
        """The last line if it has no line feed."""
        return [b"".join(self._parts)] if self._size else []


def not_started(error: OSError | ValueError) -> UnreachableError:
    """The error for a child that the operating system did not start."""
    if isinstance(error, FileNotFoundError):
        return UnreachableError(
            "the command was not found.", "Check its spelling, or install it; it is looked up in PATH."
        )
    if isinstance(error, PermissionError):
        return UnreachableError("the command is not executable.", "Make the file executable.")
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return UnreachableError(f"the command cannot be started: {reason}.", "Check the command.")


def gone(code: int | None, *, heard: bool = True) -> ConnectionLostError:
    """The error for a child whose stdout ended.

    Args:
        code: its exit status; ``None`` if it still runs.
        heard: true if it had read what was sent to it.
    """
    if code is None:
        return ConnectionLostError(
            "it closed its stdout before it answered.", "Run the command by hand to see what it does.", heard=heard
        )
    if code < 0:
        name = next((known.name for known in signal.Signals if known == -code), f"signal {-code}")
        return ConnectionLostError(
            f"it was ended by {name} before it answered.", "Run the command by hand to see why.", heard=heard
        )
    return ConnectionLostError(
        f"it exited with status {code} before it answered.",
        "Run the command by hand: it must stay and read JSON-RPC from stdin.",
        heard=heard,
    )


def name_left(left: Sequence[str], *, lost: bool = False) -> None:
    """Warn about processes that could not be ended.

    Args:
        left: processes, each with its id and its command in parentheses.
        lost: true if there may be more.
    """
    import logging

    # If logging is not configured, this is printed to stderr unchanged.
    log = logging.getLogger("mcp_governor")
    if left:
        log.warning("warning: these server processes could not be stopped: %s", one_line(", ".join(left), 500))
    if lost:
        log.warning("warning: lost track of the processes that a server started; some of them may still run.")


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
        stream = self._process.stderr
        assert stream is not None
        with suppress(anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            while True:
                piece = await stream.receive(CHUNK)
                self._stdin.pulse.received += len(piece)
                self._stderr += piece
                del self._stderr[: -self._limits.stderr_bytes]
        self._stderr_ended.set()

    async def read_stdout(self, duplex: Duplex, meter: Meter) -> None:
        """Feed every line of stdout to ``duplex`` until the child closes it or exceeds a limit."""
        stream = self._process.stdout
        assert stream is not None
        lines = Lines(self._limits.message_bytes)
        try:
            while duplex.broken is None:
                piece = await stream.receive(CHUNK)
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
        return gone(self._keeper.returncode, heard=self._stdin.pulse.heard)

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
        name_left(keeper.left, lost=keeper.lost)


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
        assert process.stdin is not None
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

    duplex = Duplex(send, inbox, stdin.pulse)
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
    program = program_of(endpoint, limits)
    try:
        if not POSIX:
            process, job = await start_in_job(program)
            return process, job, Wrapped(process)
        process, hold, stdin = await start_on_loop(program)
    except (OSError, ValueError) as error:
        raise not_started(error) from None
    return process, hold, Pipe(stdin, hold.pid)


async def _until(done: Callable[[], bool], seconds: float) -> None:
    deadline = anyio.current_time() + seconds
    while not done():
        if anyio.current_time() >= deadline:
            return
        await anyio.sleep(POLL)


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
