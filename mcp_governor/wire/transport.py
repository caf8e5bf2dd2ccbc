"""The seam between a conversation and the way its messages travel.

A :class:`Transport` carries one request to its answer. :class:`Duplex` is the half of it that stdio, HTTP+SSE and
in-process servers share: messages come in as they please, and answers find their questions by id.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

import anyio

from mcp_governor.errors import ProtocolError, ServerError, UnreachableError
from mcp_governor.text import one_line
from mcp_governor.wire import rpc

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from anyio.abc import TaskGroup

    from mcp_governor.wire.endpoint import Limits
    from mcp_governor.wire.rpc import Message

NOISE_KEPT = 20
"""How many lines of noise are kept to be shown."""


class ConnectionLostError(UnreachableError):
    """The peer went away: its process ended, or it closed the connection."""


class HttpStatusError(UnreachableError):
    """An HTTP answer that carries no JSON-RPC message.

    Attributes:
        status: the HTTP status code.
    """

    def __init__(self, message: str, hint: str, status: int) -> None:
        super().__init__(message, hint)
        self.status = status


class Transport(Protocol):
    """Carries messages to one server.

    Attributes:
        mirrors: whether it sends HTTP headers that mirror the body.
    """

    mirrors: bool

    async def exchange(self, message: Message, headers: Mapping[str, str]) -> Message:
        """Send a request and return the response with its id.

        Args:
            message: the request.
            headers: HTTP headers that belong to it; other transports ignore them.

        Raises:
            ServerError: the response cannot arrive any more.
        """
        ...

    async def notify(self, message: Message, headers: Mapping[str, str]) -> None:
        """Send a notification or a response; nothing comes back."""
        ...


class Inbox:
    """What a server says without being asked: counted, answered with a refusal, and never obeyed.

    Attributes:
        notifications: how many notifications came.
        refused: methods of the requests that came, ``ping`` excepted.
        noise: first lines that were not JSON-RPC.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._noise_lines = 0
        self._strays = 0
        self.notifications = 0
        self.refused: list[str] = []
        self.noise: list[str] = []

    def unasked(self, message: Message) -> Message | None:
        """Take a notification or a request; the reply to a request, ``None`` for a notification."""
        if "id" not in message:
            self.notifications += 1
            return None
        if message["method"] == "ping":
            return {"jsonrpc": "2.0", "id": message["id"], "result": {}}
        if len(self.refused) < self._limits.strays:
            self.refused.append(message["method"])
        return rpc.refusal(
            message["id"], rpc.METHOD_NOT_FOUND, "This client reads a server's surface and serves no requests."
        )

    def stray(self, message: Message) -> None:
        """Take an answer that nobody waits for.

        Raises:
            ProtocolError: there were too many.
        """
        self._strays += 1
        if self._strays > self._limits.strays:
            shown = one_line(repr(message.get("id")), 40)
            raise ProtocolError(
                f"it answered {self._strays} requests that were never sent (last id: {shown}).",
                "Answer every request with the id that it came with.",
            )

    def not_a_message(self, line: bytes, why: str) -> None:
        """Take a line that is no JSON-RPC message.

        Raises:
            ProtocolError: it was meant as one, or there were too many.
        """
        if b'"jsonrpc"' in line[:4096]:
            raise ProtocolError(
                f"it sent a JSON-RPC message that cannot be read: {why}.", "Send one JSON object per message."
            )
        self._noise_lines += 1
        if len(self.noise) < NOISE_KEPT and line:
            self.noise.append(line[:200].decode(errors="replace"))
        if self._noise_lines > self._limits.noise_lines:
            last = one_line(line[:200].decode(errors="replace"), 60)
            raise ProtocolError(
                f'it wrote {self._noise_lines} lines on stdout that are not JSON-RPC (last: "{last}").',
                "Send logs to stderr; stdout is for MCP messages only.",
            )


class Duplex:
    """A :class:`Transport` over two independent directions.

    Args:
        send: carries one message to the peer.
        inbox: takes what was not asked for.
        limits: depth of messages.
    """

    mirrors = False

    def __init__(self, send: Callable[[Message], Awaitable[None]], inbox: Inbox, limits: Limits) -> None:
        self._send = send
        self._inbox = inbox
        self._limits = limits
        self._waiting: dict[int, _Waiter] = {}
        self._abandoned: set[int] = set()
        self._broken: ServerError | None = None
        self._ended = anyio.Event()

    async def exchange(self, message: Message, headers: Mapping[str, str]) -> Message:  # noqa: ARG002
        """See :class:`Transport`."""
        number = message["id"]
        if self._broken is not None:
            raise self._broken
        waiter = self._waiting[number] = _Waiter()
        try:
            await self._deliver(message)
            await waiter.done.wait()
        finally:
            del self._waiting[number]
            if waiter.answer is None:
                self._abandoned.add(number)
        if waiter.answer is None:
            raise self._broken or ConnectionLostError("the connection was closed.")
        return waiter.answer

    async def notify(self, message: Message, headers: Mapping[str, str]) -> None:  # noqa: ARG002
        """See :class:`Transport`."""
        if self._broken is None:
            await self._deliver(message)

    async def _deliver(self, message: Message) -> None:
        try:
            await self._send(message)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            # The reader learns why the peer is gone and says it better than "broken pipe".
            with anyio.move_on_after(2):
                await self._ended.wait()
            raise self._broken or ConnectionLostError("the connection was closed.") from None

    async def feed(self, data: bytes | str) -> None:
        """Take one line, or one event, from the peer; a line that breaks a limit ends the connection."""
        try:
            try:
                messages = rpc.decode(data, self._limits.depth)
            except rpc.NotJsonRpcError as error:
                line = data if isinstance(data, bytes) else data.encode(errors="replace")
                self._inbox.not_a_message(line, str(error))
                return
            for message in messages:
                await self.take(message)
        except ProtocolError as error:
            self.fail(error)

    async def take(self, message: Message) -> None:
        """Take one message from the peer.

        Raises:
            ProtocolError: it breaks a limit.
        """
        if not rpc.is_response(message):
            reply = self._inbox.unasked(message)
            if reply is not None:
                await self.notify(reply, {})
            return
        number = message.get("id")
        # 1 == True == 1.0 in Python, and none of the others is our id.
        waiter = self._waiting.get(number) if type(number) is int else None
        if waiter is not None:
            waiter.answer = message
            waiter.done.set()
        elif type(number) is int and number in self._abandoned:
            self._abandoned.discard(number)
        else:
            self._inbox.stray(message)

    def fail(self, error: ServerError) -> None:
        """End the connection: whoever waits, now or later, gets ``error``; the first error stays."""
        if self._broken is None:
            self._broken = error
            self._ended.set()
        for waiter in self._waiting.values():
            waiter.done.set()

    @property
    def broken(self) -> ServerError | None:
        """Why the connection ended, ``None`` while it lives."""
        return self._broken


class _Waiter:
    __slots__ = ("answer", "done")

    def __init__(self) -> None:
        self.done = anyio.Event()
        self.answer: Message | None = None


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
