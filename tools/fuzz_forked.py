"""Runs one question in a child process: its result, its cost, and no harm to the parent.

The child is a fork of a process that has loaded everything, so it costs some milliseconds. POSIX only.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MEMORY = 1 << 30
"""Memory limit of a child in bytes; a sound reader stays far below, see ``fuzz_readers.memory_allowed``."""
PROCESSOR_SECONDS = 60
WALL_SECONDS = 300.0
"""Wall-clock limit, much longer than the processor time, because the machine may be busy."""
_SCALE = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Outcome:
    """The result of a question.

    Attributes:
        kind: ``read``, ``refused``, or the problem in two or three words.
        note: the answer or the error, on one line.
        seconds: of processor time.
        memory: bytes that the child used beyond its initial memory.
    """

    kind: str
    note: str
    seconds: float = 0.0
    memory: int = 0


def _data_of_this_process() -> int:
    """Bytes that count for RLIMIT_DATA; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[5])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * resource.getpagesize()


def _child(ask: Callable[[bytes], tuple[str, str]], data: bytes, inlet: int) -> None:
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # Beyond what the parent has already: in a long run of tests that may be more than the limit itself.
        limit = MEMORY + _data_of_this_process()
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))
        before = resource.getrusage(resource.RUSAGE_SELF)
        try:
            kind, note = ask(data)
        except MemoryError:
            kind, note = "out of memory", f"more than {MEMORY >> 20} MB"
        except BaseException as error:
            kind, note = f"raised {type(error).__name__}", _where(error)
        after = resource.getrusage(resource.RUSAGE_SELF)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        memory = (after.ru_maxrss - before.ru_maxrss) * _SCALE
        text = json.dumps([kind, note[:2000], seconds, memory]).encode()
        while text:
            text = text[os.write(inlet, text) :]
    finally:
        os._exit(0)


def _where(error: BaseException) -> str:
    """The error and the innermost line of mcp-governor in its traceback."""
    places = []
    trace = error.__traceback__
    while trace is not None and len(places) < 10_000:
        code = trace.tb_frame.f_code
        places.append(f"{Path(code.co_filename).name}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    ours = [place for place in places if not place.startswith("fuzz_")]
    return f"{error!r}"[:300] + " at " + " < ".join(reversed(ours[-3:]))


def asked(ask: Callable[[bytes], tuple[str, str]], data: bytes) -> Outcome:
    """Ask in a child, and wait for the result; whatever the child started ends with it.

    Args:
        ask: returns the kind and the note; an exception is a finding.
        data: the input.
    """
    outlet, inlet = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(outlet)
        os.setpgid(0, 0)
        _child(ask, data, inlet)
    os.close(inlet)
    with contextlib.suppress(OSError):
        os.setpgid(pid, pid)
    deadline, output, ended = time.monotonic() + WALL_SECONDS, b"", False
    while not ended and time.monotonic() < deadline:
        if select.select([outlet], [], [], 1.0)[0]:
            piece = os.read(outlet, 65_536)
            output, ended = output + piece, not piece
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    os.close(outlet)
    _, status, used = os.wait4(pid, 0)
    if output:
        return Outcome(*json.loads(output))
    seconds = used.ru_utime + used.ru_stime
    if seconds >= PROCESSOR_SECONDS - 1:
        return Outcome("hang", f"no answer after {seconds:.0f} s of processor time", seconds)
    if not ended:
        return Outcome("hang", f"no answer after {WALL_SECONDS:g} s", seconds)
    return Outcome("died", f"ended with status {os.waitstatus_to_exitcode(status)}", seconds)
