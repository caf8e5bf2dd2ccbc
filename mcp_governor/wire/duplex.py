"""Two independent directions on an event loop, for stdio, HTTP+SSE and in-process servers."""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import anyio

from mcp_governor.errors import ServerError
from mcp_governor.wire.transport import ConnectionLostError, Mailbox

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

    from anyio.abc import TaskGroup

    from mcp_governor.wire.limits import Limits
    from mcp_governor.wire.pulse import Pulse
    from mcp_governor.wire.rpc import Message
    from mcp_governor.wire.transport import Inbox


class Duplex:
    """A :class:`~mcp_governor.wire.transport.Pipelined` transport.

    Args:
        send: sends one message to the peer.
        inbox: receives messages that are not responses.
        limits: limits the depth of messages.
        pulse: observes the peer if it is our child.
    """

    mirrors = False

    def __init__(
        self,
        send: Callable[[Message], Awaitable[None]],
        inbox: Inbox,
        limits: Limits,
        pulse: Pulse | None = None,
    ) -> None:
        self.pulse = pulse
        self._send = send
        self._news = anyio.Event()
        self.mailbox = Mailbox(inbox, limits)

    async def exchange(self, message: Message, headers: Mapping[str, str], seconds: float | None) -> Message:
        """See :class:`~mcp_governor.wire.transport.Transport`."""
        number = message["id"]
        self.mailbox.expect(number)
        try:
            with anyio.fail_after(seconds):
                await self.notify(message, headers, None)
                await self.first_of((number,), None)
        except BaseException:
            self.mailbox.abandon(number)
            raise
        return self.mailbox.collect(number)

    async def notify(self, message: Message, headers: Mapping[str, str], seconds: float | None) -> None:  # noqa: ARG002
        """See :class:`~mcp_governor.wire.transport.Transport`."""
        if self.mailbox.broken is not None:
            raise self.mailbox.broken
        try:
            with anyio.fail_after(seconds):
                await self._send(message)
        except TimeoutError:
            raise  # a TimeoutError is an OSError too
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            # The reader finds out why the peer is gone, and its error is better than "broken pipe".
            with anyio.move_on_after(2):
                while self.mailbox.broken is None:
                    await self._news.wait()
            raise self.mailbox.broken or ConnectionLostError("the connection was closed.") from None

    async def first_of(self, numbers: Sequence[int], seconds: float | None) -> int | None:
        """See :class:`~mcp_governor.wire.transport.Pipelined`."""
        with anyio.move_on_after(seconds):
            while (number := self.mailbox.answered(numbers)) is None:
                await self._news.wait()
            return number
        return None

    async def feed(self, data: bytes | str) -> None:
        """Process one line or event from the peer, and send the replies that it requires."""
        replies = self.mailbox.feed(data)
        self._notify_waiting()
        for reply in replies:
            await self._reply(reply)

    async def take(self, message: Message) -> None:
        """Process one message from the peer, and send the reply that it requires.

        Raises:
            ProtocolError: it exceeds a limit.
        """
        reply = self.mailbox.take(message)
        self._notify_waiting()
        if reply is not None:
            await self._reply(reply)

    async def _reply(self, reply: Message) -> None:
        # Continue reading, even if the peer does not read our replies.
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError, ServerError):
            await self._send(reply)

    def fail(self, error: ServerError) -> None:
        """End the connection; see :meth:`~mcp_governor.wire.transport.Mailbox.fail`."""
        self.mailbox.fail(error)
        self._notify_waiting()

    def _notify_waiting(self) -> None:
        self._news.set()
        self._news = anyio.Event()


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
