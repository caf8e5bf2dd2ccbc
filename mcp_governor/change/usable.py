"""Schemas that no client can satisfy, and places that none can read; repairing them does not break a promise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change.edit import Edit
from mcp_governor.change.graph import parse
from mcp_governor.change.reading import conjunction, render
from mcp_governor.change.vocabulary import Side
from mcp_governor.containment import Containment
from mcp_governor.containment.validating import Validating
from mcp_governor.surface.fingerprint import strip
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_governor.change.graph import SchemaNode

UNREAD = frozenset({"output-reference-broken", "output-reference-repaired", "schema-undecided"})
"""Kinds of :func:`unread_edit`. With one of them, nothing can be asked about what is around the place."""
_SILENT = frozenset({"$defs", "$id", "$schema", "definitions", "id"})
"""Keywords at a root that require nothing."""


def broken_root(schema: Any) -> str:
    """Why no call can satisfy an input schema, as far as its root shows: a clause, empty if one can.

    The root is ``false``, has a type other than ``object``, or names its dialect and nothing else. MCP requires
    ``"type": "object"``, clients reject a list without it, and generators write such roots when they fail. A bare
    ``{}`` is accepted: people write it for a tool without parameters.
    """
    if schema is False:
        return "it is false"
    if not isinstance(schema, dict):
        return ""
    if "$schema" in schema and not strip(schema).keys() - _SILENT:
        return 'it states nothing about arguments, not even "type": "object"'
    types = schema.get("type", "object")
    if "object" not in (types if isinstance(types, list) else [types]):
        return f"its root is of type {one_line(str(types), 40)}, but arguments are an object"
    return ""


def accepts_no_object(schema: Any, *, deadline: float, spend: Callable[[int], None]) -> bool:
    """True if a schema certainly accepts no JSON object; ``False`` if that is unknown.

    Args:
        schema: as published.
        deadline: seconds for the question.
        spend: called with the work.
    """
    published = Validating(schema)
    if not published.readable:
        return False  # A part of it cannot be read; the comparison reports that separately.
    if published.accepts({}) or published.accepts(_guess(schema)):
        return False
    from mcp_governor.containment import contains  # Loaded only here, since the guess is valid for most schemas.

    document = parse(schema)
    if document.opaque:
        return False
    objects = conjunction({"type": "object"}, render(document.root, spend=spend))
    answer = contains(False, objects, deadline=deadline, witness=False)
    return answer.verdict == "yes"


_SIMPLEST = {"string": "", "integer": 0, "number": 0, "boolean": False, "array": [], "object": {}}


def _guess(schema: Any) -> dict[str, Any]:
    """Arguments that a simple schema accepts: the required ones, each with a value of its type."""
    if not isinstance(schema, dict):
        return {}
    declared = schema.get("properties")
    properties = declared if isinstance(declared, dict) else {}
    needed = schema.get("required")
    names = [name for name in needed if isinstance(name, str)] if isinstance(needed, list) else []
    return {name: _guess_value(properties.get(name)) for name in names}


def _guess_value(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return None
    listed = schema.get("enum")
    if isinstance(listed, list) and listed:
        return listed[0]
    types = schema.get("type")
    name = types[0] if isinstance(types, list) and types else types
    return _guess(schema) if name == "object" else _SIMPLEST.get(name) if isinstance(name, str) else None


def unread_edit(old: SchemaNode, new: SchemaNode, side: Side) -> Edit:
    """The edit of a place that one of two documents does not let anybody read.

    Args:
        old, new: the nodes of the place, of which at least one is opaque.
        side: input or output.
    """
    # The official TypeScript client compiles the output schema of a tool before it hands out a result, and the Python
    # client raises where it follows the reference. Nobody compiles an input schema before a call.
    if side is Side.OUTPUT and old.dangling and not new.opaque:
        return Edit("schema", new.pointer, note=frozenset({old.opaque}), kind="output-reference-repaired")
    if side is Side.OUTPUT and new.dangling and not old.opaque:
        return Edit("schema", new.pointer, note=frozenset({new.opaque}), kind="output-reference-broken")
    unknown = Containment("unknown", reason=new.opaque or old.opaque)
    return Edit("schema", new.pointer, forward=unknown, backward=unknown, kind="schema-undecided")
