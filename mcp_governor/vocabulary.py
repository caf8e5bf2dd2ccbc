"""Which JSON Schema keywords hold schemas, and which only annotate (2020-12 core, applicator, meta-data).

One place for what every walk over a schema needs: a *keyword* ``description`` is prose, a *property* that is
called ``description`` is contract, and only a walk that knows which keywords hold schemas can tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

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

DIALECT_2020_12 = "https://json-schema.org/draft/2020-12/schema"


def escape_pointer(token: str | int) -> str:
    """One reference token of a JSON pointer (RFC 6901)."""
    return str(token).replace("~", "~0").replace("/", "~1")


def unescape_pointer(token: str) -> str:
    """The inverse of :func:`escape_pointer`."""
    return token.replace("~1", "/").replace("~0", "~")


def join_pointer(base: str, *tokens: str | int) -> str:
    """``base`` extended by ``tokens``, each escaped."""
    return base + "".join(f"/{escape_pointer(token)}" for token in tokens)


def resolve_pointer(document: Any, pointer: str) -> Any:
    """The value at a JSON pointer.

    Raises:
        KeyError: where the pointer leads nowhere.
    """
    if pointer in ("", "#"):
        return document
    value = document
    for token in pointer.removeprefix("#").removeprefix("/").split("/"):
        key = unescape_pointer(token)
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            raise KeyError(pointer)
    return value


def subschemas(schema: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The schemas one step below ``schema``, each with the pointer tokens that lead to it."""
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        if key in SCHEMA_KEYS and isinstance(value, dict | bool):
            yield (key,), value
        elif (key in SCHEMA_LIST_KEYS or key == "items") and isinstance(value, list):
            for index, item in enumerate(value):
                yield (key, index), item
        elif key in SCHEMA_MAP_KEYS and isinstance(value, dict):
            for name, item in value.items():
                yield (key, name), item
        elif key in MIXED_MAP_KEYS and isinstance(value, dict):
            for name, item in value.items():
                if isinstance(item, dict | bool):
                    yield (key, name), item


MOST_NEGATED = 100_000
"""What :func:`negated` may come to where a schema is compiled: 100 MB. Honest schemas stay below 1,000."""


def negated(value: Any) -> int:
    """The JSON values under every ``not`` of a schema, counted once for each ``not`` that they are under.

    A validator keeps a copy of what is under each, so this is what a chain of them costs.
    """
    found = 0

    def values(part: Any) -> int:
        nonlocal found
        if isinstance(part, dict):
            count = 1
            for key, item in part.items():
                held = values(item)
                count += held
                found += held if key == "not" else 0
            return count
        return 1 + sum(map(values, part)) if isinstance(part, list) else 1

    values(value)
    return found


def walk(schema: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Every schema in a document, itself included, with its pointer; iterative, so depth is no danger."""
    stack: list[tuple[str, Any]] = [(pointer, schema)]
    while stack:
        here, value = stack.pop()
        yield here, value
        stack.extend((join_pointer(here, *tokens), item) for tokens, item in subschemas(value))
