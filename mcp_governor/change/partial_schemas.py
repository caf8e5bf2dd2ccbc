"""Slices of a document around an edit, so that 20,000 edits of 20,000 properties take linear time.

A declared property does not matter to an instance without it. So if an instance has none of some optional properties, a
document without these properties gives the same result as the whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from mcp_governor.change.graph import SchemaNode
from mcp_governor.change.names import declared_elsewhere, is_false, is_true, together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mcp_governor.change.view import Alternative

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
        """What can be left out for an edit.

        Args:
            step: the path to it.
            names: the properties that it concerns.
            documents: which of the two are compared: ``"old"``, ``"new"``.
        """
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
