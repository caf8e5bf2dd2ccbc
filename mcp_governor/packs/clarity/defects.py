"""Defects that a generator or a habit repeats across a server: each is reported once, with all its places."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.findings import Edit, Effect
from mcp_governor.fixes.corrections import correction, nullable
from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.passages import outline_of, without_name
from mcp_governor.prose.units import measures, states_unit, unit_names
from mcp_governor.prose.words import name_words
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.schemas import effective, followed, parent_of, root_of, types_of
from mcp_governor.text import first_of, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.subjects.context import Context, Facts, Hit, SchemaPlace
    from mcp_governor.surface.model import Surface


_MAX_TEXT = 400
"""Maximum number of characters read from a description: what a parameter is comes first."""
_MAX_NAMES = 12
"""Maximum number of parameters named in a message; the rest are counted."""


class _Argument(NamedTuple):
    """A parameter, its schema with references resolved, its types without null, and its description."""

    node: SchemaPlace
    schema: Mapping[str, Any]
    types: frozenset[str]
    text: str


def _arguments(facts: Facts) -> Iterator[_Argument]:
    for tool in facts.surface.tools:
        for node in facts.nodes(tool):
            if node.side == "inputSchema" and node.argument is not None and isinstance(node.schema, dict):
                schema = effective(root_of(node), node.schema)
                said = schema.get("description")
                text = said[:_MAX_TEXT] if isinstance(said, str) else ""
                yield _Argument(node, schema, (types_of(schema) or frozenset()) - {"null"}, text)


def null_default(_surface: Surface, context: Context) -> Iterator[Hit]:
    """``"default": null`` appears only where null is accepted."""
    found = [
        one.node
        for one in _arguments(context.facts)
        if "default" in one.node.schema and one.node.schema["default"] is None and _refuses_null(one.node)
    ]
    edits = [edit for edit in map(nullable, found) if edit is not None]
    yield from _once([(node, "") for node in found], edits)


def _refuses_null(node: SchemaPlace) -> bool:
    # The other branch of a union with null does not constrain null.
    schema = followed(root_of(node), node.schema)
    types = types_of(node.schema, root_of(node))
    values = schema.get("enum")
    if isinstance(values, list) and None not in values:
        return True
    return types is not None and "null" not in types and not schema.keys() & {"allOf", "not", "const"}


def unit(_surface: Surface, context: Context) -> Iterator[Hit]:
    """A quantity has a unit."""
    yield from _once(
        [(one.node, "") for one in _arguments(context.facts) if lacks_unit(one.node, one.schema, one.types, one.text)]
    )


def packed_text(_surface: Surface, context: Context) -> Iterator[Hit]:
    """Objects, lists and booleans have their own type and are not packed into strings."""
    found = []
    for node, schema, types, text in _arguments(context.facts):
        if types == {"string"}:
            name = node.argument or ""
            if not text and node.tokens == ("properties", name):
                # Servers written in Python describe their parameters in the description of the tool.
                text = outline_of(node.tool, context.facts).entries.get(name, "")[:_MAX_TEXT]
            if what := packed(without_name(text, name).replace("\n", " "), schema):
                found.append((node, what))
    yield from _once(found)


def _once(found: list[tuple[SchemaPlace, str]], edits: list[Edit] | None = None) -> Iterator[Hit]:
    """The one hit for a defect.

    Args:
        found: the places, each with a remark that the message adds.
        edits: for the places, which accept more than before.
    """
    if not found:
        return
    names: dict[str, list[tuple[SchemaPlace, str]]] = {}
    for node, what in found:
        names.setdefault(node.argument or "", []).append((node, what))
    first = found[0][0]
    listed = ", ".join(map(_place, list(names.values())[:_MAX_NAMES]))
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    yield hit(
        join_pointer("/tools", first.tool.index) + first.pointer if len(found) == 1 else "/tools",
        sorted(names),
        correction=correction(edits, Effect.WIDER),
        spots=((node.tool.name, node.pointer) for node, _ in found),
        names=listed + more,
    )


def _place(places: list[tuple[SchemaPlace, str]]) -> str:
    """The name of a parameter with the first tools that have it, and how many others do."""
    node, what = places[0]
    tools = list(dict.fromkeys(one.tool.name for one, _ in places))
    return f"{one_line(node.argument or '', 64)} ({first_of(tools, 2)}{f': {one_line(what, 48)}' if what else ''})"


# -- structure packed into a string

_JSON = Guarded(
    r"\bJSON[- ](?:(?:encoded|formatted|serialized|stringified)[- ]?\s?)?(?:string|array|object|list|text)\b"
    r"|\bstringified\sJSON\b|\bserialized\s(?:from\s)?(?:an?\s)?JSON\b|\bJSON-encoded\b|\bas\sJSON\b",
    "json",
)
_JOINED = Guarded(
    r"\b(?P<by>space|pipe)[- ](?:separated|delimited)\b"
    r"|\b(?:separated|delimited|split)\s(?:by|with)\s(?:an?\s)?(?P<sign>space|pipe)s?\b"
    r"|[`'\"]\|[`'\"]\sas\s(?:the\s|a\s)?(?:delimiter|separator)\b",
    *("separated", "delimited", "delimiter", "separator", "split"),
)
_TRUTH = Guarded(
    r"[`'\"](?:true|false)[`'\"]\s?(?:or|/|\||,)\s?[`'\"](?:true|false)[`'\"]|^(?:true|false)\s?(?:or|/|\|)\s?(?:true|false)\b"
    r"|\((?:true|false)\s?(?:or|/|\||,)\s?(?:true|false)\)",
    "true",
)
_OR_JSON = lazy_pattern(
    r"\bor\s(?:an?\s|will\sbe\s)?(?:JSON|comma|plain|single|raw|wildcard|pattern|glob|auto\w*|converted)"
    r"|^(?:(?:the|raw|json)\s){0,3}request\sbody\b|\b(?:file|path|URL|SQL|code|schema|document|template|payload)\b",
    re.IGNORECASE,
)

_SEARCH = lazy_pattern(r"\b(?:search|keywords?|terms)\b", re.IGNORECASE)
"""Words about what people type into a search box, which is text however many words it has."""


_FOR_SOME = lazy_pattern(
    r"\b(?:if|when|unless|while|for)\s"
    r"(?!(?:it is |this is )?(?:provided|specified|set|given|present|omitted|not|true)\b)",
    re.IGNORECASE,
)
"""What restricts a sentence to a case: "If the field is a box, the value should be 'true' or 'false'"."""


def packed(text: str, schema: Mapping[str, Any]) -> str | None:
    """Content of a string parameter that has a JSON type: "JSON", "comma-separated", "true or false"; or ``None``."""
    if "enum" in schema or "const" in schema or "pattern" in schema or "format" in schema:
        return None
    if (_TRUTH.search(text) and not _FOR_SOME.search(text)) or schema.get("default") in ("true", "false"):
        return "true or false"
    is_json, joined = _JSON.search(text) is not None, _JOINED.search(text)
    if (joined is None and not is_json) or _OR_JSON.search(text):
        return None
    if joined is None or is_json:
        return "JSON"
    by = (joined["by"] or joined["sign"] or "pipe").lower()
    return None if by == "space" and _SEARCH.search(text) else f"{by}-separated"


_MAX_OF_TOOL = 4_000
"""Maximum number of characters of a tool's description searched for a unit."""


def lacks_unit(node: SchemaPlace, schema: Mapping[str, Any], types: frozenset[str], text: str) -> bool:
    """True for a quantity whose unit nothing gives, unless everybody takes the same for granted.

    Args:
        node: the parameter.
        schema: its schema, with references resolved.
        types: of its values, without null.
        text: its description.
    """
    name = node.argument or ""
    if not types & {"integer", "number", "string"} or schema.keys() & {"enum", "const", "format", "pattern"}:
        return False
    dimension = measures(name)
    if dimension is None and "string" not in types and name_words(name)[-1:] in _POINTS:
        dimension = "time"
    if dimension is None or not {"$defs", "definitions"}.isdisjoint(node.tokens):
        return False  # What refers to a definition may be called margins_cm.
    if "string" in types and text:
        return False
    siblings = parent_of(node).get("properties", {})
    if any(one in siblings for one in unit_names(name)):
        return False
    tool = node.tool.description[:_MAX_OF_TOOL]
    if states_unit(dimension, f"{text} {schema.get('title') or ''} {tool}"):
        return False
    return not _is_usual(name, f"{node.tool.name} {text} {tool}", siblings)


_POINTS = (("timestamp",), ("time",), ("ts",), ("epoch",))
"""Last words of names for points in time, which numbers count in seconds or in milliseconds."""


def _is_usual(name: str, around: str, siblings: Mapping[str, Any]) -> bool:
    """True for points of a font, and for pixels of what is neither part of a document nor placed on a page."""
    words, placed = name_words(name), not {"left", "top"}.isdisjoint(siblings)
    pixels = words[-1] in ("width", "height") and not placed and not _DOCUMENT.search(around)
    return words[-2:] == ("font", "size") or pixels


_DOCUMENT = lazy_pattern(
    r"(?:\b|_)(?:documents?|docx?|excel|pdf|pptx?|sheets?|slides?|worksheets?|xlsx)(?:\b|_)",
    re.IGNORECASE,
)
"""Words about what is laid out in centimetres, inches or points."""
