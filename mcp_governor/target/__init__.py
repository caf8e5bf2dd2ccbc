"""Resolve what the user named into a source, and read its surface.

This package handles the forms of a TARGET, configurations of MCP clients, git, and discovery in a repository. ``wire``
connects to servers; ``checking`` chooses what a run compares.
"""

from mcp_governor.target.model import FileSource, GitSource, LiveSource, Source
from mcp_governor.target.read import (
    limits_of,
    no_server,
    read_pair,
    read_source,
    recorded_source,
    refuse_client_config,
    surface_of,
    tier_rules,
)
from mcp_governor.target.resolve import SURFACE_FILE, parse_target, resolve, resolve_both

__all__ = [
    "SURFACE_FILE",
    "FileSource",
    "GitSource",
    "LiveSource",
    "Source",
    "limits_of",
    "no_server",
    "parse_target",
    "read_pair",
    "read_source",
    "recorded_source",
    "refuse_client_config",
    "resolve",
    "resolve_both",
    "surface_of",
    "tier_rules",
]
