"""The JSON Schema of the surface file, printed by ``schema surface``."""

from __future__ import annotations

from typing import Any

from mcp_governor.findings import Tier
from mcp_governor.schemas.dialects import DIALECT_2020_12
from mcp_governor.surface.file import FORMAT


def surface_schema() -> dict[str, Any]:
    """A 2020-12 schema of ``mcp-governor/surface-1``. List items come from the server, so any value is valid.

    The object is open, because a new optional member does not need a new version of the format.
    """
    items = {"type": "array", "items": {}}
    return {
        "$schema": DIALECT_2020_12,
        "title": FORMAT,
        "type": "object",
        "properties": {
            "format": {"const": FORMAT},
            "fingerprint": {"type": "string", "pattern": "^v1:sha256:[0-9a-f]{64}$"},
            "wording": {"type": "string", "pattern": "^w1:sha256:[0-9a-f]{64}$"},
            "serverInfo": {"type": "object", "description": "As the server reports it."},
            "release": {"type": "string", "description": "The version that the target pins: V in pypi:NAME==V."},
            "schemaVersion": {
                "type": "object",
                "properties": {"version": {"type": "string"}, "source": {"type": "string"}},
                "required": ["version", "source"],
                "description": "The version by the configuration's schema-version, and that source.",
            },
            "protocolVersion": {"type": "string"},
            "capabilities": {"type": "object"},
            "instructions": {"type": "string"},
            "tiers": {
                "type": "object",
                "additionalProperties": {"enum": [tier.value for tier in Tier]},
                "description": "Tool name → tier, for tools whose tier something said.",
            },
            "optIn": {
                "type": "object",
                "additionalProperties": {"type": "object"},
                "description": "Tool name → the tools/list parameters that list it, for tools that the plain list "
                "omits.",
            },
            "tierLists": {
                "type": "object",
                "additionalProperties": {"enum": [tier.value for tier in Tier]},
                "description": "Tool name → tier of the list that returned it, where the tool has another.",
            },
            "tools": {**items, "description": "Sorted by name."},
            "prompts": items,
            "resources": items,
            "resourceTemplates": items,
            "skills": {**items, "description": "Entries of skills/list; left out where skills were not read."},
            "skillFiles": {
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "properties": {
                        "digest": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
                        "size": {"type": "integer", "minimum": 0},
                        "text": {"type": "string"},
                        "error": {"type": "string", "description": "Why it could not be read or verified."},
                        "unread": {"const": True, "description": "It is beyond the bounds of one reading."},
                    },
                },
                "description": "URI of a skill's file → what was read of it.",
            },
            "listings": {
                "type": "object",
                "additionalProperties": {"type": ["object", "array"]},
                "description": "List → what its result says besides the items, where the specification requires more.",
            },
            "manifest": {"type": "object", "description": "The repository's server.json."},
        },
        "required": ["format", "fingerprint", "wording", "tools"],
    }
