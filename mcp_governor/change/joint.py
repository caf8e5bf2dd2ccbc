"""An object that is published as several alternatives, seen as one object.

A flat object and a union of objects describe the same calls in two ways, and no pair of alternatives shows what
changed between them. So both sides are seen as one object each: it declares what any alternative declares, with the
values that any of them accepts, and requires what all of them require. Edits between the two are put on every
alternative when they are tried alone. What the alternatives say about several keys at once is one more edit, of the
union itself.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from mcp_governor.change.graph import SchemaNode
from mcp_governor.change.names import UNIONS, closed_here, declared, fixed_values, tags
from mcp_governor.change.note_kinds import NOTE_FAMILIES
from mcp_governor.change.slices import restricted
from mcp_governor.change.spot import Spot
from mcp_governor.change.view import Alternative, union
from mcp_governor.frozen import frozen
from mcp_governor.schemas.keywords import IN_PLACE, about
from mcp_governor.surface.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcp_governor.change.slices import Keep
    from mcp_governor.change.spot import TakeOver
    from mcp_governor.change.view import View

    _Signature = Callable[[SchemaNode], int]

_OWN = about("object") - {"properties", "required", *IN_PLACE}
_CLOSING = ("additionalProperties", "unevaluatedProperties")


def _joined(slots: Sequence[Alternative], signature: _Signature) -> Alternative:
    """Alternatives of type ``object`` as one.

    Args:
        slots: the alternatives, at least one.
        signature: a number that is equal for equal schemas.
    """
    first = slots[0]
    found: dict[str, list[SchemaNode]] = {}
    for slot in slots:
        for name, nodes in declared(slot.node()).items():
            found.setdefault(name, []).extend(nodes)
    keys: dict[str, Any] = {name: first.keys[name] for name in _OWN if _agreed(name, slots, signature)}
    if all(closed_here(slot.node()) for slot in slots):
        keys |= {key: first.keys[key] for key in _CLOSING if key in first.keys}
    keys["properties"] = {name: _either(nodes, signature) for name, nodes in found.items()}
    keys["required"] = sorted(frozenset.intersection(*(frozenset(slot.keys.get("required", ())) for slot in slots)))
    where = {key: place for slot in reversed(slots) for key, place in slot.where.items()}
    return Alternative("object", {key: value for key, value in keys.items() if value != []}, where, first.home)


def _agreed(key: str, slots: Sequence[Alternative], signature: _Signature) -> bool:
    return (
        all(key in slot.keys for slot in slots)
        and len({signature(SchemaNode("", {key: slot.keys[key]})) for slot in slots}) == 1
    )


def _either(nodes: Iterable[SchemaNode], signature: _Signature) -> SchemaNode:
    """A node for the values that some of the nodes accept, with the annotations on which these agree."""
    different = list({signature(node): node for node in reversed(list(nodes))}.values())[::-1]
    first = different[0]
    if len(different) == 1:
        return first
    notes: dict[str, Any] = {}
    for key in NOTE_FAMILIES:
        stated = {canonical_json(node.notes[key]): node.notes[key] for node in different if key in node.notes}
        if len(stated) == 1:
            notes[key] = next(iter(stated.values()))
    return SchemaNode(first.pointer, {"anyOf": different}, notes, synthetic=True)


@frozen
class JointSpot(Spot):
    """A spot between two joints.

    Attributes:
        old_slots, new_slots: the alternatives behind the two.
        differing: the keywords of the joints that differ, and the properties, as ``properties/NAME``.
    """

    old_slots: tuple[Alternative, ...] = ()
    new_slots: tuple[Alternative, ...] = ()
    differing: frozenset[str] = frozenset()

    def members(self, *, new: bool) -> tuple[Alternative, ...]:
        return self.new_slots if new else self.old_slots

    def old_with(self, take_over: TakeOver, keep: Keep | None) -> SchemaNode:
        return self.old_view.node_with(self._members(self.old_view, self._changed(take_over, keep)))

    def new_without(self, take_over: TakeOver, keep: Keep | None) -> SchemaNode:
        return self.new_view.node_with(self._members(self.new_view, self._reverted(take_over, keep)))

    def old_with_union(self) -> SchemaNode:
        """The old node with the alternatives of the new one, which say of each key what the old ones did."""
        slots = self._reverted(partial(self._rest, self.new))
        return union(self.old_view.node.pointer, self._members(self.old_view, slots), exclusive=self.new_view.exclusive)

    def new_without_union(self) -> SchemaNode:
        """The new node with the alternatives of the old one, which say of each key what the new ones do."""
        slots = self._changed(partial(self._rest, self.old))
        return union(self.new_view.node.pointer, self._members(self.new_view, slots), exclusive=self.old_view.exclusive)

    def _changed(self, take_over: TakeOver, keep: Keep | None = None) -> list[Alternative]:
        return [_put(restricted(slot, keep), self.old, self.new, take_over) for slot in self.old_slots]

    def _reverted(self, take_over: TakeOver, keep: Keep | None = None) -> list[Alternative]:
        return [_put(restricted(slot, keep), self.new, self.old, take_over) for slot in self.new_slots]

    def _members(self, view: View, substitutes: Sequence[Alternative]) -> list[Alternative]:
        joint = set(map(id, (*self.old_slots, *self.new_slots)))
        return [*substitutes, *(item for item in view.alternatives if id(item) not in joint)]

    def _rest(self, source: Alternative, one: Alternative, other: Alternative) -> Alternative:
        """An alternative with everything that differs between its joint and another one."""
        mine, theirs = one.keys.get("properties", {}), other.keys.get("properties", {})
        properties = {name: node for name, node in mine.items() if name in theirs}
        properties |= {name: node for name, node in theirs.items() if f"properties/{name}" in self.differing}
        common, needed = (frozenset(side.keys.get("required", ())) for side in (source, other))
        gone = source.keys.get("properties", {}).keys() - theirs.keys()
        required = needed | (frozenset(one.keys.get("required", ())) - common - gone)
        keys = {key: other.keys.get(key) for key in _OWN if key in self.differing}
        return one.with_keys({**keys, "properties": properties or None, "required": sorted(required) or None})


def joint_spot(
    old: View,
    new: View,
    slots: tuple[Sequence[Alternative], Sequence[Alternative]],
    signature: _Signature,
    *,
    root: bool,
    trust: bool,
) -> JointSpot:
    """The spot between some alternatives of an old and some of a new node."""
    before, after = (_joined(side, signature) for side in slots)
    one, other = (_parts(joint) for joint in (before, after))
    differing = frozenset(
        key
        for key in one.keys() | other.keys()
        if key not in one or key not in other or signature(one[key]) != signature(other[key])
    )
    return JointSpot(
        *(old, new, before, after, root, trust),
        old_slots=tuple(slots[0]),
        new_slots=tuple(slots[1]),
        differing=differing,
    )


def _parts(joint: Alternative) -> dict[str, SchemaNode]:
    """What a joint says, as nodes that can be compared."""
    own = {key: SchemaNode("", {key: joint.keys[key]}) for key in joint.keys.keys() & _OWN}
    return own | {f"properties/{name}": node for name, node in joint.keys.get("properties", {}).items()}


def _put(slot: Alternative, source: Alternative, target: Alternative, take_over: TakeOver) -> Alternative:
    """One of several alternatives with what an edit changes between their joint and another one.

    Args:
        slot: the alternative.
        source: the joint to which it belongs.
        target: the joint that has the edit.
        take_over: the edit.
    """
    made = take_over(slot, target)
    was, now = slot.keys.get("properties", {}), made.keys.get("properties", {})
    joint = source.keys.get("properties", {})
    properties: dict[str, SchemaNode] = {}
    mine = declared(slot.node()) if now.keys() - was.keys() else was
    for name, node in now.items():
        if node is was.get(name) or name not in joint:
            properties[name] = node
        elif name in mine:
            own = was.get(name)
            properties[name] = node if own is None else _moved(own, joint[name], node)
    return made.with_keys({"properties": properties or None})


def _moved(own: SchemaNode, source: SchemaNode, target: SchemaNode) -> SchemaNode:
    """The values of one key in one alternative after an edit of those that all alternatives accept.

    It keeps its own values where they distinguish it from the others, and gains those that none had.
    """
    if own is source:
        return target
    values, before, after = (fixed_values(node) for node in (own, source, target))
    if values is None:
        return target
    if before is None:
        before = [value for part in source.keywords.get("anyOf", ()) for value in fixed_values(part) or ()]
    if after is None:
        after = [value for part in target.keywords.get("anyOf", ()) for value in fixed_values(part) or ()]
    if not after:
        return target
    kept, had = set(map(canonical_json, values)), set(map(canonical_json, before))
    moved = [value for value in after if (text := canonical_json(value)) in kept or text not in had]
    return SchemaNode(own.pointer, {"enum": moved}, own.notes, synthetic=True)


@frozen
class Around:
    """What declares keys next to a schema that is a part of another one.

    Attributes:
        names: keys that schemas declare which apply along with it.
        others: the alternatives to it.
    """

    names: frozenset[str] = frozenset()
    others: tuple[SchemaNode, ...] = ()

    def part(self, alternative: Alternative, key: str, value: SchemaNode) -> Around:
        """What is around one of the schemas that an alternative applies in place.

        Args:
            alternative: the alternative.
            key: the keyword.
            value: the schema.
        """
        exclusive = key in UNIONS
        rest = alternative.with_keys({key: None}) if exclusive else alternative
        others = tuple(part for part in alternative.keys[key] if part is not value) if exclusive else ()
        return Around(self.names | declared(rest.node()).keys(), self.others + others)

    def declares(self, name: str) -> bool:
        return name in self.names or any(name in declared(other) for other in self.others)


NOTHING_AROUND = Around()


def distinguishing(one: SchemaNode, others: Iterable[SchemaNode]) -> str | None:
    """The property whose value distinguishes an alternative from all of some others; ``None`` if no property does."""
    theirs = [tags(other) for other in others]
    return next(
        (name for name, values in tags(one).items() if all(name in tag and not values & tag[name] for tag in theirs)),
        None,
    )
