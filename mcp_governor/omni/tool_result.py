"""Results of ``tools/call`` as the tool schema guide defines them (section 0): text blocks and ``isError``, closed."""

from __future__ import annotations

from typing import Any

from mcp_governor.omni.shared_schema import SharedSchema

NAME = "omni.mcp.tool_result.v1"

_SCHEMA = SharedSchema(NAME)
get_schema_path, get_validator, validate = _SCHEMA.path, _SCHEMA.validator, _SCHEMA.validate


def build_result(text: str | None, is_error: bool = False) -> dict[str, Any]:
    """A result with one text block.

    Args:
        text: the output; ``None`` becomes an empty string, because the content is never null.
        is_error: true if the call failed. The guide itself reports failures as JSON-RPC errors, without a result.
    """
    result = {"content": [{"type": "text", "text": "" if text is None else text}], "isError": is_error}
    validate(result)
    return result


def is_canonical(value: Any) -> bool:
    """True if a value already is a result of this form, so that it needs no wrapping."""
    return bool(get_validator().is_valid(value))
