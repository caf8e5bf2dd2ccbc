"""Defects that a generator or a habit repeats across a server: each is reported once, with all its places."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.findings import Edit, Effect
from mcp_governor.fixes.corrections import correction, in_tool, nullable
from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.claims import sentence_start
from mcp_governor.prose.flat_text import without_name
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.passages import outline_of
from mcp_governor.prose.units import measures, states_unit, unit_names, unit_of, unit_of_name
from mcp_governor.prose.words import name_words
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.phrases import counted, in_short
from mcp_governor.subjects.schemas import effective, followed, parent_of, root_of, types_of
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from mcp_governor.subjects.context import Context, Facts, Hit, SchemaPlace
    from mcp_governor.surface.model import Surface


_MAX_TEXT = 400
"""Maximum number of characters read from a description: what a parameter is comes first."""
_MAX_NAMES = 12
"""Maximum number of parameters named in a message; the rest are counted."""
_MAX_TOOLS = 3
"""Maximum number of tools named per parameter, where the message has room."""


class _Found(NamedTuple):
    """A parameter with a defect, and an optional remark that the message adds to its name."""

    node: SchemaPlace
    what: str = ""

    @property
    def name(self) -> str:
        return self.node.argument or ""


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
        _Found(one.node)
        for one in _arguments(context.facts)
        if "default" in one.node.schema and one.node.schema["default"] is None and _refuses_null(one.node)
    ]
    yield from _once(found, edits=_nullable)


def _refuses_null(node: SchemaPlace) -> bool:
    # The other branch of a union with null does not constrain null.
    schema = followed(root_of(node), node.schema)
    types = types_of(node.schema, root_of(node))
    values = schema.get("enum")
    if isinstance(values, list) and None not in values:
        return True
    return types is not None and "null" not in types and not schema.keys() & {"allOf", "not", "const"}


def _nullable(node: SchemaPlace) -> list[Edit]:
    edit = nullable(node)
    return [edit] if edit is not None else []


def unit(_surface: Surface, context: Context) -> Iterator[Hit]:
    """A quantity has a unit."""
    yield from _once(
        [_Found(one.node) for one in _arguments(context.facts) if lacks_unit(one.node, one.schema, one.types, one.text)]
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
                found.append(_Found(node, what))
    yield from _once(found)


def _once(found: list[_Found], *, edits: Callable[[SchemaPlace], list[Edit]] | None = None) -> Iterator[Hit]:
    """The one hit for a defect, with the edits for each place that has any, which accept more than before."""
    if not found:
        return
    names: dict[str, list[_Found]] = {}
    for place in found:
        names.setdefault(place.name, []).append(place)
    # All names come first, then as many more tools per name as fit.
    spare = max(0, _MAX_NAMES - len(names))
    listed = []
    for places in list(names.values())[:_MAX_NAMES]:
        further = min(len(places) - 1, spare, _MAX_TOOLS - 1)
        spare -= further
        listed.append(_place(places, further + 1))
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    first = found[0].node
    all_edits = [edit for place in found for edit in in_tool(edits(place.node), place.node.tool.name)] if edits else []
    yield hit(
        join_pointer("/tools", first.tool.index) + first.pointer if len(found) == 1 else "/tools",
        sorted(names),
        correction=correction(all_edits, Effect.WIDER),
        spots=((place.node.tool.name, place.node.pointer) for place in found),
        arguments=counted(len(found), "parameter"),
        tools=counted(len({place.node.tool.index for place in found}), "tool"),
        names=", ".join(listed) + more,
        parameters=in_short(found[0].name, first.tool.name, len(found)),
    )


def _place(places: list[_Found], shown: int) -> str:
    """A name with some of the tools that have a parameter of that name."""
    what = f": {one_line(places[0].what, 48)}" if places[0].what else ""
    tools = ", ".join(dict.fromkeys(one_line(place.node.tool.name, 64) for place in places[:shown]))
    return f"{one_line(places[0].name, 64)} ({tools}{what})"


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
_NUMBER_OF = lazy_pattern(
    r"(?:optional:?\s|the\s){0,2}(?:(?:approximate|desired|estimated|exact|maximum|minimum|total)\s)?number\sof\s"
    r"(?:[a-z]{2,16}\s)?(?:columns|days|entries|events|hits|hours|images|items|lines|matches|messages|minutes|months"
    r"|nodes|pages|records|replicas|results|retries|rows|seconds|steps|threads|weeks|words|workers|years)\b",
    re.IGNORECASE,
)
_AS_TEXT = lazy_pattern(
    r"[`'\"]|\b(?:or|e\.g|like|such as|all|range|string|decimals?|fraction\w*)\b"
    r"|\bof\s(?:\w{1,20}\s)?(?:coins?|contracts?|lots?|shares?|tokens?|units?)\b",
    re.IGNORECASE,
)
"""Words that make a number of things text: "number of days, or 'all'"; and things that are traded in fractions."""
_FLAG = lazy_pattern(r"(?:whether|if\strue|set\sto\strue|(?:en|dis)able[sd]?)\b", re.IGNORECASE)
_OR_JSON = lazy_pattern(
    r"\bor\s(?:an?\s|will\sbe\s)?(?:JSON|comma|plain|single|raw|wildcard|pattern|glob|auto\w*|converted)"
    r"|^(?:(?:the|raw|json)\s){0,3}request\sbody\b|\b(?:file|path|URL|SQL|code|schema|document|template|payload)\b",
    re.IGNORECASE,
)

_OF_OTHERS = lazy_pattern(
    r"[.;]\s(?!(?:also|can|give|has|is|it|may|must|pass|provide|put|should|specify|this|use)\b)[^.;]{0,60}\b(?:go(?:es)?|pass(?:ed)?|given|put)\b[^.;]{0,40}$",
    re.IGNORECASE,
)
"""What a later sentence says of something else: "Variables go to the next parameter, as JSON"."""
_SEARCH = lazy_pattern(r"\b(?:search|keywords?|terms)\b", re.IGNORECASE)
"""Words about what people type into a search box, which is text however many words it has."""


def _is_truth(text: str) -> bool:
    """True if the words name true and false for every case, not for one: "If it is a checkbox, 'true' or 'false'"."""
    found = _TRUTH.search(text)
    if found is None or _FOR_SOME.match(text, found.end()):
        return False
    before = text[sentence_start(text, found.start()) : found.start()]
    return _CASE.search(before) is None and _FOR_ONE.search(before) is None


_CASE = lazy_pattern(
    r"\b(?:if|when|unless|while)\s(?!(?:it is |this is )?(?:provided|specified|set|given|present|omitted|not)\b)"
    r"[^.,;\n]{2,60},\s(?:[\w ]{1,40}\s)?$",
    re.IGNORECASE,
)
"""What restricts a sentence to a case: "If the field is a box, the value should be …"."""
_FOR_SOME = lazy_pattern(r"\s(?:for|if|when)\s", re.IGNORECASE)
_FOR_ONE = lazy_pattern(r"\bfor\s(?:an?\s)?[\w\-]{1,30}:\s?$", re.IGNORECASE)


def packed(text: str, schema: Mapping[str, Any]) -> str | None:
    """Content of a string parameter that has a JSON type: "JSON", "comma-separated", "true or false"; or ``None``."""
    default = schema.get("default")
    if "enum" in schema or "const" in schema or "pattern" in schema or "format" in schema:
        return None
    if _is_truth(text) or (default in ("true", "false") and _FLAG.match(text)):
        return "true or false"
    if _NUMBER_OF.match(text) and not _AS_TEXT.search(text) and not isinstance(default, str):
        return "a number"
    if (found := _JSON.search(text)) and not _OR_JSON.search(text) and not _OF_OTHERS.search(text, 0, found.start()):
        return "JSON"
    joined = _JOINED.search(text)
    if joined is None or _OR_JSON.search(text):
        return None
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
    if "string" in types and (text or isinstance(schema.get("default"), str)):
        return False  # "5s": the form says it.
    siblings = parent_of(node).get("properties", {})
    if any(one in siblings for one in unit_names(name)) or unit_of(text.strip(" .()")) is not None:
        return False
    tool = node.tool.description[:_MAX_OF_TOOL]
    around = list(_around(node))
    if any(states_unit(dimension, said) for said in (f"{text} {schema.get('title') or ''} {tool}", *around)):
        return False
    if any(unit_of_name(said.partition(" ")[0]) for said in around):
        return False
    return not _is_usual(name, f"{node.tool.name} {text} {tool} {' '.join(around)}", siblings.keys())


_POINTS = (("timestamp",), ("time",), ("ts",), ("epoch",))
"""Last words of names for points in time, which numbers count in seconds or in milliseconds."""


def _around(node: SchemaPlace) -> Iterator[str]:
    """The name and the description of each object that a parameter is part of."""
    value: Any = root_of(node)
    for at, token in enumerate(node.tokens[:-2]):
        value = value[token]
        if at and node.tokens[at - 1] == "properties" and isinstance(value, dict):
            yield f"{token} {value.get('description') or ''}"


def _is_usual(name: str, around: str, siblings: Collection[str]) -> bool:
    """True for points of a font, and for pixels of a screen or of a picture that is not part of a document.

    Args:
        name: of the parameter.
        around: its own description, and everything that is said around it.
        siblings: the names of the parameters next to it.
    """
    words = name_words(name)
    if words[-2:] == ("font", "size"):
        return True
    if words[-1] not in ("width", "height") or _DOCUMENT.search(around):
        return False
    # What has an x and a y is on a canvas. A picture at the left or the top of something may be on a page.
    if {"x", "y"} <= set(siblings):
        return True
    return {"left", "top", "x"}.isdisjoint(siblings) and _SCREEN.search(around) is not None


_SCREEN = lazy_pattern(
    r"(?:\b|_)(?:browser|canvas|charts?|diagrams?|graphs?|images?|maps?|pictures?|plots?|screen(?:shots?)?|thumbnails?"
    r"|videos?|viewport|windows?)(?:\b|_)",
    re.IGNORECASE,
)
_DOCUMENT = lazy_pattern(
    r"(?:\b|_)(?:documents?|docx?|excel|pdf|pptx?|sheets?|slides?|worksheets?|xlsx)(?:\b|_)",
    re.IGNORECASE,
)
"""Words about what is laid out in centimetres, inches or points."""
