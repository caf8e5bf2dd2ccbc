"""The command line as a user's shell runs it: a process, bounded in time, and whatever it left behind."""

from __future__ import annotations

import atexit
import contextlib
import importlib
import io
import json
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support import SERVERS, Leash

import mcp_governor
from mcp_governor.__main__ import main
from mcp_governor.cli import run
from mcp_governor.secrets import forget

SECONDS = 60
"""More than any of these runs may take; one that needs it hangs."""

PYTHON = sys.executable


@dataclass(frozen=True)
class Outcome:
    """What one run came to. ``left`` are the processes that it left running."""

    code: int
    stdout: bytes
    stderr: bytes
    left: list[str]

    @property
    def out(self) -> str:
        return self.stdout.decode()

    @property
    def err(self) -> str:
        return self.stderr.decode()

    @property
    def report(self) -> dict[str, Any]:
        """Standard output as the JSON report."""
        document: dict[str, Any] = json.loads(self.stdout)
        return document

    def unsafe(self) -> set[str]:
        """Characters of either stream that a terminal could be fooled by."""
        words = self.stdout.decode("utf-8", "surrogateescape") + self.stderr.decode("utf-8", "surrogateescape")
        return {char for char in words if char != "\n" and unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co"}}


def governor(*arguments: str, cwd: Path, env: dict[str, str] | None = None) -> Outcome:
    """Run ``mcp-governor ARGUMENTS`` in a folder."""
    leash = Leash()
    # A server gets LOGNAME from us, and nothing else that we could mark it with where no configuration names it.
    marked = {"MCP_GOVERNOR_TEST": leash.mark, "LOGNAME": leash.mark}
    done = subprocess.run(
        [PYTHON, "-m", "mcp_governor", *arguments],
        cwd=cwd,
        env={**os.environ, **marked, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr, leash.left_behind())


def governor_forked(*arguments: str, cwd: Path, env: dict[str, str] | None = None, alone: bool = False) -> Outcome:
    """The same as :func:`governor` in a process that need not load the program first; ``alone``: with no other env."""
    whole = dict(env or {}) if alone else {**os.environ, **(env or {})}
    if not can_fork(whole):
        assert not alone
        return governor(*arguments, cwd=cwd, env=env)
    leash = Leash()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        marked = {"MCP_GOVERNOR_TEST": leash.mark, "LOGNAME": leash.mark}
        child = fork(*arguments, cwd=cwd, env={**whole, **marked}, out=out.fileno(), err=err.fileno())
        code = ended(child)
        written = [os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0) for file in (out, err)]
    return Outcome(code, *written, leash.left_behind())


def can_fork(env: dict[str, str]) -> bool:
    """Whether a copy of this process is like a new one: nothing but its main thread, and streams that are UTF-8."""
    is_utf8 = "PYTHONIOENCODING" not in env and not env.get("LC_ALL") and "UTF-8" in env.get("LANG", "C.UTF-8")
    return sys.platform == "linux" and is_utf8 and threading.active_count() == 1


def fork(*arguments: str, cwd: Path, env: dict[str, str], out: int, err: int) -> int:
    """Start ``mcp-governor ARGUMENTS`` as a copy of this process, which has the modules loaded. Returns its id."""
    _loaded()
    if child := os.fork():
        return child
    code = 70
    try:
        code = _run_copied(arguments, cwd, env, out, err)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _run_copied(arguments: tuple[str, ...], cwd: Path, env: dict[str, str], out: int, err: int) -> int:
    # Whatever is to be tidied up at the end of the tests is not this process's to tidy.
    atexit._clear()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    copies = os.dup(out), os.dup(err)
    for number, copy in enumerate(copies, start=1):
        os.dup2(copy, number)
    os.closerange(3, 1024)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    sys.argv = ["mcp-governor", *arguments]
    forget()
    try:
        main()
    except SystemExit as end:
        code = end.code
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else 70


@cache
def _loaded() -> None:
    """Load what most commands load, once; what a copy loads is lost with it."""
    found = (module.name for module in pkgutil.walk_packages(mcp_governor.__path__, "mcp_governor."))
    ours = (name for name in found if name.split(".")[1] in _STATIONS)
    for name in (*ours, "jsonschema", "rich.console", "rich.table", "rich.text"):
        importlib.import_module(name)


_STATIONS = frozenset(
    {
        *("catalogue", "change", "checking", "cli", "config", "linting", "policy", "report", "surface", "target"),
        *("version_sources", "wire"),
    }
)


def ended(child: int) -> int:
    """The exit code of a copy; one that does not end is killed."""
    end = time.monotonic() + SECONDS
    while not (found := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.005)
    return os.waitstatus_to_exitcode(found[1])


def governor_here(*arguments: str, capsys: pytest.CaptureFixture[str]) -> Outcome:
    """The same within this process, in its folder: for what starts nothing and so leaves nothing."""
    capsys.readouterr()
    code = run(arguments)
    captured = capsys.readouterr()
    return Outcome(code, captured.out.encode(), captured.err.encode(), [])


def typed_here(*arguments: str, cwd: Path, env: dict[str, str]) -> tuple[int, str]:
    """``mcp-governor ARGUMENTS`` as a shell with this environment starts it, but within this process.

    Most of what a process of its own costs is loading modules, again for each command.

    Returns:
        The exit code, and what stands on the screen: standard output and error in one.
    """
    screen = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with pytest.MonkeyPatch.context() as patch, Path(os.devnull).open() as nothing, contextlib.chdir(cwd):
        for name in os.environ.keys() - env.keys():
            patch.delenv(name)
        for name, value in env.items():
            patch.setenv(name, value)
        patch.setattr(sys, "stdin", nothing)
        with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
            code = run(arguments)
    forget()
    return code, screen.buffer.getvalue().decode()  # type: ignore[attr-defined]


def hostile(mode: str) -> tuple[str, ...]:
    """The words after ``--`` that start a mode of ``servers/hostile.py``."""
    return ("--", PYTHON, str(SERVERS / "hostile.py"), mode)


def plain(**how: Any) -> tuple[str, ...]:
    """The words after ``--`` that start ``servers/plain.py``."""
    return ("--", PYTHON, str(SERVERS / "plain.py"), json.dumps(how))


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, hidden ones too."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
