"""Two alternatives under comparison, with and without an edit between them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.change.graph import SchemaNode
from mcp_governor.change.partial_schemas import Replacement, restricted

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_governor.change.edit import Edit
    from mcp_governor.change.partial_schemas import Keep
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
        edit.with_it = replacement_of(self.old_view, partial(self.old_with, take_over))
        edit.without_it = replacement_of(self.new_view, partial(self.new_without, take_over))

    def members(self, *, new: bool) -> tuple[Alternative, ...]:
        """The members of the view that are compared here."""
        return (self.new_slot or self.new,) if new else (self.old_slot or self.old,)

    def old_with(self, take_over: TakeOver, keep: Keep | None) -> SchemaNode:
        """The old node with one edit."""
        one, other = restricted(self.old, keep), restricted(self.new, keep)
        return swapped(self.old_view, self.old_slot or self.old, take_over(one, other))

    def new_without(self, take_over: TakeOver, keep: Keep | None) -> SchemaNode:
        """The new node without it."""
        one, other = restricted(self.old, keep), restricted(self.new, keep)
        return swapped(self.new_view, self.new_slot or self.new, take_over(other, one))


def swapped(view: View, member: Alternative, substitute: Alternative) -> SchemaNode:
    """A node with one of its alternatives replaced."""
    return view.node_with([substitute if item is member else item for item in view.alternatives])


def replacement_of(view: View, make: Callable[[Keep | None], SchemaNode]) -> Replacement | None:
    """A node and its replacement; ``None`` for a node that is not part of the document."""
    return None if view.node.synthetic else Replacement(view.node, make)


_ANYTHING = SchemaNode("", synthetic=True)
_PLAIN = frozenset({"additionalProperties", "properties", "required"})


def slim(spot: Spot, take_over: TakeOver, names: tuple[str, ...]) -> tuple[SchemaNode, SchemaNode]:
    """An alternative without and with an edit, without properties that are the same in both: the rest decides, and is
    faster to compare.

    A "yes" also holds for the whole alternatives; a "no" is checked for the whole document later.
    """
    one, other = spot.old, spot.new
    if one.keys.keys() <= _PLAIN and other.keys.keys() <= _PLAIN:
        # Nothing counts members or looks at their names, so the other members cannot affect the answer and need not be
        # copied: there may be thousands, each with an edit.
        one = restricted(one, frozenset({*names, *one.keys.get("required", ())}))
        other = restricted(other, frozenset(names))
    changed = take_over(one, other)
    before, after = one.keys.get("properties", {}), changed.keys.get("properties", {})
    if not any(after.get(name) is node for name, node in before.items()):
        return one.node(), changed.node()
    return (
        one.with_keys({"properties": _without_shared(before, after)}).node(),
        changed.with_keys({"properties": _without_shared(after, before)}).node(),
    )


def _without_shared(mine: dict[str, SchemaNode], theirs: dict[str, SchemaNode]) -> dict[str, SchemaNode]:
    return {name: _ANYTHING if theirs.get(name) is node else node for name, node in mine.items()}
