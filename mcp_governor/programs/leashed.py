"""Starts a server of a stranger so that it ends with us, whatever it starts and however we end.

On POSIX, a :mod:`~mcp_governor.programs.leash` holds it; on Windows, a job object does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anyio.abc import Process

    from mcp_governor.programs.hold import Hold
    from mcp_governor.programs.job import Job

POSIX = sys.platform != "win32"
"""True if a leash controls a child; on Windows, a job object does."""


class Program(NamedTuple):
    """What to start, and how.

    Attributes:
        command: the program and its arguments.
        env: its whole environment.
        cwd: the folder in which it starts; ours for ``None``.
        patience: seconds between SIGTERM and SIGKILL, and after SIGKILL.
    """

    command: Sequence[str]
    env: Mapping[str, str]
    cwd: str | None
    patience: float


async def start_on_loop(program: Program) -> tuple[Process, Hold, int]:
    """Start it on an event loop; POSIX only. Not to be cancelled.

    Returns:
        The leash, with stdout and stderr of the program; the handle of the program; and our end of its stdin, which
        is our own pipe, because asyncio may use a socket, which hides the number of unread bytes.

    Raises:
        OSError, ValueError: it cannot be started.
    """
    assert sys.platform != "win32"
    import anyio

    from mcp_governor.programs.hold import Hold

    theirs, ours = os.pipe()
    hold = Hold(program.patience)
    with ExitStack() as undo:
        undo.callback(os.close, ours)
        undo.callback(hold.close, 0)
        try:
            process = await anyio.open_process(
                hold.wrapped(program.command),
                stdin=theirs,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=program.env,
                cwd=program.cwd,
                start_new_session=True,
                pass_fds=hold.theirs,
            )
        finally:
            os.close(theirs)
        try:
            await anyio.wait_readable(hold.status)
            hold.wait_until_started()
        except OSError:
            await process.aclose()
            raise
        undo.pop_all()
    os.set_blocking(ours, False)
    return process, hold, ours


async def start_in_job(program: Program) -> tuple[Process, Job]:
    """Start it on an event loop on Windows.

    Returns:
        The program with its three pipes, and its handle.

    Raises:
        OSError, ValueError: it cannot be started.
    """
    import anyio

    from mcp_governor.programs.job import Job

    pipe = subprocess.PIPE
    process = await anyio.open_process(
        program.command, stdin=pipe, stdout=pipe, stderr=pipe, env=program.env, cwd=program.cwd
    )
    return process, Job(process, program.patience)
