"""Calling a server object of this process in a thread that can be left behind."""

from __future__ import annotations

import contextlib
import contextvars
import sys
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp_governor.call.watchdog import Watchdog

_T = TypeVar("_T")

_LOOK = 0.05
"""Seconds between two looks at the clock: nobody sees the difference, and a look costs nothing."""


def run_in_daemon_thread(work: Callable[[], Awaitable[_T]], watchdog: Watchdog) -> _T | None:
    """Run asynchronous work in a thread; ``None`` where it had to be left behind because it gave no sign of life.

    The thread, and the threads that the server starts in it, do not keep the process from ending.

    Args:
        work: gets an event loop of its own.
        watchdog: says when the work is overdue.

    Raises:
        BaseException: what the work raised.
    """
    import anyio

    results: list[_T] = []
    errors: list[BaseException] = []
    context = contextvars.copy_context()

    def target() -> None:
        try:
            results.append(context.run(anyio.run, work))
        except BaseException as error:  # noqa: BLE001  (handed over to the caller's thread)
            errors.append(error)

    thread = threading.Thread(target=target, name="mcp-governor-calls", daemon=True)
    # Here and not in the thread, which may never come to putting it back: what a server prints is not our report.
    with contextlib.redirect_stdout(sys.stderr):
        thread.start()
        while thread.is_alive() and not watchdog.is_overdue:
            thread.join(_LOOK)
    if errors:
        raise errors[0]
    return results[0] if results else None
