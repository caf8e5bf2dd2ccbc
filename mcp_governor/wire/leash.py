"""The process between us and a server: it ends everything that the server started. POSIX only.

It does so when it is asked to, and when we are gone, however we went: it waits for the end of a pipe that only we
hold. On Linux it adopts whatever loses its parent (``PR_SET_CHILD_SUBREAPER``), so that neither ``setsid`` nor a double
fork leads away from it. Elsewhere it ends the server's process group.

It runs in a fork of ours or as a script of its own; :class:`mcp_governor.wire.hold.Hold` decides which. As a script it
has to start fast, so it imports nothing but a few modules of the standard library.

It reports on its status pipe, one line each: ``p PID`` when the server runs or ``e ERRNO`` when it cannot be started,
``x CODE`` when the server exits, ``l PID COMMAND`` for a process that could not be ended, and ``d`` at its own end.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NoReturn

_LINUX = sys.platform == "linux"
_PR_SET_CHILD_SUBREAPER = 36
"""``PR_SET_CHILD_SUBREAPER`` of Linux's ``prctl.h``."""
_LOOK = 50
"""Milliseconds between two looks for new processes while a server is being ended."""

MOST_NAMED = 20
"""Processes that are named; the status pipe always has room for them."""


def fork(control: int, status: int, patience: float) -> int:
    """Turn this process into a leash, and return in a child of it that is to become the server.

    Args:
        control: pipe to read from; the server is ended when it ends.
        status: pipe to write to; see the module.
        patience: seconds between SIGTERM and SIGKILL, and after SIGKILL.

    Returns:
        A pipe that takes an errno; the server's program must not inherit it.
    """
    # First, because a server can orphan a process within a millisecond of its start.
    _adopt_orphans()
    told, tell = os.pipe()
    try:
        server = os.fork()
    except OSError as error:
        _report(status, b"e %d" % (error.errno or 0))
        os._exit(0)
    if server == 0:
        # Out of reach of what the server sends to its own group.
        os.setsid()
        return tell
    try:
        os.close(tell)
        failure = os.read(told, 16)
        _report(status, b"e %b" % failure if failure else b"p %d" % server)
        _hold(server, control, status, patience)
    finally:
        os._exit(0)


def _adopt_orphans() -> None:
    if _LINUX:
        try:
            # What ctypes is made of: the server waits for this, and ctypes itself takes five times as long to import.
            import _ctypes

            prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")  # type: ignore[arg-type]
            _ctypes.call_function(prctl, (_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
        except (ImportError, OSError, AttributeError):
            pass  # a Python without ctypes: what stays below the server is still found


def _hold(server: int, control: int, status: int, patience: float) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    _let_go(control, status)
    news, tell = os.pipe()
    os.set_blocking(news, False)
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    waiting = select.poll()
    waiting.register(control, select.POLLIN)
    waiting.register(news, select.POLLIN)
    while _somebody_lives(server, status):
        if any(number == control for number, _ in waiting.poll()):
            _end(server, status, patience, news)
            break
        os.read(news, 4096)
    _report(status, b"d")


def _let_go(*kept: int) -> None:
    """Close the server's streams, whose end nobody would see otherwise, and in a fork everything else of ours."""
    os.chdir("/")
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    if _LINUX:
        for number in map(int, os.listdir("/proc/self/fd")):
            if number > 2 and number not in kept:
                try:
                    os.close(number)
                except OSError:
                    pass  # the one by which the folder was listed


def _somebody_lives(server: int, status: int) -> bool:
    """Free the processes that have exited, and report the server's exit; whether any is left."""
    try:
        while True:
            pid, code = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return True
            if pid == server:
                _report(status, b"x %d" % os.waitstatus_to_exitcode(code))
    except ChildProcessError:
        return not _LINUX and _sent(-server, 0)


def _end(server: int, status: int, patience: float, news: int) -> None:
    waiting = select.poll()
    waiting.register(news, select.POLLIN)
    left: Iterable[int] = ()
    for number in (signal.SIGTERM, signal.SIGKILL):
        until = time.monotonic() + patience
        asked = set[int]()
        while _somebody_lives(server, status):
            if time.monotonic() >= until:
                break
            left = descendants(os.getpid()) if _LINUX else [-server]
            for target in left:
                if number == signal.SIGKILL or target not in asked:
                    _sent(target, number)
                    asked.add(target)
            if waiting.poll(_LOOK):
                os.read(news, 4096)
        else:
            return
    for pid in sorted(map(abs, left))[:MOST_NAMED]:
        _report(status, b"l %d %b" % (pid, _command_of(pid)))


def descendants(pid: int) -> list[int]:
    """The living processes below one; Linux only."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            # The second field is the program's name in parentheses, and may hold spaces and parentheses.
            state, parent, *_ = _read(f"/proc/{name}/stat").rpartition(b")")[2].split() or (b"Z", 0)
            if state != b"Z":
                children.setdefault(int(parent), []).append(int(name))
    found = [pid]
    for parent in found:
        found += children.get(parent, ())
    return found[1:]


def _sent(target: int, number: int) -> bool:
    try:
        os.kill(target, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _command_of(pid: int) -> bytes:
    return _read(f"/proc/{pid}/cmdline")[:200].replace(b"\0", b" ").replace(b"\n", b" ").strip()


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _report(status: int, line: bytes) -> None:
    try:
        os.write(status, line + b"\n")
    except OSError:
        pass  # we are gone


def main() -> NoReturn:
    """``leash.py CONTROL STATUS PATIENCE COMMAND…``: start the command in this environment and folder."""
    control, status = int(sys.argv[1]), int(sys.argv[2])
    os.set_inheritable(control, False)
    os.set_inheritable(status, False)
    tell = fork(control, status, float(sys.argv[3]))
    try:
        # Python ignores these two, and a program would inherit that.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        os.execvp(sys.argv[4], sys.argv[4:])
    except OSError as error:
        os.write(tell, b"%d" % (error.errno or 0))
    finally:
        os._exit(127)


if __name__ == "__main__":
    main()
