"""MCP's HTTP headers; 2026-07-28 mirrors some from a request's body, so that proxies can route without parsing it."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import ProtocolError
from mcp_governor.schemas.walking import subschemas
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.wire.rpc import Message

SESSION = "mcp-session-id"
"""Header of the requests of one session."""
VERSION = "MCP-Protocol-Version"
"""Header of every request after the handshake."""
ACCEPT = "application/json, text/event-stream"
"""Media types that a client of streamable HTTP accepts."""
ANNOTATION = "x-mcp-header"
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_PLAIN = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?|")
_WRAPPED = re.compile(r"=\?base64\?.*\?=")
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")  # RFC 9110, 5.6.2
_TYPES = ("string", "integer", "boolean")


def mirrored(message: Message, protocol: str, tools: Mapping[str, Any]) -> dict[str, str]:
    """The headers of a 2026-07-28 request.

    Args:
        message: the request.
        protocol: the protocol version of the request.
        tools: name → tool as listed, for the ``x-mcp-header`` annotations of its input schema.

    Raises:
        ProtocolError: invalid annotations in the schema of the called tool forbid calling it.
    """
    method = message["method"]
    params = message.get("params") or {}
    headers = {"MCP-Protocol-Version": protocol, "Mcp-Method": method}
    name = params.get(_NAMED.get(method, ""))
    if isinstance(name, str):
        headers["Mcp-Name"] = encoded(name)
    if method == "tools/call":
        tool = tools.get(name) if isinstance(name, str) else None
        schema = tool.get("inputSchema") if isinstance(tool, dict) else None
        problem = invalid_annotation(schema)
        if problem:
            raise ProtocolError(
                f'the tool "{one_line(str(name), 60)}" must not be called over HTTP: {problem}.',
                f"Correct {ANNOTATION} in its inputSchema.",
            )
        for path, header in _annotations(schema):
            value = _scalar(_at(params.get("arguments"), path or ()))
            if value is not None:
                headers[f"Mcp-Param-{header}"] = encoded(value)
    return headers


def valid_session(session: str | None) -> str | None:
    """The session id of a response. It is sent back unchanged, so it must be valid.

    Raises:
        ProtocolError: it holds other characters than visible ASCII.
    """
    if session is not None and not (session.isascii() and session.isprintable()):
        raise ProtocolError(
            "its Mcp-Session-Id holds more than visible ASCII characters.", "Send an id such as a UUID, in hexadecimal."
        )
    return session


def encoded(value: str) -> str:
    """A header value: printable ASCII unchanged, anything else as ``=?base64?…?=``."""
    if _PLAIN.fullmatch(value) and not _WRAPPED.fullmatch(value):
        return value
    return f"=?base64?{base64.b64encode(value.encode('utf-8', 'surrogatepass')).decode('ascii')}?="


def invalid_annotation(schema: Any) -> str | None:
    """The reason why the ``x-mcp-header`` annotations of an input schema forbid calling its tool, or ``None``.

    Annotations must be on string, integer or boolean properties that are reached through ``properties`` only. They must
    be header tokens and unique when case is ignored.
    """
    seen: set[str] = set()
    for path, header in _annotations(schema):
        if not path:
            return f"{ANNOTATION} is at a place that no property can reach"
        where = one_line(".".join(path), 60)
        if not isinstance(header, str) or not _TOKEN.fullmatch(header):
            return f'{ANNOTATION} of "{where}" is not a valid header name'
        if _at(schema, tuple(step for key in path for step in ("properties", key))).get("type") not in _TYPES:
            return f'{ANNOTATION} of "{where}" is on a type other than string, integer or boolean'
        if header.lower() in seen:
            return f'{ANNOTATION} "{one_line(header, 40)}" is given twice'
        seen.add(header.lower())
    return None


def _annotations(root: Any) -> Iterator[tuple[tuple[str, ...] | None, Any]]:
    """All annotations with their property path, or ``None`` if other keywords than ``properties`` lead to them."""
    todo: list[tuple[tuple[str, ...] | None, Any]] = [((), root)]
    while todo:
        path, node = todo.pop()
        if not isinstance(node, dict):
            continue
        if ANNOTATION in node:
            yield path, node[ANNOTATION]
        for tokens, below in subschemas(node):
            reached = path is not None and tokens[0] == "properties"
            todo.append(((*path, str(tokens[1])) if path is not None and reached else None, below))


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _scalar(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else None
