"""Requirements of the specification on a tool's schemas (basic, section JSON Schema Usage)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.packs.spec.schema_report import SchemaReport, schema_report
from mcp_governor.schemas.dialects import DIALECTS, LATEST, dialect_of
from mcp_governor.schemas.pointers import resolve_pointer
from mcp_governor.subjects.context import SIDES, Context, Hit, SchemaPlace, hit
from mcp_governor.subjects.phrases import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Tool

HEADER = "x-mcp-header"
_HEADER_TYPES = ("integer", "string", "boolean")


def _sides(tool: Tool, context: Context) -> Iterator[tuple[str, SchemaReport]]:
    for side in SIDES:
        if side in tool.raw:
            yield side, schema_report(tool, side, context)


def known_dialect(tool: Tool, _context: Context) -> Iterator[Hit]:
    """``$schema``, if present, names a published dialect."""
    for side in SIDES:
        schema = tool.raw.get(side)
        if isinstance(schema, dict) and dialect_of(schema) is None:
            yield hit(f"/{side}/$schema", schema["$schema"])


def recommended_dialect(tool: Tool, _context: Context) -> Iterator[Hit]:
    """The dialect is 2020-12."""
    for side in SIDES:
        schema = tool.raw.get(side)
        draft = dialect_of(schema)
        if isinstance(schema, dict) and draft is not None and draft != LATEST:
            yield hit(f"/{side}/$schema", schema["$schema"], dialect=DIALECTS[draft].name)


def valid(tool: Tool, context: Context) -> Iterator[Hit]:
    """A schema is valid against the meta-schema of its dialect."""
    for side, report in _sides(tool, context):
        for pointer, message in report.invalid:
            value = resolve_pointer(tool.raw[side], pointer)
            yield hit(f"/{side}{pointer}", value, error=message, found=kind_of(value))


def no_remote_reference(tool: Tool, context: Context) -> Iterator[Hit]:
    """No ``$ref`` leads to another document."""
    for _, report in _sides(tool, context):
        for pointer, reference in report.remote:
            yield hit(f"{pointer}/$ref", reference)


def reference_resolves(tool: Tool, context: Context) -> Iterator[Hit]:
    """Every ``$ref`` within the schema resolves."""
    for _, report in _sides(tool, context):
        for pointer, reference in report.dangling:
            yield hit(f"{pointer}/$ref", reference)


def compiles(tool: Tool, context: Context) -> Iterator[Hit]:
    """A validator can be built from the schema."""
    for side, report in _sides(tool, context):
        if not report.uncompilable:
            continue
        broken = list(_broken_patterns(tool, side, context))
        for pointer, pattern, reason in broken:
            yield hit(pointer, pattern, reason=reason)
        if not broken and not _has_pattern(tool, side, context):
            yield hit(f"/{side}", tool.raw[side], reason=report.uncompilable)


def _patterns(tool: Tool, side: str, context: Context) -> Iterator[tuple[str, str]]:
    for node in context.facts.nodes(tool):
        if node.side != side or not isinstance(node.schema, dict):
            continue
        pattern = node.schema.get("pattern")
        if isinstance(pattern, str):
            yield f"{node.pointer}/pattern", pattern
        names = node.schema.get("patternProperties")
        for name in names if isinstance(names, dict) else ():
            yield f"{node.pointer}/patternProperties", name


def _has_pattern(tool: Tool, side: str, context: Context) -> bool:
    return next(_patterns(tool, side, context), None) is not None


def _broken_patterns(tool: Tool, side: str, context: Context) -> Iterator[tuple[str, str, str]]:
    """Patterns that neither the schema engine nor Python compiles: a gap in one engine is not the server's mistake."""
    for pointer, pattern in _patterns(tool, side, context):
        try:
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            yield pointer, pattern, str(error)


def _header_nodes(tool: Tool, context: Context) -> Iterator[tuple[SchemaPlace, Any]]:
    for node in context.facts.nodes(tool):
        if node.side == "inputSchema" and isinstance(node.schema, dict) and HEADER in node.schema:
            yield node, node.schema[HEADER]


def header_unique(tool: Tool, context: Context) -> Iterator[Hit]:
    """No two parameters of a tool name the same header, ignoring case."""
    first: dict[str, str] = {}
    for node, value in _header_nodes(tool, context):
        if isinstance(value, str) and first.setdefault(value.lower(), node.pointer) != node.pointer:
            yield hit(f"{node.pointer}/{HEADER}", value, first=first[value.lower()])


def header_type(tool: Tool, context: Context) -> Iterator[Hit]:
    """A parameter that is mirrored into a header is an integer, a string or a boolean."""
    for node, value in _header_nodes(tool, context):
        kind = node.schema.get("type")
        if kind not in _HEADER_TYPES:
            yield hit(f"{node.pointer}/{HEADER}", value, type=kind if kind is not None else "none")


def header_reachable(tool: Tool, context: Context) -> Iterator[Hit]:
    """A parameter that is mirrored into a header is reachable from the root through ``properties`` only."""
    for node, value in _header_nodes(tool, context):
        keywords = node.tokens[0::2]
        if not node.tokens or len(node.tokens) % 2 or set(keywords) != {"properties"}:
            yield hit(f"{node.pointer}/{HEADER}", value)
