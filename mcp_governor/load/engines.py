"""The engines of a sweep: for streamable HTTP worker processes, each with its share of the clients; for stdio as many
processes of the server as requests in flight, because one process has one client."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections import Counter
from contextlib import AsyncExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from mcp_governor.errors import MissingDependencyError, ProtocolError, ServerError
from mcp_governor.installation import install_extra
from mcp_governor.load.model import INTERRUPTED, Sample
from mcp_governor.load.recipe import Address
from mcp_governor.load.rounds import Round
from mcp_governor.programs import our_script
from mcp_governor.programs.child import START, Helper, HelperError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    import anyio

    from mcp_governor.load.model import SweepPlan
    from mcp_governor.load.recipe import Recipe
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


PREPARING = 45.0
"""Seconds for the workers to prepare a point: three times what they allow themselves, because warm-up comes after."""

GRACE = 10.0
"""Seconds that a worker may report late."""

STOPPING = 5.0
"""Seconds for the workers to report after Ctrl-C."""


class HttpEngine:
    """Measures a server over streamable HTTP.

    Args:
        recipes: server and request, for each worker process.

    Raises:
        MissingDependencyError: the extra ``load`` is not installed.
    """

    name = "asyncio"

    def __init__(self, recipes: Sequence[Recipe]) -> None:
        check_installed("httptools", "Measuring a server over HTTP", "load")
        self._helpers: list[Helper] = []
        self._timeout = 0.0
        try:
            for _ in recipes:
                self._helpers.append(Helper("-m", "mcp_governor.load.worker"))
            self.take(recipes)
        except BaseException:
            self.close()
            raise

    def take(self, recipes: Sequence[Recipe]) -> None:
        """Use other recipes from now on.

        Raises:
            HelperError: a worker does not answer.
        """
        self._timeout = recipes[0].timeout
        for helper, recipe in zip(self._helpers, recipes, strict=True):
            helper.send({"do": "recipe", "recipe": msgspec.to_builtins(recipe)})
        for helper in self._helpers:
            helper.hear(START)

    def trial(self) -> dict[str, Any]:
        """Send one request and return its response: ``failure``, and ``kind``, ``number``, ``session`` and ``body`` (of
        bytes) where one came."""
        found: dict[str, Any] = self._helpers[0].ask({"do": "trial"}, 4 * self._timeout + GRACE)
        if "body" in found:
            found["body"] = found["body"].encode("latin-1")
        return found

    def measure(self, plan: SweepPlan, concurrency: int, *, seconds: float) -> Sample:
        """See :class:`~mcp_governor.load.model.Engine`."""
        count = min(len(self._helpers), concurrency, plan.total)
        busy = self._helpers[:count]
        clients = shares(concurrency, count)
        totals = shares(plan.total, count)
        try:
            for index, (helper, number) in enumerate(zip(busy, clients, strict=True)):
                helper.send({"do": "prepare", "concurrency": number, "warm_up": 0 if index else plan.warm_up})
            for helper in busy:
                helper.hear(PREPARING)
            for helper, number, total in zip(busy, clients, totals, strict=True):
                rate = None if plan.rate is None else plan.rate * total / plan.total
                order = {"do": "measure", "concurrency": number, "total": total, "rate": rate, "seconds": seconds}
                helper.send(order)
            return merged([helper.hear(seconds + GRACE) for helper in busy])
        except HelperError as error:
            return Sample((), {}, 0.0, f"a process that measures {error.what}")
        except KeyboardInterrupt:
            return _interrupted(busy)

    def close(self) -> None:
        """End the sessions and the processes."""
        for helper in self._helpers:
            with suppress(HelperError):
                helper.send({"do": "leave"})
        for helper in self._helpers:
            helper.close()
        self._helpers = []


def _interrupted(busy: Sequence[Helper]) -> Sample:
    """What was measured until Ctrl-C."""
    parts = []
    for helper in busy:
        with suppress(HelperError):
            helper.send({"do": "stop"})
    for helper in busy:
        with suppress(HelperError):
            while "sample" not in (part := helper.hear(STOPPING)):
                pass
            parts.append(part)
    return replace(merged(parts), stopped=INTERRUPTED)


def check_installed(module: str, what: str, extra: str) -> None:
    """Check that a module is there, without loading it.

    Raises:
        MissingDependencyError: the extra that has it is not installed.
    """
    from importlib.util import find_spec

    if find_spec(module) is None:
        raise MissingDependencyError(f"{what} needs the extra {extra}, which is not installed.", install_extra(extra))


def shares(number: int, parts: int) -> list[int]:
    """A number in nearly equal parts, the larger ones first."""
    return [number // parts + (index < number % parts) for index in range(parts)]


def merged(parts: Sequence[dict[str, Any]]) -> Sample:
    """One sample from those of the workers."""
    samples = [msgspec.convert(part["sample"], Sample) for part in parts]
    errors: Counter[str] = Counter()
    for sample in samples:
        errors.update(sample.errors)
    waits = [sample.retry_after_s for sample in samples if sample.retry_after_s is not None]
    # A worker that was interrupted before its round has no time of its own.
    began, ended = (tuple(part[when] for part in parts if part["began"]) for when in ("began", "ended"))
    return Sample(
        sorted(value for sample in samples for value in sample.latencies_ms),
        dict(sorted(errors.items())),
        max(ended, default=0.0) - min(began, default=0.0),
        next((sample.stopped for sample in samples if sample.stopped), None),
        expired_ms=sorted(value for sample in samples for value in sample.expired_ms),
        retry_after_s=max(waits, default=None),
    )


def start_responder(recipe: Recipe) -> tuple[Helper, int]:
    """A null responder that gives the first response of a sweep, and its port on loopback."""
    before, after = (part.decode("latin-1") for part in recipe.first)
    responder = Helper("-m", "mcp_governor.load.responder")
    try:
        return responder, responder.ask({"kind": recipe.kind, "before": before, "after": after})["port"]
    except BaseException:
        responder.close()
        raise


class NullEngine(HttpEngine):
    """Measures null responders on loopback, one for each worker: the ceiling of this engine.

    Args:
        recipe: the recipe of the sweep.
        workers: number of worker processes.
    """

    def __init__(self, recipe: Recipe, workers: int) -> None:
        self._helpers: list[Helper] = []
        self._responders: list[Helper] = []
        recipes = []
        try:
            for _ in range(workers):
                responder, port = start_responder(recipe)
                self._responders.append(responder)
                where = Address(host="127.0.0.1", ip="127.0.0.1", port=port, tls=False)
                recipes.append(replace(recipe, address=where, handshake=(), farewell=b""))
            super().__init__(recipes)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End all processes."""
        super().close()
        for responder in self._responders:
            responder.close()
