"""Run a server as a child process without an event loop.

A single conversation with one child does not need a loop, and with one, a check of a small server takes 14 to 20 % more
CPU time (206 → 235 ms, Python 3.11). The functions are ``async`` so that the same protocol code can drive them, but
they never suspend: :func:`drive` runs such a coroutine to its end. POSIX only, because it waits for pipes.
"""

from __future__ import annotations

import os
import selectors
import signal
import sys
import threading
import time
from collections import deque
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from mcp_governor.errors import ProtocolError
from mcp_governor.programs.leashed import ending, start
from mcp_governor.wire import child, rpc
from mcp_governor.wire.pulse import Pulse
from mcp_governor.wire.transport import Mailbox

if TYPE_CHECKING:
    import subprocess
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence

    from mcp_governor.programs.hold import Hold
    from mcp_governor.wire.endpoint import StdioEndpoint
    from mcp_governor.wire.limits import Limits
    from mcp_governor.wire.rpc import Message
    from mcp_governor.wire.transport import Inbox

T = TypeVar("T")

AVAILABLE = os.name == "posix"


def drive(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never suspends.

    On SIGTERM, the child is ended before the signal takes its usual effect.
    """
    with _sigterm_raises():
        try:
            work.send(None)
        except StopIteration as done:
            result: T = done.value
            return result
        work.close()
        raise RuntimeError("a coroutine that must not suspend did")


class _TerminatedError(BaseException):
    """SIGTERM was received."""


@contextmanager
def _sigterm_raises() -> Iterator[None]:
    # Respect a handler that somebody else has installed.
    ours = threading.current_thread() is threading.main_thread() and (
        signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    )
    if not ours:
        yield
        return

    def stop(number: int, frame: object) -> None:  # noqa: ARG001
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise _TerminatedError

    signal.signal(signal.SIGTERM, stop)
    try:
        yield
    except _TerminatedError:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


class Blocking:
    """A :class:`~mcp_governor.wire.transport.Pipelined` transport that blocks its thread while it waits.

    Args:
        process: the leash process, with the child's three pipes.
        hold: the handle of the child.
        inbox: receives messages that are not responses.
        limits: limits on what the server may send.
        stderr: receives the end of its stderr.
    """

    mirrors = False

    def __init__(
        self, process: subprocess.Popen[bytes], hold: Hold, inbox: Inbox, limits: Limits, stderr: bytearray
    ) -> None:
        self._process = process
        self._hold = hold
        self._limits = limits
        self._stderr = stderr
        self._lines = child.Lines(limits.message_bytes)
        self._unsent: deque[memoryview] = deque()
        self._selector = selectors.DefaultSelector()
        self._stdin, stdout, errors = (_number(pipe) for pipe in (process.stdin, process.stdout, process.stderr))
        status = hold.status.fileno()
        ready: Callable[[], object]
        for number, ready in ((stdout, self._read_stdout), (errors, self._read_stderr), (status, self._read_status)):
            self._selector.register(number, selectors.EVENT_READ, ready)
        if sys.platform != "win32":
            os.set_blocking(self._stdin, False)
        self.pulse = Pulse(self._stdin, hold.pid)
        self.mailbox = Mailbox(inbox, limits)

    async def exchange(self, message: Message, headers: Mapping[str, str], seconds: float | None) -> Message:
        """See :class:`~mcp_governor.wire.transport.Transport`."""
        number = message["id"]
        self.mailbox.expect(number)
        try:
            await self.notify(message, headers, seconds)
            if await self.first_of((number,), seconds) is None:
                raise TimeoutError
        except BaseException:
            self.mailbox.abandon(number)
            raise
        return self.mailbox.collect(number)

    async def notify(self, message: Message, headers: Mapping[str, str], seconds: float | None) -> None:  # noqa: ARG002
        """See :class:`~mcp_governor.wire.transport.Transport`; unsent data is written while waiting for a response."""
        if self.mailbox.broken is not None:
            raise self.mailbox.broken
        self._queue(message)

    async def first_of(self, numbers: Sequence[int], seconds: float | None) -> int | None:
        """See :class:`~mcp_governor.wire.transport.Pipelined`."""
        found: list[int] = []

        def here() -> bool:
            number = self.mailbox.answered(numbers)
            found.extend(() if number is None else (number,))
            return number is not None

        self._until(here, seconds)
        return found[0] if found else None

    def close(self, *, gently: bool) -> None:
        """End the child and everything that it started.

        Args:
            gently: close its stdin first and give it ``limits.close_timeout`` to exit by itself.
        """
        hold = self._hold
        self._drop_stdin()
        for done, seconds in ending(hold, self._process.pid, self._limits.close_timeout if gently else 0):
            self._until(done, seconds)
        self._selector.close()
        self._process.wait()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        child.name_left(hold.left, lost=hold.lost)

    def _read_status(self) -> None:
        self._hold.look()
        if self._hold.over:
            self._ignore(self._hold.status.fileno())

    def _until(self, done: Callable[[], bool], seconds: float | None) -> None:
        """Transfer data until ``done`` returns true or the time is up."""
        end = None if seconds is None else time.monotonic() + seconds
        while not done():
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                return
            for key, _ in self._selector.select(left):
                key.data()

    def _queue(self, message: Message) -> None:
        self._unsent.append(memoryview(rpc.encode(message) + b"\n"))
        self._write_stdin()

    def _write_stdin(self) -> None:
        try:
            while self._unsent:
                rest = self._unsent[0][os.write(self._stdin, self._unsent[0]) :]
                if rest:
                    self._unsent[0] = rest
                else:
                    self._unsent.popleft()
        except BlockingIOError:
            if self._stdin not in self._selector.get_map():
                self._selector.register(self._stdin, selectors.EVENT_WRITE, self._write_stdin)
            return
        except OSError:
            # The child does not read any more; its stdout will show the reason.
            self.pulse.deaf = True
            self._unsent.clear()
        self._ignore(self._stdin)

    def _read_stdout(self) -> None:
        number = _number(self._process.stdout)
        piece = self._piece(number)
        if self.mailbox.broken is not None:
            return
        try:
            self.mailbox.meter.received(len(piece))
            lines = self._lines.split(piece) if piece else self._lines.rest()
        except ProtocolError as error:
            self.mailbox.fail(error)
            return
        for line in lines:
            for reply in self.mailbox.feed(line):
                # A child that does not read our replies gets no more of them.
                if len(self._unsent) < self._limits.strays:
                    self._queue(reply)
        if not piece:
            self._until(self._hold.look, 1.0)
            self.mailbox.fail(child.gone(self._hold.returncode, heard=self.pulse.heard))

    def _read_stderr(self) -> None:
        self._stderr += self._piece(_number(self._process.stderr))
        del self._stderr[: -self._limits.stderr_bytes]

    def _piece(self, number: int) -> bytes:
        piece = b""
        with suppress(OSError):
            piece = os.read(number, child.CHUNK)
        self.pulse.received += len(piece)
        if not piece:
            self._ignore(number)
        return piece

    def _ignore(self, number: int) -> None:
        with suppress(KeyError):
            self._selector.unregister(number)

    def _drop_stdin(self) -> None:
        self._ignore(self._stdin)
        self._unsent.clear()
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()


@asynccontextmanager
async def open_blocking(
    endpoint: StdioEndpoint, limits: Limits, inbox: Inbox, stderr: bytearray
) -> AsyncIterator[Blocking]:
    """Like :func:`mcp_governor.wire.stdio.open_stdio`, but blocking."""
    child.check(endpoint)
    transport: Blocking | None = None
    well = False
    try:
        try:
            started = start(child.program_of(endpoint, limits))
        except (OSError, ValueError) as error:
            raise child.not_started(error) from None
        transport = Blocking(*started, inbox, limits, stderr)
        yield transport
        well = transport.mailbox.broken is None
    finally:
        if transport is not None:
            transport.close(gently=well)


def _number(pipe: object) -> int:
    return int(pipe.fileno())  # type: ignore[attr-defined]
