"""docs/mcp-schema-changelog.md: read, check, draft, release, compare."""

from mcp_governor.changelog.check import ChangelogSettings, Recorded, check
from mcp_governor.changelog.model import Changelog, Entry, Fingerprint, Kind, Problem, Section, Subsection
from mcp_governor.changelog.parse import load, parse
from mcp_governor.changelog.schema_version import SchemaVersion, schema_version

__all__ = [
    "Changelog",
    "ChangelogSettings",
    "Entry",
    "Fingerprint",
    "Kind",
    "Problem",
    "Recorded",
    "SchemaVersion",
    "Section",
    "Subsection",
    "check",
    "load",
    "parse",
    "schema_version",
]
