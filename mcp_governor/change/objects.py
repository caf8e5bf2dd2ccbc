"""Objects: declared keys that come, go, or become required; what undeclared keys may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from mcp_governor.change.edit import Edit
from mcp_governor.change.names import (
    Names,
    closed_here,
    declares,
    has_extra_schema_itself,
    is_false,
    is_true,
    names,
)
from mcp_governor.change.node import Node
from mcp_governor.change.reading import render
from mcp_governor.change.renames import likely_same_argument
from mcp_governor.vocabulary import join_pointer

if TYPE_CHECKING:
    from mcp_governor.change.view import Alternative, View
    from mcp_governor.change.walk import Walk


class Leaf(Protocol):
    """Adds the edit that gives some keywords of the old alternative their new values."""

    def __call__(self, family: str, keys: tuple[str, ...], path: str = "", **more: Any) -> None: ...


def plain(value: Any) -> Any:
    """A keyword's value as JSON: nodes rendered as published."""
    if isinstance(value, Node):
        return render(value, noted=True)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def compare_objects(
    walk: Walk, whole: View, old: Alternative, new: Alternative, leaf: Leaf, *, root: bool, trust: bool
) -> None:
    """Add the edits between two object alternatives to ``walk``."""
    _Objects(walk, whole, old, new, leaf, root=root, trust=trust).compare()


class _Objects:
    def __init__(
        self, walk: Walk, whole: View, old: Alternative, new: Alternative, leaf: Leaf, *, root: bool, trust: bool
    ) -> None:
        self.walk = walk
        self.whole = whole
        self.old = old
        self.new = new
        self.leaf = leaf
        self.root = root
        self.trust = trust
        self.old_names: Names = names(old.node())
        self.new_names: Names = names(new.node())
        self.old_properties: dict[str, Node] = _declared(old)
        self.new_properties: dict[str, Node] = _declared(new)
        self.old_required = frozenset(old.keys.get("required", ()))
        self.new_required = frozenset(new.keys.get("required", ()))

    def compare(self) -> None:
        self._properties()
        self._patterns()
        self._extra()
        for key in ("dependentRequired",):
            if self.old.keys.get(key) != self.new.keys.get(key):
                self.leaf("dependency", (key,))
        self._dependent_schemas()
        self.walk._child(self.old, self.new, "propertyNames", self.leaf, "property-names", self.trust)

    # declared keys

    def _properties(self) -> None:
        gone = [name for name in self.old_properties if name not in self.new_properties]
        come = [name for name in self.new_properties if name not in self.old_properties]
        for before, after in self._renamed(gone, come):
            gone.remove(before)
            come.remove(after)
            self._put(
                "argument-renamed",
                self.new_properties[after].pointer,
                {before: None, after: self.new_properties[after]},
                (self.old_required - {before}) | ({after} & self.new_required),
                before,
                after,
                name=before,
            )
        for name in gone:
            if name in self.new_names.properties - self.new_required:
                self.walk.complete = False
                continue  # another schema that applies here declares it now
            self._put(
                "argument-removed",
                self.old_properties[name].pointer,
                {name: None},
                self.old_required - {name},
                plain(self.old_properties[name]),
                None,
                name=name,
                note=frozenset({"required"} if name in self.old_required else ()),
            )
        for name in come:
            if name in self.old_names.properties - self.old_required:
                self.walk.complete = False
                continue
            self._added(name)
        for name in [name for name in self.old_properties if name in self.new_properties]:
            before, after = self.old_properties[name], self.new_properties[name]
            self.walk.property(name, before, after, trust=self.trust)
        self._required([*self.old_required ^ self.new_required], {*gone, *come})

    def _renamed(self, gone: list[str], come: list[str]) -> list[tuple[str, str]]:
        pairs = []
        for before in gone:
            for after in come:
                one, other = self.old_properties[before], self.new_properties[after]
                same = self.walk.questions.signature(one) == self.walk.questions.signature(other)
                needed = (before in self.old_required) == (after in self.new_required)
                if same and needed and likely_same_argument(before, after, one.notes, other.notes):
                    pairs.append((before, after))
        once = [before for before, _ in pairs], [after for _, after in pairs]
        return [(before, after) for before, after in pairs if once[0].count(before) == once[1].count(after) == 1]

    def _added(self, name: str) -> None:
        node = self.new_properties[name]
        needed = name in self.new_required
        note = {"default"} if "default" in node.notes else set()
        if closed_here(self.old.node()):
            note.add("closed")
        self._put(
            "required-argument-added" if needed else "argument-added",
            node.pointer,
            {name: node},
            self.old_required | ({name} if needed else frozenset()),
            None,
            plain(node),
            name=name,
            note=frozenset(note),
        )

    def _required(self, changed: list[str], told: set[str]) -> None:
        for name in sorted(changed):
            if name in told and name not in self.old_properties.keys() & self.new_properties.keys():
                continue
            now = name in self.new_required
            node = self.new_properties.get(name) or self.old_properties.get(name)
            at = node.pointer if node is not None else join_pointer(self.new.home, "required")
            required = self.old_required | {name} if now else self.old_required - {name}
            note = frozenset({"default"} if node is not None and "default" in node.notes else ())
            kind = "argument-required" if now else "argument-optional"
            self._put(kind, at, {}, required, not now, now, name=name, note=note)

    def _put(
        self,
        kind: str,
        path: str,
        properties: dict[str, Node | None],
        required: frozenset[str],
        before: Any,
        after: Any,
        *,
        name: str,
        note: frozenset[str] = frozenset(),
    ) -> None:
        merged = {**self.old.keys.get("properties", {}), **properties}
        kept = {key: value for key, value in merged.items() if value is not None}
        changed = self.old.with_keys({"properties": kept or None, "required": sorted(required) or None})
        walk = self.walk
        forward, backward = walk.questions.both(self.old.node(), changed.node(), root=self.root)
        others = [changed if item is self.old else item for item in self.whole.alternatives]
        place = None if self.whole.node.synthetic else (self.whole.node, self.whole.node_with(others))
        edit = Edit("argument", path, before, after, forward, backward, place, kind, name, note, self.trust)
        walk.edits.append(edit)

    # keys that are declared by pattern, or not at all

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
        self.leaf("key-pattern", ("patternProperties",), at)

    def _extra(self) -> None:
        old, new = self.old.node(), self.new.node()
        was_closed, is_closed = closed_here(old), closed_here(new)
        keys = ("additionalProperties", "unevaluatedProperties")
        if was_closed != is_closed:
            note = set()
            if not was_closed and (has_extra_schema_itself(old) or self._explicitly_open()):
                note.add("explicit")
            if declares(old) or self.root:
                note.add("declares")
            at = join_pointer(self.new.where.get(keys[0], self.new.home), keys[0])
            self.leaf("openness", keys, at, kind="closed" if is_closed else "opened", note=frozenset(note))
            return
        if was_closed:
            return
        for key in keys:
            before, after = self.old.keys.get(key), self.new.keys.get(key)
            if before is None and after is None:
                continue
            if before is None or after is None:
                self.leaf("extra-values", (key,))
            elif is_true(before) and not is_true(after):
                self.leaf("extra-values", (key,), after.pointer, note=frozenset({"explicit"}))
            else:
                self.walk.nodes(before, after, trust=self.trust)

    def _explicitly_open(self) -> bool:
        return any(key in self.old.keys for key in ("additionalProperties", "unevaluatedProperties"))

    def _dependent_schemas(self) -> None:
        before = self.old.keys.get("dependentSchemas", {})
        after = self.new.keys.get("dependentSchemas", {})
        for name in sorted(before.keys() & after.keys()):
            self.walk.nodes(before[name], after[name], trust=False)
        if before.keys() != after.keys():
            self.leaf("dependency", ("dependentSchemas",))


def _declared(alternative: Alternative) -> dict[str, Node]:
    """Properties that may hold something; a property that is ``false`` is forbidden, not declared."""
    return {name: node for name, node in alternative.keys.get("properties", {}).items() if not is_false(node)}
