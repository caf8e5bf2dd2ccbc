"""Where the server of a folder is installed: the virtual environment of its project, if that is not ours."""

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
    """The Python of the environment that a project's server is installed in.

    An active environment that is ours is what the user (or tox) chose. Else it is the first that has an MCP SDK:
    ``.venv`` or ``venv`` of the project, then the environment that is active in the shell.

    Args:
        folder: of the project; folders above it count up to the top of its repository.

    Returns:
        The path of a program; empty where the environment is ours, or none has an SDK.
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
    """The path of a program in the virtual environment of a project, activated or not; ``None`` where it is not there.

    Only for commands that run the project anyway: whoever brings a checkout brings these programs.

    Args:
        name: as a command line names it, without a path.
        folder: of the project.
    """
    if "/" in name or "\\" in name or name in ("", ".", ".."):
        return None
    programs, ending = ("Scripts", ".exe") if os.name == "nt" else ("bin", "")
    for environment in (folder / known for known in _NAMES):
        # pyvenv.cfg is what makes it one.
        program = environment / programs / f"{name}{ending}"
        if (environment / "pyvenv.cfg").is_file() and program.is_file() and os.access(program, os.X_OK):
            return str(program)
    return None
