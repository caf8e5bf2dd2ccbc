"""Examples in a description that are written as values or calls: JSON, and calls in Python.

A snippet is the text from an opening bracket to the matching one. Only a snippet that its author meant as JSON is
called broken: with strings in double quotes, and no sign that something was omitted.
"""

from __future__ import annotations

import ast
import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.lazy import lazy_pattern
from mcp_governor.parsing import read_python_expression
from mcp_governor.subjects.schemas import effective, types_of
from mcp_governor.text import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MAX_SNIPPETS = 40
"""Maximum number of snippets read per description; one with more is a manual."""
_LONGEST = 4_000
"""Maximum length of a snippet in characters; a longer one is data."""
_OPENS = lazy_pattern(r"(?P<json>\{\s{0,80}\"|\[\s{0,80}(?:\"|\{\s{0,80}\"))|[{\[]")
_LEFT_OUT = lazy_pattern(
    r"\.\.\.|…|<[\w\s\-|/]{1,40}>|→|\$\{|\{\{|\}\}\s?[A-Za-z]|\b(?:str|int|bool|string|number)\b\s?[,}\]]"
)
_CODE = lazy_pattern(r"[\w)\]]\s?=\s{0,20}$|```(?:python|py|js|javascript|ts|typescript)\b[^`]{0,60}$", re.IGNORECASE)
_PROBLEMS = (
    (lazy_pattern(r"\"\s?(?:\{\s?\"|\[\s?(?:\"|\{\s?\"))"), "quotes within a string are not escaped"),
    (lazy_pattern(r"[,\[{\]}\"\d]\s{1,40}(?:#|//)\s?\w"), "it holds comments"),
    (lazy_pattern(r",\s*[}\]]"), "there is a comma before the closing bracket"),
)
_CALL = lazy_pattern(r"(?<![\w.\-])(?P<name>[A-Za-z_]\w{2,63})\(")
_LONGEST_CALL = 400
"""Maximum length of a call in an example: two to four lines. The end of a longer one is not searched for."""


class Snippet(Struct, frozen=True):
    """A value that is written out in a description.

    Attributes:
        at: its position.
        text: as written.
        value: the value; ``None`` if it is neither JSON nor a Python literal.
        broken: why it is not valid JSON, if it was meant to be; else empty.
    """

    at: int
    text: str
    value: Any
    broken: str


class Call(Struct, frozen=True):
    """A call that is written out in a description: its text, and the values given by name, where ``...`` stands for
    anything that is not a literal."""

    name: str
    text: str
    named: dict[str, Any]


def snippets(text: str) -> Iterator[Snippet]:
    """The outermost snippets of a description, in order."""
    at = 0
    for _ in range(_MAX_SNIPPETS):
        match = _OPENS.search(text, at)
        if match is None:
            return
        end = _closing(text, match.start())
        if end == 0:
            at = match.end()
            continue
        snippet = text[match.start() : end]
        meant = match["json"] is not None and not _CODE.search(text[max(0, match.start() - 80) : match.start()])
        value, broken = _read(snippet, meant=meant)
        if value is not None or broken:
            yield Snippet(match.start(), snippet, value, broken)
            at = end
        else:
            at = match.start() + 1


def _closing(text: str, at: int) -> int:
    """The end of the bracket that opens at a position, ignoring quoted text; 0 if it is too far away."""
    depth = 0
    for position in range(at, min(len(text), at + _LONGEST)):
        char = text[position]
        if char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
            if depth == 0:
                return position + 1
    return 0


def _read(snippet: str, *, meant: bool) -> tuple[Any, str]:
    try:
        return json.loads(snippet), ""
    except (ValueError, RecursionError):
        pass
    literal = _value_or(_expression(snippet), None)
    if _LEFT_OUT.search(snippet) or not meant:
        return literal, ""
    problem = next((problem for sign, problem in _PROBLEMS if sign.search(snippet)), "")
    if not problem and literal is None and snippet.count('"') % 2:
        problem = "a quotation mark is missing"
    return literal, problem


def _expression(source: str) -> ast.expr | None:
    try:
        return read_python_expression(source)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


def _value_or(node: ast.expr | None, otherwise: Any) -> Any:
    """The value of a literal in Python, or of JSON in Python; something else for anything else."""
    try:
        return _value(node)
    except (ValueError, RecursionError):
        return otherwise


_WORDS = {"true": True, "false": False, "null": None}


def _value(node: ast.expr | None) -> Any:
    match node:
        case ast.Constant(value=str() | int() | float() | None):
            return node.value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.Name(id=name) if name in _WORDS:
            return _WORDS[name]
        case ast.List() | ast.Tuple():
            return [_value(item) for item in node.elts]
        case ast.Dict():
            names = [key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
            if len(names) == len(node.keys):
                return dict(zip(names, map(_value, node.values), strict=True))
    raise ValueError


def calls(text: str, names: frozenset[str]) -> Iterator[Call]:
    """The calls of functions with these names that are written out in Python.

    Args:
        text: any string written for a model.
        names: of the functions.
    """
    for match in islice(_CALL.finditer(text), _MAX_SNIPPETS):
        if match["name"] not in names:
            continue
        end = match.end()
        while end := text.find(")", end, match.end() + _LONGEST_CALL) + 1:
            source = text[match.start() : end]
            node = _expression(" ".join(source.split()))
            if isinstance(node, ast.Call):
                named = {one.arg: _value_or(one.value, ...) for one in node.keywords if one.arg is not None}
                yield Call(match["name"], source, named)
                break


_MAX_DEPTH = 6
"""Maximum depth of an example."""
_MAX_ITEMS = 20
"""Maximum number of items checked per list."""
_OPEN = ("allOf", "if", "patternProperties", "dependentSchemas")
"""Keywords that may declare more properties."""
_TYPES: dict[type, frozenset[str]] = {
    str: frozenset({"string"}),
    bool: frozenset({"boolean"}),
    int: frozenset({"integer", "number"}),
    float: frozenset({"integer", "number"}),
    list: frozenset({"array"}),
    dict: frozenset({"object"}),
    type(None): frozenset({"null"}),
}


def misfit(root: Any, schema: Any, value: Any, where: str = "", depth: int = 0) -> str:
    """The reason why a schema rejects a value, as a phrase: a type, or a name that is not declared; empty if it has
    neither, or if that is not clear.

    Args:
        root: the schema in which references are resolved.
        schema: for the value.
        value: a JSON value; ``...`` stands for any value.
        where: path to the value in the example: ``filter.value``.
        depth: of the path.
    """
    if value is ... or depth > _MAX_DEPTH:
        return ""
    types = types_of(schema, root)
    if types is not None and types.isdisjoint(_TYPES[type(value)]):
        expected = types - {"null"} or types
        return f"{where or 'it'} is {kind_of(value)} and not {' or '.join(sorted(expected))}"
    found = effective(root, schema)
    if isinstance(value, list):
        reasons = (misfit(root, found.get("items"), item, f"{where}[]", depth + 1) for item in value[:_MAX_ITEMS])
        return next(filter(None, reasons), "")
    declared = found.get("properties")
    if not isinstance(value, dict) or not isinstance(declared, dict) or not declared or any(map(found.get, _OPEN)):
        return ""
    closed, front = found.get("additionalProperties") is False or depth == 0, f"{where}." if where else ""
    for name, part in value.items():
        if name not in declared and closed:
            return f"{front}{name} is not declared"
        if reason := misfit(root, declared.get(name), part, f"{front}{name}", depth + 1):
            return reason
    return ""


def missing(schema: Mapping[str, Any], value: Mapping[str, Any]) -> list[str]:
    """The required properties that an object lacks."""
    required = schema.get("required")
    names = required if isinstance(required, list) else []
    return [name for name in names if isinstance(name, str) and name not in value]
