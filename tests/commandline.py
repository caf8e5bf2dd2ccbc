"""The command line as a user's shell runs it: a process, bounded in time, and whatever it left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest
import warm
from support import SERVERS, Leash

from mcp_governor.cli import run

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


def governor(
    *arguments: str, cwd: Path, env: dict[str, str] | None = None, alone: bool = False, cold: bool = False
) -> Outcome:
    """Run ``mcp-governor ARGUMENTS`` in a folder.

    Args:
        arguments: words of the command line.
        cwd: the folder.
        env: variables besides ours; ``alone``: instead of ours.
        alone: see ``env``.
        cold: start a new interpreter, because its start matters.
    """
    leash = Leash()
    # A server gets LOGNAME from us, and nothing else that we could mark it with where no configuration names it.
    ours = {} if alone else os.environ
    marked = {**ours, "MCP_GOVERNOR_TEST": leash.mark, "LOGNAME": leash.mark, **(env or {})}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        code = _run(arguments, cwd, marked, out, err, cold=cold)
        return Outcome(code, _read(out), _read(err), leash.left_behind())


def typed(*arguments: str, cwd: Path, env: dict[str, str]) -> tuple[int, str]:
    """Run ``mcp-governor ARGUMENTS`` in this environment alone; the exit code, and both outputs as on one screen."""
    with tempfile.TemporaryFile() as screen:
        return _run(arguments, cwd, env, screen, screen), _read(screen).decode()


def _run(
    arguments: Sequence[str], cwd: Path, env: dict[str, str], out: IO[bytes], err: IO[bytes], *, cold: bool = False
) -> int:
    with Path(os.devnull).open() as nothing:
        if not cold and warm.takes(env):
            streams = (nothing.fileno(), out.fileno(), err.fileno())
            return warm.code_of(warm.start(arguments, cwd=cwd, env=env, streams=streams), SECONDS)
        command = [PYTHON, "-m", "mcp_governor", *arguments]
        done = subprocess.run(
            command, cwd=cwd, env=env, stdin=nothing, stdout=out, stderr=err, timeout=SECONDS, check=False
        )
        return done.returncode


def _read(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def governor_here(*arguments: str, capsys: pytest.CaptureFixture[str]) -> Outcome:
    """The same within this process, in its folder: for what starts nothing and so leaves nothing."""
    capsys.readouterr()
    code = run(arguments)
    captured = capsys.readouterr()
    return Outcome(code, captured.out.encode(), captured.err.encode(), [])


def hostile(mode: str) -> tuple[str, ...]:
    """The words after ``--`` that start a mode of ``servers/hostile.py``."""
    return ("--", PYTHON, str(SERVERS / "hostile.py"), mode)


def plain(**how: Any) -> tuple[str, ...]:
    """The words after ``--`` that start ``servers/plain.py``."""
    return ("--", PYTHON, str(SERVERS / "plain.py"), json.dumps(how))


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, hidden ones too."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
