"""A worker process: commands come in on stdin, one line of JSON each, and results go out on stdout.

It is a process of its own so that nothing else runs between two requests, and so that several can share the
work. ``python -P -m mcp_governor.load.worker``; it ends with its stdin.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from mcp_governor.load.client import Client, Crew, FailedError
from mcp_governor.load.recipe import Recipe
from mcp_governor.load.rounds import Round

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

AT_ONCE = 16
"""Connections and handshakes that are prepared at the same time: fewer than any server's queue of connections holds."""

PREPARING = 15.0
"""Most seconds for the connections and handshakes of a point. What is not ready then connects within the point, and its
requests are slower for that."""

LEAVING = 3.0
"""Most seconds to end the sessions."""


OTHER_FILES = 64
"""Files that a process has open besides its connections: pipes, the loop's own, modules that are being imported."""


class Worker:
    """Carries out commands, one after the other; each is a method, and its members are the arguments."""

    def __init__(self) -> None:
        self._crew: Crew | None = None
        self._round: Round | None = None
        self._is_stopped = False

    async def serve(self) -> None:
        """Take commands until stdin ends."""
        commands: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        threading.Thread(target=_read, args=(loop, commands, self.stop), daemon=True).start()
        while (command := await commands.get()) is not None:
            found = await getattr(self, command.pop("do"))(**command)
            sys.stdout.write(json.dumps(found or {}) + "\n")
            sys.stdout.flush()

    def stop(self) -> None:
        """End the current round, and begin no other one."""
        self._is_stopped = True
        if self._round is not None:
            self._round.stop("interrupted")

    async def recipe(self, recipe: Any) -> None:
        """Send this from now on."""
        await self.leave()
        self._crew = Crew(msgspec.convert(recipe, Recipe))

    async def leave(self) -> None:
        """End the sessions."""
        if self._crew is not None:
            await _each(self._crew.clients, Client.leave, LEAVING)
        self._crew = None

    async def trial(self) -> dict[str, Any]:
        """Send one request, and give its response."""
        assert self._crew is not None
        client = self._crew.grown(1)[0]
        try:
            response, number = await client.trial()
        except FailedError as error:
            return {"failure": str(error)}
        judge = self._crew.judge
        return {
            "failure": response.failure or judge.failure(response.status, response.kind, response.body, number),
            "kind": response.kind,
            "number": number.decode("ascii"),
            "session": client.session is not None,
            "body": response.body.decode("latin-1"),
        }

    async def prepare(self, concurrency: int, warm_up: int) -> None:
        """Open the connections and sessions of a point; what fails is tried again with a request, and counted there."""
        assert self._crew is not None
        _allow_files(concurrency)
        clients = self._crew.grown(concurrency)
        await _each(clients, Client.ready, PREPARING)
        if warm_up and clients:
            await self._run(Round(warm_up, None), clients[:1], PREPARING)

    async def measure(self, concurrency: int, total: int, rate: float | None, seconds: float) -> dict[str, Any]:
        """Send the requests of a point."""
        assert self._crew is not None
        done = Round(total, rate)
        await self._run(done, self._crew.grown(concurrency), seconds)
        return {"sample": msgspec.to_builtins(done.sample()), "began": done.began, "ended": done.ended}

    async def _run(self, round_: Round, clients: list[Client], seconds: float) -> None:
        if self._is_stopped:
            round_.stop("interrupted")
            return
        self._round = round_
        # A collection takes milliseconds, which would count as latency of the server.
        gc.collect()
        gc.disable()
        try:
            await round_.run(clients, seconds)
        finally:
            gc.enable()
            self._round = None


async def _each(clients: list[Client], work: Callable[[Client], Awaitable[None]], seconds: float) -> None:
    """Have clients do something, some of them at a time, as far as the time allows."""
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(client: Client) -> None:
        async with slots:
            with suppress(FailedError):
                await work(client)

    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.gather(*map(one, clients))


def _allow_files(connections: int) -> None:
    """Raise the limit on open files to this number of connections, as far as the system lets us."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _read(loop: asyncio.AbstractEventLoop, commands: asyncio.Queue[dict[str, Any] | None], stop: Any) -> None:
    """Read commands in a thread: a pipe cannot be awaited on Windows. ``stop`` is heard while another one runs."""
    rest = b""
    while piece := os.read(0, 65_536):
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            command = json.loads(line)
            if command["do"] == "stop":
                loop.call_soon_threadsafe(stop)
            else:
                loop.call_soon_threadsafe(commands.put_nowait, command)
    # Whoever started us is gone; so is whoever would read the results.
    loop.call_soon_threadsafe(stop)
    loop.call_soon_threadsafe(commands.put_nowait, None)


def main() -> None:
    """Serve stdin until it ends."""
    # Ctrl-C reaches every process of a terminal; the first one decides, and asks for what was measured.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(Worker().serve())


if __name__ == "__main__":
    main()
