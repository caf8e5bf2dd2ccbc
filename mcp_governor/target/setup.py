"""Why the program of a command does not exist: the project that has it is not installed or built here."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_governor.files import repository_of
from mcp_governor.programs import program_name
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def setup_hint(command: Sequence[str], folder: Path) -> str:
    """How to install or build the project in a folder, if a command lacks just that; empty otherwise.

    Args:
        command: program and arguments.
        folder: where it is started.
    """
    program, *rest = command
    if program_name(program) == "node":
        return _built(next((word for word in rest if not word.startswith("-")), ""), folder)
    if "/" in program or "\\" in program:
        return ""
    import shutil

    if shutil.which(program) is not None:
        return ""
    from mcp_governor.target.discover.python_projects import PythonProject

    project = PythonProject(folder, repository_of(folder))
    if program not in project.scripts:
        return ""
    return f"{program} is a script of this project, which is not installed here. Install it: {project.setup}"


_SOURCES, _BUILT = (".ts", ".mts", ".cts", ".tsx"), ("dist", "build", "lib", "out")
_MAX_ENTRIES = 5_000
"""Most entries of folders that are looked at; a package without its dependencies has fewer."""


def stale_build(command: Sequence[str], folder: Path) -> str:
    """A sentence if a command starts what was built before the last edit of its source; empty otherwise.

    Args:
        command: program and arguments.
        folder: where it is started.
    """
    program, *rest = command
    script = Path(next((word for word in rest if not word.startswith("-")), ""))
    if program_name(program) != "node" or script.is_absolute() or script.parts[:1] not in [(name,) for name in _BUILT]:
        return ""
    from mcp_governor.target.discover.node import has_build

    if not has_build(folder):
        return ""
    built = max((when for when, _ in _files(folder / script.parts[0])), default=0.0)
    edited, source = max(
        (one for one in _files(folder) if one[1].endswith(_SOURCES) and ".test." not in one[1]), default=(0.0, "")
    )
    if not 0 < built < edited:
        return ""
    return f"{script.as_posix()} was built before {one_line(source, 100)} was edited. Build it again: npm run build"


def _files(top: Path) -> Iterator[tuple[float, str]]:
    """Time of the last change and path of files below a folder, without what is built, installed or a test."""
    looked = 0
    folders = [top]
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                looked += 1
                if looked > _MAX_ENTRIES:
                    return
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in _OTHER and not entry.name.startswith("."):
                        folders.append(Path(entry.path))
                else:
                    when = entry.stat(follow_symlinks=False).st_mtime
                    yield when, Path(entry.path).relative_to(top).as_posix()


_OTHER = ("node_modules", "test", "tests", "__tests__", *_BUILT)


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
