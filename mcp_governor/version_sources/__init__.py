"""Where the version of the schema comes from: the server, a project file, an installed distribution, a git tag, a
constant, or the configuration.

Here lives whatever reads one of those, and whatever says which of them is the right one. Everything is read and
nothing is run. What a changelog makes of the version is for ``changelog``.
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
