"""Run asynchronous work from synchronous code, and leave nothing running when it is interrupted."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from mcp_governor.wire.duplex import background

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from anyio.abc import TaskStatus

T = TypeVar("T")


def run(work: Callable[..., Awaitable[T]], *arguments: Any) -> T:
    """Run ``work(*arguments)`` to its end in an event loop of its own.

    Output of server objects goes to stderr in the meantime, because stdout is for our report.
    SIGTERM and SIGINT cancel the work, so that children are ended, before they take their usual effect. Inside a
    running event loop (a notebook, an asynchronous test), the work runs in a thread with a loop of its own.
    """
    with contextlib.redirect_stdout(sys.stderr):
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            with ThreadPoolExecutor(1, "mcp-governor-wire") as pool:
                return pool.submit(anyio.run, work, *arguments).result()
        if watched := _watched():
            return anyio.run(_interruptible, watched, work, arguments)
        return anyio.run(work, *arguments)


def _watched() -> list[signal.Signals]:
    """The signals that cancel the work. A handler that somebody else has installed stays; asyncio could not restore
    it."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return []
    usual = {signal.SIGTERM: signal.SIG_DFL, signal.SIGINT: signal.default_int_handler}
    return [number for number, handler in usual.items() if signal.getsignal(number) is handler]


async def _interruptible(
    watched: list[signal.Signals], work: Callable[..., Awaitable[T]], arguments: tuple[Any, ...]
) -> T:
    """Cancel the work by a scope. asyncio itself would cancel the task at a SIGINT, which no shield stops, also while
    a child is being started: then asyncio kills our leash, and waits for the end of pipes that a server without a leash
    keeps open."""
    results: list[T] = []
    received: list[signal.Signals] = []
    async with background() as tasks:

        async def watch(*, task_status: TaskStatus[None]) -> None:
            with anyio.open_signal_receiver(*watched) as signals:
                task_status.started()
                async for number in signals:
                    received.append(number)
                    tasks.cancel_scope.cancel()
                    return

        await tasks.start(watch)
        results.append(await work(*arguments))
    if not results:
        signal.raise_signal(received[0])
    return results[0]
