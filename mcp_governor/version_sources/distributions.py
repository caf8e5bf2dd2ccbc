"""Find the installed version of a distribution from the folders that installers write, without importing anything.

Each distribution in a ``site-packages`` folder has a folder ``NAME-VERSION.dist-info``.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.files import MAX_ENTRIES, MAX_TEXT_BYTES, read_bytes
from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDER = lazy_pattern(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._]*)-(?P<version>[^-]+)(?:-py[0-9.]+)?\.(?:dist|egg)-info")
_VERSION = re.compile(rb"(?m)^Version:[ \t]*([^\s]{1,256})[ \t]*\r?$")
_ENVIRONMENTS = (".venv", "venv")
_PLACES = ("lib", "Lib", "lib64")


class Installed(NamedTuple):
    """An installed distribution.

    Attributes:
        version: version in its metadata.
        folder: folder of its metadata.
    """

    version: str
    folder: Path


def normalised(name: str) -> str:
    """The normalised form of a name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def installed(name: str, root: Path) -> Installed | None:
    """A distribution in the environment of a project, or else in our own.

    The environment of a project is the one in ``UV_PROJECT_ENVIRONMENT``, or else ``.venv`` or ``venv`` in its folder,
    or else the one in ``VIRTUAL_ENV``.
    """
    wanted = normalised(name)
    for folder in (*project_environment(root), *own_environment()):
        found = in_folder(folder, wanted)
        if found is not None:
            return found
    return None


def project_environment(root: Path) -> Iterator[Path]:
    """The ``site-packages`` folders of a project's own environment."""
    named = os.environ.get("UV_PROJECT_ENVIRONMENT"), *_ENVIRONMENTS, os.environ.get("VIRTUAL_ENV")
    for path in named:
        if path:
            yield from site_packages(root / path)


def own_environment() -> Iterator[Path]:
    """The ``site-packages`` folders of the Python that runs us."""
    for entry in sys.path:
        if Path(entry).name in ("site-packages", "dist-packages"):
            yield Path(entry)


def site_packages(environment: Path) -> Iterator[Path]:
    """The ``site-packages`` folders of an environment."""
    for place in _PLACES:
        folder = environment / place
        yield folder / "site-packages"
        try:
            with os.scandir(folder) as entries:
                names = sorted(entry.name for _, entry in zip(range(100), entries, strict=False))
        except OSError:
            continue
        yield from (folder / name / "site-packages" for name in names if name.startswith("python"))


def in_folder(folder: Path, wanted: str) -> Installed | None:
    """A distribution in a ``site-packages`` folder; ``None`` if it is not there or the folder cannot be read."""
    try:
        with os.scandir(folder) as entries:
            for _, entry in zip(range(MAX_ENTRIES), entries, strict=False):
                match = _FOLDER.fullmatch(entry.name)
                if match is not None and normalised(match["name"]) == wanted:
                    version = _stated(Path(entry.path)) or match["version"].replace("_", "-")
                    return Installed(version, Path(entry.path))
    except OSError:
        return None
    return None


def _stated(folder: Path) -> str:
    """The version in the metadata; empty if it cannot be read, because the folder name has it too."""
    for name in ("METADATA", "PKG-INFO"):
        try:
            match = _VERSION.search(read_bytes(folder / name, limit=MAX_TEXT_BYTES))
        except OSError:
            continue
        if match is not None:
            return match[1].decode("ascii", "replace")
    return ""
