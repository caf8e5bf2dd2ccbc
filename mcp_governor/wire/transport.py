"""The interface between a session and its transport.

A :class:`Transport` sends a request and returns its response. Transports that receive messages in any order (stdio and
HTTP+SSE) are a :class:`~mcp_governor.wire.duplex.Duplex`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol

from mcp_governor.errors import ProtocolError, UnreachableError
from mcp_governor.text import beginning, one_line
from mcp_governor.wire import rpc
from mcp_governor.wire.limits import Meter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcp_governor.wire.limits import Limits
    from mcp_governor.wire.pulse import Pulse
    from mcp_governor.wire.rpc import Message

NOISE_KEPT = 20
"""Most lines of noise that are kept for messages."""

_MAX_ID_LENGTH = 1_000
"""Longest id of a server's request, in characters: a UUID has 36. Requests with longer ids get no response."""

_METHOD_KEPT = 200
"""Characters that are kept of the method of a server's request; the longest method in MCP has 30."""


class ConnectionLostError(UnreachableError):
    """The peer is gone: its process exited, or it closed the connection.

    Attributes:
        heard: true if it had read everything that was sent, as far as can be known.
    """

    def __init__(self, message: str, hint: str = "", *, heard: bool = True) -> None:
        super().__init__(message, hint)
        self.heard = heard

    def say_when(self, method: str, answered: str) -> None:
        """Name the request that got no response, and the last one that did, if the message leaves that open.

        Args:
            method: the method of the request.
            answered: the method of the last request with a response.
        """
        end = "before it answered."
        if self.message.endswith(end):
            self.message = f"{self.message.removesuffix('.')} {one_line(method, 60)}; it had answered {answered}."
            self.hint = "Run the command by hand and send it the same requests to see why."


class HttpStatusError(UnreachableError):
    """An HTTP response without a JSON-RPC message.

    Attributes:
        status: the HTTP status code.
    """

    def __init__(self, message: str, hint: str, status: int) -> None:
        super().__init__(message, hint)
        self.status = status

    @property
    def may_pass(self) -> bool:
        """True if a later attempt may succeed, because the service is starting or overloaded."""
        return self.status in (408, 425, 429) or (self.status >= 500 and self.status not in (501, 505))


class Transport(Protocol):
    """Sends messages to one server.

    Attributes:
        mirrors: true if it sends HTTP headers that mirror the body.
        pulse: observes the peer; ``None`` if it is not our child.
    """

    mirrors: bool
    pulse: Pulse | None

    async def exchange(
        self,
        message: Message,
        headers: Mapping[str, str],
        seconds: float | None,
        look: Callable[[], None] | None = None,
    ) -> Message:
        """Send a request and return the response with its id.

        Args:
            message: the request.
            headers: HTTP headers that belong to it; other transports ignore them.
            seconds: timeout in seconds; ``None`` for none.
            look: called now and then while a child has not responded; it may raise an error.

        Raises:
            TimeoutError: no response in time.
            ServerError: the connection is lost.
        """
        ...

    async def notify(self, message: Message, headers: Mapping[str, str], seconds: float | None) -> None:
        """Send a message without waiting for a response.

        Raises:
            TimeoutError: the server did not accept it in time.
            ServerError: the connection is lost.
        """
        ...


class Inbox:
    """Counts messages that are not responses, and refuses requests.

    Attributes:
        meter: counts everything that is received.
        tool_changes: number of notifications that the list of tools has changed.
        refused: methods of the server's requests, except ``ping``.
        noise: the first lines that were not JSON-RPC, or had a byte-order mark in front.
        noise_lines: number of such lines.
        stray_id: the id of the last response without a request, as JSON, safe to show; empty if there was none.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.meter = Meter(limits)
        self.noise_lines = 0
        self._strays = 0
        self.stray_id = ""
        self.tool_changes = 0
        self.refused: list[str] = []
        self.noise: list[str] = []

    def unasked(self, message: Message) -> Message | None:
        """Process a notification or request. Returns the reply to a request, or ``None``.

        A request with an invalid or very long id gets no reply, because the reply would have to contain the id.
        """
        if "id" not in message:
            self.tool_changes += message["method"] == "notifications/tools/list_changed"
            return None
        number = message["id"]
        answerable = isinstance(number, int) or (isinstance(number, str) and len(number) <= _MAX_ID_LENGTH)
        if message["method"] == "ping":
            return {"jsonrpc": "2.0", "id": number, "result": {}} if answerable else None
        self.refuse(message["method"])
        if not answerable:
            return None
        return rpc.refusal(number, rpc.METHOD_NOT_FOUND, "This client reads a server's surface and serves no requests.")

    def refuse(self, method: str) -> None:
        """Record a refused request of the server."""
        if len(self.refused) < self._limits.strays:
            self.refused.append(method[:_METHOD_KEPT])

    def stray(self, message: Message) -> None:
        """Count a response without a request.

        Raises:
            ProtocolError: there are too many.
        """
        self._strays += 1
        self.stray_id = _shown_id(message)
        if self._strays > self._limits.strays:
            raise ProtocolError(
                f"it answered {self._strays} requests that were never sent (last id: {self.stray_id}).",
                "Answer every request with the id that it came with.",
            )

    def answered_another(self, method: str) -> ProtocolError | None:
        """The error of a request without a response, if a response without a request came instead of it.

        Args:
            method: that of the request, the last one that was sent.
        """
        if not self.stray_id:
            return None
        return ProtocolError(
            f"the id of the response to {one_line(method, 60)} is {self.stray_id}, and no request has this id.",
            "Answer every request with the id that it came with, as the same JSON type.",
        )

    def decoded(self, data: bytes | str) -> list[Message]:
        """The messages in a line, an event or a body, which are counted.

        Raises:
            NotJsonRpcError: it holds none.
            ProtocolError: it exceeds a limit.
        """
        self.meter.unparsed(data)
        messages = rpc.decode(data, self._limits.depth)
        self.meter.parsed(messages)
        return messages

    def heard_noise(self, line: bytes) -> None:
        """Count a line of stdout that clients cannot read."""
        self.noise_lines += 1
        if len(self.noise) < NOISE_KEPT and line:
            self.noise.append(beginning(line, 200))

    def not_a_message(self, line: bytes, why: str) -> None:
        """Count a line that is not a JSON-RPC message.

        Raises:
            ProtocolError: it is a broken message, or there are too many such lines.
        """
        if b'"jsonrpc"' in line[:4096]:
            raise ProtocolError(
                f"it sent a JSON-RPC message that cannot be read: {why}.", "Send one JSON object per message."
            )
        self.heard_noise(line)
        if self.noise_lines > self._limits.noise_lines:
            last = one_line(beginning(line, 200), 60)
            raise ProtocolError(
                f'it wrote {self.noise_lines} lines on stdout that are not JSON-RPC (last: "{last}").',
                "Send logs to stderr; stdout is for MCP messages only.",
            )


def _shown_id(message: Message) -> str:
    """The id of a response as JSON, shortened; ``none`` if it has none."""
    if "id" not in message:
        return "none"
    number = message["id"]
    plain = isinstance(number, str | int | float | None)
    return one_line(json.dumps(number), 40) if plain else "an object" if isinstance(number, dict) else "an array"
