"""The validators of a surface's schemas, each made once.

Schemas come from a server that is not trusted: nothing is ever fetched, no schema can hang a validator, and one that
does not compile checks nothing (the linter reports it). The engine is loaded with the first schema.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp_governor.containment.validating import Validating

_CACHE_SIZE = 512
"""Validators that are kept: the schemas of 250 tools. The oldest is forgotten and compiled again when it is asked
for."""
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
