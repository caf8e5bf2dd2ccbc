"""Recordings in git: a file at a ref, and the latest release tag. Talks to git, bounded in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.errors import MissingDependencyError, TargetError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.text import visible
from mcp_governor.versions import Numbered

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

_SECONDS = 30.0


def _git(folder: Path, *arguments: str, asked: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    import subprocess

    try:
        return subprocess.run(
            ("git", "-C", str(folder), *arguments),
            capture_output=True,
            input=asked if asked is not None else b"",
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise MissingDependencyError("git is not installed.", "Install git, or name a surface file.") from None
    except subprocess.TimeoutExpired:
        raise TargetError(f"git did not answer within {_SECONDS:.0f} seconds.", "Try again.") from None


def file_at(folder: Path, ref: str, path: str) -> bytes:
    """The content of ``path`` (relative to ``folder``) at ``ref``.

    Raises:
        TargetError: no repository, no such ref (with the fetch command), or no such file at that ref.
    """
    shown_ref, shown_path = visible(ref), visible(path)
    known = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if known.returncode != 0:
        if _git(folder, "rev-parse", "--git-dir").returncode != 0:
            raise TargetError(f"{visible(folder.name)} is not in a git repository.", "Name a surface file instead.")
        remote, _, branch = ref.partition("/") if ref.startswith("origin/") else ("origin", "", ref)
        raise TargetError(
            f'git has no ref "{shown_ref}" here.',
            f"Fetch it with: git fetch {remote} {visible(branch)} (tags: git fetch --tags)",
        )
    spec = f"{ref}:{path}" if path.startswith("/") else f"{ref}:./{path}"
    shown = _git(folder, "show", "--end-of-options", spec)
    if shown.returncode != 0:
        raise TargetError(
            f"{shown_path} does not exist at git ref {shown_ref}.",
            f"Name another file: git:{shown_ref}:PATH, or record one and commit it.",
        )
    return shown.stdout


def files_at_tags(folder: Path, path: str) -> dict[Numbered, bytes]:
    """The content of a file at each tag that stands for a version and holds it; empty outside of git.

    Args:
        folder: a folder inside the work tree.
        path: of the file, relative to ``folder``.
    """
    listed = _git(folder, "tag", "--list")
    if listed.returncode != 0:
        return {}
    tags = {version: tag for tag in listed.stdout.decode(errors="replace").split() if (version := version_of_tag(tag))}
    prefix = _git(folder, "rev-parse", "--show-prefix").stdout.decode(errors="replace").strip()
    found: dict[Numbered, bytes] = {}
    asked = "".join(f"{tag}:{prefix}{path}\n" for tag in tags.values())
    answers = _git(folder, "cat-file", "--batch", asked=asked.encode()).stdout if asked else b""
    for version in tags:
        header, _, answers = answers.partition(b"\n")
        if header.endswith(b" missing"):
            continue
        size = int(header.rpartition(b" ")[2])
        found[version], answers = answers[:size], answers[size + 1 :]
    return found


def latest_release(folder: Path, *paths: str) -> tuple[str, str] | None:
    """The tag of the highest released version reachable from HEAD that holds a file, and which of ``paths`` it holds.

    Only tags that are versions (:func:`version_of_tag`) and no pre-release count. Where several packages are released
    from one repository, the tags with the name of ``folder`` count, else those without a name.

    Args:
        folder: a folder inside the work tree.
        paths: relative to ``folder``, the best first; ``{version}`` in one stands for the version of the tag.

    Returns:
        ``None`` outside of git, and where no release holds any.
    """
    listed = _git(folder, "tag", "--merged", "HEAD", "--sort=-creatordate")
    if listed.returncode != 0:
        return None
    releases = [
        (version, tag)
        for tag in listed.stdout.decode(errors="replace").split()
        if (version := version_of_tag(tag)) is not None and not version.prerelease
    ]
    names = {tag: name_of_tag(tag) for _, tag in releases}
    for name in (folder.resolve().name, ""):
        if name in names.values():
            releases = [(version, tag) for version, tag in releases if names[tag] == name]
            break
    latest = sorted(releases, key=lambda item: item[0], reverse=True)[:20]
    places = [(tag, path.replace("{version}", version.text)) for version, tag in latest for path in paths]
    asked = "".join(f"{tag}:./{path}\n" for tag, path in places)
    answers = _git(folder, "cat-file", "--batch-check", asked=asked.encode()).stdout.splitlines() if asked else []
    held = (place for place, answer in zip(places, answers, strict=False) if not answer.endswith(b" missing"))
    return next(held, None)


def released_versions(folder: Path) -> frozenset[Numbered]:
    """Every version that a tag stands for; none outside of git."""
    tags = _git(folder, "tag", "--list").stdout.decode(errors="replace").split()
    return frozenset(version for tag in tags if (version := version_of_tag(tag)) is not None)


def is_shallow(folder: Path) -> bool:
    """Whether the repository is a clone without its history, and so mostly without its tags."""
    return _git(folder, "rev-parse", "--is-shallow-repository").stdout.strip() == b"true"


def holds(folder: Path, ref: str, path: str) -> bool:
    """Whether a commit, branch or tag holds a file (``path`` is relative to ``folder``)."""
    return _git(folder, "cat-file", "-e", f"{ref}:./{path}").returncode == 0


_BOUNDARY = lazy_pattern(r"^|[/@_-]")


def version_of_tag(tag: str) -> Numbered | None:
    """The version that a tag stands for: ``v1.2.3``, ``1.2.3``, ``name-1.2.3``, ``name@1.2.3``, ``name/v1.2``,
    ``2026.08``; a lone number is none."""
    return _split(tag)[1]


def name_of_tag(tag: str) -> str:
    """What stands before a tag's version: the package that is released, empty where it is the only one."""
    name = tag[: _split(tag)[0]].rstrip("/@_-")
    return "" if name in ("v", "version", "release", "releases") else name.rpartition("/")[2]


def _split(tag: str) -> tuple[int, Numbered | None]:
    """Where the version in a tag starts, and the version."""
    for boundary in _BOUNDARY.finditer(tag):
        version = Numbered.parse(tag[boundary.end() :])
        if version is not None and len(version.numbers) > 1:
            return boundary.end(), version
    return len(tag), None
