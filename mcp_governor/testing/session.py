"""A connection to a server that tests can use without an event loop, and inside of one."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import TYPE_CHECKING, Any, TypeVar

from mcp_governor.errors import GovernorError, ServerError, UnreachableError
from mcp_governor.wire.rpc import RpcError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping

    from mcp_governor.target import LiveSource
    from mcp_governor.wire.session import Session

T = TypeVar("T")

_GRACE = 2.0
"""Seconds beyond a timeout of the wire after which its thread counts as blocked: it looks at its clock at once, unless
the server runs in that thread and never returns."""
_STARTS = 4
"""Most starts of one server before its handshake succeeds (see ``mcp_governor.wire.opening``)."""
_CLOSE = 10.0
"""Seconds for ending a server. The wire ends one that does not exit after a few seconds; a server in this process
whose thread is blocked is left behind, in a thread that does not keep the process from ending."""
_ROUNDS = 5
"""Most requests of one call of a tool: the call, and those in which requests for input are declined."""

_PAGES = 20
"""Pages of a list for which there is time if each takes as long as a response may. The longest list that we know has
three; the wire bounds their number as well."""


class McpSession:
    """An open connection to a server.

    It is opened on first use. After a request without a response the server counts as gone: that request raises, and
    the next one starts the server again. A server that could not be started is not started a second time.

    Methods block until the response is here. The connection has an event loop of its own in another thread, so they
    work in asynchronous tests as well; ``call_tool_async`` does not block the loop of the test.

    Args:
        source: the server.
    """

    def __init__(self, source: LiveSource) -> None:
        self._source = source
        self._open: _Connection | None = None
        self._failed: GovernorError | None = None
        self._lock = threading.RLock()

    @property
    def server_info(self) -> Mapping[str, Any]:
        """Name and version, as the server reports them."""
        __tracebackhide__ = True
        with self._lock:
            return self._connection().session.server_info

    def call_tool(
        self, name: str, arguments: Mapping[str, Any] | None = None, *, timeout: float | None = None
    ) -> dict[str, Any]:
        """Call a tool.

        Args:
            name: of the tool.
            arguments: for the tool.
            timeout: for the response, in seconds; defaults to the one of the configuration.

        Returns:
            The ``tools/call`` result as it came: ``content``, ``structuredContent``, ``isError``.

        Raises:
            RpcError: the server responded with a JSON-RPC error.
            ServerError: there was no response, or it is not MCP.
        """
        __tracebackhide__ = True
        return self._do(lambda session: session.call_tool(name, arguments or {}, timeout), timeout, _ROUNDS)

    async def call_tool_async(
        self, name: str, arguments: Mapping[str, Any] | None = None, *, timeout: float | None = None
    ) -> dict[str, Any]:
        """:meth:`call_tool` for asynchronous tests, under asyncio and trio."""
        __tracebackhide__ = True
        from anyio import to_thread

        return await to_thread.run_sync(lambda: self.call_tool(name, arguments, timeout=timeout))

    def list_tools(self) -> list[dict[str, Any]]:
        """The tools as the server lists them now.

        Raises:
            ServerError: as for :meth:`call_tool`.
        """
        __tracebackhide__ = True
        return self._do(lambda session: session.list_all("tools/list", "tools"), None, _PAGES)

    def request(
        self, method: str, params: Mapping[str, Any] | None = None, *, timeout: float | None = None
    ) -> dict[str, Any]:
        """Send any request, such as ``prompts/get``, and return its result; raises as :meth:`call_tool`."""
        __tracebackhide__ = True
        return self._do(lambda session: session.request(method, params, timeout=timeout), timeout)

    def close(self) -> None:
        """End the connection, and the server if it was started for it."""
        with self._lock:
            if self._open is not None:
                self._open.close()
                self._open = None

    def _do(self, work: Callable[[Session], Coroutine[Any, Any, T]], timeout: float | None, rounds: float = 1) -> T:
        __tracebackhide__ = True
        seconds = (self._source.timeout if timeout is None else timeout) * rounds
        with self._lock:
            connection = self._connection()
            try:
                return connection.do(work, seconds)
            except RpcError:
                raise
            except ServerError as error:
                self.close()
                raise _explained(error) from None

    def _connection(self) -> _Connection:
        __tracebackhide__ = True
        if self._failed is not None:
            raise self._failed.with_traceback(None)
        if self._open is None:
            connection = _Connection(self._source)
            try:
                connection.wait(self._source.start_timeout * _STARTS + _GRACE)
            except GovernorError as error:
                self._failed = _explained(error)
                raise self._failed from None
            self._open = connection
        return self._open


def _explained(error: GovernorError) -> GovernorError:
    """An error with its hint (what to do, and the end of the server's stderr) below its message, and without our own
    frames: test runners show the message and the notes of an exception."""
    if error.hint:
        error.add_note(error.hint)
    return error.with_traceback(None)


class _Connection:
    """One connection, in a thread with an event loop."""

    session: Session

    def __init__(self, source: LiveSource) -> None:
        self._source = source
        self._ready: Future[Session] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._main, name="mcp-governor-session", daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> None:
        """Wait until the connection is open.

        Raises:
            GovernorError: it cannot be opened, or not in time.
        """
        __tracebackhide__ = True
        try:
            self.session = self._ready.result(seconds)
        except FutureTimeoutError:
            raise self._blocked("has not started", seconds) from None

    def do(self, work: Callable[[Session], Coroutine[Any, Any, T]], seconds: float) -> T:
        """Do something with the session.

        Raises:
            ServerError: there was no response.
        """
        __tracebackhide__ = True
        assert self._loop is not None
        if not self._thread.is_alive():
            raise UnreachableError(f"{self._source.shown}: the connection has ended.", "Check the server's log.")
        future = asyncio.run_coroutine_threadsafe(work(self.session), self._loop)
        try:
            return future.result(seconds + _GRACE)
        except FutureTimeoutError:
            future.cancel()
            raise self._blocked("has not responded", seconds) from None

    def close(self) -> None:
        """End it, or leave it behind if it does not end."""
        if self._loop is not None and self._over is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(_CLOSE)

    def _blocked(self, what: str, seconds: float) -> UnreachableError:
        return UnreachableError(
            f"{self._source.shown} {what} within {seconds:g} s, and blocks its thread.",
            "Check it for a loop that never ends, or for a lock.",
        )

    def _main(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # noqa: BLE001  (handed over to the test's thread)
            if not self._ready.done():
                self._ready.set_exception(error)

    async def _serve(self) -> None:
        from mcp_governor import wire
        from mcp_governor.target import limits_of

        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        async with wire.connect(self._source.endpoint, limits=limits_of(self._source)) as session:
            self._ready.set_result(session)
            await self._over.wait()
