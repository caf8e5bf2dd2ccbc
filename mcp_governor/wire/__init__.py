"""Raw MCP: stdio, streamable HTTP and HTTP+SSE, in both protocol eras.

This package has the transports, the session with its protocol eras, child processes, and the limits on what a server
may send. ``surface`` and ``call`` interpret the responses.

Messages pass unfiltered, because this package implements JSON-RPC itself. Names are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_names

if TYPE_CHECKING:
    from mcp_governor.wire.endpoint import (
        Endpoint,
        Era,
        HttpEndpoint,
        OpenableEndpoint,
        StdioEndpoint,
        object_elsewhere,
    )
    from mcp_governor.wire.limits import DEFAULT_LIMITS, Limits
    from mcp_governor.wire.opening import connect
    from mcp_governor.wire.recording import Recording, read, read_both, read_recording
    from mcp_governor.wire.rpc import RpcError
    from mcp_governor.wire.session import Session

__all__ = [
    "DEFAULT_LIMITS",
    "Endpoint",
    "Era",
    "HttpEndpoint",
    "Limits",
    "OpenableEndpoint",
    "Recording",
    "RpcError",
    "Session",
    "StdioEndpoint",
    "connect",
    "object_elsewhere",
    "read",
    "read_both",
    "read_recording",
]


__getattr__ = lazy_names(
    __name__,
    {
        "endpoint": (
            "Endpoint",
            "Era",
            "HttpEndpoint",
            "OpenableEndpoint",
            "StdioEndpoint",
            "object_elsewhere",
        ),
        "limits": ("DEFAULT_LIMITS", "Limits"),
        "opening": ("connect",),
        "recording": ("Recording", "read", "read_both", "read_recording"),
        "rpc": ("RpcError",),
        "session": ("Session",),
    },
)
