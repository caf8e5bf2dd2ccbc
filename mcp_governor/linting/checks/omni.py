"""The tool schema guide: what compaction cuts, and what a decorator would have generated (pack omni)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcp_governor.findings import Correction, Effect
from mcp_governor.linting.context import Context, Hit, SchemaPlace, hit
from mcp_governor.linting.corrections import optional
from mcp_governor.linting.schemas import parent_of, root_of, types_of
from mcp_governor.linting.words import MUTATING_VERBS, READING_VERBS, leading_verb, name_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Tool

DROPPED_KEYS = ("description", "examples", "example", "title", "default", "$comment", "markdownDescription")
"""Keys that compaction drops from input schemas, at any depth, properties of these names included."""

_WEB = frozenset({"http", "https", "internet", "url", "web", "webpage", "website"})
_DESTROYING = frozenset({"delete", "destroy", "drop", "erase", "kill", "overwrite", "purge", "remove", "truncate"})


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


def lost_property(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """No property has the name of a key that compaction drops."""
    if node.argument in DROPPED_KEYS:
        required = parent_of(node).get("required")
        needed = isinstance(required, list) and node.argument in required
        effect = "and requires it, so no call can be right" if needed else "so no model will send it"
        yield hit(node.pointer, node.argument, argument=node.argument, effect=effect)


_WORTH_COMPACTING = 400
"""Characters of an input schema from which on compaction is worth a word: about a hundred tokens."""


def compaction_saves(tool: Tool, context: Context) -> Iterator[Hit]:
    """What compaction drops from the input schema is a small part of it."""
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
    """An argument has one of the types that annotations map to, and a list says its items."""
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
    """An argument that accepts null or has a default is not required."""
    required = parent_of(node).get("required") if node.argument is not None else None
    if not isinstance(required, list) or node.argument not in required or not isinstance(node.schema, dict):
        return
    types = types_of(node.schema, root_of(node)) or frozenset()
    correction = Correction((optional(node),), Effect.WIDER)
    if "null" in types and len(types) > 1:
        yield hit(node.pointer, node.argument, correction=correction, argument=node.argument, reason="accepts null")
    elif "default" in node.schema:
        yield hit(node.pointer, node.argument, correction=correction, argument=node.argument, reason="has a default")


def hints_declared(tool: Tool, _context: Context) -> Iterator[Hit]:
    """All four hints are declared."""
    names = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
    missing = [name for name in names if not isinstance(tool.annotations.get(name), bool)]
    if missing:
        yield hit("/annotations" if "annotations" in tool.raw else "", None, missing=missing)


def annotations_agree(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The hints agree with each other and with the verb of the name."""
    given = tool.annotations
    verb = leading_verb(tool.name)
    read_only, destructive = given.get("readOnlyHint"), given.get("destructiveHint")
    if read_only is True and destructive is True:
        yield hit("/annotations/destructiveHint", True, problem="says readOnlyHint: true and destructiveHint: true")
    if read_only is True and given.get("idempotentHint") is False:
        problem = "says readOnlyHint: true and idempotentHint: false"
        yield hit("/annotations/idempotentHint", False, problem=problem)
    if read_only is True and verb in MUTATING_VERBS:
        yield hit("/annotations/readOnlyHint", True, problem=f'says readOnlyHint: true and is named "{verb}"')
    if read_only is False and verb in READING_VERBS:
        yield hit("/annotations/readOnlyHint", False, problem=f'says readOnlyHint: false and is named "{verb}"')
    if given.get("openWorldHint") is False and _WEB.intersection(name_words(tool.name)):
        problem = "says openWorldHint: false and is named after the web"
        yield hit("/annotations/openWorldHint", False, problem=problem)
    if read_only is not True and destructive is False and verb in _DESTROYING:
        yield hit("/annotations/destructiveHint", False, problem=f'says destructiveHint: false and is named "{verb}"')
