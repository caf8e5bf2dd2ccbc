"""Commits that refs stand for, and files: at a ref, and in the history of a commit.

These functions raise ``TargetError`` where git refuses to read the repository or cannot decide what is asked; only
other reasons are said at each.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.errors import TargetError
from mcp_governor.files import MAX_BYTES, repository_of, shown_size
from mcp_governor.lazy import lazy_pattern
from mcp_governor.target.git_door import Answer, ask_git, in_repository
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


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
    """:func:`commit_of`; empty if it does not exist."""
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
    """True if there is a repository with a commit; without one, git fails to list what is reachable."""
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


_MAX_STATES = 100
"""Most states of one file that are read from the history of HEAD, newest first; older ones are ignored."""

UNFIT_PATH = lazy_pattern(r"[\0\n]|^/")


class Blob(NamedTuple):
    object_id: str
    size: int


def file_at(folder: Path, ref: str, path: str) -> bytes:
    """The content of ``path`` (relative to ``folder``) at ``ref``.

    Raises:
        TargetError: the repository, the ref or the file does not exist, or the file is larger than
            :data:`mcp_governor.files.MAX_BYTES`. For a missing ref, the hint is the fetch command.
    """
    shown_ref, shown_path = visible(ref), visible(path)
    commit = commit_of(folder, ref)
    (found,) = blobs_at(folder, [(commit, path)])
    if found is None:
        refuse_lost(folder, commit, path, ref)
        raise TargetError(
            f"{shown_path} does not exist at git ref {shown_ref}.",
            f"Name another file: git:{shown_ref}:PATH, or record one and commit it.",
        )
    if found.size > MAX_BYTES:
        raise TargetError(
            f"{shown_path} at git ref {shown_ref} is larger than {shown_size(MAX_BYTES)}.",
            "Check the path: it must be a recorded surface.",
        )
    content = contents_of(folder, [found]).get(found.object_id)
    if content is None:
        raise TargetError(f"git cannot read {shown_path} at git ref {shown_ref}.", "Check it with: git fsck")
    return content


def blobs_at(folder: Path, places: Sequence[tuple[str, str]]) -> list[Blob | None]:
    """The blobs for commits (or tags) and paths relative to ``folder``, without their contents.

    Raises:
        TargetError: an object is damaged, missing or too large, so it is unknown if the file exists.
    """
    if not places:
        return []
    asked = [f"{commit}:./{path}" if _is_inside(folder, path) else "-" for commit, path in places]
    questions = "".join(f"{line}\n" for line in asked)
    answer = ask_git(folder, "cat-file", "--batch-check", asked=questions.encode("utf-8", "surrogateescape"))
    if answer.code != 0 or len(answer.lines) != len(asked):
        raise TargetError("git cannot read the files of a commit.", "Check the repository with: git fsck")
    found: list[Blob | None] = []
    for line in answer.lines:
        words = line.split(" ")
        is_blob = len(words) == 3 and words[1] == "blob" and words[2].isascii() and words[2].isdigit()
        found.append(Blob(words[0], int(words[2])) if is_blob else None)
    return found


def refuse_lost(folder: Path, commit: str, path: str, shown: str) -> None:
    """Make sure that a file which was not found is really absent, and not just missing from this clone.

    Raises:
        TargetError: the commit has the file, or a folder above it, but this clone lacks the object; or the path is a
            folder or a submodule.
    """
    listed = ask_git(folder, "ls-tree", commit, "--", path) if _is_inside(folder, path) else Answer(0, b"")
    if listed.code == 0 and listed.out.startswith((b"040000 tree ", b"160000 commit ")):
        raise TargetError(f"{visible(path)} at {visible(shown)} is not a file.", "Name a recording.")
    if listed.code != 0 or listed.out:
        raise TargetError(
            f"git lists {visible(path)} at {visible(shown)} but does not have its content, and nothing is fetched.",
            "Turn the partial clone into a full one: git fetch --refetch --no-filter",
        )


def _is_inside(folder: Path, path: str) -> bool:
    """True if a path is inside the repository and has no characters that would break git's input lines."""
    here = Path(os.path.realpath(folder))
    place = Path(os.path.normpath(here / path))
    return not UNFIT_PATH.search(path) and place.is_relative_to(repository_of(here))


def contents_of(folder: Path, blobs: Iterable[Blob]) -> dict[str, bytes]:
    """The contents of blobs by id, up to a total size limit."""
    chosen: dict[str, int] = {}
    for blob in blobs:
        if sum(chosen.values()) + blob.size <= MAX_BYTES:
            chosen[blob.object_id] = blob.size
    if not chosen:
        return {}
    asked = "".join(f"{object_id}\n" for object_id in chosen).encode()
    answer = ask_git(folder, "cat-file", "--batch", asked=asked, most=MAX_BYTES + 128 * len(chosen)).out
    found: dict[str, bytes] = {}
    place = 0
    for object_id, size in chosen.items():
        start = answer.find(b"\n", place) + 1
        if answer[place:start] != f"{object_id} blob {size}\n".encode():
            break
        found[object_id], place = answer[start : start + size], start + size + 1
    return found


def files_at(folder: Path, ref: str, paths: Sequence[str]) -> dict[str, bytes]:
    """The files among ``paths`` (relative to ``folder``) that a commit, branch or tag contains; empty if it does not
    exist.
    """
    commit = commit_at(folder, ref)
    found = read_all(folder, [(commit, path) for path in paths]) if commit else [None] * len(paths)
    return {path: data for path, data in zip(paths, found, strict=True) if data is not None}


def read_all(folder: Path, places: Sequence[tuple[str, str]]) -> list[bytes | None]:
    """The contents for commits (or tags) and paths relative to ``folder``, up to :data:`mcp_governor.files.MAX_BYTES`
    in total; ``None`` for the others.
    """
    blobs = blobs_at(folder, places)
    contents = contents_of(folder, filter(None, blobs))
    return [None if blob is None else contents.get(blob.object_id) for blob in blobs]


def states_of(folder: Path, path: str, *, tip: str = "HEAD") -> list[tuple[str, bytes]]:
    """The states of a file (relative to ``folder``) in the history of a commit: commit and content, newest first.

    Each content is listed once. The newest :data:`_MAX_STATES` commits that changed the file are read, up to
    :data:`mcp_governor.files.MAX_BYTES` in total. Empty outside of git.
    """
    if not (has_commits(folder) and _is_inside(folder, path)):
        return []
    asked = ("rev-list", "--full-history", f"--max-count={_MAX_STATES}", tip, "--", f":(literal){path}")
    commits = [line for line in ask_git(folder, *asked).lines if not UNFIT_REF.search(line)]
    first: dict[bytes, str] = {}
    for commit, data in zip(commits, read_all(folder, [(commit, path) for commit in commits]), strict=True):
        if data is not None:
            first.setdefault(data, commit)
    return [(commit, data) for data, commit in first.items()]


def remote_of(folder: Path) -> tuple[str, str]:
    """The remote from which others can clone.

    Args:
        folder: folder of the clone.

    Returns:
        The address of ``origin`` and the checked-out commit. The commit is empty if ``origin`` is not known to have it;
        both are empty without such a remote.
    """
    remote = ask_git(folder, "config", "--get", "remote.origin.url").out.decode(errors="replace").strip()
    if not remote:
        return "", ""
    commit = ask_git(folder, "rev-parse", "--verify", "--quiet", "HEAD").out.decode("ascii", "replace").strip()
    seen = ask_git(folder, "for-each-ref", "--count=1", "--contains=HEAD", "refs/remotes/origin").lines
    return remote, commit if seen else ""


def tracked_files(folder: Path, *names: str) -> list[str]:
    """Those of the files in a folder that git tracks, in the index or at HEAD; none outside of git."""
    if not in_repository(folder):
        return []
    refuse_silence(folder)
    # On macOS and Windows, a file has the name in any case.
    asked = [f":(literal,icase){name}" for name in names]
    answers = [ask_git(folder, "ls-files", "-z", "--", *asked)]
    if has_commits(folder):
        answers.append(ask_git(folder, "ls-tree", "-z", "--name-only", "HEAD", "--", *names))
    if any(answer.code != 0 for answer in answers):
        raise TargetError("git cannot list the files that it tracks.", "Check the repository with: git fsck")
    listed = {name.lower() for answer in answers for name in os.fsdecode(answer.out).split("\0")}
    return [name for name in names if name.lower() in listed]


def holds(folder: Path, ref: str, path: str) -> bool:
    """True if a commit, branch or tag contains a file (``path`` is relative to ``folder``); false outside of git."""
    commit = commit_at(folder, ref)
    if not commit:
        return False
    (found,) = blobs_at(folder, [(commit, path)])
    if found is None:
        refuse_lost(folder, commit, path, ref)
    return found is not None
