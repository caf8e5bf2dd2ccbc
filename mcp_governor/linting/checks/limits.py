"""Checks behind the dated limits of clients; what is accepted comes from the options of each rule."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from mcp_governor.catalogue.patterns import encodable, existing
from mcp_governor.linting.context import Context, Hit, SchemaPlace, hit
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.surface.tokens import BYTES_PER_TOKEN, json_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface, Tool


def qualified_name_length(tool: Tool, context: Context) -> Iterator[Hit]:
    """Server name and tool name together have at most ``max`` characters."""
    server = context.surface.name or ""
    length = len(server) + len(tool.name)
    if length > context.options["max"]:
        yield hit("/name", tool.name, length=length, server=server)


def tool_count(surface: Surface, context: Context) -> Iterator[Hit]:
    """There are at most ``max`` tools."""
    if len(surface.tools) > context.options["max"]:
        yield hit("/tools", len(surface.tools), count=len(surface.tools))


def list_tokens(surface: Surface, context: Context) -> Iterator[Hit]:
    """The list of tools has at most ``max`` tokens, estimated at four bytes each."""
    size = sum(map(json_bytes, surface.entries))
    tokens = size // BYTES_PER_TOKEN
    if tokens > context.options["max"]:
        largest = max(surface.tools, key=lambda tool: json_bytes(tool.raw), default=None)
        name = largest.name if largest is not None else ""
        yield hit("/tools", tokens, tokens=tokens, bytes=size, largest=name)


def draft_07(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The input schema is valid as draft-07."""
    from mcp_governor.schemas.meta import meta_flaws

    schema = tool.input_schema
    if not isinstance(schema, dict):
        return
    for flaw in islice(meta_flaws(encodable(schema), 7), 1):
        yield hit(join_pointer("/inputSchema", *existing(schema, flaw.instance_path)), schema, error=flaw.message)


def keywords(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """No schema has one of the keywords of the option ``keywords``."""
    if isinstance(node.schema, dict):
        found = [key for key in context.options["keywords"] if key in node.schema]
        if found:
            yield hit(node.pointer, {key: node.schema[key] for key in found}, keywords=found)


def strict_objects(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """Every object is closed and requires all that it declares."""
    schema = node.schema
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        return
    required = schema.get("required")
    missing = [name for name in schema["properties"] if not isinstance(required, list) or name not in required]
    if schema.get("additionalProperties") is not False:
        yield hit(node.pointer, schema, problem="does not say additionalProperties: false")
    elif missing:
        yield hit(node.pointer, schema, problem=f"leaves optional: {', '.join(missing)}")
