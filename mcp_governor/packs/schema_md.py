"""Requirements of SCHEMA.md on schemas below the root, and on the names of parameters (pack schema-md)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from mcp_governor.findings import Correction, Edit, Effect, Tier
from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.credentials import credential_in, key_in, outline
from mcp_governor.prose.words import name_words, word_set
from mcp_governor.schemas.dialects import dialect_of
from mcp_governor.schemas.keywords import KEYWORDS
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import Context, Hit, SchemaPlace, hit
from mcp_governor.subjects.schemas import (
    branches_of,
    effective,
    followed,
    is_reached,
    parent_of,
    root_of,
    types_of,
)
from mcp_governor.text import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.subjects.context import Text
    from mcp_governor.surface.model import Tool


_PARTIAL = frozenset(
    ["allOf", "if", "then", "else", "not", "dependentSchemas", "dependencies", "contains", "propertyNames"]
)
"""Keywords whose subschemas describe a part of an object that another schema describes as well; closing one of them
would reject the rest."""

_BRANCHES = ("anyOf", "oneOf")


def is_open(schema: Any) -> bool:
    """True if an object schema accepts properties that it does not declare."""
    return (
        isinstance(schema, dict)
        and "object" in (types_of(schema) or ("object",))
        and schema.get("additionalProperties") is not False
        and schema.get("unevaluatedProperties") is not False
    )


def closed_nested(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """Every object below the root is closed, except a map, whose values have a schema."""
    schema = node.schema
    if node.is_root or not isinstance(schema, dict) or not is_open(schema):
        return
    declares = isinstance(schema.get("properties"), dict) and bool(schema["properties"])
    if not declares and not (node.side == "inputSchema" and _free(schema)):
        return
    if not _is_partial(node) and is_reached(node, context.facts):
        edit = Edit(join_pointer(node.pointer, "additionalProperties"), False)
        # With a reference next to its properties, a closed object would reject what the reference declares.
        sure = declares and not schema.keys() & {"$ref", "allOf", *_BRANCHES}
        correction = Correction((edit,), Effect.NARROWER) if sure else None
        yield hit(node.pointer, schema.get("additionalProperties"), correction=correction)


def _free(schema: dict[str, Any]) -> bool:
    """True if an object schema has no properties and accepts anything."""
    return (
        schema.get("type") in ("object", ["object", "null"])
        and schema.get("additionalProperties") in (None, True, {})
        and not schema.keys() & {"$ref", "patternProperties", "allOf", "anyOf", "oneOf", "enum", "const"}
    )


def _is_partial(node: SchemaPlace) -> bool:
    """True if a schema describes only a part of an object, as a branch that adds to the properties next to it."""
    in_branch = node.tokens[-2:-1] in (("anyOf",), ("oneOf",))
    adds = in_branch and not {"properties", "allOf"}.isdisjoint(parent_of(node))
    return adds or not _PARTIAL.isdisjoint(node.tokens)


_PLACES = word_set("""
    cwd dir directories directory dirs file filename filenames filepath filepaths files path pathname pathnames paths
    workdir
""")
_OTHER_PATHS = word_set("""
    api area class field http import iteration jmes jq json key menu module node object property route tree uri url web
    x xml
""")
"""Words before ``path`` that make it a path outside a file system."""
_ELSEWHERE = lazy_pattern(r"\b(?:json ?path|xpath|jmespath|url path|api path|endpoint|dot notation)\b", re.IGNORECASE)
_READ = 2_000
"""Maximum number of characters read from a description, which says early what kind of path it means."""


def uri_not_path(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """A file is identified by ``uri``, not by a path; this includes lists of files."""
    if node.argument is None:
        return
    root = root_of(node)
    types = types_of(node.schema, root) or frozenset()
    schema = effective(root, node.schema)
    if "array" in types:
        types |= types_of(schema.get("items"), root) or frozenset()
    if "string" in types and _means_path(node.argument, str(schema.get("description", ""))[:_READ]):
        yield hit(node.pointer, node.argument, argument=node.argument)


def _means_path(name: str, text: str) -> bool:
    words = name_words(name)
    if _OTHER_PATHS.intersection(words[:-1]) or _ELSEWHERE.search(text):
        return False
    return not _PLACES.isdisjoint(words[-1:]) or words[-2:] in (("file", "name"), ("directory", "name"))


def non_sensitive(text: Text, _context: Context) -> Iterator[Hit]:
    """No description contains a credential after a label; another rule reports strings in the form of a key."""
    found = credential_in(text.value)
    if found is not None and key_in(text.value) is None:
        yield hit(text.pointer, text.value, found=outline(found))


# OpenAPI annotations that generators emit and validators ignore.
_OPENAPI = ("discriminator", "nullable", "externalDocs", "xml")
_KEYWORDS = frozenset([*KEYWORDS, *_OPENAPI])


def explicit_required(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """An object with properties has ``required``, even if it is empty."""
    schema = node.schema
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if isinstance(properties, dict) and properties and "required" not in schema:
        # Draft 04 does not allow an empty list.
        added = Correction((Edit(f"{node.pointer}/required", []),), Effect.NEUTRAL)
        yield hit(node.pointer, list(properties), correction=added if dialect_of(root_of(node)) != 4 else None)


def no_coercion(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """No schema accepts a value both as a string and as a number or boolean."""
    types = types_of(node.schema, root_of(node)) or frozenset()
    others = sorted(types & {"boolean", "integer", "number"})
    # A string out of a few words is an alternative of its own ("all", or a number).
    if "string" in types and others and not _lists_its_words(node):
        yield hit(node.pointer, node.schema, types=others)


def _lists_its_words(node: SchemaPlace) -> bool:
    root = root_of(node)
    schema = followed(root, node.schema)
    branches = [followed(root, item) for item in branches_of(schema)] or [schema]
    strings = [branch for branch in branches if "string" in (types_of(branch, root) or ())]
    return all(branch.keys() & {"enum", "const"} for branch in strings)


def no_map(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """An object below the root of an output schema declares its fields; one that declares some may still be open."""
    schema = node.schema
    if node.is_root or not isinstance(schema, dict) or schema.get("type") != "object":
        return
    if not any(key in schema for key in ("properties", "$ref", "allOf", "anyOf", "oneOf", "enum", "const")):
        yield hit(node.pointer, schema)


def known_keywords(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """Every keyword is a JSON Schema keyword or begins with ``x-``."""
    for key in node.schema if isinstance(node.schema, dict) else ():
        if key not in _KEYWORDS and not key.startswith("x-"):
            likely = nearest(key, _KEYWORDS)
            hint = f'Did you mean "{likely}"?' if likely else ""
            yield hit(join_pointer(node.pointer, key), node.schema[key], keyword=key, hint=hint)


def inline_headers(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """A schema that was inlined into another has no header of its own."""
    # Definitions of the root are not inlined: bundles keep their identifiers there.
    if node.is_root or not isinstance(node.schema, dict) or node.tokens[0] in ("$defs", "definitions"):
        return
    for key in ("$schema", "$id", "$defs", "definitions"):
        if key in node.schema:
            yield hit(join_pointer(node.pointer, key), node.schema[key], keyword=key)


def tier_declared(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The tier of a tool is declared."""
    if tool.tier_source == "default":
        yield hit("", None)


def category_declared(tool: Tool, _context: Context) -> Iterator[Hit]:
    """A tool declares its category."""
    if tool.category is None:
        yield hit("", None)


def deprecation_replacement(tool: Tool, context: Context) -> Iterator[Hit]:
    """A deprecated tool names its replacement, and the replacement exists."""
    notice = tool.deprecation
    if notice is None or notice.nothing:
        return
    key = {"tags": "_meta", "tool": "deprecated"}.get(notice.source, notice.source)
    place = f"/{key}" if key in tool.raw else "/description"
    if notice.replacement is None:
        yield hit(place, notice.reason, problem="names no replacement")
    elif notice.replacement not in context.facts.names or notice.replacement == tool.name:
        value = notice.replacement
        where = "itself" if value == tool.name else f"{value}, which is not published"
        yield hit(place, value, problem=f"names {where}")


def internal_unpublished(tool: Tool, _context: Context) -> Iterator[Hit]:
    """An internal tool is not published, except in a separate list."""
    if tool.tier is Tier.INTERNAL and tool.opt_in is None:
        yield hit("", tool.tier.value, source=tool.tier_source)


def internal_returned(tool: Tool, _context: Context) -> Iterator[Hit]:
    """No parameter of ``tools/list`` returns an internal tool."""
    if tool.tier is Tier.INTERNAL and tool.opt_in is not None:
        yield hit("", tool.tier.value, params=json.dumps(tool.opt_in))


_TIER_SAID_IN = {
    "config": "the configuration",
    "recorded": "the recording",
    "_meta": "_meta",
    "tags": "its tags",
    "list": "the list that returns it",
}


def tier_agrees(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The declared tier of a tool is that of the list that returns it."""
    if _misfiled(tool) and tool.list_tier is not None:
        yield hit(
            "/tier",
            [tool.tier.value, tool.list_tier.value],
            tier=tool.tier.value,
            source=_TIER_SAID_IN.get(tool.tier_source, tool.tier_source),
            listed=tool.list_tier.value,
        )


def _misfiled(tool: Tool) -> bool:
    return tool.list_tier is not None and tool.list_tier is not tool.tier


def default_list(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The default list contains the tiers ``facade`` and ``standard``, and no others."""
    if _misfiled(tool):
        return  # tier_agrees reports this
    source = _TIER_SAID_IN.get(tool.tier_source, tool.tier_source)
    if tool.tier is Tier.ADVANCED and tool.opt_in is None:
        yield hit("/tier", tool.tier.value, source=source)
    # An undeclared tier cannot contradict the list; tier_declared requires a declaration.
    if tool.tier.rank > Tier.ADVANCED.rank and tool.opt_in is not None and tool.tier_source != "default":
        tier, params = tool.tier.value, json.dumps(tool.opt_in)
        yield hit("/tier", tier, says="hidden", tier=tier, source=source, params=params)
