"""Read recordings from git: files at a ref, and release tags."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.errors import TargetError
from mcp_governor.files import MAX_BYTES, repository_of, shown_size
from mcp_governor.lazy import lazy_pattern
from mcp_governor.target.git_door import Answer, ask_git, in_repository
from mcp_governor.target.tag_names import name_of_tag, version_of_tag
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from mcp_governor.versions import Numbered

_MAX_TAGS = 20_000
"""Most tags that are read, highest versions first; the others are ignored."""

_MAX_RELEASES = 500
"""Most releases whose files are read for one changelog, newest first."""

_LATEST = 20
"""Most of the latest releases that may lack the file before the search ends."""

_MAX_STATES = 100
"""Most states of one file that are read from the history of HEAD, newest first; older ones are ignored."""

_UNFIT = lazy_pattern(r"[\0-\x20\x7f]")
UNFIT_PATH = lazy_pattern(r"[\0\n]|^/")


class _Blob(NamedTuple):
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
    (found,) = _blobs(folder, [(commit, path)])
    if found is None:
        _refuse_lost(folder, commit, path, ref)
        raise TargetError(
            f"{shown_path} does not exist at git ref {shown_ref}.",
            f"Name another file: git:{shown_ref}:PATH, or record one and commit it.",
        )
    if found.size > MAX_BYTES:
        raise TargetError(
            f"{shown_path} at git ref {shown_ref} is larger than {shown_size(MAX_BYTES)}.",
            "Check the path: it must be a recorded surface.",
        )
    content = _contents(folder, [found]).get(found.object_id)
    if content is None:
        raise TargetError(f"git cannot read {shown_path} at git ref {shown_ref}.", "Check it with: git fsck")
    return content


def commit_of(folder: Path, ref: str) -> str:
    """The id of the commit of a ref.

    Raises:
        TargetError: the repository or the ref does not exist; for a missing ref, the hint is the fetch command.
    """
    commit = _commit(folder, ref)
    if commit:
        return commit
    if not in_repository(folder):
        raise TargetError(f"{visible(folder.name)} is not in a git repository.", "Name a surface file instead.")
    remote, _, branch = ref.partition("/") if ref.startswith("origin/") else ("origin", "", ref)
    raise TargetError(
        f'git has no ref "{visible(ref)}" here.',
        f"Fetch it with: git fetch {remote} {visible(branch)} (tags: git fetch --tags)",
    )


def _commit(folder: Path, ref: str) -> str:
    """The id of the commit of a ref; empty if it does not exist.

    Raises:
        TargetError: git refuses to read the repository.
    """
    if _UNFIT.search(ref):
        return ""
    answer = ask_git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if answer.code != 0:
        _refuse_silence(folder)
        return ""
    return answer.out.decode("ascii", "replace").strip()


def _refuse_silence(folder: Path) -> None:
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


def _blobs(folder: Path, places: Sequence[tuple[str, str]]) -> list[_Blob | None]:
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
    found: list[_Blob | None] = []
    for line in answer.lines:
        words = line.split(" ")
        is_blob = len(words) == 3 and words[1] == "blob" and words[2].isascii() and words[2].isdigit()
        found.append(_Blob(words[0], int(words[2])) if is_blob else None)
    return found


def _refuse_lost(folder: Path, commit: str, path: str, shown: str) -> None:
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


def _contents(folder: Path, blobs: Iterable[_Blob]) -> dict[str, bytes]:
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


def files_at_tags(folder: Path, path: str, versions: Collection[Numbered]) -> dict[Numbered, bytes]:
    """The content of a file at the tags of several versions, if it exists there; empty outside of git.

    Args:
        folder: a folder inside the work tree.
        path: path of the file, relative to ``folder``.
        versions: the versions; the newest :data:`_MAX_RELEASES` of them are read, up to
            :data:`mcp_governor.files.MAX_BYTES` in total.
    """
    wanted = set(sorted(versions, reverse=True)[:_MAX_RELEASES])
    tags: dict[Numbered, str] = {}
    for object_id, tag in _tags(folder) if wanted else ():
        version = version_of_tag(tag)
        if version in wanted and version is not None:
            tags[version] = object_id
    blobs = dict(zip(tags, _blobs(folder, [(object_id, path) for object_id in tags.values()]), strict=True))
    contents = _contents(folder, [blob for blob in blobs.values() if blob is not None])
    return {
        version: contents[blob.object_id]
        for version, blob in blobs.items()
        if blob is not None and blob.object_id in contents
    }


def _tags(folder: Path, *options: str) -> list[tuple[str, str]]:
    """Object id and name of each tag, highest versions first; empty outside of git.

    Raises:
        TargetError: git cannot list the tags, so it is unknown if there are any.
    """
    if not in_repository(folder):
        return []
    answer = ask_git(
        folder,
        "for-each-ref",
        *options,
        f"--count={_MAX_TAGS}",
        "--sort=-version:refname",
        "--format=%(objectname) %(refname:strip=2)",
        "refs/tags",
    )
    if answer.code != 0:
        raise TargetError("git cannot list the tags.", "Check the repository with: git fsck")
    return [(object_id, tag) for object_id, _, tag in (line.partition(" ") for line in answer.lines)]


def _has_commits(folder: Path) -> bool:
    """True if there is a repository with a commit; without one, git fails to list what is reachable.

    Raises:
        TargetError: git refuses to read the repository.
    """
    if not in_repository(folder):
        return False
    code = ask_git(folder, "rev-parse", "--verify", "--quiet", "HEAD").code
    if code == 0:
        return True
    _refuse_silence(folder)
    if code != 1:
        raise TargetError("git cannot read HEAD.", "Check the repository with: git fsck")
    return False


class _Release(NamedTuple):
    version: Numbered
    tag: str
    object_id: str


def _releases(
    folder: Path, tags: Iterable[tuple[str, str]], package: str | None = None, *, stable: bool = True
) -> list[_Release]:
    """The release tags among tags (object id and name), highest versions first.

    Only tags with a version (:func:`version_of_tag`) count; with ``stable``, pre-releases do not. If a repository
    releases several packages, the tags with the name ``package`` count; without ``package``, those with the name of
    ``folder``, or else those without a name.
    """
    releases = [
        _Release(version, tag, object_id)
        for object_id, tag in tags
        if (version := version_of_tag(tag)) is not None and not (stable and version.prerelease)
    ]
    names = {release.tag: name_of_tag(release.tag) for release in releases}
    for name in (folder.resolve().name, "") if package is None else (package,):
        if name in names.values() or package is not None:
            releases = [release for release in releases if names[release.tag] == name]
            break
    return sorted(releases, key=lambda release: release.version, reverse=True)


def latest_release(folder: Path, *paths: str, before: str | None = None, tip: str = "HEAD") -> tuple[str, str] | None:
    """The highest release tag reachable from a commit that contains one of ``paths``, and this path.

    Args:
        folder: a folder inside the work tree.
        paths: paths relative to ``folder``, best first; ``{version}`` stands for the version of the tag.
        before: a release tag; only lower versions at other commits than HEAD count.
        tip: the commit.

    Returns:
        The tag and the path, or ``None`` outside of git or if no release contains any. For release tags, see
        :func:`_releases`.

    Raises:
        TargetError: git refuses to read the repository, or cannot read a file of it.
    """
    if not _has_commits(folder):
        return None
    releases = _releases(folder, _tags(folder, f"--merged={tip}"))
    below = version_of_tag(before or "")
    if below is not None:
        here = {tag for _, tag in _tags(folder, "--points-at=HEAD")}
        releases = [release for release in releases if release.version < below and release.tag not in here]
    latest = releases[:_LATEST]
    places = [(release, path.replace("{version}", release.version.text)) for release in latest for path in paths]
    held = _blobs(folder, [(release.object_id, path) for release, path in places])
    for (release, path), blob in zip(places, held, strict=True):
        if blob is not None:
            return release.tag, path
        _refuse_lost(folder, release.object_id, path, release.tag)
    return None


class ReleasedFile(NamedTuple):
    """A file at a release tag; ``content`` is ``None`` if it is too large to be read with the others."""

    tag: str
    version: str
    content: bytes | None


def released_files(folder: Path, *paths: str, most: int) -> tuple[list[ReleasedFile], int]:
    """A file at the latest release tags reachable from HEAD, oldest first, and the number of older tags.

    Args:
        folder: a folder inside the work tree.
        paths: paths as in :func:`latest_release`; of each release, the first that it contains is read.
        most: number of releases that are read, up to :data:`mcp_governor.files.MAX_BYTES` in total; those without the
            file are left out.

    Raises:
        TargetError: git cannot read the repository.
    """
    tagged = _releases(folder, _tags(folder, "--merged=HEAD")) if _has_commits(folder) else []
    # Two tags of one version name one release.
    releases = list({release.version: release for release in reversed(tagged)}.values())[::-1]
    chosen = [release for release in releases[:most] for _ in paths]
    asked = [(one.object_id, path.replace("{version}", one.version.text)) for one in releases[:most] for path in paths]
    held: dict[_Release, _Blob] = {}
    for release, blob in zip(chosen, _blobs(folder, asked), strict=True):
        if blob is not None:
            held.setdefault(release, blob)
    contents = _contents(folder, held.values())
    found = [ReleasedFile(one.tag, one.version.text, contents.get(blob.object_id)) for one, blob in held.items()]
    return found[::-1], max(len(releases) - most, 0)


def release_of_head(folder: Path) -> str:
    """The highest release tag at HEAD; empty if there is none, or outside of git.

    Raises:
        TargetError: git refuses to read the repository.
    """
    here = {tag for _, tag in _tags(folder, "--points-at=HEAD")} if _has_commits(folder) else set()
    if not any(map(version_of_tag, here)):
        return ""
    counted = _releases(folder, _tags(folder, "--merged=HEAD"))
    return next((release.tag for release in counted if release.tag in here), "")


def tagged_version(folder: Path, package: str | None = None) -> tuple[Numbered, str] | None:
    """The version of the tag at HEAD, or else the highest release before it, and its tag.

    Args:
        folder: a folder inside the work tree.
        package: name of the package in its tags; see :func:`_releases` for the default.

    Returns:
        The version and the tag, or ``None`` outside of git or if no tag has a version.

    Raises:
        TargetError: git refuses to read the repository.
    """
    if not _has_commits(folder):
        return None
    here = _releases(folder, _tags(folder, "--points-at=HEAD"), package, stable=False)
    found = here or _releases(folder, _tags(folder, "--merged=HEAD"), package)
    return (found[0].version, found[0].tag) if found else None


def release_tag(folder: Path, name: str) -> str:
    """``name`` if it is the name of a release tag of the package in ``folder``, else empty; the tag need not exist
    here.

    Raises:
        TargetError: git refuses to read the repository.
    """
    known = _tags(folder, "--merged=HEAD") if _has_commits(folder) else []
    return name if any(release.tag == name for release in _releases(folder, [*known, ("", name)])) else ""


def first_held(folder: Path, tag: str, *paths: str) -> str | None:
    """The first of ``paths`` that a release tag contains; paths as in :func:`latest_release`.

    Raises:
        TargetError: git cannot decide this.
    """
    version = version_of_tag(tag)
    named = [path.replace("{version}", version.text if version is not None else "") for path in paths]
    return next((path for path in named if holds(folder, tag, path)), None)


def latest_commit(folder: Path, *, tip: str = "HEAD") -> str | None:
    """The tag of the highest release reachable from a commit, or else the commit; ``None`` without commits.

    Raises:
        TargetError: git refuses to read the repository.
    """
    if not _has_commits(folder):
        return None
    releases = _releases(folder, _tags(folder, f"--merged={tip}"))
    return releases[0].tag if releases else tip


def files_at(folder: Path, ref: str, paths: Sequence[str]) -> dict[str, bytes]:
    """The files among ``paths`` (relative to ``folder``) that a commit, branch or tag contains; empty if it does not
    exist.

    Raises:
        TargetError: git cannot decide this.
    """
    commit = _commit(folder, ref)
    blobs = dict(zip(paths, _blobs(folder, [(commit, path) for path in paths]), strict=True)) if commit else {}
    contents = _contents(folder, [blob for blob in blobs.values() if blob is not None])
    return {
        path: contents[blob.object_id]
        for path, blob in blobs.items()
        if blob is not None and blob.object_id in contents
    }


def states_of(folder: Path, path: str, *, tip: str = "HEAD") -> list[tuple[str, bytes]]:
    """The states of a file (relative to ``folder``) in the history of a commit: commit and content, newest first.

    Each content is listed once. The newest :data:`_MAX_STATES` commits that changed the file are read, up to
    :data:`mcp_governor.files.MAX_BYTES` in total. Empty outside of git.

    Raises:
        TargetError: git cannot decide this.
    """
    if not (_has_commits(folder) and _is_inside(folder, path)):
        return []
    asked = ("rev-list", "--full-history", f"--max-count={_MAX_STATES}", tip, "--", f":(literal){path}")
    commits = [line for line in ask_git(folder, *asked).lines if not _UNFIT.search(line)]
    first: dict[_Blob, str] = {}
    for commit, blob in zip(commits, _blobs(folder, [(commit, path) for commit in commits]), strict=True):
        if blob is not None:
            first.setdefault(blob, commit)
    contents = _contents(folder, first)
    return [(commit, contents[blob.object_id]) for blob, commit in first.items() if blob.object_id in contents]


def release_tags(folder: Path) -> dict[Numbered, str]:
    """The tagged versions of the package in ``folder``, on any branch, and their tags; empty outside of git.

    Raises:
        TargetError: git refuses to read the repository.
    """
    return {release.version: release.tag for release in reversed(_releases(folder, _tags(folder), stable=False))}


def is_shallow(folder: Path) -> bool:
    """True if the repository is a shallow clone, which usually lacks tags."""
    return ask_git(folder, "rev-parse", "--is-shallow-repository").out.strip() == b"true"


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
    """Those of the files in a folder that git tracks, in the index or at HEAD; none outside of git.

    Raises:
        TargetError: git cannot decide this.
    """
    if not in_repository(folder):
        return []
    _refuse_silence(folder)
    # On macOS and Windows, a file has the name in any case.
    asked = [f":(literal,icase){name}" for name in names]
    answers = [ask_git(folder, "ls-files", "-z", "--", *asked)]
    if _has_commits(folder):
        answers.append(ask_git(folder, "ls-tree", "-z", "--name-only", "HEAD", "--", *names))
    if any(answer.code != 0 for answer in answers):
        raise TargetError("git cannot list the files that it tracks.", "Check the repository with: git fsck")
    listed = {name.lower() for answer in answers for name in os.fsdecode(answer.out).split("\0")}
    return [name for name in names if name.lower() in listed]


def holds(folder: Path, ref: str, path: str) -> bool:
    """True if a commit, branch or tag contains a file (``path`` is relative to ``folder``); false outside of git.

    Raises:
        TargetError: git cannot decide this.
    """
    commit = _commit(folder, ref)
    if not commit:
        return False
    (found,) = _blobs(folder, [(commit, path)])
    if found is None:
        _refuse_lost(folder, commit, path, ref)
    return found is not None
