"""Iterate over the schemas inside a schema, and over those that composition and references apply at one place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.schemas.keywords import (
    IN_PLACE,
    KEYWORDS,
    MIXED_MAP_KEYS,
    SCHEMA_KEYS,
    SCHEMA_LIST_KEYS,
    SCHEMA_MAP_KEYS,
    Holds,
)
from mcp_governor.schemas.pointers import join_pointer, resolve_fragment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def branches(root: Any, start: Any) -> Iterator[dict[str, Any] | None]:
    """Every schema that composition and references apply at one place, ``start`` itself first.

    Args:
        root: the document that local references point into.
        start: the schema to begin at.

    Yields:
        Schemas, each once; ``None`` for a reference that cannot be followed.
    """
    stack, seen = [start], set[int]()
    while stack:
        here = stack.pop()
        if not isinstance(here, dict) or id(here) in seen:
            continue
        seen.add(id(here))
        yield here
        # `not` does not describe the value.
        stack.extend(child for keyword, child in in_place(here) if keyword != "not")
        reference = here.get("$ref")
        if isinstance(reference, str):
            target = _local(root, reference)
            if target is None:
                yield None
            stack.append(target)


def declared_members(schema: Any) -> frozenset[str] | None:
    """The members that a schema declares, including those in its compositions.

    Returns:
        The names, or ``None`` if any name may be valid: the schema is explicitly open (``additionalProperties`` is
        ``true`` or a schema, or it has ``patternProperties``), or a ``$ref`` cannot be followed.
    """
    names: set[str] = set()
    for here in branches(schema, schema):
        if here is None or here.get("patternProperties") or here.get("additionalProperties") not in (None, False):
            return None
        properties = here.get("properties")
        if isinstance(properties, dict):
            names.update(properties)
    return frozenset(names)


def _local(root: Any, reference: str) -> Any:
    try:
        return resolve_fragment(root, reference)
    except KeyError:
        return None


_MAPS, _LISTS = SCHEMA_MAP_KEYS | MIXED_MAP_KEYS, SCHEMA_LIST_KEYS | {"items"}
_HOLDING = SCHEMA_KEYS | _LISTS | _MAPS
"""Keywords that hold schemas; most keywords of a schema do not."""


def subschemas(schema: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The schemas one step below ``schema``, each with the pointer tokens that lead to it."""
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        if key not in _HOLDING:
            continue
        if key in SCHEMA_KEYS and isinstance(value, dict | bool):
            yield (key,), value
        elif isinstance(value, list) and (key in SCHEMA_LIST_KEYS or key == "items"):
            for index, item in enumerate(value):
                yield (key, index), item
        elif key in SCHEMA_MAP_KEYS and isinstance(value, dict):
            for name, item in value.items():
                yield (key, name), item
        elif key in MIXED_MAP_KEYS and isinstance(value, dict):
            for name, item in value.items():
                if isinstance(item, dict | bool):
                    yield (key, name), item


def rebuilt(schema: dict[str, Any], each: Callable[[Any], Any]) -> dict[str, Any]:
    """A schema object with every schema one step below it replaced. Values of other keywords are shared."""
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _MAPS and isinstance(value, dict):
            out[key] = {name: each(part) for name, part in value.items()}
        elif key in _LISTS and isinstance(value, list):
            out[key] = [each(part) for part in value]
        else:
            out[key] = each(value) if key in SCHEMA_KEYS else value
    return out


MAX_NEGATED = 100_000
"""Largest :func:`negated` of a schema that is compiled: 100 MB. Real schemas stay below 1,000."""


def negated(value: Any) -> int:
    """The number of JSON values below each ``not`` of a schema, counted once for each ``not`` above them.

    A validator keeps a copy of the value of each ``not``, so this is the cost of a chain of them.
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


def in_place(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The schemas that a schema object applies to its own instance, except references, each with its keyword."""
    for keyword in IN_PLACE:
        value = schema.get(keyword)
        if isinstance(value, list):
            yield from ((keyword, child) for child in value)
        elif KEYWORDS[keyword].holds is Holds.SCHEMA:
            if value is not None:
                yield keyword, value
        elif isinstance(value, dict):
            yield from ((keyword, child) for child in value.values())


def children(schema: Any) -> list[Any]:
    """The schemas one step below ``schema``."""
    return [child for _, child in subschemas(schema)]


def patterns_of(schema: Any) -> Iterator[str]:
    """All patterns in a schema, including those for member names."""
    pending = [schema]
    while pending:
        part = pending.pop()
        if not isinstance(part, dict):
            continue
        if isinstance(part.get("pattern"), str):
            yield part["pattern"]
        yield from part.get("patternProperties", ())
        pending.extend(children(part))


def walk(schema: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """All schemas in a document, including itself, with their pointers. Not recursive, so depth does not matter."""
    stack: list[tuple[str, Any]] = [(pointer, schema)]
    while stack:
        here, value = stack.pop()
        yield here, value
        stack.extend((join_pointer(here, *tokens), item) for tokens, item in subschemas(value))
