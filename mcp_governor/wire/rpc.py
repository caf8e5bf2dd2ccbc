"""JSON-RPC 2.0 as MCP uses it: building, reading and bounding single messages."""

from __future__ import annotations

import json
from typing import Any

from mcp_governor.errors import ProtocolError, ServerError
from mcp_governor.parsing import exceeds_depth, read_json
from mcp_governor.secrets import redact, redact_json
from mcp_governor.text import one_line

METHOD_NOT_FOUND = -32601
"""JSON-RPC 2.0."""
INVALID_PARAMS = -32602
"""JSON-RPC 2.0; MCP also uses it for unknown tools and resources."""
UNSUPPORTED_VERSION = -32022
"""2026-07-28: the server does not support the version of the request; ``data.supported`` lists its own."""

Message = dict[str, Any]
"""One JSON-RPC message, as from ``json.loads``."""


class RpcError(ServerError):
    """The server responded with a JSON-RPC error.

    Attributes:
        code: the error's code, or 0 if the server sent none.
        text: the error's message as sent, without secrets (not safe to show: use :attr:`message` instead).
        data: the error's data as sent, without secrets.
    """

    def __init__(self, code: int, text: str, data: Any = None, *, method: str = "") -> None:
        asked = f" to {one_line(method, 60)}" if method else ""
        super().__init__(f'the server responded{asked} with JSON-RPC error {code}: "{one_line(text)}".')
        self.code = code
        self.text = redact(text)
        self.data = redact_json(data)


class NotJsonRpcError(ValueError):
    """Text that is not a JSON-RPC message; ``str()`` gives the reason, safe to show."""


def request(number: int, method: str, params: Message | None) -> Message:
    """A request, without ``params`` if ``None``."""
    message: Message = {"jsonrpc": "2.0", "id": number, "method": method}
    if params is not None:
        message["params"] = params
    return message


def notification(method: str, params: Message | None = None) -> Message:
    """A notification, without ``params`` if ``None``."""
    message: Message = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        message["params"] = params
    return message


def refusal(number: Any, code: int, text: str) -> Message:
    """An error response to a request from the server."""
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}


def encode(message: Message) -> bytes:
    """One line of ASCII JSON without the line feed; lone surrogates are escaped."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode("ascii")


def decode(data: bytes | str, depth: int) -> list[Message]:
    """Parse JSON-RPC messages; there are several only in a 2025-03-26 batch.

    Args:
        data: one line, the data of one SSE event, or one HTTP body.
        depth: deepest nesting that is accepted, in containers.

    Raises:
        NotJsonRpcError: the text is not JSON, or the JSON is not a JSON-RPC message.
        ProtocolError: the JSON is nested deeper than ``depth``.
    """
    try:
        value = read_json(data)
    except RecursionError:
        raise _too_deep(depth) from None
    except UnicodeDecodeError as error:
        raise NotJsonRpcError(f"not UTF-8 at byte {error.start}") from None
    except ValueError as error:
        raise NotJsonRpcError(f"not JSON: {one_line(str(error), 80)}") from None
    messages = value if isinstance(value, list) else [value]
    if not messages or not all(_is_message(message) for message in messages):
        raise NotJsonRpcError("JSON, but not a JSON-RPC 2.0 message")
    if exceeds_depth(value, depth):
        raise _too_deep(depth)
    return messages


def is_response(message: Message) -> bool:
    """True if a message is a response, also if a serializer wrote ``"method": null`` into it."""
    return not isinstance(message.get("method"), str)


def result_of(message: Message, method: str) -> Message:
    """The result in a response.

    Raises:
        RpcError: the response contains an error.
        ProtocolError: the result is not an object, or there is an error as well.
    """
    if "error" in message and "result" in message and not _is_older(message, method):
        raise ProtocolError(
            f'the response to {one_line(method, 60)} has both "result" and "error".',
            "Send one of them; the other one must be absent, not null.",
        )
    if "error" in message:
        raise error_of(message, method)
    result = message["result"]
    if not isinstance(result, dict):
        raise ProtocolError(
            f"the result of {method} is {_kind(result)}, not an object.",
            "Answer every MCP request with a result object.",
        )
    return result


def _is_older(message: Message, method: str) -> bool:
    """True if a response has an error and null as its result, as JSON-RPC 1.0 has it: enough to read a server."""
    return method != "tools/call" and message["result"] is None and isinstance(message["error"], dict)


def error_of(message: Message, method: str = "") -> RpcError:
    """The error in a response, even if it is malformed."""
    error = message.get("error")
    if not isinstance(error, dict):
        return RpcError(0, str(error), method=method)
    code = error.get("code")
    return RpcError(
        code if isinstance(code, int) else 0, str(error.get("message", "")), error.get("data"), method=method
    )


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        return False
    return isinstance(value.get("method"), str) or "result" in value or "error" in value


def _too_deep(depth: int) -> ProtocolError:
    return ProtocolError(
        f"the server sent a message nested deeper than {depth} levels.", "Flatten the schema that nests this deeply."
    )


def _kind(value: Any) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
