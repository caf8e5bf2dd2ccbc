"""Whether a published schema is one: dialect, meta-schema, references, compilation; worked out once per schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from mcp_governor.catalogue.patterns import errors, published_validator
from mcp_governor.frozen import frozen
from mcp_governor.schemas.dialects import dialect_of, draft_named
from mcp_governor.schemas.pointers import join_pointer, resolve_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.linting.context import Context, Node
    from mcp_governor.surface.model import Tool


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
    draft = dialect_of(schema)
    if not isinstance(schema, dict) or draft is None:
        return _SOUND
    if _is_huge(schema):
        return SchemaReport(uncompilable=f"it holds more than {MAX_VALUES:,} values, which nothing validates here")
    invalid = tuple(_invalid(schema, draft))
    nodes = [node for node in context.facts.nodes(tool) if node.side == side]
    references = _references(schema, nodes)
    why = ""
    if not invalid and not references.remote and not references.dangling:
        why = _compile_error(schema, draft)
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


def _invalid(schema: dict[str, Any], draft: int) -> Iterator[tuple[str, str]]:
    from mcp_governor.schemas.soundness import meta_validator

    seen: set[str] = set()
    for way, message in errors(meta_validator(draft), schema):
        pointer = join_pointer("", *way)
        if pointer not in seen:
            seen.add(pointer)
            yield pointer, message


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
        if not known and draft_named(document) is None:
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


def _compile_error(schema: dict[str, Any], draft: int) -> str:
    """Why the engine refuses a schema; a pattern counts as broken only where Python refuses it as well."""
    try:
        published_validator(schema, draft)
    except ValueError as error:
        return str(getattr(error, "message", error))
    return ""
