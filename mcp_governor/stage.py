"""Whether a run stands between two releases or at one."""

from __future__ import annotations

from mcp_governor.frozen import frozen


@frozen
class Stage:
    """Where a run stands; :func:`mcp_governor.checking.stage.stage_of` decides it, once per run.

    Attributes:
        gate: ``policy.gate``: ``change`` judges every run as a release, ``release`` lets changes wait for one.
        at_release: version and changelog are judged as those of a release. Otherwise the version may stand still, and
            changes may stand under ``## Unreleased``.
        tag: the release tag of the commit that is judged, empty where it has none: what it released is held to the
            release before, not to itself.
    """

    gate: str = "change"
    at_release: bool = True
    tag: str = ""

    @property
    def between(self) -> bool:
        """Whether changes may wait for the next release."""
        return not self.at_release


EVERY_CHANGE = Stage()
"""Every change is judged as a release: what holds where nobody has decided."""
