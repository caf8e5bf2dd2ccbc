"""The surface: model, reading, fingerprints, and the surface file.

A surface is what a server publishes, as values that every station reads. ``wire`` and ``target`` fetch it, and
``schemas`` interprets its schemas.
"""

from mcp_governor.surface.file import dump_surface, load_surface, parse_surface, surface_document
from mcp_governor.surface.fingerprint import fingerprint, tool_fingerprint, wording_fingerprint
from mcp_governor.surface.model import Deprecation, Hints, Surface, Tool
from mcp_governor.surface.read import NO_TIER_RULES, TierRules, build_surface

__all__ = [
    "NO_TIER_RULES",
    "Deprecation",
    "Hints",
    "Surface",
    "TierRules",
    "Tool",
    "build_surface",
    "dump_surface",
    "fingerprint",
    "load_surface",
    "parse_surface",
    "surface_document",
    "tool_fingerprint",
    "wording_fingerprint",
]
