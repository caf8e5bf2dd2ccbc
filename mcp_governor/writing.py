"""The only way to write files: atomically, and only to the places where they belong.

The author of the configuration chooses the paths in it, and may be a stranger. So such a path has to stay inside the
repository and may not lead through a symbolic link. A path from the command line is the user's own, but what is in a
folder, or next to a file, that the user names is not.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.errors import FileFormatError, UsageError
from mcp_governor.files import read_bytes, repository_of
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCK_SECONDS = 60.0
"""Maximum time in seconds to wait for another run that writes in the same folder: thirty of them need about ten
seconds."""

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


class NewFile(Struct, frozen=True):
    """A file to be written, or to be deleted.

    Attributes:
        path: the destination.
        content: text, written as UTF-8 with lone surrogates as escapes, or bytes; ``None`` to delete the file.
        root: the folder of the configuration that names ``path``, which must then be in the repository around that
            folder. ``None`` if the path comes from the command line.
        shown: its name in messages; defaults to the path.
        expected: the content that must still be there, ``None`` for no file; by default, any content may be.
        follow: follow a symbolic link at ``path``, which the user typed; false for a name in a folder that the user
            typed.
        private: only the user may read it, whatever the permissions of a file in its place.
    """

    path: Path
    content: str | bytes | None
    root: Path | None = None
    shown: str = ""
    expected: bytes | bool | None = True
    follow: bool = True
    private: bool = False

    @property
    def name(self) -> str:
        """Its name in messages, safe to print."""
        return visible(self.shown or str(self.path))

    @property
    def data(self) -> bytes:
        """The bytes of the content; none for a file that is deleted."""
        if self.content is None:
            return b""
        return self.content if isinstance(self.content, bytes) else self.content.encode("utf-8", "backslashreplace")


def write_file(path: str | Path, content: str | bytes, *, root: Path | None = None, shown: str = "") -> None:
    """Write one file; see :func:`write_files` and :class:`NewFile`."""
    write_files(NewFile(Path(path), content, root, shown))


def write_below(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a file in a folder from the command line, whose existing content may come from a stranger.

    The folder is created if it is missing.

    Returns:
        The path, as the user would type it.

    Raises:
        UsageError: a symbolic link in the folder leads elsewhere.
        FileFormatError: the file cannot be written.
    """
    write_files(NewFile(Path(os.path.realpath(folder)) / name, content, shown=str(folder / name), follow=False))
    return folder / name


def write_files(*files: NewFile) -> None:
    """Write several files atomically: a reader sees the old or the new content of each, and either all are written or
    none. Files whose content is ``None`` are deleted, in the same way.

    Everything is on disk before the first file is replaced, so a full disk changes nothing. Signals that arrive
    meanwhile are delivered afterwards. Missing folders are created for files that the user did not type.

    Raises:
        UsageError: a path leads out of the repository, or a file no longer has the expected content.
        FileFormatError: a file cannot be written; the message lists what was written and what was not.
    """
    with _signals_later():
        staged: list[_Staged] = []
        try:
            for file in files:
                staged.append(_Staged(file, keep=len(files) > 1))  # noqa: PERF401  what is staged must be known when the next one fails
            _place(staged)
        finally:
            for one in staged:
                one.close()


def checked_place(path: Path, root: Path, shown: str) -> Path:
    """A path that the configuration in ``root`` names, if it is inside the repository.

    Raises:
        UsageError: the path leads out, through a symbolic link, or into ``.git``.
    """
    top = Path(os.path.realpath(repository_of(Path(os.path.realpath(root)))))
    # normpath alone would reduce "link/.." to nothing; the comparison with realpath below rejects the link.
    place = Path(os.path.normpath(os.path.realpath(root) / path))
    hint = "Name a path inside of the repository in the configuration, or type the path on the command line."
    if not place.is_relative_to(top):
        raise UsageError(f"{visible(shown)} lies outside of the repository; nothing was written.", hint)
    inside = place.relative_to(top).parts
    if ".git" in (part.lower() for part in inside):
        raise UsageError(f"{visible(shown)} lies inside of .git; nothing was written.", hint)
    if place.is_symlink() or os.path.realpath(place) != str(place):
        raise UsageError(f"{visible(shown)} leads through a symbolic link; nothing was written.", hint)
    return place


class _Staged:
    """A file whose new content is on disk under a temporary name, until it is placed."""

    def __init__(self, file: NewFile, *, keep: bool = False) -> None:
        self.file = file
        self.written = False
        self.old: bytes | None = None
        self._keep = keep or file.expected is not True or file.content is None
        self._special = False
        self._handle = -1
        self._temporary = ""
        self._made: list[Path] = []
        self._target = file.path if file.root is None else checked_place(file.path, file.root, file.name)
        if not file.follow and os.path.realpath(self._target) != str(self._target):
            raise UsageError(f"{file.name} leads through a symbolic link; nothing was written.", "Remove the link.")
        try:
            self._stage()
        except BaseException as error:
            self.close()
            if isinstance(error, OSError):
                raise FileFormatError(
                    f"{file.name} cannot be written: {_reason(error)}. Nothing was written.", _hint_for(error)
                ) from None
            raise

    def _stage(self) -> None:
        if self.file.root is not None or not self.file.follow:
            self._make_folder(self._target.parent)
        elif self._target.is_symlink():
            self._target = Path(os.path.realpath(self._target))
        status = self._target.stat() if self._target.exists() else None
        self._special = status is not None and not stat.S_ISREG(status.st_mode)
        if status is not None and stat.S_ISDIR(status.st_mode):
            raise FileFormatError(f"{self.file.name} is a folder; nothing was written.", "Name a file in it.")
        if self._special:
            return
        if is_read_only(self._target):
            raise FileFormatError(f"{self.file.name} is read-only; nothing was written.", "Make it writable.")
        if status is not None and self._keep:
            self.old = read_bytes(self._target)
        if self.file.expected is not True and self.old != self.file.expected:
            raise UsageError(
                f"{self.file.name} was changed by somebody else meanwhile; nothing was written.", "Run it again."
            )
        if self.file.content is None:
            return
        self._temporary = str(self._target.with_name(f".{self._target.name[:100]}.{os.urandom(6).hex()}.tmp"))
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        self._handle = os.open(self._temporary, flags, 0o600 if self.file.private else 0o666)
        if status is not None and not self.file.private:
            if sys.platform != "win32":
                with contextlib.suppress(OSError):
                    os.fchown(self._handle, status.st_uid, status.st_gid)
            Path(self._temporary).chmod(stat.S_IMODE(status.st_mode))
        _write_all(self._handle, self.file.data)
        os.fsync(self._handle)

    def _make_folder(self, folder: Path) -> None:
        missing = [place for place in (folder, *folder.parents) if not place.exists()]
        for place in reversed(missing):
            place.mkdir()
            self._made.append(place)

    def place(self) -> None:
        """Give the content its final name."""
        if self.file.content is None:
            self._target.unlink()
        elif self._special:
            _write_through(self._target, self.file.data)
        else:
            os.close(self._handle)  # Windows does not rename open files.
            self._handle = -1
            Path(self._temporary).replace(self._target)
            self._temporary = ""
        self.written = True

    def restore(self) -> None:
        """Undo :meth:`place`."""
        if self.old is None and self.file.content is not None:
            self._target.unlink()
        else:
            again = _Staged(NewFile(self._target, self.old, shown=self.file.shown))
            try:
                again.place()
            finally:
                again.close()
        self.written = False

    def close(self) -> None:
        """Remove everything that was not placed, including new folders."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
        if self._temporary:
            with contextlib.suppress(OSError):
                Path(self._temporary).unlink()
        if not self.written:
            for folder in reversed(self._made):
                with contextlib.suppress(OSError):
                    folder.rmdir()


def _place(staged: list[_Staged]) -> None:
    for one in staged:
        try:
            one.place()
        except OSError as error:
            _undo(staged)
            kept = [other.file.name for other in staged if other.written]
            left = [other.file.name for other in staged if not other.written and other is not one]
            progress = f"Written: {', '.join(kept)}; not written: {', '.join([one.file.name, *left])}" if kept else ""
            raise FileFormatError(
                f"{one.file.name} cannot be written: {_reason(error)}. {progress or 'Nothing was written'}.",
                _hint_for(error),
            ) from None


def _undo(staged: list[_Staged]) -> None:
    for one in reversed(staged):
        if one.written:
            with contextlib.suppress(OSError, FileFormatError):
                one.restore()


def _reason(error: OSError) -> str:
    return (error.strerror or str(error) or type(error).__name__).rstrip(".")


def _hint_for(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "Free some space there, then run it again."
    return "Check the folder and its permissions."


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _write_through(path: Path, data: bytes) -> None:
    """Write to a device or a pipe that the user named (``/dev/stderr``, ``/dev/null``): there is nothing to replace."""
    handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))  # a FIFO without a reader is an error
    try:
        if sys.platform != "win32":
            os.set_blocking(handle, True)
        _write_all(handle, data)
    finally:
        os.close(handle)


def is_read_only(file: Path) -> bool:
    """True if a file exists and is read-only; the superuser could write it, but should not either."""
    return file.exists() and not (file.stat().st_mode & 0o222 and os.access(file, os.W_OK))


@contextlib.contextmanager
def _signals_later() -> Iterator[None]:
    """Delay signals that would end the process until the block is over; only the main thread can do that."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []
    before = {}
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) not in (None, signal.SIG_IGN):
            before[number] = signal.signal(number, lambda received, _: arrived.append(received))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(arrived):
            signal.raise_signal(number)


@contextlib.contextmanager
def locked(folder: Path, *, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Prevent other runs of mcp-governor from writing in a folder, while a file is read, changed and written back.

    Raises:
        UsageError: another run holds the lock for longer than ``seconds``.
    """
    handle = _lock_handle(folder)
    try:
        end = time.monotonic() + seconds
        while not _try_lock(handle):
            if time.monotonic() >= end:
                raise UsageError(
                    f"Another mcp-governor has been writing in {visible(folder.name)} for {seconds:.0f} seconds; "
                    "nothing was written.",
                    "Wait for it to end, or end it; then run this again.",
                )
            time.sleep(0.02)
        yield
    finally:
        os.close(handle)


def _lock_handle(folder: Path) -> int:
    """The locked object: the folder itself, so that no file is left behind; if folders cannot be locked (Windows, some
    network file systems), a file in the temporary folder that is named after it."""
    if sys.platform != "win32":
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _try_lock(handle)
        except OSError:
            os.close(handle)
        else:
            return handle
    import hashlib
    import tempfile

    digest = hashlib.sha256(os.path.realpath(folder).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    file = Path(tempfile.gettempdir()) / f"mcp-governor-{digest}.lock"
    return os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)


def _try_lock(handle: int) -> bool:
    """Take the lock if it is free; closing the handle releases it."""
    if sys.platform == "win32":
        return _try_lock_windows(handle)
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _try_lock_windows(handle: int) -> bool:
    import msvcrt

    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    except OSError:
        return False
    return True
