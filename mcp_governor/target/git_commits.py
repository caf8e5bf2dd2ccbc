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
    """The id of the commit of a ref; of two with three dots between them, that of :func:`merge_base`.

    Raises:
        TargetError: the repository or the ref does not exist, or there is no such commit; for a missing ref, the hint
            is the fetch command.
    """
    commit = commit_at(folder, ref)
    if commit:
        return commit
    if not in_repository(folder):
        raise TargetError(f"{visible(folder.name)} is not in a git repository.", "Name a surface file instead.")
    if ends := _ends(ref):
        for end in ends:
            commit_of(folder, end)
        shallow = is_shallow(folder)
        raise TargetError(
            f"{visible(ends[0])} and {visible(ends[1])} do not have one last common commit"
            f"{', or this shallow clone lacks the history with it' if shallow else ''}.",
            "Fetch it with: git fetch --unshallow" if shallow else f"Name a commit of {visible(ends[0])}.",
        )
    remote, _, branch = ref.partition("/") if ref.startswith("origin/") else ("origin", "", ref)
    raise TargetError(
        f'git has no ref "{visible(ref)}" here.',
        f"Fetch it with: git fetch {remote} {visible(branch)} (tags: git fetch --tags)",
    )


def commit_at(folder: Path, ref: str) -> str:
    """:func:`commit_of`; empty if it does not exist.

    Raises:
        TargetError: git refuses to read the repository.
    """
    if UNFIT_REF.search(ref):
        return ""
    if ends := _ends(ref):
        return merge_base(folder, *ends)
    answer = ask_git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if answer.code != 0:
        refuse_silence(folder)
        return ""
    return answer.out.decode("ascii", "replace").strip()


def _ends(ref: str) -> tuple[str, str] | None:
    """The two ends of ``A...B``, as ``git diff`` reads it: a missing one is HEAD; ``None`` for a single ref.

    No ref has two dots in its name (git-check-ref-format(1)).
    """
    one, dots, other = ref.partition("...")
    return (one or "HEAD", other or "HEAD") if dots and "..." not in other else None


def merge_base(folder: Path, one: str, other: str = "HEAD") -> str:
    """The id of the last commit that two histories share; empty if there is none, if there are several, or if it is
    unknown because a shallow clone lacks the history.

    Raises:
        TargetError: git refuses to read the repository.
    """
    commits = commit_at(folder, one), commit_at(folder, other)
    if not all(commits):
        return ""
    found = shared_commits(folder, *commits)
    return found[0] if len(found) == 1 and not is_cut_off(folder, *commits, without=found[0]) else ""


def shared_commits(folder: Path, one: str, other: str) -> list[str]:
    """The ids of the last commits that two histories share: several, if each branch was merged into the other.

    Args:
        folder: a folder of the work tree.
        one, other: ids of commits.
    """
    return ask_git(folder, "merge-base", "--all", one, other).lines


def is_cut_off(folder: Path, *commits: str, without: str) -> bool:
    """True if the history of commits, apart from that of another one, ends where the clone is shallow: behind that may
    be a later common commit."""
    if not is_shallow(folder):
        return False
    answer = ask_git(folder, "rev-list", "--max-parents=0", "-1", *commits, f"^{without}")
    return answer.code != 0 or bool(answer.out)


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
