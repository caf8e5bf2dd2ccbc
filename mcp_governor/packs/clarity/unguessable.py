"""Parameters that a model cannot guess: a name and a type that leave the value open need a description."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.packs.clarity.guessing import (
    FORM_OF_COLOURS,
    FORM_OF_DATES,
    Argument,
    is_passed_on,
    may_be_open,
    open_question,
)
from mcp_governor.prose.asides import said_in_passing
from mcp_governor.prose.by_reference import said_by_reference
from mcp_governor.prose.passages import passages_about
from mcp_governor.prose.words import name_words, stem
from mcp_governor.rules.scope import about
from mcp_governor.subjects.context import Context, Hit, SchemaPlace, hit
from mcp_governor.subjects.reached import is_reached
from mcp_governor.subjects.schemas import effective, parent_of, root_of, types_of
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.surface.model import Tool

# -- hard to guess

_MAX_TEXT = 4_000
"""Maximum number of characters read from everything that is said about one parameter."""


@about(argument=True)
def parameter_described(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A parameter whose value is hard to guess has a description that says what belongs there."""
    name = node.argument
    if name is None or not isinstance(node.schema, dict):
        return
    root, parts = root_of(node), name_words(name)
    schema = effective(root, node.schema)
    types = (types_of(node.schema, root) or frozenset()) - {"null"}
    own = schema.get("description") or node.tool.description
    if not may_be_open(parts, types, own if isinstance(own, str) else ""):
        return
    descriptions = [one.text for one in passages_about(node, context, mentions=True)] or _related(node, schema)
    text, nested = " ".join(descriptions)[:_MAX_TEXT], len(node.tokens) > 2
    passed_on = is_passed_on(name, parent_of(node).get("properties") or {})
    one = Argument(name, parts, schema, types, text, node.tool.description, nested, passed_on)
    says = open_question(one)
    if says is not None and not nested:
        # An entry of the tool's description is in the text already, and counts once.
        asides = [aside for aside in said_in_passing(name, node.tool.description) if aside not in text]
        asides += said_by_reference(node.tool, name, text, context)
        says = open_question(one._replace(text=" ".join((text, *asides))[:_MAX_TEXT])) if asides else says
    if says is not None and f'"{name}": "' in node.tool.description[:_MAX_TEXT]:
        return  # An example of a call shows a value.
    if says == "values" and not nested and types == {"string"} and _is_listed(node, context):
        return
    if says in _FORMS and _is_of_a_sibling(node, says, context):
        return
    if says == "date" and _DATES_OF_SERVER.search((context.surface.instructions or "")[:_MAX_TEXT]):
        return
    if says == "numbers" and _is_of_a_record(parts, context):
        return
    # A definition that nothing refers to never receives a value.
    if says is not None and is_reached(node, context.facts):
        gist = f"{_LEFT_OPEN.get(says, '')}{one_line(name, 60)} ({one_line(node.tool.name, 60)})"
        yield hit(node.pointer, node.schema, says=says, argument=name, gist=gist)


def _is_of_a_record(parts: tuple[str, ...], context: Context) -> bool:
    """True if tools of the server are about what a name says: a ``document_type`` is an id next to
    ``list_document_types``."""
    thing = {stem(word) for word in parts[-2:]}
    return len(thing) > 1 and any(thing <= {stem(word) for word in name_words(name)} for name in context.facts.names)


def _is_listed(node: SchemaPlace, context: Context) -> bool:
    """True if a tool lists constants, and this is its only string: "Move one tile N, S, E or W" for a direction."""
    return context.facts.memo(("lists constants", node.tool.index), lambda: _lists_constants(node.tool))


def _lists_constants(tool: Tool) -> bool:
    # A property at the root is only found where these are an object.
    strings = [one for one in tool.input_schema["properties"].values() if "string" in (types_of(one) or ())]
    return len(strings) == 1 and _CONSTANTS.search(tool.description[:_MAX_TEXT]) is not None


_CONSTANTS = lazy_pattern(
    r"(?<![\w-])[A-Z][A-Z_]{0,30}(?:,\s[A-Z][A-Z_]{0,30}){1,20},?\sor\s[A-Z][A-Z_]{0,30}(?=\s?[.;:)\n]|\s?$)", re.NOFLAG
)
"""At the end of a sentence: the words of "reads PDF, DOCX or TXT files" belong to the noun behind them."""


_FORMS = {"colour": FORM_OF_COLOURS, "date": FORM_OF_DATES}


def _is_of_a_sibling(node: SchemaPlace, says: str, context: Context) -> bool:
    """True if the description of another parameter next to it gives the form: compareEndDate is as endDate."""
    place = ("forms of", says, node.tool.index, node.side, node.tokens[:-1])
    formed: Mapping[tuple[str, ...], set[str]] = context.facts.memo(
        place, lambda: _formed(parent_of(node), _FORMS[says])
    )
    return not formed.get(name_words(node.argument or "")[-1:], set()) <= {node.argument}


def _formed(parent: Mapping[str, Any], form: re.Pattern[str]) -> dict[tuple[str, ...], set[str]]:
    """The parameters whose descriptions give the form, by their last words."""
    # Once for all of them: each with each took minutes for 500 dates.
    found: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for name, one in parent.get("properties", {}).items():
        said = one.get("description") if isinstance(one, dict) else None
        if isinstance(said, str) and form.search(said[:_MAX_TEXT]):
            found[name_words(name)[-1:]].add(name)
    return found


_DATES_OF_SERVER = lazy_pattern(r"\bdates?\b[^.\n]{0,60}(?:\biso\b|yyyy|\d{4}-\d{2})", re.IGNORECASE)
"""The form of all dates of the server, in its instructions."""
_LEFT_OPEN = {
    "values": "the values of ",
    "colour": "the form of the colour ",
    "numbers": "the meaning of the numbers of ",
    "date": "the date format of ",
    "code": "code or name in ",
    "syntax": "the syntax of ",
    "json": "the content of the JSON in ",
    "keys": "the keys of ",
}
"""What is missing, for a line about several parameters; of the others everything is."""


def _related(node: SchemaPlace, schema: Mapping[str, Any]) -> list[str]:
    """Descriptions of a parameter from elsewhere: the referenced schema, its items, and the object that contains it."""
    below = [schema, schema.get("items")]
    out = [item["description"] for item in below if isinstance(item, dict) and isinstance(item.get("description"), str)]
    if node.argument is not None and len(node.tokens) > 2:
        above = parent_of(node).get("description")
        if isinstance(above, str) and re.search(rf"(?<!\w){re.escape(node.argument)}(?!\w)", above):
            out.append(above)
    return out


# -- counted from

INDEXES = frozenset({"index", "idx", "position", "pos", "row", "col", "column"})
"""Last words of names for things that may be counted from 0 or from 1."""
