"""The tool schema guide: what compaction cuts, and what a decorator would have generated (pack omni)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcp_governor.findings import Correction, Effect
from mcp_governor.fixes.corrections import optional
from mcp_governor.prose.words import MUTATING_VERBS, READING_VERBS, leading_verb, name_words
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import Context, Hit, SchemaPlace, hit
from mcp_governor.subjects.schemas import effective, parameters_of, parent_of, root_of, types_of
from mcp_governor.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface, Tool


DROPPED_KEYS = ("description", "examples", "example", "title", "default", "$comment", "markdownDescription")
"""Keys that compaction drops from input schemas, at any depth, properties of these names included."""

_WEB = frozenset({"http", "https", "internet", "url", "web", "webpage", "website"})
_DESTROYING = frozenset({"delete", "destroy", "drop", "erase", "kill", "overwrite", "purge", "remove", "truncate"})
_REPEATING = frozenset({"append", "decrement", "increment", "toggle"})
"""Words in names that promise a different result each time; "add" and "create" may find that the thing exists."""
_CONDITIONS = frozenset({"if", "missing", "once", "unique", "unless"})


def compacted(text: str, limit: int) -> str:
    """A description as compaction leaves it: white space collapsed, cut to ``limit`` with three dots."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 3].rstrip() + "..."


def description_cap(tool: Tool, context: Context) -> Iterator[Hit]:
    """A description is not cut by compaction."""
    limit = min(500, max(80, context.options["max"]))
    flat = " ".join(tool.description.split())
    if len(flat) > limit:
        kept = compacted(tool.description, limit)
        yield hit("/description", tool.description, length=len(flat), limit=limit, end=kept[-40:])


_SHOWN_KEYS = frozenset({"description", "default"})
"""Keys that the guide itself shows in input schemas, although compaction drops them (sections 3 and 4 against 0b)."""


def dropped_keys(surface: Surface, context: Context) -> Iterator[Hit]:
    """The input schemas of a list have none of the keys that compaction drops; one hit for the list."""
    keys: set[str] = set()
    spots: list[tuple[str, str]] = []
    characters = taking = 0
    for tool in surface.tools:
        taking += bool(parameters_of(tool))
        for node in context.facts.nodes(tool):
            schema = node.schema
            if node.side != "inputSchema" or not isinstance(schema, dict):
                continue
            for key in DROPPED_KEYS:
                if key in schema:
                    keys.add(key)
                    spots.append((tool.name, join_pointer(node.pointer, key)))
                    characters += len(key) + len(json.dumps(schema[key], default=str, ensure_ascii=False)) + 4
    # If the schemas of a list have only these keys left, the list was compacted and the defaults were forgotten.
    if keys - _SHOWN_KEYS or (keys == {"default"} and taking > 1):
        named = sorted(keys, key=DROPPED_KEYS.index)
        tools = counted(len({tool for tool, _ in spots}), "tool")
        yield hit("/tools", named, spots=spots, keys=named, tools=tools, characters=f"{characters:,}")


_WORTH_COMPACTING = 400
"""Minimum size of an input schema, in characters, for which compaction matters: about a hundred tokens."""


def compaction_saves(tool: Tool, context: Context) -> Iterator[Hit]:
    """Compaction drops only a small part of the input schema."""
    whole = len(json.dumps(tool.input_schema, default=str, ensure_ascii=False))
    kept = len(json.dumps(_strip(tool.input_schema), default=str, ensure_ascii=False))
    share = 1 - kept / whole
    if whole > _WORTH_COMPACTING and share > context.options["share"]:
        yield hit("/inputSchema", whole - kept, dropped=whole - kept, percent=round(100 * share))


def _strip(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _strip(item) for key, item in value.items() if key not in DROPPED_KEYS}
    return [_strip(item) for item in value] if isinstance(value, list) else value


def typed_property(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A parameter has one of the types to which annotations map, and a list has an item schema."""
    schema = node.schema
    if node.argument is None or not isinstance(schema, dict) or "$ref" in schema:
        return
    types = types_of(schema)
    if types is None:
        if not any(key in schema for key in ("enum", "const", "allOf", "anyOf", "oneOf")):
            yield hit(node.pointer, schema, argument=node.argument, problem="has no type")
        return
    unknown = sorted(types - set(context.options["types"]))
    if unknown:
        yield hit(node.pointer, schema, argument=node.argument, problem=f"has the type {', '.join(unknown)}")
    elif schema.get("type") == "array" and "items" not in schema and "prefixItems" not in schema:
        yield hit(node.pointer, schema, argument=node.argument, problem="is a list without items")


def optional_required(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """A parameter that accepts null or has a default is not required."""
    required = parent_of(node).get("required") if node.argument is not None else None
    if not isinstance(required, list) or node.argument not in required or not isinstance(node.schema, dict):
        return
    types = types_of(node.schema, root_of(node)) or frozenset()
    correction = Correction((optional(node),), Effect.WIDER)
    if "null" in types and len(types) > 1:
        yield hit(node.pointer, node.argument, correction=correction, argument=node.argument, reason="accepts null")
    elif "default" in node.schema:
        yield hit(node.pointer, node.argument, correction=correction, argument=node.argument, reason="has a default")


def injected_parameter(tool: Tool, context: Context) -> Iterator[Hit]:
    """The server injects no parameter: neither by its type, nor by a name that means nothing to a caller."""
    schema = tool.input_schema
    names = frozenset(context.options["names"])
    for name, given in parameters_of(tool).items():
        reference = given.get("$ref") if isinstance(given, dict) else None
        by_type = isinstance(reference, str) and reference.rpartition("/")[2] in ("Settings", "ConfigPaths")
        described = not _OF_THE_CALLER.isdisjoint(effective(schema, given))
        if by_type or (name in names and not (described and name in _COMMON)):
            yield hit(join_pointer("/inputSchema/properties", name), name, name=name)


_COMMON = ("args", "kwargs", "paths", "settings")
_OF_THE_CALLER = frozenset({"description", "properties", "additionalProperties", "enum", "const", "items"})
"""Keywords that nobody writes for what the server injects: ``paths: list[str]`` is meant for the caller."""


def annotations_agree(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The hints agree with each other and with the verb of the name."""
    given = tool.annotations
    verb = leading_verb(tool.name)
    read_only, destructive = given.get("readOnlyHint"), given.get("destructiveHint")
    if read_only is True and destructive is True:
        yield hit("/annotations/destructiveHint", True, problem="says readOnlyHint: true and destructiveHint: true")
    repeats = next((word for word in name_words(tool.name) if word in _REPEATING), None)
    if given.get("idempotentHint") is True and repeats and not _CONDITIONS.intersection(name_words(tool.name)):
        problem = f'says idempotentHint: true and is named "{repeats}"'
        yield hit("/annotations/idempotentHint", True, problem=problem)
    if read_only is True and verb in MUTATING_VERBS:
        yield hit("/annotations/readOnlyHint", True, problem=f'says readOnlyHint: true and is named "{verb}"')
    # The guide declares its own fetch_url only as an access to the outside.
    if read_only is False and verb in READING_VERBS and given.get("openWorldHint") is not True:
        yield hit("/annotations/readOnlyHint", False, problem=f'says readOnlyHint: false and is named "{verb}"')
    if given.get("openWorldHint") is False and _WEB.intersection(name_words(tool.name)):
        problem = "says openWorldHint: false and is named after the web"
        yield hit("/annotations/openWorldHint", False, problem=problem)
    if read_only is not True and destructive is False and verb in _DESTROYING:
        yield hit("/annotations/destructiveHint", False, problem=f'says destructiveHint: false and is named "{verb}"')
