"""Objects of the SDKs as the JSON that they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_governor.wire.rpc import RpcError

_RESULT = ("content", "structuredContent", "isError", "_meta")
_SNAKE = {"structuredContent": "structured_content", "isError": "is_error", "_meta": "meta"}
"""How frameworks in Python spell the members of a result in objects that are not models of the protocol."""
_DEPTH = 100
"""Levels of lists and dicts that are looked through for objects: a ``tools/list`` result has two above its tools."""


def plain_json(value: Any, depth: int = _DEPTH) -> Any:
    """A value with every SDK object in it as JSON; members that are not set are left out."""
    if hasattr(value, "model_dump"):
        return value.model_dump(by_alias=True, mode="json", exclude_none=True)
    if depth and isinstance(value, Mapping):
        return {key: plain_json(item, depth - 1) for key, item in value.items()}
    if depth and isinstance(value, list | tuple):
        return [plain_json(item, depth - 1) for item in value]
    return value


def plain_result(result: Any) -> Any:
    """A result of a call as JSON.

    Args:
        result: a dict, a model of an SDK (``mcp.types.CallToolResult``), a result of FastMCP's client or of its
            ``call_tool``, or an :class:`~mcp_governor.wire.rpc.RpcError`.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(result, RpcError):
        error = {"code": result.code, "message": result.text}
        return {"jsonrpc": "2.0", "error": error if result.data is None else {**error, "data": result.data}}
    if isinstance(result, Mapping) or hasattr(result, "model_dump"):
        return plain_json(result)
    if not hasattr(result, "content"):
        raise TypeError(
            f"A result is a dict or an SDK object with content, not {type(result).__name__}. "
            "Pass what call_tool returned."
        )
    values = {name: getattr(result, _SNAKE.get(name, name), getattr(result, name, None)) for name in _RESULT}
    return plain_json({name: value for name, value in values.items() if value is not None})
