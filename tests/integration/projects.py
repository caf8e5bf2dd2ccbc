"""Small repositories for the integration tests: files, git, and the command line run inside of them."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from mcp_governor.cli import run
from mcp_governor.surface import build_surface, dump_surface

GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


def tool(name: str, *required: str, **more: Any) -> dict[str, Any]:
    """A tool that takes texts called ``query`` and whatever is required."""
    names = sorted({"query", *required})
    return {
        "name": name,
        "description": f"Looks {name} up in the stock list of the shop and returns the number of pieces.",
        "inputSchema": {
            "type": "object",
            "properties": {word: {"type": "string", "description": f"The {word} to use."} for word in names},
            "required": sorted(required),
            "additionalProperties": False,
        },
        **more,
    }


def surface_text(*tools: dict[str, Any], version: str = "1.0.0") -> str:
    """A recorded surface."""
    info = {"name": "stock", "version": version}
    return dump_surface(build_surface({"serverInfo": info, "tools": list(tools)}))


def write(root: Path, files: dict[str, str]) -> Path:
    """Put files below a folder, which is returned."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


def git(root: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run git in a folder, apart from the machine's own configuration."""
    return subprocess.run(
        ["git", *arguments], cwd=root, env={**os.environ, **GIT, **env}, capture_output=True, text=True, check=False
    )


def repository(root: Path, files: dict[str, str]) -> Path:
    """A git repository with one commit."""
    write(root, files)
    git(root, "init", "-q", "-b", "main")
    return committed(root, "begin")


def committed(root: Path, message: str) -> Path:
    """Commit everything."""
    git(root, "add", "-A")
    done = git(root, "commit", "-q", "--no-verify", "-m", message)
    assert done.returncode == 0, done.stderr
    return root


def governor(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line in a folder, in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with contextlib.chdir(root), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(arguments)
    strings = []
    for stream in (out, err):
        stream.flush()
        strings.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(arguments, code, *strings)


def governor_process(root: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """The command line in a folder, in a process of its own, as a user types it."""
    return python(root, "-m", "mcp_governor", *arguments, **env)


def python(root: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """This Python in a folder."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=root,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def contents(root: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes, caches left out."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
