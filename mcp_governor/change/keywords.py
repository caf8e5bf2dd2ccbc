"""Is a schema object a schema? The types of the keywords' values (2020-12 core and validation meta-schemas).

Sub-schemas are not looked into: each is asked for itself, so that one broken part does not spoil the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def _is_type(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(item, str) and item in TYPES for item in value)
    return isinstance(value, str) and value in TYPES


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_positive(value: Any) -> bool:
    return _is_number(value) and value > 0


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_filled_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


def _is_map(value: Any) -> bool:
    return isinstance(value, dict)


def _is_names_map(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_names, value.values()))


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_string(value: Any) -> bool:
    return isinstance(value, str)


def _is_boolean(value: Any) -> bool:
    return isinstance(value, bool)


_CHECKS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "type": (_is_type, "a JSON Schema type"),
    "enum": (_is_list, "a list"),
    "required": (_is_names, "a list of names"),
    "dependentRequired": (_is_names_map, "a map of lists of names"),
    "pattern": (_is_string, "a string"),
    "format": (_is_string, "a string"),
    "$ref": (_is_string, "a string"),
    "uniqueItems": (_is_boolean, "a boolean"),
    "multipleOf": (_is_positive, "a number above 0"),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), (_is_number, "a number")),
    **dict.fromkeys(
        (
            "maxContains",
            "maxItems",
            "maxLength",
            "maxProperties",
            "minContains",
            "minItems",
            "minLength",
            "minProperties",
        ),
        (_is_count, "a count"),
    ),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), (_is_filled_list, "a list of schemas")),
    **dict.fromkeys(
        ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties"),
        (_is_map, "a map of schemas"),
    ),
}


def check_keywords(schema: Mapping[str, Any]) -> str:
    """The first keyword whose value has the wrong type, told as a clause; empty where all are right."""
    for key, value in schema.items():
        check = _CHECKS.get(key)
        if check is not None and not check[0](value):
            return f"its {key} {one_line(str(value), 40)} is not {check[1]}"
    return ""
