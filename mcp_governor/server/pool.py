"""The processes of a server: workers, which are reused, and jobs, which read servers and do one thing.

All are killed if they take too long or their client is gone. Jobs do not share the workers: a server that is checked
inherits the limits of the process that starts it, and needs more memory than a comparison.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import weakref
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from mcp_governor.programs.child import Helper, HelperError
from mcp_governor.server.lines import cost
from mcp_governor.server.project import CONFIG, ROOT, Project

WORKERS = 2
"""Most processes at the same time, so that a slow comparison does not block a quick call."""

WAITING = 64
"""Calls that may wait for a worker; the next one is refused."""

WAITING_COST = 64 << 20
"""Most memory, as ``lines.cost`` estimates it, that the arguments of waiting calls may take. One call always fits. The
client of a call may be gone, over HTTP, so that nobody else counts it."""

WAIT_SECONDS = 20.0
"""How long a call may wait for a worker before it is refused."""


class BusyError(Exception):
    """The call was not begun: too many are waiting, or it has waited too long."""


class SpentError(Exception):
    """The call was begun and ended by us: it took too long, too much memory, or its result is too large.

    Args:
        what: ``seconds``, ``memory`` or ``result``.
    """

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class CrashError(Exception):
    """The tool failed; ``str()`` is the traceback."""


async def ask(process: Helper, request: Any, seconds: float) -> Any:
    """What a process answers; a SpentError says that it took longer, a HelperError or ValueError that it is gone."""
    try:
        with anyio.fail_after(seconds):
            # Twice the time, so that it is over here first.
            return await anyio.to_thread.run_sync(process.ask, request, 2 * seconds, abandon_on_cancel=True)
    except TimeoutError:
        raise SpentError("seconds") from None


class Pool:
    """Carries calls to workers, which are started when they are needed.

    Args:
        project: whose files the workers may read, and by whose configuration they compare; none by default.
    """

    def __init__(self, project: Project | None = None) -> None:
        self._variables = {ROOT: str(project.root), CONFIG: str(project.config)} if project is not None else {}
        self._free = anyio.Semaphore(WORKERS)
        self._waiting = self._waiting_cost = 0
        self._idle: list[Helper] = []
        self._all: set[Helper] = set()
        self._owner = os.getpid()
        self._resumed = anyio.Event()
        self._resumed.set()
        ending.add(self)

    @property
    def size(self) -> int:
        """How many workers there are."""
        return len(self._all)

    async def call(self, tool: str, arguments: bytes, seconds: float) -> dict[str, Any]:
        """The envelope of one call.

        Raises:
            BusyError: it was not begun.
            SpentError: it was ended.
            CrashError: it failed.
        """
        await self._admit(cost(arguments))
        try:
            worker = self._idle.pop() if self._idle else self._started()
            if not worker.child.lives:
                self._drop(worker)
                worker = self._started()
            request = b'{"tool":%s,"seconds":%d,"arguments":%s}' % (json.dumps(tool).encode(), seconds, arguments)
            return await self._ask(worker, request, seconds)
        finally:
            self._free.release()

    async def _admit(self, size: int) -> None:
        if self._waiting >= WAITING or (self._waiting and self._waiting_cost + size > WAITING_COST):
            raise BusyError
        self._waiting += 1
        self._waiting_cost += size
        try:
            with anyio.fail_after(WAIT_SECONDS):
                await self._free.acquire()
                try:
                    await self._resumed.wait()
                except BaseException:
                    self._free.release()
                    raise
        except TimeoutError:
            raise BusyError from None
        finally:
            self._waiting -= 1
            self._waiting_cost -= size

    async def _ask(self, worker: Helper, request: bytes, seconds: float) -> dict[str, Any]:
        try:
            reply = await ask(worker, request, seconds)
        except (HelperError, ValueError):
            raise self._why_gone(worker) from None
        except BaseException:
            # Too late, or cancelled because nobody waits for the response any more.
            self._drop(worker)
            raise
        if reply["retired"]:
            self._drop(worker)
        else:
            self._idle.append(worker)
        if "envelope" in reply:
            envelope: dict[str, Any] = reply["envelope"]
            return envelope
        if reply["failed"] == "crash":
            raise CrashError(reply["trace"])
        raise SpentError(reply["failed"])

    def hold(self) -> None:
        """Stop starting calls, because the client does not read the responses."""
        if self._resumed.is_set():
            self._resumed = anyio.Event()

    def resume(self) -> None:
        """Begin calls again."""
        self._resumed.set()

    def close(self) -> None:
        """End every worker, at once; calls that come later start new ones. Safe to call from any thread."""
        if self._owner == os.getpid():
            for worker in tuple(self._all):
                self._drop(worker)

    def _started(self) -> Helper:
        # What a client can make it print is not for the operator's log.
        worker = Helper("-m", "mcp_governor.server.worker", stderr=subprocess.DEVNULL, variables=self._variables)
        self._all.add(worker)
        return worker

    def _drop(self, worker: Helper) -> None:
        worker.child.kill()
        self._all.discard(worker)
        with contextlib.suppress(ValueError):
            self._idle.remove(worker)

    def _why_gone(self, worker: Helper) -> Exception:
        """Why a worker died in the middle of a call."""
        code = worker.child.wait(1.0)
        self._drop(worker)
        if code == -getattr(signal, "SIGXCPU", 0) != 0:
            return SpentError("seconds")
        # Rust code aborts if it gets no memory; SIGKILL comes from the operating system when it is out of memory.
        if code is not None and code < 0 and -code in {getattr(signal, name, 0) for name in _OUT_OF_MEMORY}:
            return SpentError("memory")
        return CrashError(f"the worker ended with status {code}")


_OUT_OF_MEMORY = ("SIGABRT", "SIGSEGV", "SIGKILL")
"""Signals by which a worker ends that gets no memory."""

ending: weakref.WeakSet[Any] = weakref.WeakSet()
"""What has processes, and is closed with ours."""


@atexit.register
def _close_all() -> None:
    for one in tuple(ending):
        one.close()


JOBS = 2
"""Jobs at a time: each starts a server and keeps a core busy."""

JOBS_WAITING = 16
"""Jobs that may wait for their turn; the next one is refused. At half a minute each, the last waits four minutes, which
is as long as clients wait for a call."""

JOB_SECONDS = 180.0
"""How long a job may take: a server may take a minute to start (``start-timeout``), and its calls two
(``calls-budget``)."""

NESTED = "MCP_GOVERNOR_NESTED"
"""Counts how many jobs are around this process. A server that checks itself would never come to an end."""
MAX_NESTED = 2
"""Jobs around this process at which it starts no other: a check of ourselves is one, and a check in that check two."""


class Jobs:
    """Runs the jobs of one server."""

    def __init__(self) -> None:
        self._free = anyio.Semaphore(JOBS)
        self._all: dict[Helper, Path] = {}
        self._owner = os.getpid()
        ending.add(self)

    async def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to one request; a caller that is cancelled ends the job.

        Raises:
            BusyError: too many jobs are waiting.
            SpentError: it took too long, or its reply is too large.
            CrashError: it failed.
        """
        if nested() >= MAX_NESTED:
            message = "A server that is being checked does not check servers."
            return {"refused": {"kind": "index_not_ready", "message": message, "names": []}}
        if self._free.statistics().tasks_waiting >= JOBS_WAITING:
            raise BusyError
        async with self._free:
            worker = self._started()
            try:
                reply: dict[str, Any] = await ask(worker, request, JOB_SECONDS)
            except (HelperError, ValueError):
                raise CrashError("the job ended without a reply") from None
            finally:
                worker.child.kill()
                # Nobody who waits for the reply waits for this.
                threading.Thread(target=self._end, args=(worker,), daemon=True).start()
        if "failed" in reply:
            raise SpentError(reply["failed"])
        if "crashed" in reply:
            raise CrashError(reply["crashed"])
        return reply

    def close(self) -> None:
        """End every job. Safe to call from any thread."""
        if self._owner == os.getpid():
            for worker in tuple(self._all):
                self._end(worker)

    def _started(self) -> Helper:
        # Whatever the job, or a server that it starts, leaves in the temporary folder goes with it.
        folder = Path(tempfile.mkdtemp(prefix="mcp-governor-serve-"))
        variables = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
        variables[NESTED] = str(nested() + 1)
        worker = Helper("-m", "mcp_governor.server.job", stderr=subprocess.DEVNULL, variables=variables)
        self._all[worker] = folder
        return worker

    def _end(self, worker: Helper) -> None:
        """End a job and what it started; servers that it started in sessions of their own end with it
        (``wire.leash``)."""
        worker.child.kill()
        folder = self._all.pop(worker, None)
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def nested() -> int:
    """How many jobs are around this process."""
    given = os.environ.get(NESTED, "0")
    return int(given) if given.isdecimal() and len(given) < 4 else MAX_NESTED
