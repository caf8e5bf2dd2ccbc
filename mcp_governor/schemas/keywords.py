"""Which JSON Schema keywords hold schemas, and which only annotate (2020-12 core, applicator, meta-data).

One place for what every walk over a schema needs: a *keyword* ``description`` is prose, a *property* that is
called ``description`` is contract, and only a walk that knows which keywords hold schemas can tell.
"""

from __future__ import annotations

SCHEMA_KEYS = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
"""Keywords whose value is a schema (``items`` may also be a list of schemas before 2020-12)."""

SCHEMA_MAP_KEYS = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})
"""Keywords whose value maps names to schemas."""

SCHEMA_LIST_KEYS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
"""Keywords whose value is a list of schemas."""

MIXED_MAP_KEYS = frozenset({"dependencies"})
"""Keywords whose value maps names to a schema or to a list of names (draft-07)."""

ASSERTION_KEYS = frozenset(
    {
        "const",
        "dependentRequired",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "pattern",
        "required",
        "type",
        "uniqueItems",
    }
)
"""Keywords whose value is a plain value that instances are held to (2020-12 validation, section 6)."""

WORDING_KEYS = frozenset(
    {"$comment", "deprecated", "description", "example", "examples", "markdownDescription", "title"}
)
"""Keywords that only inform a reader. ``default`` is not among them: servers act on it."""

SILENT_KEYS = frozenset(
    {
        "$comment",
        "$defs",
        "$schema",
        "default",
        "definitions",
        "deprecated",
        "description",
        "examples",
        "format",
        "readOnly",
        "title",
        "writeOnly",
    }
)
"""Keywords that refuse no value, formats being annotations."""

UNORDERED_KEYS = frozenset({"allOf", "anyOf", "enum", "oneOf", "required", "type"})
"""Keywords whose array value has no order."""

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")

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
KEYWORDS = {4: _DRAFT_4, 6: _DRAFT_6, 7: _DRAFT_7, 19: _DRAFT_19}


def known_keywords(draft: int) -> frozenset[str] | None:
    """The assertions that a dialect knows and does not ignore; ``None`` for the newest one, which knows all."""
    return KEYWORDS.get(draft)
