"""One run of the command line under attack: in a child with limits, with what it cost.

Every test of this folder goes through :func:`attack`. The child may not map more than ``ADDRESS_SPACE`` bytes, ends
after ``seconds``, and its peak memory comes back, so that "bounded" is something a test can measure.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import warm
from support import Leash

MEGABYTE = 1024 * 1024
ADDRESS_SPACE = 2048 * MEGABYTE
"""What the child may map: twice what a healthy run maps, so that an unbounded one dies before the machine suffers."""

PEAK = 500 * MEGABYTE
"""Resident memory that no run may exceed, whatever it is fed."""

SECONDS = 30.0
"""How long a run may take before it counts as hung; the machine may be busy."""

# The launcher is a process of its own because a child's peak memory starts at that of the process it was forked
# from, and pytest is large. Standard library only, so that it starts fast and stays small.
_LAUNCHER = """
import json, os, resource, signal, subprocess, sys, time
told, address_space, file_size, seconds, *command = sys.argv[1:]
for what, limit in ((resource.RLIMIT_AS, address_space), (resource.RLIMIT_FSIZE, file_size)):
    if int(limit):
        resource.setrlimit(what, (int(limit), int(limit)))
start = time.monotonic()
child = subprocess.Popen(command, start_new_session=True)
hung = False
try:
    child.wait(float(seconds))
except subprocess.TimeoutExpired:
    hung = True
spent = time.monotonic() - start
try:
    os.killpg(child.pid, signal.SIGKILL)
except (ProcessLookupError, PermissionError):
    pass
child.wait()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
cpu = used.ru_utime + used.ru_stime
with open(told, "w") as out:
    json.dump({"code": child.returncode, "seconds": spent, "cpu": cpu, "peak": peak, "hung": hung}, out)
"""


@dataclass(frozen=True)
class Attacked:
    """What one run came to.

    Attributes:
        code: the exit code; negative where a signal ended it.
        out, err: the streams, as UTF-8 with surrogate escapes.
        seconds: wall clock.
        cpu: seconds of processor time of the run and of children that it waited for, however busy the machine is.
        peak: largest resident memory of the run or a child that it waited for, in bytes.
        hung: it was still running when its time was over, and was killed.
        left: command lines of processes that outlived it (Linux only).
    """

    code: int
    out: str
    err: str
    seconds: float
    cpu: float
    peak: int
    hung: bool
    left: tuple[str, ...]

    @property
    def reported(self) -> str:
        """Both streams."""
        return self.out + self.err

    @property
    def report(self) -> dict[str, Any]:
        """Standard output as a JSON report."""
        document: dict[str, Any] = json.loads(self.out)
        return document

    def held(self, *codes: int, peak: int = PEAK) -> Attacked:
        """The run itself, if it ended by itself, within memory, with a documented exit code and no traceback.

        Args:
            codes: the exit codes that are right here; none: any but 70 and death by a signal.
            peak: resident bytes that it may have used.
        """
        assert not self.hung, f"still running after {self.seconds:.0f} s\n{self.reported[-2000:]}"
        assert self.peak <= peak, f"used {self.peak / MEGABYTE:.0f} MB\n{self.reported[-2000:]}"
        allowed = codes or (0, 1, 2, 3, 4)
        assert self.code in allowed, f"exit code {self.code}, not one of {allowed}\n{self.reported[-2000:]}"
        assert "Traceback" not in self.reported, self.reported[-2000:]
        assert not self.left, f"left running: {self.left}"
        return self


def attack(
    *arguments: str | Path,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    seconds: float = SECONDS,
    address_space: int = ADDRESS_SPACE,
    file_size: int = 0,
    command: Sequence[str] = (),
    module: str = "mcp_governor",
    cold: bool = False,
) -> Attacked:
    """Run ``mcp-governor ARGUMENTS`` in a folder, in a child with limits.

    Args:
        arguments: the command line, without the program.
        cwd: the folder.
        env: variables on top of our own environment.
        stdin: what standard input holds.
        seconds: wall clock before it is killed.
        address_space: bytes that it may map; 0: no limit.
        file_size: bytes that one file which it writes may have; 0: no limit.
        command: another program than ours.
        module: another module than ours: ``pytest``.
        cold: start a new interpreter, because its start or the least of its memory matters.
    """
    leash = Leash()
    marked = {"MCP_GOVERNOR_TEST": leash.mark, "LOGNAME": leash.mark}
    around = {**os.environ, **marked, **(env or {})}
    limits = {resource.RLIMIT_AS: address_space, resource.RLIMIT_FSIZE: file_size}
    with tempfile.TemporaryDirectory() as folder:
        out, err, fed = (Path(folder) / name for name in ("out", "err", "in"))
        fed.write_bytes(stdin)
        with fed.open("rb") as source, out.open("wb") as outward, err.open("wb") as errward:
            streams = (source.fileno(), outward.fileno(), errward.fileno())
            words = [*map(str, arguments)]
            if not command and not cold and warm.takes(around):
                start = time.monotonic()
                child = warm.start(words, cwd=cwd, env=around, streams=streams, limits=limits, module=module)
                end = warm.ended(child, seconds)
                came_to = {
                    "code": end.code,
                    "seconds": time.monotonic() - start,
                    "cpu": end.usage.ru_utime + end.usage.ru_stime,
                    "peak": end.usage.ru_maxrss * 1024,
                    "hung": end.hung,
                }
            else:
                whole = [*(command or (sys.executable, "-m", module)), *words]
                came_to = _launched(whole, cwd, around, streams, limits, seconds)
        return Attacked(out=_text(out), err=_text(err), left=tuple(leash.left_behind()), **came_to)


def _launched(
    command: list[str],
    cwd: Path,
    env: dict[str, str],
    streams: tuple[int, int, int],
    limits: dict[int, int],
    seconds: float,
) -> dict[str, Any]:
    """What a run of a new process came to."""
    with tempfile.NamedTemporaryFile() as told:
        limited = (told.name, str(limits[resource.RLIMIT_AS]), str(limits[resource.RLIMIT_FSIZE]), str(seconds))
        launcher = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _LAUNCHER, *limited, *command],
            cwd=cwd,
            env=env,
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            start_new_session=True,
        )
        try:
            launcher.wait(seconds + 30)
        finally:
            if launcher.poll() is None:
                os.killpg(launcher.pid, signal.SIGKILL)
                launcher.wait()
        came_to: dict[str, Any] = json.loads(told.read())
        return came_to


def _text(file: Path) -> str:
    """The first 20 MB of a stream: more than any run may print."""
    with file.open("rb") as stream:
        return stream.read(20 * MEGABYTE).decode("utf-8", "surrogateescape")
