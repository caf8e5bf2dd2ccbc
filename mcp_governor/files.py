"""The only way to read files: regular files up to a maximum size, and folders up to a maximum number of entries.

A path that a repository names may lead to anything: a FIFO without a writer, ``/dev/zero``, a socket, an endless
folder. Everything that opens a file which is not part of this package uses this module.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_governor.errors import FileFormatError

if TYPE_CHECKING:
    from mcp_governor.errors import GovernorError

MEBIBYTE = 1024 * 1024
"""Number of bytes in a mebibyte."""

MAX_BYTES = 56 * MEBIBYTE
"""Maximum size of a recording in bytes: ten thousand tools as servers publish them have 50 MB. Larger ones are
rejected."""

MAX_TEXT_BYTES = 1 * MEBIBYTE
"""Maximum size in bytes of a file written by hand: a configuration, a rule, a module. Larger ones are rejected."""

MAX_ENTRIES = 20_000
"""Maximum number of entries in a folder, including subfolders; a larger one is rejected as the wrong folder."""

# O_NONBLOCK: a FIFO without a writer opens at once. Windows lacks these flags, and has no FIFOs among its files.
_FLAGS = os.O_RDONLY
for _flag in ("O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "O_BINARY"):
    _FLAGS |= getattr(os, _flag, 0)


def read_bytes(path: str | Path, *, limit: int = MAX_BYTES, below: Path | None = None) -> bytes:
    """The content of a regular file.

    Args:
        path: the file; symbolic links are followed.
        limit: maximum size in bytes.
        below: a folder that the path, which leads through no link any more, begins with: a link that somebody puts
            below it meanwhile is not followed.

    Raises:
        OSError: the file is missing, not a regular file, larger than ``limit``, or unreadable; ``strerror`` says which.
    """
    try:
        handle = os.open(path, _FLAGS) if below is None else _open_below(below, Path(path))
    except ValueError:
        raise OSError(errno.EINVAL, "its path holds a NUL character") from None
    try:
        # The open file is checked, not the path, which may lead to another file by now.
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        return _read(handle, status.st_size, limit)
    finally:
        os.close(handle)


def read_named(
    path: str | Path,
    shown: str,
    *,
    limit: int = MAX_BYTES,
    error: type[GovernorError] = FileFormatError,
    hint: str = "Check the path.",
) -> bytes:
    """:func:`read_bytes` of a file that the user or the configuration names: what refuses it is their error.

    Args:
        path, limit: as there.
        shown: name of the file in the message, safe to print.
        error: the kind of error.
        hint: what to do.

    Raises:
        GovernorError: of this kind; the file cannot be read.
    """
    try:
        return read_bytes(path, limit=limit)
    except OSError as refused:
        raise error(f"{shown} cannot be read: {refused.strerror}.", hint) from None


def _open_below(folder: Path, path: Path) -> int:
    """Open a file step by step, each step from the folder that is open and through no link."""
    if sys.platform == "win32":
        handle = os.open(path, _FLAGS)
        if path.resolve() != path or not os.path.samestat(os.fstat(handle), path.stat()):
            os.close(handle)
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        return handle
    *folders, name = path.relative_to(folder).parts
    handle = os.open(folder, _FLAGS | os.O_DIRECTORY)
    for step, kind in [*((step, os.O_DIRECTORY) for step in folders), (name, 0)]:
        outer = handle
        try:
            handle = os.open(step, _FLAGS | os.O_NOFOLLOW | kind, dir_fd=outer)
        finally:
            os.close(outer)
    return handle


def read_end(path: str | Path, *, limit: int) -> tuple[bytes, int]:
    """The end of a regular file of any size, such as a log.

    Args:
        path: the file; symbolic links are followed.
        limit: maximum number of bytes that are read.

    Returns:
        The last bytes, and the number of bytes before them.

    Raises:
        OSError: the file is missing, not a regular file, or unreadable; ``strerror`` says which.
    """
    try:
        handle = os.open(path, _FLAGS)
    except ValueError:
        raise OSError(errno.EINVAL, "its path holds a NUL character") from None
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        skipped = max(0, status.st_size - limit)
        file.seek(skipped)
        return file.read(limit), skipped


def _read(handle: int, size: int, limit: int) -> bytes:
    """Up to ``limit`` bytes. The reported size is only a hint: files in ``/proc`` report none."""
    parts: list[bytes] = []
    left = limit + 1
    if size <= limit:
        while left > 0 and (part := os.read(handle, min(left, max(size, 65_536) + 1))):
            parts.append(part)
            left -= len(part)
    if size > limit or left <= 0:
        raise OSError(errno.EFBIG, f"it is larger than {shown_size(limit)}")
    return parts[0] if len(parts) == 1 else b"".join(parts)


def shown_size(count: int) -> str:
    """A number of bytes in a unit for messages."""
    return f"{count // MEBIBYTE} MiB" if count >= MEBIBYTE else f"{count // 1024} KiB"


def is_regular(path: Path) -> bool:
    """True if the path leads to a regular file; false also for an impossible path."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def list_files(folder: Path, suffix: str, *, most: int, deep: bool = False) -> list[Path]:
    """The regular files in a folder whose names end with a suffix, sorted. Linked folders are not entered.

    Args:
        folder: the folder to search.
        suffix: with its dot: ``".json"``.
        most: maximum number of files.
        deep: include subfolders.

    Raises:
        OSError: the folder cannot be read, or has more than ``most`` such files or :data:`MAX_ENTRIES` entries.
    """
    found: list[Path] = []
    folders, seen = [str(folder)], 0
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                seen += 1
                if deep and entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif entry.name.endswith(suffix) and entry.is_file():
                    found.append(Path(entry.path))
                if len(found) > most or seen > MAX_ENTRIES:
                    what = f"{most} {suffix} files" if len(found) > most else f"{MAX_ENTRIES} entries"
                    raise OSError(errno.EFBIG, f"it holds more than {what}")
    return sorted(found)


def repository_of(folder: Path) -> Path:
    """The nearest parent folder that contains ``.git``, or the folder itself if there is none.

    A home folder that is in git is not the repository of the projects in it.
    """
    found = next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder)
    return folder if found == Path.home() else found
