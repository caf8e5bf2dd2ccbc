"""Parameters that a model cannot guess: a name and a type that leave the value open need a description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcp_governor.packs.clarity.guessing import (
    Argument,
    may_be_open,
    open_question,
)
from mcp_governor.prose.asides import said_in_passing
from mcp_governor.prose.passages import passages_about
from mcp_governor.prose.words import has_word, name_words, stem
from mcp_governor.rules.scope import about
from mcp_governor.subjects.context import Context, Hit, SchemaPlace, hit
from mcp_governor.subjects.reached import is_reached
from mcp_governor.subjects.schemas import effective, parent_of, root_of, types_of
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


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
    one = Argument(name, parts, schema, types, text, node.tool.description, nested)
    says = open_question(one)
    if says is not None and not nested:
        # An entry of the tool's description is in the text already, and counts once.
        asides = [aside for aside in said_in_passing(name, node.tool.description) if aside not in text]
        says = open_question(replace(one, text=" ".join((text, *asides))[:_MAX_TEXT])) if asides else says
    if says is not None and f'"{name}": "' in node.tool.description[:_MAX_TEXT]:
        return  # An example of a call shows a value.
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


_LEFT_OPEN = {
    "values": "the values of ",
    "numbers": "the meaning of the numbers of ",
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
        if isinstance(above, str) and has_word(node.argument, above):
            out.append(above)
    return out


# -- counted from

INDEXES = frozenset({"index", "idx", "position", "pos", "row", "col", "column"})
"""Last words of names for things that may be counted from 0 or from 1."""
