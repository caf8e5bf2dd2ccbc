"""The release stage of a run: between two releases, or at one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from mcp_governor.findings import Bump


class Stage(Struct, frozen=True):
    """The stage of a run; :func:`mcp_governor.checking.against.last_release.stage_of` determines it, once per run.

    Attributes:
        gate: ``policy.gate``: ``change`` treats every run as a release, and ``release`` lets changes wait for one.
        at_release: version and changelog are checked as those of a release. Otherwise the version may stay the same,
            and changes may be under ``## Unreleased``.
        tag: the release tag of the commit, ``None`` if it has none: what it released is compared with the release
            before it, not with itself.
        version: the version that is being released, if the version source reads tags and does not have it yet.
        asked: the user says that this is a release (``--release``).
    """

    gate: str = "change"
    at_release: bool = True
    tag: str | None = None
    version: str = ""
    asked: bool = False

    @property
    def between(self) -> bool:
        """True if changes may wait for the next release."""
        return not self.at_release

    @property
    def asks_for_wording(self) -> bool:
        """True if new words alone should be mentioned: not before somebody releases, and not when it is done."""
        return self.at_release and self.tag is None


EVERY_CHANGE = Stage()
"""Every change is treated as a release: the default."""


UNDER_DATE, UNDER_NEW = "under the next date", "under a new version"
"""How to release if no version can be suggested."""


class Pending(Struct, frozen=True):
    """Changes that wait for the next release.

    Attributes:
        bump: the step that they require.
        version: the version for their release; ``None`` if it cannot be determined.
        calendar: versions are dates, so the next one depends on the day of the release.
    """

    bump: Bump
    version: str | None = None
    calendar: bool = False

    def __str__(self) -> str:
        if self.version is not None:
            return f"{self.bump.value}, release as {self.version}"
        return f"{self.bump.value}, release {UNDER_DATE if self.calendar else UNDER_NEW}"
