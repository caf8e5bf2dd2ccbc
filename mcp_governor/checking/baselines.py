"""Finds the baseline of a run, from everything on which it depends."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mcp_governor.checking.governed import config_before
from mcp_governor.checking.last_release import last_release_of
from mcp_governor.checking.reading import package_version
from mcp_governor.stage import EVERY_CHANGE
from mcp_governor.target import read_baseline

if TYPE_CHECKING:
    from mcp_governor.changelog import Changelog
    from mcp_governor.checking.base import Base
    from mcp_governor.config import Config
    from mcp_governor.stage import Stage
    from mcp_governor.surface import Surface
    from mcp_governor.target import Baseline, Source


def baseline_of(
    surface: Surface,
    config: Config,
    against: str | None = None,
    *,
    source: Source | None = None,
    stage: Stage | None = None,
    changelog: Changelog | None = None,
    base: Base | None = None,
) -> Baseline | None:
    """The baseline of a surface: see :func:`mcp_governor.target.read_baseline`.

    Args:
        surface: the current one.
        config: may name the baseline, and the changelog, which states the last release.
        against: the baseline from the command line.
        source: the governed target; ``None`` for a surface that was already read.
        stage: of the run; ``None`` means between releases.
        changelog: as read, if it was.
        base: the base branch of a pull request, whose changelog states the last release.

    Raises:
        GovernorError: as there.
    """
    return read_baseline(
        config,
        against,
        source=source,
        stage=stage or EVERY_CHANGE,
        ours=partial(package_version, surface, config),
        last=last_release_of(config, surface, stage, changelog, base),
        tiers_of=partial(config_before, config),
    )
