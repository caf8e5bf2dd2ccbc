"""Runs of the command line in processes that start warm: forked from one that has loaded everything, and runs nothing.

Starting Python and importing our modules is what most of a short run costs. A run from here is still a process with
its own folder, environment, limits, streams, exit code and cost, and what it loads that the template has not is loaded
as always. What it does not show is how the interpreter starts: files of the current folder that shadow a module of
ours, and variables that are read before ``main``. Who tests those starts a process of their own.

A run is a child of the process that asks for it, so that its processor time counts there (``tiers.py``).
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import resource

AVAILABLE = sys.platform == "linux"
"""The runs change their parent, which needs a means of Linux."""

_STRANGERS = ("mcp_governor.load", "mcp_governor.server", "mcp_governor.evaluation", "mcp_governor.pytest_plugin")
_STRANGERS += ("mcp_governor.fleet.queueing", "mcp_governor.store", "mcp_governor.target.signing_in")
"""What few runs load, and what takes much memory."""
_PR_SET_CHILD_SUBREAPER = 36
_ONE_AT_A_TIME = threading.Lock()


def takes(env: Mapping[str, str]) -> bool:
    """False if an interpreter would start otherwise with this environment than with ours, but for ``PYTHONPATH``."""
    return AVAILABLE and _read_at_the_start(env) == _read_at_the_start(_environment())


def _read_at_the_start(env: Mapping[str, str]) -> tuple[dict[str, str], bool]:
    ours = {name: value for name, value in env.items() if name.startswith("PYTHON") and name != "PYTHONPATH"}
    language = env.get("LC_ALL") or env.get("LC_CTYPE") or env.get("LANG") or "C"
    return ours, language in ("C", "POSIX") or "UTF-8" in language.upper()


def start(
    words: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    streams: tuple[int, int, int],
    limits: Mapping[int, int] | None = None,
    module: str = "mcp_governor",
) -> int:
    """Start ``python -m MODULE WORDS`` as a child of this process, in a session of its own; its number."""
    with _ONE_AT_A_TIME:
        template = _template(module)
    order = {"words": list(words), "cwd": str(cwd), "env": dict(env), "limits": list((limits or {}).items())}
    sent = json.dumps(order).encode()
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    with _ONE_AT_A_TIME:
        prctl(_PR_SET_CHILD_SUBREAPER, 1)
        try:
            socket.send_fds(template, [len(sent).to_bytes(8, "big")], streams)
            template.sendall(sent)
            return int.from_bytes(_exactly(template, 9)[:8], "big")
        finally:
            prctl(_PR_SET_CHILD_SUBREAPER, 0)


@dataclass(frozen=True)
class End:
    """What a run came to; ``hung``: it was killed after its time."""

    code: int
    usage: resource.struct_rusage
    hung: bool


def code_of(child: int, seconds: float) -> int:
    """The exit code of a run.

    Raises:
        subprocess.TimeoutExpired: it takes longer, and was killed.
    """
    end = ended(child, seconds)
    if end.hung:
        raise subprocess.TimeoutExpired("mcp-governor", seconds)
    return end.code


def ended(child: int, seconds: float) -> End:
    """Wait for a run, and kill it and its process group where it takes longer. What it leaves behind stays."""
    end = os.pidfd_open(child)
    hung = True
    try:
        hung = not select.select([end], [], [], seconds)[0]
    finally:
        os.close(end)
        if hung:
            os.killpg(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    return End(os.waitstatus_to_exitcode(status), usage, hung)


def _exactly(source: socket.socket, size: int) -> bytes:
    read = b""
    while len(read) < size:
        piece = source.recv(size - len(read))
        if not piece:
            raise EOFError("the template has ended")
        read += piece
    return read


@cache
def _environment() -> dict[str, str]:
    """What the templates start with: the environment of the first run, without the marks of a single test."""
    return {name: value for name, value in os.environ.items() if name not in ("MCP_GOVERNOR_TEST", "LOGNAME")}


@cache
def _template(module: str) -> socket.socket:
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno()), module],
            pass_fds=[theirs.fileno()],
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _load(module: str) -> None:
    import mcp_governor

    for found in pkgutil.walk_packages(mcp_governor.__path__, "mcp_governor."):
        if not found.name.endswith("__main__") and not found.name.startswith(_STRANGERS):
            with contextlib.suppress(ImportError):
                importlib.import_module(found.name)
    if module == "pytest":
        for name in ("pytest", "mcp", "mcp_governor.wire.hosted"):
            importlib.import_module(name)
        for plugin in metadata.entry_points(group="pytest11"):
            plugin.load()


def _serve(orders: socket.socket) -> dict[str, Any] | None:
    """Fork a process for each order; in that process, return the order."""
    while True:
        size, streams, _, _ = socket.recv_fds(orders, 8, 3)
        if len(size) < 8:
            return None
        order = json.loads(_exactly(orders, int.from_bytes(size, "big")))
        # The first child ends at once, so that the second one becomes a child of whoever asked.
        between = os.fork()
        if between == 0:
            number = os.fork()
            if number == 0:
                return {**order, "streams": streams}
            os.write(orders.fileno(), number.to_bytes(8, "big"))
            os._exit(0)
        os.waitpid(between, 0)
        orders.sendall(b".")
        for stream in streams:
            os.close(stream)


def _become(order: dict[str, Any]) -> None:
    import resource

    os.setsid()
    for number, stream in enumerate(order["streams"]):
        os.dup2(stream, number)
        os.close(stream)
    # Those of the template think that they are where it has its own, which can be sought in.
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", errors=sys.stdout.errors, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    path = order["env"].get("PYTHONPATH", "")
    sys.path[:0] = [order["cwd"], *(path.split(os.pathsep) if path else [])]
    sys.argv[1:] = order["words"]
    for what, limit in order["limits"]:
        if limit:
            resource.setrlimit(what, (limit, limit))


if __name__ == "__main__":
    _number, _module = sys.argv[1:]
    sys.path.pop(0)
    _load(_module)
    with socket.socket(fileno=int(_number)) as _orders:
        _order = _serve(_orders)
    if _order is not None:
        _become(_order)
        runpy.run_module(_module, run_name="__main__", alter_sys=True)
