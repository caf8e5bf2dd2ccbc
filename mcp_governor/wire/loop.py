"""Run asynchronous work from synchronous code, and leave nothing running when it is interrupted."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from mcp_governor.wire.duplex import background

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

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
            return _in_thread(work, arguments)
        if _may_watch():
            return anyio.run(_terminable, work, arguments)
        return anyio.run(work, *arguments)


def _may_watch() -> bool:
    # Respect a handler that somebody else has installed; asyncio could not restore it.
    return (
        sys.platform != "win32"
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    )


async def _terminable(work: Callable[..., Awaitable[T]], arguments: tuple[Any, ...]) -> T:
    results: list[T] = []
    async with background() as tasks:

        async def watch() -> None:
            with anyio.open_signal_receiver(signal.SIGTERM) as signals:
                async for _ in signals:
                    tasks.cancel_scope.cancel()
                    return

        tasks.start_soon(watch)
        results.append(await work(*arguments))
    if not results:
        signal.raise_signal(signal.SIGTERM)
    return results[0]


def _in_thread(work: Callable[..., Awaitable[T]], arguments: tuple[Any, ...]) -> T:
    results: list[T] = []
    errors: list[BaseException] = []

    def target() -> None:
        try:
            results.append(anyio.run(work, *arguments))
        except BaseException as error:  # noqa: BLE001  (handed over to the caller's thread)
            errors.append(error)

    thread = threading.Thread(target=target, name="mcp-governor-wire")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
