"""Our side of a leash: how a server is started behind one, what is known of it, and its certain end. POSIX only."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from mcp_governor.wire import leash

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_PIECES = 16
"""Reads of the status pipe in one look. A leash writes a few lines; a server of the same user that finds the pipe in
``/proc`` could write without end."""

_NUMBER = re.compile(rb"-?\d{1,9}")


class Hold:
    """What we hold of one server: the pipes to its :mod:`~mcp_governor.wire.leash`.

    The leash ends the server as soon as nobody holds ``_control`` any more. It is a file object, so that an exception
    at any moment lets go of it.

    Args:
        patience: seconds between SIGTERM and SIGKILL, and after SIGKILL.

    Attributes:
        status: a pipe that can be read when :meth:`look` finds news.
        pid: of the server, which is also its session and process group; 0 before it runs.
        returncode: as of ``subprocess.Popen``.
        over: whether the leash has left.
        left: processes that could not be ended, each as its id and its command in parentheses.
        lost: whether the leash ended, or had to be ended, before all that it held had.
    """

    def __init__(self, patience: float) -> None:
        control, ours = os.pipe()
        self._control = os.fdopen(ours, "wb", buffering=0)
        ours, status = os.pipe()
        self.status = os.fdopen(ours, "rb", buffering=0)
        # Above the standard streams, which a child gets other pipes for.
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
        """Seconds within which the leash leaves after :meth:`release`, unless the machine is overloaded."""
        return 2 * self._patience + 1

    def fork(self) -> None:
        """A ``preexec_fn`` that leaves a leash between us and the program. Only where :func:`may_fork`."""
        control, status = self.theirs
        leash.fork(control, status, self._patience)

    def wrapped(self, command: Sequence[str]) -> list[str]:
        """The command behind a leash that is a program of its own, which has to inherit ``theirs``."""
        return [sys.executable, "-I", "-S", leash.__file__, *map(str, self.theirs), str(self._patience), *command]

    def see_started(self) -> None:
        """Wait until the server runs; the leash reports within milliseconds.

        Raises:
            OSError: it cannot be started.
        """
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
        """Take the news; whether the server has exited, as far as anybody knows."""
        for _ in range(_MOST_PIECES):
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
            elif word == b"l" and len(self.left) < leash.MOST_NAMED:
                pid, _, command = rest.decode(errors="replace").partition(" ")
                self.left.append(f"{pid} ({command})" if command else pid)
            elif word == b"d":
                self.lost = False

    def release(self) -> None:
        """Have everything ended: by SIGTERM first, then by SIGKILL. It goes on by itself if nobody waits for it."""
        if not self._control.closed:
            with suppress(OSError):
                # Needed where a fork of us, made by somebody else, holds the pipe open as well.
                self._control.write(b"e")
            self._control.close()

    def close(self, holder: int) -> None:
        """Close what is open; a leash that is lost is ended by hand, with what can still be found below it.

        Args:
            holder: process id of the leash, which nobody has waited for while it is not ``over``.
        """
        self.release()
        self._give()
        if self.pid:
            self.look()
            if self.lost:
                self._end_by_hand(holder)
        self.status.close()

    def _end_by_hand(self, holder: int) -> None:
        targets = [-self.pid]
        if not self.over:
            targets += [*(leash.descendants(holder) if sys.platform == "linux" else ()), holder]
        for target in targets:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(target, signal.SIGKILL)


def may_fork() -> bool:
    """Whether a fork of this process may run Python: only where no other thread can have held a lock.

    It saves ten milliseconds, most of a Python's start.
    """
    with suppress(OSError):
        return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208
    return False


def _above_streams(number: int) -> int:
    moved: int = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(number)
    return moved
