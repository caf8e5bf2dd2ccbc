"""A child process with a process group of its own, which is ended as a whole; and the output of a program, bounded.

For programs that we trust to end with their stdin or to be short, and our own modules that answer requests
(:class:`Helper`). A server of a stranger is started by
:mod:`~mcp_governor.programs.leashed`.
"""

from __future__ import annotations

import io
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from mcp_governor.programs.finding import our_python

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_CHUNK = 65_536
"""Size of one read, in bytes: the capacity of a pipe on Linux."""
_LAST_WORDS = 4096
"""How much of the end of standard error is kept, in bytes: its last line says what went wrong."""


class Child:
    """A process that we started. On Windows it has no group, and only the process itself is killed.

    Args:
        command: the program by its path, and its arguments.
        stdin, stdout, stderr: as for ``subprocess.Popen``; by default nothing.
        env: its environment; ours by default.
        cwd: the folder in which it starts; ours by default.
        memory: limit on its memory, in bytes, set on Linux. Mapped files do not count.

    Attributes:
        pid: its process id, which is also that of its group.
        stdin: its stdin if that is a pipe, unbuffered, so that nothing is left in it for a process that is gone.
        stdout: its stdout if that is a pipe.

    Raises:
        OSError: the system cannot start it.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.DEVNULL,
        stderr: int | BinaryIO | None = subprocess.DEVNULL,
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
        memory: int | None = None,
    ) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=env,
            cwd=cwd,
            bufsize=0,
            # Signals from the terminal are for us; we end the child.
            start_new_session=sys.platform != "win32",
        )
        self.pid = self._process.pid
        self.stdin = cast("BinaryIO | None", self._process.stdin)
        self.stdout = _buffered(self._process.stdout)
        self.stderr = _buffered(self._process.stderr)
        if memory is not None and sys.platform == "linux":
            import resource

            with suppress(OSError, ValueError):
                resource.prlimit(self.pid, resource.RLIMIT_DATA, (memory, memory))

    @property
    def lives(self) -> bool:
        """True if it has not exited."""
        return self._process.poll() is None

    def write(self, data: bytes) -> None:
        """Write to its stdin.

        Raises:
            OSError, ValueError: it does not read any more.
        """
        assert self.stdin is not None
        rest = memoryview(data)
        while rest:
            rest = rest[self.stdin.write(rest) :]

    def wait(self, seconds: float | None = None) -> int | None:
        """Its exit status; ``None`` if it still runs after the timeout."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end_group(self) -> None:
        """Kill it and all processes that it started, without waiting for their end."""
        with suppress(OSError):
            if sys.platform != "win32":
                os.killpg(self.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def kill(self) -> int:
        """End it and all processes that it started. Returns its exit status, which is its own if it had already
        exited."""
        self.end_group()
        return self._process.wait()

    def close_pipes(self) -> None:
        """Close our ends of its pipes; nobody may be reading from them."""
        for pipe in (self.stdin, self.stdout, self.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


class Output(NamedTuple):
    """What a program printed.

    Attributes:
        code: its exit status.
        out: its complete stdout; ``None`` if that is larger than was asked for.
        said: the end of its stderr, if that was asked for.
        late: true if it took too long.
    """

    code: int
    out: bytes | None
    said: bytes
    late: bool


def output_of(
    command: Sequence[str],
    asked: bytes = b"",
    *,
    seconds: float,
    most: int,
    stderr: int = subprocess.DEVNULL,
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
    memory: int | None = None,
) -> Output:
    """Run a program to its end, which is also the end of all processes that it started.

    Args:
        command: the program by its path, and its arguments.
        asked: its stdin.
        seconds: the most that it may take.
        most: the most that it may print, in bytes.
        stderr: ``subprocess.PIPE`` to keep its end, ``subprocess.STDOUT`` to read it with stdout.
        env, cwd, memory: see :class:`Child`.

    Raises:
        OSError: the system cannot start it.
    """
    pipe = subprocess.PIPE
    child = Child(command, stdin=pipe, stdout=pipe, stderr=stderr, env=env, cwd=cwd, memory=memory)
    late = threading.Event()

    def end_late() -> None:
        late.set()
        child.end_group()

    watch = threading.Timer(seconds, end_late)
    said = bytearray()
    threads = [threading.Thread(target=_feed, args=(child, asked), daemon=True)]
    if child.stderr is not None:
        threads.append(threading.Thread(target=_keep_end, args=(child.stderr, said), daemon=True))
    try:
        watch.start()
        for thread in threads:
            thread.start()
        out = _bounded(child, most)
    finally:
        watch.cancel()
        code = child.kill()
        for thread in threads:
            thread.join()
        child.close_pipes()
    return Output(code, out, bytes(said), late.is_set())


def _buffered(pipe: object) -> io.BufferedReader | None:
    return None if pipe is None else io.BufferedReader(cast("io.RawIOBase", pipe))


def _feed(child: Child, asked: bytes) -> None:
    assert child.stdin is not None
    with suppress(OSError):
        child.write(asked)
    with suppress(OSError):
        child.stdin.close()


def _keep_end(stream: io.BufferedReader, said: bytearray) -> None:
    while part := stream.read1(_CHUNK):
        said += part
        del said[:-_LAST_WORDS]


def _bounded(child: Child, most: int) -> bytes | None:
    """The complete output of a child that exits by itself; ``None`` if it is more than ``most`` bytes."""
    assert child.stdout is not None
    out = bytearray()
    while part := child.stdout.read1(_CHUNK):
        out += part
        if len(out) > most:
            return None
    child.wait()
    return bytes(out)


# variables for children

# Variables that a program needs to find itself, its user, its language, its certificates and its temporary files.
# Others are not passed on, because they may contain secrets that the server must not see.
_INHERITED = (
    *("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
    "MCP_GOVERNOR_NESTED",  # how many of our own jobs are around: see mcp_governor.server.pool
    *("APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE"),
    *("PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR"),
)

# These variables point our own Python to its modules and would break another one.
_OURS = frozenset({"PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__"})


def clean_environment(more: Mapping[str, str], *, inherits: bool = False) -> dict[str, str]:
    """The environment of a program that is not ours.

    Args:
        more: its own variables.
        inherits: start from all of our variables, not from the few that every program needs.
    """
    if inherits:
        return {name: value for name, value in os.environ.items() if name not in _OURS} | dict(more)
    return {name: os.environ[name] for name in _INHERITED if name in os.environ} | dict(more)


def our_environment(**more: str) -> dict[str, str]:
    """Our own environment, in which Python finds our package even if it is not installed."""
    package = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, **more}


START = 30.0
"""Seconds for one of our processes to start and answer: it takes a tenth of one, and a busy machine some."""

ENDING = 5.0
"""Seconds for a process to end after its stdin; then it is killed."""


class HelperError(Exception):
    """One of our processes did not answer.

    Args:
        what: what it did, to follow its name: ``ended``.
    """

    def __init__(self, what: str) -> None:
        super().__init__(f"a process of mcp-governor {what}")
        self.what = what


class Helper:
    """A process that runs our own code. It ends with its stdin, so also if we are killed.

    Args:
        words: ``-m MODULE`` or a script, and its arguments.
        stderr, cwd: see :class:`~mcp_governor.programs.child.Child`; by default, its stderr is ours.
        variables: added to our own environment.

    Attributes:
        child: the process.
    """

    def __init__(
        self,
        *words: str,
        stderr: int | BinaryIO | None = None,
        cwd: str | Path | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.child = Child(
            our_python(*words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=our_environment(**(variables or {})),
            cwd=cwd,
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        """Forward its output; an empty line marks the end."""
        assert self.child.stdout is not None
        with suppress(OSError, ValueError):
            for line in self.child.stdout:
                self._lines.put(line)
        self._lines.put(b"")

    def send(self, value: Any) -> None:
        """Send one line; of bytes, they are it.

        Raises:
            HelperError: the process is gone.
        """
        line = value if isinstance(value, bytes) else json.dumps(value).encode()
        try:
            self.child.write(line + b"\n")
        except (OSError, ValueError):
            raise HelperError("ended") from None

    def hear(self, seconds: float) -> Any:
        """Wait for one line.

        Raises:
            HelperError: it does not come in time, or the process is gone.
        """
        try:
            line = self._lines.get(timeout=max(0.0, seconds))
        except queue.Empty:
            raise HelperError(f"did not respond within {seconds:,.0f} s") from None
        if not line:
            raise HelperError("ended")
        return json.loads(line)

    def ask(self, value: Any, seconds: float = START) -> Any:
        """Send one line and wait for the answer; see :meth:`send` and :meth:`hear`."""
        self.send(value)
        return self.hear(seconds)

    def end_stdin(self) -> None:
        """Close its stdin, which asks it to end."""
        with suppress(OSError):
            if self.child.stdin is not None:
                self.child.stdin.close()

    def close(self, patience: float = ENDING) -> None:
        """End the process.

        Args:
            patience: seconds to let it end by itself after its stdin.
        """
        self.end_stdin()
        if patience:
            with suppress(KeyboardInterrupt):
                self.child.wait(patience)
        self.child.kill()
        self._reader.join(ENDING)
        if not self._reader.is_alive():
            self.child.close_pipes()
