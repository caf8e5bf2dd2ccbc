"""The version that a changelog must have: its value, its source, and where to change it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.versions import same_version

if TYPE_CHECKING:
    from collections.abc import Callable

SERVER_INFO = "serverInfo"
GIT_TAG = "git-tag"
DISTRIBUTION = "distribution"
LITERAL = "configuration"
PROJECT_FILES = ("pyproject.toml", "package.json", "server.json")
"""Project files with a version. Each name is a source, with or without a folder."""

SOURCES = (SERVER_INFO, *PROJECT_FILES, "distribution:NAME", GIT_TAG, "package.module:NAME")
"""All forms of ``schema-version`` other than the version itself, for messages."""


class Written(Struct, frozen=True):
    """A line of a file.

    Attributes:
        file: path relative to the folder of the configuration, safe to show.
        line: line number, from 1.
    """

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file} line {self.line}"


@dataclass(frozen=True)
class SchemaVersion:
    """The version that the changelog must have.

    Attributes:
        text: the version; ``None`` if the server reports none.
        source: name of its source in messages (``the server``, ``pyproject.toml:3``,
            ``pkg.mod:NAME (src/pkg/mod.py:3)``).
        written: the line with the version; ``None`` if it is not on a line of a file.
        spec: ``schema-version`` of the configuration.
        reported: the version that the server itself reports; ``None`` if unknown.
        find: searches for :attr:`place` if :attr:`written` is ``None``; it may read many files.
    """

    text: str | None
    source: str
    written: Written | None = None
    spec: str = SERVER_INFO
    reported: str | None = None
    find: Callable[[], Written | None] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def place(self) -> Written | None:
        """The line to edit, if known; searched for on first use."""
        return self.written or (self.find() if self.find is not None else None)

    @property
    def count(self) -> str:
        """The name of the source in a recorded surface. Versions with the same ``count`` can be compared."""
        return LITERAL if self.spec == self.text else self.spec

    @property
    def counts_like_server(self) -> bool:
        """True if the source and the server have the same version now, so that earlier server versions are
        comparable."""
        return bool(self.text and self.reported) and same_version(self.text or "", self.reported or "")

    @property
    def tagged(self) -> bool:
        """True if the source gets a new version only after the release, when its commit is tagged."""
        return self.spec.partition(":")[0] == GIT_TAG

    @property
    def counts_packages(self) -> bool:
        """True if the source has the version of a package, which its tags and its registry share."""
        kind = self.spec.partition(":")[0]
        return kind in (DISTRIBUTION, GIT_TAG) or Path(kind).name in PROJECT_FILES

    def for_release(self, version: str) -> SchemaVersion:
        """The source after ``version`` is tagged: with that version for a tag, and unchanged otherwise."""
        return replace(self, text=version) if self.tagged else self

    @property
    def stands(self) -> str:
        """First half of a sentence: ``the server still reports 0.2.0``."""
        if self.text is None:
            return "the server reports no version"
        if self.spec == SERVER_INFO:
            return f"the server still reports {self.text}"
        if self.tagged:
            return f"the latest release tag still is {self.text}"
        if self.written is not None:
            return f"{self.written} still says {self.text}"
        return f"{self.source} still says {self.text}"

    def advice(self, version: str) -> str:
        """Second half: what to do so that the source has ``version``."""
        if self.tagged:
            return f"commit the release and tag it {version}"
        if self.written is not None and self.spec != SERVER_INFO:
            return f"set it to {version}"
        if self.place is not None:
            return f"set it to {version} in {self.place}"
        if self.spec == SERVER_INFO:
            return f"set it to {version} where the server is made"
        if self.spec.startswith(f"{DISTRIBUTION}:"):
            return f"set it to {version} in the project, and install the project again"
        return f"set it to {version}"

    def lags(self, version: str) -> str:
        """A clause with the current version and what to do, such as ``the server still reports 0.2.0; set it to 0.3.0
        in pyproject.toml line 3``."""
        return f"{self.stands}; {self.advice(version)}"
