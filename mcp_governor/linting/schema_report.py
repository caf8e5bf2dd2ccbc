"""Whether a published schema is one: dialect, meta-schema, references, compilation; worked out once per schema."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from mcp_governor.catalogue.patterns import errors, published_validator
from mcp_governor.frozen import frozen
from mcp_governor.schemas.dialects import DIALECT_2020_12
from mcp_governor.schemas.pointers import join_pointer, resolve_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.linting.context import Context, Node
    from mcp_governor.surface.model import Tool

DIALECTS = {
    DIALECT_2020_12: "2020-12",
    "https://json-schema.org/draft/2019-09/schema": "2019-09",
    "http://json-schema.org/draft-07/schema#": "draft-07",
    "http://json-schema.org/draft-06/schema#": "draft-06",
    "http://json-schema.org/draft-04/schema#": "draft-04",
}
"""Published dialects by the URI of their meta-schema."""

_BY_BARE_URI = {re.sub("^https?:|#$", "", uri): uri for uri in DIALECTS}


def dialect_of(schema: Any) -> str | None:
    """The dialect a root schema declares or defaults to, ``None`` where it names one that is not published."""
    declared = schema.get("$schema", DIALECT_2020_12) if isinstance(schema, dict) else DIALECT_2020_12
    if not isinstance(declared, str):
        return None
    # Either scheme, and the empty fragment or none, are met in the wild: all mean the same document.
    uri = _BY_BARE_URI.get(re.sub("^https?:|#$", "", declared))
    return DIALECTS[uri] if uri else None


def meta_schema_of(schema: dict[str, Any]) -> str:
    """The URI of the meta-schema that a schema of a published dialect is written against."""
    dialect = dialect_of(schema)
    return next(uri for uri, name in DIALECTS.items() if name == dialect)


@frozen
class SchemaReport:
    """What is wrong with one published schema.

    Attributes:
        invalid: pointer within the schema, and what the meta-schema says.
        remote: pointers of references to other documents, with the reference.
        dangling: pointers of local references that lead nowhere, with the reference.
        uncompilable: why no validator can be built, where all the above is in order.
    """

    invalid: tuple[tuple[str, str], ...] = ()
    remote: tuple[tuple[str, str], ...] = ()
    dangling: tuple[tuple[str, str], ...] = ()
    uncompilable: str = ""


@dataclass(eq=False, repr=False)
class _References:
    """The references of one schema, sorted by where they lead."""

    remote: list[tuple[str, str]] = field(default_factory=list)
    dangling: list[tuple[str, str]] = field(default_factory=list)


def schema_report(tool: Tool, side: str, context: Context) -> SchemaReport:
    """The report on one side of a tool, kept while the surface is linted."""
    return context.facts.memo(("schema-report", tool.index, side), lambda: _report(tool, side, context))


def _report(tool: Tool, side: str, context: Context) -> SchemaReport:
    schema = tool.raw.get(side)
    if not isinstance(schema, dict) or dialect_of(schema) is None:
        return _SOUND
    if _is_huge(schema):
        return SchemaReport(uncompilable=f"it holds more than {MAX_VALUES:,} values, which nothing validates here")
    invalid = tuple(_invalid(schema, context))
    nodes = [node for node in context.facts.nodes(tool) if node.side == side]
    references = _references(schema, nodes)
    why = ""
    if not invalid and not references.remote and not references.dangling:
        why = _compile_error(schema)
    if not (invalid or references.remote or references.dangling or why):
        return _SOUND
    return SchemaReport(invalid, tuple(references.remote), tuple(references.dangling), why)


_SOUND = SchemaReport()

MAX_VALUES = 200_000
"""Values of one schema; twenty thousand properties have 80,000. A validator takes a kilobyte for each."""


def _is_huge(schema: Any) -> bool:
    """Whether a schema holds more than ``MAX_VALUES`` values; looks at no more of it than that."""
    left = MAX_VALUES
    stack = [schema]
    while stack and left >= 0:
        value = stack.pop()
        if isinstance(value, dict | list):
            left -= len(value)
            if left >= 0:
                stack.extend(value.values() if isinstance(value, dict) else value)
    return left < 0


def _invalid(schema: dict[str, Any], context: Context) -> Iterator[tuple[str, str]]:
    uri = meta_schema_of(schema)
    validator = context.facts.memo(("meta-schema", uri), lambda: meta_validator(uri))
    seen: set[str] = set()
    for way, message in errors(validator, schema):
        pointer = join_pointer("", *way)
        if pointer not in seen:
            seen.add(pointer)
            yield pointer, message


def meta_validator(uri: str) -> Any:
    """A validator for schemas of the dialect whose meta-schema has that URI."""
    import jsonschema_rs

    return jsonschema_rs.validator_for({"$schema": uri, "$ref": uri}, offline=True)


def _references(schema: dict[str, Any], nodes: list[Node]) -> _References:
    found = _References()
    anchors: set[str] = set()
    resources: dict[tuple[str | int, ...], Any] = {(): schema}
    identifiers: set[str] = set()
    for node in nodes:
        if not isinstance(node.schema, dict):
            continue
        for key in ("$anchor", "$dynamicAnchor"):
            if isinstance(node.schema.get(key), str):
                anchors.add(node.schema[key])
        for key in ("$id", "id"):
            identifier = node.schema.get(key)
            if not isinstance(identifier, str):
                continue
            if identifier.startswith("#"):
                anchors.add(identifier[1:])
            else:
                identifiers.add(identifier.removesuffix("#"))
                resources[node.tokens] = node.schema
    for node in nodes:
        reference = node.schema.get("$ref") if isinstance(node.schema, dict) else None
        if isinstance(reference, str):
            _sort_reference(node, reference, resources, anchors, identifiers, found)
    return found


def _sort_reference(
    node: Node,
    reference: str,
    resources: dict[tuple[str | int, ...], Any],
    anchors: set[str],
    identifiers: set[str],
    found: _References,
) -> None:
    document, _, fragment = reference.partition("#")
    if document:
        base = document.rstrip("/")
        known = any(base == name or name.endswith("/" + base) for name in identifiers)
        if not known and _BY_BARE_URI.get(re.sub("^https?:", "", document)) is None:
            found.remote.append((node.pointer, reference))
        return
    fragment = unquote(fragment)
    if fragment and not fragment.startswith("/"):
        if fragment not in anchors:
            found.dangling.append((node.pointer, reference))
        return
    homes = (root for way, root in resources.items() if node.tokens[: len(way)] == way)
    if not any(_leads_somewhere(root, fragment) for root in homes):
        found.dangling.append((node.pointer, reference))


def _leads_somewhere(root: Any, pointer: str) -> bool:
    try:
        resolve_pointer(root, pointer)
    except KeyError:
        return False
    return True


def _compile_error(schema: dict[str, Any]) -> str:
    """Why the engine refuses a schema; a pattern counts as broken only where Python refuses it as well."""
    try:
        published_validator({**schema, "$schema": meta_schema_of(schema)})
    except ValueError as error:
        return str(getattr(error, "message", error))
    return ""
