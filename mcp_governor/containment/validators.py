"""Cached validators for the schemas of a surface.

Schemas come from servers that are not trusted: nothing is fetched, schemas cannot hang a validator, and a schema that
does not compile has none (the linter reports it). The engine is loaded with the first schema.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp_governor.containment.validating import Validating

_CACHE_SIZE = 512
"""Most cached validators: the schemas of 250 tools. The oldest one is dropped first, and compiled again if needed."""
_cache: OrderedDict[int, tuple[Any, Validating | None]] = OrderedDict()


def compiled(schema: Any) -> Validating | None:
    """The validator of a schema, or ``None`` if the schema does not compile; cached by identity.

    Formats are annotations. The dialect comes from ``$schema``; the default is 2020-12.
    """
    key = id(schema)
    held = _cache.get(key)
    if held is not None:  # the entry keeps the schema alive, so its id is not reused
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
