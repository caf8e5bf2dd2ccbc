"""Conventions about schemas that single projects hold themselves to (packs schema-md and surface)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.findings import Correction, Edit, Effect
from mcp_governor.linting.context import SIDES, Context, Hit, SchemaPlace, hit
from mcp_governor.linting.schemas import effective, followed, root_of, types_of
from mcp_governor.schemas.dialects import DIALECT_2020_12, LATEST, dialect_of
from mcp_governor.schemas.keywords import KEYWORDS
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.text import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Tool

_PATH_NAMES = re.compile(r"^(?:file_?)?path$|^file_?name$|^file$|^filePath$", re.IGNORECASE)
_URI_NAMES = re.compile(r"^(?:file_?)?uri$", re.IGNORECASE)
_PAGE_TOKENS = re.compile(
    r"^(?:next_?)?(?:page_?(?:token|number|num|index)|cursor_?token|next_?(?:token|cursor))$", re.IGNORECASE
)
_PAGE_SIZES = re.compile(r"^(?:page_size|per_?page|items_?per_?page|page_?limit)$", re.IGNORECASE)
_LIMITS = re.compile(r"^(?:limit|count|max_?results|top|take|first)$", re.IGNORECASE)
_OFFSETS = re.compile(r"^(?:offset|skip|page|start_?(?:index|at))$", re.IGNORECASE)

# Annotations of OpenAPI that generators emit and validators ignore.
_OPENAPI = ("discriminator", "nullable", "externalDocs", "xml")
_KEYWORDS = frozenset([*KEYWORDS, *_OPENAPI])


def _schemas(tool: Tool) -> Iterator[tuple[str, dict[str, Any]]]:
    for side in SIDES:
        schema = tool.raw.get(side)
        if isinstance(schema, dict):
            yield side, schema


def explicit_dialect(tool: Tool, _context: Context) -> Iterator[Hit]:
    """Every schema says ``$schema``, and it is 2020-12."""
    for side, schema in _schemas(tool):
        if "$schema" not in schema:
            yield hit(f"/{side}", None, correction=_dialect(side), side=side, found="no $schema")
        elif dialect_of(schema) != LATEST:
            yield hit(f"/{side}/$schema", schema["$schema"], side=side, found=schema["$schema"])


def _dialect(side: str) -> Correction:
    """Without ``$schema`` a schema is read as 2020-12, so that saying it changes nothing."""
    return Correction((Edit(f"/{side}/$schema", DIALECT_2020_12),), Effect.NEUTRAL)


def _closed(side: str) -> Correction:
    return Correction((Edit(f"/{side}/additionalProperties", False),), Effect.NARROWER)


def _open_root(schema: Any) -> bool:
    return (
        isinstance(schema, dict)
        and "object" in (types_of(schema) or ("object",))
        and schema.get("additionalProperties") is not False
        and schema.get("unevaluatedProperties") is not False
    )


def closed_input(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The input schema is closed at its root."""
    if _open_root(tool.input_schema):
        given = tool.input_schema.get("additionalProperties")
        yield hit("/inputSchema", given, correction=_closed("inputSchema"))


def closed_output(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The output schema, where there is one, is closed at its root."""
    if _open_root(tool.output_schema):
        given = tool.output_schema.get("additionalProperties")
        yield hit("/outputSchema", given, correction=_closed("outputSchema"))


def explicit_required(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """An object with properties says which are required, be it none."""
    schema = node.schema
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if isinstance(properties, dict) and properties and "required" not in schema:
        # Draft 04 takes no empty list.
        added = Correction((Edit(f"{node.pointer}/required", []),), Effect.NEUTRAL)
        yield hit(node.pointer, list(properties), correction=added if dialect_of(root_of(node)) != 4 else None)


def uri_not_path(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """A file is named by ``uri``, not by a path."""
    if node.argument is None or not _PATH_NAMES.match(node.argument):
        return
    if "string" in (types_of(node.schema, root_of(node)) or ()):
        yield hit(node.pointer, node.argument, argument=node.argument)


def uri_scheme(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """``uri`` is a string that says it begins with ``file:``, in a pattern or in its description."""
    if node.argument is None or not _URI_NAMES.match(node.argument) or not isinstance(node.schema, dict):
        return
    schema = effective(root_of(node), node.schema)
    told = " ".join(str(schema.get(key, "")) for key in ("pattern", "description"))
    if "string" not in (types_of(node.schema, root_of(node)) or ()):
        yield hit(node.pointer, node.schema, argument=node.argument, problem="is not a string")
    elif "file:" not in told:
        yield hit(node.pointer, node.schema, argument=node.argument, problem="does not say that it takes file: URIs")


def cursor_string(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """``cursor`` is a string."""
    if node.argument == "cursor" and types_of(node.schema, root_of(node)) != frozenset({"string"}):
        yield hit(node.pointer, node.schema)


def paging_names(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """A tool with pages takes ``cursor`` and ``pageSize``, by these names."""
    properties = node.schema.get("properties") if isinstance(node.schema, dict) and node.is_root else None
    if not isinstance(properties, dict):
        return
    sizes = [name for name in properties if _PAGE_SIZES.match(name)]
    limits = [name for name in properties if _LIMITS.match(name)]
    # An offset or a page alone may be of anything; beside a size it is a page.
    tokens = [name for name in properties if _PAGE_TOKENS.match(name) or (_OFFSETS.match(name) and (sizes or limits))]
    if tokens or "cursor" in properties:
        sizes += limits
    for wanted, names in (("cursor", tokens), ("pageSize", sizes)):
        for name in names:
            place = join_pointer(node.pointer, "properties", name)
            yield hit(place, name, argument=name, wanted=wanted)


def no_coercion(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """No schema takes one value as text or as a number or boolean."""
    types = types_of(node.schema, root_of(node)) or frozenset()
    others = sorted(types & {"boolean", "integer", "number"})
    # Text that is one of a few words is a choice of its own ("all", or a number).
    if "string" in types and others and not _lists_its_words(node):
        yield hit(node.pointer, node.schema, types=others)


def _lists_its_words(node: SchemaPlace) -> bool:
    root = root_of(node)
    schema = followed(root, node.schema)
    lists = (schema.get(key) for key in ("anyOf", "oneOf"))
    branches = [followed(root, item) for branches in lists if isinstance(branches, list) for item in branches]
    texts = [branch for branch in branches or [schema] if "string" in (types_of(branch, root) or ())]
    return all(branch.keys() & {"enum", "const"} for branch in texts)


def no_map(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """An object below the root of an output declares its fields."""
    schema = node.schema
    if node.is_root or not isinstance(schema, dict) or schema.get("type") != "object":
        return
    free = schema.get("additionalProperties") not in (None, False) or "patternProperties" in schema
    if free or not any(key in schema for key in ("properties", "$ref", "allOf", "anyOf", "oneOf")):
        yield hit(node.pointer, schema)


def known_keywords(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """Every keyword is one of JSON Schema, or begins with ``x-``."""
    for key in node.schema if isinstance(node.schema, dict) else ():
        if key not in _KEYWORDS and not key.startswith("x-"):
            likely = nearest(key, _KEYWORDS)
            hint = f'Did you mean "{likely}"?' if likely else ""
            yield hit(join_pointer(node.pointer, key), node.schema[key], keyword=key, hint=hint)


def inline_headers(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """A schema that was put into another brings no header of its own."""
    # What stands under the definitions of the root is not inlined: bundles keep their identities there.
    if node.is_root or not isinstance(node.schema, dict) or node.tokens[0] in ("$defs", "definitions"):
        return
    for key in ("$schema", "$id", "$defs", "definitions"):
        if key in node.schema:
            yield hit(join_pointer(node.pointer, key), node.schema[key], keyword=key)


def tier_declared(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The tier of a tool is declared somewhere."""
    if tool.tier_source == "default":
        yield hit("", None)


def category_declared(tool: Tool, _context: Context) -> Iterator[Hit]:
    """A tool says its category."""
    if tool.category is None:
        yield hit("", None)


_SAID_AT = {
    "_meta": "/_meta",
    "tags": "/_meta",
    "title": "/title",
    "tool": "/deprecated",
    "annotations": "/annotations",
    "inputSchema": "/inputSchema",
}
"""Where a deprecation stands that its source tells; otherwise in the description."""


def deprecation_replacement(tool: Tool, context: Context) -> Iterator[Hit]:
    """A deprecated tool names its replacement, and that exists."""
    told = tool.deprecation
    if told is None or told.nothing:
        return
    if told.replacement is None:
        yield hit(_SAID_AT.get(told.source, "/description"), told.reason, problem="names no replacement")
    elif told.replacement not in context.facts.names or told.replacement == tool.name:
        value = told.replacement
        where = "itself" if value == tool.name else f"{value}, which is not published"
        yield hit(_SAID_AT.get(told.source, "/description"), value, problem=f"names {where}")


def internal_unpublished(tool: Tool, _context: Context) -> Iterator[Hit]:
    """An internal tool is not published; what only a listing of its own shows is not."""
    if tool.tier.value == "internal" and tool.tier_source != "list":
        yield hit("", tool.tier.value, source=tool.tier_source)
