"""A process between us and a server that ends all processes that the server started. POSIX only.

It does this on request, and also when we exit for any reason, because it waits for the end of a pipe that only we have
open. On Linux it adopts processes whose parent exits (``PR_SET_CHILD_SUBREAPER``), so that neither ``setsid`` nor a
double fork escapes from it. Elsewhere it ends the server's process group.

It runs as a script that must start fast, so it imports only a few modules of the standard library.

It reports on its status pipe, one event per line: ``p PID`` when the server runs or ``e ERRNO`` if it cannot be
started, ``x CODE`` when the server exits, ``l PID COMMAND`` for a process that could not be ended, and ``d`` before the
leash itself exits.
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
"""Interval between two scans for new processes while a server is being ended, in milliseconds."""

MAX_NAMED = 20
"""Most processes that are named; they always fit into the status pipe."""


def fork(control: int, status: int, patience: float) -> int:
    """Turn this process into a leash, and return in a child process that will become the server.

    Args:
        control: pipe to read from; at its end, the server is ended.
        status: pipe to write to; see the module.
        patience: seconds between SIGTERM and SIGKILL, and after SIGKILL.

    Returns:
        A pipe to report an errno; the server's program must not inherit it.
    """
    assert sys.platform != "win32"
    # Do this first, because a server can orphan a process within a millisecond of its start.
    _adopt_orphans()
    failures, failed = os.pipe()
    try:
        server = os.fork()
    except OSError as error:
        _report(status, b"e %d" % (error.errno or 0))
        os._exit(0)
    if server == 0:
        # A new session, so that signals to the server's own process group do not reach the leash.
        os.setsid()
        return failed
    try:
        os.close(failed)
        failure = os.read(failures, 16)
        _report(status, b"e %b" % failure if failure else b"p %d" % server)
        _hold(server, control, status, patience)
    finally:
        os._exit(0)


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        try:
            import ctypes

            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        except (ImportError, OSError, AttributeError):
            pass  # a Python without ctypes: processes that stay below the server are still found


def _hold(server: int, control: int, status: int, patience: float) -> None:
    assert sys.platform != "win32"
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    _close_streams(control, status)
    news, wakeup = os.pipe()
    os.set_blocking(news, False)
    os.set_blocking(wakeup, False)
    signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    waiting = select.poll()
    waiting.register(control, select.POLLIN)
    waiting.register(news, select.POLLIN)
    while _any_alive(server, status):
        if any(number == control for number, _ in waiting.poll()):
            _end(server, status, patience, news)
            break
        os.read(news, 4096)
    _report(status, b"d")


def _close_streams(*kept: int) -> None:
    """Close the server's streams, so that their end becomes visible, and all other files."""
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
                    pass  # the file descriptor that listed the folder


def _any_alive(server: int, status: int) -> bool:
    """Reap processes that have exited, and report the server's exit; returns true if any process is left."""
    assert sys.platform != "win32"
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
    assert sys.platform != "win32"
    waiting = select.poll()
    waiting.register(news, select.POLLIN)
    left: Iterable[int] = ()
    for number in (signal.SIGTERM, signal.SIGKILL):
        until = time.monotonic() + patience
        asked = set[int]()
        while _any_alive(server, status):
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
    for pid in sorted(map(abs, left))[:MAX_NAMED]:
        _report(status, b"l %d %b" % (pid, _command_of(pid)))


def descendants(pid: int) -> list[int]:
    """The live descendants of a process; Linux only."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            # The second field is the program's name in parentheses, which may contain spaces and parentheses.
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
        pass  # the parent has exited


def main() -> NoReturn:
    """``leash.py CONTROL STATUS PATIENCE COMMAND…``: start the command in this environment and folder."""
    assert sys.platform != "win32"
    control, status = int(sys.argv[1]), int(sys.argv[2])
    os.set_inheritable(control, False)
    os.set_inheritable(status, False)
    failed = fork(control, status, float(sys.argv[3]))
    try:
        # Python ignores these two signals, and the program would inherit that.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        os.execvp(sys.argv[4], sys.argv[4:])
    except OSError as error:
        os.write(failed, b"%d" % (error.errno or 0))
    finally:
        os._exit(127)


if __name__ == "__main__":
    main()
