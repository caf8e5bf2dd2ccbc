"""Requirements of SCHEMA.md on schemas below the root, and on the names of parameters (pack schema-md)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.findings import Correction, Edit, Effect
from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.credentials import credential_in, key_in, outline
from mcp_governor.prose.words import name_words
from mcp_governor.schemas.keywords import SCHEMA_MAP_KEYS
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import Context, Hit, SchemaPlace, hit
from mcp_governor.subjects.reached import is_reached
from mcp_governor.subjects.schemas import effective, root_of, types_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.rules.strings import Text
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
    """True if a schema describes only a part of an object."""
    schema: Any = root_of(node)
    tokens = list(node.tokens)
    while tokens:
        keyword = tokens.pop(0)
        if keyword in _PARTIAL:
            return True
        if keyword in _BRANCHES and isinstance(schema, dict) and not tokens[1:]:
            # A branch that adds to the properties next to it.
            return "properties" in schema or "allOf" in schema
        schema = schema[keyword]
        if tokens and (keyword in SCHEMA_MAP_KEYS or isinstance(schema, list)):
            schema = schema[tokens.pop(0)]
    return False


_PLACES = frozenset({"cwd", "dir", "directory", "file", "filename", "filepath", "path", "pathname", "workdir"})
_FOLDERS = frozenset({"folder", "root", "workspace"})
_OTHER_PATHS = frozenset(
    [
        *("api", "area", "class", "field", "http", "import", "iteration", "jmes", "jq", "json", "key", "menu"),
        *("module", "node", "object", "property", "route", "tree", "uri", "url", "web", "x", "xml"),
    ]
)
"""Words before ``path`` that make it a path outside a file system."""
_ELSEWHERE = lazy_pattern(r"\b(?:json ?path|xpath|jmespath|url path|api path|endpoint|dot notation)\b", re.IGNORECASE)
_A_PLACE = lazy_pattern(
    r"\b(?:file|folder|directory|absolute|relative|local|output|full) ?path|\bpath (?:to|of) |\bdirectory\b",
    re.IGNORECASE,
)
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
    last = _singular(words[-1]) if words else ""
    if _OTHER_PATHS.intersection(words[:-1]) or _ELSEWHERE.search(text):
        return False
    if last in _FOLDERS:
        return _A_PLACE.search(text) is not None
    return last in _PLACES or words[-2:] in (("file", "name"), ("directory", "name"))


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") else word


def paging_pair(tool: Tool, _context: Context) -> Iterator[Hit]:
    """A tool with one of ``cursor`` and ``pageSize`` has the other as well."""
    properties = tool.input_schema.get("properties") if isinstance(tool.input_schema, dict) else None
    if not isinstance(properties, dict):
        return
    sizes = [name for name in properties if _SIZES.match(name)]
    ways = [name for name in properties if _WAYS.match(name)]
    if "cursor" in properties and not sizes:
        yield hit("/inputSchema/properties/cursor", "cursor", argument="cursor", absent="pageSize")
    if "pageSize" in properties and not ways:
        yield hit("/inputSchema/properties/pageSize", "pageSize", argument="pageSize", absent="cursor")


_SIZES = lazy_pattern(
    r"^(?:(?:max_?)?page_?size|per_?page|items_?per_?page|page_?limit|limit|count|max_?(?:results|items)|top|take|first|size)$",
    re.IGNORECASE,
)
"""Names for the number of items on a page; another rule reports names other than ``pageSize``."""
_WAYS = lazy_pattern(
    r"^(?:cursor|(?:next_?)?(?:page_?)?(?:token|cursor)|page_?(?:number|num|index)|page|offset|skip|start(?:_?(?:index|at))?|after|before|continuation\w*)$",
    re.IGNORECASE,
)
"""Names for the position of a page."""


def non_sensitive(text: Text, _context: Context) -> Iterator[Hit]:
    """No description contains a credential after a label; another rule reports strings in the form of a key."""
    found = credential_in(text.value)
    if found is not None and key_in(text.value) is None:
        yield hit(text.pointer, text.value, found=outline(found))
