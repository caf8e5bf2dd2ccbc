"""The changelog in a run: its location, the version that it must cover, and the recordings next to it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from mcp_governor.errors import ConfigError, FileFormatError, GovernorError
from mcp_governor.files import list_files
from mcp_governor.surface import fingerprint, load_surface, parse_surface
from mcp_governor.target.git_releases import files_at_tags, release_tags
from mcp_governor.target.resolve import baseline_file as surface_file
from mcp_governor.text import visible
from mcp_governor.versions import Numbered

if TYPE_CHECKING:
    from mcp_governor.changelog import Changelog, Recorded, SchemaVersion
    from mcp_governor.config import Config
    from mcp_governor.surface import Surface


_MAX_RECORDINGS = 10_000
"""Maximum number of recorded releases in a folder: a release every day for 27 years."""


def read_declared(
    config: Config, surface: Surface | None, changelog: Changelog | None = None
) -> tuple[Changelog | None, SchemaVersion]:
    """The changelog, which is read if there is one and none is given, and the current version of the surface.

    Raises:
        FileFormatError: the configured changelog cannot be read.
        ConfigError: the schema version refers to a constant that does not exist.
    """
    from mcp_governor.version_sources import schema_version

    expected = schema_version(config.schema_version, surface, config.root, config=config.path)
    if changelog is None and config.changelog:
        changelog = load_changelog(config)
    return changelog, expected


def load_changelog(config: Config) -> Changelog:
    """The configured changelog, under its configured name in messages.

    Raises:
        ConfigError: the configuration names none.
        FileFormatError: it cannot be read.
    """
    from mcp_governor.changelog import load

    if not config.changelog:
        raise ConfigError(
            f"{config.shown} names no changelog." if config.path else "There is no changelog.",
            'Set changelog = "docs/mcp-schema-changelog.md", or write one with: mcp-governor init',
        )
    return load(config.resolve(config.changelog), what=config.changelog)


def released_versions(config: Config) -> dict[Numbered, str]:
    """Every version that is known to be released, with the evidence: its tag, or its recorded surface.

    Raises:
        TargetError: git does not read the repository.
        FileFormatError: the folder of recorded surfaces cannot be read.
    """
    folder = config.changelog_options.surfaces.rstrip("/")
    place = config.resolve(folder)
    try:
        files = list_files(place, ".json", most=_MAX_RECORDINGS) if place.is_dir() else []
    except OSError as error:
        raise FileFormatError(f"{visible(folder)} cannot be read: {error.strerror}.", "Check the folder.") from None
    recorded = {
        version: f"{visible(folder)}/{visible(file.name)}"
        for file in files
        if (version := Numbered.parse(file.stem)) is not None
    }
    tagged = {version: f"tag {visible(tag)}" for version, tag in release_tags(config.root).items()}
    return {**recorded, **tagged}


def recorded_releases(changelog: Changelog, config: Config, *, with_current: bool = False) -> tuple[Recorded, ...]:
    """The surfaces of released versions: recorded in the surfaces folder, else at their git tags.

    Args:
        changelog: the changelog with the releases.
        config: where they are recorded.
        with_current: include the current section, which is released when the run is between releases.
    """
    from mcp_governor.changelog import Recorded, recorded_surfaces
    from mcp_governor.versions import same_version

    folder = config.changelog_options.surfaces
    found = {
        one.version: one
        for one in recorded_surfaces(config.resolve(folder), folder, changelog, with_current=with_current)
    }
    wanted = {
        section.numbered: section.version_text
        for section in changelog.released
        if section.numbered is not None and (with_current or not section.current) and section.version_text not in found
    }
    if wanted:
        for version, data in files_at_tags(config.root, surface_file(config), wanted).items():
            with contextlib.suppress(GovernorError):
                surface = parse_surface(data, f"git:{version.text}")
                # A file that was not recorded again for the release has the surface of an older one.
                text = wanted[version]
                if surface.version is None or same_version(surface.version, text):
                    found[text] = Recorded(text, fingerprint(surface), f"git tag of {text}")
    return tuple(found.values())


def surface_of_release(config: Config, version: str) -> Surface | None:
    """The surface of a released version: recorded in the surfaces folder, else at its git tag, else ``None``."""
    parsed = Numbered.parse(version)
    if parsed is None:
        return None
    file = config.resolve(config.changelog_options.surfaces) / f"{parsed.text}.json"
    if file.is_file():
        return load_surface(file)
    data = files_at_tags(config.root, surface_file(config), {parsed}).get(parsed)
    return parse_surface(data, f"git:{parsed.text}") if data is not None else None
