"""The one door to git. Whoever made the repository may have made it to run something here; nothing of it runs.

Only commands that read objects and refs go through: they use no index, no work tree, no hooks and no filters. What is
left is switched off: programs that the configuration of a repository names, every transport (an object that is missing
would otherwise be fetched, and the repository says by which program), and folders that only look like a repository.
"""

from __future__ import annotations

import contextlib
import os
import signal
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.errors import MissingDependencyError, TargetError
from mcp_governor.files import MEBIBYTE, read_bytes
from mcp_governor.programs import find_program

if TYPE_CHECKING:
    import subprocess
    import threading
    from collections.abc import Iterator
    from pathlib import Path

SECONDS = 20.0
"""Seconds that one call may take. To list 30,000 tags takes a third of one. Beyond it the run ends with an error."""

MAX_ANSWER = 8 * MEBIBYTE
"""Bytes of one answer that is no file: 20,000 tags with names of 100 characters have 3 MB. More is an error."""

MEMORY = 256 * MEBIBYTE
"""Bytes of memory that git itself may take, where the system can limit it: objects are small when they are stored and
of any size when they are read."""

# In the order of git's own precedence these beat what any file says.
_SETTINGS = {
    "safe.bareRepository": "explicit",  # a folder of the work tree that is laid out as a repository is none
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

# The user's own word about configuration stays: safe.directory is said there. What points git at another repository
# does not: a hook that runs us has it set, and we name the folder ourselves.
_KEPT = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")


class Answer(NamedTuple):
    """What git said.

    Attributes:
        code: its exit status.
        out: standard output; standard error is never read.
    """

    code: int
    out: bytes

    @property
    def lines(self) -> list[str]:
        """The output as text, line by line."""
        return self.out.decode(errors="replace").splitlines()


_MOST_KEPT = 32 * MEBIBYTE
"""Bytes of answers that one look keeps: twice the largest surface file, and lists. Beyond, git is asked again."""

_LOOK: ContextVar[dict[tuple[str, ...], Answer] | None] = ContextVar("look", default=None)


@contextlib.contextmanager
def one_look() -> Iterator[None]:
    """Inside, git is asked each question once: a run sees one state of the repository, and each call costs a process.

    It is for one run only. What another run is told must be asked anew: commits and tags come in between.
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
    """Run one git command that reads, or give what it said earlier in this look (:func:`one_look`).

    Args:
        folder: a folder of the work tree.
        arguments: a plumbing command (``rev-parse``, ``cat-file``, ``for-each-ref``) and its arguments.
        asked: its standard input.
        most: bytes that it may answer.

    Returns:
        The answer; status 128 without a call where ``folder`` is in no repository that could be asked.

    Raises:
        MissingDependencyError: git is not installed.
        TargetError: it took longer than :data:`SECONDS` or answered more than ``most``.
    """
    kept = _LOOK.get()
    question = (str(folder), *arguments, asked.decode("latin-1"))
    if kept is not None and question in kept:
        return kept[question]
    answer = _ask(folder, arguments, asked, most)
    if kept is not None and sum(len(told.out) for told in kept.values()) + len(answer.out) <= _MOST_KEPT:
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
    """The output up to its end, with the process ended by itself; ``None`` where it is more than ``most`` bytes."""
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
    """End git and whatever it may have started; it has a process group of its own. Say so in ``late``."""
    if process.poll() is None:
        if late is not None:
            late.set()
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()


def _limit_memory(pid: int) -> None:
    """Where the system can (Linux). Files that git maps do not count, so that large repositories work."""
    try:
        import resource

        resource.prlimit(pid, resource.RLIMIT_DATA, (MEMORY, MEMORY))
    except (ImportError, AttributeError, OSError, ValueError):
        pass


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_KEPT)}
    return {**kept, **_VARIABLES}


def in_repository(folder: Path) -> bool:
    """Whether the nearest repository upwards is one with a work tree, by what lies on the disk.

    git before 2.38 does not know ``safe.bareRepository`` and takes any folder that is laid out as a repository for
    one. So we look ourselves whether ``.git`` comes first.
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
    """Whether git would take ``.git`` for a repository, or for the file that says where it is."""
    if path.is_dir():
        return _looks_bare(path) or (path / "HEAD").is_file()
    try:
        return read_bytes(path, limit=65_536).startswith(b"gitdir: ")
    except OSError:
        return False


def _looks_bare(folder: Path) -> bool:
    return (folder / "HEAD").exists() and (folder / "objects").exists() and (folder / "refs").exists()
