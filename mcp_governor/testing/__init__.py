"""Assertions and a client for tests of an MCP server, in any test framework.

    >>> from mcp_governor.testing import assert_compatible, assert_envelope, assert_recoverable

Each name is imported from its module on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_names

if TYPE_CHECKING:
    from mcp_governor.testing.assertions import assert_compatible, assert_envelope, assert_recoverable
    from mcp_governor.testing.session import McpSession
    from mcp_governor.wire.rpc import RpcError

__all__ = ["McpSession", "RpcError", "assert_compatible", "assert_envelope", "assert_recoverable"]

_names = lazy_names(
    __name__,
    {
        "assertions": ("assert_compatible", "assert_envelope", "assert_recoverable"),
        "session": ("McpSession",),
    },
)


def __getattr__(name: str) -> object:
    if name == "RpcError":
        from mcp_governor.wire.rpc import RpcError

        return RpcError
    return _names(name)


def __dir__() -> list[str]:
    return sorted(__all__)
