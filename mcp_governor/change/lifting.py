"""From a value that shows an edit at its own place to one that shows it for the whole document.

To search two documents with 2,500 alternatives for a witness takes longer than anybody waits. To put a value into
the arguments that lead to its place, and ask validators about them, takes no time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change.graph import SchemaNode
from mcp_governor.change.names import UNIONS
from mcp_governor.change.view import deref
from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcp_governor.change.slices import Side, Step


@frozen(eq=False)
class Way:
    """The way to an edit in one document.

    Attributes:
        nodes: those on the way, the edited one first.
        steps: how each was entered from the next one: by a property, as an item (``0``), or in place (``None``).
        narrowed: nodes with a union on the way → the same with no other alternative.
        one_of: one of these unions is a ``oneOf``, so that a value of the narrowed node may be refused by the node.
    """

    nodes: tuple[SchemaNode, ...]
    steps: tuple[str | int | None, ...]
    narrowed: Mapping[SchemaNode, SchemaNode]
    one_of: bool


def way_to(step: Step | None, home: str, document: Side) -> Way:
    """The way to an edit.

    Args:
        step: the last step of the walk.
        home: pointer of the alternative of the last node in which the edit is.
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
    """A value of the whole document that holds ``value`` where the edit is.

    Args:
        value: what the edited node accepts, or refuses.
        way: the way there.
        sample: gives a value of a node on the way, ``None`` where there is none.
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
