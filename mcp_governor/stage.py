"""Whether a run stands between two releases or at one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from mcp_governor.findings import Bump


@frozen
class Stage:
    """Where a run stands; :func:`mcp_governor.checking.stage.stage_of` decides it, once per run.

    Attributes:
        gate: ``policy.gate``: ``change`` judges every run as a release, ``release`` lets changes wait for one.
        at_release: version and changelog are judged as those of a release. Otherwise the version may stand still, and
            changes may stand under ``## Unreleased``.
        tag: the release tag of the commit that is judged, ``None`` where it has none: what it released is held to the
            release before, not to itself.
        version: the version that is being released; a version source that reads tags does not say it yet.
    """

    gate: str = "change"
    at_release: bool = True
    tag: str | None = None
    version: str = ""

    @property
    def between(self) -> bool:
        """Whether changes may wait for the next release."""
        return not self.at_release

    def as_json(self) -> dict[str, str | bool | None]:
        """``gate``, ``at_release`` and ``tag``, as the JSON report writes them."""
        return {"gate": self.gate, "at_release": self.at_release, "tag": self.tag}


EVERY_CHANGE = Stage()
"""Every change is judged as a release: what holds where nobody has decided."""


UNDER_DATE, UNDER_NEW = "under the next date", "under a new version"
"""How to release what no version can be named for."""


@frozen
class Pending:
    """What waits for the next release.

    Attributes:
        bump: the step that it needs.
        version: the version to release it as; ``None`` where that cannot be told.
        calendar: versions are dates, so the next one is the day's.
    """

    bump: Bump
    version: str | None = None
    calendar: bool = False

    def __str__(self) -> str:
        if self.version is not None:
            return f"{self.bump.value}, release as {self.version}"
        return f"{self.bump.value}, release {UNDER_DATE if self.calendar else UNDER_NEW}"

    def as_json(self) -> dict[str, str | None]:
        """``bump`` and ``version``, as the JSON report writes them."""
        return {"bump": self.bump.value, "version": self.version}
