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

from msgspec import Struct

from mcp_governor.change.graph import SchemaNode
from mcp_governor.change.names import UNIONS, declared, fixed_values, tags
from mcp_governor.change.note_kinds import NOTE_FAMILIES
from mcp_governor.change.partial_schemas import Spot, restricted
from mcp_governor.change.view import Alternative, conjunction, union
from mcp_governor.schemas.keywords import IN_PLACE, about
from mcp_governor.surface.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcp_governor.change.edit import Questions
    from mcp_governor.change.partial_schemas import Keep, TakeOver
    from mcp_governor.change.view import View

_OWN = about("object") - {"properties", "required", *IN_PLACE}
_MAX_COMPARED = 8
"""Maximum number of schemas for one key of which those are left out that another one covers."""


def _joined(slots: Sequence[Alternative], questions: Questions) -> Alternative:
    """One or more alternatives of type ``object`` as one."""
    first = slots[0]
    found: dict[str, list[SchemaNode]] = {}
    for slot in slots:
        for name, nodes in declared(slot.node()).items():
            found.setdefault(name, []).extend(nodes)
    keys: dict[str, Any] = {name: first.keys[name] for name in _OWN if _agreed(name, slots, questions)}
    keys["properties"] = {name: _either(nodes, questions) for name, nodes in found.items()}
    keys["required"] = sorted(frozenset.intersection(*(frozenset(slot.keys.get("required", ())) for slot in slots)))
    where = {key: place for slot in reversed(slots) for key, place in slot.where.items()}
    return Alternative("object", {key: value for key, value in keys.items() if value != []}, where, first.home)


def _agreed(key: str, slots: Sequence[Alternative], questions: Questions) -> bool:
    return (
        all(key in slot.keys for slot in slots)
        and len({questions.signature(SchemaNode("", {key: slot.keys[key]})) for slot in slots}) == 1
    )


def _either(nodes: Iterable[SchemaNode], questions: Questions) -> SchemaNode:
    """A node for the values that some of the nodes accept, with the annotations on which these agree."""
    different = list({questions.signature(node): node for node in reversed(list(nodes))}.values())[::-1]
    if len(different) <= _MAX_COMPARED and any(fixed_values(node) is None for node in different):
        different = _widest(different, questions)
    first = different[0]
    if len(different) == 1:
        return first
    notes: dict[str, Any] = {}
    for key in NOTE_FAMILIES:
        stated = {canonical_json(node.notes[key]): node.notes[key] for node in different if key in node.notes}
        if len(stated) == 1:
            notes[key] = next(iter(stated.values()))
    return SchemaNode(first.pointer, {"anyOf": different}, notes, synthetic=True)


def _widest(nodes: list[SchemaNode], questions: Questions) -> list[SchemaNode]:
    """The nodes without those that accept nothing beyond another one, and that say nothing else."""
    kept = list(nodes)
    for node in nodes:
        stated = NOTE_FAMILIES.keys() & node.notes.keys()
        others = [other for other in kept if other is not node]
        if any(stated <= other.notes.keys() and questions.covers(other, node) for other in others):
            kept = others
    return kept


class JointSpot(Spot, frozen=True):
    """A spot between two joints.

    Attributes:
        old_slots, new_slots: the alternatives behind the two.
        differing: the keywords of the joints that differ, and the properties, as ``properties/NAME``.
        common: ids of the schemas of properties that say what the joint of their alternative says.
    """

    old_slots: tuple[Alternative, ...] = ()
    new_slots: tuple[Alternative, ...] = ()
    differing: frozenset[str] = frozenset()
    common: frozenset[int] = frozenset()

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
        return self._with(self.old_slots, take_over, keep, new=False)

    def _reverted(self, take_over: TakeOver, keep: Keep | None = None) -> list[Alternative]:
        return self._with(self.new_slots, take_over, keep, new=True)

    def _with(
        self, slots: tuple[Alternative, ...], take_over: TakeOver, keep: Keep | None, *, new: bool
    ) -> list[Alternative]:
        source, target = (self.new, self.old) if new else (self.old, self.new)
        exclusive = (self.new_view if new else self.old_view).exclusive
        # A value that no alternative had goes to one of them, if not more than one may hold.
        return [
            self._put(restricted(slot, keep), source, target, take_over, gains=not (exclusive and index))
            for index, slot in enumerate(slots)
        ]

    def _put(
        self, slot: Alternative, source: Alternative, target: Alternative, take_over: TakeOver, *, gains: bool
    ) -> Alternative:
        """One of several alternatives with what an edit changes between their joint and another one.

        With ``gains``, it also gets the values that no alternative had.
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
                alike = id(own) in self.common
                properties[name] = node if own is None or alike else _moved(own, joint[name], node, gains=gains)
        return made.with_keys({"properties": properties or None})

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
    questions: Questions,
    *,
    root: bool,
    trust: bool,
) -> JointSpot:
    """The spot between some alternatives of an old and some of a new node."""
    before, after = (_joined(side, questions) for side in slots)
    one, other = (_parts(joint) for joint in (before, after))
    differing = frozenset(
        key
        for key in one.keys() | other.keys()
        if key not in one or key not in other or questions.signature(one[key]) != questions.signature(other[key])
    )
    common = frozenset(
        id(node)
        for side, joint in zip(slots, (before, after), strict=True)
        for slot in side
        for name, node in slot.keys.get("properties", {}).items()
        if name in joint.keys["properties"]
        and questions.signature(node) == questions.signature(joint.keys["properties"][name])
    )
    return JointSpot(
        *(old, new, before, after, root, trust),
        common=common,
        old_slots=tuple(slots[0]),
        new_slots=tuple(slots[1]),
        differing=differing,
    )


def _parts(joint: Alternative) -> dict[str, SchemaNode]:
    """What a joint says, as nodes that can be compared."""
    own = {key: SchemaNode("", {key: joint.keys[key]}) for key in joint.keys.keys() & _OWN}
    return own | {f"properties/{name}": node for name, node in joint.keys.get("properties", {}).items()}


def _moved(own: SchemaNode, source: SchemaNode, target: SchemaNode, *, gains: bool) -> SchemaNode:
    """The values of one key in one alternative after an edit of those that all alternatives accept.

    It keeps what distinguishes it from the others. A list of values may also gain those that no alternative had.
    """
    values, before, after = fixed_values(own), _values(source), _values(target)
    if values is None or not after:
        return conjunction(own, target)
    kept, had = set(map(canonical_json, values)), set(map(canonical_json, before))
    moved = [value for value in after if (text := canonical_json(value)) in kept or (gains and text not in had)]
    return SchemaNode(own.pointer, {"enum": moved}, own.notes, synthetic=True)


def _values(joint: SchemaNode) -> list[Any]:
    """The values of a key in a joint, if it lists them."""
    values = fixed_values(joint)
    return values or [value for part in joint.keywords.get("anyOf", ()) for value in fixed_values(part) or ()]


class Around(Struct, frozen=True):
    """What declares keys next to a schema that is a part of another one.

    Attributes:
        names: keys that schemas declare which apply along with it.
        others: the alternatives to it.
    """

    names: frozenset[str] = frozenset()
    others: tuple[SchemaNode, ...] = ()

    def part(self, alternative: Alternative, key: str, value: SchemaNode) -> Around:
        """What is around one of the schemas that an alternative applies in place with a keyword."""
        exclusive = key in UNIONS
        rest = alternative.with_keys({key: None}) if exclusive else alternative
        others = tuple(part for part in alternative.keys[key] if part is not value) if exclusive else ()
        return Around(self.names | declared(rest.node()).keys(), self.others + others)

    def declares(self, name: str) -> bool:
        return name in self.names or any(name in declared(other) for other in self.others)


NOT_IN_PLACE = Around(), Around()
"""What is around two schemas that apply to a value of their own."""


def distinguishing(one: SchemaNode, others: Iterable[SchemaNode]) -> str | None:
    """The property whose value distinguishes an alternative from all of some others; ``None`` if no property does."""
    theirs = [tags(other) for other in others]
    return next(
        (name for name, values in tags(one).items() if all(name in tag and not values & tag[name] for tag in theirs)),
        None,
    )
