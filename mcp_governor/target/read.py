"""Read the surfaces of sources."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.errors import FileFormatError, GovernorError, UsageError
from mcp_governor.stage import EVERY_CHANGE
from mcp_governor.surface import NO_TIER_RULES, Surface, TierRules, build_surface, load_surface, parse_surface
from mcp_governor.target.model import FileSource, GitSource, LiveSource, Source
from mcp_governor.target.packages import is_package
from mcp_governor.target.pinned import pinned_version
from mcp_governor.target.resolve import SURFACE_FILE, baseline_file, parse_target
from mcp_governor.target.stated import published_surface
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcp_governor.config import Config
    from mcp_governor.stage import Stage
    from mcp_governor.target.stated import StatedRelease
    from mcp_governor.wire import Limits, Recording


def tier_rules(config: Config) -> TierRules:
    """The configured tier globs, as rules for the surface."""
    return TierRules({tier: tuple(globs) for tier, globs in config.tiers.items()})


def read_source(source: Source, *, tiers: TierRules = NO_TIER_RULES) -> Surface:
    """Read the surface of a source; connects to live ones.

    Raises:
        FileFormatError, TargetError: the recording is missing or not valid.
        ServerError: the server cannot be reached or does not implement MCP.
    """
    if isinstance(source, FileSource):
        try:
            return load_surface(source.path, what=source.shown, tiers=tiers)
        except FileFormatError:
            refuse_client_config(source)
            raise
    if isinstance(source, GitSource):
        from mcp_governor.target.git import file_at

        return parse_surface(file_at(source.folder, source.ref, source.path), source.shown, tiers=tiers)
    return surface_of(_read_live(source), source, tiers=tiers)


def refuse_client_config(source: FileSource) -> None:
    """Explain how to name a server if a file is a client's configuration and not a recording.

    Raises:
        TargetError: it is one.
    """
    from mcp_governor.target.clients import not_named, servers_in

    if servers := servers_in(source.path):
        raise not_named(source.shown, servers)


def read_sources(sources: Sequence[Source], *, tiers: Sequence[TierRules] = ()) -> list[Surface]:
    """Read the surfaces of several sources, in order; live ones are read concurrently.

    Args:
        sources: what to read.
        tiers: those of each source; by default none has any.

    Raises:
        GovernorError: as for :func:`read_source`, for the first source that fails.
    """
    pairs = list(zip(sources, tiers or (NO_TIER_RULES,) * len(sources), strict=True))
    live = [source for source in sources if isinstance(source, LiveSource)]
    if len(live) < 2 or any(source.list_params for source in live):
        return [read_source(source, tiers=own) for source, own in pairs]
    from mcp_governor import wire

    limits = limits_of(*live)
    answers = dict(zip(map(id, live), wire.read_many([source.endpoint for source in live], limits=limits), strict=True))
    surfaces = []
    for source, own in pairs:
        if not isinstance(source, LiveSource):
            surfaces.append(read_source(source, tiers=own))
            continue
        answer = answers[id(source)]
        if isinstance(answer, GovernorError):
            raise answer
        surfaces.append(surface_of(answer, source, tiers=own))
    return surfaces


def surface_of(recording: Recording, source: LiveSource, *, tiers: TierRules = NO_TIER_RULES) -> Surface:
    """The surface of a live server."""
    raw = recording.raw
    release = pinned_version(getattr(source.endpoint, "command", ()))
    if release is not None:
        raw = {**raw, "release": release}
    return build_surface(raw, tiers=tiers, tier_of_list=recording.tier_of_list, source=source.shown)


def limits_of(*sources: LiveSource) -> Limits:
    """The wire's limits for servers that are read together, with the longest timeouts."""
    from mcp_governor import wire

    return wire.Limits(
        request_timeout=max(source.timeout for source in sources),
        connect_timeout=max(source.start_timeout for source in sources),
    )


def _read_live(source: LiveSource) -> Recording:
    from mcp_governor import wire

    return wire.read(source.endpoint, limits=limits_of(source), list_params=source.list_params)


class Baseline(Struct, frozen=True):
    """The baseline of a run.

    Attributes:
        source: its name in reports.
        surface: its surface.
        lost: the last release, if its published surface was not found and this baseline is another surface.
    """

    source: str
    surface: Surface
    lost: str = ""


def read_baseline(
    config: Config,
    against: str | None = None,
    *,
    source: Source | None = None,
    stage: Stage = EVERY_CHANGE,
    ours: Callable[[], str | None] | None = None,
    last: StatedRelease | None = None,
    tiers_of: Callable[[], Config] | None = None,
) -> Baseline | None:
    """Read the baseline.

    It is ``--against``, or else the configured one, or else the surface file at the latest release tag, or else the
    surface file in the work tree; ``None`` if none of these exists, or if the run is isolated from them.

    The file in the work tree may be recorded again between releases. So it stands for ``last`` only if it still has the
    surface that this release published; otherwise, that surface is searched for.

    Args:
        config: the configuration, which may name a baseline.
        against: the baseline that the user typed.
        source: the governed source; ``None`` for a surface that has been read already. If it is a configured server,
            the run starts what the configuration names anyway. For a recording, or for a server that the user typed,
            the configuration must not make the run start or fetch anything else.
        stage: the stage of the run; a tagged release is compared with the release before it.
        ours: returns the governed version. A package without a version stands for the newest release that is not newer.
        last: the last release, as the changelog states it.
        tiers_of: returns the configuration with the tiers for a server that is the baseline; default is ``config``.

    Raises:
        UsageError: the configuration names a server as the baseline, and ``source`` is not one of its servers.
        GovernorError: a named baseline cannot be read. Unnamed baselines may be absent.
    """
    if against is not None or config.baseline:
        named = named_baseline(config, against, source=source)
        text = against if against is not None else config.baseline
        if is_package(text):
            from mcp_governor.target.published import newest_release

            text = newest_release(text, ours() if ours is not None else None, below=bool(stage.tag))
            named = parse_target(text, config, base=config.root)
    else:
        found = None if config.isolated else _default_source(config, stage)
        if found is None:
            return None
        named = found
    overwritten = _is_overwritten(named, config)
    if config.base:
        at_base = recording_of_base(named, config, typed=against is not None)
        if at_base is None:
            return None
        named = at_base
    # A recording has its own tiers; those of the current configuration would hide that a tool was moved.
    tiers = tier_rules(tiers_of() if tiers_of else config) if isinstance(named, LiveSource) else NO_TIER_RULES
    baseline = Baseline(named.shown, read_source(named, tiers=tiers))
    if against is None and last is not None and overwritten:
        return published_baseline(config, baseline, last)
    return baseline


def recording_of_base(source: Source, config: Config, *, typed: bool) -> Source | None:
    """A baseline as the base branch of a pull request has it: the pull request may change every file, and every ref.

    Args:
        source: the baseline.
        config: the configuration, with the commit of the base.
        typed: the user typed it.

    Returns:
        The file at the base instead of the one in the work tree; what neither the base nor HEAD tracks stays, because
        the job made it. ``None`` for a file that only the pull request has, unless the user typed it.

    Raises:
        UsageError: it is a ref, or a file that the user typed, that only the pull request has.
    """
    from mcp_governor.target.git import holds
    from mcp_governor.target.git_branch import belongs_to_branch
    from mcp_governor.target.git_commits import commit_of

    if isinstance(source, GitSource):
        commit = commit_of(source.folder, source.ref)
        if belongs_to_branch(source.folder, commit, config.base):
            raise UsageError(
                f"{source.shown} cannot be the baseline of a pull request, which itself chooses what that is.",
                "Name a release or the base branch: git:v1.0.0, git:origin/main",
            )
        return dataclasses.replace(source, ref=commit)
    if not isinstance(source, FileSource):
        return source
    # Not resolved: the pull request may have made a link of it.
    path = Path(os.path.relpath(source.path, config.root)).as_posix()
    if holds(config.root, config.base, path):
        shown = f"git:{config.base[:12]}:{visible(path)}"
        return GitSource(shown=shown, ref=config.base, path=path, folder=config.root)
    if not holds(config.root, "HEAD", path):
        return source
    if typed:
        raise UsageError(
            f"{source.shown} cannot be the baseline of a pull request: the base branch does not have it.",
            "Add it in a pull request of its own, or name another one.",
        )
    return None


def _is_overwritten(source: Source, config: Config) -> bool:
    """True if a baseline is the file in the work tree that ``snapshot`` writes."""
    return isinstance(source, FileSource) and source.path == config.resolve(baseline_file(config))


def published_baseline(config: Config, baseline: Baseline, last: StatedRelease) -> Baseline:
    """The surface of the last release as the baseline: ``baseline`` itself, or the surface that the release recorded.

    Args:
        config: the configuration, which says where releases record their surface.
        baseline: the recording in the work tree or at HEAD.
        last: the last release, as the changelog states it.

    Returns:
        ``baseline`` with ``lost`` if the surface of the last release was not found.
    """
    if last.states(baseline.surface):
        return baseline
    found = published_surface(config, last, recordings(config, baseline_file(config)))
    return replace(baseline, lost=last.version) if found is None else Baseline(*found)


def named_baseline(config: Config, against: str | None = None, *, source: Source | None = None) -> Source:
    """The source that ``--against`` or the configuration names, without starting or fetching anything.

    Args:
        config, against, source: as for :func:`read_baseline`; one of the first two names a baseline.

    Raises:
        UsageError: the configuration names a server as the baseline, and ``source`` is not one of its servers.
        TargetError: the name is not valid, or the source does not exist.
    """
    if against is not None:
        return parse_target(against, config, base=Path.cwd())
    named = parse_target(config.baseline, config, base=config.root, typed=False)
    if isinstance(named, LiveSource) and not (isinstance(source, LiveSource) and source.configured):
        shown = one_line(config.baseline, 60)
        raise UsageError(
            f'The baseline in {config.shown}, "{shown}", is a server. It is started only to check a configured server, '
            "not a recording or a target from the command line.",
            f'Add --against "{shown}" to start it, or record it first and compare with the file: mcp-governor snapshot',
        )
    return named


def _default_source(config: Config, stage: Stage) -> Source | None:
    from mcp_governor.target.git import holds
    from mcp_governor.target.git_commits import is_shallow
    from mcp_governor.target.git_releases import latest_release

    file = config.root / SURFACE_FILE
    shown = SURFACE_FILE
    held = latest_release(config.root, *recordings(config, SURFACE_FILE), before=stage.tag, tip=config.base or "HEAD")
    if held is not None:
        return GitSource(shown=f"git:{held[0]}", ref=held[0], path=held[1], folder=config.root)
    if config.base:
        # The work tree of a pull request does not decide if there is one.
        there = holds(config.root, config.base, SURFACE_FILE)
        return FileSource(shown=shown, path=file) if there or file.is_file() else None
    if file.is_file() and is_shallow(config.root):
        # Reports show this with the name of the baseline, because fetching the tags may be enough.
        shown += " (no release tag in this shallow clone; fetch them: git fetch --unshallow --tags)"
    return FileSource(shown=shown, path=file) if file.is_file() else None


def recordings(config: Config, file: str) -> tuple[str, str]:
    """Paths where a release may record its surface: that of ``changelog release``, and the surface file."""
    return f"{config.changelog_options.surfaces.rstrip('/')}/{{version}}.json", file
