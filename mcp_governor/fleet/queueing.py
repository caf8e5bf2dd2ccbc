"""A fleet on several machines: jobs in the PostgreSQL of the store, and workers that take them from there.

The queue is Procrastinate's. A task has two arguments, the number of a run and the key of a server in it; what is to be
done is in the store and names packages, addresses and files that the worker has (:mod:`.portable`). A worker that
says nothing for three heartbeats is dead, and the next one to notice puts its jobs back. A job that is done twice is
kept once.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from procrastinate import App, JobContext, PsycopgConnector, RetryStrategy, SyncPsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.schema import SchemaManager
from sqlalchemy import insert, select

from mcp_governor.errors import UnreachableError, UsageError
from mcp_governor.fleet.crew import SERVER_SECONDS, Hand, Progress
from mcp_governor.fleet.kept import Digests, OtherFilesError, fact_of, local, refuse_foreign, stored
from mcp_governor.fleet.model import Head, unread
from mcp_governor.store.tables import META, exclude
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from mcp_governor.fleet.kept import Kept
    from mcp_governor.fleet.model import Job, Row
    from mcp_governor.store.store import Store

QUEUE = "mcp-governor"
TASK = "mcp-governor:read"

MOST_TIMES = 5
"""Times that a job is given to a worker again because one ended, or had other files; more, and no worker will do it."""

_SILENT = 3
"""Heartbeats after which a worker is dead."""

_LOOK = 1.0
"""Seconds between two looks at what is done."""

_LOST = 30.0
"""Seconds without any job in the queue after which servers that are not read are given up."""

_ALONE = 300.0
"""Seconds in which no worker takes a job of the queue, and none has one, after which nobody is waited for."""

_GONE = SERVER_SECONDS + 60.0
"""Seconds without a row after which whoever has taken the last jobs is dead: no worker has one for longer."""

_ASIDE = 10.0
"""Seconds without a worker after which the progress says so."""

_BATCH = 1_000
"""Jobs that are put into the queue at a time."""

_PATIENCE = 10.0
"""Seconds to wait for PostgreSQL; then the worker ends, and whoever started it starts it again."""

_GRACE = 5.0
"""Seconds that a worker has for its servers after it was asked to end; then others read them."""


def work_off_by_queue(
    jobs: Sequence[Job], kept: Kept, *, show: Callable[[Progress], None], say: Callable[[str], None]
) -> tuple[Row, ...]:
    """The rows of all jobs, in their order; workers read the servers.

    Args:
        jobs: what to do.
        kept: the run in its store.
        show: receives the progress.
        say: receives what a person should know once.

    Raises:
        UsageError: a job is not one for other machines, or the queue is of another version.
        UnreachableError: PostgreSQL does not answer any more.
    """
    for job in jobs:
        try:
            refuse_foreign(kept.jobs[job.name])
        except UsageError as error:
            raise UsageError(
                f"{one_line(job.name, 80)} cannot be given to another machine: {error.message}.",
                "Run the command in the folder that has all files, or without --engine queue.",
            ) from None
    store, run = kept.store, kept.run.id
    wanted = {kept.member(job.name) for job in jobs}
    prepare_queue(store)
    app = App(connector=SyncPsycopgConnector(conninfo=store.address.conninfo, min_size=1, max_size=2))
    with _quiet(store), app.open():
        queued = {
            job.task_kwargs.get("member")
            for status in ("todo", "doing")
            for job in app.job_manager.list_jobs(queue=QUEUE, status=status)
            if job.task_kwargs.get("run") == run
        }
        open_ = store.pending(run) & wanted
        fresh: list[Any] = [{"run": run, "member": member} for member in sorted(open_ - queued)]
        task = app.configure_task(name=TASK, queue=QUEUE)
        for at in range(0, len(fresh), _BATCH):
            task.batch_defer(*fresh[at : at + _BATCH])
        if open_:
            say(f"{len(open_):,} servers wait for workers: mcp-governor fleet worker --store {store.address.shown}")
        why = _wait(app, store, run, wanted, show)
    for name, row in kept.fresh():
        kept.rows[name] = row
    return tuple(kept.rows.get(job.name) or unread(job.name, why) for job in jobs)


def _wait(app: App, store: Store, run: int, wanted: set[str], show: Callable[[Progress], None]) -> str:
    """Wait until all are read, or nobody will read the others; returns why they are not read."""
    left = len(store.pending(run) & wanted)
    wait = Waiting(left, time.monotonic())
    while left:
        queues = app.job_manager.list_queues(queue=QUEUE)
        todo, doing = (sum(found[status] for found in queues) for status in ("todo", "doing"))
        now = time.monotonic()
        if why := wait.given_up(now, left, todo, doing):
            return why
        estimate = (now - wait.begun) / (wait.first - left) * left if left < wait.first else None
        alone = wait.alone(now, doing)
        hint = alone and f"{alone}; start one with mcp-governor fleet worker --store {store.address.shown}"
        show(Progress(len(wanted) - left, len(wanted), (), estimate, hint))
        time.sleep(_LOOK)
        left = len(store.pending(run) & wanted)
    return ""


class Waiting:
    """How long nothing has happened in the queue.

    Args:
        left: servers that are not read yet.
        now: seconds of a clock that only goes forward.
    """

    def __init__(self, left: int, now: float) -> None:
        self.begun = self._moved = now
        self.first = self._left = left
        self._todo = self._doing = 0

    def given_up(self, now: float, left: int, todo: int, doing: int) -> str:
        """Why nobody will read the servers that are left; empty while somebody may.

        Args:
            now: seconds of the clock.
            left: servers that are not read yet.
            todo: jobs of the queue, of any run, that no worker has taken.
            doing: jobs that a worker has.
        """
        # A worker that gave a job back, or was found dead, had it until now.
        if left < self._left or todo < self._todo or doing < self._doing:
            self._moved = now
        self._left, self._todo, self._doing = left, todo, doing
        idle = now - self._moved
        if doing:
            return "the worker that took it has not answered" if idle > _GONE else ""
        if todo:
            return f"no worker took it from the queue in {_ALONE:.0f} s" if idle > _ALONE else ""
        return "it was lost from the queue" if idle > _LOST else ""

    def alone(self, now: float, doing: int) -> str:
        """That no worker takes jobs; empty if one does."""
        idle = now - self._moved
        return "" if doing or idle < _ASIDE else f"no worker has taken a job for {idle:.0f} s"


def prepare_queue(store: Store) -> None:
    """Create the tables of the queue in the database of the store, once.

    Raises:
        UsageError: they are there, from a version of Procrastinate with other tables.
    """
    schema = SchemaManager.get_schema()
    digest = hashlib.sha256(schema.encode()).hexdigest()
    with store.writing() as connection:
        exclude(connection)
        found = connection.execute(select(META.c.value).where(META.c.key == "queue")).scalar()
        if found is None:
            connection.exec_driver_sql(schema.replace("%", "%%"))
            connection.execute(insert(META).values(key="queue", value=digest))
        elif found != digest:
            raise UsageError(
                f"The queue of {store.address.shown} was made with another version of Procrastinate.",
                "Install one version of the extra fleet everywhere, or give the queue a new database.",
            )


class Workplace(Struct, frozen=True):
    """How a worker works.

    Attributes:
        folder: the folder with the files of the run.
        at_once: servers at a time.
        heartbeat: seconds between two heartbeats.
        idle: seconds without any job in the queue after which it ends; ``None``: it waits for more.
        trust: rules in Python run.
        say: receives the row of each server.
        complain: receives why a job was given back.
    """

    folder: Path
    at_once: int
    heartbeat: float
    idle: float | None
    trust: bool
    say: Callable[[Row], None]
    complain: Callable[[str], None]


def work(store: Store, place: Workplace) -> int:
    """Work on jobs of the queue until it is asked to end.

    Returns:
        How many servers were read.

    Raises:
        UsageError: the queue is of another version.
        UnreachableError: PostgreSQL does not answer any more.
    """
    prepare_queue(store)
    worker = _Worker(store, place)
    with _quiet(store):
        asyncio.run(worker.run())
    return worker.count


class _Worker:
    """A worker: Procrastinate gives it jobs, and a hand does each."""

    def __init__(self, store: Store, place: Workplace) -> None:
        self._store = store
        self._place = place
        self._hands: queue.SimpleQueue[Hand] = queue.SimpleQueue()
        self._all = [Hand() for _ in range(place.at_once)]
        for hand in self._all:
            self._hands.put(hand)
        self._stopping = threading.Event()
        self.count = 0

    async def run(self) -> None:
        connector = PsycopgConnector(
            conninfo=self._store.address.conninfo,
            min_size=1,
            max_size=4,
            timeout=_PATIENCE,
            reconnect_timeout=_PATIENCE,
        )
        app, loop = App(connector=connector), asyncio.get_running_loop()
        silent = _SILENT * self._place.heartbeat
        with ThreadPoolExecutor(self._place.at_once) as threads:

            @app.task(name=TASK, queue=QUEUE, pass_context=True, retry=RetryStrategy(wait=int(self._place.heartbeat)))
            async def read(context: JobContext, run: int, member: str) -> None:
                # Cancelled when this worker is to end and its grace is over: the job goes back to the queue.
                try:
                    await loop.run_in_executor(threads, self._read, run, member, context.job.attempts)
                except asyncio.CancelledError:
                    self._stop()
                    raise

            try:
                async with app.open_async():
                    work = asyncio.create_task(
                        app.run_worker_async(
                            queues=[QUEUE],
                            concurrency=self._place.at_once,
                            delete_jobs="always",
                            update_heartbeat_interval=self._place.heartbeat,
                            stalled_worker_timeout=silent,
                            shutdown_graceful_timeout=_GRACE,
                        )
                    )
                    watch = asyncio.create_task(self._watch(app, silent))
                    await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
                    for task in (watch, work):
                        task.cancel()
                    # What went wrong first; without the database, the other one fails as well.
                    ended = await asyncio.gather(watch, work, return_exceptions=True)
                    for error in ended:
                        if isinstance(error, Exception):
                            raise error
            finally:
                self._stop()
        for hand in self._all:
            hand.close()

    async def _watch(self, app: App, silent: float) -> None:
        """Put the jobs of dead workers back, and end this one when there was nothing to do for long enough."""
        manager, busy = app.job_manager, time.monotonic()
        while True:
            await asyncio.sleep(min(self._place.heartbeat, self._place.idle or self._place.heartbeat))
            for job in await manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=silent):
                # Another worker may have been faster.
                with suppress(ConnectorException):
                    await manager.retry_job(job)
            if any(found["todo"] + found["doing"] for found in await manager.list_queues_async(queue=QUEUE)):
                busy = time.monotonic()
            elif self._place.idle is not None and time.monotonic() - busy >= self._place.idle:
                return

    def _stop(self) -> None:
        self._stopping.set()
        for hand in self._all:
            hand.stop()

    def _read(self, run: int, member: str, attempts: int) -> None:
        """One job, in a thread of its own."""
        found = self._store.job(run, member)
        if found is None:
            return
        planned, head = found
        text = None
        try:
            if attempts >= MOST_TIMES:
                raise UsageError(f"{attempts} workers ended while they read it")
            job = local(planned.job, self._place.folder, stored(head, Head).today, Digests(), trust=self._place.trust)
        except UsageError as error:
            if isinstance(error, OtherFilesError) and attempts + 1 < MOST_TIMES:
                # Back to the queue: a worker that was set up wrongly must not answer for all others.
                self._place.complain(f"{planned.name}: {error.message}")
                raise
            row = unread(planned.name, error.message)
        else:
            hand = self._hands.get()
            try:
                done = hand.work(job)
            finally:
                self._hands.put(hand)
            if self._stopping.is_set():
                # It was ended, which says nothing of the server.
                raise InterruptedError
            row, text = done.row, done.text
        self._store.keep(run, fact_of(member, row), text)
        self.count += 1
        self._place.say(row)


@contextmanager
def _quiet(store: Store) -> Iterator[None]:
    """Errors of Procrastinate as ours, and nothing of what it logs: it would quote arguments and our frames."""
    for name in ("procrastinate", "psycopg.pool", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    except ConnectorException:
        raise UnreachableError(
            f"{store.address.shown} does not answer any more.",
            "Start PostgreSQL, and repeat the command: it goes on where it ended.",
        ) from None
