"""Commits that refs stand for, and the last ones that two histories share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.errors import TargetError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.target.git_door import ask_git, in_repository
from mcp_governor.text import visible

if TYPE_CHECKING:
    from pathlib import Path

UNFIT_REF = lazy_pattern(r"[\0-\x20\x7f]")


def commit_of(folder: Path, ref: str) -> str:
    """The id of the commit of a ref.

    Raises:
        TargetError: the repository or the ref does not exist; for a missing ref, the hint is the fetch command.
    """
    commit = commit_at(folder, ref)
    if commit:
        return commit
    if not in_repository(folder):
        raise TargetError(f"{visible(folder.name)} is not in a git repository.", "Name a surface file instead.")
    remote, _, branch = ref.partition("/") if ref.startswith("origin/") else ("origin", "", ref)
    raise TargetError(
        f'git has no ref "{visible(ref)}" here.',
        f"Fetch it with: git fetch {remote} {visible(branch)} (tags: git fetch --tags)",
    )


def commit_at(folder: Path, ref: str) -> str:
    """The id of the commit of a ref; empty if it does not exist.

    Raises:
        TargetError: git refuses to read the repository.
    """
    if UNFIT_REF.search(ref):
        return ""
    answer = ask_git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if answer.code != 0:
        refuse_silence(folder)
        return ""
    return answer.out.decode("ascii", "replace").strip()


def refuse_silence(folder: Path) -> None:
    """Make sure that empty output from git means that there is nothing, and not that git refuses to read the
    repository.

    Raises:
        TargetError: there is a repository, but git refuses to read it.
    """
    if in_repository(folder) and ask_git(folder, "rev-parse", "--git-dir").code != 0:
        raise TargetError(
            "git refuses to read the repository here.",
            "Run git status to see why. If another user owns the folder, run: "
            "git config --global --add safe.directory FOLDER",
        )


def has_commits(folder: Path) -> bool:
    """True if there is a repository with a commit; without one, git fails to list what is reachable.

    Raises:
        TargetError: git refuses to read the repository.
    """
    if not in_repository(folder):
        return False
    code = ask_git(folder, "rev-parse", "--verify", "--quiet", "HEAD").code
    if code == 0:
        return True
    refuse_silence(folder)
    if code != 1:
        raise TargetError("git cannot read HEAD.", "Check the repository with: git fsck")
    return False


def is_shallow(folder: Path) -> bool:
    """True if the repository is a shallow clone, which usually lacks tags."""
    return ask_git(folder, "rev-parse", "--is-shallow-repository").out.strip() == b"true"
