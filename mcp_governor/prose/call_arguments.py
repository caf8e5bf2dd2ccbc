"""The parameters that a tool's description can name: those of the call, and those one object deeper.

Frameworks wrap all parameters in one object ("params": {…}) without a description: the tool's description names the
members.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.pointers import pointer_tokens, resolve_fragment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.subjects.context import Facts
    from mcp_governor.surface.model import Tool

_INNER_CAPITAL = lazy_pattern(r"[a-z][A-Z]", re.NOFLAG)
Tokens = tuple[str | int, ...]

_MAX_STEPS = 8
"""Maximum number of references, lists and unions with null between a parameter and its object; generators write three.
Ends a cycle."""
_MAX_PROPERTIES = 1_000
"""Maximum number of parameters per object; a larger one is generated, and no description lists them."""
_MAX_NAMES = 2_000
"""Maximum number of parameters per tool, nested ones included; with more, only those of the call itself are kept."""


class CallObject(Struct, frozen=True):
    """The object that declares the parameters of a tool.

    Attributes:
        tokens: path to it from the root of the input schema, references followed; empty for the root.
        schema: the object.
    """

    tokens: Tokens
    schema: Mapping[str, Any]

    @property
    def properties(self) -> Mapping[str, Any]:
        """The parameters that it declares."""
        return _properties(self.schema)


def call_object(tool: Tool, facts: Facts) -> CallObject:
    """The object whose parameters a description names as those of the tool: the root, or the object that it wraps."""
    return facts.kept(("call object", tool.index), lambda: _call_object(tool.raw.get("inputSchema")))


def call_properties(tool: Tool) -> Mapping[str, Any]:
    """The parameters of :func:`call_object`, for readers that look at a tool without the facts of its server."""
    return _call_object(tool.raw.get("inputSchema")).properties


def argument_places(tool: Tool, facts: Facts) -> Mapping[str, Tokens]:
    """The place where each parameter is declared, as the tokens of its node.

    A name that two nested objects declare is omitted, unless the call itself declares it.
    """
    # Asked for by several walks over all tools.
    return facts.kept(("argument places", tool.index), lambda: _places(tool.raw.get("inputSchema")))


def _call_object(root: Any) -> CallObject:
    found = CallObject((), root if isinstance(root, dict) else {})
    if len(found.properties) == 1:
        (name,) = found.properties
        inner = _object_at(root, ("properties", name), found.properties[name], items=False)
        if inner is not None and inner.properties:
            return inner
    return found


def _places(root: Any) -> dict[str, Tokens]:
    call = _call_object(root)
    if not call.properties:
        return {}
    out: dict[str, Tokens] = {name: ("properties", name) for name in _properties(root)}
    out.update((name, (*call.tokens, "properties", name)) for name in call.properties)
    nested: dict[str, Tokens] = {}
    twice: set[str] = set()
    for name, tokens in _nested(root, call):
        if nested.setdefault(name, tokens) != tokens:
            twice.add(name)
        if len(nested) > _MAX_NAMES:
            return out
    return {**{name: tokens for name, tokens in nested.items() if name not in twice}, **out}


def _nested(root: Any, call: CallObject) -> Iterator[tuple[str, Tokens]]:
    """The parameters of the objects in the call's own parameters, or in lists there."""
    for name, argument in call.properties.items():
        inner = _object_at(root, (*call.tokens, "properties", name), argument, items=True)
        for key in inner.properties if inner is not None else ():
            # A plain word in a description is seldom the name of what an object holds.
            if "_" in key or _INNER_CAPITAL.search(key):
                yield key, (*inner.tokens, "properties", key)  # type: ignore[union-attr]


def _object_at(root: Any, tokens: Tokens, schema: Any, *, items: bool) -> CallObject | None:
    """The object to which a schema leads through references, a union with null and, with ``items``, a list."""
    for _ in range(_MAX_STEPS):
        if not isinstance(schema, dict):
            return None
        if isinstance(schema.get("properties"), dict):
            return CallObject(tokens, schema)
        step = _step(root, tokens, schema, items=items)
        if step is None:
            return None
        tokens, schema = step
    return None


def _step(root: Any, tokens: Tokens, schema: dict[str, Any], *, items: bool) -> tuple[Tokens, Any] | None:
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/"):
        try:
            return tuple(pointer_tokens(reference[1:])), resolve_fragment(root, reference)
        except (KeyError, ValueError):
            return None
    for key in ("anyOf", "oneOf", "allOf"):
        branches = schema.get(key)
        if isinstance(branches, list):
            real = [at for at, one in enumerate(branches) if isinstance(one, dict) and one.get("type") != "null"]
            return ((*tokens, key, real[0]), branches[real[0]]) if len(real) == 1 else None
    if items and isinstance(schema.get("items"), dict):
        return (*tokens, "items"), schema["items"]
    return None


def _properties(schema: Any) -> Mapping[str, Any]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) and len(properties) <= _MAX_PROPERTIES else {}
