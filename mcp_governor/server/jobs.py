"""Runs jobs that read servers, each in a process of its own (:mod:`.job`): few at a time, and ended in time.

They do not share the workers of :mod:`.pool`: a server that is checked inherits the limits of the process that starts
it, and needs more memory than a comparison. A process does one job, so that nothing of one check is left for the next.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

import anyio

from mcp_governor.programs.child import Helper, HelperError
from mcp_governor.server.pool import BusyError, CrashError, SpentError, ask, ending

JOBS = 2
"""Jobs at a time: each starts a server and keeps a core busy."""

WAITING = 16
"""Jobs that may wait for their turn; the next one is refused. At half a minute each, the last waits four minutes, which
is as long as clients wait for a call."""

SECONDS = 180.0
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
        self._waiting = 0
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
        if self._waiting >= WAITING:
            raise BusyError
        self._waiting += 1
        try:
            await self._free.acquire()
        finally:
            self._waiting -= 1
        try:
            return await self._run(request)
        finally:
            self._free.release()

    async def _run(self, request: dict[str, Any]) -> dict[str, Any]:
        worker = self._started()
        try:
            reply: dict[str, Any] = await ask(worker, request, SECONDS)
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
