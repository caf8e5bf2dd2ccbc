"""Starts a server of a stranger so that it ends with us, whatever it starts and however we end.

On POSIX, a :mod:`~mcp_governor.programs.leash` holds it, with :class:`Hold` as our side; on Windows, a job object does.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.programs import leash, our_script

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anyio.abc import Process

    from mcp_governor.programs.job import Job


_MAX_PIECES = 16
"""Most reads of the status pipe at a time. A leash writes a few lines, but a server of the same user could find the
pipe in ``/proc`` and write forever."""

_NUMBER = re.compile(rb"-?\d{1,9}")


class Hold:
    """The handle of one server: the pipes to its :mod:`~mcp_governor.programs.leash`.

    The leash ends the server as soon as ``_control`` is closed everywhere. This is a file object, so that an exception
    at any time closes it.

    Args:
        patience: seconds between SIGTERM and SIGKILL, and after SIGKILL.

    Attributes:
        status: a pipe that becomes readable when :meth:`look` has news.
        pid: process id of the server, which is also its session and process group; 0 before it runs.
        returncode: as for ``subprocess.Popen``.
        over: true if the leash has exited.
        left: processes that could not be ended, each with its id and its command in parentheses.
        lost: true if the leash exited or was killed before all processes below it had ended.
    """

    def __init__(self, patience: float) -> None:
        control, ours = os.pipe()
        self._control = os.fdopen(ours, "wb", buffering=0)
        ours, status = os.pipe()
        self.status = os.fdopen(ours, "rb", buffering=0)
        # Numbers above the standard streams, because a child gets other pipes for those.
        self.theirs: tuple[int, ...] = (_above_streams(control), _above_streams(status))
        self._patience = patience
        self._said = b""
        self.lost = True
        self.pid = 0
        self.returncode: int | None = None
        self.over = False
        self.left: list[str] = []

    @property
    def longest_end(self) -> float:
        """Time within which the leash exits after :meth:`release` unless the machine is overloaded, in seconds."""
        return 2 * self._patience + 1

    def wrapped(self, command: Sequence[str]) -> list[str]:
        """The command behind a leash, which must inherit ``theirs``."""
        return our_script(leash.__file__, *map(str, self.theirs), str(self._patience), *command)

    def wait_until_started(self) -> None:
        """Wait until the server runs; the leash reports that within milliseconds.

        Raises:
            OSError: the server cannot be started.
        """
        assert sys.platform != "win32"
        self._give()
        while not (self.pid or self.over):
            self._take(self.status.read(4096))
        os.set_blocking(self.status.fileno(), False)
        if not self.pid:
            raise OSError(0, "the process that holds it ended")

    def _give(self) -> None:
        for number in self.theirs:
            os.close(number)
        self.theirs = ()

    def look(self) -> bool:
        """Read the status; returns true if the server is known to have exited."""
        for _ in range(_MAX_PIECES):
            if self.over or (piece := self.status.read(4096)) is None:
                break
            self._take(piece)
        return self.returncode is not None or self.over

    def _take(self, piece: bytes | None) -> None:
        self.over = not piece
        *lines, said = (self._said + (piece or b"")).split(b"\n")
        self._said = said[-4096:]
        for line in lines:
            word, _, rest = line.partition(b" ")
            number = int(rest) if _NUMBER.fullmatch(rest) else 0
            if word == b"p" and not self.pid:
                self.pid = max(number, 0)
            elif word == b"e" and not self.pid:
                raise OSError(number, os.strerror(number))
            elif word == b"x" and self.returncode is None:
                self.returncode = number
            elif word == b"l" and len(self.left) < leash.MAX_NAMED:
                pid, _, command = rest.decode(errors="replace").partition(" ")
                self.left.append(f"{pid} ({command})" if command else pid)
            elif word == b"d":
                self.lost = False

    def release(self) -> None:
        """Start ending all processes, with SIGTERM first and then with SIGKILL. Does not wait for the end."""
        if not self._control.closed:
            with suppress(OSError):
                # Needed if somebody else forked us, because the fork keeps the pipe open too.
                self._control.write(b"e")
            self._control.close()

    def close(self, holder: int) -> None:
        """Close the pipes. A lost leash is killed with all processes that can still be found below it.

        Args:
            holder: process id of the leash; it is still valid unless ``over``.
        """
        self.release()
        self._give()
        if self.pid:
            self.look()
            if self.lost:
                self._end_by_hand(holder)
        self.status.close()

    def _end_by_hand(self, holder: int) -> None:
        assert sys.platform != "win32"
        targets = [-self.pid]
        if not self.over:
            targets += [*(leash.descendants(holder) if sys.platform == "linux" else ()), holder]
        for target in targets:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(target, signal.SIGKILL)


def _above_streams(number: int) -> int:
    assert sys.platform != "win32"
    import fcntl

    moved: int = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(number)
    return moved


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
