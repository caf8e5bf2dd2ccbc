"""Open a connection of any kind, perform the handshake, and explain failures in one sentence.

A process uses only one era. Every server is sent ``server/discover`` first. If it refuses, its era is clear, and
``initialize`` follows on the same connection. If it does not respond, it may still be starting. So a child may use the
whole start budget to read the request, and only a child that has read it and does not respond is ended. A second child
is then sent ``initialize`` only. To find out if the first one ignored the request or was slow, a third child is sent
``server/discover``, with a timeout that depends on the response time of the second. Only one child runs at a time,
because two instances of a server may compete for a port, a lock, or the cache of a package runner.
"""

from __future__ import annotations

import sys
import time
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from msgspec import Struct

from mcp_governor.errors import ProtocolError, ServerError, UnreachableError
from mcp_governor.rule_names import note
from mcp_governor.secrets import redact, redact_tail
from mcp_governor.text import visible
from mcp_governor.wire import rpc
from mcp_governor.wire.endpoint import Era, HttpEndpoint, StdioEndpoint
from mcp_governor.wire.limits import DEFAULT_LIMITS
from mcp_governor.wire.protocol import Patience, UnansweredError, greet
from mcp_governor.wire.session import Session
from mcp_governor.wire.transport import ConnectionLostError, HttpStatusError, Inbox

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager

    from mcp_governor.wire.client import Client
    from mcp_governor.wire.endpoint import Endpoint
    from mcp_governor.wire.limits import Limits
    from mcp_governor.wire.transport import Transport

    Opener = Callable[[Inbox], AbstractAsyncContextManager[Transport]]

_NOT_STREAMABLE = (400, 404, 405, 406, 410, 415, 501)
"""Status codes for a POSTed ``initialize`` that a server with the older HTTP+SSE transport may return."""

_HANDSHAKES = frozenset({"server/discover", "initialize"})
"""Requests that only clients send."""

_LINES_SHOWN = 15
"""Most lines of each of a child's streams in an error: enough for a usage message or the end of a traceback."""

_TIMES = {2: "twice", 3: "three times", 4: "four times"}

_SLOWER = 4
"""Factor by which the response to ``server/discover`` may be slower than to ``initialize``; they do similar work."""


@asynccontextmanager
async def connect(
    endpoint: Endpoint,
    *,
    limits: Limits = DEFAULT_LIMITS,
    era: Era | None = None,
) -> AsyncIterator[Session]:
    """Open a connection and perform the handshake; everything is closed at the end of the block.

    Args:
        endpoint: the server.
        limits: limits on messages, lists and time.
        era: the only era to use, whatever the endpoint says; ``None`` uses that of the endpoint, and if it has none,
            tries ``server/discover`` and falls back to ``initialize``.

    Raises:
        UnreachableError, ProtocolError: the connection failed, or the server does not implement MCP.
        MissingDependencyError, TargetError: an object endpoint cannot be loaded.
    """
    async with AsyncExitStack() as stack:
        chosen: list[str] = []
        typed = endpoint.shown
        while True:
            endpoint = as_before(endpoint)
            opening = _Opening(endpoint, limits, era)
            try:
                session = await opening.session(stack)
            except ConnectionLostError as error:
                amended = await _amended(endpoint, error.said)
                if amended is None or amended[0] is None or len(chosen) == _AMENDMENTS:
                    if amended is not None and amended[0] is None:
                        error.hint = "\n".join((amended[1], *error.hint.splitlines()[1:]))
                    error.hint += f"\nIt was started with {', '.join(chosen)}, which it needs." if chosen else ""
                    raise
                _FAILED[_start_of(endpoint)] = error.said
                chosen.append(amended[1])
                continue
            break
        if chosen:
            note(f"{typed} does not start as it is named, so it was started with {', '.join(chosen)}.")
        yield session


async def _amended(endpoint: Endpoint, said: str) -> tuple[StdioEndpoint | None, str] | None:
    """Another way to start a package. The registry may be asked, which other connections do not wait for."""
    if not isinstance(endpoint, StdioEndpoint) or endpoint.amend is None:
        return None
    return await to_thread.run_sync(endpoint.amend, said)


_AMENDMENTS = 3
"""Most ways in which a package is started after the first: its script, a Python or Node.js, the version of its SDK."""

_FAILED: dict[tuple[object, ...], str] = {}
"""What did not start as it was named → its output, so that a run makes the same mistake once."""


def as_before(endpoint: Endpoint) -> Endpoint:
    """The endpoint as it was started before in this process: a package may need another start than its name says."""
    for _ in range(_AMENDMENTS):
        said = _FAILED.get(_start_of(endpoint))
        if not isinstance(endpoint, StdioEndpoint) or endpoint.amend is None or said is None:
            break
        amended = endpoint.amend(said)
        endpoint = (amended and amended[0]) or endpoint
    return endpoint


def _start_of(endpoint: Endpoint) -> tuple[object, ...]:
    return (endpoint.command, endpoint.cwd) if isinstance(endpoint, StdioEndpoint) else ()


class _Attempt(Struct, frozen=True):
    """Parameters of one connection attempt; see :func:`mcp_governor.wire.protocol.greet`.

    Attributes:
        seconds: timeout for the handshake.
    """

    seconds: float
    pinned: Era | None = None
    patience: Patience | None = None


class _Opening:
    """Makes one attempt after the other, until a handshake succeeds."""

    def __init__(self, endpoint: Endpoint, limits: Limits, pinned: Era | None) -> None:
        self._endpoint = endpoint
        self._limits = limits
        self._pinned = pinned or (endpoint.era if isinstance(endpoint, StdioEndpoint | HttpEndpoint) else None)
        self._inbox = Inbox(limits)
        self._stderr = bytearray()
        self._starts = 0
        self._opened = False
        self._heard = True

    async def session(self, stack: AsyncExitStack) -> Session:
        """Open a session; its resources are entered into ``stack``."""
        try:
            session = await self._any(stack)
        except TimeoutError:
            asked = "`server/discover`" if self._pinned is Era.MODERN else "`initialize`"
            wrong = self._inbox.answered_another(asked)
            error = wrong or UnreachableError(
                f"no response to {asked} within {self._limits.connect_timeout:g} s."
                f"{'' if self._heard else ' The server has not read the request.'}",
                "Raise --timeout, or run the command by hand to see what it waits for."
                if isinstance(self._endpoint, StdioEndpoint)
                else "Raise --timeout, or check the address.",
            )
            raise self.explained(error) from None
        except rpc.RpcError as error:
            refused = ProtocolError(
                f"it refused the handshake: {error.message}", "Check the server's log for the reason."
            )
            if _HANDSHAKES.intersection(self._inbox.refused):
                refused = ProtocolError("it echoes back every request.", "Name the program that serves MCP.")
            raise self.explained(refused) from None
        except ServerError as error:
            raise self.explained(error) from None
        self._opened = True
        return session

    async def _any(self, stack: AsyncExitStack) -> Session:
        endpoint = self._endpoint
        if isinstance(endpoint, StdioEndpoint):
            return await self._stdio(stack, endpoint)
        if isinstance(endpoint, HttpEndpoint):
            return await self._http(stack, endpoint)
        how = _Attempt(self._limits.connect_timeout, self._pinned or endpoint.only_era)
        return await self._attempt(stack, lambda inbox: endpoint.open(self._limits, inbox), how)

    async def _attempt(self, stack: AsyncExitStack, opener: Opener, how: _Attempt) -> Session:
        """Try one connection; on success, its resources are entered into ``stack``, otherwise they are closed."""
        # Drop the output of an earlier connection.
        self._inbox = inbox = Inbox(self._limits)
        self._stderr.clear()
        end = time.monotonic() + how.seconds
        trial = AsyncExitStack()
        session: Session | None = None
        try:
            session = Session(await trial.enter_async_context(opener(inbox)), inbox, self._limits, self.explained)
            session.stderr = self._stderr if isinstance(self._endpoint, StdioEndpoint) else None
            if session.pulse is not None:
                session.pulse.says_http = self._says_http
            with anyio.fail_after(end - time.monotonic()):
                await greet(session, pinned=how.pinned, patience=how.patience)
        except BaseException:
            pulse = session.pulse if session is not None else None
            self._heard = pulse is None or pulse.heard
            await trial.__aexit__(*sys.exc_info())
            raise
        stack.push_async_exit(trial)
        return session

    async def _stdio(self, stack: AsyncExitStack, endpoint: StdioEndpoint) -> Session:
        budget = self._limits.connect_timeout
        if self._pinned is not None:
            return await self._start(stack, endpoint, _Attempt(budget, self._pinned))
        # A server that ignores the request is restarted and sent `initialize`. Half of the time is left for that.
        patience = Patience(min(self._limits.probe_timeout, budget / 4), budget / 2)
        began = time.monotonic()
        try:
            return await self._start(stack, endpoint, _Attempt(budget, patience=patience))
        except ConnectionLostError as error:
            # Some servers exit if a request comes before `initialize`. If it was not read, the exit has another reason.
            if not error.heard:
                raise
            return await self._start(stack, endpoint, _Attempt(budget, Era.LEGACY))
        except UnansweredError as error:
            # Both share one budget, except that the second one must start too.
            left = began + budget - time.monotonic() + error.read_after
        return await self._settled(stack, endpoint, patience, left)

    async def _settled(
        self, stack: AsyncExitStack, endpoint: StdioEndpoint, patience: Patience, left: float
    ) -> Session:
        """Find the era of a server that did not respond to ``server/discover``.

        Args:
            patience: the time that it had.
            left: timeout for ``initialize``, in seconds.
        """
        budget = self._limits.connect_timeout
        refused: rpc.RpcError | None = None
        seconds = 2 * patience.silence
        longest = patience.longest
        try:
            async with AsyncExitStack() as trial:
                hello = await self._start(trial, endpoint, _Attempt(left, Era.LEGACY))
                seconds = max(seconds, _SLOWER * hello.took)
        except rpc.RpcError as error:
            refused = error
            seconds = longest
        more = Patience(seconds, max(longest, seconds))
        try:
            return await self._start(stack, endpoint, _Attempt(budget + more.longest, Era.MODERN, patience=more))
        except (rpc.RpcError, UnansweredError, ConnectionLostError, TimeoutError):
            if refused is not None:
                raise refused from None
        return await self._start(stack, endpoint, _Attempt(budget, Era.LEGACY))

    async def _start(self, stack: AsyncExitStack, endpoint: StdioEndpoint, how: _Attempt) -> Session:
        self._starts += 1
        return await self._attempt(stack, lambda inbox: self._child(endpoint, inbox), how)

    def _child(self, endpoint: StdioEndpoint, inbox: Inbox) -> AbstractAsyncContextManager[Transport]:
        from mcp_governor.wire.stdio import open_stdio

        return open_stdio(endpoint, self._limits, inbox, self._stderr)

    async def _http(self, stack: AsyncExitStack, endpoint: HttpEndpoint) -> Session:
        from mcp_governor.wire.client import open_client
        from mcp_governor.wire.http import open_sse

        def sse(inbox: Inbox) -> AbstractAsyncContextManager[Transport]:
            return open_sse(client, inbox)

        client = await stack.enter_async_context(open_client(endpoint, self._limits))
        older = _Attempt(self._limits.connect_timeout, Era.LEGACY)
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
            # Neither transport works. The response to the current transport is the better error.
            raise first_error from None

    async def _streamable(self, stack: AsyncExitStack, client: Client) -> Session:
        """Like :meth:`_stdio`, but sessions are cheap, so the legacy one is kept while the modern one is tried."""
        from mcp_governor.wire.http import open_streamable

        def opener(inbox: Inbox) -> AbstractAsyncContextManager[Transport]:
            return open_streamable(client, inbox)

        budget = self._limits.connect_timeout
        patience = Patience(budget / 2, budget / 2)
        try:
            return await self._attempt(stack, opener, _Attempt(budget, self._pinned, patience))
        except UnansweredError:
            if self._pinned is not None:
                raise
        except HttpStatusError as error:
            if not error.may_pass or self._pinned is not None:
                raise
        trial = AsyncExitStack()
        older = await self._attempt(trial, opener, _Attempt(budget / 2, Era.LEGACY))
        seconds = max(2 * self._limits.probe_timeout, _SLOWER * older.took)
        try:
            newer = await self._attempt(stack, opener, _Attempt(seconds, Era.MODERN))
        except (rpc.RpcError, ServerError, TimeoutError):
            stack.push_async_exit(trial)
            return older
        except BaseException:
            await trial.__aexit__(*sys.exc_info())
            raise
        await trial.aclose()
        return newer

    def explained(self, error: ServerError) -> ServerError:
        """Add the server's name and a child's output, without secrets, to an error. Does this only once per error."""
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
                error.hint = endpoint.setup or self._advice(error, error.said, endpoint) or error.hint
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

    def _says_http(self) -> bool:
        said = "\n".join((*self._inbox.noise, self._stderr.decode(errors="replace")))
        if "http" not in said and "port" not in said:
            return False
        from mcp_governor.wire.advice import serves_http

        return bool(serves_http(said))

    def _advice(self, error: ServerError, said: str, endpoint: StdioEndpoint) -> str:
        from mcp_governor.wire.advice import STILL_INSTALLING, advice, installed_with, serves_http

        if isinstance(error, ConnectionLostError):
            return advice(said, endpoint.package, given=endpoint.env, with_=installed_with(endpoint.command))
        if not isinstance(error, UnreachableError):
            return ""
        return serves_http(said) or (STILL_INSTALLING if endpoint.package and not self._heard else "")

    @staticmethod
    def _quoted(what: str, lines: list[str]) -> str:
        # Redact before splitting, because a secret may contain a line feed.
        shown = visible("\n".join(lines), keep_newlines=True).replace("\n", "\n  ")
        return f"\n{what}:\n  {shown}" if lines else ""
