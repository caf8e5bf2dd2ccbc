"""Govern a recording instead of a server: compare it with what was committed before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.errors import TargetError, UsageError
from mcp_governor.stage import EVERY_CHANGE
from mcp_governor.surface import NO_TIER_RULES
from mcp_governor.target.model import FileSource, GitSource, LiveSource, Source
from mcp_governor.target.read import (
    Baseline,
    published_baseline,
    read_source,
    recording_of_base,
    recordings,
)
from mcp_governor.target.resolve import baseline_file, parse_target
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_governor.config import Config
    from mcp_governor.stage import Stage
    from mcp_governor.target.stated import StatedRelease


def recorded_source(config: Config, target: str | None = None, *, base: Path) -> Source:
    """The recording to govern: the named one, or else the surface file in the work tree.

    Args:
        config: the configuration; a ``baseline`` that is a ``.json`` file names the surface file.
        target: a TARGET that is a recording.
        base: folder for a relative ``target``.

    Raises:
        UsageError: the target is a live server.
        TargetError: there is no recording; the hint is the command to make one.
    """
    if target is not None:
        return _no_server(parse_target(target, config, base=base), target)
    name = baseline_file(config)
    path = config.resolve(name)
    if not path.is_file():
        raise TargetError(
            f"There is no recorded surface: {visible(name)} does not exist.",
            "Record it with `mcp-governor snapshot`, and commit it.",
        )
    return FileSource(shown=visible(name), path=path)


def recorded_baseline(
    config: Config,
    against: str | None = None,
    *,
    base: Path,
    stage: Stage = EVERY_CHANGE,
    last: StatedRelease | None = None,
) -> Baseline | None:
    """Read the baseline for a recording.

    It is ``against``, or else the surface file at the latest release tag, or else at ``HEAD``; ``None`` if the file was
    never committed, or if the run is isolated from both.

    Args:
        config: the configuration, which names the surface file.
        against: the baseline that the user typed.
        base: folder for a relative ``against``.
        stage: the stage of the run; a tagged release is compared with the release before it.
        last: the last release, as the changelog states it; ``HEAD`` stands for it only if it has the same surface.

    Raises:
        UsageError: ``against`` is a live server.
        GovernorError: the baseline cannot be read.
    """
    if against is not None:
        source: Source | None = _no_server(parse_target(against, config, base=base), against)
        if config.base and source is not None:
            source = recording_of_base(source, config, typed=True)
    else:
        source = None if config.isolated else _committed(config, stage)
    if source is None:
        return None
    baseline = Baseline(source.shown, read_source(source, tiers=NO_TIER_RULES))
    at_tip = against is None and isinstance(source, GitSource) and source.ref == (config.base or "HEAD")
    return published_baseline(config, baseline, last) if at_tip and last is not None else baseline


def _no_server(source: Source, named: str) -> Source:
    if isinstance(source, LiveSource):
        raise UsageError(
            f'"{one_line(named, 80)}" is a server, and --offline does not start servers.',
            "Name a surface file or git:REF, or remove --offline.",
        )
    return source


def _committed(config: Config, stage: Stage) -> Source | None:
    from mcp_governor.target.git import holds
    from mcp_governor.target.git_releases import latest_release

    name = baseline_file(config)
    tip = config.base or "HEAD"
    held = latest_release(config.root, *recordings(config, name), before=stage.tag, tip=tip)
    if held is None and holds(config.root, tip, name):
        held = (tip, name)
    if held is None:
        return None
    ref, path = held
    return GitSource(
        shown=f"git:{visible(ref[:12] if ref == config.base else ref)}", ref=ref, path=path, folder=config.root
    )
