"""Requirements of the specification on a tool definition, apart from the content of its schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mcp_governor.findings import Correction, Edit, Effect
from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import Context, Hit, hit
from mcp_governor.subjects.phrases import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.rules.strings import Text
    from mcp_governor.surface.model import Surface, Tool

_NAME = lazy_pattern(r"[A-Za-z0-9_.\-]*")
_SURROGATE = lazy_pattern("[\ud800-\udfff]")
_RESERVED_LABELS = ("mcp", "modelcontextprotocol")


def unique_name(surface: Surface, _context: Context) -> Iterator[Hit]:
    """No two tools have the same name."""
    first: dict[str, int] = {}
    for index, entry in enumerate(surface.entries):
        name = entry.get("name") if isinstance(entry, dict) else None
        if isinstance(name, str) and name and first.setdefault(name, index) != index:
            yield hit(f"/tools/{index}/name", name, tool=name, first=first[name], index=index)


def name_characters(tool: Tool, _context: Context) -> Iterator[Hit]:
    """A name consists of ASCII letters, digits, underscore, hyphen and dot."""
    if not _NAME.fullmatch(tool.name):
        bad = sorted(set(_NAME.sub("", tool.name)))
        yield hit("/name", tool.name, found=" ".join(f"U+{ord(char):04X}" for char in bad))


def input_root_type(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The root of inputSchema has ``"type": "object"``."""
    schema = tool.input_schema
    if isinstance(schema, dict) and schema.get("type") != "object":
        found = "no type" if "type" not in schema else f"type {schema['type']!r}"
        yield hit("/inputSchema", schema.get("type"), correction=_object_root(schema), found=found)


def _object_root(schema: dict[str, Any]) -> Correction | None:
    """Adds the missing type of a root. Arguments are always an object, so this rejects no call."""
    edit = Edit("/inputSchema/type", "object")
    return Correction((edit,), Effect.NARROWER) if "type" not in schema else None


def output_root_type(tool: Tool, context: Context) -> Iterator[Hit]:
    """Before 2026-07-28 the root of outputSchema has ``"type": "object"``."""
    protocol = context.surface.protocol
    schema = tool.output_schema
    if protocol is None or context.surface.modern or not isinstance(schema, dict):
        return
    if schema.get("type") != "object":
        found = "no type" if "type" not in schema else f"type {schema['type']!r}"
        yield hit("/outputSchema", schema.get("type"), found=found, protocol=protocol)


def execution_gone(tool: Tool, context: Context) -> Iterator[Hit]:
    """A server that speaks 2026-07-28 does not publish ``execution``."""
    if context.surface.modern and "execution" in tool.raw:
        yield hit("/execution", tool.raw["execution"])


def icon_source(tool: Tool, _context: Context) -> Iterator[Hit]:
    """Every icon has a src that is an http(s) or data URI."""
    icons = tool.raw.get("icons")
    for index, icon in enumerate(icons if isinstance(icons, list) else ()):
        if not isinstance(icon, dict):
            continue
        source = icon.get("src")
        if not isinstance(source, str):
            yield hit(f"/icons/{index}", source, found="no src")
        elif _scheme(source) not in ("http", "https", "data"):
            scheme = _scheme(source)
            yield hit(f"/icons/{index}/src", source, found=f"scheme {scheme}" if scheme else "no scheme")


def _scheme(uri: str) -> str:
    try:
        return urlsplit(uri.strip()).scheme.lower()
    except ValueError:
        return ""


def meta_reserved(tool: Tool, context: Context) -> Iterator[Hit]:
    """No key of ``_meta`` has a prefix that is reserved for the protocol."""
    allowed = context.options["allow"]
    for key in tool.meta:
        labels = key.rpartition("/")[0].split(".")
        reserved = len(labels) > 1 and labels[1].lower() in _RESERVED_LABELS
        if reserved and not any(key == item or key.startswith(f"{item}/") for item in allowed):
            yield hit(join_pointer("/_meta", key), key, key=key)


def lone_surrogates(text: Text, _context: Context) -> Iterator[Hit]:
    """No string holds a code point that UTF-8 cannot encode."""
    if not text.value.isascii() and _SURROGATE.search(text.value):
        yield hit(text.pointer, text.value)


def framework_meta_key(surface: Surface, _context: Context) -> Iterator[Hit]:
    """No tool has the key that FastMCP 2 writes; one hit for the server."""
    metas = ((tool.name, tool.raw.get("_meta")) for tool in surface.tools)
    names = [name for name, meta in metas if isinstance(meta, dict) and "_fastmcp" in meta]
    if names:
        spots = ((name, "/_meta/_fastmcp") for name in names)
        yield hit("/tools", "_fastmcp", spots=spots, tools=counted(len(names), "tool"))
