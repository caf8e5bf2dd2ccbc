"""The command line as a user's shell runs it: a process, bounded in time, and whatever it left behind."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support import SERVERS, Leash

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
