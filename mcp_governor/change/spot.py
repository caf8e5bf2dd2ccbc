"""Two alternatives under comparison, with and without an edit between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.change.slices import Replacement, restricted

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_governor.change.edit import Edit
    from mcp_governor.change.graph import SchemaNode
    from mcp_governor.change.slices import Keep
    from mcp_governor.change.view import Alternative, View

    TakeOver = Callable[[Alternative, Alternative], Alternative]
    """Returns the first alternative with the content of the second one at the place of an edit."""


class Spot(Struct, frozen=True):
    """Two alternatives under comparison, with their place.

    Attributes:
        old_view, new_view: the nodes to which the alternatives belong.
        old, new: the alternatives.
        root: they are roots of the documents.
        trust: a result for this place also holds for the whole documents.
        old_slot, new_slot: the members of the views behind ``old`` and ``new``, if these were rewritten to be
            comparable.
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
        """Set the old node with one edit, and the new one without it."""

        def changed(keep: Keep | None) -> SchemaNode:
            one, other = restricted(self.old, keep), restricted(self.new, keep)
            return swapped(self.old_view, self.old_slot or self.old, take_over(one, other))

        def reverted(keep: Keep | None) -> SchemaNode:
            one, other = restricted(self.old, keep), restricted(self.new, keep)
            return swapped(self.new_view, self.new_slot or self.new, take_over(other, one))

        edit.with_it, edit.without_it = replacement_of(self.old_view, changed), replacement_of(self.new_view, reverted)


def swapped(view: View, member: Alternative, substitute: Alternative) -> SchemaNode:
    """A node with one of its alternatives replaced."""
    return view.node_with([substitute if item is member else item for item in view.alternatives])


def replacement_of(view: View, make: Callable[[Keep | None], SchemaNode]) -> Replacement | None:
    """A node and its replacement; ``None`` for a node that is not part of the document."""
    return None if view.node.synthetic else Replacement(view.node, make)
