"""Finds the baseline of a run, from everything on which it depends."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mcp_governor.checking.governed import config_before
from mcp_governor.checking.last_release import last_release_of
from mcp_governor.checking.reading import package_version
from mcp_governor.parsing import read_json, read_toml
from mcp_governor.stage import EVERY_CHANGE
from mcp_governor.target import read_baseline
from mcp_governor.target.git import files_at
from mcp_governor.versions import Numbered

if TYPE_CHECKING:
    from mcp_governor.changelog import Changelog
    from mcp_governor.checking.base import Base
    from mcp_governor.config import Config
    from mcp_governor.stage import Stage
    from mcp_governor.surface import Surface
    from mcp_governor.target import Baseline, Source


def _governed_version(surface: Surface, config: Config) -> str | None:
    """The version whose releases are the baseline; ``None`` for the newest release.

    A pull request that states a lower version than its base does not get an older baseline.
    """
    ours = package_version(surface, config)
    if not config.base or ours is None:
        return ours
    before, now = Numbered.parse(_version_at_base(config)), Numbered.parse(ours)
    if before is None or now is None:
        return None
    return ours if now >= before else before.text


def _version_at_base(config: Config) -> str:
    """The version that the project file of the base states; empty if it states none."""
    held = files_at(config.root, config.base, ["pyproject.toml", "package.json"])
    try:
        if "pyproject.toml" in held:
            table = read_toml(held["pyproject.toml"].decode("utf-8-sig")).get("project")
        else:
            table = read_json(held.get("package.json", b"{}"))
    except (ValueError, RecursionError):
        return ""
    return str(table.get("version") or "") if isinstance(table, dict) else ""


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
        ours=partial(_governed_version, surface, config),
        last=last_release_of(config, surface, stage, changelog, base),
        tiers_of=partial(config_before, config),
    )
