"""Sources of the schema's version: the server, a project file, an installed distribution, a git tag, a constant, or the
configuration.

This package reads these sources and suggests the right one. It never runs code of the project. ``changelog`` checks the
changelog against the version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_names

if TYPE_CHECKING:
    from mcp_governor.version_sources.model import SERVER_INFO, SchemaVersion, Written
    from mcp_governor.version_sources.reading import schema_version
    from mcp_governor.version_sources.suggesting import Suggestion, suggest_source

__all__ = ["SERVER_INFO", "SchemaVersion", "Suggestion", "Written", "schema_version", "suggest_source"]

__getattr__ = lazy_names(
    __name__,
    {
        "model": ("SERVER_INFO", "SchemaVersion", "Written"),
        "reading": ("schema_version",),
        "suggesting": ("Suggestion", "suggest_source"),
    },
)
