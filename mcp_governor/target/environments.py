"""Find the virtual environment in which the server of a project is installed, if it is not ours."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_governor.files import repository_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = (".venv", "venv")
_PROGRAM, _PACKAGES = (
    ("Scripts/python.exe", "Lib/site-packages") if os.name == "nt" else ("bin/python", "lib/python*/site-packages")
)


def python_of(folder: Path) -> str:
    """The Python of the environment in which a project's server is installed.

    If our own environment is active, the user (or tox) chose it. Otherwise, it is the first environment with an MCP
    SDK: ``.venv`` or ``venv`` of the project, or the environment that is active in the shell.

    Args:
        folder: folder of the project; folders above it are searched up to the top of its repository.

    Returns:
        The path of the interpreter; empty if it is ours, or if no environment has an SDK.
    """
    ours = Path(sys.prefix).resolve()
    active = os.environ.get("VIRTUAL_ENV")
    if active and Path(active).resolve() == ours:
        return ""
    for environment in _environments(folder.resolve(), active):
        program = environment / _PROGRAM
        if program.is_file() and any(environment.glob(f"{_PACKAGES}/mcp")):
            return "" if environment.resolve() == ours else str(program)
    return ""


def _environments(folder: Path, active: str | None) -> Iterator[Path]:
    top = repository_of(folder)
    for place in (folder, *folder.parents):
        yield from (place / name for name in _NAMES)
        if place == top:
            break
    if active:
        yield Path(active)


def project_program(name: str, folder: Path) -> str | None:
    """The path of a program in the virtual environment of a project, active or not; ``None`` if it does not exist.

    Only for commands that run code of the project anyway, because these programs are part of the checkout.

    Args:
        name: name of the program, without a path.
        folder: folder of the project.
    """
    if "/" in name or "\\" in name or name in ("", ".", ".."):
        return None
    programs, ending = ("Scripts", ".exe") if os.name == "nt" else ("bin", "")
    for environment in (folder / known for known in _NAMES):
        # A virtual environment has a pyvenv.cfg.
        program = environment / programs / f"{name}{ending}"
        if (environment / "pyvenv.cfg").is_file() and program.is_file() and os.access(program, os.X_OK):
            return str(program)
    return None
