"""The one door through which files are read: regular files, below a size, and folders with an end.

A path that a repository names may lead to anything: a FIFO that nobody writes to, ``/dev/zero``, a socket, a folder
without end. Whatever opens a file that we did not bring ourselves goes through here.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MEBIBYTE = 1024 * 1024
"""Bytes."""

MAX_BYTES = 56 * MEBIBYTE
"""Bytes of a recording: ten thousand tools as servers publish them have 50 MB. More is refused."""

MAX_TEXT_BYTES = 1 * MEBIBYTE
"""Bytes of a file that people write by hand: a configuration, a rule, a module. More is refused."""

MAX_ENTRIES = 20_000
"""Entries that a folder may hold, those of its subfolders included, before it is refused as the wrong one."""

# O_NONBLOCK: a FIFO without a writer opens at once. Windows lacks these flags, and has no FIFO among its files.
_FLAGS = os.O_RDONLY
for _flag in ("O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "O_BINARY"):
    _FLAGS |= getattr(os, _flag, 0)


def read_bytes(path: str | Path, *, limit: int = MAX_BYTES) -> bytes:
    """The content of a regular file.

    Args:
        path: the file; symbolic links are followed.
        limit: bytes that it may have.

    Raises:
        OSError: it is missing, not a regular file, larger than ``limit``, or cannot be read; ``strerror`` says which.
    """
    try:
        handle = os.open(path, _FLAGS)
    except ValueError:
        raise OSError(errno.EINVAL, "its path holds a NUL character") from None
    try:
        # What was opened is looked at, not the path: it could be another file by now.
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        return _read(handle, status.st_size, limit)
    finally:
        os.close(handle)


def _read(handle: int, size: int, limit: int) -> bytes:
    """Up to ``limit`` bytes. The size that a file claims is a hint: those of ``/proc`` claim none."""
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
    """A number of bytes, for messages."""
    return f"{count // MEBIBYTE} MiB" if count >= MEBIBYTE else f"{count // 1024} KiB"


def is_regular(path: Path) -> bool:
    """Whether a regular file is there; ``False`` also for a path that no file can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def list_files(folder: Path, suffix: str, *, most: int, deep: bool = False) -> list[Path]:
    """The regular files of a folder whose names end in a suffix, sorted. Linked folders are not entered.

    Args:
        folder: where to look.
        suffix: with its dot: ``".json"``.
        most: how many files there may be.
        deep: look into its subfolders as well.

    Raises:
        OSError: the folder cannot be read, or holds more than ``most`` such files or :data:`MAX_ENTRIES` entries.
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
    """The nearest folder upwards that holds ``.git``, else the folder itself.

    A home folder that is in git is not the repository of what lies in it.
    """
    found = next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder)
    return folder if found == Path.home() else found
