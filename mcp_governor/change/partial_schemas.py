"""Slices of a document around an edit, so that 20,000 edits of 20,000 properties take linear time.

A declared property does not matter to an instance without it. So if an instance has none of some optional properties, a
document without these properties gives the same result as the whole.

Searching two documents with 2,500 alternatives for a witness takes too long. Putting a value into the arguments that
lead to its place, and running validators on them, is fast.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from mcp_governor.change.graph import SchemaNode
from mcp_governor.change.names import UNIONS, declared_elsewhere, is_false, is_true, together
from mcp_governor.change.view import deref

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

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

    def singled_out(self, take_over: TakeOver) -> tuple[Replacement | None, Replacement | None]:
        """The old node with one edit, and the new one without it."""
        return (
            replacement_of(self.old_view, partial(self.old_with, take_over)),
            replacement_of(self.new_view, partial(self.new_without, take_over)),
        )

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
_ONLY_MEMBERS = frozenset({"additionalProperties", "properties", "required"})


def slim(spot: Spot, take_over: TakeOver, names: tuple[str, ...]) -> tuple[SchemaNode, SchemaNode]:
    """An alternative without and with an edit, without properties that are the same in both: the rest decides, and is
    faster to compare.

    A "yes" also holds for the whole alternatives; a "no" is checked for the whole document later.
    """
    one, other = spot.old, spot.new
    if one.keys.keys() <= _ONLY_MEMBERS and other.keys.keys() <= _ONLY_MEMBERS:
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
    """The path to an edit: to the alternative of the walk's last node that contains it, whose pointer is ``home``."""
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

    ``sample`` returns a value for a node on the path; ``None`` if there is none.
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


_WORTHWHILE = 8
"""Minimum number of declared properties for a slice to be worthwhile."""

_PLAIN = frozenset({"additionalProperties", "items", "properties", "required", "type"})

Keep = frozenset[str]
Side = Literal["old", "new"]


class Step(Struct, frozen=True, eq=False):
    """Two nodes that the walk passed, and how it got there.

    Attributes:
        outer: the previous step.
        old, new: the nodes.
        names: the property that leads here from the previous step, by its old and its new name; empty if it was not a
            property.
        item: it is an item of the previous node.
        homes: pointers to the alternatives of the previous step that lead here, in the old and the new document.
        within: it is a part of the previous node that applies to the same value: a branch, or a consequence.
    """

    outer: Step | None
    old: SchemaNode
    new: SchemaNode
    names: tuple[str, ...] = ()
    item: bool = False
    homes: tuple[str, str] = ("", "")
    within: bool = False


class Replacement(Struct, frozen=True, eq=False):
    """A replacement for a node of a document, to isolate one edit or to undo it.

    Attributes:
        node: the node.
        make: creates the replacement on demand, because a copy of the node for each of its edits would be quadratic.
            Given names, it leaves out the other optional properties of the edited object.
    """

    node: SchemaNode
    make: Callable[[Keep | None], SchemaNode]


def restricted(alternative: Alternative, keep: Keep | None) -> Alternative:
    """The alternative without the properties that are not kept."""
    declared = alternative.keys.get("properties")
    if keep is None or declared is None or len(declared) < _WORTHWHILE:
        return alternative
    return alternative.with_keys({"properties": {name: declared[name] for name in sorted(keep) if name in declared}})


class Slicer:
    """Cuts the two documents of a comparison; caches what each node needs."""

    def __init__(self) -> None:
        self._needed: dict[SchemaNode, Keep] = {}
        self._plain: dict[SchemaNode, bool] = {}

    def cut(self, step: Step | None, names: Iterable[str], *documents: Side) -> Slice:
        """What can be left out for an edit that concerns some properties of the step's nodes in some documents."""
        keeps: dict[SchemaNode, set[str]] = {}
        kept = tuple(names)
        innermost: Keep | None = None
        plain = True
        while step is not None:
            nodes = [getattr(step, document) for document in documents]
            wanted = set(kept).union(*map(self._needs, nodes))
            for node in nodes:
                keeps.setdefault(node, set()).update(wanted)
                plain = plain and (innermost is None or self._is_plain(node))
            if innermost is None:
                innermost = frozenset(wanted)
            kept = step.names
            step = step.outer
        left = {node: frozenset(keep) for node, keep in keeps.items() if _is_worthwhile(node, keep)}
        return Slice(left, innermost, plain and all(map(self._is_plain, left)))

    def _is_plain(self, node: SchemaNode) -> bool:
        """True if a node only describes its members or items, and which are required."""
        found = self._plain.get(node)
        if found is None:
            extra = node.keywords.get("additionalProperties")
            closed_or_open = extra is None or is_true(extra) or is_false(extra)
            found = self._plain[node] = node.keywords.keys() <= _PLAIN and closed_or_open
        return found

    def _needs(self, node: SchemaNode) -> Keep:
        """The properties that other keywords at a node mention."""
        found = self._needed.get(node)
        if found is None:
            named: set[str] = set(declared_elsewhere(node))
            for part in together(node):
                named.update(part.keywords.get("required", ()))
                for name, needed in part.keywords.get("dependentRequired", {}).items():
                    named |= {name, *needed}
                named.update(part.keywords.get("dependentSchemas", ()))
            found = self._needed[node] = frozenset(named)
        return found


def _is_worthwhile(node: SchemaNode, keep: set[str]) -> bool:
    declared = node.keywords.get("properties", ())
    return len(declared) >= _WORTHWHILE and len(declared) > len(keep)


class Slice(Struct, frozen=True, eq=False):
    """The properties to keep, by node.

    Attributes:
        keeps: node → names; other nodes stay whole.
        innermost: what the edited node keeps; ``None`` if nothing is left out.
        plain: nothing on the path to the edit counts members, looks at their names, or combines schemas. Then any
            result for the slices also holds for the whole documents: the rest is optional and the same on both sides.
    """

    keeps: Mapping[SchemaNode, Keep]
    innermost: Keep | None = None
    plain: bool = False

    def replaced(self, *steads: Replacement) -> dict[SchemaNode, SchemaNode]:
        """The replacements for the nodes, and for those of edits."""
        out = {node: _without(node, keep) for node, keep in self.keeps.items()}
        for stead in steads:
            out[stead.node] = stead.make(self.innermost if stead.node in self.keeps else None)
        return out

    def hides(self, value: Any) -> bool:
        """True if a value has members that were left out, so that it proves nothing about the whole document."""
        pending = [value]
        while pending:
            part = pending.pop()
            if isinstance(part, dict):
                for node, keep in self.keeps.items():
                    declared = node.keywords["properties"]
                    if any(name in declared and name not in keep for name in part):
                        return True
                pending.extend(part.values())
            elif isinstance(part, list):
                pending.extend(part)
        return False


WHOLE = Slice({})


def _without(node: SchemaNode, keep: Keep) -> SchemaNode:
    declared = node.keywords["properties"]
    kept = {name: declared[name] for name in sorted(keep) if name in declared}
    return SchemaNode(node.pointer, {**node.keywords, "properties": kept}, node.notes, synthetic=True)
