"""A real terminal to run ``mcp-governor`` on: a pseudo-terminal of a certain width."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from dataclasses import dataclass
from pathlib import Path

import warm
from commandline import PYTHON, SECONDS

LINKS = (
    "FORCE_HYPERLINK",
    "VTE_VERSION",
    "WT_SESSION",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "CI",
    "TEAMCITY_VERSION",
)
UNSET = (
    *LINKS,
    *("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LC_ALL", "LC_CTYPE", "PYTHONIOENCODING"),
)
COLOR = re.compile(r"\x1b\[[0-9;]*m")
_ERASED = re.compile(r"[^\n\r]*\r\x1b\[2K")


@dataclass(frozen=True)
class Screen:
    """What a program wrote to its terminal.

    ``text`` is what stays to be seen: without the lines of progress that it erased.
    """

    code: int
    written: bytes

    @property
    def text(self) -> str:
        return _ERASED.sub("", self.written.decode().replace("\r\n", "\n"))

    @property
    def plain(self) -> str:
        """Without color."""
        return COLOR.sub("", self.text)

    @property
    def widest(self) -> int:
        return max(map(len, self.plain.splitlines()), default=0)


def clean(**env: str) -> dict[str, str]:
    """Our environment, with nothing in it that says how a terminal is written to but ``env``."""
    kept = {name: value for name, value in os.environ.items() if name not in UNSET}
    return {**kept, "TERM": "xterm-256color", "LANG": "C.UTF-8", **env}


def on_terminal(*arguments: str, cwd: Path, columns: int = 80, program: tuple[str, ...] = (), **env: str) -> Screen:
    """Run ``mcp-governor ARGUMENTS`` (or another program) with both outputs on a terminal of ``columns``."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
    whole = clean(**env)
    if not program and warm.takes(whole):
        with Path(os.devnull).open() as nothing:
            child = warm.start(arguments, cwd=cwd, env=whole, streams=(nothing.fileno(), slave, slave))
        os.close(slave)
        try:
            written = _written(master)
            return Screen(warm.code_of(child, SECONDS), written)
        finally:
            os.close(master)
    words = program or (PYTHON, "-m", "mcp_governor")
    process = subprocess.Popen(
        [*words, *arguments], cwd=cwd, env=whole, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave
    )
    os.close(slave)
    try:
        written = _written(master)
        return Screen(process.wait(timeout=SECONDS), written)
    finally:
        os.close(master)
        process.kill()
        process.wait()


def _written(master: int) -> bytes:
    """All that is written to a terminal until its other side is closed."""
    written, end = b"", time.monotonic() + SECONDS
    while time.monotonic() < end and select.select([master], [], [], SECONDS)[0]:
        try:
            part = os.read(master, 65_536)
        except OSError:  # Linux: nobody has the other side open any more
            break
        if not part:
            break
        written += part
    return written
