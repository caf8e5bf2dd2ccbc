"""Checks behind the dated limits of clients and the requirements of directories; the options of each rule say what is
accepted."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.packs.spec import boolean_properties
from mcp_governor.schemas.dialects import DIALECTS, draft_named
from mcp_governor.schemas.keywords import MIXED_MAP_KEYS, SCHEMA_MAP_KEYS
from mcp_governor.schemas.patterns import encodable, existing
from mcp_governor.schemas.plain import is_plain
from mcp_governor.schemas.pointers import join_pointer, resolve_pointer
from mcp_governor.subjects.context import Context, Hit, SchemaPlace, hit
from mcp_governor.subjects.schemas import json_text
from mcp_governor.surface.tokens import BYTES_PER_TOKEN, definition_bytes
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.schemas.flaws import Flaw
    from mcp_governor.surface.model import Surface, Tool


_METHOD = lazy_pattern(r"^(?:http|request)?_?(?:method|verb)$", re.IGNORECASE)
_SAFE = ("GET", "HEAD", "OPTIONS")
_UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
_TEMPLATES = (("openai/outputTemplate",), ("ui", "resourceUri"))


def hints(tool: Tool, context: Context) -> Iterator[Hit]:
    """Every hint of the option ``hints`` is a boolean; of names separated by ``|``, at least one is."""
    given = tool.annotations
    missing = [
        wanted.replace("|", " or ")
        for wanted in context.options["hints"]
        if not any(isinstance(given.get(name), bool) for name in wanted.split("|"))
    ]
    if missing:
        place = "/annotations" if "annotations" in tool.raw else ""
        yield hit(place, missing, missing=", ".join(missing))


def mixed_methods(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """No parameter for the HTTP method accepts both safe and unsafe ones."""
    if node.argument is None or not _METHOD.match(node.argument) or not isinstance(node.schema, dict):
        return
    values = node.schema.get("enum")
    # In prose only capitals are methods: "get the rate first, then post it" is a sentence.
    said = node.schema.get("description") if not isinstance(values, list) else None
    words = values if isinstance(values, list) else re.findall(r"\b[A-Z]{3,7}\b", said) if isinstance(said, str) else []
    methods = {word.upper() for word in words if isinstance(word, str)}
    safe, unsafe = ([name for name in kind if name in methods] for kind in (_SAFE, _UNSAFE))
    if safe and unsafe:
        yield hit(node.pointer, sorted(methods), argument=node.argument, safe=", ".join(safe), unsafe=", ".join(unsafe))


def output_template(surface: Surface, _context: Context) -> Iterator[Hit]:
    """Every template that a tool names is a resource, if the recording has resources."""
    known = {item.get("uri") for item in surface.resources if isinstance(item, dict)}
    known |= {item.get("uriTemplate") for item in surface.templates if isinstance(item, dict)}
    if not known:
        return
    for tool in surface.tools:
        for way in _TEMPLATES:
            value = tool.raw.get("_meta")
            for key in way:
                value = value.get(key) if isinstance(value, dict) else None
            if isinstance(value, str) and value not in known:
                yield hit(join_pointer("/_meta", *way), value, tool=tool.name, uri=value)


_NUMBER = lazy_pattern(r"[-+]?\d+(?:\.\d+)?")
_WALKED = frozenset(
    {"properties", "patternProperties", "dependencies", "items", "contains", "additionalProperties"}
    | {"anyOf", "allOf", "oneOf", "not", "if", "then", "else"}
)
"""Keywords whose subschemas VS Code's normalizer visits (toolSchemaNormalizer.ts, forEachSchemaNode)."""


def list_tokens(surface: Surface, context: Context) -> Iterator[Hit]:
    """All tools as models see them have at most ``max`` tokens, and one ``max-tool``, at four bytes each."""
    most, of_one = (BYTES_PER_TOKEN * context.options[name] for name in ("max", "max-tool"))
    sizes = {tool.name: definition_bytes(tool) for tool in surface.tools}
    size = sum(sizes.values())
    large = [name for name in sizes if sizes[name] > of_one]
    if size <= most and not large:
        return
    largest = sorted(sizes if size > most else large, key=lambda name: -sizes[name])[:3]
    named = ", ".join(f"{one_line(name, 64)} ({sizes[name] / 1000:.0f} kB)" for name in largest)
    share = 100 * sum(map(sizes.__getitem__, large)) // size
    yield hit(
        "/tools",
        size // BYTES_PER_TOKEN,
        says="" if size > most else "one",
        spots=((name, "/inputSchema") for name in largest),
        tokens=f"{size // BYTES_PER_TOKEN:,}",
        largest=named,
        share=share,
    )


def draft_07(tool: Tool, context: Context) -> Iterator[Hit]:
    """The input schema is valid as draft-07, apart from scalars that VS Code's validator converts."""
    schema = tool.input_schema
    if not isinstance(schema, dict) or is_plain(schema):
        return
    from mcp_governor.schemas.flaws import meta_flaws

    # The engine reads strings without lone surrogates, and its paths lead into that copy.
    copy = encodable(schema) if "\\ud" in json_text(tool, "inputSchema", context.facts) else schema
    refused = (flaw for flaw in meta_flaws(copy, 7) if not _converted(copy, flaw))
    for flaw in islice(refused, 1):
        yield hit(join_pointer("/inputSchema", *existing(schema, flaw.instance_path)), schema, error=flaw.message)


def _converted(schema: dict[str, Any], flaw: Flaw) -> bool:
    """True if Ajv with ``coerceTypes`` accepts the flaw: a number for a string and the like, but never a list."""
    value = resolve_pointer(schema, join_pointer("", *flaw.instance_path))
    if flaw.keyword != "type" or isinstance(value, dict | list):
        return False
    return not isinstance(value, str) or _NUMBER.fullmatch(value) is not None or value in ("true", "false")


def array_items(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """Every array that VS Code visits has an item schema; JavaScript takes false for missing."""
    schema = node.schema
    if not isinstance(schema, dict) or schema.get("type") != "array" or not _is_walked(node):
        return
    if schema.get("items") in (None, False, 0, ""):
        yield hit(node.pointer, schema)


def long_description(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """No description that VS Code visits in an input schema is longer than ``max`` UTF-16 code units."""
    text = node.schema.get("description") if isinstance(node.schema, dict) else None
    if isinstance(text, str) and len(text) > context.options["max"] // 2 and _is_walked(node):
        length = len(text.encode("utf-16-le", "surrogatepass")) // 2
        if length > context.options["max"]:
            yield hit(f"{node.pointer}/description", text, length=length)


def keywords(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """No schema that VS Code visits has a keyword of the option ``keywords``."""
    if isinstance(node.schema, dict) and _is_walked(node):
        found = [key for key in context.options["keywords"] if key in node.schema]
        if found:
            yield hit(node.pointer, {key: node.schema[key] for key in found}, keywords=found)


def _is_walked(node: SchemaPlace) -> bool:
    """True if VS Code's normalizer visits the schema: it knows these keywords only, and follows no reference."""
    tokens, at = node.tokens, 0
    while at < len(tokens):
        if tokens[at] not in _WALKED:
            return False
        named = tokens[at] in SCHEMA_MAP_KEYS or tokens[at] in MIXED_MAP_KEYS
        at += 2 if named or (at + 1 < len(tokens) and isinstance(tokens[at + 1], int)) else 1
    return True


def strict_objects(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """Every object is closed and requires all of its properties."""
    schema = node.schema
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        return
    required = schema.get("required")
    missing = [name for name in schema["properties"] if not isinstance(required, list) or name not in required]
    if schema.get("additionalProperties") is not False:
        yield hit(node.pointer, schema, problem="does not say additionalProperties: false")
    elif missing:
        yield hit(node.pointer, schema, problem=f"leaves optional: {', '.join(missing)}")


def output_dialect(tool: Tool, context: Context) -> Iterator[Hit]:
    """The dialect that an output schema names is one of ``dialects``; unpublished ones have a rule of their own."""
    schema = tool.output_schema
    named = schema.get("$schema") if isinstance(schema, dict) else None
    draft = draft_named(named) if isinstance(named, str) else None
    if draft is not None and DIALECTS[draft].name not in context.options["dialects"]:
        yield hit("/outputSchema/$schema", named, dialect=DIALECTS[draft].name)


def first_page(surface: Surface, _context: Context) -> Iterator[Hit]:
    """All tools are on the first page of their list."""
    pages = surface.conversation.get("pages")
    sizes = pages.get("tools/list") if isinstance(pages, dict) else None
    if isinstance(sizes, list) and sizes and all(isinstance(size, int) for size in sizes) and sum(sizes) > sizes[0]:
        yield hit("/conversation/pages", None, first=sizes[0], count=sum(sizes), pages=len(sizes))


def typed_list(tool: Tool, context: Context) -> Iterator[Hit]:
    """Properties of a root are not booleans, and the root of an output is an object; for protocols that permit both."""
    surface = context.surface
    if surface.protocol is not None and not surface.modern:
        return
    for side, name, schema in boolean_properties(tool):
        place = join_pointer(f"/{side}/properties", name)
        yield hit(place, schema, says="property", parameter=name, side=side)
    output = tool.output_schema
    if isinstance(output, dict) and output.get("type") != "object":
        yield hit("/outputSchema", output.get("type"), says="root")
