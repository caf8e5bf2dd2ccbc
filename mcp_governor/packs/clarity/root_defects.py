"""Defects of a tool's parameters as a whole: leaked parameters, wrappers, and calls without arguments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.leaked import is_leaked
from mcp_governor.prose.words import name_words, stem
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.schemas import effective, types_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.surface.model import Tool

_MAX_TEXT = 400
"""Maximum number of characters read from a description; what a tool does comes first."""

_HEADER = lazy_pattern(
    r"(?:accept|accept-(?:language|encoding)|user-agent|cache-control|content-type|authorization|cookie|api-version"
    r"|if-[a-z-]{1,40}|x-[a-z-]{1,40})",
    re.IGNORECASE,
)
_WRAPPERS = frozenset(
    {"params", "options", "input", "args", "arguments", "request", "payload", "data", "body", "kwargs"}
)
_FILTERS = frozenset({"filter", "query", "where", "criteria", "selector", "condition"})


def root_defects(tool: Tool) -> Iterator[tuple[str, str, str]]:
    """Each defect of a tool's parameters: its name, the name of the parameter, and the pointer within the tool."""
    schema = tool.raw.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(schema, dict) or not isinstance(properties, dict):
        return
    required = schema.get("required")
    required = required if isinstance(required, list) else []
    headers = [name for name in properties if _HEADER.fullmatch(name)]
    for name, value in properties.items():
        pointer = join_pointer("/inputSchema/properties", name)
        if is_leaked(tool, name, value):
            yield "leaked-parameter", name, pointer
        elif name in headers and any("-" in header for header in headers):
            yield "http-header", name, pointer
        if name in _FILTERS and name not in required and _many(tool.name):
            yield "optional-filter", name, pointer
    bare = not required and bool(properties)
    if bare and (_needs_something(tool, schema, properties) or _is_frame(schema, properties)):
        yield "nothing-required", next(iter(properties)), "/inputSchema"


def is_left_out(name: str, whole: Mapping[str, Any], holder: Mapping[str, Any]) -> bool:
    """True if a call may leave out the object with all arguments, though it has required ones.

    Args:
        name: of the object.
        whole: its schema, with references resolved.
        holder: the object that declares it.
    """
    required = holder.get("required")
    given = isinstance(required, list) and name in required
    return name in _WRAPPERS and not given and bool(whole.get("required")) and "default" not in whole


def _is_frame(schema: Mapping[str, Any], properties: Mapping[str, Any]) -> bool:
    return len(properties) == 1 and all(
        is_left_out(name, effective(schema, value), schema) for name, value in properties.items()
    )


def is_operation(holder: Mapping[str, Any]) -> bool:
    """True if an object stands for one operation, which a constant names."""
    properties = holder.get("properties")
    values = properties.values() if isinstance(properties, dict) else ()
    return any(isinstance(value, dict) and "const" in value for value in values)


_NEEDING = frozenset(
    [
        *("add", "append", "create", "delete", "edit", "execute", "insert", "invite", "modify", "move", "post", "push"),
        *("query", "remove", "rename", "reply", "resize", "run", "send", "set", "update", "upload", "upsert", "write"),
        *("archive", "assign", "attach", "cancel", "convert", "mark", "merge", "share", "translate"),
    ]
)
"""Verbs that need an object: such a tool has at least one required parameter."""
_CHANGING = frozenset(
    {"archive", "assign", "attach", "cancel", "delete", "mark", "remove", "rename", "resize", "share", "update"}
)
"""Verbs that need an object or a value, even where every parameter accepts null."""
_ALONE_FINE = lazy_pattern(
    r"\b(?:optional(?:ly)?|defaults?|if\s(?:omitted|not|provided|given)|current|empty|none|all|additional|extra)\b",
    re.IGNORECASE,
)

_SPARED = lazy_pattern(
    r"\b(?:optional(?:ly)?|defaults?|if\s(?:omitted|not|provided|given)|current|empty|none|additional|extra)\b",
    re.IGNORECASE,
)
"""The same for a tool that changes something: "all entries of a feed" says how much, not that it may be left out."""
_ALONE = lazy_pattern(
    r"\b(?:optional(?:ly)?|current|(?:without|no)\s(?:any\s)?(?:arguments|filters?|parameters))\b", re.IGNORECASE
)


def _needs_something(tool: Tool, schema: Mapping[str, Any], properties: Mapping[str, Any]) -> bool:
    """True if a tool that acts on its input accepts a call without arguments, and nothing allows that explicitly."""
    parts = name_words(tool.name)
    if _gets_one(parts, properties) or (not _COMPOSED.intersection(schema) and _asks_a_table(parts, tool, properties)):
        return True
    # "run" is a thing in "get_run".
    last = parts[-1:] if _READS_ONE.isdisjoint(parts[:1]) else ()
    if (
        not (_NEEDING.intersection(parts[:2] if last else parts[:1]) or _NEEDING.intersection(last))
        or len(properties) > _MAX_SMALL
    ):
        return False
    if _COMPOSED.intersection(schema) or ("query" in parts[:1] and all(map(_is_filter, properties))):
        return False
    if _ALONE.search(tool.description[:_MAX_TEXT]):
        return False
    acts = not _CHANGING.isdisjoint(parts[:1])
    # A flag that is off asks for nothing.
    given = [value for value in properties.values() if not (acts and _is_off(value))]
    return bool(given) and all(
        isinstance(value, dict)
        # Python generators write "or null", default null, for whatever the function can be called without.
        and (value.get("default") is None if acts else "default" not in value)
        and (acts or "null" not in (types_of(value, schema) or ()))
        and not (_SPARED if acts else _ALONE_FINE).search(str(value.get("description") or ""))
        and not ("create" in parts and _all_optional(effective(schema, value)))
        for value in given
    )


def _is_filter(name: str) -> bool:
    return not _FILTERS.isdisjoint(name_words(name)[-1:])


_FILTERS = frozenset({"category", "filter", "filters", "limit", "offset", "page", "state", "status", "type"})
"""Last words of the names of parameters that narrow a list, which is whole without them."""


def _is_off(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "boolean" and schema.get("default") is False


_READS_ONE = frozenset({"describe", "download", "fetch", "get", "read", "show"})
_NAMES_IT = frozenset({"id", "guid", "iid", "key", "slug", "uid", "uuid"})
_NAMES_ANOTHER_WAY = _NAMES_IT | {"branch", "email", "name", "number", "owner", "path", "ref", "url"}


_COMPOSED = frozenset({"anyOf", "oneOf", "allOf", "if", "minProperties", "dependentRequired", "$ref"})
_ASKS = frozenset({"aggregate", "query"})
_TABLES = frozenset({"collection", "collection_name", "collectionName", "table", "table_name", "tableName"})


def _asks_a_table(parts: tuple[str, ...], tool: Tool, properties: Mapping[str, Any]) -> bool:
    """True if a tool asks one table, nothing says which one without the parameter, and no statement names it."""
    if _ASKS.isdisjoint((*parts[:2], *parts[-1:])) or "sql" in properties or "statement" in properties:
        return False
    schema = next((properties[name] for name in properties if name in _TABLES), None)
    return (
        isinstance(schema, dict)
        and schema.get("type") == "string"
        and "default" not in schema
        and not _ALONE_FINE.search(str(schema.get("description") or ""))
        and not _ALONE.search(tool.description[:_MAX_TEXT])
    )


def _gets_one(parts: tuple[str, ...], properties: Mapping[str, Any]) -> bool:
    """True if a tool reads the one thing that its only identifier names ("get_run" with `run_id`), and nothing says
    which one it reads without that."""
    if _READS_ONE.isdisjoint(parts[:2]) or len(properties) > _MAX_SMALL:
        return False
    named = [name for name in properties if _NAMES_ANOTHER_WAY.intersection(name_words(name)[-1:])]
    words = name_words(named[0]) if len(named) == 1 else ()
    if len(words) < 2 or words[-1] not in _NAMES_IT:
        return False
    schema, things = properties[named[0]], {stem(part) for part in parts}
    return (
        {stem(word) for word in words[:-1]} <= things
        and isinstance(schema, dict)
        and "default" not in schema
        and "null" not in (types_of(schema) or ())
        and not _ALONE_FINE.search(str(schema.get("description") or ""))
    )


def _all_optional(schema: Mapping[str, Any]) -> bool:
    """True if an object declares what it takes and requires nothing of it: something may be created from defaults."""
    return bool(schema.get("properties")) and not schema.get("required")


_MAX_SMALL = 4
"""Maximum number of parameters of a tool for this check; a tool with many may well accept any of them."""


def _many(name: str) -> bool:
    parts = set(name_words(name))
    return bool(parts & {"delete", "remove", "update", "purge"}) and bool(parts & {"many", "all", "bulk"})
