"""The process in which tools do their work: started by :mod:`mcp_governor.server.pool`, killed when a call is over.

A request is a line of JSON, ``{"tool": …, "arguments": …, "seconds": …}``. Its answer is a line of JSON with one
member: ``envelope``, or ``failed`` with one of the words of :data:`Failure` (and ``trace`` for a crash). A process
that answers with ``"retired": true`` takes no further request.

What bounds it, where the system has it: memory (``RLIMIT_DATA``: Linux; macOS takes the limit and does not hold to
it; Windows has none), processor time (``RLIMIT_CPU``: Linux and macOS), and the wall clock of the pool (everywhere).
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO, Literal

Failure = Literal["memory", "result", "crash"]

DATA = 88 << 20
"""Bytes of memory that a worker may use. A comparison of two surfaces of 500 tools takes 45 MB, one of two tools
with 3,000 properties 65 MB. Two workers, the process that each may start for hard schemas, and the server stay below
500 MB with it, all of them at their limit. Beyond it the call fails with ``cost_cap_exceeded``."""

RETIRED = 72 << 20
"""Resident bytes after which a worker is replaced: Python gives memory back seldom."""

RESULT_BYTES = 512 << 10
"""Size of an envelope. A model reads a token in about four bytes, so this is more than it can take."""


def main() -> None:
    """Answer requests until the input ends."""
    _limit_memory()
    inward, outward = private_streams()
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=receive, args=(inward, requests), daemon=True).start()
    while True:
        reply = answer(json.loads(requests.get()))
        retired = _resident() > RETIRED or reply.get("failed") == "memory"
        say(outward, {**reply, "retired": retired})
        if retired:
            return


def private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Our ends of the pipes. Output of tools is discarded, and processes that they start do not inherit the pipes."""
    inward, outward = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(null, number)
    os.close(null)
    return os.fdopen(inward, "rb"), os.fdopen(outward, "wb")


def say(outward: BinaryIO, reply: dict[str, Any]) -> None:
    """Send an answer."""
    outward.write(json.dumps(reply).encode() + b"\n")
    outward.flush()


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """What came of one request; see the module."""
    from mcp_governor.server.work import WORK

    _limit_seconds(request["seconds"])
    try:
        done = WORK[request["tool"]](**request["arguments"])
        envelope = done if isinstance(done, str) else done.to_wire()
        # Also what cannot be written as UTF-8 JSON fails here, and not on the way out.
        size = len(json.dumps(envelope, ensure_ascii=False, allow_nan=False).encode())
    except MemoryError:
        return {"failed": "memory"}
    except Exception:  # noqa: BLE001  (the client gets an envelope, the operator the trace)
        import traceback

        return {"failed": "crash", "trace": traceback.format_exc(limit=-8)[-4000:]}
    return {"failed": "result"} if size > RESULT_BYTES else {"envelope": envelope}


def receive(inward: BinaryIO, requests: queue.SimpleQueue[bytes]) -> None:
    """Take requests; when the server is gone, end at once, in the middle of whatever is being worked on.

    Not left to PR_SET_PDEATHSIG: that would end this process before it can end what it started. Native code that lets
    no other thread run keeps us until the limit of processor time.
    """
    with contextlib.suppress(OSError):
        for line in inward:
            requests.put(line)
    end_group()


def end_group() -> None:
    """End this process and everything that it started."""
    if sys.platform != "win32" and os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def _limit_memory() -> None:
    if sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (DATA, DATA))


def _limit_seconds(seconds: float) -> None:
    """Limit the processor time of this request. The pool has a timeout too, but it may be gone."""
    if sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(ValueError, OSError):
        used = resource.getrusage(resource.RUSAGE_SELF)
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime + seconds) + 2, hard))


def _resident() -> int:
    """Memory in use, in bytes; 0 if the system does not provide it in a file."""
    if sys.platform == "win32":
        return 0
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
