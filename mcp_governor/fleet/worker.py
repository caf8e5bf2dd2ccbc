"""The process in which members of a fleet are read: started by :mod:`.crew`, one line of JSON for each job and its row.

A server that a process has started, or sent secrets to, is its only one, so that nothing of it reaches the row of
another. Recordings share a process. It ends with its stdin, and the servers that it started end with it.
"""

from __future__ import annotations

import gc
import json
import os
import queue
import signal
import threading
from typing import TYPE_CHECKING

import msgspec

from mcp_governor.errors import GovernorError
from mcp_governor.fleet.model import Job
from mcp_governor.target.remote import TOKEN_VARIABLE
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from mcp_governor.fleet.model import Row

RECORDINGS = 500
"""Recordings that one process reads; then another one takes its place, because Python gives memory back seldom."""

ENDING = 10.0
"""Seconds to end a server after our stdin; then the process ends without waiting, and its leash ends the server."""


def main() -> None:
    """Take jobs until stdin ends."""
    gc.set_threshold(100_000)
    # What servers in this process and libraries print is not for the crew.
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    busy = threading.Event()
    threading.Thread(target=_receive, args=(jobs, busy), daemon=True).start()
    done = 0
    while line := jobs.get():
        busy.set()
        row, text, alone = work_on(msgspec.json.decode(line, type=Job))
        busy.clear()
        done += 1
        retired = alone or done >= RECORDINGS
        answer = {"row": msgspec.to_builtins(row), "text": text, "retired": retired}
        out.write(json.dumps(answer).encode() + b"\n")
        if retired:
            return


def _receive(jobs: queue.SimpleQueue[bytes], busy: threading.Event) -> None:
    """Take jobs; at the end of stdin, end what is being worked on as a signal would."""
    # Not sys.stdin, whose lock a thread that waits would hold at the end of the process.
    rest = b""
    while part := os.read(0, 65_536):
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            jobs.put(line)
    jobs.put(b"")
    # A job that is just being taken counts as well.
    if busy.wait(1.0):
        os.kill(os.getpid(), signal.SIGTERM)
        threading.Event().wait(ENDING)
        os._exit(1)


def work_on(job: Job) -> tuple[Row, str | None, bool]:
    """The row about one member, the text of its surface, and if the process has a server's secrets or code in it."""
    from mcp_governor.fleet.model import Row
    from mcp_governor.fleet.reading import Reading

    if job.stranger and not job.refused:
        # This process reads nothing else. A token is for a server that somebody named, not for what a registry lists.
        os.environ.pop(TOKEN_VARIABLE, None)
    reading = Reading(job)
    try:
        row = reading.row()
    except GovernorError as error:
        row = reading.unreachable(error.message, getattr(error, "said", ""))
    except RecursionError:
        row = reading.unreachable("it nests deeper than can be followed.")
    except MemoryError:
        row = reading.unreachable("it needs more memory than there is.")
    except Exception as error:  # noqa: BLE001  (one server must not end the run)
        row = reading.unreachable(f"a bug in mcp-governor: {type(error).__name__}: {one_line(str(error))}")
    assert isinstance(row, Row)
    return row, reading.text if row.reached else None, reading.is_live


if __name__ == "__main__":
    main()
