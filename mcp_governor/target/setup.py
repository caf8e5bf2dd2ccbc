"""Why the program of a command does not exist: the project that has it is not installed or built here."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_governor.files import repository_of
from mcp_governor.programs import program_name

if TYPE_CHECKING:
    from collections.abc import Sequence


def setup_hint(command: Sequence[str], folder: Path) -> str:
    """How to install or build the project in a folder, if a command lacks just that; empty otherwise.

    Args:
        command: program and arguments.
        folder: where it is started.
    """
    program, *rest = command
    if program_name(program) == "node":
        return _built(next((word for word in rest if not word.startswith("-")), ""), folder)
    if "/" in program or "\\" in program or shutil.which(program) is not None:
        return ""
    from mcp_governor.target.discover.python_projects import PythonProject

    project = PythonProject(folder, repository_of(folder))
    if program not in project.scripts:
        return ""
    return f"{program} is a script of this project, which is not installed here. Install it: {project.setup}"


def _built(script: str, folder: Path) -> str:
    if not script or Path(script).is_absolute() or not (folder / "package.json").is_file():
        return ""
    from mcp_governor.target.discover.node import has_build, install_command, node_file

    if node_file(folder / script) is not None:
        return ""
    build = " && npm run build" if has_build(folder) else ""
    return (
        f"{script} does not exist here. Install this project: {install_command(folder, repository_of(folder))}{build}"
    )
