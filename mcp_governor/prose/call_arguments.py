"""The parameters that a tool's description can name: those of the call.

Frameworks wrap all parameters in one object ("params": {…}) without a description: the tool's description names the
members.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.schemas.pointers import pointer_tokens, resolve_fragment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.subjects.context import Facts
    from mcp_governor.surface.model import Tool

Tokens = tuple[str | int, ...]

_MAX_PROPERTIES = 1_000
"""Maximum number of parameters per object; a larger one is generated, and no description lists them."""


class CallObject(Struct, frozen=True):
    """The object that declares the parameters of a tool.

    Attributes:
        tokens: path to it from the root of the input schema, a reference followed; empty for the root.
        schema: the object.
    """

    tokens: Tokens
    schema: Mapping[str, Any]

    @property
    def properties(self) -> Mapping[str, Any]:
        """The parameters that it declares."""
        properties = self.schema.get("properties")
        return properties if isinstance(properties, dict) and len(properties) <= _MAX_PROPERTIES else {}


def call_object(tool: Tool, facts: Facts) -> CallObject:
    """The object whose parameters a description names as those of the tool: the root, or the object that it wraps."""
    return facts.kept(("call object", tool.index), lambda: _call_object(tool.raw.get("inputSchema")))


def call_properties(tool: Tool) -> Mapping[str, Any]:
    """The parameters of :func:`call_object`, for readers that look at a tool without the facts of its server."""
    return _call_object(tool.raw.get("inputSchema")).properties


def _call_object(root: Any) -> CallObject:
    found = CallObject((), root if isinstance(root, dict) else {})
    if len(found.properties) == 1:
        ((name, schema),) = found.properties.items()
        tokens: Tokens = ("properties", name)
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        if isinstance(reference, str) and reference.startswith("#/"):
            try:
                tokens, schema = tuple(pointer_tokens(reference[1:])), resolve_fragment(root, reference)
            except (KeyError, ValueError):
                return found
        inner = CallObject(tokens, schema if isinstance(schema, dict) else {})
        if inner.properties:
            return inner
    return found
