"""Fields that one closed alternative of a result leaves out and another declares.

A reader skips keys that it does not know. One that another alternative declares it does know, and reads. Without that,
a closed alternative that requires nothing would excuse whatever the others do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.change.names import closed_here, fixed_values, names, types_of
from mcp_governor.surface.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcp_governor.change.graph import SchemaNode


def known_fields(branches: Sequence[SchemaNode], spend: Callable[[int], None]) -> dict[str, list[SchemaNode]]:
    """The fields by name, with all their declarations: where such a field occurs, it is as one of them says.

    Args:
        branches: the alternatives, references followed.
        spend: called with the work.
    """
    objects = [branch for branch in branches if "object" in (types_of(branch) or ("object",))]
    if not any(map(closed_here, objects)):
        return {}
    index = _Declaring(objects)
    wanted: set[str] = set()
    unsure: set[str] = set()
    for branch in objects:
        every, own = names(branch), branch.keywords.get("properties", {}).keys()
        spend(1 + len(own))
        if not closed_here(branch) or every.patterns:
            unsure |= index.declared.keys() - own  # it allows them with any value
            continue
        unsure |= every.properties - own  # declared by another keyword than ``properties``
        for other in index.confusable(branch):
            spend(1)
            wanted |= other.keywords.get("properties", {}).keys() - own
    return {name: index.declared[name] for name in sorted(wanted - unsure)}


class _Declaring:
    """Which alternatives declare a key, by the value that they fix for it."""

    def __init__(self, objects: Sequence[SchemaNode]) -> None:
        self.objects = objects
        self.declared: dict[str, list[SchemaNode]] = {}
        self._by_value: dict[str, dict[str | None, list[SchemaNode]]] = {}
        for branch in objects:
            for name, schema in branch.keywords.get("properties", {}).items():
                self.declared.setdefault(name, []).append(schema)
                self._by_value.setdefault(name, {}).setdefault(_fixed(schema), []).append(branch)

    def confusable(self, branch: SchemaNode) -> Sequence[SchemaNode]:
        """The alternatives whose objects can have what this one requires; at least those."""
        found = self.objects
        properties = branch.keywords.get("properties", {})
        for name in branch.keywords.get("required", ()):
            by_value = self._by_value.get(name, {})
            value = _fixed(properties[name]) if name in properties else None
            if value is None:
                fitting = [other for others in by_value.values() for other in others]
            else:
                fitting = by_value.get(value, []) + by_value.get(None, [])
            found = min(found, fitting, key=len)
        return found


def _fixed(schema: SchemaNode) -> str | None:
    values = fixed_values(schema)
    return canonical_json(values[0]) if values is not None and len(values) == 1 else None
