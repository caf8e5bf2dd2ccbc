"""Defects that a generator or a habit repeats all over a server: found in one walk, and told once each."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.findings import Edit, Effect
from mcp_governor.linting import prose
from mcp_governor.linting.context import SchemaPlace, hit
from mcp_governor.linting.corrections import (
    correction,
    in_tool,
    keyword_edits,
    nullable,
    numeric_default,
    retyped,
    without_type,
)
from mcp_governor.linting.keys import stated_keys
from mcp_governor.linting.phrases import counted
from mcp_governor.linting.quantities import counts_something, never_below_zero
from mcp_governor.linting.root_defects import root_defects
from mcp_governor.linting.said import told_of
from mcp_governor.linting.schemas import effective, followed, parent_of, root_of, types_of
from mcp_governor.linting.shapes import (
    key_told,
    lacks_keys,
    needs_items,
    packed,
    refuses_empty,
    tuple_length,
    unanchored,
)
from mcp_governor.linting.units import measures, states_unit
from mcp_governor.linting.words import name_words
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcp_governor.linting.context import Context, Facts, Hit
    from mcp_governor.surface.model import Surface, Tool

_MOST_NAMES = 12
"""Arguments that a message names; the rest is counted."""
_MOST_TOOLS = 3
"""Tools that a message names for one argument, where there is room."""
_MOST_SAFE = 2**53 - 1
"""What JavaScript generators write as the bounds of any integer: no limit of the argument."""


class _Found(NamedTuple):
    """One place with a defect: the tool, the argument as a message names it, the pointer within the tool, what is to be
    said of this place beside its name, and the node of the argument where the defect is of its own schema."""

    tool: Tool
    name: str
    pointer: str
    what: str
    node: SchemaPlace | None = None


class _Defects:
    """The places of each defect, by the name of the defect."""

    def __init__(self) -> None:
        self.places: dict[str, list[_Found]] = {}

    def add(self, defect: str, node: SchemaPlace, what: str = "") -> None:
        found = _Found(node.tool, node.argument or "", node.pointer, what, node)
        self.places.setdefault(defect, []).append(found)

    def put(self, defect: str, tool: Tool, name: str, pointer: str, what: str = "") -> None:
        self.places.setdefault(defect, []).append(_Found(tool, name, pointer, what))


def _defects(facts: Facts) -> _Defects:
    return facts.memo("defects", lambda: _collected(facts))


def _collected(facts: Facts) -> _Defects:
    out = _Defects()
    least = _least(facts.surface)
    for tool in facts.surface.tools:
        for node in facts.nodes(tool):
            if node.side == "inputSchema" and isinstance(node.schema, dict):
                _judge(node, out, facts, least)
        for defect, name, pointer in root_defects(tool):
            out.put(defect, tool, name, pointer)
    _judge_types(facts.surface, out)
    return out


def _judge_types(surface: Surface, out: _Defects) -> None:
    """Arguments that are a text in one tool and a list in another, under the same name and description."""
    uses: dict[str, list[tuple[Tool, str, str]]] = {}
    for tool in surface.tools:
        schema = tool.raw.get("inputSchema")
        properties = schema.get("properties") if isinstance(schema, dict) else None
        for name, value in properties.items() if isinstance(properties, dict) else ():
            if isinstance(value, dict) and isinstance(text := value.get("description"), str):
                types = (types_of(value, schema) or frozenset()) - {"null"}
                if types in ({"string"}, {"array"}, {"string", "array"}):
                    kind = " or ".join(sorted(types, reverse=True))
                    uses.setdefault(f"{name}\n{text.strip('. ').lower()[:_MOST_TEXT]}", []).append((tool, name, kind))
    for places in uses.values():
        kinds = [kind for _tool, _name, kind in places]
        if len(set(kinds)) > 1:
            usual = max(set(kinds), key=lambda kind: (kinds.count(kind), kind))
            for tool, name, kind in places:
                if kind != usual:
                    out.put(
                        "two-types", tool, name, join_pointer("/inputSchema/properties", name), f"{kind}, not {usual}"
                    )


def _least(surface: Surface) -> frozenset[str]:
    """The arguments of tools that have a minimum somewhere."""
    schemas = (tool.raw.get("inputSchema") for tool in surface.tools)
    all_properties = (schema.get("properties") for schema in schemas if isinstance(schema, dict))
    return frozenset(
        name
        for properties in all_properties
        if isinstance(properties, dict)
        for name, value in properties.items()
        if isinstance(value, dict) and isinstance(value.get("minimum"), int) and value["minimum"] >= 0
    )


def _judge(node: SchemaPlace, out: _Defects, facts: Facts, least: frozenset[str]) -> None:
    schema = node.schema
    if schema.get("maximum") == _MOST_SAFE or schema.get("minimum") == -_MOST_SAFE:
        out.add("generator-bounds", node)
    if node.argument is None:
        return
    real = effective(root_of(node), schema)
    types = (types_of(real) or frozenset()) - {"null"}
    text = real.get("description")
    text = text[:_MOST_TEXT] if isinstance(text, str) else ""
    if types == {"boolean", "string"} and "enum" not in real and not _EITHER.search(text):
        out.add("boolean-or-text", node)
    if "default" in schema and schema["default"] is None and _refuses_null(node):
        out.add("null-default", node)
    if _odd_value(real):
        out.add("mixed-enum-types", node)
    if node.tokens[:-1] == ("properties",) and node.argument not in _MARKS and (value := _one_value(real)):
        out.add("one-value", node, value)
    if "array" in types and _means_one(node.argument, text, real):
        out.add("list-of-one", node)
    if "array" in types and real.get("items") in ({}, True) and "prefixItems" not in real:
        out.add("open-items", node)
    if types & {"integer", "number", "string"}:
        _judge_unit(node, real, types, text, out)
    if types and types <= {"integer", "number"} and not real.keys() & {"enum", "const", "multipleOf"}:
        _judge_number(node, real, types, text, out, least)
    if types & {"array", "object", "string"}:
        _judge_shape(node, real, types, text, out, facts)


def _judge_shape(
    node: SchemaPlace, schema: Mapping[str, Any], types: frozenset[str], text: str, out: _Defects, facts: Facts
) -> None:
    """Lists that may be empty, objects without keys, structure in text, and patterns that any text passes."""
    name, tool = node.argument or "", node.tool
    top = node.tokens == ("properties", name)
    if top and not text:
        # Servers in Python describe their arguments in the description of the tool.
        text = told_of(tool, parent_of(node).get("properties", {}), facts).entries.get(name, "")[:_MOST_TEXT]
    words = prose.without_name(text, name).replace("\n", " ")
    if types == {"string"}:
        if pattern := unanchored(schema):
            out.add("unanchored-pattern", node, pattern)
        if what := packed(words, schema):
            out.add("stringly-typed", node, what)
        return
    if types == {"array"} and (length := tuple_length(words, schema)):
        out.add("fixed-length", node, f'"minItems": {length}, "maxItems": {length}')
    if types == {"array"} and not schema.keys() & {"minItems", "enum", "const", "contains"}:
        required = parent_of(node).get("required")
        needed = isinstance(required, list) and name in required and "default" not in schema
        if (needed and needs_items(name, words)) or (top and refuses_empty(name, tool.description[:_MOST_TOOL_TEXT])):
            out.add("empty-list", node)
    # A list of keys in words is for clarity/object-keys, which names them all.
    if not lacks_keys(schema) or stated_keys(words):
        return
    if key := key_told(name, words, tool.description if top else ""):
        out.add("open-object", node, key)


_MOST_TEXT = 400
"""Characters of a description that are read: what an argument is stands in front."""
_EITHER = re.compile(r"\bor\b|\bstring\b|\(true\)", re.IGNORECASE)


_MOST_VALUES = 1_000
"""Values of an enum that are compared; a longer one is generated, and has one type."""


def _odd_value(schema: Mapping[str, Any]) -> bool:
    """Whether one value of an enum is of another type than all the others, or of one that ``type`` refuses."""
    values = schema.get("enum")
    if not isinstance(values, list) or not 1 < len(values) <= _MOST_VALUES:
        return False
    kinds = [_kind(value) for value in values if value is not None]
    counts = sorted(kinds.count(kind) for kind in set(kinds))
    if len(counts) == 2 and counts[0] == 1 and counts[1] > 1 and "boolean" not in kinds:
        return True
    kind = schema.get("type")
    return isinstance(kind, str) and any(one != kind and not (kind == "number" and one == "integer") for one in kinds)


_MARKS = frozenset({"type", "kind", "version", "schema", "jsonrpc", "object"})
"""Arguments that say what the others are; one value is what a branch of a union has."""


def _one_value(schema: Mapping[str, Any]) -> str | None:
    """The value of an enum that has only one, in however many spellings; ``None`` for others."""
    values = schema.get("enum")
    if not isinstance(values, list) or not 0 < len(values) <= _MOST_VALUES or None in values:
        return None
    if not all(isinstance(value, str) and value for value in values):
        return None
    folded = {value.casefold() for value in values}
    if len(folded) == 1:
        return str(values[0])
    # "y" and "yes", "n" and "no": the same word, and its first letter.
    first = {value[0] for value in folded}
    longest = max(folded, key=len)
    return (
        longest if len(first) == 1 and all(longest.startswith(value) for value in folded) and len(longest) < 6 else None
    )


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    names = {str: "string", float: "number", list: "array", dict: "object"}
    return names.get(type(value), "null")


def _refuses_null(node: SchemaPlace) -> bool:
    # What stands in the branch beside null does not bind null.
    schema = followed(root_of(node), node.schema)
    types = types_of(node.schema, root_of(node))
    values = schema.get("enum")
    if isinstance(values, list) and None not in values:
        return True
    return types is not None and "null" not in types and not schema.keys() & {"allOf", "not", "const"}


_PLURAL = re.compile(
    r"\b(?:arrays?|lists?|tuples?|sequences?|sets?|multiple|several|one\sor\smore|each|every|all|stages|clauses|entries|items|many|any)\b",
    re.IGNORECASE,
)
_ONE = re.compile(r"(?:the|an?)\s", re.IGNORECASE)
_MANY_NAMES = frozenset(
    {"list", "data", "sequence", "pipeline", "group", "batch", "history", "collection", "by", "array"}
)


def _means_one(name: str, text: str, schema: Mapping[str, Any]) -> bool:
    """Whether a list of objects stands for the one thing that its name and its description speak of."""
    parts = name_words(name)
    items = schema.get("items")
    if not parts or parts[-1].endswith("s") or parts[-1] in _MANY_NAMES or not isinstance(items, dict):
        return False
    objects = items.get("type") == "object" or any(key in items for key in ("oneOf", "anyOf", "properties"))
    if not objects or schema.get("maxItems") == 1 or not _ONE.match(text) or _PLURAL.search(text):
        return False
    said = text.lower().split(".")[0]
    return parts[-1] in said and f"{parts[-1]}s" not in said


# -- numbers


def _judge_number(
    node: SchemaPlace,
    schema: Mapping[str, Any],
    types: frozenset[str],
    text: str,
    out: _Defects,
    least: frozenset[str],
) -> None:
    edges = {"left", "bottom", "width"} & parent_of(node).get("properties", {}).keys() if node.argument == "top" else ()
    if counts_something(node.argument or "", text) and not edges:
        default = schema.get("default")
        whole = not isinstance(default, float) or default.is_integer()
        if "number" in types and whole:
            out.add("count-number", node)
            return
        positive = "number" not in types and "-1" not in text
    else:
        name = node.argument or ""
        positive = (name in least and len(node.tokens) == 2 and "-1" not in text) or never_below_zero(name, text)
    if positive and not schema.keys() & {"minimum", "exclusiveMinimum"}:
        out.add("count-minimum", node)


def _judge_unit(node: SchemaPlace, schema: Mapping[str, Any], types: frozenset[str], text: str, out: _Defects) -> None:
    name = node.argument or ""
    within = str(node.tokens[-3]) if len(node.tokens) > 2 else ""
    dimension = measures(name, within)
    if dimension is None or schema.keys() & {"enum", "const", "format", "pattern"}:
        return
    if "string" in types and (text or within.lower() not in ("margin", "margins", "padding")):
        return
    if not states_unit(dimension, f"{text} {schema.get('title') or ''} {node.tool.description[:_MOST_TOOL_TEXT]}"):
        out.add("missing-unit", node)


_MOST_TOOL_TEXT = 4_000
"""Characters of a tool's description in which a unit is looked for."""


# -- what is said about them


_Edits = Callable[[_Found], "Iterable[Edit] | None"]


def _once(
    defect: str, context: Context, *, edits: _Edits | None = None, effect: Effect = Effect.NARROWER
) -> Iterator[Hit]:
    """The one hit for a defect, with the edits of each place where there are any."""
    found = _defects(context.facts).places.get(defect, [])
    if not found:
        return
    names: dict[str, list[_Found]] = {}
    for place in found:
        names.setdefault(place.name, []).append(place)
    # All names first, then further tools of each.
    spare = max(0, _MOST_NAMES - len(names))
    listed = []
    for places in list(names.values())[:_MOST_NAMES]:
        further = min(len(places) - 1, spare, _MOST_TOOLS - 1)
        spare -= further
        listed.append(_place(places, further + 1))
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    tools = len({place.tool.index for place in found})
    all_edits = [edit for place in found for edit in in_tool(edits(place), place.tool.name)] if edits else []
    yield hit(
        join_pointer("/tools", found[0].tool.index) + found[0].pointer if len(found) == 1 else "/tools",
        sorted(names),
        correction=correction(all_edits, effect),
        arguments=counted(len(found), "argument"),
        tools=counted(tools, "tool"),
        names=", ".join(listed) + more,
    )


def _place(places: list[_Found], shown: int) -> str:
    """A name with some of the tools that it is an argument of."""
    what = f": {one_line(places[0].what, 48)}" if places[0].what else ""
    tools = ", ".join(dict.fromkeys(one_line(place.tool.name, 64) for place in places[:shown]))
    return f"{one_line(places[0].name, 64)} ({tools}{what})"


def _without_bounds(place: _Found) -> Iterator[Edit]:
    for key, value in (("minimum", -_MOST_SAFE), ("maximum", _MOST_SAFE)):
        if place.node is not None and place.node.schema.get(key) == value:
            yield Edit(f"{place.pointer}/{key}", op="remove")


def _boolean(place: _Found) -> list[Edit] | None:
    return without_type(place.node, "string") if place.node is not None else None


_ITEM_TYPES = {"string": "string", "str": "string", "integer": "integer", "int": "integer", "number": "number"}
_ITEMS_OF = re.compile(r"\b(?:list|array)\sof\s(strings?|str|integers?|ints?|numbers?)\b", re.IGNORECASE)


def _items(place: _Found) -> list[Edit] | None:
    """What goes into a list, where the description or the default says it."""
    if place.node is None:
        return None
    schema = place.node.schema
    told = _ITEMS_OF.search(str(schema.get("description", ""))[:_MOST_TEXT])
    kind = _ITEM_TYPES.get(told[1].lower().removesuffix("s")) if told else None
    default = schema.get("default")
    if isinstance(default, list) and default:
        kinds = {_kind(value) for value in default[:_MOST_VALUES]}
        kind = "string" if kinds == {"string"} and kind in (None, "string") else None
    if kind is None or "items" not in schema:
        return None
    return [Edit(f"{place.pointer}/items", {"type": kind})]


def _integer(place: _Found) -> list[Edit] | None:
    """An integer, and not below nothing, unless the default means something else by a negative number."""
    if place.node is None:
        return None
    edits = retyped(place.node, "number", "integer")
    if edits is None or effective(root_of(place.node), place.node.schema).keys() & {"minimum", "exclusiveMinimum"}:
        return edits
    least = _minimum(place)
    return edits + least if least is not None else None


def _minimum(place: _Found) -> list[Edit] | None:
    """No count is negative; that none is 0 either is for a person to say."""
    default = numeric_default(place.node) if place.node is not None else None
    if place.node is None or (default is not None and default < 0):
        return None
    return keyword_edits(place.node, {"minimum": 0})


def _nullable(place: _Found) -> list[Edit] | None:
    edit = nullable(place.node) if place.node is not None else None
    return [edit] if edit is not None else None


def _one_item(place: _Found) -> list[Edit] | None:
    return keyword_edits(place.node, {"minItems": 1, "maxItems": 1}) if place.node is not None else None


def _filled(place: _Found) -> list[Edit] | None:
    return keyword_edits(place.node, {"minItems": 1}) if place.node is not None else None


def _removed(place: _Found) -> list[Edit]:
    drop = Edit("/inputSchema/required", place.name, "drop")
    needed = place.tool.input_schema.get("required")
    return [Edit(place.pointer, op="remove"), *([drop] if isinstance(needed, list) and place.name in needed else [])]


def _required(place: _Found) -> list[Edit]:
    return [Edit("/inputSchema/required", place.name, "add")]


def generator_bounds(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No integer has the largest integers of a generator as its bounds."""
    yield from _once("generator-bounds", context, edits=_without_bounds, effect=Effect.WIDER)


def boolean_or_text(_surface: Surface, context: Context) -> Iterator[Hit]:
    """An argument that is yes or no is no text as well."""
    yield from _once("boolean-or-text", context, edits=_boolean)


def open_items(_surface: Surface, context: Context) -> Iterator[Hit]:
    """The items of a list have a schema."""
    yield from _once("open-items", context, edits=_items)


def count_number(_surface: Surface, context: Context) -> Iterator[Hit]:
    """What counts something is an integer."""
    yield from _once("count-number", context, edits=_integer)


def count_minimum(_surface: Surface, context: Context) -> Iterator[Hit]:
    """What counts something has a minimum."""
    yield from _once("count-minimum", context, edits=_minimum)


def null_default(_surface: Surface, context: Context) -> Iterator[Hit]:
    """``"default": null`` stands only where null is accepted."""
    yield from _once("null-default", context, edits=_nullable, effect=Effect.WIDER)


def list_of_one(_surface: Surface, context: Context) -> Iterator[Hit]:
    """A list is no wrapper around the one thing that is meant."""
    yield from _once("list-of-one", context, edits=_one_item)


def leaked_parameter(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No argument is one that the server fills in itself."""
    yield from _once("leaked-parameter", context, edits=_removed, effect=Effect.WIDER)


def http_header(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No header of the server's own requests is an argument."""
    yield from _once("http-header", context, edits=_removed, effect=Effect.WIDER)


def optional_filter(_surface: Surface, context: Context) -> Iterator[Hit]:
    """What changes everything that matches says what."""
    yield from _once("optional-filter", context, edits=_required)


def wrapper(_surface: Surface, context: Context) -> Iterator[Hit]:
    """Arguments are not wrapped in a single object."""
    yield from _once("wrapper", context)


def unit(_surface: Surface, context: Context) -> Iterator[Hit]:
    """A quantity has a unit."""
    yield from _once("missing-unit", context)


def odd_enum(_surface: Surface, context: Context) -> Iterator[Hit]:
    """The values of an enum have one type."""
    yield from _once("mixed-enum-types", context)


def empty_list(_surface: Surface, context: Context) -> Iterator[Hit]:
    """A list that the tool acts on has at least one item."""
    yield from _once("empty-list", context, edits=_filled)


def open_object(_surface: Surface, context: Context) -> Iterator[Hit]:
    """An object whose keys the words give declares them."""
    yield from _once("open-object", context)


def packed_text(_surface: Surface, context: Context) -> Iterator[Hit]:
    """Objects, lists and booleans have their own type, and are no text."""
    yield from _once("stringly-typed", context)


def unanchored_pattern(_surface: Surface, context: Context) -> Iterator[Hit]:
    """A pattern of a whole value has ``^`` and ``$``."""
    yield from _once("unanchored-pattern", context)


def nothing_required(_surface: Surface, context: Context) -> Iterator[Hit]:
    """A tool that acts on what it is given requires something."""
    yield from _once("nothing-required", context)


def fixed_length(_surface: Surface, context: Context) -> Iterator[Hit]:
    """A list of a fixed length has bounds."""
    yield from _once("fixed-length", context)


def one_value(_surface: Surface, context: Context) -> Iterator[Hit]:
    """An enum leaves something to choose."""
    yield from _once("one-value", context)


def two_types(_surface: Surface, context: Context) -> Iterator[Hit]:
    """An argument of one name and one description has one type in all tools."""
    yield from _once("two-types", context)
