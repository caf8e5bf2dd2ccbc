"""Is a response good? Each one is judged: one that equals the validated one apart from its id, by its bytes; any other
one is parsed, and a list under load is the list that came alone, in whatever order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.errors import ProtocolError
from mcp_governor.surface.file import MAX_DEPTH
from mcp_governor.wire import rpc

if TYPE_CHECKING:
    from mcp_governor.load.model import Point

KINDS = ("list-empty", "list-shorter", "list-longer", "list-differs")
"""Kinds of failure: no tools at all; some are gone; some came; some of each, or a definition is another one."""


def changed_lists(point: Point) -> int:
    """Number of responses of a point that were another list."""
    return sum(point.errors.get(kind, 0) for kind in KINDS)


def drift(first: list[Any], now: list[Any]) -> str | None:
    """How a list differs from the first one, in whatever order; ``None`` if it holds the same tools.

    A server that sorts by chance does so without load too, where ``load/unstable-order`` says it. A locustfile has
    copies of this function and the next two, so they need nothing else.
    """
    if now == first or not now:
        return None if now == first else "list-empty"
    before: dict[str, list[Any]] = {}
    after: dict[str, list[Any]] = {}
    for found, tools in ((before, first), (after, now)):
        for tool in tools:
            name = tool.get("name") if isinstance(tool, dict) else None
            found.setdefault(name if isinstance(name, str) else "", []).append(tool)
    gone = any(len(after.get(name, ())) < len(tools) for name, tools in before.items())
    new = any(len(before.get(name, ())) < len(tools) for name, tools in after.items())
    if gone != new:
        return "list-shorter" if gone else "list-longer"
    return "list-differs" if gone or before != after else None


def events_of(body: bytes) -> list[bytes]:
    """The data of each event of a stream that is a ``message``."""
    found = []
    for event in body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n\n"):
        lines = [line for line in event.split(b"\n") if line.startswith(b"data:")]
        if lines:
            found.append(b"\n".join(line[5:].removeprefix(b" ") for line in lines))
    return found


def failure_of_result(result: Any, method: str, tools: list[Any] | None = None) -> str | None:
    """The kind of failure of a result, ``None`` if it is good.

    Args:
        result: the member ``result`` of a response.
        method: of the request.
        tools: the tools of the first list; ``None`` if lists are not compared.
    """
    if not isinstance(result, dict):
        return "not-mcp"
    if result.get("resultType", "complete") != "complete":
        return "not-complete"
    if method == "tools/list":
        listed = result.get("tools")
        return "not-mcp" if not isinstance(listed, list) else None if tools is None else drift(tools, listed)
    return None if result.get("isError", False) is False else "tool-error"


EVENTS = "text/event-stream"
"""Content type of a response that is a stream of events."""

OK = 200
"""The only status of a request's response (MCP, streamable HTTP); 202 is for notifications."""


class Judge:
    """Judges the responses to one request.

    Args:
        method: of the request.
        expected: body of a good response before and after its id.
        kind: content type of a good response; counts if ``expected`` is given.
        tools: the tools of the first list; ``None`` if lists are not compared.
    """

    def __init__(
        self, method: str, expected: tuple[bytes, bytes] | None, kind: str = "", tools: list[Any] | None = None
    ) -> None:
        self._method, self._expected, self._kind, self._tools = method, expected, kind, tools

    def is_expected(self, body: bytes | bytearray, number: bytes) -> bool:
        """True if a body is the expected one with the id of the request."""
        if self._expected is None:
            return False
        before, after = self._expected
        return (
            len(body) == len(before) + len(number) + len(after)
            and body.startswith(before)
            and body.endswith(after)
            and body[len(before) : len(before) + len(number)] == number
        )

    def failure(self, status: int, kind: str, body: bytes | bytearray, number: bytes) -> str | None:
        """The kind of failure, ``None`` if the response is good.

        Args:
            status: of HTTP.
            kind: content type without parameters, in lower case.
            body: whole body.
            number: id of the request.
        """
        if status != OK:
            return f"http-{status}"
        if kind == self._kind and self.is_expected(body, number):
            return None
        message = response_in(kind, bytes(body), int(number))
        if message is None:
            return "not-mcp"
        error = message.get("error")
        if error is not None:
            code = error.get("code") if isinstance(error, dict) else None
            return f"rpc-{code}" if type(code) is int else "rpc"
        return failure_of_result(message.get("result"), self._method, self._tools)


def response_in(kind: str, body: bytes, number: int) -> rpc.Message | None:
    """The response with an id in a body; ``None`` if there is none.

    Args:
        kind: content type without parameters.
        body: JSON, or a stream of events.
        number: id of the request.
    """
    for text in events_of(body) if kind == EVENTS else [body]:
        try:
            messages = rpc.decode(text, MAX_DEPTH)
        except (rpc.NotJsonRpcError, ProtocolError):
            if kind == EVENTS:
                continue
            return None
        for message in messages:
            if rpc.is_response(message) and message.get("id") == number and type(message["id"]) is int:
                return message
    return None


def split_at_id(body: bytes, number: bytes) -> tuple[bytes, bytes] | None:
    """A body around the id of its request; ``None`` if the digits are not there exactly once."""
    before, found, after = body.partition(number)
    return (before, after) if found and number not in after else None
