"""Observe a child that does not respond: has it read its input, and is it working?

A server that starts slowly and a server that ignores a request look the same on stdout. The pipe to stdin shows the
difference: only the second one has read the request.
"""

from __future__ import annotations

import math
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

HTTP_PATIENCE = 5.0
"""Seconds in which a server that also serves HTTP, for a page of its own, begins to read its stdin."""
_BUSY = 0.05
"""Share of one processor that counts as work; an idle interpreter uses far less."""


class Pulse:
    """Observes the activity of one child.

    Args:
        stdin: our end of its stdin, a pipe.
        session: its process id, which is also the id of its session.

    Attributes:
        received: number of bytes that it has written so far, to stdout and stderr together.
        deaf: true if it closed its stdin before a message could be written.
        says_http: says if its output names an address at which it serves HTTP.
    """

    def __init__(self, stdin: int, session: int) -> None:
        self._stdin = stdin
        self._session = session
        self.received = 0
        self.deaf = False
        self.says_http: Callable[[], bool] = bool

    @property
    def heard(self) -> bool:
        """True if it read everything that was sent, as far as can be known; also after its exit."""
        return not self.deaf and not self.unread()

    def unread(self) -> int | None:
        """Number of sent bytes that it has not read; ``None`` if unknown."""
        if sys.platform != "linux":
            # On other systems, the write end of a pipe does not know what is in the pipe.
            return None
        import fcntl
        import termios

        try:
            return int.from_bytes(fcntl.ioctl(self._stdin, termios.FIONREAD, bytes(4)), sys.byteorder)
        except OSError:
            return None

    def seconds_worked(self) -> float:
        """Processor time of all running processes in its session, in seconds; 0.0 if unknown."""
        if sys.platform != "linux":
            return 0.0
        import os

        ticks = 0
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, ValueError, IndexError):
                # The second field is the program's name in parentheses, which may contain spaces and parentheses.
                fields = (process / "stat").read_bytes().rpartition(b")")[2].split()
                if int(fields[3]) == self._session:
                    ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")


class Vigil:
    """Decides how long to wait for a response.

    As long as the request has not been read, the child may be being installed or starting, so waiting continues. After
    that, it ends when the child neither writes nor works for ``patience`` seconds, and at the latest after ``longest``
    seconds.

    Args:
        pulse: observes the child.
        patience: seconds without activity.
        longest: seconds after which activity does not matter; also used if it is unknown when the request was read.
    """

    def __init__(self, pulse: Pulse, patience: float, longest: float) -> None:
        self._pulse = pulse
        self._patience = patience
        self._longest = longest
        self._unread_until: float | None = None
        self._read_at: float | None = None
        self._quiet_since = 0.0
        self._seen = (0, 0.0, 0.0)
        self._http_since: float | None = None

    def is_http(self, now: float) -> bool:
        """True if the child has said for some seconds that it serves HTTP, and did not read the request in them.

        Args:
            now: time of a monotonic clock, in seconds.
        """
        if not self._pulse.unread() or not self._pulse.says_http():
            self._http_since = None
            return False
        self._http_since = now if self._http_since is None else self._http_since
        return now - self._http_since >= HTTP_PATIENCE

    def unread_until(self, otherwise: float) -> float:
        """The last time at which the request was unread; ``otherwise`` if that was never observed."""
        return otherwise if self._unread_until is None else self._unread_until

    def is_over(self, now: float) -> bool:
        """Check the child again; returns true if waiting is no longer useful.

        Args:
            now: time of a monotonic clock, in seconds.
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
