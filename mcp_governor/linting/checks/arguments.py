"""Arguments that a model cannot guess: what is hard to guess by its name and type has to be said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.linting.context import Context, Hit, SchemaPlace, hit
from mcp_governor.linting.phrases import counted
from mcp_governor.linting.said import said_of, told_of
from mcp_governor.linting.schemas import effective, parent_of, root_of, types_of
from mcp_governor.linting.words import name_words, word_count
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.surface.model import Surface, Tool

# -- hard to guess

_CHOICES = frozenset(
    [
        *("action", "align", "alignment", "format", "granularity", "horizontal", "kind", "layout", "level", "mode"),
        *("operation", "orientation", "order", "policy", "scheme", "scope", "sort", "state", "status", "strategy"),
        *("style", "type", "unit", "units", "until", "vertical", "visibility"),
    ]
)
"""Last words of names that stand for one of a few values which nobody can guess."""
_FREE = frozenset({"mime", "content", "media", "file", "entity"})
"""Words in front of such a word that make it guessable, or open: ``mime_type``."""
_INDEXES = frozenset({"index", "idx", "position", "pos", "row", "col", "column"})
_COLOURS = frozenset({"color", "colour"})
_DATES = frozenset({"date", "datetime", "timestamp"})
_VAGUE = frozenset(
    [
        *("args", "criteria", "expression", "geoloc", "info", "input", "key", "object", "options", "params", "payload"),
        *("ref", "rule", "spec", "target", "value"),
    ]
)
"""Names that say nothing of what belongs there."""

_CLOSING = ("enum", "const", "pattern", "format", "examples", "oneOf", "anyOf", "x-enum")
_BASE = re.compile(
    r"(?<![\w.])-?[01](?![\w.]|\s?%)|\b(?:zero|one|first|last|next|indexed)\b|-based\b|[01]-(?:based|index)", re.I
)
_SERVER_BASE = re.compile(
    r"\b(?:zero|one|0|1)[- ](?:based|indexed)\b|\b(?:count|start|index|number)\w*\s(?:from|at)\s[01]\b", re.I
)
_VALUES = re.compile(
    r"['\"`‘“|{=]|\b(?:e\.\s?g|i\.\s?e|such as|like|for example|examples?|or|one of|options|supported|see|same as|"
    r"returned by|from|names?)\b|:\s?\S|\w/\w|\w, \w|(?-i:\b[A-Z][A-Z0-9_]{2,}\b)|\d|\(",
    re.IGNORECASE,
)
_COLOUR_FORM = re.compile(
    r"#|\b(?:hex\w*|rgba?|names?|css|red|blue|black|white|palette|theme)\b|['\"`\d]", re.IGNORECASE
)
_DATE_FORM = re.compile(
    r"\d|yyyy|\b(?:iso|rfc|epoch|unix|utc|e\.\s?g|format|milliseconds|seconds|relative|natural|today|ts|cursor)\b|['\"`]",
    re.IGNORECASE,
)
_LONG = 16
"""Words from which on a text is taken to say what belongs there, in a way that is not looked for here."""


def parameter_described(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """Of an argument that is hard to guess, the text says what belongs there."""
    name = node.argument
    if name is None or not isinstance(node.schema, dict):
        return
    parts = name_words(name)
    if not parts:
        return
    says = _problem(node, parts, context)
    if says is not None:
        yield hit(node.pointer, node.schema, says=says, argument=name)


def _problem(node: SchemaPlace, parts: tuple[str, ...], context: Context) -> str | None:
    """Which message says what is missing about an argument, if anything is."""
    last = parts[-1]
    hard = last in _CHOICES or last in _COLOURS or last in _DATES
    # Deeper down, the object that holds it says what a "value" is.
    vague = len(parts) == 1 and last in _VAGUE and len(node.tokens) == 2
    schema = effective(root_of(node), node.schema)
    types = (types_of(node.schema, root_of(node)) or frozenset()) - {"null"}
    structured = types <= {"array", "object"} and bool(types)
    shapeless = (structured or not types) and not _has_shape(schema)
    vague = vague and not structured
    if not hard and not vague and not shapeless:
        return None
    texts = [one.text for one in said_of(node, context, mentions=True)] or _told_above(node, schema)
    text = " ".join(texts)[:_MOST_TEXT]
    if any(schema.get(key) not in (None, []) for key in _CLOSING):
        return None
    if hard:
        found = _hard(last, parts, types, schema, text, node.tool)
        if found is not None:
            return found
    if not text.strip() and "default" not in node.schema and (shapeless or vague):
        return "shape" if shapeless else "bare"
    return None


_MOST_TEXT = 4_000
"""Characters of what is said about an argument that are read."""


def _hard(
    last: str, parts: tuple[str, ...], types: frozenset[str], schema: Mapping[str, Any], text: str, tool: Tool
) -> str | None:
    bare = not text.strip()
    if types and not types <= {"string"}:
        return None
    if last in _CHOICES and not (len(parts) > 1 and parts[-2] in _FREE):
        return "values" if bare or (word_count(text) < _LONG and not _VALUES.search(text)) else None
    if "default" in schema and schema["default"] not in (None, ""):
        return None
    if last in _COLOURS:
        return "colour" if not _COLOUR_FORM.search(text) else None
    if last in _DATES:
        return "date" if not _DATE_FORM.search(text) and not _DATE_FORM.search(tool.description[:_MOST_TEXT]) else None
    return None


def _told_above(node: SchemaPlace, schema: Mapping[str, Any]) -> list[str]:
    """What is said about an argument elsewhere: in what it refers to, in its items, on the object that holds it."""
    below = [schema, schema.get("items")]
    out = [item["description"] for item in below if isinstance(item, dict) and isinstance(item.get("description"), str)]
    if node.argument is not None and len(node.tokens) > 2:
        above = parent_of(node).get("description")
        if isinstance(above, str) and re.search(rf"(?<!\w){re.escape(node.argument)}(?!\w)", above):
            out.append(above)
    return out


def _has_shape(schema: Mapping[str, Any]) -> bool:
    if any(
        key in schema for key in ("properties", "additionalProperties", "patternProperties", "prefixItems", "allOf")
    ):
        return True
    items = schema.get("items")
    if "items" in schema:
        return (
            isinstance(items, dict)
            and bool(items)
            and (items.get("type") not in ("array", "object") or _has_shape(items))
        )
    return "type" not in schema and schema != {}


# -- said once for several tools


class _Declared(NamedTuple):
    """One argument of one tool: its schema, references followed, and what is said about it."""

    tool: Tool
    name: str
    schema: Mapping[str, Any]
    text: str


def _declared(surface: Surface, context: Context) -> list[_Declared]:
    """The arguments of all tools, read once for the rules that look at a whole server."""
    found: list[_Declared] = context.facts.memo("declared", lambda: list(_read(surface, context)))
    return found


def _read(surface: Surface, context: Context) -> Iterator[_Declared]:
    for tool in surface.tools:
        schema = tool.input_schema
        properties = schema.get("properties") if isinstance(schema, dict) else None
        if not isinstance(properties, dict) or len(properties) > _MOST_PROPERTIES:
            continue
        told = told_of(tool, properties, context.facts)
        for name, argument in properties.items():
            if isinstance(argument, dict):
                whole = effective(schema, argument)
                own = whole.get("description")
                texts = [own if isinstance(own, str) else "", told.entries.get(name, ""), *told.mentions.get(name, ())]
                yield _Declared(tool, name, whole, " ".join(texts).strip()[:_MOST_TEXT])


_MOST_PROPERTIES = 1_000
"""Arguments of one tool; one that has more was not written by hand."""
_MOST_ARGUMENTS = 6
"""Arguments that a message names; the rest is counted."""
_MOST_TOOLS = 3
"""Tools that a message names; the rest is counted."""


def index_base(surface: Surface, context: Context) -> Iterator[Hit]:
    """Something says whether an index counts from 0 or from 1; one hit for the server."""
    if _SERVER_BASE.search((surface.instructions or "")[:_MOST_TEXT]):
        return
    found: dict[str, list[Tool]] = {}
    told: dict[str, str] = {}
    for one in _declared(surface, context):
        parts = name_words(one.name)
        if not parts or parts[-1] not in _INDEXES or one.schema.get("type") not in ("integer", "number"):
            continue
        bounded = "minimum" in one.schema or "exclusiveMinimum" in one.schema
        if bounded or _BASE.search(one.text) or _SERVER_BASE.search(one.tool.description[:_MOST_TEXT]):
            told.setdefault(one.name, one.tool.name)
        else:
            found.setdefault(one.name, []).append(one.tool)
    yield from _one_hit(found, told, "says it")


_KNOWN = frozenset(
    [
        *(
            "body",
            "comment",
            "content",
            "count",
            "cursor",
            "description",
            "email",
            "height",
            "limit",
            "message",
            "name",
        ),
        *("page", "page_size", "pagesize", "password", "per_page", "perpage", "prompt", "q", "query", "question"),
        *("search", "subject", "text", "title", "url", "username", "width"),
    ]
)
"""Names that say what belongs there, in any server."""
_FEWEST = 2
"""Tools that have an argument without words; one may be an oversight, or the only place where it is plain."""


def shared_parameters(surface: Surface, context: Context) -> Iterator[Hit]:
    """What several tools take is described; one hit for the server."""
    bare: dict[str, list[Tool]] = {}
    described: dict[str, str] = {}
    for one in _declared(surface, context):
        parts = name_words(one.name)
        if one.text or "enum" in one.schema:
            described.setdefault(one.name, one.tool.name)
        elif parts and parts[-1] not in _HARD and one.name.lower() not in _KNOWN and not _says_itself(one.schema):
            bare.setdefault(one.name, []).append(one.tool)
    yield from _one_hit(
        {name: tools for name, tools in bare.items() if len(tools) >= _FEWEST}, described, "describes it"
    )


_HARD = _CHOICES | _INDEXES | _COLOURS | _DATES
"""Last words of names that the other rules here look at."""


def _says_itself(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "boolean" or bool(schema.get("properties"))


def _one_hit(bare: Mapping[str, list[Tool]], elsewhere: Mapping[str, str], does: str) -> Iterator[Hit]:
    """One hit for all arguments, the commonest first."""
    found = sorted(bare.items(), key=lambda item: -len(item[1]))
    if not found:
        return
    shown = [
        _told(name, tools, f"{elsewhere[name]} {does}" if name in elsewhere else "")
        for name, tools in found[:_MOST_ARGUMENTS]
    ]
    if len(found) > _MOST_ARGUMENTS:
        shown.append(counted(len(found) - _MOST_ARGUMENTS, "more argument"))
    # Of the whole server, so that a description that is added makes no new finding of the rest.
    yield hit("/tools", arguments="; ".join(shown))


def _told(name: str, tools: list[Tool], elsewhere: str) -> str:
    names = ", ".join(one_line(tool.name, 64) for tool in tools[:_MOST_TOOLS])
    rest = ", …" if len(tools) > _MOST_TOOLS else ""
    where = f"; {one_line(elsewhere, 80)}" if elsewhere else ""
    count = f"{counted(len(tools), 'tool')}: " if len(tools) > 1 else ""
    return f"{one_line(name, 64)} ({count}{names}{rest}{where})"
