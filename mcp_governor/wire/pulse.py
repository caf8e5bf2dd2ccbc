"""What can be seen from outside of a child that says nothing: whether it reads, and whether it works.

A server that starts slowly and a server that ignores a question look the same on its stdout. They differ in the pipe:
the one has not read the question yet, the other has.
"""

from __future__ import annotations

import math
import sys
from contextlib import suppress
from pathlib import Path

_BUSY = 0.05
"""Share of one processor that counts as work; an idle interpreter stays far below."""


class Pulse:
    """Life signs of one child.

    Args:
        stdin: our end of its stdin, a pipe.
        session: its process id, which is also its session's.

    Attributes:
        received: bytes that it has written so far, stdout and stderr together.
        deaf: whether it closed its stdin before a message could be written.
    """

    def __init__(self, stdin: int, session: int) -> None:
        self._stdin = stdin
        self._session = session
        self.received = 0
        self.deaf = False

    @property
    def heard(self) -> bool:
        """Whether it read all that was sent, as far as that can be known; also after its end."""
        return not self.deaf and not self.unread()

    def unread(self) -> int | None:
        """How many bytes of what was sent it has not read; ``None`` where that is not known."""
        if sys.platform != "linux":
            # Elsewhere the writing end of a pipe knows nothing of what is in it.
            return None
        import fcntl
        import termios

        try:
            return int.from_bytes(fcntl.ioctl(self._stdin, termios.FIONREAD, bytes(4)), sys.byteorder)
        except OSError:
            return None

    def seconds_worked(self) -> float:
        """Processor seconds of all processes in its session that still run; 0.0 where that is not known."""
        if sys.platform != "linux":
            return 0.0
        import os

        ticks = 0
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, ValueError, IndexError):
                # The second field is the program's name in parentheses, and may hold spaces and parentheses.
                fields = (process / "stat").read_bytes().rpartition(b")")[2].split()
                if int(fields[3]) == self._session:
                    ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")


class Vigil:
    """Decides how long an unanswered question is waited for.

    A question that was not read yet is not unanswered: the child is being installed, or starts slowly. One that was
    read is unanswered once ``patience`` seconds pass in which the child neither wrote nor worked, and at the latest
    after ``longest`` seconds.

    Args:
        pulse: of the child that was asked.
        patience: seconds of silence.
        longest: seconds after which work counts no more; also the patience where reading cannot be seen.
    """

    def __init__(self, pulse: Pulse, patience: float, longest: float) -> None:
        self._pulse = pulse
        self._patience = patience
        self._longest = longest
        self._unread_until: float | None = None
        self._read_at: float | None = None
        self._quiet_since = 0.0
        self._seen = (0, 0.0, 0.0)

    def unread_until(self, otherwise: float) -> float:
        """When the question was last seen unread; ``otherwise`` where it never was."""
        return otherwise if self._unread_until is None else self._unread_until

    def is_over(self, now: float) -> bool:
        """Look at the child once more; whether waiting makes no sense any longer.

        Args:
            now: seconds of a monotonic clock.
        """
        unread = self._pulse.unread()
        if unread:
            self._unread_until = now
            return False
        if self._read_at is None:
            self._read_at = self._quiet_since = now
            self._seen = (self._pulse.received, 0.0, now)
        if self._longest == math.inf:
            return False
        if self._is_alive(now):
            self._quiet_since = now
        patience = self._longest if unread is None else self._patience
        return now - self._quiet_since >= patience or now - self._read_at >= self._longest

    def _is_alive(self, now: float) -> bool:
        received, worked, then = self._seen
        self._seen = (self._pulse.received, self._pulse.seconds_worked(), now)
        return self._seen[0] > received or self._seen[1] - worked > _BUSY * (now - then)
