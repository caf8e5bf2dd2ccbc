"""The project that a server works for: its configuration, and the only folder that agents can read."""

from __future__ import annotations

import os
from pathlib import Path, PurePath, PureWindowsPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from mcp_governor.files import read_bytes

if TYPE_CHECKING:
    from mcp_governor.config import Config

ROOT = "MCP_GOVERNOR_ROOT"
"""The variable with the root, for a worker; without it no file can be read."""

CONFIG = "MCP_GOVERNOR_PROJECT_CONFIG"
"""The variable with the configuration file, for a worker; without it the defaults count."""

MAX_PATH = 400
"""Characters of a path that an agent may send: a fifth of what systems take, and more than repositories have."""

MAX_URI = 2_000
"""Characters of a URI that an agent may send: a path of ``MAX_PATH`` with each character as three, after a root."""

_OUT = "The path leads out of the project."


class OutsideError(Exception):
    """The path leads out of the root; ``str()`` is one sentence without the path."""


class MissingError(Exception):
    """There is no file at the path."""


class Project(Struct, frozen=True):
    """The project.

    Attributes:
        config: its configuration file.
        root: the folder of the configuration; an agent cannot read outside of it.
    """

    config: Path
    root: Path

    @classmethod
    def of(cls, config: Config) -> Project | None:
        """The project of a configuration; ``None`` if there is no configuration file."""
        return cls(config.path, config.root) if config.path is not None else None


def config_here() -> Config:
    """The configuration of the project for which a worker works, or the defaults."""
    from mcp_governor.config import Config, load_config

    file = os.environ.get(CONFIG)
    return load_config(Path(file)) if file else Config()


def path_of(uri: str, root: str | None = None) -> str:
    """The path in the project that a ``file:`` URI, or a relative reference, names; :func:`inside` judges it.

    Nothing is asked of the file system.

    Args:
        uri: from the agent.
        root: as for :func:`inside`.

    Raises:
        OutsideError: it names another scheme or host, or an absolute path that is not below the root.
        MissingError: it names no file.
    """
    try:
        parts = urlsplit(uri)
        path = unquote(parts.path, errors="strict")
    except ValueError:
        raise MissingError from None
    if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost"):
        raise OutsideError(_OUT)
    if parts.query or parts.fragment:
        raise MissingError
    folder = root if root is not None else os.environ.get(ROOT, "")
    if parts.scheme == "file" and folder and path.startswith("/"):
        # A drive of Windows stands behind the slash: file:///C:/project/x.json.
        absolute = PurePath(path[1:] if PureWindowsPath(path[1:]).drive and os.name == "nt" else path)
        try:
            return str(absolute.relative_to(folder))
        except ValueError:
            raise OutsideError(_OUT) from None
    return path


def inside(path: str, root: str | None = None) -> Path:
    """The file below the root that a relative path leads to.

    Symbolic links are followed first, so that one that leads out of the root is refused.

    Args:
        path: from the agent.
        root: the root; by default that of the environment.

    Raises:
        OutsideError: there is no root, or the path leads out of it.
        MissingError: the root has no such file.
    """
    folder = root if root is not None else os.environ.get(ROOT)
    if not folder:
        raise OutsideError("This server has no project, so that it reads no files.")
    if "\0" in path or len(path) > MAX_PATH:
        raise MissingError
    if _leaves(path):
        raise OutsideError(_OUT)
    base = Path(folder).resolve()
    try:
        found = (base / path).resolve()
        # Before anything else is asked: nobody learns what is outside.
        if not found.is_relative_to(base):
            raise OutsideError(_OUT)
        is_file = found.is_file()
    except (OSError, RuntimeError, ValueError):
        raise MissingError from None
    if not is_file:
        raise MissingError
    return found


def read_inside(path: str) -> bytes:
    """The content of a file below the root of the environment; see :func:`inside`.

    What was found is opened without following another link: somebody may put one there in between.

    Raises:
        OutsideError: there is no root, or the path leads out of it.
        MissingError: the root has no such file.
        OSError: it cannot be read, or is too large.
    """
    return read_bytes(inside(path), below=Path(os.environ[ROOT]).resolve())


def _leaves(path: str) -> bool:
    """True if a path leads out of its folder by its words alone, on any system.

    Decided without the file system: on Windows, a look at ``\\\\HOST\\SHARE`` already speaks to that host.
    """
    if PureWindowsPath(path).anchor:
        return True
    depth = 0
    for part in PureWindowsPath(path).parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False
