"""What we say on stderr never stops us: a client that does not read it loses lines instead."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE = 4096
"""Most bytes of a write: a pipe that takes anything takes as much (POSIX: PIPE_BUF on Linux, at least 512)."""


@contextlib.contextmanager
def unblocking_stderr() -> Iterator[None]:
    """Have descriptor 2 lead to a thread that passes on what the real one takes at once, and drops the rest.

    Windows has no way to ask; there it stays what it was. A closed descriptor 2 leads to the null device from now on.
    """
    try:
        real = os.dup(2)
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)  # the lowest that is free, which may be 2
        os.dup2(null, 2)
        real = os.dup(2)
    if sys.platform == "win32":
        yield
        return
    outlet, inlet = os.pipe()
    os.dup2(inlet, 2)
    os.close(inlet)
    thread = threading.Thread(target=_pass_on, args=(outlet, real), daemon=True)
    thread.start()
    try:
        yield
    finally:
        os.dup2(real, 2)
        thread.join(0.2)


def _pass_on(outlet: int, real: int) -> None:
    if sys.platform == "win32":
        return
    poll = select.poll()
    poll.register(real, select.POLLOUT)
    while piece := os.read(outlet, PIECE):
        with contextlib.suppress(OSError):
            if any(events & select.POLLOUT for _, events in poll.poll(0)):
                os.write(real, piece)
