"""Event loops: work that leaves nothing running when it is interrupted, and two independent directions, for stdio and
HTTP+SSE servers.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
import threading
from codecs import BOM_UTF8
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from mcp_governor.errors import ProtocolError, ServerError
from mcp_governor.wire import rpc
from mcp_governor.wire.transport import ConnectionLostError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping

    from anyio.abc import TaskGroup, TaskStatus

    from mcp_governor.wire.pulse import Pulse
    from mcp_governor.wire.rpc import Message
    from mcp_governor.wire.transport import Inbox


T = TypeVar("T")


def run(work: Callable[..., Awaitable[T]], *arguments: Any) -> T:
    """Run ``work(*arguments)`` to its end in an event loop of its own.

    Output of server objects goes to stderr in the meantime, because stdout is for our report.
    SIGTERM and SIGINT cancel the work, so that children are ended, before they take their usual effect. Inside a
    running event loop (a notebook, an asynchronous test), the work runs in a thread with a loop of its own.
    """
    with contextlib.redirect_stdout(sys.stderr):
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            with ThreadPoolExecutor(1, "mcp-governor-wire") as pool:
                return pool.submit(anyio.run, work, *arguments).result()
        if watched := _watched():
            return anyio.run(_interruptible, watched, work, arguments)
        return anyio.run(work, *arguments)


def _watched() -> list[signal.Signals]:
    """The signals that cancel the work. A handler that somebody else has installed stays; asyncio could not restore
    it."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return []
    usual = {signal.SIGTERM: signal.SIG_DFL, signal.SIGINT: signal.default_int_handler}
    return [number for number, handler in usual.items() if signal.getsignal(number) is handler]


async def _interruptible(
    watched: list[signal.Signals], work: Callable[..., Awaitable[T]], arguments: tuple[Any, ...]
) -> T:
    """Cancel the work by a scope. asyncio itself would cancel the task at a SIGINT, which no shield stops, also while
    a child is being started: then asyncio kills our leash, and waits for the end of pipes that a server without a leash
    keeps open."""
    results: list[T] = []
    received: list[signal.Signals] = []
    async with background() as tasks:

        async def watch(*, task_status: TaskStatus[None]) -> None:
            with anyio.open_signal_receiver(*watched) as signals:
                task_status.started()
                async for number in signals:
                    received.append(number)
                    tasks.cancel_scope.cancel()
                    return

        await tasks.start(watch)
        results.append(await work(*arguments))
    if not results:
        signal.raise_signal(received[0])
    return results[0]


LOOK = 0.25
"""Interval at which a child that has not responded is looked at, in seconds."""


class Duplex:
    """A :class:`~mcp_governor.wire.transport.Transport` that matches responses to requests by their ids.

    Args:
        send: sends one message to the peer.
        inbox: receives messages that are not responses.
        pulse: observes the peer if it is our child.

    Attributes:
        broken: the reason why the connection ended; ``None`` while it is open.
    """

    mirrors = False

    def __init__(self, send: Callable[[Message], Awaitable[None]], inbox: Inbox, pulse: Pulse | None = None) -> None:
        self.pulse = pulse
        self.broken: ServerError | None = None
        self._send = send
        self._inbox = inbox
        self._news = anyio.Event()
        self._expected: set[int] = set()
        self._abandoned: set[int] = set()
        self._answers: dict[int, Message] = {}

    async def exchange(
        self,
        message: Message,
        headers: Mapping[str, str],
        seconds: float | None,
        look: Callable[[], None] | None = None,
    ) -> Message:
        """See :class:`~mcp_governor.wire.transport.Transport`."""
        number = message["id"]
        self._expected.add(number)
        try:
            with anyio.fail_after(seconds):
                await self.notify(message, headers, None)
                while number not in self._answers:
                    if self.broken is not None:
                        raise self.broken
                    with anyio.move_on_after(LOOK if look else None) as waiting:
                        await self._news.wait()
                    if look and waiting.cancelled_caught:
                        look()
            return self._answers.pop(number)
        except BaseException:
            if self._answers.pop(number, None) is None:
                self._abandoned.add(number)
            raise
        finally:
            self._expected.discard(number)

    async def notify(self, message: Message, headers: Mapping[str, str], seconds: float | None) -> None:  # noqa: ARG002
        """See :class:`~mcp_governor.wire.transport.Transport`."""
        if self.broken is not None:
            raise self.broken
        try:
            with anyio.fail_after(seconds):
                await self._send(message)
        except TimeoutError:
            raise  # a TimeoutError is an OSError too
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            # The reader finds out why the peer is gone, and its error is better than "broken pipe".
            with anyio.move_on_after(2):
                while self.broken is None:
                    await self._news.wait()
            raise self.broken or ConnectionLostError("the connection was closed.") from None

    async def feed(self, data: bytes | str) -> None:
        """Process one line or event from the peer, and send the replies that it requires. Exceeding a limit ends the
        connection."""
        if self.broken is not None:
            return
        try:
            for message in self._decoded(data):
                await self.take(message)
        except ProtocolError as error:
            self.fail(error)

    def _decoded(self, data: bytes | str) -> list[Message]:
        """The messages in a line or event.

        Raises:
            ProtocolError: it exceeds a limit, or is a broken message.
        """
        if isinstance(data, bytes) and data.startswith(BOM_UTF8):
            # No client reads such a line, but what it says can still be checked.
            self._inbox.heard_noise(data)
            data = data.removeprefix(BOM_UTF8)
        try:
            return self._inbox.decoded(data)
        except rpc.NotJsonRpcError as error:
            line = data if isinstance(data, bytes) else data.encode(errors="replace")
            self._inbox.not_a_message(line, str(error))
            return []

    async def take(self, message: Message) -> None:
        """Process one message from the peer, and send the reply that it requires.

        Raises:
            ProtocolError: it exceeds a limit.
        """
        if not rpc.is_response(message):
            if (reply := self._inbox.unasked(message)) is not None:
                # Continue reading, even if the peer does not read our replies.
                with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError, ServerError):
                    await self._send(reply)
            return
        number = message.get("id")
        # In Python, 1 == True == 1.0, but only the integer is our id.
        if type(number) is int and number in self._expected:
            self._answers.setdefault(number, message)
            self._notify_waiting()
        elif type(number) is int and number in self._abandoned:
            self._abandoned.discard(number)
        else:
            self._inbox.stray(message)

    def fail(self, error: ServerError) -> None:
        """End the connection. All waiting and later requests get ``error``; the first error is kept."""
        if self.broken is None:
            self.broken = error
        self._notify_waiting()

    def _notify_waiting(self) -> None:
        self._news.set()
        self._news = anyio.Event()


@contextmanager
def quiet(name: str, least: int = logging.WARNING) -> Iterator[None]:
    """Keep a library from logging what is below a level: it would write to stderr, or write addresses to a log."""
    logger = logging.getLogger(name)
    level = logger.level
    logger.setLevel(max(level, least))
    try:
        yield
    finally:
        logger.setLevel(level)


@asynccontextmanager
async def background() -> AsyncIterator[TaskGroup]:
    """A task group whose tasks are cancelled at the end, and that raises a single error unwrapped."""
    try:
        async with anyio.create_task_group() as group:
            yield group
            group.cancel_scope.cancel()
    except BaseExceptionGroup as errors:
        raise _single(errors) from None


def _single(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
