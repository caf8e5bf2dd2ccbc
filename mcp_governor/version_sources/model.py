"""The version that a changelog must speak of: what it is, who says so, and where to change it."""

from __future__ import annotations

from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_governor.frozen import frozen
from mcp_governor.version_steps import same_version

if TYPE_CHECKING:
    from collections.abc import Callable

SERVER_INFO = "serverInfo"
GIT_TAG = "git-tag"
DISTRIBUTION = "distribution"
LITERAL = "configuration"
PROJECT_FILES = ("pyproject.toml", "package.json", "server.json")
"""Files of a project that state its version; each is a source by its own name, also below a folder."""

SOURCES = (SERVER_INFO, *PROJECT_FILES, "distribution:NAME", GIT_TAG, "package.module:NAME")
"""Every way to write ``schema-version`` besides the version itself, for messages."""


@frozen
class Written:
    """A line of a file.

    Attributes:
        file: relative to the folder of the configuration, safe to show.
        line: from 1.
    """

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file} line {self.line}"


@frozen(slots=False)
class SchemaVersion:
    """The version that the changelog must speak of.

    Attributes:
        text: the version, ``None`` where the server reports none.
        source: who says so, as messages name it (``the server``, ``pyproject.toml:3``,
            ``pkg.mod:NAME (src/pkg/mod.py:3)``).
        written: where the text itself is written, ``None`` where that is no line of a file.
        spec: the configuration's ``schema-version``.
        reported: the version that the server itself reports at the same time, ``None`` where it is not known.
        find: looks for :attr:`place` where nothing is :attr:`written`; it may read many files.
    """

    text: str | None
    source: str
    written: Written | None = None
    spec: str = SERVER_INFO
    reported: str | None = None
    find: Callable[[], Written | None] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def place(self) -> Written | None:
        """Where the version has to be edited, as far as it can be told; looked for on first use."""
        return self.written or (self.find() if self.find is not None else None)

    @property
    def count(self) -> str:
        """What the source is called in a recorded surface; versions of one count can be compared."""
        return LITERAL if self.spec == self.text else self.spec

    @property
    def counts_like_server(self) -> bool:
        """Whether the source and the server say the same now, so that what a server said earlier can be compared."""
        return bool(self.text and self.reported) and same_version(self.text or "", self.reported or "")

    @property
    def tagged(self) -> bool:
        """Whether the source says a new version only after the release, when its commit is tagged."""
        return self.spec.partition(":")[0] == GIT_TAG

    @property
    def counts_packages(self) -> bool:
        """Whether the source counts the releases of a package, so that its tags and its registry count alike."""
        kind = self.spec.partition(":")[0]
        return kind in (DISTRIBUTION, GIT_TAG) or Path(kind).name in PROJECT_FILES

    def for_release(self, version: str) -> SchemaVersion:
        """What the source will say once ``version`` is tagged: that, for a tag, and what it says now otherwise."""
        return replace(self, text=version) if self.tagged else self

    @property
    def stands(self) -> str:
        """The first half of a sentence: ``the server still reports 0.2.0``."""
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
        """The second half: what to do so that the source says ``version``."""
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
        """One clause that says what the source says and what to do: ``the server still reports 0.2.0; set it to 0.3.0
        in pyproject.toml line 3``."""
        return f"{self.stands}; {self.advice(version)}"
