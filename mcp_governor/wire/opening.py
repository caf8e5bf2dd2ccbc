"""Open a connection of any kind, shake hands, and say what failed in one sentence."""

from __future__ import annotations

import sys
import time
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from mcp_governor.errors import ProtocolError, ServerError, UnreachableError
from mcp_governor.text import visible
from mcp_governor.wire import rpc
from mcp_governor.wire.endpoint import DEFAULT_LIMITS, Era, HttpEndpoint, StdioEndpoint, redact
from mcp_governor.wire.protocol import greet
from mcp_governor.wire.session import Session
from mcp_governor.wire.transport import ConnectionLostError, HttpStatusError, Inbox

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, MutableMapping
    from contextlib import AbstractAsyncContextManager

    from mcp_governor.wire.endpoint import Endpoint, Limits
    from mcp_governor.wire.transport import Transport

_NOT_STREAMABLE = (400, 404, 405, 406, 410, 415, 501)
"""Answers to a POSTed ``initialize`` that a server of the older HTTP+SSE transport may give."""


@asynccontextmanager
async def connect(
    endpoint: Endpoint,
    *,
    limits: Limits = DEFAULT_LIMITS,
    era: Era | None = None,
    eras: MutableMapping[str, Era] | None = None,
    blocking: bool = False,
) -> AsyncIterator[Session]:
    """Open a connection, shake hands, and close everything again at the end.

    Args:
        endpoint: where the server is.
        limits: bounds on messages, lists and time.
        era: speak only this era; ``None`` tries ``server/discover`` and falls back to ``initialize``.
        eras: what was found for ``endpoint.key`` before, updated with what is found now; a cached era is tried
            first. Keep it no longer than the servers stay the same.
        blocking: speak to a child without an event loop; only for :func:`mcp_governor.wire.blocking.drive`.

    Raises:
        UnreachableError, ProtocolError: no connection, or no MCP.
        MissingDependencyError, TargetError: an object endpoint that cannot be loaded.
    """
    async with AsyncExitStack() as stack:
        opening = _Opening(endpoint, limits, era, (eras or {}).get(endpoint.key, Era.MODERN), blocking)
        session = await opening.session(stack)
        if eras is not None:
            eras[endpoint.key] = session.era
        yield session


class _Opening:
    """One attempt after the other, until a server has shaken hands."""

    def __init__(self, endpoint: Endpoint, limits: Limits, pinned: Era | None, first: Era, blocking: bool) -> None:
        self._endpoint = endpoint
        self._limits = limits
        self._pinned = pinned
        self._first = first
        self._inbox = Inbox(limits)
        self._blocking = blocking
        self._stderr = bytearray()
        self._deadline = time.monotonic() + limits.connect_timeout

    async def session(self, stack: AsyncExitStack) -> Session:
        """The open session, its resources entered into ``stack``."""
        try:
            return await self._attempt(stack)
        except TimeoutError:
            error = UnreachableError(
                f"it did not shake hands within {self._limits.connect_timeout:g} s.",
                "Raise --timeout, or run the command by hand and see what it waits for."
                if isinstance(self._endpoint, StdioEndpoint)
                else "Raise --timeout, or check the address.",
            )
            raise self.told(error) from None
        except rpc.RpcError as error:
            refused = ProtocolError(f"it refused the handshake: {error.message}", "See why it answers so.")
            raise self.told(refused) from None
        except ServerError as error:
            raise self.told(error) from None

    async def _attempt(self, stack: AsyncExitStack) -> Session:
        endpoint = self._endpoint
        if isinstance(endpoint, StdioEndpoint):
            return await self._stdio(stack, endpoint)
        if isinstance(endpoint, HttpEndpoint):
            return await self._http(stack, endpoint)
        from mcp_governor.wire.inprocess import knows_discover, open_object

        transport = await stack.enter_async_context(open_object(endpoint, self._limits, self._inbox))
        pinned = self._pinned or (None if knows_discover() else Era.LEGACY)
        return await self._greeted(transport, pinned, self._first)

    async def _stdio(self, stack: AsyncExitStack, endpoint: StdioEndpoint) -> Session:
        trial = AsyncExitStack()
        try:
            transport = await trial.enter_async_context(self._child(endpoint))
            session = await self._greeted(transport, self._pinned, self._first)
        except ConnectionLostError:
            await trial.__aexit__(*sys.exc_info())
            if self._pinned is not None or self._first is Era.LEGACY:
                raise
        except BaseException:
            await trial.__aexit__(*sys.exc_info())
            raise
        else:
            stack.push_async_exit(trial)
            return session
        # Some servers die of a request that comes before initialize: start it again, speak the old way.
        self._stderr.clear()
        transport = await stack.enter_async_context(self._child(endpoint))
        return await self._greeted(transport, Era.LEGACY, Era.LEGACY)

    def _child(self, endpoint: StdioEndpoint) -> AbstractAsyncContextManager[Transport]:
        if self._blocking:
            from mcp_governor.wire.blocking import open_blocking

            return open_blocking(endpoint, self._limits, self._inbox, self._stderr)
        from mcp_governor.wire.stdio import open_stdio

        return open_stdio(endpoint, self._limits, self._inbox, self._stderr)

    async def _http(self, stack: AsyncExitStack, endpoint: HttpEndpoint) -> Session:
        from mcp_governor.wire.client import open_client
        from mcp_governor.wire.http import open_streamable
        from mcp_governor.wire.sse import open_sse

        client = await stack.enter_async_context(open_client(endpoint, self._limits))
        if endpoint.transport == "sse":
            sse = await stack.enter_async_context(open_sse(client, self._inbox))
            return await self._greeted(sse, Era.LEGACY, Era.LEGACY)
        try:
            transport = await stack.enter_async_context(open_streamable(client, self._inbox))
            return await self._greeted(transport, self._pinned, self._first)
        except HttpStatusError as error:
            if endpoint.transport == "http" or error.status not in _NOT_STREAMABLE or self._pinned is Era.MODERN:
                raise
            first_error = error
        try:
            sse = await stack.enter_async_context(open_sse(client, self._inbox))
            return await self._greeted(sse, Era.LEGACY, Era.LEGACY)
        except UnreachableError:
            # Nothing listens in either way; what the address said to the current transport tells more.
            raise first_error from None

    async def _greeted(self, transport: Transport, pinned: Era | None, first: Era) -> Session:
        session = Session(transport, self._inbox, self._limits, self.told)
        with session.within(self._deadline - time.monotonic()):
            await session.begin(await greet(session, self._limits, pinned=pinned, first=first))
        return session

    def told(self, error: ServerError) -> ServerError:
        """The error with the name of the server, without secrets, and with a child's last words; once only."""
        name = f"{self._endpoint.shown}: "
        if error.message.startswith(name):
            return error
        secrets = self._endpoint.secrets
        error.message = name + redact(error.message, secrets)
        tail = self._stderr.decode(errors="replace").strip()
        if tail:
            shown = visible(redact(tail, secrets), keep_newlines=True).replace("\n", "\n  ")
            error.hint = f"{error.hint}\nThe end of its stderr:\n  {shown}"
        error.args = (error.message,)
        return error
