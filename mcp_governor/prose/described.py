"""If a parameter is described at all: by its schema, or in any form by the description of its tool."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.asides import said_in_passing
from mcp_governor.prose.by_reference import said_by_reference
from mcp_governor.subjects.schemas import types_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.prose.declared import Declared
    from mcp_governor.subjects.context import Context

_MAX_TEXT = 4_000
"""Maximum number of characters searched for an example."""
_OPEN = frozenset({"const", "enum"})
"""Keywords that say what to pass, without a word."""
_LIST_SHOWN = lazy_pattern(
    r"(?:\b(?:e\.g\.|examples?|for example|such as)|예시?|例如?|示例)[\s:：,]{0,3}`{0,3}\[\s?[\"'\d]", re.IGNORECASE
)
"""An example of a list."""


def is_described(one: Declared, context: Context) -> bool:
    """True if anything says what a parameter is, if only in passing."""
    if one.text or not _OPEN.isdisjoint(one.schema):
        return True
    if one.nested:
        return False
    description = one.tool.description
    return bool(
        said_in_passing(one.name, description, anything=True)
        or said_by_reference(one.tool, one.name, "", context)
        or (_LIST_SHOWN.search(description[:_MAX_TEXT]) and _is_only_list(one))
    )


def _is_only_list(one: Declared) -> bool:
    """True for the only parameter of its tool that is a list: an example of a list shows it."""
    properties: Mapping[str, Any] = one.tool.input_schema.get("properties") or {}
    return _is_list(one.schema) and sum(map(_is_list, properties.values())) == 1


def _is_list(schema: Any) -> bool:
    return isinstance(schema, dict) and (types_of(schema) or frozenset()) - {"null"} == {"array"}
