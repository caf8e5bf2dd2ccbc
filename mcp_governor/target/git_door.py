"""The only way to run git. A repository may be crafted to run programs; this module prevents that.

Only commands that read objects and refs are run; they do not use the index, the work tree, hooks or filters. Everything
else that could run a program is switched off: programs in the configuration of a repository, all transports (a missing
object would be fetched by a program that the repository chooses), and folders that only look like a repository.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from contextvars import ContextVar
from typing import TYPE_CHECKING

from mcp_governor.errors import MissingDependencyError, TargetError
from mcp_governor.files import MEBIBYTE, read_bytes
from mcp_governor.named import NamedTuple
from mcp_governor.programs import find_program

if TYPE_CHECKING:
    import subprocess
    import threading
    from collections.abc import Iterator
    from pathlib import Path

SECONDS = 20.0
"""Timeout for one call, in seconds. Listing 30,000 tags takes a third of a second. A timeout ends the run with an
error."""

MAX_ANSWER = 8 * MEBIBYTE
"""Largest output other than a file, in bytes: 20,000 tags with names of 100 characters have 3 MB. More is an error."""

MEMORY = 256 * MEBIBYTE
"""Limit on git's own memory, in bytes, if the system supports it: a small stored object can have any size when it is
read."""

# These take precedence over all configuration files.
_SETTINGS = {
    "safe.bareRepository": "explicit",  # a folder in the work tree that looks like a repository is not one
    "protocol.allow": "never",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.sshCommand": "false",
    "core.gitProxy": "false",
    "core.askPass": "false",
    "core.alternateRefsCommand": "false",
    "core.bigFileThreshold": "1m",  # larger objects are streamed, not held in memory
    "core.packedGitWindowSize": "16m",
    "core.packedGitLimit": "128m",
    "credential.helper": "",
    "diff.external": "",
    "fetch.recurseSubmodules": "false",
    "gc.auto": "0",
    "gpg.program": "false",
    "maintenance.auto": "false",
    "submodule.recurse": "false",
}

_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_ASKPASS": "false",
    "SSH_ASKPASS": "false",
    "GIT_SSH_COMMAND": "false",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ALLOC_LIMIT": f"{MEMORY // MEBIBYTE}m",
    "LC_ALL": "C",
}

# Variables for the user's own configuration are kept, because it may set safe.directory. Variables that point git to
# another repository are not: git sets them for hooks, and we pass the folder ourselves.
_KEPT = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")


class Answer(NamedTuple):
    """The output of git.

    Attributes:
        code: its exit status.
        out: standard output; standard error is never read.
    """

    code: int
    out: bytes

    @property
    def lines(self) -> list[str]:
        """The output as lines of text."""
        return self.out.decode(errors="replace").splitlines()


_MAX_KEPT = 32 * MEBIBYTE
"""Most output that is cached, in bytes: twice the largest surface file, plus lists. Beyond that, git is run again."""

_LOOK: ContextVar[dict[tuple[str, ...], Answer] | None] = ContextVar("look", default=None)


@contextlib.contextmanager
def one_look() -> Iterator[None]:
    """Cache the output of git inside the block, so that a run sees one state of the repository and starts few
    processes.

    Use it for one run only, because the next run must see new commits and tags.
    """
    if _LOOK.get() is not None:
        yield
        return
    token = _LOOK.set({})
    try:
        yield
    finally:
        _LOOK.reset(token)


def ask_git(folder: Path, *arguments: str, asked: bytes = b"", most: int = MAX_ANSWER) -> Answer:
    """Run a git command that only reads, or return its cached output (:func:`one_look`).

    Args:
        folder: a folder of the work tree.
        arguments: a plumbing command (``rev-parse``, ``cat-file``, ``for-each-ref``) and its arguments.
        asked: its standard input.
        most: maximum size of its output, in bytes.

    Returns:
        The output. If ``folder`` is not in a repository that git may read, git is not run, and the status is 128.

    Raises:
        MissingDependencyError: git is not installed.
        TargetError: git took longer than :data:`SECONDS`, or its output is larger than ``most``.
    """
    kept = _LOOK.get()
    question = (str(folder), *arguments, asked.decode("latin-1"))
    if kept is not None and question in kept:
        return kept[question]
    answer = _ask(folder, arguments, asked, most)
    if kept is not None and sum(len(known.out) for known in kept.values()) + len(answer.out) <= _MAX_KEPT:
        kept[question] = answer
    return answer


def _ask(folder: Path, arguments: tuple[str, ...], asked: bytes, most: int) -> Answer:
    import subprocess
    import threading

    if not in_repository(folder):
        return Answer(128, b"")
    program = find_program("git")
    if program is None:
        raise MissingDependencyError("git is not installed.", "Install git, or name a surface file.")
    settings = [word for key, value in _SETTINGS.items() for word in ("-c", f"{key}={value}")]
    process = subprocess.Popen(
        (program, "-C", str(folder), "--no-pager", "--no-optional-locks", *settings, *arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(),
        start_new_session=True,
    )
    late = threading.Event()
    watch = threading.Timer(SECONDS, _end, (process, late))
    feeder = threading.Thread(target=_feed, args=(process, asked), daemon=True)
    try:
        _limit_memory(process.pid)
        watch.start()
        feeder.start()
        out = _bounded(process, most)
    finally:
        watch.cancel()
        _end(process)
        process.wait()
        feeder.join()
        assert process.stdout is not None
        process.stdout.close()
    if late.is_set():
        raise TargetError(f"git did not answer within {SECONDS:.0f} seconds.", "Try again.")
    if out is None:
        raise TargetError(f"git answered more than {most // MEBIBYTE} MiB.", "Name a surface file instead.")
    return Answer(process.returncode, out)


def _bounded(process: subprocess.Popen[bytes], most: int) -> bytes | None:
    """The complete output of a process that exited by itself; ``None`` if it is more than ``most`` bytes."""
    assert process.stdout is not None
    parts: list[bytes] = []
    size = 0
    while part := os.read(process.stdout.fileno(), 65_536):
        parts.append(part)
        size += len(part)
        if size > most:
            return None
    process.wait()
    return b"".join(parts)


def _feed(process: subprocess.Popen[bytes], asked: bytes) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.write(asked)
    with contextlib.suppress(OSError):
        process.stdin.close()


def _end(process: subprocess.Popen[bytes], late: threading.Event | None = None) -> None:
    """End git and all processes that it started, which share a process group. Set ``late``."""
    if process.poll() is None:
        if late is not None:
            late.set()
        with contextlib.suppress(OSError):
            if sys.platform != "win32":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()


def _limit_memory(pid: int) -> None:
    """Limit the memory of a process (Linux only). Mapped files do not count, so that large repositories work."""
    if sys.platform == "linux":
        import resource

        with contextlib.suppress(OSError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_DATA, (MEMORY, MEMORY))


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_KEPT)}
    return {**kept, **_VARIABLES}


def in_repository(folder: Path) -> bool:
    """True if the nearest repository at or above a folder has a work tree, judged by its files.

    git before 2.38 does not support ``safe.bareRepository`` and accepts any folder that looks like a repository. So we
    check ourselves if ``.git`` comes first.
    """
    try:
        here = folder.resolve()
    except (OSError, RuntimeError):
        return False
    for place in (here, *here.parents):
        if _is_git(place / ".git"):
            return True
        if _looks_bare(place):
            return False
    return False


def _is_git(path: Path) -> bool:
    """True if git would accept ``.git`` as a repository, or as a file with its location."""
    if path.is_dir():
        return _looks_bare(path) or (path / "HEAD").is_file()
    try:
        return read_bytes(path, limit=65_536).startswith(b"gitdir: ")
    except OSError:
        return False


def _looks_bare(folder: Path) -> bool:
    return (folder / "HEAD").exists() and (folder / "objects").exists() and (folder / "refs").exists()
