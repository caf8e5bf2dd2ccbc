"""The engine for stdio: as many processes of the server as requests in flight, because one process has one client."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from contextlib import AsyncExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import ProtocolError, ServerError
from mcp_governor.load.model import INTERRUPTED
from mcp_governor.load.rounds import Round
from mcp_governor.programs import our_script

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    import anyio

    from mcp_governor.load.model import Sample, SweepPlan
    from mcp_governor.wire import Era, Limits, Session, StdioEndpoint
    from mcp_governor.wire.rpc import Message

MAX_PROCESSES = 64
"""Most processes of a server at one time: a server in Python takes 50 to 100 MB."""

STARTING_AT_ONCE = 4
"""Processes that start at the same time: each takes a core for up to a second."""

RESTARTS = 3
"""Times that one client starts its process again after it died within a point."""


class StdioEngine:
    """Measures a server that runs as child processes.

    Args:
        endpoint: its command.
        era: the era that it speaks.
        limits: limits on messages and time.
        tools: the tools of the first list, with which later ones are compared; ``None`` if they are not.
    """

    name = "asyncio"

    def __init__(self, endpoint: StdioEndpoint, era: Era, limits: Limits, *, tools: list[Any] | None = None) -> None:
        self._tools = tools
        self._endpoint = endpoint
        self._era = era
        self._limits = limits

    def measure(self, plan: SweepPlan, concurrency: int, *, seconds: float) -> Sample:
        """See :class:`~mcp_governor.load.model.Engine`."""
        from mcp_governor.wire import connect
        from mcp_governor.wire.duplex import run

        opened = partial(connect, self._endpoint, limits=self._limits, era=self._era)
        point = _Point(opened, plan, seconds, self._tools)
        try:
            run(point.run, concurrency)
        except KeyboardInterrupt:
            point.round.stop(INTERRUPTED)
        return point.round.sample()

    def close(self) -> None:
        """Nothing is open between two points."""


def null_endpoint(folder: str, result: Mapping[str, Any]) -> StdioEndpoint:
    """A server that does nothing but answer with a result, which it reads from a file in a folder."""
    from mcp_governor.wire import StdioEndpoint

    file = Path(folder) / "result.json"
    text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    script = Path(__file__).with_name("null_server.py")
    return StdioEndpoint(tuple(our_script(str(script), str(file))), title="the null server")


class NullStdio(StdioEngine):
    """Measures null servers the same way: the ceiling of this engine.

    Args:
        result: what they answer.
        limits: limits on messages and time.
    """

    def __init__(self, result: Message, limits: Limits) -> None:
        from mcp_governor.wire import Era

        self._folder = tempfile.TemporaryDirectory(prefix="mcp-governor-")
        super().__init__(null_endpoint(self._folder.name, result), Era.MODERN, limits)

    def close(self) -> None:
        """Remove the file with the result."""
        self._folder.cleanup()


class _Point:
    """One point, in an event loop of its own."""

    def __init__(
        self, opened: Callable[[], AbstractAsyncContextManager[Session]], plan: SweepPlan, seconds: float, tools: Any
    ) -> None:
        self._opened, self._plan, self._seconds, self._tools = opened, plan, seconds, tools
        self.round = Round(plan.total, plan.rate)
        self._starting, self._begin = asyncio.Semaphore(STARTING_AT_ONCE), asyncio.Event()
        self._waiting = 0

    async def run(self, concurrency: int) -> None:
        """Start the processes, then send all requests."""
        import anyio

        self._waiting = concurrency
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as clients:
                for number in range(concurrency):
                    clients.start_soon(self._client, self._plan.warm_up if number == 0 else 0)
                await self._begin.wait()
                self.round.begin()
                end = asyncio.get_running_loop().call_later(self._seconds, self._end, scope)
            end.cancel()
        self.round.stop("the processes of the server ended")

    def _end(self, scope: anyio.CancelScope) -> None:
        self.round.stop("the time was over")
        scope.cancel()

    async def _client(self, warm_up: int) -> None:
        """Start a process and send its share of the requests; start it again if it dies."""
        for attempt in range(1 + RESTARTS):
            # A process that does not start has no request that could be counted.
            with suppress(ServerError):
                async with AsyncExitStack() as stack:
                    async with self._starting:
                        session = await stack.enter_async_context(self._opened())
                        sender = _Process(session, self._plan, self._tools)
                        for _ in range(0 if attempt else warm_up):
                            await sender.send()
                    await self._all_there()
                    await self.round.work(sender)
                    if self.round.is_over:
                        return
            await self._all_there()

    async def _all_there(self) -> None:
        """Wait until each client has a process, or could not start one."""
        self._waiting -= 1
        if self._waiting <= 0:
            self._begin.set()
        await self._begin.wait()


class _Process:
    """Sends requests to one process; see :class:`~mcp_governor.load.rounds.Sender`."""

    retry_after: float | None = None

    def __init__(self, session: Session, plan: SweepPlan, tools: list[Any] | None) -> None:
        self._session, self._plan, self._tools = session, plan, tools
        self.is_lost = False

    async def send(self) -> tuple[str | None, float]:
        from mcp_governor.load.judge import failure_of_result
        from mcp_governor.wire import RpcError

        try:
            result = await self._session.request(self._plan.method, self._plan.params, timeout=self._plan.timeout)
            failure = failure_of_result(result, self._plan.method, self._tools)
        except RpcError as error:
            failure = f"rpc-{error.code}"
        except ServerError as error:
            self.is_lost = True
            failure = _kind(error)
        return failure, time.perf_counter()

    def drop(self) -> None:
        """The process ends with its session."""


def _kind(error: ServerError) -> str:
    from mcp_governor.wire.transport import ConnectionLostError

    if isinstance(error, ConnectionLostError):
        return "closed"
    return "not-mcp" if isinstance(error, ProtocolError) else "timeout"
