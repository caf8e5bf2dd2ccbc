"""Read the surfaces of sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.errors import FileFormatError, TargetError, UsageError
from mcp_governor.surface import NO_TIER_RULES, Surface, TierRules, build_surface, load_surface, parse_surface
from mcp_governor.target.model import FileSource, GitSource, LiveSource, Source
from mcp_governor.target.resolve import baseline_file, parse_target
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_governor.config import Config
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
    from mcp_governor import wire

    lists, calls = source.list_params, source.call_first
    recording = wire.read(source.endpoint, limits=limits_of(source), list_params=lists, call_first=calls)
    return surface_of(recording, source, tiers=tiers)


def read_pair(sources: tuple[Source, Source], tiers: tuple[TierRules, TierRules]) -> tuple[Surface, Surface]:
    """Two surfaces, each with its tiers: those of two servers are read at once. Errors as in :func:`read_source`."""
    first, second = sources
    if not (isinstance(first, LiveSource) and isinstance(second, LiveSource)):
        return read_source(first, tiers=tiers[0]), read_source(second, tiers=tiers[1])
    from mcp_governor import wire

    live = (first, second)
    read = wire.read_both(*((one.endpoint, limits_of(one), one.list_params, one.call_first) for one in live))
    return surface_of(read[0], first, tiers=tiers[0]), surface_of(read[1], second, tiers=tiers[1])


def refuse_client_config(source: FileSource) -> None:
    """Explain how to name a server if a file is a client's configuration and not a recording.

    Raises:
        TargetError: it is one.
    """
    from mcp_governor.target.clients import not_named, servers_in

    if servers := servers_in(source.path):
        raise not_named(source.shown, servers)


def surface_of(recording: Recording, source: LiveSource, *, tiers: TierRules = NO_TIER_RULES) -> Surface:
    """The surface of a live server."""
    from mcp_governor.target.packages import started_package

    raw = recording.raw
    started = started_package(getattr(source.endpoint, "command", ()))
    if started is not None and started.version:
        raw = {**raw, "release": started.version}
    return build_surface(raw, tiers=tiers, tier_of_list=recording.tier_of_list, source=source.shown)


def limits_of(source: LiveSource) -> Limits:
    """The wire's limits for a server, with its timeouts."""
    from mcp_governor import wire

    return wire.Limits(request_timeout=source.timeout, connect_timeout=source.start_timeout)


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
        return no_server(parse_target(target, config, base=base), target)
    name = baseline_file(config)
    path = config.resolve(name)
    if not path.is_file():
        raise TargetError(
            f"There is no recorded surface: {visible(name)} does not exist.",
            "Record it with `mcp-governor snapshot`, and commit it.",
        )
    return FileSource(shown=visible(name), path=path)


def no_server(source: Source, named: str) -> Source:
    """Refuse a live server, with ``--offline``.

    Raises:
        UsageError: it is one.
    """
    if isinstance(source, LiveSource):
        raise UsageError(
            f'"{one_line(named, 80)}" is a server, and --offline does not start servers.',
            "Name a surface file or git:REF, or remove --offline.",
        )
    return source
