"""A temporary folder with files for parameters that take a path: created on first use, removed at the end.

A run does not read or write files outside of it. Messages and recordings write its files as ``{sandbox}/notes.txt`` and
the day as ``{today}``, so that output is reproducible. Configured and recorded calls may use these placeholders too.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from contextlib import suppress
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import UsageError
from mcp_governor.programs import find_program
from mcp_governor.text import visible

if TYPE_CHECKING:
    from types import TracebackType

ROOT = "{sandbox}"
"""Placeholder for the sandbox in recordings, messages and configured calls."""

_DAY = re.compile(r"\{today(?::([%A-Za-z0-9./ -]{1,20}))?\}")
DAY_FORMATS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%Y%m%d", "%Y-%m")
"""Date formats; the unambiguous one comes first."""

SAMPLES = {file.name: file for file in sorted((Path(__file__).parent / "samples").iterdir())}
"""The sample files by name: small and valid; those with text contain the word "example"."""

_GIT_SECONDS = 10
"""Timeout for one git command, in seconds: generous, in a repository of two files they take milliseconds. After a
timeout, the folder stays as it is."""
_MAX_PRINTED = 65_536
"""Most output of one git command, in bytes; all of them are quiet."""
_MAX_SEEN = 500
"""Most entries of the sandbox that are read; a server may create any number."""


class Sandbox:
    """The files of one run.

    Args:
        parent: an existing folder in which to create it; by default, the system's folder for temporary files.
        today: today's date in arguments.
    """

    def __init__(self, parent: Path | None = None, today: date | None = None) -> None:
        self._parent = parent
        self._made: Path | None = None
        self.today = today or date.today()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def made(self) -> bool:
        """True if the folder exists."""
        return self._made is not None

    @property
    def root(self) -> str:
        """The absolute path of the folder, with symbolic links resolved.

        Raises:
            UsageError: it cannot be created.
        """
        if self._made is None:
            try:
                made = tempfile.mkdtemp(prefix="mcp-governor-", dir=self._parent)
            except OSError as error:
                where = visible(str(self._parent or tempfile.gettempdir()))
                raise UsageError(
                    f"No folder for sample files can be created in {where}: {error.strerror}.", "Check the path."
                ) from None
            self._made = Path(made).resolve()
            self.restore()
        return str(self._made)

    def restore(self) -> None:
        """Write missing sample files again, because a tool may have moved or deleted them."""
        if self._made is not None and not self._made.is_symlink():
            for name, file in SAMPLES.items():
                _write(self._made / name, file)

    def file(self, ending: str) -> str:
        """A file with an extension such as ``txt``: a sample, or else a file that a tool has written.

        If there is neither, the path of a file that does not exist.
        """
        sample = next((name for name in SAMPLES if name.endswith(f".{ending}")), None)
        if sample is not None:
            return f"{self.root}/{sample}"
        return next(iter(self.written(ending)), self.fresh(ending)[0])

    def written(self, ending: str) -> list[str]:
        """Files with an extension at the top of the sandbox that are not samples, sorted."""
        try:
            with os.scandir(self.root) as entries:
                names = [entry.name for entry, _ in zip(entries, range(_MAX_SEEN), strict=False)]
        except OSError:
            return []
        return [f"{self.root}/{name}" for name in sorted(names) if name.endswith(f".{ending}") and name not in SAMPLES]

    def fresh(self, ending: str = "", count: int = 4) -> list[str]:
        """Unused paths, for tools that create something; without ``ending``, for folders."""
        dot = f".{ending}" if ending else ""
        names = (f"created{number if number > 1 else ''}{dot}" for number in range(1, _MAX_SEEN))
        free = (f"{self.root}/{name}" for name in names if not os.path.lexists(f"{self.root}/{name}"))
        return [path for path, _ in zip(free, range(count), strict=False)]

    @cached_property
    def repository(self) -> str:
        """A git repository with two commits, a staged and an unstaged change; without git, an empty folder."""
        folder = Path(self.root) / "repository"
        with suppress(OSError):
            folder.mkdir()
        git = find_program("git")
        if git is not None:
            _fill(folder, git)
        return str(folder)

    def portable(self, value: Any) -> Any:
        """The value with placeholders for what differs from run to run: this folder and today's date."""
        if isinstance(value, str):
            if self._made is not None:
                value = value.replace(str(self._made), ROOT)
            for form in DAY_FORMATS[:1]:
                value = value.replace(self.today.strftime(form), "{today}")
            other = next((form for form in DAY_FORMATS[1:] if value == self.today.strftime(form)), None)
            return f"{{today:{other}}}" if other is not None else value
        if isinstance(value, list):
            return [self.portable(item) for item in value]
        return {key: self.portable(item) for key, item in value.items()} if isinstance(value, dict) else value

    def filled(self, value: Any) -> Any:
        """The value with its placeholders replaced; the reverse of :meth:`portable`."""
        if isinstance(value, str):
            if ROOT in value:
                if "repository" in value:
                    assert self.repository  # created on first use
                value = value.replace(ROOT, self.root)
            return _DAY.sub(self._day, value) if "{today" in value else value
        if isinstance(value, list):
            return [self.filled(item) for item in value]
        return {key: self.filled(item) for key, item in value.items()} if isinstance(value, dict) else value

    def _day(self, match: re.Match[str]) -> str:
        return self.today.strftime(match[1] or DAY_FORMATS[0])

    def close(self) -> None:
        """Remove the folder with everything that servers wrote into it; links are removed and not followed."""
        if self._made is None:
            return
        shutil.rmtree(self._made, ignore_errors=True)
        if os.path.lexists(self._made) and not self._made.is_symlink():
            for folder, _, _ in os.walk(self._made):
                with suppress(OSError):
                    Path(folder).chmod(0o700)
            shutil.rmtree(self._made, ignore_errors=True)


def _write(path: Path, sample: Path) -> None:
    # A server may have created a link with this name; O_EXCL does not follow it.
    with suppress(OSError), os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(sample.read_bytes())


def _fill(folder: Path, git: str) -> None:
    """Two commits with fixed dates and authors, so that their hashes are the same everywhere."""
    from mcp_governor.programs.child import output_of

    # Ignore the user's hooks, templates and settings.
    env = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
        **{f"GIT_{who}_NAME": "Example" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "someone@example.com" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_DATE": "2026-01-15T12:00:00Z" for who in ("AUTHOR", "COMMITTER")},
    }

    def run(*arguments: str) -> None:
        command = [git, "-C", str(folder), "-c", f"core.hooksPath={os.devnull}", "-c", "commit.gpgSign=false"]
        if output_of([*command, *arguments], seconds=_GIT_SECONDS, most=_MAX_PRINTED, env=env).code != 0:
            raise OSError("git did not do it")

    with suppress(OSError):
        run("init", "--quiet", "--template=", "--initial-branch=main")
        run("config", "user.name", "Example")
        run("config", "user.email", "someone@example.com")
        for number, text in enumerate(("example\n", "example\nmore\n"), 1):
            (folder / "notes.txt").write_text(text, "utf-8")
            run("add", "notes.txt")
            run("commit", "--quiet", "--message", f"Example {number}")
        run("branch", "example")
        (folder / "staged.txt").write_text("example\n", "utf-8")
        run("add", "staged.txt")
        (folder / "notes.txt").write_text("example\nmore\nchanged\n", "utf-8")
