"""The dialects of JSON Schema: how a schema names the one that it is written in."""

from __future__ import annotations

from typing import Any

DIALECT_2020_12 = "https://json-schema.org/draft/2020-12/schema"
LATEST = 20
"""Draft 2020-12: what a schema is written in that does not say (MCP specification, 2025-11-25)."""

_URIS = {
    "https://json-schema.org/draft/2020-12/schema": 20,
    "https://json-schema.org/draft/2019-09/schema": 19,
    "http://json-schema.org/draft-07/schema": 7,
    "http://json-schema.org/draft-06/schema": 6,
    "http://json-schema.org/draft-04/schema": 4,
}


def dialect_of(schema: Any, default: int) -> int | None:
    """The draft a schema is written in, or ``None`` where it names one that is not known."""
    if not isinstance(schema, dict) or "$schema" not in schema:
        return default
    uri = schema["$schema"]
    return _URIS.get(uri.rstrip("#")) if isinstance(uri, str) else None


def uri_of(draft: int) -> str:
    """How a schema names the dialect."""
    return next(uri for uri, number in _URIS.items() if number == draft)
