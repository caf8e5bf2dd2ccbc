"""Why something that is published as a schema cannot be used as one."""

from __future__ import annotations

from typing import Any

import jsonschema_rs

DEFAULT_DIALECT = 20
"""Draft 2020-12: what a schema is written in that does not say (MCP specification, 2025-11-25)."""


def schema_problem(schema: Any, *, default_dialect: int = DEFAULT_DIALECT) -> str | None:
    """One clause that tells why ``schema`` is not a usable JSON Schema, or ``None`` where it is.

    The clause continues a sentence that names the schema: "the input schema *has a keyword of …*".
    """
    if not isinstance(schema, dict | bool):
        return "is neither an object nor a boolean"
    draft = None if isinstance(schema, dict) and "$schema" in schema else default_dialect
    try:
        jsonschema_rs.canonicalize(schema, draft=draft, validate_formats=False, offline=True)
    except jsonschema_rs.ValidationError as error:
        where = "".join(f"/{step}" for step in error.instance_path)
        return f"breaks its meta-schema at {where or 'its root'}: {error.message}"
    except ValueError as error:
        return f"cannot be read: {error}"
    return None
