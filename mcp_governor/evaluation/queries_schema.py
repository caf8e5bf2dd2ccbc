"""The JSON Schema of one line of a query set, printed by ``schema queries``."""

from __future__ import annotations

from typing import Any

from mcp_governor.evaluation.matchers import CONDITIONS, MAX_PATTERN
from mcp_governor.evaluation.model import Kind
from mcp_governor.evaluation.queries import MAX_NAMES, MAX_TEXT, SPLITS
from mcp_governor.schemas.dialects import DIALECT_2020_12


def queries_schema() -> dict[str, Any]:
    """A 2020-12 schema of a line; what it cannot say (unique ids, existing tools) ``eval check`` says."""
    names = {"type": "array", "items": {"type": "string", "minLength": 1}, "uniqueItems": True, "maxItems": MAX_NAMES}
    text = {"type": "string", "maxLength": MAX_TEXT}
    return {
        "$schema": DIALECT_2020_12,
        "title": "mcp-governor/queries-1",
        "description": "One line of a query set.",
        "type": "object",
        "properties": {
            "id": {
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_NAMES,
                "description": "Unique in the set; derived from the query if absent.",
            },
            "query": {**text, "pattern": r"\S", "description": "What the user says."},
            "gold_tools": {**names, "description": "Tools of which any is right; none: no tool should be called."},
            "kind": {
                "enum": [kind.value for kind in Kind],
                "description": "What the query is for; derived from gold_tools if absent: positive or abstain.",
            },
            "arguments": {
                "type": "object",
                "maxProperties": MAX_NAMES,
                "additionalProperties": {"$ref": "#/$defs/matcher"},
                "description": "Argument → matcher. Arguments that are not named may be anything.",
            },
            "forbidden": {**names, "description": "Tools that must not be called, whatever else is."},
            "split": {
                "enum": [*SPLITS],
                "default": SPLITS[-1],
                "description": "dev: to look at while descriptions are edited; test: to judge them.",
            },
            "draft": {"type": "boolean", "default": False, "description": "Written by eval init, and not edited yet."},
            "note": {**text, "description": "For people."},
            "tools_file": {**text, "description": "Recorded tools that the query is about, relative to the set."},
            "meta": {"type": "object", "description": "Anything else; never looked at."},
            "source": {"description": "Metadata of published sets."},
            "n_tools": {"description": "Metadata of published sets."},
        },
        "required": ["query"],
        "additionalProperties": False,
        "allOf": [
            {
                "if": {"properties": {"kind": {"const": "abstain"}}, "required": ["kind"]},
                "then": {"properties": {"gold_tools": {"maxItems": 0}}},
            },
            {
                "if": {"properties": {"kind": {"enum": ["positive", "sibling"]}}, "required": ["kind"]},
                "then": {"properties": {"gold_tools": {"minItems": 1}}, "required": ["gold_tools"]},
            },
            {
                "if": {"properties": {"arguments": {"minProperties": 1}}, "required": ["arguments"]},
                "then": {"properties": {"gold_tools": {"minItems": 1}}, "required": ["gold_tools"]},
            },
        ],
        "$defs": {
            "matcher": {
                "description": "A value that has to be equal, or an object of conditions that all have to hold.",
                "anyOf": [
                    {"not": {"type": "object"}},
                    {
                        "type": "object",
                        "properties": {
                            "equal": {},
                            "enum": {"type": "array", "minItems": 1},
                            "pattern": {"type": "string", "maxLength": MAX_PATTERN, "format": "regex"},
                            "minimum": {"type": "number"},
                            "maximum": {"type": "number"},
                            "present": {"type": "boolean"},
                        },
                        "propertyNames": {"enum": [*CONDITIONS]},
                        "minProperties": 1,
                    },
                ],
            }
        },
    }
