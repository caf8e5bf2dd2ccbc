"""One conversation with a server, after its handshake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.wire.endpoint import Era, Limits
    from mcp_governor.wire.rpc import Message


class Session:
    """An open connection; made by :func:`mcp_governor.wire.connect`.

    Attributes:
        era: how the conversation began.
        protocol: negotiated protocol version.
        server_info, capabilities: as the server reported them, untouched.
        instructions: as the server reported them, ``None`` where absent or not a string.
        notifications: how many notifications the server sent.
        refused_requests: methods of the requests that the server sent us; each was answered with an error.
        noise: first lines of a child's stdout that were not JSON-RPC, as sent (hostile words).
    """

    era: Era
    protocol: str
    server_info: Mapping[str, Any]
    capabilities: Mapping[str, Any]
    instructions: str | None
    limits: Limits
    notifications: int
    refused_requests: list[str]
    noise: list[str]

    async def request(self, method: str, params: Message | None = None, *, timeout: float | None = None) -> Message:
        """Ask, and return the result object.

        Args:
            method: for example ``"tools/list"``.
            params: its parameters; the 2026-07-28 ``_meta`` envelope is added here.
            timeout: seconds, default ``limits.request_timeout``.

        Raises:
            RpcError: the server answered with an error.
            ProtocolError: what it said is not MCP or breaks a limit.
            UnreachableError: it went away, or gave no answer in time.
        """
        raise NotImplementedError

    async def list_all(self, method: str, key: str, params: Mapping[str, Any] | None = None) -> list[Any]:
        """Every item of a paginated list, page after page, in the server's order, whatever their shape.

        Args:
            method: for example ``"tools/list"``.
            key: member of the result that holds the items, for example ``"tools"``.
            params: extra parameters sent with every page.

        Raises:
            ProtocolError: no array under ``key``, a cursor that repeats, too many pages or items.
            RpcError, UnreachableError: as :meth:`request`.
        """
        raise NotImplementedError

    async def call_tool(self, name: str, arguments: Mapping[str, Any], timeout: float | None = None) -> Message:
        """Call a tool and return the raw ``tools/call`` result; see :meth:`request` for errors."""
        raise NotImplementedError

    def known_tools(self) -> Sequence[Any]:
        """Items of the last ``tools/list`` of this session."""
        raise NotImplementedError
