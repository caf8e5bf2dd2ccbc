"""The one value of a run: a surface, and everything that it is compared with."""

from __future__ import annotations

from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcp_governor.checking.against.configuration import Before, governed_before
from mcp_governor.stage import EVERY_CHANGE, Stage

if TYPE_CHECKING:
    from mcp_governor.change import Change
    from mcp_governor.changelog import Changelog
    from mcp_governor.checking.against.baseline import Baseline
    from mcp_governor.config import Config
    from mcp_governor.surface import Surface


class Comparison(Struct, frozen=True, dict=True, eq=False):
    """A surface, and what it is compared with.

    Attributes:
        surface: what is checked, as the server publishes it or as it was recorded.
        config: what is required of it.
        baseline: the surface that it is compared with, its place and its release; ``None`` if there is none.
        stage: between releases, or at one; by default the surface is checked as a release.
        changelog: replaces the configured file, for example with the one of a future release.
        today: the date at which acceptances are evaluated.
    """

    surface: Surface
    config: Config
    baseline: Baseline | None = None
    stage: Stage = EVERY_CHANGE
    changelog: Changelog | None = None
    today: date = field(default_factory=date.today)

    @property
    def old(self) -> Surface | None:
        """The surface of the baseline."""
        return self.baseline.surface if self.baseline is not None else None

    @cached_property
    def changes(self) -> list[Change]:
        """From the baseline to the surface; none without a baseline."""
        from mcp_governor.checking.reading import changes_between

        return changes_between(self.old, self.surface, self.config) if self.old is not None else []

    @cached_property
    def before(self) -> Before | None:
        """How the server was governed at the baseline."""
        return governed_before(self.config, self.baseline.ref if self.baseline is not None else "")

    @property
    def accepted_before(self) -> frozenset[str]:
        """The ids that were accepted at the baseline."""
        accepted = self.before.config.accept if self.before is not None and self.before.config is not None else ()
        return frozenset(item.finding for item in accepted)
