"""Works on the members of a fleet with a few processes at a time, and keeps what is done.

A thread feeds each process. A process that hangs or dies costs its member, which is then unreachable, and no other one.
"""

from __future__ import annotations

import os
import queue
import subprocess
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from mcp_governor.fleet.model import Row, unread
from mcp_governor.programs.helper import Helper, HelperError
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcp_governor.fleet.kept import Kept
    from mcp_governor.fleet.member import Job

SERVER_SECONDS = 900.0
"""Most seconds for one server: three starts of a package, 180 s each, and the time for reading a surface. Its own
timeouts end it before."""

_LOOK = 0.25
"""Seconds between two looks at the progress."""


def usual_at_once(jobs: Sequence[Job]) -> int:
    """Processes at a time by default, at most eight: servers mostly wait, so two for each core; recordings never do."""
    each = 1 if jobs and all(job.target.endswith(".json") for job in jobs) else 2
    return min(8, each * (os.cpu_count() or 1))


class Progress(Struct, frozen=True):
    """How far a run is.

    Attributes:
        done, total: numbers of members.
        running: names of those that are being worked on.
        left: estimated seconds that are left; ``None`` as long as nothing is done.
        hint: what a person has to do so that it goes on; empty for nothing.
    """

    done: int
    total: int
    running: tuple[str, ...]
    left: float | None
    hint: str = ""

    @property
    def words(self) -> str:
        """One line for people."""
        left = "" if self.left is None else f", about {_duration(self.left)} left"
        named = ", ".join(one_line(name, 40) for name in self.running[:3])
        more = ", …" if len(self.running) > 3 else ""
        hint = f": {self.hint}" if self.hint else ""
        return f"{self.done:,} of {self.total:,} servers{left}{f': {named}{more}' if named else ''}{hint}"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def work_off(
    jobs: Sequence[Job],
    *,
    at_once: int,
    kept: Kept | None = None,
    show: Callable[[Progress], None] = lambda _: None,
) -> tuple[Row, ...]:
    """The rows of all jobs, in their order.

    Args:
        jobs: what to do; names are unique.
        at_once: processes at a time.
        kept: rows that are done already, and the place for those that will be.
        show: receives the progress, four times a second.
    """
    known = kept.rows if kept is not None else {}
    rows = {job.name: known[job.name] for job in jobs if job.name in known}
    begun, before = time.monotonic(), len(rows)
    crew = Crew(at_once)
    with ThreadPoolExecutor(at_once) as threads:
        waiting = {threads.submit(crew.work, job): job.name for job in jobs if job.name not in rows}
        try:
            while waiting:
                over, _ = wait(waiting, timeout=_LOOK, return_when=FIRST_COMPLETED)
                for future in over:
                    name, done = waiting.pop(future), future.result()
                    rows[name] = done.row
                    if kept is not None:
                        kept.keep(name, done.row, done.text)
                fresh = len(rows) - before
                left = (time.monotonic() - begun) / fresh * len(waiting) if fresh else None
                show(Progress(len(rows), len(jobs), crew.running, left))
        finally:
            for future in waiting:
                future.cancel()
            crew.stop()
    crew.close()
    return tuple(rows[job.name] for job in jobs)


class Done(Struct, frozen=True):
    """What came of one job.

    Attributes:
        row: about the server.
        text: of its surface, if the job asked for it and the server was reached.
    """

    row: Row
    text: str | None = None


class Crew:
    """Processes that work on jobs, one at a time each; threads take turns with them.

    Args:
        at_once: how many processes.
    """

    def __init__(self, at_once: int) -> None:
        self._all = [_Hand() for _ in range(at_once)]
        self._free: queue.SimpleQueue[_Hand] = queue.SimpleQueue()
        for hand in self._all:
            self._free.put(hand)
        self._running: dict[str, None] = {}

    @property
    def running(self) -> tuple[str, ...]:
        """Names of the members that are being worked on."""
        return tuple(self._running.copy())

    def work(self, job: Job) -> Done:
        """Do one job; whatever happens to the process, there is a row."""
        hand = self._free.get()
        self._running[job.name] = None
        try:
            return hand.work(job)
        finally:
            del self._running[job.name]
            self._free.put(hand)

    def stop(self) -> None:
        """End the jobs that are being worked on, and the servers that they have started; from another thread."""
        for hand in self._all:
            hand.stop()

    def close(self) -> None:
        """End all processes."""
        for hand in self._all:
            hand.close()


class _Hand:
    """One process; another takes its place when it has had enough or fails."""

    def __init__(self) -> None:
        self._helper: Helper | None = None
        self._stopped = False

    def work(self, job: Job) -> Done:
        helper = self._helper = self._helper or Helper("-m", "mcp_governor.fleet.worker", stderr=subprocess.DEVNULL)
        if self._stopped:
            helper.end_stdin()
        try:
            answer = helper.ask(msgspec.to_builtins(job), SERVER_SECONDS)
            done = msgspec.convert({"row": answer["row"], "text": answer.get("text")}, Done)
        except (HelperError, ValueError, TypeError, KeyError, AttributeError) as error:
            self.close()
            what = error.what if isinstance(error, HelperError) else "sent no row"
            return Done(unread(job.name, f"the process that read it {what}"))
        if answer.get("retired"):
            self.close()
        return done

    def stop(self) -> None:
        self._stopped = True
        if (helper := self._helper) is not None:
            helper.end_stdin()

    def close(self) -> None:
        if self._helper is not None:
            self._helper.close()
            self._helper = None
