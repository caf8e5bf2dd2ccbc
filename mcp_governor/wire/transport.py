"""The seam between a conversation and the way its messages travel.

A :class:`Transport` carries one request to its answer. :class:`Mailbox` is what those share whose messages come in as
they please: stdio, HTTP+SSE and in-process. Nothing here waits for anything, so that it serves an event loop and a
plain blocking client alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from mcp_governor.errors import ProtocolError, ServerError, UnreachableError
from mcp_governor.text import beginning, one_line
from mcp_governor.wire import rpc
from mcp_governor.wire.meter import Meter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.wire.limits import Limits
    from mcp_governor.wire.pulse import Pulse
    from mcp_governor.wire.rpc import Message

NOISE_KEPT = 20
"""How many lines of noise are kept to be shown."""

_LONGEST_ID = 1_000
"""Characters of the id of a server's request: a UUID has 36. A longer one is not sent back, so it is not answered."""

_METHOD_KEPT = 200
"""Characters that are kept of the method of a server's request; the longest of MCP has 30."""


class ConnectionLostError(UnreachableError):
    """The peer went away: its process ended, or it closed the connection.

    Attributes:
        heard: whether it had read what it was sent, as far as that can be known.
    """

    def __init__(self, message: str, hint: str = "", *, heard: bool = True) -> None:
        super().__init__(message, hint)
        self.heard = heard


class HttpStatusError(UnreachableError):
    """An HTTP answer that carries no JSON-RPC message.

    Attributes:
        status: the HTTP status code.
    """

    def __init__(self, message: str, hint: str, status: int) -> None:
        super().__init__(message, hint)
        self.status = status

    @property
    def may_pass(self) -> bool:
        """Whether the same request may be answered in another way later: the service starts, or has too much to do."""
        return self.status in (408, 425, 429) or (self.status >= 500 and self.status not in (501, 505))


class Transport(Protocol):
    """Carries messages to one server.

    Attributes:
        mirrors: whether it sends HTTP headers that mirror the body.
    """

    mirrors: bool

    async def exchange(self, message: Message, headers: Mapping[str, str], seconds: float | None) -> Message:
        """Send a request and return the response with its id.

        Args:
            message: the request.
            headers: HTTP headers that belong to it; other transports ignore them.
            seconds: how long to wait, ``None`` for ever.

        Raises:
            TimeoutError: no response in time.
            ServerError: the response cannot arrive any more.
        """
        ...

    async def notify(self, message: Message, headers: Mapping[str, str], seconds: float | None) -> None:
        """Send a message that nothing comes back for, or whose answer is awaited elsewhere.

        Raises:
            TimeoutError: the server did not take it in time.
            ServerError: the server is gone.
        """
        ...


@runtime_checkable
class Pipelined(Transport, Protocol):
    """A transport that can have several requests on their way and take the first answer."""

    async def first_of(self, numbers: Sequence[int], seconds: float | None) -> int | None:
        """The first of some requests (sent with ``notify`` after ``expect``) that has an answer, ``None`` in time.

        Raises:
            ServerError: no answer can arrive any more.
        """
        ...

    @property
    def mailbox(self) -> Mailbox:
        """Where the answers are."""
        ...

    @property
    def pulse(self) -> Pulse | None:
        """Life signs of the peer; ``None`` where it is no child of ours."""
        ...


class Inbox:
    """What a server says without being asked: counted, answered with a refusal, and never obeyed.

    Attributes:
        meter: counts all that comes.
        notifications: how many notifications came.
        refused: methods of the requests that came, ``ping`` excepted.
        noise: first lines that were not JSON-RPC.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.meter = Meter(limits)
        self._noise_lines = 0
        self._strays = 0
        self.notifications = 0
        self.refused: list[str] = []
        self.noise: list[str] = []

    def unasked(self, message: Message) -> Message | None:
        """Take a notification or a request; the reply to a request, ``None`` for a notification.

        A request whose id is no JSON-RPC id, or a very long one, gets no reply: the id would have to be in it.
        """
        if "id" not in message:
            self.notifications += 1
            return None
        number = message["id"]
        answerable = isinstance(number, int) or (isinstance(number, str) and len(number) <= _LONGEST_ID)
        if message["method"] == "ping":
            return {"jsonrpc": "2.0", "id": number, "result": {}} if answerable else None
        self.refuse(message["method"])
        if not answerable:
            return None
        return rpc.refusal(number, rpc.METHOD_NOT_FOUND, "This client reads a server's surface and serves no requests.")

    def refuse(self, method: str) -> None:
        """Note that the server asked for something."""
        if len(self.refused) < self._limits.strays:
            self.refused.append(method[:_METHOD_KEPT])

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
            self.noise.append(beginning(line, 200))
        if self._noise_lines > self._limits.noise_lines:
            last = one_line(beginning(line, 200), 60)
            raise ProtocolError(
                f'it wrote {self._noise_lines} lines on stdout that are not JSON-RPC (last: "{last}").',
                "Send logs to stderr; stdout is for MCP messages only.",
            )


class Mailbox:
    """Answers and their questions, without any input or output of its own.

    Args:
        inbox: takes what was not asked for.
        limits: depth of messages.

    Attributes:
        meter: counts all that comes.
        broken: why the connection ended, ``None`` while it lives.
    """

    def __init__(self, inbox: Inbox, limits: Limits) -> None:
        self._inbox = inbox
        self._limits = limits
        self._expected: set[int] = set()
        self._abandoned: set[int] = set()
        self._answers: dict[int, Message] = {}
        self.meter = inbox.meter
        self.broken: ServerError | None = None

    def expect(self, number: int) -> None:
        """A request with this id is about to be sent."""
        self._expected.add(number)

    def abandon(self, number: int) -> None:
        """Nobody waits for this answer any more; it is no stray if it comes."""
        self._expected.discard(number)
        if self._answers.pop(number, None) is None:
            self._abandoned.add(number)

    def answered(self, numbers: Sequence[int]) -> int | None:
        """The first of ``numbers`` whose answer is here.

        Raises:
            ServerError: there is none, and there will be none.
        """
        # Answers keep the order in which they came.
        for number in self._answers:
            if number in numbers:
                return number
        if self.broken is not None:
            raise self.broken
        return None

    def collect(self, number: int) -> Message:
        """Take out an answer that is here."""
        self._expected.discard(number)
        return self._answers.pop(number)

    def feed(self, data: bytes | str) -> list[Message]:
        """Take one line, or one event; returns the replies to send. What breaks a limit ends the connection."""
        if self.broken is not None:
            return []
        try:
            self.meter.unparsed(data)
            try:
                messages = rpc.decode(data, self._limits.depth)
            except rpc.NotJsonRpcError as error:
                line = data if isinstance(data, bytes) else data.encode(errors="replace")
                self._inbox.not_a_message(line, str(error))
                return []
            self.meter.parsed(messages)
            replies = [self.take(message) for message in messages]
        except ProtocolError as error:
            self.fail(error)
            return []
        return [reply for reply in replies if reply is not None]

    def take(self, message: Message) -> Message | None:
        """Take one message; returns the reply to send, if any.

        Raises:
            ProtocolError: it breaks a limit.
        """
        if not rpc.is_response(message):
            return self._inbox.unasked(message)
        number = message.get("id")
        # 1 == True == 1.0 in Python, and none of the others is our id.
        if type(number) is int and number in self._expected:
            self._answers.setdefault(number, message)
        elif type(number) is int and number in self._abandoned:
            self._abandoned.discard(number)
        else:
            self._inbox.stray(message)
        return None

    def fail(self, error: ServerError) -> None:
        """End the connection: whoever waits, now or later, gets ``error``; the first error stays."""
        if self.broken is None:
            self.broken = error
