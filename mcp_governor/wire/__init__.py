"""Raw MCP: stdio, streamable HTTP, HTTP+SSE and in-process, in both protocol eras.

The server's words come through unfiltered: this package speaks JSON-RPC itself. Names are loaded on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp_governor.wire.endpoint import (
        DEFAULT_LIMITS,
        Endpoint,
        Era,
        HttpEndpoint,
        Limits,
        ObjectEndpoint,
        StdioEndpoint,
    )
    from mcp_governor.wire.opening import connect
    from mcp_governor.wire.recording import Recording, read, read_many, read_recording
    from mcp_governor.wire.rpc import RpcError
    from mcp_governor.wire.session import Session

__all__ = [
    "DEFAULT_LIMITS",
    "Endpoint",
    "Era",
    "HttpEndpoint",
    "Limits",
    "ObjectEndpoint",
    "Recording",
    "RpcError",
    "Session",
    "StdioEndpoint",
    "connect",
    "read",
    "read_many",
    "read_recording",
]

_LAZY = {
    **dict.fromkeys(
        ("DEFAULT_LIMITS", "Endpoint", "Era", "HttpEndpoint", "Limits", "ObjectEndpoint", "StdioEndpoint"), "endpoint"
    ),
    "Recording": "recording",
    "RpcError": "rpc",
    "Session": "session",
    "connect": "opening",
    "read": "recording",
    "read_many": "recording",
    "read_recording": "recording",
}


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value
