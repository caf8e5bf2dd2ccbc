"""Examples in a description that are written as values or calls: JSON, and calls in Python.

A snippet is the text from an opening bracket to the matching one. Only a snippet that its author meant as JSON is
called broken: with strings in double quotes, and no sign that something was omitted.
"""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.lazy import lazy_pattern
from mcp_governor.parsing import read_python_expression
from mcp_governor.subjects.schemas import effective, types_of

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
_COMMENT = lazy_pattern(r"[,\[{\]}\"\d]\s{1,40}(?:#|//)\s?\w")
_TRAILING = lazy_pattern(r",\s*[}\]]")
_NESTED = lazy_pattern(r"\"\s?(?:\{\s?\"|\[\s?(?:\"|\{\s?\"))")
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
    """A call that is written out in a description.

    Attributes:
        name: of the function.
        text: as written.
        named: the values given by name; ``...`` stands for anything that is not a literal.
        whole: nothing was omitted, and nothing is given by its position.
        shown: it is an example to copy, rather than a pointer to a tool in a sentence.
    """

    name: str
    text: str
    named: dict[str, Any]
    whole: bool
    shown: bool = False


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
    literal = _literal(snippet)
    if _LEFT_OUT.search(snippet) or not meant:
        return literal, ""
    if _NESTED.search(snippet) and literal is None:
        return None, "quotes within a string are not escaped"
    if _COMMENT.search(snippet):
        return literal, "it holds comments"
    if _TRAILING.search(snippet):
        return literal, "there is a comma before the closing bracket"
    if literal is None and snippet.count('"') % 2:
        return None, "a quotation mark is missing"
    return literal, ""


def _literal(source: str) -> Any:
    """The value of a literal in Python, or of JSON in Python; ``None`` for anything else."""
    try:
        return _value(read_python_expression(source.strip()))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


_WORDS = {"true": True, "false": False, "null": None}


def _value(node: ast.expr) -> Any:
    """The value of a literal; raises ``ValueError`` if it is not a literal."""
    if isinstance(node, ast.Name) and node.id in _WORDS:
        return _WORDS[node.id]
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        if not all(isinstance(key, ast.Constant) and isinstance(key.value, str) for key in node.keys):
            raise ValueError
        pairs = zip(node.keys, node.values, strict=True)
        return {key.value: _value(value) for key, value in pairs if isinstance(key, ast.Constant)}
    if isinstance(node, ast.Set):
        # A template, "{{name}}". Of objects, literal_eval would make a set, which raises TypeError.
        raise ValueError
    value = ast.literal_eval(node)
    if value is not None and not isinstance(value, str | int | float | bool):
        raise ValueError
    return value


def calls(text: str, names: frozenset[str]) -> Iterator[Call]:
    """The calls of functions with these names that are written out in Python.

    Args:
        text: any string written for a model.
        names: of the functions.
    """
    for count, match in enumerate(_CALL.finditer(text)):
        if count >= _MAX_SNIPPETS:
            return
        if match["name"] not in names:
            continue
        end = text.find(")", match.end(), match.end() + _LONGEST_CALL)
        while end > 0:
            source = text[match.start() : end + 1]
            call = _call(source)
            if call is not None:
                yield replace(call, shown=_is_shown(text, match.start(), end + 1))
                break
            end = text.find(")", end + 1, match.end() + _LONGEST_CALL)


def _is_shown(text: str, at: int, end: int) -> bool:
    """True if a call is announced as an example, or is part of a block of code, or has a line of its own."""
    front = text[max(0, at - _FRONT) : at]
    line = front.rsplit("\n", 1)[-1]
    if _ANNOUNCED.search(line) is not None or text.count("```", 0, at) % 2:
        return True
    if _LINE_START.fullmatch(line) is None:
        return False
    return _LINE_END.match(text, end) is not None or _HEADING.search(front.rsplit("\n\n", 1)[-1]) is not None


_FRONT = 400
"""Maximum number of characters in front of a call that may announce it."""
_ANNOUNCED = lazy_pattern(r"\b(?:examples?|e\.g\.|usage|sample)(?![^\n]*[.!?]\s+[A-Z])[^\n]*$", re.IGNORECASE)
_LINE_START = lazy_pattern(r"\s*(?:(?:[-*•>$]|>>>|\d{1,2}[.)]|await|return|\w{1,40}\s?=)\s?){0,3}[`'\"]{0,3}\s*")
_LINE_END = lazy_pattern(r"[`'\";]{0,4}[^\S\n]*(?:(?:#|//|→|->|—|-)[^\n]*)?(?=\n|$)")
_HEADING = lazy_pattern(r"\b(?:examples?|usage|samples?)\b[^\n]{0,60}\n", re.IGNORECASE)


def _call(source: str) -> Call | None:
    try:
        node = read_python_expression(" ".join(source.split()))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    whole = bool(node.keywords) and not node.args and not any(keyword.arg is None for keyword in node.keywords)
    named = {keyword.arg: _or_dots(keyword.value) for keyword in node.keywords if keyword.arg is not None}
    return Call(node.func.id, source, named, whole)


def _or_dots(node: ast.expr) -> Any:
    try:
        return _value(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return ...


_MAX_DEPTH = 6
"""Maximum depth of an example."""
_MAX_ITEMS = 20
"""Maximum number of items checked per list."""
_OPEN = ("allOf", "if", "not", "patternProperties", "dependentSchemas")
_LIMITS = (("minimum", -1), ("maximum", 1))
_SIZES: dict[type, tuple[str, str]] = {str: ("minLength", "maxLength"), list: ("minItems", "maxItems")}


def misfit(root: Any, schema: Any, value: Any, where: str = "", depth: int = 0) -> str:
    """The reason why a schema rejects a value, as a phrase; empty if it accepts it, or if that is not clear.

    Args:
        root: the schema in which references are resolved.
        schema: for the value.
        value: a JSON value; ``...`` stands for any value.
        where: path to the value in the example: ``filter.value``.
        depth: of the path.
    """
    found = effective(root, schema)
    if value is ... or depth > _MAX_DEPTH or not found or any(key in found for key in _OPEN):
        return ""
    types = types_of(found, root)
    if types is not None and not _is_of(value, types):
        return f"{where or 'it'} is {_KINDS[type(value)]} and not {' or '.join(sorted(types))}"
    if isinstance(value, str) and value.endswith(("...", "…")):
        return ""  # The rest of it was left out.
    branches = found.get("anyOf", found.get("oneOf"))
    if isinstance(branches, list) and branches:
        reasons = [misfit(root, branch, value, where, depth + 1) for branch in branches]
        return reasons[0] if all(reasons) else ""
    allowed = found.get("enum")
    # Nothing is in an empty enum, which has a rule of its own.
    if isinstance(allowed, list) and allowed and value not in allowed and not _is_blank(value):
        return f"{where or 'it'} has a value that is not in the enum"
    return _parts(root, found, value, where, depth) or _limits(found, value, where)


_KINDS = {
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
    type(None): "null",
}
_TYPES = {str: "string", bool: "boolean", list: "array", dict: "object", type(None): "null", float: "number"}


def _is_of(value: Any, types: frozenset[str]) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return not types.isdisjoint({"integer", "number"})
    if isinstance(value, float) and value.is_integer():
        return not types.isdisjoint({"integer", "number"})
    return type(value) not in _TYPES or _TYPES[type(value)] in types


def _is_blank(value: Any) -> bool:
    """True if a string is a placeholder: "...", "your-id", "value"."""
    return isinstance(value, str) and (not value.strip(". ") or value.lower().startswith(("your", "my", "some", "<")))


def _parts(root: Any, schema: Mapping[str, Any], value: Any, where: str, depth: int) -> str:
    if isinstance(value, list):
        items = schema.get("items")
        reasons = (misfit(root, items, item, f"{where}[]", depth + 1) for item in value[:_MAX_ITEMS])
        return next(filter(None, reasons), "") if isinstance(items, dict) else ""
    declared = schema.get("properties")
    if not isinstance(value, dict) or not isinstance(declared, dict) or not declared:
        return ""
    front = f"{where}." if where else ""
    for name, part in value.items():
        if name in declared:
            reason = misfit(root, declared[name], part, f"{front}{name}", depth + 1)
            if reason:
                return reason
        elif schema.get("additionalProperties") is False or depth == 0:
            return f"{front}{name} is not declared"
    return ""


def missing(schema: Mapping[str, Any], value: Mapping[str, Any]) -> list[str]:
    """The required properties that an object lacks."""
    required = schema.get("required")
    names = required if isinstance(required, list) else []
    return [name for name in names if isinstance(name, str) and name not in value]


def _limits(schema: Mapping[str, Any], value: Any, where: str) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        for key, sign in _LIMITS:
            limit = schema.get(key)
            if isinstance(limit, int | float) and not isinstance(limit, bool) and (value - limit) * sign > 0:
                return f"{where or 'it'} is {value}, beyond the {key} of {limit}"
    least, most = (schema.get(key) for key in _SIZES.get(type(value), ("", "")))
    if isinstance(most, int) and len(value) > most:
        return f"{where or 'it'} is longer than {most}"
    if isinstance(least, int) and len(value) < least and len(value) > 0:
        return f"{where or 'it'} is shorter than {least}"
    return ""
