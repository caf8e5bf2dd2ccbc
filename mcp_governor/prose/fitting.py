"""Compares example values with schemas, by types, values, names and limits.

A validator would find more, but costs more than one description is worth: this module finds the mistakes that authors
make when they write an example by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.subjects.schemas import effective, types_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAX_DEPTH = 6
"""Maximum depth of an example."""
_MAX_ITEMS = 20
"""Maximum number of items checked per list."""
_OPEN = ("allOf", "if", "not", "patternProperties", "dependentSchemas")
_LIMITS = (("minimum", -1), ("maximum", 1))
_SIZES: dict[type, tuple[str, str]] = {str: ("minLength", "maxLength"), list: ("minItems", "maxItems")}


def misfit(root: Any, schema: Any, value: Any, where: str = "", depth: int = 0) -> str:
    """The reason why a schema rejects a value, as a phrase; empty if it accepts it, or if that is not clear.

    Args:
        root: the schema in which references are resolved.
        schema: for the value.
        value: a JSON value; ``...`` stands for any value.
        where: path to the value in the example: ``filter.value``.
        depth: of the path.
    """
    found = effective(root, schema)
    if value is ... or depth > _MAX_DEPTH or not found or any(key in found for key in _OPEN):
        return ""
    types = types_of(found, root)
    if types is not None and not _is_of(value, types):
        return f"{where or 'it'} is {_KINDS[type(value)]} and not {' or '.join(sorted(types))}"
    if isinstance(value, str) and value.endswith(("...", "…")):
        return ""  # The rest of it was left out.
    branches = found.get("anyOf", found.get("oneOf"))
    if isinstance(branches, list) and branches:
        reasons = [misfit(root, branch, value, where, depth + 1) for branch in branches]
        return reasons[0] if all(reasons) else ""
    allowed = found.get("enum")
    # Nothing is in an empty enum, which has a rule of its own.
    if isinstance(allowed, list) and allowed and value not in allowed and not _is_blank(value):
        return f"{where or 'it'} has a value that is not in the enum"
    return _parts(root, found, value, where, depth) or _limits(found, value, where)


_KINDS = {
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
    type(None): "null",
}
_TYPES = {str: "string", bool: "boolean", list: "array", dict: "object", type(None): "null", float: "number"}


def _is_of(value: Any, types: frozenset[str]) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return not types.isdisjoint({"integer", "number"})
    if isinstance(value, float) and value.is_integer():
        return not types.isdisjoint({"integer", "number"})
    return type(value) not in _TYPES or _TYPES[type(value)] in types


def _is_blank(value: Any) -> bool:
    """True if a string is a placeholder: "...", "your-id", "value"."""
    return isinstance(value, str) and (not value.strip(". ") or value.lower().startswith(("your", "my", "some", "<")))


def _parts(root: Any, schema: Mapping[str, Any], value: Any, where: str, depth: int) -> str:
    if isinstance(value, list):
        items = schema.get("items")
        reasons = (misfit(root, items, item, f"{where}[]", depth + 1) for item in value[:_MAX_ITEMS])
        return next(filter(None, reasons), "") if isinstance(items, dict) else ""
    declared = schema.get("properties")
    if not isinstance(value, dict) or not isinstance(declared, dict) or not declared:
        return ""
    front = f"{where}." if where else ""
    for name, part in value.items():
        if name in declared:
            reason = misfit(root, declared[name], part, f"{front}{name}", depth + 1)
            if reason:
                return reason
        elif schema.get("additionalProperties") is False or depth == 0:
            return f"{front}{name} is not declared"
    return ""


def missing(schema: Mapping[str, Any], value: Mapping[str, Any]) -> list[str]:
    """The required properties that an object lacks."""
    required = schema.get("required")
    names = required if isinstance(required, list) else []
    return [name for name in names if isinstance(name, str) and name not in value]


def _limits(schema: Mapping[str, Any], value: Any, where: str) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        for key, sign in _LIMITS:
            limit = schema.get(key)
            if isinstance(limit, int | float) and not isinstance(limit, bool) and (value - limit) * sign > 0:
                return f"{where or 'it'} is {value}, beyond the {key} of {limit}"
    least, most = (schema.get(key) for key in _SIZES.get(type(value), ("", "")))
    if isinstance(most, int) and len(value) > most:
        return f"{where or 'it'} is longer than {most}"
    if isinstance(least, int) and len(value) < least and len(value) > 0:
        return f"{where or 'it'} is shorter than {least}"
    return ""
