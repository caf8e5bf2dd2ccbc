"""Runs jobs that read servers, each in a process of its own (:mod:`.job`): few at a time, and ended in time.

They do not share the workers of :mod:`.pool`: a server that is checked inherits the limits of the process that starts
it, and needs more memory than a comparison.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio

from mcp_governor.server.pool import BusyError, CrashError, SpentError

JOBS = 2
"""Jobs at a time: each starts a server and keeps a core busy."""

WAITING = 16
"""Jobs that may wait for their turn; the next one is refused. At half a minute each, the last waits four minutes, which
is as long as clients wait for a call."""

SECONDS = 180.0
"""How long a job may take: a server may take a minute to start (``start-timeout``), and its calls two
(``calls-budget``)."""

REPLY_BYTES = 16 << 20
"""Largest reply: 2,000 items of 2,000 characters, each of which JSON may escape, and a report of 512 KiB."""

NESTED = "MCP_GOVERNOR_NESTED"
"""Counts how many jobs are around this process. A server that checks itself would never come to an end."""
MAX_NESTED = 2
"""Jobs around this process at which it starts no other: a check of ourselves is one, and a check in that check two."""

_SESSION = sys.platform != "win32"


class Jobs:
    """Runs the jobs of one server."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._free = anyio.Semaphore(JOBS)
        self._waiting = 0
        self._seconds = seconds

    async def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to one request; a caller that is cancelled ends the job.

        Args:
            request: see :mod:`.job`.

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
        process = await anyio.open_process(
            [sys.executable, "-P", "-m", "mcp_governor.server.job"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            start_new_session=_SESSION,
        )
        try:
            with anyio.fail_after(self._seconds):
                assert process.stdin is not None
                assert process.stdout is not None
                await process.stdin.send(json.dumps(request).encode())
                await process.stdin.aclose()
                data = bytearray()
                async for part in process.stdout:
                    data += part
                    if len(data) > REPLY_BYTES:
                        raise SpentError("result")
        except TimeoutError:
            raise SpentError("seconds") from None
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise CrashError("the job ended before it read its request") from None
        finally:
            with anyio.CancelScope(shield=True):
                _end(process)
                await process.wait()
                await process.aclose()
        return _reply(bytes(data))


def nested() -> int:
    """How many jobs are around this process."""
    given = os.environ.get(NESTED, "0")
    return int(given) if given.isdecimal() and len(given) < 4 else MAX_NESTED


def _environment() -> dict[str, str]:
    root = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, NESTED: str(nested() + 1)}


def _end(process: Any) -> None:
    """End a job and what it started; servers that it started in sessions of their own end with it (``wire.leash``)."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform != "win32":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _reply(data: bytes) -> dict[str, Any]:
    try:
        reply: dict[str, Any] = json.loads(data)
    except ValueError:
        raise CrashError("the job ended without a reply") from None
    if "crashed" in reply:
        raise CrashError(reply["crashed"])
    return reply
