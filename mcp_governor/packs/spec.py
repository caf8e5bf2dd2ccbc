"""Requirements of the specification on a tool definition, apart from the content of its schemas."""

from __future__ import annotations

import functools
import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from mcp_governor.schemas.dialects import DIALECTS, LATEST, dialect_of
from mcp_governor.schemas.patterns import encodable, existing, published_validator
from mcp_governor.schemas.plain import is_plain
from mcp_governor.schemas.pointers import join_pointer, resolve_pointer
from mcp_governor.subjects.context import SIDES, Context, Hit, Item, SchemaPlace, hit
from mcp_governor.subjects.schemas import document_of, json_text
from mcp_governor.surface.listings import METHODS, departures
from mcp_governor.surface.messages import mismatches
from mcp_governor.text import kind_of, one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from mcp_governor.schemas.references import Document
    from mcp_governor.subjects.context import Text
    from mcp_governor.surface.model import Surface, Tool


_RESERVED_LABELS = ("mcp", "modelcontextprotocol")


def unique_name(surface: Surface, _context: Context) -> Iterator[Hit]:
    """No two tools have the same name."""
    for index, name, first in _repeated(surface.entries, "name"):
        yield hit(f"/tools/{index}/name", name, tool=name, first=first, index=index)


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
    try:
        text.value.encode()
    except UnicodeEncodeError:
        yield hit(text.pointer, text.value)


def _reported(tool: Tool, context: Context, kind: str) -> Iterator[Hit]:
    """The problems of one kind in the schemas of a tool, which are computed once for all rules."""
    for side in SIDES:
        if side in tool.raw:
            made = functools.partial(list[tuple[str, Hit]], _report(tool, side, context))
            report = context.facts.kept(("schema-report", tool.index, side), made)
            yield from (found for of, found in report if of == kind)


def _report(tool: Tool, side: str, context: Context) -> Iterator[tuple[str, Hit]]:
    schema = tool.raw.get(side)
    draft = dialect_of(schema)
    if not isinstance(schema, dict) or draft is None:
        return
    text = json_text(tool, side, context.facts)
    # Every value takes a character.
    if len(text) > MAX_VALUES:
        from mcp_governor.schemas.weight import count_values

        if count_values(schema) > MAX_VALUES:
            reason = f"it holds more than {MAX_VALUES:,} values, which nothing validates here"
            yield "uncompilable", hit(f"/{side}", schema, reason=reason)
            return
    lost = list(_lost_references(document_of(tool, side, context.facts))) if '"$ref"' in text else []
    for kind, pointer, reference in lost:
        yield kind, hit(f"/{side}{pointer}/$ref", reference)
    refused = ""
    if not lost:
        # The output schemas of one server are often alike.
        refused = context.facts.kept(("refused", draft, text), lambda: _compile_error(schema, draft, text))
        if not refused:
            # A schema that the engine compiles is valid against its meta-schema.
            return
    invalid = _invalid(schema, draft)
    for pointer, error in invalid.items():
        value = resolve_pointer(schema, pointer)
        yield "invalid", hit(f"/{side}{pointer}", value, error=error, found=kind_of(value))
    if refused and not invalid:
        patterns = list(_patterns(tool, side, context))
        yield from (("uncompilable", found) for found in _broken(patterns))
        if not patterns:
            yield "uncompilable", hit(f"/{side}", schema, reason=refused)


MAX_VALUES = 200_000
"""Maximum number of values in one schema; twenty thousand properties have 80,000. A validator takes a kilobyte for
each."""


def _invalid(schema: dict[str, Any], draft: int) -> dict[str, str]:
    """The first message of the meta-schema about each place that it refuses."""
    from mcp_governor.schemas.flaws import meta_flaws

    found: dict[str, str] = {}
    for flaw in meta_flaws(encodable(schema), draft):
        found.setdefault(join_pointer("", *existing(schema, flaw.instance_path)), flaw.message)
    return found


def _lost_references(document: Document) -> Iterator[tuple[str, str, str]]:
    """References that do not resolve: their kind, the pointer of the schema, and the reference."""
    for part in document.parts():
        reference = part.schema.get("$ref") if isinstance(part.schema, dict) else None
        if isinstance(reference, str):
            base = document.base_of(part.schema, part.base)
            if document.find(base, reference) is None:
                yield "remote" if document.leads_out(base, reference) else "dangling", part.pointer, reference


_SMALL = 50_000
"""Longest schema, in characters, that is judged without the engine, which has a limit for memory."""
_UNSURE = ("\\ud", "NaN", "Infinity")
"""What may stand for a lone surrogate, or a number that JSON does not have."""


def _compile_error(schema: dict[str, Any], draft: int, text: str) -> str:
    """Why the engine rejects a schema; a pattern counts as broken only if Python rejects it as well."""
    if draft in (7, LATEST) and len(text) <= _SMALL and not any(map(text.__contains__, _UNSURE)) and is_plain(schema):
        return ""
    # Only now, since its import takes as long as forty of our modules.
    from mcp_governor.schemas.soundness import surely_compiles

    if surely_compiles(schema, text, draft):
        return ""
    try:
        published_validator(schema, draft, text)
    except ValueError as error:
        return str(getattr(error, "message", error))
    return ""


HEADER = "x-mcp-header"


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
    return _reported(tool, context, "invalid")


def no_remote_reference(tool: Tool, context: Context) -> Iterator[Hit]:
    """No ``$ref`` leads to another document."""
    return _reported(tool, context, "remote")


def reference_resolves(tool: Tool, context: Context) -> Iterator[Hit]:
    """Every ``$ref`` within the schema resolves."""
    return _reported(tool, context, "dangling")


def compiles(tool: Tool, context: Context) -> Iterator[Hit]:
    """A validator can be built from the schema."""
    return _reported(tool, context, "uncompilable")


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


def _broken(patterns: Iterable[tuple[str, str]]) -> Iterator[Hit]:
    """Patterns that neither the schema engine nor Python compiles: a gap in one engine is not the server's mistake."""
    for pointer, pattern in patterns:
        try:
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            yield hit(pointer, pattern, reason=str(error))


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


def header_reachable(tool: Tool, context: Context) -> Iterator[Hit]:
    """A parameter that is mirrored into a header is reachable from the root through ``properties`` only."""
    for node, value in _header_nodes(tool, context):
        keywords = node.tokens[0::2]
        if not node.tokens or len(node.tokens) % 2 or set(keywords) != {"properties"}:
            yield hit(f"{node.pointer}/{HEADER}", value)


_MOST = 20
"""Most places of one message, or of one entry of a list, that are reported; the others usually have the same cause."""


def _hits(value: Any, kind: str, context: Context, at: str = "", *, apart_from: Collection[str] = ()) -> Iterator[Hit]:
    """One hit for each member of the wrong type; a missing one is reported at the object that lacks it."""
    for found in islice(mismatches(value, kind, context.surface.protocol, apart_from=apart_from), _MOST):
        place = join_pointer("", *(found.path[:-1] if found.missing else found.path))
        member = join_pointer(at, *found.path).lstrip("/") or "it"
        error = f"{member} is missing" if found.missing else f"{member} is {found.shown}, not {found.wanted}"
        yield hit(at + place, resolve_pointer(value, place), error=error)


def message_members(surface: Surface, context: Context) -> Iterator[Hit]:
    """The members of the handshake and of list results have the types of the specification."""
    noted = surface.conversation.get("mismatches")
    for note in islice(noted, _MOST) if isinstance(noted, list) else ():
        if isinstance(note, dict):
            path, error = str(note.get("path", "")), str(note.get("error", ""))
            yield hit(path, error, error=error)
    yield from _hits(surface.capabilities, "ServerCapabilities", context, "/capabilities")
    # Since 2026-07-28 it is a part of _meta that the official clients do not check.
    if surface.server and not surface.modern:
        apart_from = ("name", "version")
        yield from _hits(surface.server, "Implementation", context, "/serverInfo", apart_from=apart_from)


def tool_fields(tool: Tool, context: Context) -> Iterator[Hit]:
    """The fields of a tool have the right types; its name and its schemas have rules of their own."""
    return _hits(tool.raw, "Tool", context, apart_from=("name", "inputSchema", "outputSchema"))


def item_fields(item: Item, context: Context) -> Iterator[Hit]:
    """The same for a prompt, a resource or a resource template."""
    return _hits(item.raw, _TYPES_OF[item.kind], context, item.pointer)


_TYPES_OF = {"prompts": "Prompt", "resources": "Resource", "resourceTemplates": "ResourceTemplate"}


def property_schemas(tool: Tool, context: Context) -> Iterator[Hit]:
    """Before 2026-07-28 the schemas of the properties of a root are objects."""
    if context.surface.protocol is not None and not context.surface.modern:
        for side, name, schema in boolean_properties(tool):
            yield hit(f"/{side}{join_pointer('', 'properties', name)}", schema, parameter=name, side=side)


def boolean_properties(tool: Tool) -> Iterator[tuple[str, str, bool]]:
    """The properties of the roots of a tool whose schemas are ``true`` or ``false``: side, name and schema."""
    for side in ("inputSchema", "outputSchema"):
        schema = tool.raw.get(side)
        properties = schema.get("properties") if isinstance(schema, dict) else None
        for name, inner in properties.items() if isinstance(properties, dict) else ():
            if isinstance(inner, bool):
                yield side, name, inner


def capability_declared(surface: Surface, _context: Context) -> Iterator[Hit]:
    """Everything that a server publishes is declared as a capability."""
    resources = surface.resources or surface.templates
    for name, items in (("tools", surface.entries), ("prompts", surface.prompts), ("resources", resources)):
        if items and surface.protocol is not None and name not in surface.capabilities:
            yield hit("/capabilities", dict(surface.capabilities), capability=name)


def _departing(surface: Surface, *fields: str) -> Iterator[Hit]:
    for departure in departures(surface):
        if departure.field in fields:
            found = "missing" if departure.missing else departure.value
            method = METHODS[departure.listing]
            yield hit(departure.pointer, departure.value, method=method, field=departure.field, found=found)


def list_result_type(surface: Surface, _context: Context) -> Iterator[Hit]:
    """A list result is complete, and a modern server declares it."""
    yield from _departing(surface, "resultType")


def list_caching(surface: Surface, _context: Context) -> Iterator[Hit]:
    """A list result has ttlMs and cacheScope with meaningful values, and its pages agree on the scope."""
    yield from _departing(surface, "ttlMs", "cacheScope")


def list_cursor(surface: Surface, _context: Context) -> Iterator[Hit]:
    """nextCursor, if present, is a string."""
    yield from _departing(surface, "nextCursor")


def stdout_noise(surface: Surface, _context: Context) -> Iterator[Hit]:
    """Nothing but MCP on stdout."""
    lines = surface.conversation.get("noise")
    if isinstance(lines, list) and lines:
        # The lines may differ between runs; the finding stays the same.
        first = str(lines[0])
        says = "mark" if first.startswith("\ufeff") else "noise"
        yield hit("/conversation/noise", None, says=says, first=one_line(first, 80))


def server_request(surface: Surface, _context: Context) -> Iterator[Hit]:
    """No request to a client that has declared no capabilities."""
    methods = surface.conversation.get("requests")
    for method in methods if isinstance(methods, list) else ():
        yield hit("/conversation/requests", method, method=method)


def list_fails(surface: Surface, _context: Context) -> Iterator[Hit]:
    """A list that a declared capability promises is readable."""
    failed = surface.conversation.get("failedLists")
    for method, error in failed.items() if isinstance(failed, dict) else ():
        details = error if isinstance(error, dict) else {}
        code, text = details.get("code"), one_line(str(details.get("message", "")))
        path = join_pointer("/conversation/failedLists", method)
        yield hit(path, code, method=method, code=code, text=text)


def _repeated(items: Iterable[Any], key: str) -> Iterator[tuple[int, str, int]]:
    first: dict[str, int] = {}
    for index, item in enumerate(items):
        name = item.get(key) if isinstance(item, dict) else None
        if isinstance(name, str) and name and first.setdefault(name, index) != index:
            yield index, name, first[name]


def unique_prompt(surface: Surface, _context: Context) -> Iterator[Hit]:
    """No two prompts have the same name."""
    for index, name, first in _repeated(surface.prompts, "name"):
        yield hit(f"/prompts/{index}/name", name, first=first, index=index)


def unique_resource(surface: Surface, _context: Context) -> Iterator[Hit]:
    """No two resources have the same URI, and no two templates the same URI template."""
    for index, uri, first in _repeated(surface.resources, "uri"):
        yield hit(f"/resources/{index}/uri", uri, first=first, index=index)
    for index, uri, first in _repeated(surface.templates, "uriTemplate"):
        yield hit(f"/resourceTemplates/{index}/uriTemplate", uri, first=first, index=index)
