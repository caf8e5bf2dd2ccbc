"""Releases of a repository: its tags with versions, and the files at them.

These functions raise ``TargetError`` where git refuses to read the repository or cannot decide what is asked; only
other reasons are said at each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.errors import TargetError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.target.git import Blob, blobs_at, contents_of, has_commits, holds, read_all, refuse_lost
from mcp_governor.target.git_door import ask_git
from mcp_governor.versions import Numbered

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path


_BOUNDARY = lazy_pattern(r"^|[/@_-]")


def version_of_tag(tag: str) -> Numbered | None:
    """The version in a tag: ``v1.2.3``, ``1.2.3``, ``name-1.2.3``, ``name@1.2.3``, ``name/v1.2``, ``2026.08``.

    A single number is not a version.
    """
    return _split(tag)[1]


def name_of_tag(tag: str) -> str:
    """The name of the package before the version in a tag; empty if there is none."""
    name = tag[: _split(tag)[0]].rstrip("/@_-")
    return "" if name in ("v", "version", "release", "releases") else name.rpartition("/")[2]


def _split(tag: str) -> tuple[int, Numbered | None]:
    """The start of the version in a tag, and the version."""
    for boundary in _BOUNDARY.finditer(tag):
        version = Numbered.parse(tag[boundary.end() :])
        if version is not None and len(version.numbers) > 1:
            return boundary.end(), version
    return len(tag), None


_MAX_TAGS = 20_000
"""Most tags that are read, highest versions first; the others are ignored."""

_MAX_RELEASES = 500
"""Most releases whose files are read for one changelog, newest first."""

_LATEST = 20
"""Most of the latest releases that may lack the file before the search ends."""


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
    found = read_all(folder, [(object_id, path) for object_id in tags.values()])
    return {version: data for version, data in zip(tags, found, strict=True) if data is not None}


def _tags(folder: Path, *options: str) -> list[tuple[str, str]]:
    """Object id and name of each tag, highest versions first; empty outside of git, or without commits."""
    if not has_commits(folder):
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


class _Release(NamedTuple):
    version: Numbered
    tag: str
    object_id: str


def _releases(
    folder: Path, tags: Iterable[tuple[str, str]], package: str | None = None, *, stable: bool = True
) -> list[_Release]:
    """The release tags among tags (object id and name), highest versions first.

    Only tags with a version (:func:`version_of_tag`) count; with ``stable``, pre-releases do not. If a repository
    releases several packages, the tags with the name ``package`` count; without ``package``, those with a name of the
    project in ``folder``, or else those without a name.
    """
    releases = [
        _Release(version, tag, object_id)
        for object_id, tag in tags
        if (version := version_of_tag(tag)) is not None and not (stable and version.prerelease)
    ]
    names = {release.tag: name_of_tag(release.tag) for release in releases}
    if package is not None:
        releases = [release for release in releases if names[release.tag] == package.rpartition("/")[2]]
    elif any(names.values()):
        own = _names(folder)
        own = {""} if own.isdisjoint(names.values()) else own
        releases = [release for release in releases if names[release.tag] in own] or releases
    return sorted(releases, key=lambda release: release.version, reverse=True)


def _names(folder: Path) -> set[str]:
    """The names that the project in a folder may have in its tags, without the scope of an npm package."""
    from mcp_governor.target.discover.node import read_json
    from mcp_governor.target.discover.python_projects import PythonProject

    package = read_json(folder / "package.json").get("name")
    names = (folder.resolve().name, PythonProject(folder, folder).name, package if isinstance(package, str) else "")
    return {name.rpartition("/")[2] for name in names if name}


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
    """
    releases = _releases(folder, _tags(folder, f"--merged={tip}"))
    below = version_of_tag(before or "")
    if below is not None:
        here = {tag for _, tag in _tags(folder, "--points-at=HEAD")}
        releases = [release for release in releases if release.version < below and release.tag not in here]
    latest = releases[:_LATEST]
    places = [(release, path.replace("{version}", release.version.text)) for release in latest for path in paths]
    held = blobs_at(folder, [(release.object_id, path) for release, path in places])
    for (release, path), blob in zip(places, held, strict=True):
        if blob is not None:
            return release.tag, path
        refuse_lost(folder, release.object_id, path, release.tag)
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
    """
    tagged = _releases(folder, _tags(folder, "--merged=HEAD"))
    # Two tags of one version name one release.
    releases = list({release.version: release for release in reversed(tagged)}.values())[::-1]
    chosen = [release for release in releases[:most] for _ in paths]
    asked = [(one.object_id, path.replace("{version}", one.version.text)) for one in releases[:most] for path in paths]
    held: dict[_Release, Blob] = {}
    for release, blob in zip(chosen, blobs_at(folder, asked), strict=True):
        if blob is not None:
            held.setdefault(release, blob)
    contents = contents_of(folder, held.values())
    found = [ReleasedFile(one.tag, one.version.text, contents.get(blob.object_id)) for one, blob in held.items()]
    return found[::-1], max(len(releases) - most, 0)


def release_of_head(folder: Path) -> str:
    """The highest release tag at HEAD; empty if there is none, or outside of git."""
    here = {tag for _, tag in _tags(folder, "--points-at=HEAD")}
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
    """
    here = _releases(folder, _tags(folder, "--points-at=HEAD"), package, stable=False)
    found = here or _releases(folder, _tags(folder, "--merged=HEAD"), package)
    return (found[0].version, found[0].tag) if found else None


def changed_since(folder: Path, tag: str) -> bool:
    """True if a file below a folder differs between a tag and HEAD."""
    return ask_git(folder, "diff-tree", "--quiet", f"refs/tags/{tag}", "HEAD", "--", ".").code == 1


def release_tag(folder: Path, name: str) -> str:
    """``name`` if it is the name of a release tag of the package in ``folder``, else empty; the tag need not exist
    here.
    """
    known = _releases(folder, [*_tags(folder, "--merged=HEAD"), ("", name)])
    return name if any(release.tag == name for release in known) else ""


def first_held(folder: Path, tag: str, *paths: str) -> str | None:
    """The first of ``paths`` that a release tag contains; paths as in :func:`latest_release`."""
    version = version_of_tag(tag)
    named = [path.replace("{version}", version.text if version is not None else "") for path in paths]
    return next((path for path in named if holds(folder, tag, path)), None)


def latest_commit(folder: Path, *, tip: str = "HEAD") -> str | None:
    """The tag of the highest release reachable from a commit, or else the commit; ``None`` without commits."""
    if not has_commits(folder):
        return None
    releases = _releases(folder, _tags(folder, f"--merged={tip}"))
    return releases[0].tag if releases else tip


def release_tags(folder: Path) -> dict[Numbered, str]:
    """The tagged versions of the package in ``folder``, on any branch, and their tags; empty outside of git."""
    return {release.version: release.tag for release in reversed(_releases(folder, _tags(folder), stable=False))}
