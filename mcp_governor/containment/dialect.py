"""The dialects of JSON Schema, and every schema in the words of one of them, draft 2020-12.

Keywords that a dialect does not know are dropped on the way, as that dialect ignores them; so are
``contentEncoding`` and ``contentMediaType``, which are annotations here as ``format`` is.
"""

from __future__ import annotations

import re
from typing import Any

LATEST = 20
"""Draft 2020-12: what a schema is written in that does not say (MCP specification, 2025-11-25)."""

_URIS = {
    "https://json-schema.org/draft/2020-12/schema": 20,
    "https://json-schema.org/draft/2019-09/schema": 19,
    "http://json-schema.org/draft-07/schema": 7,
    "http://json-schema.org/draft-06/schema": 6,
    "http://json-schema.org/draft-04/schema": 4,
}

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
RECURSIVE = "$recursive"
"""The dynamic anchor that ``$recursiveAnchor`` is written as."""

SINGLE = frozenset(
    [
        "items",
        "additionalItems",
        "unevaluatedItems",
        "contains",
        "additionalProperties",
        "unevaluatedProperties",
        "propertyNames",
        "not",
        "if",
        "then",
        "else",
        "contentSchema",
    ]
)
"""Keywords whose value is a schema."""
MAPS = frozenset(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"])
"""Keywords whose value is an object of schemas."""
LISTS = frozenset(["allOf", "anyOf", "oneOf", "prefixItems"])
"""Keywords whose value is an array of schemas."""

_DRAFT_4 = frozenset(
    [
        "$schema",
        "$ref",
        "definitions",
        "$defs",
        "type",
        "enum",
        "multipleOf",
        "maximum",
        "minimum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "maxLength",
        "minLength",
        "pattern",
        "items",
        "additionalItems",
        "maxItems",
        "minItems",
        "uniqueItems",
        "maxProperties",
        "minProperties",
        "required",
        "properties",
        "patternProperties",
        "additionalProperties",
        "dependencies",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "id",
    ]
)
_DRAFT_6 = (_DRAFT_4 - {"id"}) | {"$id", "const", "contains", "propertyNames"}
_DRAFT_7 = _DRAFT_6 | {"if", "then", "else"}
_DRAFT_19 = (_DRAFT_7 - {"dependencies"}) | {
    "$anchor",
    "$recursiveRef",
    "$recursiveAnchor",
    "dependentRequired",
    "dependentSchemas",
    "maxContains",
    "minContains",
    "unevaluatedItems",
    "unevaluatedProperties",
}
ASSERTIONS = (_DRAFT_19 | {"$dynamicRef", "dependencies", "prefixItems"}) - {
    "$anchor",
    "$defs",
    "$id",
    "$recursiveAnchor",
    "$schema",
    "definitions",
}
"""Keywords that refuse values, in any draft; all others are notes to the reader."""
_KEYWORDS = {4: _DRAFT_4, 6: _DRAFT_6, 7: _DRAFT_7, 19: _DRAFT_19}
_BESIDE_REF = frozenset(["$schema", "$ref", "definitions", "$defs"])

# Where a pointer into an old schema leads in its translation.
_MOVED = (
    (re.compile(r"(?<=/)items/(?=\d+(/|$))"), "prefixItems/"),
    (re.compile(r"(?<=/)additionalItems(?=/|$)"), "items"),
    (re.compile(r"(?<=/)dependencies(?=/)"), "dependentSchemas"),
)

# An old dialect whose schema holds none of these reads the same in the newest one.
_DIFFERENT = tuple(
    f'"{word}"'
    for word in [
        "$ref",
        "$recursiveRef",
        "$dynamicRef",
        "$id",
        "id",
        "$anchor",
        "items",
        "additionalItems",
        "prefixItems",
        "dependencies",
        "contains",
        "minContains",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "const",
        "propertyNames",
        "if",
        "dependentRequired",
        "dependentSchemas",
        "unevaluatedItems",
        "unevaluatedProperties",
        "contentEncoding",
        "contentMediaType",
    ]
)


def dialect_of(schema: Any, default: int) -> int | None:
    """The draft a schema is written in, or ``None`` where it names one that is not known."""
    if not isinstance(schema, dict) or "$schema" not in schema:
        return default
    uri = schema["$schema"]
    return _URIS.get(uri.rstrip("#")) if isinstance(uri, str) else None


def uri_of(draft: int) -> str:
    """How a schema names the dialect."""
    return next(uri for uri, number in _URIS.items() if number == draft)


def known_keywords(draft: int) -> frozenset[str] | None:
    """The assertions that a dialect knows and does not ignore; ``None`` for the newest one, which knows all."""
    return _KEYWORDS.get(draft)


def modern(schema: Any, draft: int, text: str) -> Any:
    """The same schema in draft 2020-12.

    Args:
        schema: a valid schema of the draft.
        draft: 4, 6, 7, 19 or 20.
        text: the JSON text of the schema, to see cheaply that there is nothing to translate.
    """
    if draft == LATEST or not isinstance(schema, dict):
        return schema
    if not any(word in text for word in _DIFFERENT):
        return {key: value for key, value in schema.items() if key != "$schema"}
    translated = _translate(schema, draft)
    if isinstance(translated, dict):
        translated.pop("$schema", None)
    return translated


def _translate(schema: Any, draft: int) -> Any:
    if not isinstance(schema, dict):
        return schema
    known = _KEYWORDS[draft]
    if draft <= 7 and isinstance(schema.get("$ref"), str):
        known = known & _BESIDE_REF
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key in known or key == "$defs":
            result[key] = _translate_value(key, value, draft)
    if isinstance(result.get("$ref"), str):
        for old, new in _MOVED:
            result["$ref"] = old.sub(new, result["$ref"])
    _translate_items(result)
    _translate_dependencies(result)
    if draft == 4:
        _translate_bounds(result)
    _translate_identity(result, draft)
    if result.pop("$recursiveAnchor", False) is True:
        result["$dynamicAnchor"] = RECURSIVE
    return result


def _translate_value(key: str, value: Any, draft: int) -> Any:
    if key in MAPS and isinstance(value, dict):
        return {name: _translate(part, draft) for name, part in value.items()}
    if (key in LISTS or key == "items") and isinstance(value, list):
        return [_translate(part, draft) for part in value]
    if key == "dependencies" and isinstance(value, dict):
        return {name: _translate(part, draft) for name, part in value.items()}
    return _translate(value, draft) if key in SINGLE else value


def _translate_items(schema: dict[str, Any]) -> None:
    beyond = schema.pop("additionalItems", None)
    if isinstance(schema.get("items"), list):
        schema["prefixItems"] = schema.pop("items")
        if not schema["prefixItems"]:
            del schema["prefixItems"]
        if beyond is not None:
            schema["items"] = beyond


def _translate_dependencies(schema: dict[str, Any]) -> None:
    for name, needs in schema.pop("dependencies", {}).items():
        keyword = "dependentRequired" if isinstance(needs, list) else "dependentSchemas"
        schema.setdefault(keyword, {})[name] = needs


def _translate_bounds(schema: dict[str, Any]) -> None:
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if schema.pop(exclusive, False) is True and bound in schema:
            schema[exclusive] = schema.pop(bound)


def _translate_identity(schema: dict[str, Any], draft: int) -> None:
    """Write ``id`` and plain-name fragments as the newest draft does."""
    identity = schema.pop("id", None) if draft == 4 else schema.get("$id")
    if not isinstance(identity, str):
        return
    base, mark, fragment = identity.partition("#")
    schema.pop("$id", None)
    if base:
        schema["$id"] = base
    if mark and fragment:
        schema["$anchor"] = fragment
