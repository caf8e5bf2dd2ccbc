"""Finds the programs that we start: our own Python, git, uvx, npx, and on Windows those that a user names."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WINDOWS = os.name == "nt"

_PATHEXT = ".COM;.EXE;.BAT;.CMD"
"""Endings of programs on Windows where ``PATHEXT`` is not set."""

_BATCH = (".bat", ".cmd")
"""Endings of programs that Windows runs through ``cmd.exe``, which reads their arguments as a command line."""

_ALWAYS_READ = frozenset('"%\r\n')
_READ_UNLESS_QUOTED = frozenset("&|<>^")


def our_python(*words: str) -> list[str]:
    """A command that runs our own interpreter with our own code.

    Without ``-P`` Python would import from the folder of the script or, with ``-m``, from the current one, which may be
    a stranger's checkout: a ``click.py`` there would run in place of the library.

    Args:
        words: ``-m MODULE`` or a script, and its arguments.
    """
    return [sys.executable, "-P", *words]


def our_script(script: str, *words: str) -> list[str]:
    """A command that runs one of our scripts that needs the standard library alone; it starts fastest so.

    Args:
        script: its path.
        words: its arguments.
    """
    return [sys.executable, "-I", "-S", script, *words]


def our_interpreter() -> str:
    """The path of our interpreter, to name it, or to run code of the user in it. Our own code is started by
    :func:`our_python`."""
    return sys.executable


def find_program(name: str, environment: Mapping[str, str] | None = None) -> str | None:
    """The path of a program, from the absolute folders in ``PATH``; ``None`` if it is in none of them.

    Windows searches the current folder first, and elsewhere ``PATH`` may contain ``.``. Either would run a program from
    the repository under the name of one that we trust.

    Args:
        name: without its ending, which Windows adds.
        environment: has the ``PATH``; ours by default.
    """
    for folder in filter(os.path.isabs, os.get_exec_path(environment)):
        if (program := program_in(folder, name)) is not None:
            return program
    return None


def program_in(folder: str, name: str) -> str | None:
    """The path of a program in one folder; ``None`` if it is not there."""
    for spelled in _spellings(name):
        program = os.path.join(folder, spelled)  # noqa: PTH118  (what PATH says, as it says it)
        if os.path.isfile(program) and os.access(program, os.X_OK):  # noqa: PTH113
            return program
    return None


def program_name(program: str) -> str:
    """What a program is called, without its folder and without the ending that Windows adds: ``npx``."""
    name = os.path.basename(program)  # noqa: PTH119
    stem, ending = os.path.splitext(name)  # noqa: PTH122
    return stem if WINDOWS and ending.upper() in _PATHEXT.split(";") else name


def startable(command: Sequence[str], environment: Mapping[str, str], folder: str | None = None) -> list[str]:
    """A command as the operating system finds its program.

    Windows looks only for files that end in ``.exe``, from our own folder and ``PATH``. ``npx`` and most programs of
    npm are ``.cmd`` files, and the ``PATH`` and folder that count are the child's.

    Args:
        command: not empty.
        environment: of the child.
        folder: in which the child starts; ours by default.

    Returns:
        On Windows, the command with the path of its program if that is found; elsewhere the command itself.
    """
    name, *arguments = command
    if not WINDOWS:
        return [name, *arguments]
    if any(sign in name for sign in "/\\:"):
        found = program_in(folder or "", name)
    else:
        # The names of variables ignore case on Windows.
        found = find_program(name, {key.upper(): value for key, value in environment.items()})
    return [found or name, *arguments]


def misread(command: Sequence[str]) -> str | None:
    """An argument that ``cmd.exe`` would read as more than text; ``None`` if there is none.

    Args:
        command: from :func:`startable`. Only batch files have such arguments, and only Windows has batch files.
    """
    program, *arguments = command
    if not WINDOWS or not program.lower().endswith(_BATCH):
        return None
    for argument in arguments:
        # Python quotes an argument that contains white space, and no other one.
        quoted = not argument or " " in argument or "\t" in argument
        if set(argument) & (_ALWAYS_READ if quoted else _ALWAYS_READ | _READ_UNLESS_QUOTED):
            return argument
    return None


def _spellings(name: str) -> tuple[str, ...]:
    """The names of the files that may be the program: on Windows with each ending, unless it has one."""
    if not WINDOWS:
        return (name,)
    endings = [ending for ending in os.environ.get("PATHEXT", _PATHEXT).split(";") if ending]
    if name.lower().endswith(tuple(ending.lower() for ending in endings)):
        return (name,)
    return tuple(name + ending for ending in endings)
