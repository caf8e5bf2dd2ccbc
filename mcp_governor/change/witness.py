"""Extends a value that shows an edit at its own place to one that shows it for the whole document.

Searching two documents with 2,500 alternatives for a witness takes too long. Putting a value into the arguments that
lead to its place, and running validators on them, is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.change.graph import SchemaNode
from mcp_governor.change.names import UNIONS
from mcp_governor.change.view import deref

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcp_governor.change.partial_schemas import Side, Step


class Way(Struct, frozen=True, eq=False):
    """The path to an edit in one document.

    Attributes:
        nodes: the nodes on it, the edited one first.
        steps: how each is reached from the next one: as a property, as an item (``0``), or in place (``None``).
        narrowed: nodes with a union on the path → the same without the other alternatives.
        one_of: one of these unions is a ``oneOf``, so that the node may reject a value of the narrowed node.
    """

    nodes: tuple[SchemaNode, ...]
    steps: tuple[str | int | None, ...]
    narrowed: Mapping[SchemaNode, SchemaNode]
    one_of: bool


def way_to(step: Step | None, home: str, document: Side) -> Way:
    """The path to an edit.

    Args:
        step: the last step of the walk.
        home: pointer to the alternative of the last node that contains the edit.
        document: which of the two documents.
    """
    index = 0 if document == "old" else 1
    nodes: list[SchemaNode] = []
    steps: list[str | int | None] = []
    narrowed: dict[SchemaNode, SchemaNode] = {}
    one_of = False
    while step is not None:
        node: SchemaNode = getattr(step, document)
        for key in UNIONS:
            branch = next((item for item in node.keywords.get(key, ()) if deref(item).pointer == home), None)
            if branch is not None:
                narrowed[node] = SchemaNode(node.pointer, {**node.keywords, key: [branch]}, node.notes, synthetic=True)
                one_of = one_of or key == "oneOf"
        nodes.append(node)
        steps.append(0 if step.item else step.names[index] if step.names else None)
        home = step.homes[index]
        step = step.outer
    return Way(tuple(nodes), tuple(steps), narrowed, one_of)


def lifted(value: Any, way: Way, sample: Callable[[SchemaNode], Any]) -> Any:
    """A value for the whole document with ``value`` at the place of the edit.

    Args:
        value: a value that the edited node accepts, or rejects.
        way: the path to the edit.
        sample: returns a value for a node on the path; ``None`` if there is none.
    """
    for step, outer in zip(way.steps, way.nodes[1:], strict=False):
        if step is None:
            continue
        if step == 0:
            value = [value]
            continue
        around = sample(outer)
        value = {**(around if isinstance(around, dict) else {}), str(step): value}
    return value
