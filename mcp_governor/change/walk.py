"""Walks two schemas and collects the edits that lead from one to the other, with their places.

The walk only localises edits. Containment decides if an edit matters, first at its own place, then (in
:mod:`mcp_governor.change.edit_verdicts`) for the whole document. Edits below one place that cancel each other are
detected there: if two nodes accept the same values, nothing below them is an edit.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from mcp_governor.change.edit import YES, Edit, Questions
from mcp_governor.change.equality import same_note
from mcp_governor.change.graph import SchemaNode, pointers
from mcp_governor.change.joint import NOT_IN_PLACE, joint_spot
from mcp_governor.change.names import declared, is_false
from mcp_governor.change.note_kinds import NOTE_FAMILIES
from mcp_governor.change.objects import Objects
from mcp_governor.change.pairing import comparable, pair, pair_retyped, with_type_of
from mcp_governor.change.partial_schemas import Spot, Step, replacement_of, slim
from mcp_governor.change.usable import UNREAD, unread_edit
from mcp_governor.change.view import Alternative, View, deref, union, view
from mcp_governor.change.vocabulary import MISSING, value_or_none
from mcp_governor.schemas.formats import format_patterns
from mcp_governor.schemas.keywords import IN_PLACE
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.surface.canonical import canonical_json

if TYPE_CHECKING:
    from mcp_governor.change.joint import Around, JointSpot
    from mcp_governor.change.partial_schemas import Keep, TakeOver
    from mcp_governor.containment import Containment

_BOUNDS = (
    ("bound", ("minimum", "exclusiveMinimum")),
    ("bound", ("maximum", "exclusiveMaximum")),
    ("multiple", ("multipleOf",)),
    ("length", ("minLength",)),
    ("length", ("maxLength",)),
    ("pattern", ("pattern",)),
    ("item-count", ("minItems",)),
    ("item-count", ("maxItems",)),
    ("unique-items", ("uniqueItems",)),
    ("property-count", ("minProperties",)),
    ("property-count", ("maxProperties",)),
    ("enum", ("enum",)),
)


class Walk:
    """Collects the edits between two documents.

    Attributes:
        edits: the edits found so far.
        pairs: the differing nodes that were compared, outer ones first.
        silent: edits that change nothing at their own place.
        complete: every difference is covered by some edit.
        around: what declares keys next to the two nodes that are compared, in the old and the new document.
    """

    def __init__(self, questions: Questions) -> None:
        self.questions = questions
        self.edits: list[Edit] = []
        self.silent: list[Edit] = []
        self.pairs: list[tuple[SchemaNode, SchemaNode]] = []
        self.complete = True
        self._seen: set[tuple[SchemaNode, SchemaNode]] = set()
        self._noted: set[tuple[str, str]] = set()
        self._trail: list[str] = []
        self._step: Step | None = None
        self._homes = ("", "")
        self.around = NOT_IN_PLACE
        self._declaring: dict[View, dict[str, list[Alternative]]] = {}

    def run(self) -> list[Edit]:
        """The edits from the old document to the new one."""
        self.nodes(self.questions.old.root, self.questions.new.root, root=True)
        return self.edits

    def property(self, name: str, old: SchemaNode, new: SchemaNode, *, trust: bool, was: str = "") -> None:
        """Compare the schemas of one property, whose former name is ``was`` if it was renamed."""
        self._trail.append(name)
        self.nodes(old, new, trust=trust, names=(was or name, name))
        self._trail.pop()

    def nodes(
        self,
        old: SchemaNode,
        new: SchemaNode,
        *,
        root: bool = False,
        trust: bool = True,
        names: tuple[str, ...] = (),
        item: bool = False,
        within: bool = False,
        around: tuple[Around, Around] = NOT_IN_PLACE,
    ) -> None:
        """Compare two nodes at the same place.

        Args:
            old, new: the nodes.
            root: they are the roots of the documents.
            trust: accepting more at this place means that the whole accepts more.
            names, item, within: how they are reached, as in :class:`Step`.
            around: what is around them, if they apply in place.
        """
        self.questions.budget.spend()
        if self.questions.signature(old) == self.questions.signature(new):
            return
        seen = None if old.opaque or new.opaque else (view(old), view(new))
        if seen is not None:
            self._notes(*seen)  # Annotations next to a reference belong to this place only.
        sites = old.pointer, new.pointer
        old, new = deref(old), deref(new)
        # A definition is compared once, however many references it has; this also ends recursion.
        if (old, new) in self._seen:
            return
        self._seen.add((old, new))
        if self.questions.signature(old) == self.questions.signature(new):
            return
        self.pairs.append((old, new))
        start, silent = len(self.edits), len(self.silent)
        if old.opaque or new.opaque:
            self.edits.append(unread_edit(old, new, self.questions.side))
            return
        outer, homes, outside = self._step, self._homes, self.around
        self.around = around
        self._step = Step(outer, old, new, names, item, homes, within)
        if seen is None or seen[0].node is not old or seen[1].node is not new:
            seen = view(old), view(new)
        self._views(*seen, root=root, trust=trust)
        self._step, self._homes, self.around = outer, homes, outside
        if self._is_redirected(sites, old, new):
            for edit in (*self.edits[start:], *self.silent[silent:]):
                edit.path = _relocated(edit.path, new.pointer, sites[1])
        if trust and len(self.edits) - start + len(self.silent) - silent > 1:
            self._reconcile(start, old, new, root=root)

    def _is_redirected(self, sites: tuple[str, str], old: SchemaNode, new: SchemaNode) -> bool:
        """True if a place now refers to another definition, so that the place changed, not the definition.

        If a definition was removed while another one was added, it may have been renamed; then the definition changed.
        """
        if new.pointer in (sites[1], old.pointer):
            return False
        if old.pointer == sites[0]:
            return True
        before, after = self._known
        return new.pointer in before or old.pointer in after

    @cached_property
    def _known(self) -> tuple[set[str], set[str]]:
        """The pointers in both documents to schemas that apply to some value."""
        return pointers(self.questions.old.root), pointers(self.questions.new.root)

    def _reconcile(self, start: int, old: SchemaNode, new: SchemaNode, *, root: bool) -> None:
        """Let the node as a whole judge several edits below it, since they may cancel each other."""
        below = self.edits[start:]
        changes = [edit for edit in below if edit.is_set_change]
        if not changes or any(edit.kind in UNREAD for edit in below):
            return
        forward, backward = self.questions.both(old, new, root=root)
        if forward.verdict == "yes":
            for edit in changes:
                edit.forward = YES
        if backward.verdict == "yes":
            for edit in changes:
                edit.backward = YES
        self.edits[start:] = [edit for edit in below if edit.is_change]

    def _views(self, old: View, new: View, *, root: bool, trust: bool) -> None:
        self._exclusion(old, new, root=root, trust=trust)
        paired, gone, come = pair(old.alternatives, new.alternatives, self._alternative_signature)
        joint = self._joint(old, new, gone, come, root=root, trust=trust)
        if joint is not None:
            gone, come = ([item for item in side if item.type != "object"] for side in (gone, come))
        retyped = pair_retyped(gone, come)
        # If exactly one may hold, an alternative that accepts more can make the whole accept less.
        trust = trust and not ((old.exclusive or new.exclusive) and len(old.alternatives) > 1)
        if joint is not None:
            start = len(self.edits), len(self.silent)
            self._union(joint, old, new)
            self._alternatives(joint)
            for edit in (*self.edits[start[0] :], *self.silent[start[1] :]):
                edit.trusted = False
            self.complete = False
        if gone or come:
            self._types(old, new, gone, come, retyped, root=root, trust=trust)
        for before, after in paired:
            self._alternatives(Spot(old, new, before, after, root, trust))
        for before, after in retyped:
            one, other = comparable(before, after)
            self._alternatives(Spot(old, new, one, other, root, trust, before, after))

    def _joint(
        self, old: View, new: View, gone: list[Alternative], come: list[Alternative], *, root: bool, trust: bool
    ) -> JointSpot | None:
        """Both sides as one object each, if one object stands for several others."""
        slots = tuple([item for item in side if item.type == "object"] for side in (gone, come))
        if min(map(len, slots)) != 1 or max(map(len, slots)) == 1:
            return None
        return joint_spot(old, new, (slots[0], slots[1]), self.questions, root=root, trust=trust)

    def _union(self, spot: JointSpot, old: View, new: View) -> None:
        """What the alternatives say beyond what the joints do."""
        with_it, without_it = spot.old_with_union(), spot.new_without_union()
        forward, backward = self.questions.both(old.node, with_it, root=spot.root)
        if forward.verdict == "yes" and not spot.new.keys.get("properties"):
            return  # All keys are gone, and with them what was said of several.
        before, after = ([item.type for item in view.alternatives] for view in (old, new))
        edit = Edit("type", new.node.pointer, before, after, forward, backward, trusted=False)
        edit.with_it = replacement_of(old, lambda _: with_it)
        edit.without_it = replacement_of(new, lambda _: without_it)
        edit.step = self._step
        self._add(edit)

    def isolate(self, start: tuple[int, int], spot: Spot, take_over: TakeOver, names: tuple[str, ...]) -> None:
        """Let the edits from a position on be tried alone as one, because there is no single place for each."""
        for edit in (*self.edits[start[0] :], *self.silent[start[1] :]):
            if edit.step is not None:
                edit.with_it, edit.without_it = spot.singled_out(take_over)
                edit.step, edit.names, edit.here, edit.exact = self._step, names, None, False

    def declaring(self, view: View) -> dict[str, list[Alternative]]:
        """Property → the alternatives of a view that declare it."""
        found = self._declaring.get(view)
        if found is None:
            found = self._declaring[view] = {}
            for item in view.alternatives:
                names = declared(item.node())
                self.questions.budget.spend(len(names))
                for name in names:
                    found.setdefault(name, []).append(item)
        return found

    def _exclusion(self, old: View, new: View, *, root: bool, trust: bool) -> None:
        """``anyOf`` becomes ``oneOf`` or the reverse, which matters to values that satisfy two alternatives."""
        if old.exclusive == new.exclusive or len(old.alternatives) < 2 or len(new.alternatives) < 2:
            return
        before, after = (union(old.node.pointer, old.alternatives, exclusive=view.exclusive) for view in (old, new))
        forward, backward = self.questions.both(before, after, root=root)
        keys = "oneOf" if old.exclusive else "anyOf", "oneOf" if new.exclusive else "anyOf"
        path = join_pointer(new.node.pointer, keys[1])
        edit = Edit("union", path, *keys, forward, backward, trusted=trust)
        edit.with_it, edit.without_it = (
            replacement_of(one, partial(_with_exclusion_of, one, other)) for one, other in ((old, new), (new, old))
        )
        edit.step = self._step
        self._add(edit)

    def _alternative_signature(self, alternative: Alternative) -> int:
        return self.questions.signature(alternative.node())

    def _notes(self, old: View, new: View) -> None:
        """Annotations with a practical effect. A missing default means null."""
        for key, family in NOTE_FAMILIES.items():
            before, place = old.notes.get(key, (MISSING, old.node.pointer))
            after, there = new.notes.get(key, (MISSING, new.node.pointer))
            if same_note(key, value_or_none(before), value_or_none(after)) or (
                family == "format" and (_retyped_altogether(old, new) or self._asserts(key, before, after))
            ):
                continue
            step = "changed" if key in old.notes and key in new.notes else ("added" if key in new.notes else "removed")
            path = join_pointer(there if key in new.notes else place, key)
            if (family, path) not in self._noted:
                self._noted.add((family, path))
                edit = Edit(family, path, before, after, kind=f"{family}-{step}")
                without, value = (old, after) if step == "added" else (new, before)
                if step != "changed" and without.states_default(value):
                    edit.note = frozenset({"stated"})
                self.edits.append(edit)

    def _asserts(self, key: str, *formats: Any) -> bool:
        """True if a format is an assertion here, which :meth:`_alternatives` compares."""
        return key == "format" and self.questions.assert_formats and any(map(format_patterns, formats))

    def _types(
        self,
        old: View,
        new: View,
        gone: list[Alternative],
        come: list[Alternative],
        retyped: list[tuple[Alternative, Alternative]],
        *,
        root: bool,
        trust: bool,
    ) -> None:
        """Added and removed types and alternatives; the rest of a retyped one is compared separately."""
        changed, reverted = list(come), list(gone)
        for before, after in retyped:
            implied = not all(item.stated_type for item in (before, after) if item.type is not None)
            if not implied or self._differ_in_type_alone(before, after):
                changed[changed.index(after)] = with_type_of(before, after)
                reverted[reverted.index(before)] = with_type_of(after, before)
            else:
                # The listed values imply the type, so their edit is the only one.
                changed[changed.index(after)], reverted[reverted.index(before)] = before, after
        left, arrived = set(map(id, gone)), set(map(id, come))
        with_them = [item for item in old.alternatives if id(item) not in left] + changed
        without = [item for item in new.alternatives if id(item) not in arrived] + reverted
        forward, backward = self.questions.both(old.node_with(old.alternatives), old.node_with(with_them), root=root)
        before_types = [alternative.type for alternative in old.alternatives]
        after_types = [alternative.type for alternative in new.alternatives]
        edit = Edit("type", new.node.pointer, before_types, after_types, forward, backward, trusted=trust)
        edit.with_it = replacement_of(old, lambda _: old.node_with(with_them))
        edit.without_it = replacement_of(new, lambda _: new.node_with(without))
        edit.step = self._step
        self._add(edit)

    def _differ_in_type_alone(self, before: Alternative, after: Alternative) -> bool:
        """True if nothing else is left to compare: ``{}`` became ``{"const": null}``, which is the type null."""
        one, other = comparable(before, after)
        return self._alternative_signature(with_type_of(one, other)) == self._alternative_signature(other)

    def _add(self, edit: Edit) -> None:
        (self.edits if edit.is_change else self.silent).append(edit)

    def _alternatives(self, spot: Spot) -> None:
        old, new = spot.old, spot.new
        self._homes = old.home, new.home

        def leaf(family: str, keys: tuple[str, ...], path: str = "", **more: Any) -> None:
            path = path or _path(old, new, keys)
            self._leaf(spot, keys, Edit(family, path, trusted=spot.trust, **more))

        for family, keys in _BOUNDS:
            if any(old.keys.get(key) != new.keys.get(key) for key in keys) or _retyped(old, new, keys):
                leaf(family, keys)
        if old.keys.get("format") != new.keys.get("format"):
            step = "added" if "format" not in old.keys else "changed" if "format" in new.keys else "removed"
            leaf("asserted-format", ("format",), kind=f"format-{step}")
        self._arrays(old, new, leaf, spot.trust)
        self._applicators(old, new, leaf)
        Objects(self, spot, leaf).compare()

    def _leaf(self, spot: Spot, keys: tuple[str, ...], edit: Edit) -> None:
        """Add the edit that gives some keywords their new values, if it changes anything."""
        used = tuple(key for key in keys if key in spot.old.keys or key in spot.new.keys)
        edit.old, edit.new = (one.shown(used, self.questions.keep) for one in (spot.old, spot.new))
        self.judge(spot, lambda one, other: one.with_keys({key: other.keys.get(key) for key in keys}), edit)
        self._add(edit)

    def judge(self, spot: Spot, take_over: TakeOver, edit: Edit) -> None:
        """Fill in the effect of an edit at its own place, and what isolates it.

        Args:
            spot: the place.
            take_over: returns an alternative with the content of another at the place of the edit.
            edit: the edit; its ``names`` are filled in.
        """
        before, after = slim(spot, take_over, edit.names)
        edit.forward = self.questions.forward(before, after, root=spot.root, witness=False)
        edit.here = partial(self._here, spot, take_over, edit.names)
        if edit.needs_direction:
            edit.backward = self.questions.backward(before, after, root=spot.root)
        edit.with_it, edit.without_it = spot.singled_out(take_over)
        edit.step = self._step
        edit.homes = spot.old.home, spot.new.home
        edit.exact = len(spot.old_view.alternatives) == len(spot.new_view.alternatives) == 1
        edit.trail = join_pointer("", *self._trail)

    def _here(self, spot: Spot, take_over: TakeOver, names: tuple[str, ...]) -> Containment:
        before, after = slim(spot, take_over, names)
        return self.questions.forward(before, after, root=spot.root)

    def _arrays(self, old: Alternative, new: Alternative, leaf: Any, trust: bool) -> None:
        heads = old.keys.get("prefixItems", []), new.keys.get("prefixItems", [])
        if len(heads[0]) == len(heads[1]):
            for before, after in zip(*heads, strict=True):
                self.nodes(before, after, trust=trust)
            self.child(old, new, "items", leaf, "items", trust)
        else:
            leaf("items", ("prefixItems", "items"))
        counts = ("minContains", "maxContains")
        if "contains" in old.keys or "contains" in new.keys:
            if any(old.keys.get(key) != new.keys.get(key) for key in counts):
                leaf("contains", ("contains", *counts))
            else:
                # With `maxContains`, an item schema that accepts more can make the array invalid.
                self.child(old, new, "contains", leaf, "contains", trust and "maxContains" not in old.keys)
        self._whole_keys(old, new, leaf, "items", ("unevaluatedItems",))

    def child(self, old: Alternative, new: Alternative, key: str, leaf: Any, family: str, trust: bool) -> None:
        """One subschema: walked if both sides have it, an edit of its own if only one has."""
        before, after = old.keys.get(key), new.keys.get(key)
        if before is None and after is None:
            return
        if before is None or after is None or is_false(before) or is_false(after):
            leaf(family, (key,))
        else:
            item = key == "items" and "prefixItems" not in old.keys
            around = self.inside((old, key, before), (new, key, after)) if key in IN_PLACE else NOT_IN_PLACE
            self.nodes(before, after, trust=trust, item=item, within=key in ("then", "else"), around=around)

    def _applicators(self, old: Alternative, new: Alternative, leaf: Any) -> None:
        self._whole_keys(old, new, leaf, "not", ("not",))
        if self._same(old, new, "if"):
            for key in ("then", "else"):
                if "if" in old.keys and not self._same(old, new, key):
                    self.child(old, new, key, leaf, "condition", False)
        else:
            leaf("condition", ("if", "then", "else"))
        for key, family in (("allOf", "all-of"), ("anyOf", "union"), ("oneOf", "union")):
            if self._same(old, new, key) or self._branches(old, new, key):
                continue
            others = ("anyOf", "oneOf") if family == "union" else (key,)
            leaf(family, others)
            # `anyOf` and `oneOf` together are one edit, which already exists.
            if family == "union":
                break

    def _branches(self, old: Alternative, new: Alternative, key: str) -> bool:
        """Compare the branches of a list if it is clear which became which; ``False`` if it is not."""
        before, after = old.keys.get(key), new.keys.get(key)
        if before is None or after is None or len(before) != len(after):
            return False
        differing = self._differing(before, after)
        # If several alternatives differ, nothing shows which became which. The parts of `allOf` all apply, in any
        # order.
        if key != "allOf" and len(differing) != 1:
            return False
        for one, other in differing:
            self._homes = deref(one).pointer, deref(other).pointer
            around = self.inside((old, key, one), (new, key, other))
            self.nodes(one, other, trust=False, within=True, around=around)
        return True

    def inside(
        self, old: tuple[Alternative, str, SchemaNode], new: tuple[Alternative, str, SchemaNode]
    ) -> tuple[Around, Around]:
        """What is around two schemas that apply in place."""
        return self.around[0].part(*old), self.around[1].part(*new)

    def _differing(self, old: list[SchemaNode], new: list[SchemaNode]) -> list[tuple[SchemaNode, SchemaNode]]:
        """Branches that only one of the lists has, in order."""
        signature = self.questions.signature
        before, after = (Counter(map(signature, branches)) for branches in (old, new))
        gone, come = before - after, after - before

        def left(branches: list[SchemaNode], extra: Counter[int]) -> list[SchemaNode]:
            out = []
            for branch in branches:
                if extra[signature(branch)]:
                    extra[signature(branch)] -= 1
                    out.append(branch)
            return out

        return list(zip(left(old, gone), left(new, come), strict=True))

    def _whole_keys(self, old: Alternative, new: Alternative, leaf: Any, family: str, keys: tuple[str, ...]) -> None:
        if not all(self._same(old, new, key) for key in keys):
            leaf(family, keys)

    def _same(self, old: Alternative, new: Alternative, key: str) -> bool:
        before, after = old.keys.get(key), new.keys.get(key)
        if before is None or after is None:
            return before is after
        if isinstance(before, list):
            signature = self.questions.signature
            return sorted(map(signature, before)) == sorted(map(signature, after))
        return self.questions.signature(before) == self.questions.signature(after)


def _relocated(path: str, definition: str, site: str) -> str:
    """The path of an edit in a definition, relative to the place that refers to it."""
    inside = path == definition or path.startswith(definition + "/")
    return site + path[len(definition) :] if inside else path


def _retyped_altogether(old: View, new: View) -> bool:
    """True if no type is on both sides: other edits come with the type and are not edits of their own."""
    before, after = ({item.type for item in view.alternatives} - {"null"} for view in (old, new))
    if before | after <= {"integer", "number"}:
        return False
    return None not in before | after and not before & after


def _with_exclusion_of(one: View, other: View, _: Keep | None) -> SchemaNode:
    return union(one.node.pointer, one.alternatives, exclusive=other.exclusive)


def _retyped(old: Alternative, new: Alternative, keys: tuple[str, ...]) -> bool:
    """True if equal values differ as JSON: ``1`` and ``true`` compare equal in Python."""
    return keys == ("enum",) and canonical_json(old.keys.get("enum")) != canonical_json(new.keys.get("enum"))


def _path(old: Alternative, new: Alternative, keys: tuple[str, ...]) -> str:
    for side in (new, old):
        for key in keys:
            if key in side.keys:
                return side.where.get(key) or join_pointer(side.home, key)
    return new.home
