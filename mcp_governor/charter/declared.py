"""What a tool's metadata and output schema declare about its envelopes: the charter version, kinds and reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.charter import facts
from mcp_governor.schemas.walking import branches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.surface.model import Tool


def declared_version(tool: Tool) -> str | None:
    """The charter version a tool publishes: in its metadata, else as default or constant of its output schema."""
    version = facts.declared_metadata(tool.raw).get("charter_version")
    if isinstance(version, str):
        return version
    schema = _property(tool.output_schema, "charter_version")
    for key in ("const", "default"):
        if isinstance(schema.get(key), str):
            return str(schema[key])
    return None


def declared_kinds(tool: Tool) -> frozenset[str]:
    """The error kinds that a tool's output schema enumerates: how a server registers kinds of its own."""
    return _declared(tool, "error", "kind")


def declared_reasons(tool: Tool) -> frozenset[str]:
    """The degradation reasons that a tool's output schema enumerates, like :func:`declared_kinds`."""
    return _declared(tool, "degradation_reason")


def _declared(tool: Tool, *path: str) -> frozenset[str]:
    root = tool.output_schema
    return frozenset(word for place in schemas_at(root, path) for word in enumerated(root, place))


def schemas_at(root: Any, path: tuple[str, ...]) -> Iterator[Any]:
    """The schemas at a path of properties, including those behind references and composition."""
    places = [root]
    for name in path:
        places = [found[name] for place in places if name in (found := declared_properties(root, place))]
    yield from places


def declared_properties(root: Any, schema: Any) -> dict[str, Any]:
    """The properties of a schema with those that references and composition add."""
    out: dict[str, Any] = {}
    for here in branches(root, schema):
        properties = here.get("properties") if here is not None else None
        out |= properties if isinstance(properties, dict) else {}
    return out


def enumerated(root: Any, schema: Any) -> Iterator[str]:
    """The strings that a schema lists as its values."""
    for here in branches(root, schema):
        values = here.get("enum", [here.get("const")]) if here is not None else None
        if isinstance(values, list):
            yield from (value for value in values if isinstance(value, str))


def _property(schema: Any, name: str) -> Mapping[str, Any]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    value = properties.get(name) if isinstance(properties, dict) else None
    return value if isinstance(value, dict) else {}
