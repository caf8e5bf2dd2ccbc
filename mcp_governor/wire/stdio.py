"""A server that is our child: its process, its pipes, and its certain end."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import anyio

from mcp_governor.errors import ProtocolError, TargetError, UnreachableError
from mcp_governor.wire import rpc
from mcp_governor.wire.transport import ConnectionLostError, Duplex, background

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from anyio.abc import ByteReceiveStream, ByteSendStream, Process

    from mcp_governor.wire.endpoint import Limits, StdioEndpoint
    from mcp_governor.wire.rpc import Message
    from mcp_governor.wire.transport import Inbox

# What a program needs to find itself, its user, its language, its certificates and its temporary files.
# Everything else of our environment stays here: it may hold secrets that are none of the server's business.
_INHERITED = (
    *("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
    *("APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE"),
    *("PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR"),
)

_POLL = 0.01
_CHUNK = 65_536

_alive: set[int] = set()
"""Process groups that we started and have not seen the end of."""


def child_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """The minimal environment of a child, plus what the endpoint names."""
    return {name: os.environ[name] for name in _INHERITED if name in os.environ} | dict(extra)


class Child:
    """A started server.

    Attributes:
        stderr: the last words on its stderr, at most ``limits.stderr_bytes``.
    """

    def __init__(self, process: Process, limits: Limits) -> None:
        self._process = process
        self._limits = limits
        self.stderr = bytearray()
        self._stderr_ended = anyio.Event()

    async def drain_stderr(self) -> None:
        """Read stderr to its end, so that the child never blocks on it, and keep the tail."""
        stream = _readable(self._process.stderr)
        with suppress(anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            while True:
                self.stderr += await stream.receive(_CHUNK)
                del self.stderr[: -self._limits.stderr_bytes]
        self._stderr_ended.set()

    async def read_stdout(self, duplex: Duplex) -> None:
        """Feed every line of stdout to ``duplex`` until the child closes it or breaks a limit."""
        stream = _readable(self._process.stdout)
        parts: list[bytes] = []
        size = 0
        try:
            while duplex.broken is None:
                *lines, rest = (await stream.receive(_CHUNK)).split(b"\n")
                for line in lines:
                    parts.append(line)
                    await duplex.feed(b"".join(parts))
                    parts, size = [], 0
                parts.append(rest)
                size += len(rest)
                if size > self._limits.message_bytes:
                    duplex.fail(
                        ProtocolError(
                            f"it sent a message longer than {self._limits.message_bytes:,} bytes.",
                            "Split the list into pages (nextCursor), or shorten its schemas.",
                        )
                    )
        except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            if size:
                await duplex.feed(b"".join(parts))
            duplex.fail(await self._why_gone())

    async def _why_gone(self) -> ConnectionLostError:
        await self._exited(1.0)
        with anyio.move_on_after(0.2):
            await self._stderr_ended.wait()
        code = self._process.returncode
        if code is None:
            return ConnectionLostError(
                "it closed its stdout before it answered.", "Run the command by hand and see what it does."
            )
        if code < 0:
            with suppress(ValueError):
                name = signal.Signals(-code).name
                return ConnectionLostError(
                    f"it was ended by {name} before it answered.", "Run the command by hand and see why."
                )
        return ConnectionLostError(
            f"it exited with status {code} before it answered.",
            "Run the command by hand: it must stay and read JSON-RPC from stdin.",
        )

    async def close(self, *, gently: bool) -> None:
        """End the child and everything in its process group; afterwards nothing of it runs.

        Args:
            gently: close its stdin and give it ``limits.close_timeout`` to leave by itself first.
        """
        process = self._process
        if process.stdin is not None:
            with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
                await process.stdin.aclose()
        if gently:
            await self._exited(self._limits.close_timeout)
        # Also where the child itself has left: its own children may still be there.
        if self._signal(terminate=True) and not await self._group_gone(self._limits.close_timeout):
            self._signal(terminate=False)
        await self._exited(self._limits.close_timeout)
        _alive.discard(process.pid)
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
            await anyio.sleep(_POLL)
        return True

    async def _group_gone(self, seconds: float) -> bool:
        deadline = anyio.current_time() + seconds
        while _signal_group(self._process.pid, 0):
            if anyio.current_time() >= deadline:
                return False
            await anyio.sleep(_POLL)
        return True

    def _signal(self, *, terminate: bool) -> bool:
        """Signal the whole group; whether anything was there to receive it."""
        if os.name == "posix":
            return _signal_group(self._process.pid, signal.SIGTERM if terminate else signal.SIGKILL)
        if self._process.returncode is None:
            with suppress(OSError):
                self._process.kill()
        return False


@asynccontextmanager
async def open_stdio(endpoint: StdioEndpoint, limits: Limits, inbox: Inbox) -> AsyncIterator[tuple[Duplex, Child]]:
    """Start the server and speak to it; it is ended with everything it started, however the block is left.

    Raises:
        TargetError: the folder to start in does not exist, or the command is empty.
        UnreachableError: the command cannot be started.
    """
    process = await _start(endpoint)
    child = Child(process, limits)
    stdin = _writable(process.stdin)

    async def send(message: Message) -> None:
        await stdin.send(rpc.encode(message) + b"\n")

    duplex = Duplex(send, inbox, limits)
    well = False
    try:
        async with background() as tasks:
            tasks.start_soon(child.read_stdout, duplex)
            tasks.start_soon(child.drain_stderr)
            try:
                yield duplex, child
                well = duplex.broken is None
            finally:
                # Inside the group: stdout is read on while the child leaves, or it could block on a full pipe.
                with anyio.CancelScope(shield=True):
                    await child.close(gently=well)
    finally:
        if process.pid in _alive:
            with anyio.CancelScope(shield=True):
                await child.close(gently=False)


async def _start(endpoint: StdioEndpoint) -> Process:
    if not endpoint.command:
        raise TargetError("the command of the server is empty.", "Name the program after --.")
    if endpoint.cwd is not None and not await anyio.Path(endpoint.cwd).is_dir():
        raise TargetError(f"the folder to start in, {endpoint.cwd}, does not exist.", "Check cwd.")
    try:
        process = await anyio.open_process(
            list(endpoint.command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=child_environment(endpoint.env),
            cwd=endpoint.cwd,
            start_new_session=sys.platform != "win32",
        )
    except FileNotFoundError:
        raise UnreachableError(
            "the command was not found.", "Check its spelling, or install it; it is looked up in PATH."
        ) from None
    except PermissionError:
        raise UnreachableError("the command may not be executed.", "Make the file executable.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UnreachableError(f"the command cannot be started: {reason}.", "Check the command.") from None
    _alive.add(process.pid)
    return process


def _readable(stream: ByteReceiveStream | None) -> ByteReceiveStream:
    if stream is None:
        raise RuntimeError("the child was started without a pipe")
    return stream


def _writable(stream: ByteSendStream | None) -> ByteSendStream:
    if stream is None:
        raise RuntimeError("the child was started without a pipe")
    return stream


def _signal_group(group: int, number: int) -> bool:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _close_asyncio_transport(process: Process) -> None:
    # asyncio keeps the transport open, and warns, while a stranger holds the other end of a pipe.
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    close = getattr(transport, "close", None)
    if callable(close):
        with suppress(PermissionError, ProcessLookupError):
            close()


@atexit.register
def _end_all() -> None:
    """The last line of defence, for an interpreter that is leaving in the middle of a reading."""
    if os.name == "posix":
        for group in tuple(_alive):
            _signal_group(group, signal.SIGKILL)
