"""docs/mcp-schema-changelog.md: read, check, draft, release, compare."""

from mcp_governor.changelog.check import ChangelogSettings, Recorded, check, same_version
from mcp_governor.changelog.draft import draft
from mcp_governor.changelog.first import first_changelog
from mcp_governor.changelog.model import Changelog, Entry, Fingerprint, Kind, Problem, Section, Subsection
from mcp_governor.changelog.parse import load, parse
from mcp_governor.changelog.release import (
    ReleaseComparison,
    Told,
    compare_releases,
    recorded_path,
    recorded_surfaces,
    release,
    show,
)
from mcp_governor.changelog.replacements import Announcement, announcements
from mcp_governor.changelog.schema_version import SchemaVersion, schema_version
from mcp_governor.changelog.steps import Scheme, Step, declared_step, needed_step

__all__ = [
    "Announcement",
    "Changelog",
    "ChangelogSettings",
    "Entry",
    "Fingerprint",
    "Kind",
    "Problem",
    "Recorded",
    "ReleaseComparison",
    "SchemaVersion",
    "Scheme",
    "Section",
    "Step",
    "Subsection",
    "Told",
    "announcements",
    "check",
    "compare_releases",
    "declared_step",
    "draft",
    "first_changelog",
    "load",
    "needed_step",
    "parse",
    "recorded_path",
    "recorded_surfaces",
    "release",
    "same_version",
    "schema_version",
    "show",
]
