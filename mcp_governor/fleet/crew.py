"""Works on the members of a fleet with a few processes at a time, and keeps what is done.

A thread feeds each process. A process that hangs or dies costs its member, which is then unreachable, and no other one.
"""

from __future__ import annotations

import hashlib
import os
import queue
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.files import read_bytes
from mcp_governor.fleet.model import Row, unread
from mcp_governor.programs.child import Helper, HelperError
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcp_governor.fleet.kept import Kept
    from mcp_governor.fleet.model import Job

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
    seconds: float = SERVER_SECONDS,
) -> tuple[Row, ...]:
    """The rows of all jobs, in their order.

    Args:
        jobs: what to do; names are unique.
        at_once: processes at a time.
        kept: rows that are done already, and the place for those that will be.
        show: receives the progress, four times a second.
        seconds: most for one server.
    """
    rows = dict(kept.rows) if kept is not None else {}
    rows = {job.name: rows[job.name] for job in jobs if job.name in rows}
    twins = _twins(jobs)
    crew = _Crew([job for job in jobs if job.name not in rows and job.name not in twins], at_once, seconds)
    begun, before = time.monotonic(), len(rows)
    try:
        crew.start()
        while len(rows) + sum(name not in rows for name in twins) < len(jobs):
            with suppress(queue.Empty):
                name, done = crew.done.get(timeout=_LOOK)
                rows[name] = done.row
                if kept is not None:
                    kept.keep(name, done.row, done.text)
            fresh = len(rows) - before
            left = (time.monotonic() - begun) / fresh * (len(jobs) - len(rows)) if fresh else None
            show(Progress(len(rows), len(jobs), crew.running, left))
    finally:
        crew.close()
    for name, twin in twins.items():
        # Its own name, and that of its file; all else follows from what both publish.
        if name not in rows:
            rows[name] = replace(rows[twin.name], name=one_line(name, 100), target=f"{name}.json")
            if kept is not None:
                kept.keep_twin(name, rows[name], twin.name)
    return tuple(rows[job.name] for job in jobs)


def _twins(jobs: Sequence[Job]) -> dict[str, Job]:
    """Names of recordings that are the same, byte for byte, as that of an earlier job → this job.

    Environments of one platform record the same servers. What has a page or is compared is not spared.
    """
    first: dict[bytes, Job] = {}
    found: dict[str, Job] = {}
    for job in jobs:
        if not job.target.endswith(".json") or job.page or Path(job.surface or "/").is_file():
            continue
        with suppress(OSError):
            digest = hashlib.sha256(read_bytes(job.target)).digest()
            if digest in first:
                found[job.name] = first[digest]
            else:
                first[digest] = job
    return found


class Done(Struct, frozen=True):
    """What came of one job.

    Attributes:
        row: about the server.
        text: of its surface, if the job asked for it and the server was reached.
    """

    row: Row
    text: str | None = None


class Hand:
    """One process that works on jobs, one at a time; another takes its place when it has had enough or fails.

    Args:
        seconds: most for one job.
    """

    def __init__(self, seconds: float = SERVER_SECONDS) -> None:
        self._seconds = seconds
        self._helper: Helper | None = None
        self._stopped = False

    def work(self, job: Job) -> Done:
        """Do one job; whatever happens to the process, there is a row."""
        helper = self._helper = self._helper or Helper("-m", "mcp_governor.fleet.worker", stderr=subprocess.DEVNULL)
        if self._stopped:
            helper.end_stdin()
        try:
            answer = helper.ask(msgspec.to_builtins(job), self._seconds)
            done = msgspec.convert({"row": answer["row"], "text": answer.get("text")}, Done)
        except (HelperError, ValueError, TypeError, KeyError, AttributeError) as error:
            self.close()
            what = error.what if isinstance(error, HelperError) else "sent no row"
            return Done(unread(job.name, f"the process that read it {what}"))
        if answer.get("retired"):
            self.close()
        return done

    def stop(self) -> None:
        """End the job that is being worked on, and the server that it has started; from another thread."""
        self._stopped = True
        if (helper := self._helper) is not None:
            helper.end_stdin()

    def close(self) -> None:
        """End the process."""
        if self._helper is not None:
            self._helper.close()
            self._helper = None


class _Crew:
    """The threads and their processes.

    Args:
        jobs: what to do.
        at_once: how many processes.
        seconds: most for one job.
    """

    def __init__(self, jobs: Sequence[Job], at_once: int, seconds: float) -> None:
        self._jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        for job in jobs:
            self._jobs.put(job)
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._running: dict[Hand, str] = {}
        self.done: queue.SimpleQueue[tuple[str, Done]] = queue.SimpleQueue()
        self._hands = [Hand(seconds) for _ in range(min(at_once, len(jobs)))]
        self._threads = [threading.Thread(target=self._feed, args=(hand,), daemon=True) for hand in self._hands]

    @property
    def running(self) -> tuple[str, ...]:
        """Names of the members that are being worked on."""
        with self._lock:
            return tuple(self._running.values())

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End all processes, and the servers that they have started: those that still work get a moment to do so."""
        self._stopped.set()
        for hand in self._hands:
            hand.stop()
        for thread in self._threads:
            thread.join()

    def _feed(self, hand: Hand) -> None:
        """Give jobs to one hand, until there are none."""
        try:
            while not self._stopped.is_set():
                try:
                    job = self._jobs.get_nowait()
                except queue.Empty:
                    return
                with self._lock:
                    self._running[hand] = job.name
                done = hand.work(job)
                with self._lock:
                    del self._running[hand]
                if not self._stopped.is_set():
                    self.done.put((job.name, done))
        finally:
            hand.close()
