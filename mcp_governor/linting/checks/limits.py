"""Checks behind the dated limits of clients; what is accepted comes from the options of each rule."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcp_governor.catalogue.patterns import errors, linear_pattern
from mcp_governor.lazy import lazy_pattern
from mcp_governor.linting.context import Context, Hit, SchemaPlace, hit
from mcp_governor.schemas.pointers import join_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface, Tool


def name_pattern(tool: Tool, context: Context) -> Iterator[Hit]:
    """A name matches the option ``pattern``."""
    if not linear_pattern(context.options["pattern"]).search(tool.name):
        yield hit("/name", tool.name)


def qualified_name_length(tool: Tool, context: Context) -> Iterator[Hit]:
    """Server name and tool name together have at most ``max`` characters."""
    server = context.surface.name or ""
    length = len(server) + len(tool.name)
    if length > context.options["max"]:
        yield hit("/name", tool.name, length=length, server=server)


def description_length(tool: Tool, context: Context) -> Iterator[Hit]:
    """A description has at most ``max`` code points."""
    if len(tool.description) > context.options["max"]:
        yield hit("/description", tool.description, length=len(tool.description))


def description_present(tool: Tool, _context: Context) -> Iterator[Hit]:
    """There is a description."""
    if not tool.description.strip():
        yield hit("/description" if "description" in tool.raw else "", tool.raw.get("description"))


def instructions_length(surface: Surface, context: Context) -> Iterator[Hit]:
    """The server's instructions have at most ``max`` code points."""
    text = surface.instructions or ""
    if len(text) > context.options["max"]:
        yield hit("/instructions", text, length=len(text))


def tool_count(surface: Surface, context: Context) -> Iterator[Hit]:
    """There are at most ``max`` tools."""
    if len(surface.tools) > context.options["max"]:
        yield hit("/tools", len(surface.tools), count=len(surface.tools))


def list_tokens(surface: Surface, context: Context) -> Iterator[Hit]:
    """The list of tools has at most ``max`` tokens, estimated at four bytes each."""
    size = sum(map(_size, surface.entries))
    tokens = size // 4
    if tokens > context.options["max"]:
        largest = max(surface.tools, key=lambda tool: _size(tool.raw), default=None)
        name = largest.name if largest is not None else ""
        yield hit("/tools", tokens, tokens=tokens, bytes=size, largest=name)


def _size(value: Any) -> int:
    """Bytes of a value as compact JSON in UTF-8."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def array_items(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """An array says what its items are."""
    schema = node.schema
    if not isinstance(schema, dict):
        return
    kind = schema.get("type")
    is_array = kind == "array" or (isinstance(kind, list) and "array" in kind)
    if is_array and not any(key in schema for key in ("items", "prefixItems")):
        yield hit(node.pointer, schema)


def draft_07(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The input schema is valid as draft-07."""
    from mcp_governor.schemas.soundness import meta_validator

    schema = tool.input_schema
    if not isinstance(schema, dict):
        return
    for way, message in errors(meta_validator(7), schema)[:1]:
        yield hit(join_pointer("/inputSchema", *way), schema, error=message)


def root_keywords(tool: Tool, context: Context) -> Iterator[Hit]:
    """The root of the input schema has none of the keywords of the option ``keywords``."""
    schema = tool.input_schema
    for key in context.options["keywords"] if isinstance(schema, dict) else ():
        if key in schema:
            yield hit(join_pointer("/inputSchema", key), schema[key], keyword=key)


def keywords(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """No schema has one of the keywords of the option ``keywords``."""
    if isinstance(node.schema, dict):
        found = [key for key in context.options["keywords"] if key in node.schema]
        if found:
            yield hit(node.pointer, {key: node.schema[key] for key in found}, keywords=found)


def root_properties(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The root of the input schema has ``properties``, be they empty."""
    schema = tool.input_schema
    if isinstance(schema, dict) and schema.get("type") == "object" and "properties" not in schema:
        yield hit("/inputSchema", schema)


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


def property_keys(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """The names of the arguments match the option ``pattern``."""
    if (
        len(node.tokens) == 2
        and node.argument is not None
        and not linear_pattern(context.options["pattern"]).search(node.argument)
    ):
        yield hit(node.pointer, node.argument, argument=node.argument)


def string_formats(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A string has no format but those of the option ``formats``."""
    schema = node.schema
    if not isinstance(schema, dict) or schema.get("type") != "string":
        return
    form = schema.get("format")
    if isinstance(form, str) and form not in context.options["formats"]:
        yield hit(f"{node.pointer}/format", form)


def string_enums(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """An enum holds strings only."""
    values = node.schema.get("enum") if isinstance(node.schema, dict) else None
    if isinstance(values, list) and not all(isinstance(value, str) for value in values):
        yield hit(f"{node.pointer}/enum", values)


def single_type(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """``type`` is one word, not a list."""
    kind = node.schema.get("type") if isinstance(node.schema, dict) else None
    if isinstance(kind, list):
        yield hit(f"{node.pointer}/type", kind)


_SHAPING = lazy_pattern(r"^(?:\$ref|\$dynamicRef|type|enum|const|anyOf|oneOf|allOf|not|if)$")


def typed(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """Every property says its type."""
    if node.argument is None or not isinstance(node.schema, dict):
        return
    if not any(_SHAPING.match(key) for key in node.schema):
        yield hit(node.pointer, node.schema, argument=node.argument)
