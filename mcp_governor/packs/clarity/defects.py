"""Defects that a generator or a habit repeats across a server, collected in one walk over its parameters.

:mod:`mcp_governor.packs.clarity.repeated_defects` reports them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.packs.clarity.measured import lacks_unit
from mcp_governor.packs.clarity.root_defects import is_left_out, is_operation, root_defects
from mcp_governor.packs.clarity.shapes import (
    lacks_keys,
    packed,
    stated_key,
    unanchored,
)
from mcp_governor.prose.flat_text import without_name
from mcp_governor.prose.keys import stated_keys
from mcp_governor.prose.passages import outline_of
from mcp_governor.prose.words import name_words
from mcp_governor.subjects.schemas import (
    branches_of,
    effective,
    followed,
    parent_of,
    root_of,
    types_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.subjects.context import Facts, SchemaPlace
    from mcp_governor.surface.model import Tool

MAX_TEXT = 400
"""Maximum number of characters read from a description: what a parameter is comes first."""
MAX_VALUES = 1_000
"""Maximum number of enum values compared; a longer enum is generated, so its values have one type."""


class Found(NamedTuple):
    """One place with a defect.

    Attributes:
        tool: the tool that has it.
        name: the parameter, as a message names it.
        pointer: JSON pointer within the tool.
        what: an optional remark that the message adds to the name.
        node: the parameter, if the defect is in its own schema.
    """

    tool: Tool
    name: str
    pointer: str
    what: str
    node: SchemaPlace | None = None


class Defects:
    """The places of each defect, by name of the defect.

    Attributes:
        places: the places of each defect (``open-items`` and others), in document order.
    """

    def __init__(self) -> None:
        self.places: dict[str, list[Found]] = {}

    def add(self, defect: str, node: SchemaPlace, what: str = "") -> None:
        found = Found(node.tool, node.argument or "", node.pointer, what, node)
        self.places.setdefault(defect, []).append(found)

    def put(self, defect: str, tool: Tool, name: str, pointer: str, what: str = "") -> None:
        self.places.setdefault(defect, []).append(Found(tool, name, pointer, what))


def defects(facts: Facts) -> Defects:
    """The defects of a surface, collected once for all rules that report one."""
    return facts.memo("defects", lambda: _collected(facts))


def _collected(facts: Facts) -> Defects:
    out = Defects()
    for tool in facts.surface.tools:
        for node in facts.nodes(tool):
            if node.side == "inputSchema" and isinstance(node.schema, dict):
                _judge(node, out, facts)
        for defect, name, pointer in root_defects(tool):
            out.put(defect, tool, name, pointer)
    return out


def _judge(node: SchemaPlace, out: Defects, facts: Facts) -> None:
    schema = node.schema
    if node.argument is None:
        return
    real = effective(root_of(node), schema)
    if _is_untyped_field(node, real):
        out.add("untyped-field", node)
    types = (types_of(real) or frozenset()) - {"null"}
    text = real.get("description")
    text = text[:MAX_TEXT] if isinstance(text, str) else ""
    if "default" in schema and schema["default"] is None and _refuses_null(node):
        out.add("null-default", node)
    if "enum" in real and _odd_value(real):
        out.add("mixed-enum-types", node)
    if "array" in types and _means_one(node.argument, text, real):
        out.add("list-of-one", node)
    open_items = "array" in types and real.get("items") in ({}, True) and "prefixItems" not in real
    if open_items and not _OF_LISTS.search(text) and not _passes_on(node.argument, text):
        out.add("open-items", node)
    if types & {"integer", "number", "string"} and lacks_unit(node, real, types, text, facts):
        out.add("missing-unit", node)
    if types & {"array", "object", "string"}:
        _judge_shape(node, real, types, text, out, facts)


def _said_of(node: SchemaPlace, text: str, facts: Facts) -> str:
    """The description of a parameter, or what its tool says about it: servers written in Python describe it there."""
    if text or node.tokens != ("properties", node.argument):
        return text
    return outline_of(node.tool, facts).entries.get(node.argument or "", "")[:MAX_TEXT]


def _judge_shape(
    node: SchemaPlace, schema: Mapping[str, Any], types: frozenset[str], text: str, out: Defects, facts: Facts
) -> None:
    """Finds lists that may be empty, objects without keys, structure packed into strings, and unanchored patterns."""
    name, tool = node.argument or "", node.tool
    if is_left_out(name, schema, parent_of(node)) and is_operation(parent_of(node)):
        out.add("nothing-required", node)
    top, text = node.tokens == ("properties", name), _said_of(node, text, facts)
    words = without_name(text, name).replace("\n", " ")
    if types == {"string"}:
        if pattern := unanchored(schema):
            out.add("unanchored-pattern", node, pattern)
        if what := packed(words, schema):
            out.add("stringly-typed", node, what)
        return
    # clarity/object-keys reports keys that the description lists, and names them all.
    if not lacks_keys(schema) or stated_keys(words):
        return
    siblings = parent_of(node).get("properties", {}) if top else {}
    if key := stated_key(name, words, tool.description if top else "", siblings):
        out.add("open-object", node, key)


_AT_THE_TOP = 2
"""Length of the path to a parameter of a tool; the path to a field of an object is longer."""
_TYPING = frozenset(
    ["$dynamicRef", "$ref", "allOf", "anyOf", "const", "enum", "if", "items", "not", "oneOf", "properties", "type"]
)
"""Keywords that say which types a value may have."""
_ANYTHING = lazy_pattern(
    r"\b(?:any|anything|arbitrary)\b|JSON[- ](?:value|literal)"
    r"|\b(?:strings?|numbers?|booleans?|objects?|arrays?|lists?),? or "
    r"(?:an? )?(?:strings?|numbers?|booleans?|objects?)\b",
    re.IGNORECASE,
)


def _is_untyped_field(node: SchemaPlace, schema: Mapping[str, Any]) -> bool:
    """True for a field of an object without a type, unless its description says that any value or several are right."""
    if len(node.tokens) <= _AT_THE_TOP or not _TYPING.isdisjoint(schema):
        return False
    text = schema.get("description")
    return not isinstance(text, str) or _ANYTHING.search(text[:MAX_TEXT]) is None


_PASSED_ON = frozenset({"args", "arguments", "binds", "bindings", "items", "params", "parameters", "values"})
_OF_ANY_TYPE = lazy_pattern(r"\b(?:any|arbitrary|clauses?|json|mixed|nested|arguments|values)\b", re.IGNORECASE)


def _passes_on(name: str, text: str) -> bool:
    """True if a list may hold values of any type: the arguments of a script, the items of a loop, parts of a query."""
    return not _PASSED_ON.isdisjoint(name_words(name)[-1:]) or _OF_ANY_TYPE.search(text) is not None


_OF_LISTS = lazy_pattern(r"\[\s?[\[(]")
"""A list of lists in a description: its items may be of several types, such as an operator and conditions."""


def _odd_value(schema: Mapping[str, Any]) -> bool:
    """True if one enum value has a different type from all others, or one that ``type`` does not allow."""
    values = schema.get("enum")
    if not isinstance(values, list) or not 1 < len(values) <= MAX_VALUES:
        return False
    kinds = [kind_of(value) for value in values if value is not None]
    counts = sorted(kinds.count(kind) for kind in set(kinds))
    if len(counts) == 2 and counts[0] == 1 and counts[1] > 1 and "boolean" not in kinds:
        return True
    kind = schema.get("type")
    return isinstance(kind, str) and any(one != kind and not (kind == "number" and one == "integer") for one in kinds)


def kind_of(value: Any) -> str:
    """The JSON type of a value, ``integer`` for whole numbers."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    names = {str: "string", float: "number", list: "array", dict: "object"}
    return names.get(type(value), "null")


def _refuses_null(node: SchemaPlace) -> bool:
    # The other branch of a union with null does not constrain null.
    schema = followed(root_of(node), node.schema)
    types = types_of(node.schema, root_of(node))
    values = schema.get("enum")
    if isinstance(values, list) and None not in values:
        return True
    return types is not None and "null" not in types and not schema.keys() & {"allOf", "not", "const"}


_PLURAL = lazy_pattern(
    r"\b(?:arrays?|lists?|tuples?|sequences?|sets?|multiple|several|one\sor\smore|each|every|all|stages|clauses|entries|items|many|any|collections?)\b",
    re.IGNORECASE,
)
_ONE = lazy_pattern(r"(?:the|an?)\s", re.IGNORECASE)
_SEVERAL = r"(?!(?:as|has|is|its|this|was)\b)[a-z]{3,}(?<!s)s\b"
"""The noun behind the name, which is the thing, in the plural: "the configuration specifications"."""
_MANY_NAMES = frozenset(
    {
        "list",
        "data",
        "sequence",
        "pipeline",
        "group",
        "batch",
        "history",
        "collection",
        "by",
        "for",
        "from",
        "to",
        "array",
        "body",
        "content",
        "conversation",
        "document",
        "input",
        "layout",
        "message",
        "page",
        "path",
        "prompt",
    }
)


def _means_one(name: str, text: str, schema: Mapping[str, Any]) -> bool:
    """True if the name and the description of a list of objects are about a single object."""
    parts = name_words(name)
    items = schema.get("items")
    if not parts or parts[-1].endswith("s") or parts[-1] in _MANY_NAMES or not isinstance(items, dict):
        return False
    # One of several forms of a thing; a list of objects of one form is a list, whatever it is called.
    objects = sum("properties" in form for form in branches_of(items)) > 1
    if not objects or schema.get("maxItems") == 1 or not _ONE.match(text) or _PLURAL.search(text):
        return False
    said = text.lower().split(".")[0]
    # The name is what the description is about: "The user to invite" for user, not "The address to write to" for to.
    # In "The attributes for the token" the words before a preposition are.
    before = r"(?:(?!(?:about|for|from|in|of|on|to|with)\s)[\w-]+\s){0,3}?"
    head = re.compile(rf"(?:the|an?)\s{before}{re.escape(parts[-1])}(?![\w'’-])(?!\s\w+$)(?!\s{_SEVERAL})")
    return head.match(said) is not None and f"{parts[-1]}s" not in said
