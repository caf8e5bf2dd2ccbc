"""Compiled JSON Schemas of a surface, and which argument names a schema declares.

Schemas come from a server that is not trusted: nothing is ever fetched, no schema can hang a validator, and one that
does not compile checks nothing (the linter reports it).
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from mcp_governor.schemas.pointers import resolve_fragment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.containment.validating import Validating

_CACHE_SIZE = 512
_cache: OrderedDict[int, tuple[Any, Validating | None]] = OrderedDict()


def compiled(schema: Any) -> Validating | None:
    """The validator of a schema, ``None`` where it does not compile; kept by identity of the schema.

    Formats are annotations, the dialect comes from ``$schema`` and is 2020-12 where it is absent.
    """
    key = id(schema)
    held = _cache.get(key)
    if held is not None:  # the entry holds the schema, so the id cannot have been given to another one
        _cache.move_to_end(key)
        return held[1]
    validator = compile_schema(schema)
    _cache[key] = (schema, validator)
    if len(_cache) > _CACHE_SIZE:
        _cache.popitem(last=False)
    return validator


def compile_schema(schema: Any) -> Validating | None:
    """The validator of a schema that is used once; see :func:`compiled`."""
    from mcp_governor.containment.validating import Validating

    if not isinstance(schema, dict | bool):
        return None
    found = Validating(schema)
    return found if found.readable else None


_SPREAD = ("allOf", "anyOf", "oneOf")
_BRANCHES = ("if", "then", "else")


def branches(root: Any, start: Any) -> Iterator[dict[str, Any] | None]:
    """Every schema that composition and references join at one place, ``start`` itself first.

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
        for key in _SPREAD:
            items = here.get(key)
            stack.extend(items if isinstance(items, list) else ())
        stack.extend(here[key] for key in _BRANCHES if key in here)
        dependent = here.get("dependentSchemas")
        stack.extend(dependent.values() if isinstance(dependent, dict) else ())
        reference = here.get("$ref")
        if isinstance(reference, str):
            target = _local(root, reference)
            if target is None:
                yield None
            stack.append(target)


def declared_arguments(schema: Any) -> frozenset[str] | None:
    """The argument names that an input schema declares, wherever composition spreads them.

    Returns:
        ``None`` where the schema is open by declaration (``additionalProperties`` is ``true`` or a schema,
        ``patternProperties`` is there) or where a ``$ref`` cannot be followed: then any name may be right.
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
