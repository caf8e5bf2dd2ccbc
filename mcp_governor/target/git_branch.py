"""What a branch changes against a base, as git knows it: files, folders, and commits that only the branch has.

These functions raise ``TargetError`` where git refuses to read the repository or cannot decide what is asked; only
other reasons are said at each.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.errors import TargetError
from mcp_governor.files import MAX_BYTES, repository_of
from mcp_governor.target.git import UNFIT_PATH, files_at
from mcp_governor.target.git_door import ask_git

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Difference(NamedTuple):
    """What HEAD has: the mode of a path relative to the top, ``000000`` if it is gone, and the id of the object."""

    mode: str
    blob: str
    path: str


def _differences(folder: Path, base: str, *paths: str) -> list[_Difference]:
    """What HEAD has and a commit does not have in this form."""
    asked = ("diff-tree", "-r", "-z", "--no-renames", "--full-index", base, "HEAD", *(("--", *paths) if paths else ()))
    answer = ask_git(folder, *asked, most=MAX_BYTES)
    if answer.code != 0:
        raise TargetError("git cannot compare HEAD with the base.", "Check the repository with: git fsck")
    parts = answer.out.decode("utf-8", "surrogateescape").split("\0")
    rows = ((how.split(" "), path) for how, path in zip(parts[::2], parts[1::2], strict=False))
    return [_Difference(how[1], how[3], path) for how, path in rows]


_LINKS = ("120000", "160000")
"""Modes of a symbolic link and of a submodule."""


def replaced_folders(folder: Path, base: str) -> dict[str, str]:
    """Folders of a commit in whose place HEAD has a symbolic link or a submodule: their paths, and the new objects."""
    # A path with a line feed cannot be asked for; nobody has a server there.
    links = [one for one in _differences(folder, base) if one.mode in _LINKS and not UNFIT_PATH.search(one.path)]
    asked = "".join(f"{base}:{one.path}\n" for one in links).encode("utf-8", "surrogateescape")
    answer = ask_git(folder, "cat-file", "--batch-check=%(objecttype)", asked=asked)
    return {one.path: one.blob for one, line in zip(links, answer.lines, strict=True) if line == "tree"}


def changed_files(folder: Path, base: str, path: str) -> dict[str, str]:
    """The files below a path that differ between a commit and HEAD, relative to ``folder`` as the path is, and their
    objects at HEAD; none outside of the repository, where a branch changes nothing.
    """
    here = Path(os.path.realpath(folder))
    top = Path(os.path.realpath(repository_of(here)))
    if not Path(os.path.normpath(here / path)).is_relative_to(top):
        return {}
    found = _differences(folder, base, f":(literal){path}")
    return {Path(os.path.relpath(top / one.path, here)).as_posix(): one.blob for one in found}


def new_links(folder: Path, base: str, paths: Sequence[str]) -> dict[str, str]:
    """Those of some paths, relative to ``folder``, that are symbolic links at HEAD and were not at a commit."""
    literal = [f":(literal){path}" for path in paths]
    found = [one for one in _differences(folder, base, *literal) if one.mode in _LINKS] if literal else []
    return {one.path: one.blob for one in found}


_GOVERNING = ("mcp-governor.toml", "mcp-surface.json", "mcp-schema-changelog.md")


def governs_anything(folder: Path, commit: str) -> bool:
    """True if a commit has a configuration, a surface file or a schema changelog anywhere."""
    answer = ask_git(folder, "ls-tree", "-r", "-z", "--full-tree", "--name-only", commit, most=MAX_BYTES)
    if answer.code != 0:
        raise TargetError("git cannot read the files of a commit.", "Check the repository with: git fsck")
    names = answer.out.decode("utf-8", "surrogateescape").split("\0")
    if any(name.rpartition("/")[2] in _GOVERNING for name in names):
        return True
    projects = [name for name in names if name.rpartition("/")[2] == "pyproject.toml"][:_MAX_PROJECTS]
    here = Path(os.path.realpath(folder))
    top = Path(os.path.realpath(repository_of(here)))
    held = files_at(folder, commit, [Path(os.path.relpath(top / name, here)).as_posix() for name in projects])
    return any(b"[tool.mcp-governor" in data for data in held.values())


_MAX_PROJECTS = 1_000
"""Most project files that are searched for our table; larger monorepos have some hundreds."""


def belongs_to_branch(folder: Path, commit: str, base: str) -> bool:
    """True if a commit is in the history of HEAD and not in that of a base: who makes the branch chose it."""

    def contains(tip: str) -> bool:
        code = ask_git(folder, "merge-base", "--is-ancestor", commit, tip).code
        if code > 1:
            raise TargetError("git cannot read the history.", "Check the repository with: git fsck")
        return code == 0

    return contains("HEAD") and not contains(base)
