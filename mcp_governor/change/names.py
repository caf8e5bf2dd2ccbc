"""The keys that an object declares, including every schema that applies to it, and alternatives that exclude each
other."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.schemas.keywords import APPLICATORS, IN_PLACE
from mcp_governor.schemas.values import narrow_type_of
from mcp_governor.surface.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from mcp_governor.change.graph import SchemaNode


UNIONS = ("anyOf", "oneOf")
_JOINING = APPLICATORS.intersection(IN_PLACE) - {"not"} | {"$ref"}


class Names(Struct, frozen=True):
    """Property names and name patterns."""

    properties: frozenset[str] = frozenset()
    patterns: frozenset[str] = frozenset()

    def __or__(self, other: Names) -> Names:
        return Names(self.properties | other.properties, self.patterns | other.patterns)

    def __bool__(self) -> bool:
        return bool(self.properties or self.patterns)


NO_NAMES = Names()


def parts(node: SchemaNode, *, unions: bool = True, conditions: bool = True) -> Iterator[SchemaNode]:
    """The schemas whose keys count together with those of ``node``."""
    keywords = node.keywords
    if _JOINING.isdisjoint(keywords):
        return
    for key in ("$ref", "if", "then", "else"):
        if key in keywords and (conditions or key != "if"):
            yield keywords[key]
    yield from keywords.get("allOf", ())
    yield from keywords.get("dependentSchemas", {}).values()
    if unions:
        for key in UNIONS:
            yield from keywords.get(key, ())


def own_names(node: SchemaNode) -> Names:
    """The keys that a schema object itself names."""
    keywords = node.keywords
    named = {*keywords.get("properties", ()), *keywords.get("required", ())}
    for name, needed in keywords.get("dependentRequired", {}).items():
        named |= {name, *needed}
    named.update(keywords.get("dependentSchemas", ()))
    return Names(frozenset(named), frozenset(keywords.get("patternProperties", ())))


def together(node: SchemaNode, *, unions: bool = True, conditions: bool = True) -> Iterator[SchemaNode]:
    """``node`` and every schema whose keys count together with its own, each once, even if several paths lead to it.

    ``unions`` are its own ``anyOf`` and ``oneOf``, ``conditions`` are ``if``, here and below.
    """
    yield node
    seen = {node}
    pending = list(parts(node, unions=unions, conditions=conditions))[::-1]
    while pending:
        part = pending.pop()
        if part not in seen:
            seen.add(part)
            yield part
            pending.extend(list(parts(part, conditions=conditions))[::-1])


def names(node: SchemaNode, *, unions: bool = True) -> Names:
    """The keys that count together at ``node``; optionally without its own unions."""
    properties: set[str] = set()
    patterns: set[str] = set()
    for part in together(node, unions=unions):
        own = own_names(part)
        properties |= own.properties
        patterns |= own.patterns
    return Names(frozenset(properties), frozenset(patterns))


def declared_elsewhere(node: SchemaNode) -> frozenset[str]:
    """Properties that the schemas which apply along with ``node`` declare."""
    return frozenset(
        name for part in together(node) if part is not node for name in part.keywords.get("properties", ())
    )


def declared(node: SchemaNode) -> dict[str, list[SchemaNode]]:
    """Properties that can have a value → their schemas: the node's own, or else those of the schemas which apply along
    with it. A condition declares nothing."""
    found = {name: [child] for name, child in node.keywords.get("properties", {}).items() if not is_false(child)}
    more: dict[str, list[SchemaNode]] = {}
    for part in together(node, conditions=False):
        for name, child in part.keywords.get("properties", {}).items():
            if name not in found and not is_false(child):
                more.setdefault(name, []).append(child)
    return found | more


def declares(node: SchemaNode) -> bool:
    """True if any schema that counts here declares properties; an object that declares none is a map."""
    return any(part.keywords.get("properties") or part.keywords.get("patternProperties") for part in together(node))


def is_false(node: Any) -> bool:
    """True if a node is the schema ``false``."""
    refused = node.keywords.get("not") if len(node.keywords) == 1 else None
    return refused is not None and not refused.keywords and not refused.opaque


def is_true(node: SchemaNode) -> bool:
    """True if a node is the schema ``true`` or ``{}``."""
    return not node.keywords and not node.opaque


def closed_here(node: SchemaNode) -> bool:
    """True if the node itself forbids undeclared keys."""
    return any(
        key in node.keywords and is_false(node.keywords[key])
        for key in ("additionalProperties", "unevaluatedProperties")
    )


def has_extra_schema(node: SchemaNode) -> bool:
    """True if a schema that counts here gives undeclared keys a schema, so that they are intended."""
    return any(map(has_extra_schema_itself, together(node)))


def has_extra_schema_itself(node: SchemaNode) -> bool:
    """Like :func:`has_extra_schema`, without the alternatives of the node's own unions."""
    extra = (node.keywords.get(key) for key in ("additionalProperties", "unevaluatedProperties"))
    return any(item is not None and not is_true(item) and not is_false(item) for item in extra)


def types_of(node: SchemaNode) -> frozenset[str] | None:
    """The JSON types that ``type``, ``const`` and ``enum`` allow; ``None`` if they are missing."""
    given = node.keywords.get("type")
    if given is not None:
        return frozenset([given] if isinstance(given, str) else given)
    values = fixed_values(node)
    if values is not None:
        return frozenset(narrow_type_of(value) for value in values)
    given = next((part.keywords["type"] for part in _all_of(node) if "type" in part.keywords), None)
    return None if given is None else frozenset([given] if isinstance(given, str) else given)


def fixed_values(node: SchemaNode) -> list[Any] | None:
    """The values of ``const`` or ``enum``, here or in a schema that must hold as well."""
    for part in _all_of(node):
        if "const" in part.keywords:
            return [part.keywords["const"]]
        if "enum" in part.keywords:
            return list(part.keywords["enum"])
    return None


def _all_of(node: SchemaNode) -> Iterator[SchemaNode]:
    """A node and the schemas that must hold with it, each once, even if several paths lead to it."""
    seen: set[SchemaNode] = set()
    pending = [node]
    while pending:
        part = pending.pop()
        if part not in seen:
            seen.add(part)
            yield part
            pending.extend(reversed(part.keywords.get("allOf", ())))
            if "$ref" in part.keywords:
                pending.append(part.keywords["$ref"])


def tags(node: SchemaNode) -> dict[str, frozenset[str]]:
    """Properties with fixed values in a schema: name → canonical JSON of the values."""
    found: dict[str, frozenset[str]] = {}
    for part in _all_of(node):
        for name, child in part.keywords.get("properties", {}).items():
            values = fixed_values(child) if name not in found else None
            if values is not None:
                found[name] = frozenset(map(canonical_json, values))
    return found


class Overlaps:
    """Determines which alternatives of a union can apply to one instance, and the keys that those name.

    Two alternatives exclude each other if their types differ, or if they give one property different fixed values.
    Exclusions are looked up by property and value, so that 2,500 alternatives with a tag are not 6,000,000 pairs.
    """

    def __init__(self, branches: list[SchemaNode], spend: Callable[[int], None]) -> None:
        self._branches = branches
        self._spend = spend
        self._types = [_widened(types_of(branch)) for branch in branches]
        self._tags = [tags(branch) for branch in branches]
        self._by_types: dict[frozenset[str] | None, list[int]] = {}
        self._holders: dict[str, dict[str, list[int]]] = {}
        self._held: Counter[str] = Counter()
        for index, (types, tagged) in enumerate(zip(self._types, self._tags, strict=True)):
            self._by_types.setdefault(types, []).append(index)
            for name, values in tagged.items():
                self._held[name] += 1
                for value in values:
                    self._holders.setdefault(name, {}).setdefault(value, []).append(index)
        self._untagged: dict[str, list[int]] = {}
        self._everything: Names | None = None

    def names(self, index: int) -> Names:
        """The keys named by the other alternatives that do not exclude this one."""
        others = self._others(index)
        if len(others) == len(self._branches) - 1:
            return self._all_names()
        properties: set[str] = set()
        patterns: set[str] = set()
        for other in others:
            own = names(self._branches[other])
            self._spend(1 + len(own.properties))
            properties |= own.properties
            patterns |= own.patterns
        return Names(frozenset(properties), frozenset(patterns))

    @property
    def none(self) -> bool:
        """True if each alternative excludes every other one."""
        return not any(self._others(index) for index in range(len(self._branches)))

    def _all_names(self) -> Names:
        if self._everything is None:
            every = [names(branch) for branch in self._branches]
            self._everything = Names(
                frozenset().union(*(own.properties for own in every)),
                frozenset().union(*(own.patterns for own in every)),
            )
        return self._everything

    def _others(self, index: int) -> list[int]:
        """The alternatives that do not exclude this one."""
        found = self._candidates(index)
        self._spend(1 + len(found))
        return [other for other in found if other != index and not self._exclude(index, other)]

    def _candidates(self, index: int) -> Collection[int]:
        tagged = self._tags[index]
        if not tagged:
            return self._of_types(index)
        name = max(sorted(tagged), key=self._held.__getitem__)
        same = {other for value in tagged[name] for other in self._holders[name][value]}
        if name not in self._untagged:
            self._untagged[name] = [other for other, theirs in enumerate(self._tags) if name not in theirs]
        return same.union(self._untagged[name])

    def _of_types(self, index: int) -> list[int]:
        types = self._types[index]
        return [
            other
            for theirs, held in self._by_types.items()
            if types is None or theirs is None or types & theirs
            for other in held
        ]

    def _exclude(self, one: int, other: int) -> bool:
        types, theirs = self._types[one], self._types[other]
        if types is not None and theirs is not None and not types & theirs:
            return True
        tagged, others = self._tags[one], self._tags[other]
        return any(not tagged[name] & others[name] for name in tagged.keys() & others.keys())


def _widened(types: frozenset[str] | None) -> frozenset[str] | None:
    return types | {"integer"} if types is not None and "number" in types else types


def known_fields(branches: Sequence[SchemaNode], spend: Callable[[int], None]) -> dict[str, list[SchemaNode]]:
    """Fields that one closed alternative of a result leaves out and another declares, with all their declarations.

    A reader skips keys that it does not know. One that another alternative declares it does know, and reads. Without
    that, a closed alternative that requires nothing would excuse whatever the others do.

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
