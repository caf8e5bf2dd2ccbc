"""Requirements of the specification on a tool definition, apart from the content of its schemas."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec import Struct

from mcp_governor.findings import Correction, Edit, Effect
from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.dialects import DIALECTS, LATEST, dialect_of
from mcp_governor.schemas.patterns import encodable, existing, published_validator
from mcp_governor.schemas.pointers import join_pointer, resolve_pointer
from mcp_governor.subjects.context import SIDES, Context, Hit, Item, SchemaPlace, hit
from mcp_governor.subjects.phrases import counted, kind_of
from mcp_governor.subjects.schemas import document_of, json_text
from mcp_governor.surface.listings import METHODS, departures
from mcp_governor.surface.messages import mismatches
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from mcp_governor.rules.strings import Text
    from mcp_governor.schemas.references import Document
    from mcp_governor.surface.messages import Mismatch
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


class SchemaReport(Struct, frozen=True):
    """The problems of one published schema.

    Attributes:
        invalid: pointer within the schema, and the message of the meta-schema.
        remote: pointers of references to other documents, with the reference.
        dangling: pointers of local references that do not resolve, with the reference.
        uncompilable: why no validator can be built, if there is no problem above.
    """

    invalid: tuple[tuple[str, str], ...] = ()
    remote: tuple[tuple[str, str], ...] = ()
    dangling: tuple[tuple[str, str], ...] = ()
    uncompilable: str = ""


def schema_report(tool: Tool, side: str, context: Context) -> SchemaReport:
    """The report on one side of a tool, cached while the surface is linted."""
    return context.facts.memo(("schema-report", tool.index, side), lambda: _report(tool, side, context))


def _report(tool: Tool, side: str, context: Context) -> SchemaReport:
    schema = tool.raw.get(side)
    draft = dialect_of(schema)
    if not isinstance(schema, dict) or draft is None:
        return _SOUND
    text = json_text(tool, side, context.facts)
    # Every value takes a character.
    if len(text) > MAX_VALUES and _is_huge(schema):
        return SchemaReport(uncompilable=f"it holds more than {MAX_VALUES:,} values, which nothing validates here")
    lost = list(_lost_references(document_of(tool, side, context, text))) if '"$ref"' in text else []
    # The output schemas of one server are often alike.
    refused = (
        ""
        if lost
        else context.facts.kept(
            ("refused", draft, text), lambda: _compile_error(schema, draft, text), lambda _: len(text)
        )
    )
    if not lost and not refused:
        # A schema that the engine compiles is valid against its meta-schema.
        return _SOUND
    invalid = tuple(_invalid(schema, draft))
    remote, dangling = (
        tuple((f"/{side}{pointer}", reference) for out, pointer, reference in lost if out is leads_out)
        for leads_out in (True, False)
    )
    return SchemaReport(invalid, remote, dangling, "" if invalid else refused)


_SOUND = SchemaReport()

MAX_VALUES = 200_000
"""Maximum number of values in one schema; twenty thousand properties have 80,000. A validator takes a kilobyte for
each."""


def _is_huge(schema: Any) -> bool:
    """True if a schema has more than ``MAX_VALUES`` values; stops counting there."""
    left = MAX_VALUES
    stack = [schema]
    while stack and left >= 0:
        value = stack.pop()
        if isinstance(value, dict | list):
            left -= len(value)
            if left >= 0:
                stack.extend(value.values() if isinstance(value, dict) else value)
    return left < 0


def _invalid(schema: dict[str, Any], draft: int) -> Iterator[tuple[str, str]]:
    from mcp_governor.schemas.meta import meta_flaws

    seen: set[str] = set()
    for flaw in meta_flaws(encodable(schema), draft):
        pointer = join_pointer("", *existing(schema, flaw.instance_path))
        if pointer not in seen:
            seen.add(pointer)
            yield pointer, flaw.message


def _lost_references(document: Document) -> Iterator[tuple[bool, str, str]]:
    """References that do not resolve: true for another document, the pointer of the schema, and the reference."""
    for part in document.parts():
        reference = part.schema.get("$ref") if isinstance(part.schema, dict) else None
        if isinstance(reference, str):
            base = document.base_of(part.schema, part.base)
            if document.find(base, reference) is None:
                yield document.leads_out(base, reference), part.pointer, reference


def _compile_error(schema: dict[str, Any], draft: int, text: str) -> str:
    """Why the engine rejects a schema; a pattern counts as broken only if Python rejects it as well."""
    from mcp_governor.schemas.soundness import surely_compiles

    if surely_compiles(schema, text, draft):
        return ""
    try:
        published_validator(schema, draft, text)
    except ValueError as error:
        return str(getattr(error, "message", error))
    return ""


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


_MOST = 20
"""Most places of one message, or of one entry of a list, that are reported; the others usually have the same cause."""


def _hits(value: Any, kind: str, context: Context, at: str = "", *, apart_from: Collection[str] = ()) -> Iterator[Hit]:
    """One hit for each member of the wrong type; a missing one is reported at the object that lacks it."""
    for found in islice(mismatches(value, kind, context.surface.protocol, apart_from=apart_from), _MOST):
        place = join_pointer("", *(found.path[:-1] if found.missing else found.path))
        yield hit(at + place, resolve_pointer(value, place), error=_error(found))


def _error(found: Mismatch) -> str:
    member = join_pointer("", *found.path).lstrip("/") or "it"
    return f"{member} is missing" if found.missing else f"{member} is {found.shown}, not {found.wanted}"


def message_members(surface: Surface, context: Context) -> Iterator[Hit]:
    """The members of the handshake and of list results have the types of the specification."""
    noted = surface.conversation.get("mismatches")
    for note in islice(noted, _MOST) if isinstance(noted, list) else ():
        if isinstance(note, dict):
            path, error = str(note.get("path", "")), str(note.get("error", ""))
            yield hit(path, error, error=error)
    for found in _hits(surface.capabilities, "ServerCapabilities", context):
        yield _within("capabilities", found)
    # Since 2026-07-28 it is a part of _meta that the official clients do not check.
    if surface.server and not surface.modern:
        for found in _hits(surface.server, "Implementation", context, apart_from=("name", "version")):
            yield _within("serverInfo", found)


def _within(part: str, found: Hit) -> Hit:
    return found._replace(path=f"/{part}{found.path}", values={"error": f"{part}/{found.values['error']}"})


def tool_fields(tool: Tool, context: Context) -> Iterator[Hit]:
    """The fields of a tool have the right types; its name and its schemas have rules of their own."""
    return _hits(tool.raw, "Tool", context, apart_from=("name", "inputSchema", "outputSchema"))


def prompt_fields(item: Item, context: Context) -> Iterator[Hit]:
    """The same for a prompt."""
    return _hits(item.raw, "Prompt", context, item.pointer)


def resource_fields(item: Item, context: Context) -> Iterator[Hit]:
    """The same for a resource."""
    return _hits(item.raw, "Resource", context, item.pointer)


def template_fields(item: Item, context: Context) -> Iterator[Hit]:
    """The same for a resource template."""
    return _hits(item.raw, "ResourceTemplate", context, item.pointer)


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


_DEPRECATED_CAPABILITIES = ("logging",)


def server_info(surface: Surface, _context: Context) -> Iterator[Hit]:
    """A server that introduces itself gives its name and version."""
    if not surface.server:
        return
    for key in ("name", "version"):
        value = surface.server.get(key)
        if not isinstance(value, str):
            found = "missing" if key not in surface.server else kind_of(value)
            yield hit(f"/serverInfo/{key}", value, field=key, found=found)


def capability_declared(surface: Surface, _context: Context) -> Iterator[Hit]:
    """Everything that a server publishes is declared as a capability."""
    if surface.protocol is None:
        return
    published = (
        ("tools", surface.entries),
        ("prompts", surface.prompts),
        ("resources", surface.resources or surface.templates),
    )
    for name, items in published:
        if items and name not in surface.capabilities:
            yield hit("/capabilities", dict(surface.capabilities), capability=name)


def deprecated_capability(surface: Surface, _context: Context) -> Iterator[Hit]:
    """No capability that protocol 2026-07-28 deprecates."""
    for name in _DEPRECATED_CAPABILITIES:
        if surface.modern and name in surface.capabilities:
            yield hit(f"/capabilities/{name}", name, capability=name)


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
        if isinstance(name, str) and first.setdefault(name, index) != index:
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
