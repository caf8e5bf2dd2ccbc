"""Prose that contradicts its schema: the one smell of descriptions that was measured to hurt.

Each pattern reads only what is written in a form that leaves no doubt: a parenthesised type, quoted values in a
list, a bare number. What it cannot read for certain it leaves alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.linting.context import Context, Hit, Node, hit
from mcp_governor.linting.guarded import Guarded
from mcp_governor.linting.schemas import COMPOSITION, effective, parent_of, root_of, types_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_TYPE_WORDS = {
    "string": "string",
    "str": "string",
    "integer": "integer",
    "int": "integer",
    "number": "number",
    "float": "number",
    "boolean": "boolean",
    "bool": "boolean",
    "array": "array",
    "list": "array",
    "object": "object",
    "dict": "object",
}
_WORD = "|".join(_TYPE_WORDS)
_TYPE_NOTE = rf"\((?:(?:optional|required)[,:]?\s+)?({_WORD})(?:,\s*(?:optional|required|default\b[^)]{{0,40}}))?\)"
# Only where the note is about the argument as a whole: in front, or behind a phrase without lists or fields.
_STATED_TYPE = Guarded(
    rf"^\s*{_TYPE_NOTE}|^[^:,(\n]*{_TYPE_NOTE}\s*\.?\s*$|^\s*type\s*[:=]\s*({_WORD})\b(?!\s*(?:or|\|))", "(", "type"
)
_COMMA_LIST = Guarded(r"\b(?:as\s+)?(?:a\s+)?comma[- ](?:separated|delimited)\s+(?:string|list|values)\b", "comma")
_JSON_TEXT = Guarded(
    r"\b(?:as\s+a\s+)?JSON(?:[- ](?:encoded|formatted|serialized))?\s+string\b|\bstringified\b", "json", "stringified"
)
_COMPATIBLE = ({"integer", "number"},)

_QUOTED = r"(?:`[^`\n]{1,60}`|'[^'\n]{1,60}'|\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”)"
_VALUE_LIST = Guarded(
    r"\b(?:one of|(?:allowed|valid|possible|accepted|supported) values?|options|must be|can be|either)"
    rf"(?:\s+are|\s+is)?\s*[:=]?\s*[(\[]?\s*({_QUOTED}(?:\s*(?:,\s*(?:or|and)?|\||/|\bor\b|\band\b)\s*{_QUOTED})+)",
    "one of",
    "value",
    "options",
    "must be",
    "can be",
    "either",
)
_ITEM = re.compile(_QUOTED)

_NUMBER = r"-?\d{1,15}(?:\.\d{1,15})?"
_END = r"(?=\s*(?:$|[);\]]|[.,](?:\s|$)))"
_STATED_DEFAULT = Guarded(
    rf"\bdefault(?:s\s+to|\s+value\s+is|\s+is|\s*[:=])?\s*(?:({_QUOTED})|(true|false|{_NUMBER}){_END})", "default"
)
_BETWEEN = Guarded(
    rf"\bbetween\s+({_NUMBER})\s+and\s+({_NUMBER}){_END}|\(({_NUMBER})\s*(?:-|–|to)\s*({_NUMBER})\)", "between", "("
)
_AT_MOST = Guarded(
    rf"\b(?:max(?:imum)?(?:\s+(?:is|of|value))?|at most|no more than)\s*[:=]?\s*({_NUMBER}){_END}",
    "max",
    "at most",
    "no more",
)
_AT_LEAST = Guarded(
    rf"\b(?:min(?:imum)?(?:\s+(?:is|of|value))?|at least|no less than)\s*[:=]?\s*({_NUMBER}){_END}",
    "min",
    "at least",
    "no less",
)
_LENGTH = Guarded(
    r"\b(?:max(?:imum)?(?:\s+of)?|at most|up to|no more than)\s*[:=]?\s*(\d+)\s+"
    r"(char(?:acter)?s|items|elements|entries)\b",
    "char",
    "items",
    "elements",
    "entries",
)

# In front, or in brackets before anything that could begin a list of fields.
_SAYS = Guarded(
    r"^\s*[\[(]?(required|optional)[\])]?\s*(?:[.:,;\-–]|$)|^[^:\n]*?[\[(](required|optional)[\])]",
    "required",
    "optional",
)
_CONDITIONAL = Guarded(
    r"\brequired\s+(?:if|when|for|unless|with|in|only)\b|\boptional\s+(?:if|when|for|unless)\b", "required", "optional"
)


def _prose(node: Node) -> str:
    """The description of a property, the empty string for anything else.

    Blanks are single and empty lines are left out, so that no run of white space makes a pattern slow.
    """
    if node.argument is None or not isinstance(node.schema, dict):
        return ""
    text = node.schema.get("description")
    if not isinstance(text, str):
        return ""
    return "\n".join(line for line in (" ".join(line.split()) for line in text.split("\n")) if line)


def _told(node: Node, **values: Any) -> Hit:
    """A hit at the description of a property."""
    return hit(f"{node.pointer}/description", node.schema["description"], argument=node.argument, **values)


def stated_type(node: Node, _context: Context) -> Iterator[Hit]:
    """A type that the description states is one that the schema accepts."""
    text = _prose(node)
    types = types_of(node.schema) if text else None
    if not text or types is None:
        return
    match = _STATED_TYPE.search(text)
    if match is not None:
        stated = _TYPE_WORDS[(match[1] or match[2] or match[3]).lower()]
        if stated not in types and not any(stated in pair and pair & types for pair in _COMPATIBLE):
            yield _told(node, stated=stated, type=sorted(types))
            return
    if "string" in types:
        return
    if types <= {"array", "null"} and _COMMA_LIST.search(text):
        yield _told(
            node,
            stated="comma-separated text",
            type=sorted(types),
        )
    elif types <= {"array", "object", "null"} and _JSON_TEXT.search(text):
        yield _told(node, stated="JSON in a string", type=sorted(types))


def _enum(schema: dict[str, Any]) -> list[str]:
    values = schema.get("enum")
    if not isinstance(values, list):
        return []
    return [value for value in values if isinstance(value, str)]


def stated_values(node: Node, _context: Context) -> Iterator[Hit]:
    """Every value that the description lists is in the enum."""
    text = _prose(node)
    allowed = _enum(effective(root_of(node), node.schema)) if text else []
    if not allowed:
        return
    folded = {value.casefold() for value in allowed}
    for match in _VALUE_LIST.finditer(text):
        stated = [item[1:-1] for item in _ITEM.findall(match[1])]
        extra = [value for value in stated if value not in allowed]
        # A list that shares nothing with the enum is about something else.
        if extra and any(value.casefold() in folded for value in stated):
            yield _told(node, stated=extra, allowed=allowed)
            return


def stated_default(node: Node, _context: Context) -> Iterator[Hit]:
    """A default that the description states is the default of the schema."""
    text = _prose(node)
    if not text or "default" not in node.schema:
        return
    actual = node.schema["default"]
    stated = [_literal(match, actual) for match in _STATED_DEFAULT.finditer(text)]
    # Two defaults in one description are two cases, which a schema cannot say.
    if len(stated) == 1 and stated[0] is not None and stated[0] != actual:
        yield _told(node, stated=stated[0], default=actual)


def _literal(match: re.Match[str], actual: Any) -> Any:
    """The stated value where it is of the same kind as the actual one, else ``None``."""
    quoted, bare = match[1], match[2]
    if isinstance(actual, str):
        return quoted[1:-1] if quoted else None
    text = (quoted[1:-1] if quoted else bare).lower()
    if isinstance(actual, bool):
        return {"true": True, "false": False}.get(text)
    if isinstance(actual, int | float) and re.fullmatch(_NUMBER, text):
        return float(text) if "." in text else int(text)
    return None


def stated_bounds(node: Node, _context: Context) -> Iterator[Hit]:
    """Bounds that the description states are those of the schema."""
    text = _prose(node)
    if not text:
        return
    schema = effective(root_of(node), node.schema)
    for keyword, stated in _stated_bounds(text, types_of(schema) or frozenset()):
        actual = schema.get(keyword)
        if isinstance(actual, int | float) and not isinstance(actual, bool) and actual != stated:
            yield _told(
                node,
                keyword=keyword,
                stated=stated,
                actual=actual,
            )


def _stated_bounds(text: str, types: frozenset[str]) -> Iterator[tuple[str, float]]:
    if types & {"integer", "number"}:
        between = list(_BETWEEN.finditer(text))
        most, least = list(_AT_MOST.finditer(text)), list(_AT_LEAST.finditer(text))
        if len(between) == 1:
            low, high = (between[0][1], between[0][2]) if between[0][1] else (between[0][3], between[0][4])
            yield "minimum", float(low)
            yield "maximum", float(high)
        elif not between:
            if len(most) == 1:
                yield "maximum", float(most[0][1])
            if len(least) == 1:
                yield "minimum", float(least[0][1])
    lengths = list(_LENGTH.finditer(text))
    if len(lengths) == 1:
        characters = lengths[0][2].lower().startswith("char")
        if characters and "string" in types:
            yield "maxLength", float(lengths[0][1])
        elif not characters and "array" in types:
            yield "maxItems", float(lengths[0][1])


def stated_required(node: Node, _context: Context) -> Iterator[Hit]:
    """A description does not call an argument required that is optional, or the other way round."""
    text = _prose(node)
    if not text or node.side != "inputSchema" or _CONDITIONAL.search(text):
        return
    parent = parent_of(node)
    if any(key in parent for key in COMPOSITION) or any(token in COMPOSITION for token in node.tokens):
        return
    names = parent.get("required")
    required = isinstance(names, list) and node.argument in names
    said = _SAYS.search(text)
    if said is None:
        return
    stated, actual = (said[1] or said[2]).lower(), "required" if required else "optional"
    if stated != actual:
        yield _told(node, stated=stated, actual=actual)
