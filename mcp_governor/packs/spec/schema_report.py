"""Problems of a published schema: dialect, meta-schema, references, compilation; computed once per schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.schemas.dialects import LATEST, dialect_of
from mcp_governor.schemas.patterns import encodable, existing, published_validator
from mcp_governor.schemas.plain import is_plain
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.schemas import document_of, json_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.schemas.references import Document
    from mcp_governor.subjects.context import Context
    from mcp_governor.surface.model import Tool


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


_SMALL = 50_000
"""Longest schema, in characters, that is judged without the engine, which has a limit for memory."""
_UNSURE = ("\\ud", "NaN", "Infinity")
"""What may stand for a lone surrogate, or a number that JSON does not have."""


def _compile_error(schema: dict[str, Any], draft: int, text: str) -> str:
    """Why the engine rejects a schema; a pattern counts as broken only if Python rejects it as well."""
    if draft in (7, LATEST) and len(text) <= _SMALL and not any(map(text.__contains__, _UNSURE)) and is_plain(schema):
        return ""
    from mcp_governor.schemas.soundness import surely_compiles

    if surely_compiles(schema, text, draft):
        return ""
    try:
        published_validator(schema, draft, text)
    except ValueError as error:
        return str(getattr(error, "message", error))
    return ""
