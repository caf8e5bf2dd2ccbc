"""Objects: declared keys that are added, removed or become required, and the values of undeclared keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from mcp_governor.change.edit import Edit
from mcp_governor.change.joint import NOT_IN_PLACE, JointSpot, distinguishing
from mcp_governor.change.names import (
    closed_here,
    declared,
    declared_elsewhere,
    declares,
    fixed_values,
    has_extra_schema,
    has_extra_schema_itself,
    is_false,
    is_true,
    names,
    types_of,
)
from mcp_governor.change.reading import plain
from mcp_governor.change.renames import likely_same_argument, same_but_for_shape
from mcp_governor.change.vocabulary import MISSING, Side
from mcp_governor.change.wording import code, listed_values
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.schemas.translation import DISPUTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcp_governor.change.edit import Questions
    from mcp_governor.change.graph import SchemaNode
    from mcp_governor.change.joint import Around
    from mcp_governor.change.partial_schemas import Spot, TakeOver
    from mcp_governor.change.view import Alternative, View


_MAX_RENAMES = 400
"""Maximum number of pairs of removed and added keys that are compared."""


class Leaf(Protocol):
    """Adds the edit that gives some keywords of the old alternative their new values."""

    def __call__(self, family: str, keys: tuple[str, ...], path: str = "", **more: Any) -> None: ...


class Walker(Protocol):
    """The walk to which a comparison of objects belongs (:class:`mcp_governor.change.walk.Walk`)."""

    questions: Questions
    edits: list[Edit]
    silent: list[Edit]
    complete: bool
    around: tuple[Around, Around]

    def property(self, name: str, old: SchemaNode, new: SchemaNode, *, trust: bool, was: str = "") -> None: ...

    def nodes(
        self, old: SchemaNode, new: SchemaNode, *, trust: bool = True, around: tuple[Around, Around] = NOT_IN_PLACE
    ) -> None: ...

    def child(self, old: Alternative, new: Alternative, key: str, leaf: Leaf, family: str, trust: bool) -> None: ...

    def judge(self, spot: Spot, take_over: TakeOver, edit: Edit) -> None: ...

    def isolate(self, start: tuple[int, int], spot: Spot, take_over: TakeOver, names: tuple[str, ...]) -> None: ...

    def inside(
        self, old: tuple[Alternative, str, SchemaNode], new: tuple[Alternative, str, SchemaNode]
    ) -> tuple[Around, Around]: ...

    def declaring(self, view: View) -> dict[str, list[Alternative]]: ...


class Objects:
    """The comparison of two object alternatives; adds their edits to ``walk``."""

    def __init__(self, walk: Walker, spot: Spot, leaf: Leaf) -> None:
        self.walk = walk
        self.spot = spot
        self.leaf = leaf
        self.old = old = spot.old
        self.new = new = spot.new
        self.root = spot.root
        self.trust = spot.trust
        self.old_elsewhere, self.new_elsewhere = (
            declared_elsewhere(side.node()) | around.names for side, around in zip((old, new), walk.around, strict=True)
        )
        self.old_properties: dict[str, SchemaNode] = _declared(old)
        self.new_properties: dict[str, SchemaNode] = _declared(new)
        self.old_required = frozenset(old.keys.get("required", ()))
        self.new_required = frozenset(new.keys.get("required", ()))

    def compare(self) -> None:
        self._properties()
        if not self._respelled():
            self._patterns()
            self._extra()
        for key in ("dependentRequired", DISPUTED):
            if self.old.keys.get(key) != self.new.keys.get(key):
                self.leaf("dependency", (key,))
        self._dependent_schemas()
        self.walk.child(self.old, self.new, "propertyNames", self.leaf, "property-names", self.trust)

    # declared keys

    def _properties(self) -> None:
        gone = [name for name in self.old_properties if name not in self.new_properties]
        come = [name for name in self.new_properties if name not in self.old_properties]
        # What another schema here, or another alternative, declares as well did not go or come with this one.
        gone, kept = _split(gone, lambda name: name in self.new_elsewhere or bool(self._others(name, new=True)))
        come, known = _split(come, lambda name: name in self.old_elsewhere or bool(self._others(name, new=False)))
        for before, after in self._renamed(gone, come):
            gone.remove(before)
            come.remove(after)
            node = self.new_properties[after]
            renamed = Edit("argument", node.pointer, before, after, kind="argument-renamed", name=before)
            self._put(renamed, before, after)
            self._shared(after, before)
        for name in gone:
            self._removed(name)
        for name in kept:
            self._removed_here(name)
        for name in come:
            self._added(name)
        for name in known:
            self._added_here(name)
        self._elsewhere()
        shared = [name for name in self.old_properties if name in self.new_properties]
        for name in shared:
            self._shared(name)
        for name in sorted(self.old_required ^ self.new_required):
            if name in shared or name not in {*self.old_properties, *self.new_properties}:
                self._required(name)

    def _shared(self, name: str, was: str = "") -> None:
        start = len(self.walk.edits), len(self.walk.silent)
        before, after = self.old_properties[was or name], self.new_properties[name]
        self.walk.property(name, before, after, trust=self.trust, was=was)
        if isinstance(self.spot, JointSpot):
            names = (was or name, name)
            self.walk.isolate(start, self.spot, lambda one, other: _with_values_of(one, other, names), names)

    def _others(self, name: str, *, new: bool) -> list[SchemaNode]:
        """The other alternatives on a side that declare a key."""
        view = self.spot.new_view if new else self.spot.old_view
        mine = set(map(id, self.spot.members(new=new)))
        found = [part for part in self.walk.around[new].others if name in declared(part)]
        self.walk.questions.budget.spend(len(self.walk.around[new].others))
        if len(view.alternatives) > len(mine):
            found += [other.node() for other in self.walk.declaring(view).get(name, ()) if id(other) not in mine]
        self.walk.questions.budget.spend(len(found))
        return found

    def _removed_here(self, name: str) -> None:
        """A key that this alternative no longer declares, and another one does."""
        apart = None if name in self.new_elsewhere else distinguishing(self.new.node(), self._others(name, new=True))
        if apart is None:
            self.walk.complete = False  # The keys of alternatives that may hold together count together.
        else:
            self._removed(name, "branch-argument-removed", apart)

    def _added_here(self, name: str) -> None:
        apart = None if name in self.old_elsewhere else distinguishing(self.old.node(), self._others(name, new=False))
        if name in self.new_required:
            self._required(name)
        elif apart is None:
            self.walk.complete = False
        else:
            self._added(name, "branch-argument-added", apart)

    def _elsewhere(self) -> None:
        """Keys that only schemas applying along with one of the objects declare, and nothing on the other side does."""
        for mine, theirs, view, removed in (
            (self.old, self.new, self.spot.new_view, True),
            (self.new, self.old, self.spot.old_view, False),
        ):
            own, known = _declared(mine), declared(theirs.node())
            for name, nodes in declared(mine.node()).items():
                if name in own or name in known or name in self.walk.declaring(view):
                    continue
                if self.walk.around[removed].declares(name):
                    continue
                value = plain(nodes[0], self.walk.questions.keep)
                edit = Edit("argument", nodes[0].pointer, kind="argument-added", name=name, trusted=self.trust)
                if removed:
                    edit.kind, edit.old = "argument-removed", value
                else:
                    edit.new = value
                self.walk.edits.append(edit)

    def _renamed(self, gone: list[str], come: list[str]) -> list[tuple[str, str]]:
        if len(gone) * len(come) > _MAX_RENAMES:
            return []  # with so many changes no pair is certain
        pairs = [(before, after) for before in gone for after in come if self._is_rename(before, after)]
        olds, news = [before for before, _ in pairs], [after for _, after in pairs]
        return [pair for pair in pairs if olds.count(pair[0]) == news.count(pair[1]) == 1]

    def _is_rename(self, before: str, after: str) -> bool:
        self.walk.questions.budget.check()  # names and descriptions may be long
        one, other = self.old_properties[before], self.new_properties[after]
        if (before in self.old_required) != (after in self.new_required):
            return False
        if self.walk.questions.signature(one) != self.walk.questions.signature(other):
            # Its schema was edited as well, so only an equivalent name shows that it is the same parameter.
            types = types_of(one)
            return types is not None and types == types_of(other) and same_but_for_shape(before, after)
        return likely_same_argument(before, after, one.notes, other.notes)

    def _removed(self, name: str, kind: str = "argument-removed", apart: str = "") -> None:
        node = self.old_properties[name]
        edit = Edit("argument", node.pointer, plain(node, self.walk.questions.keep), kind=kind, name=name)
        edit.case = _case(self.new, apart)
        self._put(edit, name)

    def _added(self, name: str, kind: str = "", apart: str = "") -> None:
        node = self.new_properties[name]
        needed = name in self.new_required
        note = {"default"} if "default" in node.notes else set()
        if closed_here(self.old.node()):
            note.add("closed")
        elif has_extra_schema(self.old.node()) or names(self.old.node()).patterns:
            note.add("typed")
        kind = kind or ("required-argument-added" if needed else "argument-added")
        edit = Edit(
            "argument",
            node.pointer,
            MISSING,
            plain(node, self.walk.questions.keep),
            kind=kind,
            name=name,
            note=frozenset(note),
        )
        edit.case = _case(self.old, apart)
        self._put(edit, name)

    def _required(self, name: str) -> None:
        now = name in self.new_required
        node = self.new_properties.get(name) or self.old_properties.get(name)
        at = node.pointer if node is not None else join_pointer(self.new.home, "required")
        note = frozenset({"default"} if node is not None and "default" in node.notes else ())
        kind = "argument-required" if now else "argument-optional"
        edit = Edit("argument", at, not now, now, kind=kind, name=name, note=note)
        edit.trusted = self.trust
        edit.names = (name,)
        self.walk.judge(self.spot, lambda one, other: _with_need_of(one, other, name), edit)
        self.walk.edits.append(edit)

    def _put(self, edit: Edit, *names: str) -> None:
        """Add an edit of some declared keys: their schemas, and if they are required."""
        edit.trusted = self.trust
        edit.names = names
        self.walk.judge(self.spot, lambda one, other: _with_keys_of(one, other, names), edit)
        self.walk.edits.append(edit)

    # -- keys that are declared by pattern, or not at all

    def _patterns(self) -> None:
        before = self.old.keys.get("patternProperties", {})
        after = self.new.keys.get("patternProperties", {})
        for pattern in sorted(before.keys() & after.keys()):
            self.walk.nodes(before[pattern], after[pattern], trust=self.trust)
        if before.keys() == after.keys():
            return
        gone, come = before.keys() - after.keys(), after.keys() - before.keys()
        pattern = min(come or gone)
        at = (after if come else before)[pattern].pointer
        kind = None
        changed = self.old.with_keys({"patternProperties": after or None})
        if all(answer.verdict == "yes" for answer in self.walk.questions.both(self.old.node(), changed.node())):
            # Undeclared keys are allowed, so the sets are equal; only the declaration was added or removed.
            kind = self._declared_by_pattern(gone, come)
            if kind is None:
                return
        self.leaf("key-pattern", ("patternProperties",), at, kind=kind)

    def _declared_by_pattern(self, gone: Iterable[str], come: Iterable[str]) -> str | None:
        """The kind of an edit of patterns that rejects nothing; ``None`` if they declare the same keys."""
        no_more = self._all_declared(come, self.old)
        if self._all_declared(gone, self.new):
            return None if no_more else "key-pattern-added"
        if come and no_more and self.walk.questions.side is Side.OUTPUT:
            return "key-pattern-tightened"  # to a client that reads all keys, they are data instead of fields
        return "key-pattern-removed"

    def _all_declared(self, patterns: Iterable[str], alternative: Alternative) -> bool:
        """True if the other side declares every key that some patterns match."""
        declared = [{"pattern": pattern} for pattern in sorted(alternative.keys.get("patternProperties", ()))]
        declared.append({"enum": sorted(_declared(alternative))})
        matched = [{"type": "string", "pattern": pattern} for pattern in sorted(patterns)]
        return all(self.walk.questions.covers({"anyOf": declared}, one) for one in matched)

    def _respelled(self) -> bool:
        """True if the rule for undeclared keys is the same, written differently: by pattern, by name, by closing."""
        keys = ("patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames")
        if closed_here(self.old.node()) == closed_here(self.new.node()):
            return False
        changed = self.old.with_keys({key: self.new.keys.get(key) for key in keys})
        covers, old, new = self.walk.questions.covers, self.old.node(), changed.node()
        return covers(old, new) and covers(new, old)

    def _extra(self) -> None:
        old, new = self.old.node(), self.new.node()
        was_closed, is_closed = closed_here(old), closed_here(new)
        keys = ("additionalProperties", "unevaluatedProperties")
        if was_closed != is_closed:
            note = set()
            if not was_closed and (has_extra_schema_itself(old) or any(key in self.old.keys for key in keys)):
                note.add("explicit")
            if declares(old) or self.root:
                note.add("declares")
            if self.root and not declares(old):
                note.add("bare")
            at = next(
                (one.where[key] for one in (self.new, self.old) for key in keys if key in one.keys), self.new.home
            )
            self.leaf("openness", keys, at, kind="closed" if is_closed else "opened", note=frozenset(note))
            return
        if was_closed:
            return
        for key in keys:
            before, after = self.old.keys.get(key), self.new.keys.get(key)
            if before is None and after is None:
                continue
            if before is None or after is None:
                self._extra_stated(key, before, after)
            elif is_true(before) != is_true(after) and not self.walk.questions.covers(
                after if is_true(before) else before, True
            ):
                # The declared reading closes what was explicitly open, so containment does not see the change.
                kind = "extra-values-tightened" if is_true(before) else "extra-values-loosened"
                self.leaf("extra-values", (key,), after.pointer, kind=kind, note=frozenset({"explicit"}))
            else:
                self.walk.nodes(before, after, trust=self.trust)

    def _extra_stated(self, key: str, before: SchemaNode | None, after: SchemaNode | None) -> None:
        """An added or removed schema for undeclared keys, which is reported even if the declared reading ignores it."""
        stated = after if before is None else before
        if stated is None or self.walk.questions.covers(stated, True):
            return
        if not (declares(self.old.node()) and declares(self.new.node())):
            self.leaf("extra-values", (key,))
            return
        kind = "extra-values-tightened" if before is None else "extra-values-loosened"
        self.leaf("extra-values", (key,), kind=kind)

    def _dependent_schemas(self) -> None:
        before = self.old.keys.get("dependentSchemas", {})
        after = self.new.keys.get("dependentSchemas", {})
        for name in sorted(before.keys() & after.keys()):
            one, other = (self.old, "dependentSchemas", before[name]), (self.new, "dependentSchemas", after[name])
            self.walk.nodes(before[name], after[name], trust=False, around=self.walk.inside(one, other))
        if before.keys() != after.keys():
            self.leaf("dependency", ("dependentSchemas",))


def _declared(alternative: Alternative) -> dict[str, SchemaNode]:
    """Properties that can have a value; a property that is ``false`` is forbidden, not declared."""
    return {name: node for name, node in alternative.keys.get("properties", {}).items() if not is_false(node)}


def _with_need_of(one: Alternative, other: Alternative, name: str) -> Alternative:
    """The alternative with one more required property, or with one fewer, as in another one."""
    needed = frozenset(other.keys.get("required", ())) & {name}
    required = frozenset(one.keys.get("required", ())) - {name} | needed
    return one.with_keys({"required": sorted(required) or None})


def _with_values_of(one: Alternative, other: Alternative, names: tuple[str, ...]) -> Alternative:
    """``one`` with the values that ``other`` allows for some keys that it has."""
    theirs = other.keys.get("properties", {})
    return one.with_keys(
        {"properties": {**one.keys.get("properties", {}), **{key: theirs[key] for key in names if key in theirs}}}
    )


def _split(names: list[str], check: Callable[[str], bool]) -> tuple[list[str], list[str]]:
    """The names that fail a check, and those that pass it."""
    passed = [name for name in names if check(name)]
    return [name for name in names if name not in passed], passed


def _case(alternative: Alternative, apart: str) -> str:
    """The values of the property that distinguishes an alternative from others, for a message."""
    values = fixed_values(alternative.keys["properties"][apart]) if apart else None
    return f"where {code(apart)} is {listed_values(values)}" if values else ""


def _with_keys_of(one: Alternative, other: Alternative, names: tuple[str, ...]) -> Alternative:
    """``one`` with the rules of ``other`` for some keys; a closed object rejects those that it lacks."""
    theirs = other.keys.get("properties", {})
    properties = {key: node for key, node in one.keys.get("properties", {}).items() if key not in names}
    properties |= {key: theirs[key] for key in names if key in theirs}
    required = set(one.keys.get("required", ())) - set(names)
    required |= set(names) & set(other.keys.get("required", ()))
    keys: dict[str, Any] = {"properties": properties or None, "required": sorted(required) or None}
    if any(key not in theirs for key in names):
        keys |= {key: other.keys.get(key) for key in ("additionalProperties", "unevaluatedProperties")}
    return one.with_keys(keys)
