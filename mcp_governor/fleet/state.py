"""The file of a run that is not complete: a line of JSON for each member that is done, so that the run can go on.

The first line says which run it is. A line that was not written to its end does not count.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import msgspec

from mcp_governor._version import __version__
from mcp_governor.errors import FileFormatError, UsageError
from mcp_governor.files import MEBIBYTE, read_bytes
from mcp_governor.fleet.model import Row  # noqa: TC001 - msgspec reads the types
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mcp_governor.fleet.member import Job

FORMAT = "mcp-governor/fleet-state-1"
MAX_STATE_BYTES = 512 * MEBIBYTE
"""Largest file of a run in bytes: 20,000 servers with 20 KB each."""


class _Head(msgspec.Struct, frozen=True, tag_field="format", tag=FORMAT):
    """The first line: the run that the file belongs to."""

    run: str


class _Done(msgspec.Struct, frozen=True):
    name: str
    row: Row


class State:
    """The file of one run.

    Args:
        path: the file; if it exists, the run goes on where it ended.
        jobs: all jobs of the run.

    Attributes:
        rows: the rows in the file, by the name of their member.

    Raises:
        UsageError: the file is that of another run, is none, or cannot be written.
    """

    def __init__(self, path: Path, jobs: Sequence[Job]) -> None:
        self._path = path
        self._shown = one_line(str(path), 200)
        self.rows: dict[str, Row] = {}
        run = _digest(jobs)
        begun = self._read(run, {job.name for job in jobs})
        try:
            # Unbuffered: what is said to be done is in the file, also if we are killed.
            self._file = path.open("r+b" if begun else "wb", buffering=0)
            if begun:
                self._file.truncate(begun)
                self._file.seek(begun)
            else:
                self._write(_Head(run))
        except OSError as error:
            raise UsageError(
                f"{self._shown} cannot be written: {error.strerror}.", "Name another --state FILE."
            ) from None

    def _read(self, run: str, names: set[str]) -> int:
        """Read what is done. Returns the length of the usable part, in bytes; 0 for a new file."""
        try:
            data = read_bytes(self._path, limit=MAX_STATE_BYTES)
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise FileFormatError(f"{self._shown} cannot be read: {error.strerror}.", "Check the path.") from None
        if not data:
            return 0
        usable = data.rfind(b"\n") + 1
        head, *lines = data[:usable].splitlines() or [b""]
        try:
            if msgspec.json.decode(head, type=_Head).run != run:
                raise UsageError(
                    f"{self._shown} is the state of another run: its servers, settings or version differ.",
                    "Remove it, or name another --state FILE.",
                )
            for line in lines:
                done = msgspec.json.decode(line, type=_Done)
                if done.name in names:
                    self.rows[done.name] = done.row
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise FileFormatError(
                f"{self._shown} is not the state of a run.", "Remove it, or name another --state FILE."
            ) from None
        return usable

    def keep(self, name: str, row: Row) -> None:
        """Write one row.

        Raises:
            UsageError: the file takes no more.
        """
        try:
            self._write(_Done(name, row))
        except OSError as error:
            raise UsageError(
                f"{self._shown} cannot be written: {error.strerror}.",
                "Make room, and repeat the command: it goes on where it ended.",
            ) from None

    def _write(self, line: msgspec.Struct) -> None:
        rest = memoryview(msgspec.json.encode(line) + b"\n")
        while rest:
            rest = rest[self._file.write(rest) or 0 :]

    def complete(self) -> None:
        """The run is over: the file goes, so that the next run begins at the start."""
        self._file.close()
        try:
            os.unlink(self._path)  # noqa: PTH108
        except OSError as error:
            raise UsageError(f"{self._shown} cannot be removed: {error.strerror}.", "Remove it.") from None

    def close(self) -> None:
        """The run ends before it is complete."""
        self._file.close()


def _digest(jobs: Sequence[Job]) -> str:
    """What distinguishes runs: the version of this program, and the jobs but for their date."""
    plain = [msgspec.structs.replace(job, today="") for job in jobs]
    return hashlib.sha256(__version__.encode() + msgspec.json.encode(plain)).hexdigest()[:32]
