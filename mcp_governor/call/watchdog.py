"""A run of calls, watched from another thread: what it came to so far, where it has to be given up."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mcp_governor.call.report import CallReport

    class Interrupted(Protocol):
        """A run of calls that can say what it came to while a call of it goes on."""

        def given_up(self) -> CallReport:
            """The report, with the call that goes on as one without a response, and the rest as not made."""
            ...


_GRACE = 2.0
"""Seconds beyond a limit until the run is given up: its own loop ends a call at the limit, unless a tool blocks it."""


class Watchdog:
    """Until when the next sign of life is due, and the report of a run that gives none.

    A server object runs in our process. A tool of it that blocks the event loop blocks our own limits as well, and one
    that blocks a thread keeps its server from ending.
    """

    def __init__(self) -> None:
        self._due: float | None = None
        self._run: Interrupted | None = None

    def begin(self, run: Interrupted) -> None:
        """The calls begin."""
        self._run = run

    def within(self, seconds: float) -> None:
        """The next sign of life comes within so many seconds."""
        self._due = time.monotonic() + seconds + _GRACE

    def rest(self) -> None:
        """Nothing is due: what goes on has limits of its own."""
        self._due = None

    @property
    def is_overdue(self) -> bool:
        """If the run has to be given up."""
        due = self._due
        return due is not None and time.monotonic() > due

    def given_up(self) -> CallReport | None:
        """What the run came to; ``None`` if it made no call yet."""
        return self._run.given_up() if self._run is not None else None
