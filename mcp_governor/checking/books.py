"""The changelog as a run needs it: where it is, which version it must speak of, what stands recorded beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_governor.errors import ConfigError, GovernorError
from mcp_governor.surface import NO_TIER_RULES, load_surface
from mcp_governor.target import SURFACE_FILE, GitSource, read_source
from mcp_governor.versions import Version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.change import Change
    from mcp_governor.changelog import Changelog, SchemaVersion
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.surface import Surface
    from mcp_governor.target import Baseline


@dataclass(frozen=True)
class Books:
    """What a release is held to on paper.

    Attributes:
        changelog: as read, ``None`` where the configuration names none.
        expected: the version that the surface has now.
    """

    changelog: Changelog | None
    expected: SchemaVersion


def open_books(config: Config, surface: Surface | None) -> Books:
    """Read the changelog, where there is one, and the schema version.

    Raises:
        FileFormatError: the changelog is named and cannot be read.
        ConfigError: the schema version names a constant that is not there.
    """
    from mcp_governor.changelog.schema_version import schema_version

    expected = schema_version(config.schema_version, surface, config.root)
    return Books(load_changelog(config) if config.changelog else None, expected)


def load_changelog(config: Config) -> Changelog:
    """The configured changelog, called in messages as the configuration calls it.

    Raises:
        ConfigError: the configuration names none.
        FileFormatError: it cannot be read.
    """
    from mcp_governor.changelog import load

    if not config.changelog:
        raise ConfigError(
            f"{config.shown} names no changelog.",
            'Set changelog = "docs/mcp-schema-changelog.md", or write one with: mcp-governor init',
        )
    return load(config.resolve(config.changelog), what=config.changelog)


def check_changelog(
    books: Books, surface: Surface, baseline: Baseline | None, changes: Sequence[Change], config: Config
) -> list[Finding]:
    """What is wrong with the changelog, with everything at hand that it can be held to."""
    if books.changelog is None:
        return []
    from mcp_governor.changelog import ChangelogSettings, check, recorded_surfaces

    folder = config.changelog_options.surfaces
    settings = ChangelogSettings(
        expected=books.expected,
        baseline=baseline.surface if baseline else None,
        recorded=tuple(recorded_surfaces(config.resolve(folder), folder, books.changelog)),
        names=_manifest_names(surface, baseline),
        zero_policy=config.policy.zero_policy,
    )
    return check(books.changelog, surface, changes if baseline is not None else None, settings=settings)


def _manifest_names(surface: Surface, baseline: Baseline | None) -> frozenset[str]:
    """What entries may name of the registry manifest, now or before."""
    from mcp_governor.policy import manifest_names

    manifests = (surface.manifest, baseline.surface.manifest if baseline else None)
    return frozenset[str]().union(*(manifest_names(manifest) for manifest in manifests if manifest is not None))


def surface_of_release(config: Config, version: str) -> Surface | None:
    """The surface of a released version: recorded in the surfaces folder, else at its git tag, else ``None``."""
    parsed = Version.parse(version)
    if parsed is None:
        return None
    file = config.resolve(config.changelog_options.surfaces) / f"{parsed}.json"
    if file.is_file():
        return load_surface(file)
    name = config.baseline if config.baseline.endswith(".json") else SURFACE_FILE
    for tag in (f"v{parsed}", str(parsed)):
        try:
            return read_source(GitSource(f"git:{tag}", tag, name, config.root), tiers=NO_TIER_RULES)
        except GovernorError:
            continue
    return None
