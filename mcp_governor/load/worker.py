"""A worker process: commands come in on stdin, one line of JSON each, and results go out on stdout.

It is a process of its own so that nothing else runs between two requests, and so that several can share the
work. ``python -P -m mcp_governor.load.worker``; it ends with its stdin.
"""

from __future__ import annotations

import asyncio
import base64
import gc
import json
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import Any

import msgspec

from mcp_governor.load.client import Client, Crew, FailedError
from mcp_governor.load.recipe import Recipe
from mcp_governor.load.rounds import Round

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
    """Carries out commands, one after the other."""

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
            _say(await self._do(command))

    def stop(self) -> None:
        """End the current round, and begin no other one."""
        self._is_stopped = True
        if self._round is not None:
            self._round.stop("interrupted")

    async def _do(self, command: dict[str, Any]) -> dict[str, Any]:
        kind = command["do"]
        if kind == "recipe":
            await self._leave()
            self._crew = Crew(msgspec.convert(command["recipe"], Recipe))
            _allow_files(self._crew.recipe.connections)
            return {}
        if kind == "leave":
            await self._leave()
            return {}
        assert self._crew is not None
        if kind == "try":
            return await _tried(self._crew)
        clients = self._crew.grown(command["concurrency"])
        if kind == "prepare":
            return await self._prepare(clients, command["warm_up"])
        done = Round(command["total"], command["rate"])
        await self._run(done, clients, command["seconds"])
        return {"sample": msgspec.to_builtins(done.sample()), "began": done.began, "ended": done.ended}

    async def _prepare(self, clients: list[Client], warm_up: int) -> dict[str, Any]:
        slots = asyncio.Semaphore(AT_ONCE)

        async def one(client: Client) -> None:
            async with slots:
                try:
                    await client.ready()
                except FailedError:
                    # It is tried again with the first request of this client, and counted there.
                    return

        with suppress(TimeoutError):
            async with asyncio.timeout(PREPARING):
                await asyncio.gather(*map(one, clients))
        if warm_up and clients:
            await self._run(Round(warm_up, None), clients[:1], PREPARING)
        return {}

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

    async def _leave(self) -> None:
        if self._crew is None:
            return
        slots = asyncio.Semaphore(AT_ONCE)

        async def one(client: Client) -> None:
            async with slots:
                await client.leave()

        with suppress(TimeoutError):
            async with asyncio.timeout(LEAVING):
                await asyncio.gather(*map(one, self._crew.clients))
        self._crew = None


async def _tried(crew: Crew) -> dict[str, Any]:
    client = crew.grown(1)[0]
    try:
        response, number = await client.trial()
    except FailedError as error:
        return {"failure": str(error)}
    failure = response.failure or crew.judge.failure(response.status, response.kind, response.body, number)
    return {
        "failure": failure,
        "status": response.status,
        "kind": response.kind,
        "number": number.decode("ascii"),
        "session": client.session is not None,
        "body": base64.b64encode(response.body).decode("ascii"),
    }


def _allow_files(connections: int) -> None:
    """Raise the limit on open files to the size of the pool, as far as the system lets us."""
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


def _say(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Serve stdin until it ends."""
    # Ctrl-C reaches every process of a terminal; the first one decides, and asks for what was measured.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(Worker().serve())


if __name__ == "__main__":
    main()
