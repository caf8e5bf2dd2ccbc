"""Two alternatives that are compared, and how their schemas look with and without an edit between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.change.slices import Stead, restricted
from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_governor.change.edit import Edit
    from mcp_governor.change.graph import SchemaNode
    from mcp_governor.change.slices import Keep
    from mcp_governor.change.view import Alternative, View

    TakeOver = Callable[[Alternative, Alternative], Alternative]
    """Gives the first alternative with what the second one says where an edit is."""


@frozen
class Spot:
    """Two alternatives that are compared, and where they stand.

    Attributes:
        old_view, new_view: the nodes that they are alternatives of.
        old, new: the alternatives.
        root: they are roots of the documents.
        trust: what holds here holds for the whole documents.
        old_slot, new_slot: the members of the views that ``old`` and ``new`` stand for, where these were rewritten to
            be comparable.
    """

    old_view: View
    new_view: View
    old: Alternative
    new: Alternative
    root: bool
    trust: bool
    old_slot: Alternative | None = None
    new_slot: Alternative | None = None

    def single_out(self, edit: Edit, take_over: TakeOver) -> None:
        """Note how the old node looks with one edit, and the new one without it."""

        def changed(keep: Keep | None) -> SchemaNode:
            one, other = restricted(self.old, keep), restricted(self.new, keep)
            return swapped(self.old_view, self.old_slot or self.old, take_over(one, other))

        def reverted(keep: Keep | None) -> SchemaNode:
            one, other = restricted(self.old, keep), restricted(self.new, keep)
            return swapped(self.new_view, self.new_slot or self.new, take_over(other, one))

        edit.with_it, edit.without_it = instead(self.old_view, changed), instead(self.new_view, reverted)


def swapped(view: View, member: Alternative, substitute: Alternative) -> SchemaNode:
    """A node with another alternative in the place of one of its own."""
    return view.node_with([substitute if item is member else item for item in view.alternatives])


def instead(view: View, make: Callable[[Keep | None], SchemaNode]) -> Stead | None:
    """A node and what to see in its stead; ``None`` for a node that is not part of the document."""
    return None if view.node.synthetic else Stead(view.node, make)
