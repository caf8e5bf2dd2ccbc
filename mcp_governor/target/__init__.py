"""Resolve what the user named into a source, and read its surface.

This package handles the forms of a TARGET, configurations of MCP clients, git, and discovery in a repository. ``wire``
connects to servers; ``checking`` chooses what a run compares.
"""

from mcp_governor.target.model import FileSource, GitSource, LiveSource, Source
from mcp_governor.target.read import (
    Baseline,
    limits_of,
    named_baseline,
    read_baseline,
    read_source,
    read_sources,
    refuse_client_config,
    surface_of,
    tier_rules,
)
from mcp_governor.target.recorded import recorded_baseline, recorded_source
from mcp_governor.target.resolve import SURFACE_FILE, parse_target, resolve, resolve_both
from mcp_governor.target.stated import StatedRelease

__all__ = [
    "SURFACE_FILE",
    "Baseline",
    "FileSource",
    "GitSource",
    "LiveSource",
    "Source",
    "StatedRelease",
    "limits_of",
    "named_baseline",
    "parse_target",
    "read_baseline",
    "read_source",
    "read_sources",
    "recorded_baseline",
    "recorded_source",
    "refuse_client_config",
    "resolve",
    "resolve_both",
    "surface_of",
    "tier_rules",
]
