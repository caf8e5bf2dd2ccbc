"""Which keys an object declares, counting every schema that applies to it, and which alternatives exclude each
other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.frozen import frozen
from mcp_governor.surface.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcp_governor.change.node import Node

UNIONS = ("anyOf", "oneOf")


@frozen
class Names:
    """Property names and name patterns."""

    properties: frozenset[str] = frozenset()
    patterns: frozenset[str] = frozenset()

    def __or__(self, other: Names) -> Names:
        return Names(self.properties | other.properties, self.patterns | other.patterns)

    def __bool__(self) -> bool:
        return bool(self.properties or self.patterns)


NO_NAMES = Names()


def parts(node: Node, *, unions: bool = True) -> Iterable[Node]:
    """The schemas whose keys count together with those of ``node``."""
    keywords = node.keywords
    for key in ("$ref", "if", "then", "else"):
        if key in keywords:
            yield keywords[key]
    yield from keywords.get("allOf", ())
    yield from keywords.get("dependentSchemas", {}).values()
    if unions:
        for key in UNIONS:
            yield from keywords.get(key, ())


def own_names(node: Node) -> Names:
    """The keys that a schema object itself names."""
    keywords = node.keywords
    named = {*keywords.get("properties", ()), *keywords.get("required", ())}
    for name, needed in keywords.get("dependentRequired", {}).items():
        named |= {name, *needed}
    named.update(keywords.get("dependentSchemas", ()))
    return Names(frozenset(named), frozenset(keywords.get("patternProperties", ())))


def _together(node: Node, *, unions: bool = True) -> Iterator[Node]:
    """``node`` and every schema whose keys count together with its own, each once, however many ways lead there."""
    yield node
    seen = {node}
    pending = list(parts(node, unions=unions))
    while pending:
        part = pending.pop()
        if part not in seen:
            seen.add(part)
            yield part
            pending.extend(parts(part))


def names(node: Node, *, unions: bool = True) -> Names:
    """The keys that count together at ``node``; without its own unions where asked."""
    properties: set[str] = set()
    patterns: set[str] = set()
    for part in _together(node, unions=unions):
        own = own_names(part)
        properties |= own.properties
        patterns |= own.patterns
    return Names(frozenset(properties), frozenset(patterns))


def declared_elsewhere(node: Node) -> frozenset[str]:
    """Properties that the schemas which apply along with ``node`` declare."""
    return frozenset(
        name for part in _together(node) if part is not node for name in part.keywords.get("properties", ())
    )


def declares(node: Node) -> bool:
    """Whether any schema that counts here declares properties; an object that declares none is a map."""
    return any(part.keywords.get("properties") or part.keywords.get("patternProperties") for part in _together(node))


def is_false(node: Any) -> bool:
    """Whether a node is the schema ``false``."""
    refused = node.keywords.get("not") if len(node.keywords) == 1 else None
    return refused is not None and not refused.keywords and not refused.opaque


def is_true(node: Node) -> bool:
    """Whether a node is the schema ``true`` or ``{}``."""
    return not node.keywords and not node.opaque


def closed_here(node: Node) -> bool:
    """Whether the node itself forbids keys that it does not declare."""
    return any(
        key in node.keywords and is_false(node.keywords[key])
        for key in ("additionalProperties", "unevaluatedProperties")
    )


def has_extra_schema(node: Node) -> bool:
    """Whether a schema that counts here gives undeclared keys a schema: their openness is meant."""
    return any(map(has_extra_schema_itself, _together(node)))


def has_extra_schema_itself(node: Node) -> bool:
    """Like :func:`has_extra_schema`, leaving out the alternatives of the node's own unions."""
    extra = (node.keywords.get(key) for key in ("additionalProperties", "unevaluatedProperties"))
    return any(item is not None and not is_true(item) and not is_false(item) for item in extra)


def types_of(node: Node) -> frozenset[str] | None:
    """The JSON types that ``type``, ``const`` and ``enum`` leave, ``None`` where they say nothing."""
    given = node.keywords.get("type")
    if given is not None:
        return frozenset([given] if isinstance(given, str) else given)
    values = fixed_values(node)
    if values is not None:
        return frozenset(json_type(value) for value in values)
    given = next((part.keywords["type"] for part in _all_of(node) if "type" in part.keywords), None)
    return None if given is None else frozenset([given] if isinstance(given, str) else given)


def fixed_values(node: Node) -> list[Any] | None:
    """The values of ``const`` or ``enum``, here or in a schema that must hold too."""
    for part in _all_of(node):
        if "const" in part.keywords:
            return [part.keywords["const"]]
        if "enum" in part.keywords:
            return list(part.keywords["enum"])
    return None


def _all_of(node: Node) -> Iterator[Node]:
    """A node and what must hold along with it, each once, however many ways lead there."""
    seen: set[Node] = set()
    pending = [node]
    while pending:
        part = pending.pop()
        if part not in seen:
            seen.add(part)
            yield part
            pending.extend(reversed(part.keywords.get("allOf", ())))
            if "$ref" in part.keywords:
                pending.append(part.keywords["$ref"])


def json_type(value: Any) -> str:
    """The JSON Schema type of a value; 1.0 is an integer, as in JSON Schema."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, dict):
        return "object"
    if isinstance(value, list):
        return "array"
    return "integer" if value == int(value) else "number"


def tags(node: Node) -> dict[str, frozenset[str]]:
    """Properties that a schema pins to fixed values: name → the values' canonical texts."""
    found: dict[str, frozenset[str]] = {}
    for part in _all_of(node):
        for name, child in part.keywords.get("properties", {}).items():
            values = fixed_values(child) if name not in found else None
            if values is not None:
                found[name] = frozenset(map(canonical_json, values))
    return found


def exclusive(left: Node, right: Node) -> bool:
    """Whether no instance can be meant by both alternatives: other types, or another tag."""
    left_types, right_types = types_of(left), types_of(right)
    if left_types is not None and right_types is not None and _disjoint(left_types, right_types):
        return True
    left_tags, right_tags = tags(left), tags(right)
    return any(not left_tags[name] & right_tags[name] for name in left_tags.keys() & right_tags.keys())


def _disjoint(left: frozenset[str], right: frozenset[str]) -> bool:
    def widened(types: frozenset[str]) -> frozenset[str]:
        return types | {"integer"} if "number" in types else types

    return not widened(left) & widened(right)
