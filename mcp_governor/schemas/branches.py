"""Schemas that composition and references apply at one place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.schemas.pointers import resolve_fragment
from mcp_governor.schemas.walking import in_place

if TYPE_CHECKING:
    from collections.abc import Iterator


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
