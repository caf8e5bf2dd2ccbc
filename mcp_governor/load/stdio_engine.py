"""The engine for stdio: as many processes of the server as requests in flight, because one process has one client."""

from __future__ import annotations

import json
import tempfile
import time
from array import array
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import ProtocolError, ServerError
from mcp_governor.load.model import INTERRUPTED, TIME_OUTS, Sample
from mcp_governor.programs import our_script

if TYPE_CHECKING:
    import anyio

    from mcp_governor.load.model import SweepPlan
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
        from mcp_governor.wire.loop import run

        point = _Point(self._endpoint, self._era, self._limits, plan, seconds, self._tools)
        try:
            run(point.run, concurrency)
        except KeyboardInterrupt:
            point.stopped = INTERRUPTED
        return point.sample()

    def close(self) -> None:
        """Nothing is open between two points."""


class NullStdio(StdioEngine):
    """Measures null servers the same way: the ceiling of this engine.

    Args:
        result: what they answer.
        limits: limits on messages and time.
    """

    def __init__(self, result: Message, limits: Limits) -> None:
        from mcp_governor.wire import Era, StdioEndpoint

        self._folder = tempfile.TemporaryDirectory(prefix="mcp-governor-")
        file = Path(self._folder.name) / "result.json"
        file.write_bytes(json.dumps(result, separators=(",", ":")).encode("ascii"))
        script = Path(__file__).with_name("null_server.py")
        endpoint = StdioEndpoint(tuple(our_script(str(script), str(file))), title="the null server")
        super().__init__(endpoint, Era.MODERN, limits)

    def close(self) -> None:
        """Remove the file with the result."""
        self._folder.cleanup()


class _Point:
    """One point, in an event loop of its own."""

    def __init__(
        self,
        endpoint: StdioEndpoint,
        era: Era,
        limits: Limits,
        plan: SweepPlan,
        seconds: float,
        tools: list[Any] | None,
    ) -> None:
        self._tools = tools
        self._endpoint = endpoint
        self._era = era
        self._limits = limits
        self._plan = plan
        self._seconds = seconds
        self._latencies = array("d")
        self._expired = array("d")
        self._errors: Counter[str] = Counter()
        self._next = 0
        self._waiting = self._working = 0
        self._under_way = 0
        self._began = self._ended = 0.0
        self.stopped: str | None = None

    def sample(self) -> Sample:
        """What was measured until now."""
        if self._under_way:
            self._errors["unfinished"] += self._under_way
            self._under_way = 0
        if self.stopped is None and self._next < self._plan.total:
            self.stopped = "the processes of the server ended"
        return Sample(
            sorted(self._latencies),
            dict(sorted(self._errors.items())),
            self._ended - self._began,
            self.stopped,
            expired_ms=sorted(self._expired),
        )

    async def run(self, concurrency: int) -> None:
        """Start the processes, then send all requests."""
        import anyio

        starting = anyio.Semaphore(STARTING_AT_ONCE)
        begin, over = anyio.Event(), anyio.Event()
        self._waiting = self._working = concurrency
        async with anyio.create_task_group() as tasks:
            for number in range(concurrency):
                tasks.start_soon(self._client, starting, begin, over, self._plan.warm_up if number == 0 else 0)
            await begin.wait()
            self._began = self._ended = time.perf_counter()
            with anyio.move_on_after(self._seconds) as scope:
                await over.wait()
            if scope.cancelled_caught:
                self.stopped = "the time was over"
                tasks.cancel_scope.cancel()

    async def _client(self, starting: anyio.Semaphore, begin: anyio.Event, over: anyio.Event, warm_up: int) -> None:
        from mcp_governor.wire import connect

        is_counted = False
        for _ in range(1 + RESTARTS):
            try:
                await starting.acquire()
                is_starting = True
                try:
                    async with connect(self._endpoint, limits=self._limits, era=self._era) as session:
                        for _ in range(warm_up):
                            await self._send(session)
                        starting.release()
                        is_starting = False
                        if not is_counted:
                            is_counted = True
                            await self._all_there(begin)
                        await self._requests(session)
                        break
                finally:
                    if is_starting:
                        starting.release()
            except ServerError:
                # It did not start, or it died. A request that was under way has been counted.
                warm_up = 0
        if not is_counted:
            await self._all_there(begin)
        self._working -= 1
        if self._working == 0:
            over.set()

    async def _all_there(self, begin: anyio.Event) -> None:
        self._waiting -= 1
        if self._waiting == 0:
            begin.set()
        await begin.wait()

    async def _requests(self, session: Session) -> None:
        import anyio

        while self._next < self._plan.total:
            due = time.perf_counter()
            if self._plan.rate is not None:
                due = self._began + self._next / self._plan.rate
            self._next += 1
            await anyio.sleep(max(0.0, due - time.perf_counter()))
            self._under_way += 1
            try:
                failure = await self._send(session)
            except ServerError as error:
                self._took(due, _kind(error))
                raise
            self._took(due, failure)

    def _took(self, due: float, failure: str | None) -> None:
        self._under_way -= 1
        self._ended = time.perf_counter()
        if failure is None:
            self._latencies.append((self._ended - due) * 1000)
        else:
            self._errors[failure] += 1
            if failure in TIME_OUTS:
                self._expired.append((self._ended - due) * 1000)

    async def _send(self, session: Session) -> str | None:
        """The kind of failure of a request after which the process goes on.

        Raises:
            ServerError: the process is of no use any more.
        """
        from mcp_governor.load.judge import failure_of_result
        from mcp_governor.wire import RpcError

        try:
            result = await session.request(self._plan.method, self._plan.params, timeout=self._plan.timeout)
        except RpcError as error:
            return f"rpc-{error.code}"
        return failure_of_result(result, self._plan.method, self._tools)


def _kind(error: ServerError) -> str:
    from mcp_governor.wire.transport import ConnectionLostError

    if isinstance(error, ConnectionLostError):
        return "closed"
    return "not-mcp" if isinstance(error, ProtocolError) else "timeout"
