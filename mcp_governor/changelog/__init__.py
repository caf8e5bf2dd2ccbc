"""docs/mcp-schema-changelog.md: read, check, draft, release, compare.

Here lives whatever knows the file's grammar or decides what an entry mentions. What changed comes from ``change``;
which files and versions a run is about is chosen in ``checking``, and files are written by ``writing``.

Each name is loaded on first use: a check needs neither the drafting nor the accepting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_names

if TYPE_CHECKING:
    from mcp_governor.changelog.checks import ChangelogSettings, Recorded, check
    from mcp_governor.changelog.drafting import draft
    from mcp_governor.changelog.editing import first_changelog
    from mcp_governor.changelog.model import Changelog, Kind, Section
    from mcp_governor.changelog.reading import load, parse
    from mcp_governor.changelog.releases import (
        named_section,
        recorded_path,
        recorded_surfaces,
        release,
        release_note,
        show,
    )
    from mcp_governor.changelog.replacements import Announcement, announcements
    from mcp_governor.changelog.stating import SchemaVersion, baseline_version, schema_version

__all__ = [
    "Announcement",
    "Changelog",
    "ChangelogSettings",
    "Kind",
    "Recorded",
    "SchemaVersion",
    "Section",
    "announcements",
    "baseline_version",
    "check",
    "draft",
    "first_changelog",
    "load",
    "named_section",
    "parse",
    "recorded_path",
    "recorded_surfaces",
    "release",
    "release_note",
    "schema_version",
    "show",
]


__getattr__ = lazy_names(
    __name__,
    {
        "checks": ("ChangelogSettings", "Recorded", "check"),
        "drafting": ("draft",),
        "editing": ("first_changelog",),
        "model": ("Changelog", "Kind", "Section"),
        "reading": ("load", "parse"),
        "releases": ("named_section", "recorded_path", "recorded_surfaces", "release", "release_note", "show"),
        "replacements": ("Announcement", "announcements"),
        "stating": ("SchemaVersion", "baseline_version", "schema_version"),
    },
)
