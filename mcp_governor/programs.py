"""Finds the programs that we start on our own: git, uvx, npx."""

from __future__ import annotations

import os


def find_program(name: str) -> str | None:
    """The path of a program, from the absolute folders in ``PATH``; ``None`` if it is in none of them.

    Windows searches the current folder first, and elsewhere ``PATH`` may contain ``.``. Either would run a program from
    the repository under the name of one that we trust.
    """
    endings = os.environ.get("PATHEXT", ".COM;.EXE;.BAT;.CMD").split(os.pathsep) if os.name == "nt" else [""]
    for folder in filter(os.path.isabs, os.get_exec_path()):
        for ending in endings:
            program = os.path.join(folder, name + ending)  # noqa: PTH118  (what PATH says, as it says it)
            if os.path.isfile(program) and os.access(program, os.X_OK):  # noqa: PTH113
                return program
    return None
