"""A PostgreSQL server of the test's own: Debian's programs, a temporary folder, a free port, a password."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support import free_port, missing

PASSWORD = "kept-Out-Of-Sight-7"
"""Nothing that a command prints has it."""


def _program(name: str) -> str:
    """A program of PostgreSQL; Debian keeps them out of the path."""
    found = [shutil.which(name), *sorted(map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), reverse=True)]
    return next((path for path in found if path), "") or missing(
        f"{name} is not installed; Debian's package is postgresql"
    )


def _owner() -> dict[str, Any]:
    """PostgreSQL does not run as root."""
    return {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """Its URL with the password; it ends with the block."""
    initdb, server, port, owner = _program("initdb"), _program("postgres"), free_port(), _owner()
    folder = Path(tempfile.mkdtemp(prefix="mcp-governor-pg-", dir="/tmp"))
    try:
        (folder / "password").write_text(PASSWORD)
        if owner:
            for path in (folder, folder / "password"):
                shutil.chown(path, owner["user"], owner["group"])
        quiet = {"cwd": folder, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **owner}
        words = [
            "--auth=scram-sha-256",
            "--username=fleet",
            f"--pwfile={folder / 'password'}",
            "--no-sync",
            "--no-locale",
        ]
        made = subprocess.run([initdb, *words, "--encoding=UTF8", str(folder / "data")], check=False, **quiet)
        assert made.returncode == 0, made.stdout.decode()
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(port),
            "unix_socket_directories": str(folder),
            "fsync": "off",
            "shared_buffers": "16MB",
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (folder / "log").open("wb") as log:
            running = subprocess.Popen([server, "-D", str(folder / "data"), *options], **{**quiet, "stdout": log})
        try:
            _wait(port, running, folder / "log")
            yield f"postgresql://fleet:{PASSWORD}@127.0.0.1:{port}/postgres"
        finally:
            running.send_signal(signal.SIGINT)  # "fast": connections are closed
            running.wait(30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait(port: int, running: subprocess.Popen[bytes], log: Path) -> None:
    """Until it takes connections."""
    import time

    import psycopg

    for _ in range(600):
        if running.poll() is not None:
            break
        with contextlib.suppress(psycopg.OperationalError):
            psycopg.connect(host="127.0.0.1", port=port, user="fleet", password=PASSWORD, dbname="postgres").close()
            return
        time.sleep(0.05)
    raise AssertionError(log.read_text())
