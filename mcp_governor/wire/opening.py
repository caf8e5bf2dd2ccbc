"""Open a connection of any kind, shake hands, and say what failed in one sentence.

One era per process. Everybody is asked ``server/discover`` first. A refusal settles the era, and ``initialize`` follows
on the same connection. Silence settles nothing: a server that starts slowly is silent as well. A child is therefore
given its whole start budget to read the question, and only one that has read it and leaves it unanswered is ended and
started again, for ``initialize`` alone. Whether the first was deaf to the question or only slow is then seen from a
third one, which is asked ``server/discover`` by somebody who knows how fast it can answer. One child at a time: two
instances of a server may fight for a port, a lock, or the cache that a package runner installs into.
"""

from __future__ import annotations

import sys
import time
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from mcp_governor.errors import ProtocolError, ServerError, UnreachableError
from mcp_governor.frozen import frozen
from mcp_governor.secrets import redact, redact_tail
from mcp_governor.text import visible
from mcp_governor.wire import rpc
from mcp_governor.wire.endpoint import Era, HttpEndpoint, StdioEndpoint
from mcp_governor.wire.limits import DEFAULT_LIMITS
from mcp_governor.wire.protocol import Patience, UnansweredError, greet
from mcp_governor.wire.session import Session
from mcp_governor.wire.transport import ConnectionLostError, HttpStatusError, Inbox

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, MutableMapping
    from contextlib import AbstractAsyncContextManager

    from mcp_governor.wire.client import Client
    from mcp_governor.wire.endpoint import Endpoint
    from mcp_governor.wire.limits import Limits
    from mcp_governor.wire.transport import Transport

    Opener = Callable[[Inbox], AbstractAsyncContextManager[Transport]]

_NOT_STREAMABLE = (400, 404, 405, 406, 410, 415, 501)
"""Answers to a POSTed ``initialize`` that a server of the older HTTP+SSE transport may give."""

_HANDSHAKES = frozenset({"server/discover", "initialize"})
"""Requests that only clients send."""

_LINES_SHOWN = 15
"""Lines of each of a child's streams in an error: enough for a usage text and for the end of a traceback."""

_TIMES = {2: "twice", 3: "three times", 4: "four times"}

_SLOWER = 4
"""How many times slower than ``initialize`` a server may answer ``server/discover``."""


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


@frozen
class _Manner:
    """How one connection is spoken to; see :func:`mcp_governor.wire.protocol.greet`.

    Attributes:
        seconds: until the end of the handshake.
    """

    seconds: float
    pinned: Era | None = None
    first: Era = Era.MODERN
    patience: Patience | None = None


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
        self._starts = 0
        self._opened = False
        self._heard = True

    async def session(self, stack: AsyncExitStack) -> Session:
        """The open session, its resources entered into ``stack``."""
        try:
            session = await self._any(stack)
        except TimeoutError:
            error = UnreachableError(
                f"no response to `initialize` within {self._limits.connect_timeout:g} s."
                f"{'' if self._heard else ' The server has not read the request.'}",
                "Raise --timeout, or run the command by hand to see what it waits for."
                if isinstance(self._endpoint, StdioEndpoint)
                else "Raise --timeout, or check the address.",
            )
            raise self.told(error) from None
        except rpc.RpcError as error:
            refused = ProtocolError(
                f"it refused the handshake: {error.message}", "Check the server's log for the reason."
            )
            if _HANDSHAKES.intersection(self._inbox.refused):
                refused = ProtocolError("it echoes back every request.", "Name the program that serves MCP.")
            raise self.told(refused) from None
        except ServerError as error:
            raise self.told(error) from None
        self._opened = True
        return session

    async def _any(self, stack: AsyncExitStack) -> Session:
        endpoint = self._endpoint
        if isinstance(endpoint, StdioEndpoint):
            return await self._stdio(stack, endpoint)
        if isinstance(endpoint, HttpEndpoint):
            return await self._http(stack, endpoint)
        manner = _Manner(self._limits.connect_timeout, self._pinned or endpoint.only_era, self._first)
        return await self._attempt(stack, lambda inbox: endpoint.open(self._limits, inbox), manner)

    async def _attempt(self, stack: AsyncExitStack, opener: Opener, manner: _Manner) -> Session:
        """One connection: a session, entered into ``stack``, or everything closed again."""
        # What an earlier connection said belongs to no later one.
        self._inbox = inbox = Inbox(self._limits)
        self._stderr.clear()
        end = time.monotonic() + manner.seconds
        trial = AsyncExitStack()
        session: Session | None = None
        try:
            session = Session(await trial.enter_async_context(opener(inbox)), inbox, self._limits, self.told)
            with session.within(end - time.monotonic()):
                greeting = await greet(session, pinned=manner.pinned, first=manner.first, patience=manner.patience)
                await session.begin(greeting)
        except BaseException:
            pulse = session.pulse if session is not None else None
            self._heard = pulse is None or pulse.heard
            await trial.__aexit__(*sys.exc_info())
            raise
        stack.push_async_exit(trial)
        return session

    async def _stdio(self, stack: AsyncExitStack, endpoint: StdioEndpoint) -> Session:
        budget = self._limits.connect_timeout
        if self._pinned is not None or self._first is Era.LEGACY:
            return await self._start(stack, endpoint, _Manner(budget, self._pinned, self._first))
        # A server that ignores the question is started again and asked initialize: half of the time is left for that.
        patience = Patience(min(self._limits.probe_timeout, budget / 4), budget / 2)
        began = time.monotonic()
        try:
            return await self._start(stack, endpoint, _Manner(budget, patience=patience))
        except ConnectionLostError as error:
            # Some servers die of a request that comes before initialize. One that never read it died of something else.
            if not error.heard:
                raise
            return await self._start(stack, endpoint, _Manner(budget, Era.LEGACY))
        except UnansweredError as error:
            # One budget for both, except that the second needs to start as well.
            left = began + budget - time.monotonic() + error.read_after
        return await self._settled(stack, endpoint, patience, left)

    async def _settled(
        self, stack: AsyncExitStack, endpoint: StdioEndpoint, patience: Patience, left: float
    ) -> Session:
        """The era of a server that left ``server/discover`` unanswered.

        Args:
            patience: what it was given.
            left: seconds for ``initialize``.
        """
        budget = self._limits.connect_timeout
        refused: rpc.RpcError | None = None
        seconds = 2 * patience.silence
        longest = patience.longest
        try:
            async with AsyncExitStack() as trial:
                hello = await self._start(trial, endpoint, _Manner(left, Era.LEGACY))
                seconds = max(seconds, _SLOWER * hello.took)
        except rpc.RpcError as error:
            refused = error
            seconds = longest
        more = Patience(seconds, max(longest, seconds))
        try:
            return await self._start(stack, endpoint, _Manner(budget + more.longest, Era.MODERN, patience=more))
        except (rpc.RpcError, UnansweredError, ConnectionLostError, TimeoutError):
            if refused is not None:
                raise refused from None
        return await self._start(stack, endpoint, _Manner(budget, Era.LEGACY))

    async def _start(self, stack: AsyncExitStack, endpoint: StdioEndpoint, manner: _Manner) -> Session:
        self._starts += 1
        return await self._attempt(stack, lambda inbox: self._child(endpoint, inbox), manner)

    def _child(self, endpoint: StdioEndpoint, inbox: Inbox) -> AbstractAsyncContextManager[Transport]:
        if self._blocking:
            from mcp_governor.wire.blocking import open_blocking

            return open_blocking(endpoint, self._limits, inbox, self._stderr)
        from mcp_governor.wire.stdio import open_stdio

        return open_stdio(endpoint, self._limits, inbox, self._stderr)

    async def _http(self, stack: AsyncExitStack, endpoint: HttpEndpoint) -> Session:
        from mcp_governor.wire.client import open_client
        from mcp_governor.wire.sse import open_sse

        def sse(inbox: Inbox) -> AbstractAsyncContextManager[Transport]:
            return open_sse(client, inbox)

        client = await stack.enter_async_context(open_client(endpoint, self._limits))
        older = _Manner(self._limits.connect_timeout, Era.LEGACY)
        if endpoint.transport == "sse":
            return await self._attempt(stack, sse, older)
        try:
            return await self._streamable(stack, client)
        except HttpStatusError as error:
            if endpoint.transport == "http" or error.status not in _NOT_STREAMABLE or self._pinned is Era.MODERN:
                raise
            first_error = error
        try:
            return await self._attempt(stack, sse, older)
        except UnreachableError:
            # Nothing listens in either way; what the address said to the current transport tells more.
            raise first_error from None

    async def _streamable(self, stack: AsyncExitStack, client: Client) -> Session:
        """As :meth:`_stdio`; here a session costs nothing, and the older one is kept while the newer is asked for."""
        from mcp_governor.wire.http import open_streamable

        def opener(inbox: Inbox) -> AbstractAsyncContextManager[Transport]:
            return open_streamable(client, inbox)

        budget = self._limits.connect_timeout
        patience = Patience(budget / 2, budget / 2)
        try:
            return await self._attempt(stack, opener, _Manner(budget, self._pinned, self._first, patience))
        except UnansweredError:
            pass
        except HttpStatusError as error:
            if not error.may_pass or self._pinned is not None:
                raise
        trial = AsyncExitStack()
        older = await self._attempt(trial, opener, _Manner(budget / 2, Era.LEGACY))
        seconds = max(2 * self._limits.probe_timeout, _SLOWER * older.took)
        try:
            newer = await self._attempt(stack, opener, _Manner(seconds, Era.MODERN))
        except (rpc.RpcError, ServerError, TimeoutError):
            stack.push_async_exit(trial)
            return older
        except BaseException:
            await trial.__aexit__(*sys.exc_info())
            raise
        await trial.aclose()
        return newer

    def told(self, error: ServerError) -> ServerError:
        """The error with the name of the server and a child's last words, without secrets; once only."""
        name = f"{self._endpoint.shown}: "
        if error.message.startswith(name):
            return error
        error.message = name + redact(error.message)
        stdout = [] if self._opened else [line for line in self._inbox.noise if line.strip()]
        stderr = redact_tail(self._stderr.decode(errors="replace")).strip()
        endpoint = self._endpoint
        if isinstance(endpoint, StdioEndpoint):
            if not self._opened:
                error.said = redact("\n".join((*stdout, stderr)))
                error.hint = self._advice(error, error.said, endpoint) or error.hint
            if endpoint.withheld and isinstance(error, UnreachableError):
                error.hint += (
                    f"\nNot passed on, because of the credentials in it: {', '.join(endpoint.withheld)}. "
                    "If the server needs it, pass it by name, with --env or in env of the server's table."
                )
            if self._starts > 1:
                error.hint += (
                    f"\nIt was started {_TIMES[self._starts]}, because it read server/discover and did not respond; "
                    "it was then sent initialize, which older servers support."
                )
            error.hint += self._quoted("The start of its stdout", stdout[:_LINES_SHOWN])
            error.hint += self._quoted("The end of its stderr", stderr.splitlines()[-_LINES_SHOWN:])
        error.args = (error.message,)
        return error

    @staticmethod
    def _advice(error: ServerError, said: str, endpoint: StdioEndpoint) -> str:
        from mcp_governor.wire.advice import advice, serves_http

        if isinstance(error, ConnectionLostError):
            return advice(said, endpoint.package, given=endpoint.env)
        return serves_http(said) if isinstance(error, UnreachableError) else ""

    @staticmethod
    def _quoted(what: str, lines: list[str]) -> str:
        # Redacted as one piece: a secret may hold a line feed.
        shown = visible("\n".join(lines), keep_newlines=True).replace("\n", "\n  ")
        return f"\n{what}:\n  {shown}" if lines else ""
