"""Parameters that most tools of a server limit, and one of them forgot."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.form_makers import UUID
from mcp_governor.prose.formats import stated_form
from mcp_governor.prose.limits import Argument, stated_limits
from mcp_governor.prose.passages import passages_about
from mcp_governor.prose.quantities import counts_something
from mcp_governor.prose.shown_values import shown_values
from mcp_governor.prose.words import name_words
from mcp_governor.schemas.dialects import LATEST
from mcp_governor.schemas.patterns import errors, published_validator
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.phrases import counted, in_short
from mcp_governor.subjects.schemas import closes, effective, is_generated, root_of, types_of
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcp_governor.subjects.context import Context, Hit, SchemaPlace
    from mcp_governor.surface.model import Surface


class _Lacks(NamedTuple):
    """A parameter without the keyword that it has in other tools."""

    node: SchemaPlace
    keyword: str
    value: Any
    sibling: str


_FEWEST = 2
"""Number of tools that have to agree; what one tool says may be about that tool."""
_MAX_NAMES = 8
"""Maximum number of parameters named in a message; the rest are counted."""
_MAX_TOOLS = 3
"""Maximum number of tools named per parameter."""


def sibling_bound(surface: Surface, context: Context) -> Iterator[Hit]:
    """A parameter has the maximum, the format or the pattern that it has in other tools."""
    places: dict[str, list[SchemaPlace]] = {}
    for tool in surface.tools:
        for node in context.facts.nodes(tool):
            # Definitions that no parameter refers to say nothing about parameters.
            if node.side == "inputSchema" and node.argument is not None and node.tokens[0] == "properties":
                places.setdefault(node.argument, []).append(node)
    found = [one for name, nodes in places.items() if len(nodes) > _FEWEST for one in _lacking(name, nodes, context)]
    if not found:
        return
    by_name: dict[str, list[_Lacks]] = {}
    for one in found:
        by_name.setdefault(one.node.argument or "", []).append(one)
    more = f" and {len(by_name) - _MAX_NAMES} more" if len(by_name) > _MAX_NAMES else ""
    first = found[0]
    fragment = json.dumps({first.keyword: first.value}, ensure_ascii=False)[1:-1]
    yield hit(
        join_pointer("/tools", first.node.tool.index) + first.node.pointer if len(found) == 1 else "/tools",
        sorted(by_name),
        spots=((one.node.tool.name, one.node.pointer) for one in found),
        arguments=counted(len(found), "parameter"),
        tools=counted(len({one.node.tool.index for one in found}), "tool"),
        names=", ".join(map(_named, list(by_name.values())[:_MAX_NAMES])) + more,
        fragment=fragment,
        argument=first.node.argument or "",
        parameters=in_short(first.node.argument or "", first.node.tool.name, len(found)),
    )


def _named(ones: list[_Lacks]) -> str:
    """A name, the tools that lack the keyword, and one that has it: "count (list_a, list_b: maximum 100, as in c)"."""
    first = ones[0]
    tools = ", ".join(one_line(one.node.tool.name, 64) for one in ones[:_MAX_TOOLS])
    said = one_line(str(first.value), 48)
    name = one_line(first.node.argument or "", 64)
    return f"{name} ({tools}: {first.keyword} {said}, as in {one_line(first.sibling, 64)})"


def _lacking(name: str, nodes: list[SchemaPlace], context: Context) -> Iterator[_Lacks]:
    """The parameters of one name that lack what all others of that name agree on."""
    numbers: list[tuple[SchemaPlace, dict[str, Any]]] = []
    strings: list[tuple[SchemaPlace, dict[str, Any]]] = []
    for node in nodes:
        types = _of(node)
        if types <= {"integer", "number"}:
            numbers.append((node, effective(root_of(node), node.schema)))
        elif types == {"string"}:
            strings.append((node, effective(root_of(node), node.schema)))
    if len(numbers) > _FEWEST:
        counts = [one for one in numbers if _counts(name, one[1])]
        yield from (one for one in _apart(counts, "maximum", _is_free_number) if not _limits_itself(one, context))
    if name.lower() in _ANY_TEXT:
        return
    for keyword in ("format", "pattern") if len(strings) > _FEWEST else ():
        found = list(_apart(strings, keyword, _is_free_text))
        # All of them lack the same value.
        if found and (refused := _refusal(keyword, found[0].value)) is not None:
            yield from (one for one in found if not _says_itself(one, refused, context))


def _of(node: SchemaPlace) -> frozenset[str]:
    return (types_of(node.schema, root_of(node)) or frozenset({"unknown"})) - {"null"}


def _counts(name: str, schema: dict[str, Any]) -> bool:
    text = schema.get("description")
    # How much text one answer has is for each tool to say.
    if not _AMOUNTS.isdisjoint(name_words(name)):
        return False
    return counts_something(name, text if isinstance(text, str) else "")


def _apart(ones: list[tuple[SchemaPlace, dict[str, Any]]], keyword: str, is_free: Any) -> Iterator[_Lacks]:
    having = [(node, schema[keyword]) for node, schema in ones if keyword in schema]
    values = [value for _, value in having]
    if len({node.tool.index for node, _ in having}) < _FEWEST or any(value != values[0] for value in values):
        return
    value = values[0]
    # A keyword of the wrong type limits nothing; other rules report it.
    if not isinstance(value, (int, float) if keyword == "maximum" else str) or isinstance(value, bool):
        return
    if is_generated(value) or (keyword == "format" and value not in _FORMATS):
        return
    # "Both YYYY-MM-DD and a time are taken": the format of the others is not what they take.
    if keyword == "format" and any(
        _EITHER.search(str(node.schema.get("description"))[:_MAX_TEXT]) for node, _ in having
    ):
        return
    tools = {node.tool.index for node, _ in having}
    for node, schema in ones:
        if node.tool.index not in tools and is_free(schema, value) and not closes(root_of(node), node.schema):
            yield _Lacks(node, keyword, value, having[0][0].tool.name)


def _is_free_number(schema: dict[str, Any], most: Any) -> bool:
    """True if nothing limits a count, in the schema or in its description, and its default is within the limit."""
    bound, default, text = schema.get("maximum"), schema.get("default"), schema.get("description")
    if (bound is not None and not is_generated(bound)) or "exclusiveMaximum" in schema:
        return False
    if isinstance(default, int | float) and not (0 <= default <= most):
        return False
    listed = [value for key in ("examples", "enum") for value in _list(schema.get(key))]
    least = [schema.get(key) for key in ("minimum", "exclusiveMinimum", "multipleOf", "example", "const")]
    if any(isinstance(value, int | float) and value > most for value in (*least, *listed)):
        return False
    return not isinstance(text, str) or _LIMITED.search(text[:_MAX_TEXT]) is None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_free_text(schema: dict[str, Any], _form: Any) -> bool:
    # A length of its own may leave no value that has the form.
    least = schema.get("minLength")
    if "maxLength" in schema or (isinstance(least, int) and least > 1):
        return False
    return not schema.keys() & {"format", "pattern", "enum", "const", "contentEncoding", "contentMediaType"} and (
        not isinstance(schema.get("default"), str) and not isinstance(schema.get("examples"), list)
    )


def _limits_itself(one: _Lacks, context: Context) -> bool:
    """True if the description of a count states a limit or has a number beyond that of its siblings."""
    for said in passages_about(one.node, context, mentions=True):
        text = said.text[:_MAX_TEXT]
        if any(int(number.replace(",", "")) > one.value for number in _NUMBER.findall(text)):
            return True
        if _OWN_LIMIT.search(text) or stated_limits(Argument(one.node.argument or "", "integer", text, True)):
            return True
    return False


def _says_itself(one: _Lacks, refused: Callable[[str], bool], context: Context) -> bool:
    """True if the description of a string gives a form, an alternative, or an example that its siblings refuse."""
    for said in passages_about(one.node, context):
        if _OR.search(said.text) or context.facts.read(stated_form, said.text, one.node.argument or "") is not None:
            return True
        if any(map(refused, shown_values(said.text))):
            return True
    return False


def _refusal(keyword: str, value: Any) -> Callable[[str], bool] | None:
    """A function that says if a keyword refuses a string; ``None`` if no engine reads it."""
    if keyword == "format":
        form = re.compile(_FORMATS[value])
        return lambda text: form.search(text) is None
    # The pattern is the server's: in ECMAScript, or made to take forever.
    try:
        validator = published_validator({"pattern": value}, LATEST)
    except (ValueError, TypeError):
        return None
    return lambda text: bool(errors(validator, text))


_EITHER = lazy_pattern(r"\b(?:both|either)\b|\bYYYY-MM-DD\b(?!.?hh)", re.IGNORECASE)
"""Words for two ways to write a value, of which a format has one."""
_NUMBER = lazy_pattern(r"(?<![\w.])\d{1,3}(?:,\d{3}){1,3}|(?<![\w.])\d{1,12}")
_OWN_LIMIT = lazy_pattern(
    r"\b(?:at (?:most|least)|limit(?:ed)? (?:is|of|to)|no more than|(?:less|fewer) than)\b|[<≤>≥]", re.IGNORECASE
)
_OR = lazy_pattern(r"\b(?:or|now|today|yesterday|relative|latest)\b", re.IGNORECASE)
"""Words for another way to write a value."""
_AMOUNTS = frozenset({"bytes", "characters", "chars", "length", "tokens", "words"})
_MAX_TEXT = 400
"""Maximum number of characters read from a description: what a parameter is comes first."""
_LIMITED = lazy_pattern(
    r"\b(?:all|any\snumber|between|everything|max\.?|no\slimit|no\smaximum|unlimited|up\sto)\b|\d\s?(?:-|–|to)\s?\d",
    re.IGNORECASE,
)
"""Words on a limit of its own, which other rules compare with the schema, or on none."""
_FORMATS = {
    "date": r"^\d{4}-\d\d-\d\d$",
    "date-time": r"^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:",
    "email": r"^[^@\s]+@[^@\s]+$",
    "ipv4": r"^\d{1,3}(?:\.\d{1,3}){3}$",
    "ipv6": r"^[\dA-Fa-f.]{0,30}:",
    "time": r"^\d\d:\d\d:\d\d",
    "uri": r"^[A-Za-z][A-Za-z\d+.-]{0,30}:",
    "uuid": UUID,
}
"""Formats that say how the string is written, and what each value has at least; generators add others ("binary",
"json", "password")."""
_ANY_TEXT = frozenset(
    {"body", "content", "data", "description", "id", "input", "key", "label", "message", "name", "output", "prompt"}
    | {"query", "text", "title", "type", "value"}
)
"""Names of strings that are something else in every tool."""
