"""Published schemas against derivations from a project's own types: keys, required keys, values and types, both ways.

The type map is that of the tool schema guide (section 2): ``X | None`` is ``X`` that is not required, so a published
schema may leave out ``null`` where the parameter may be left out.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.containment import contains
from mcp_governor.schemas.dialects import LATEST, dialect_of
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.schemas.references import Document
from mcp_governor.surface.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MAX_DEPTH = 12
"""Deepest nesting of objects and lists that is compared member by member: deeper than any published model. What lies
below is compared by containment."""

MAX_PARTS = 5_000
"""Most pairs of parts that are compared for one tool: a hundred times those of the largest published model. The rest
is undecided."""

_SCALARS = ("string", "integer", "number", "boolean")
_NULL = frozenset({"null"})
_ALL = frozenset({*_SCALARS, "array", "object", "null"})


class Gap(Struct, frozen=True):
    """One difference between a published schema and a derived one.

    Attributes:
        rule: the last part of the rule's id.
        says: key of its message.
        name: the parameter with those around it: ``filter.kind``.
        path: JSON pointer in the published schema.
        facts: for the message.
    """

    rule: str
    says: str
    name: str
    path: str
    facts: Mapping[str, Any]


class _Node(Struct, frozen=True):
    """A part of a schema, with what it refers to in place.

    Attributes:
        types: JSON types without ``null``; ``None`` if it accepts any.
        values: the values that it is limited to, without ``null``, as JSON; ``None`` if it is not limited.
        nullable: true if it accepts ``null``.
        branches: the alternatives that are left, each of them; one for a part that is not a union.
    """

    types: frozenset[str] | None
    values: frozenset[str] | None
    nullable: bool
    branches: tuple[dict[str, Any], ...]


def gaps(published: Any, derived: Any, *, excluded: Mapping[str, str], deadline: float) -> list[Gap]:
    """The differences between two input schemas.

    Args:
        published: as the server publishes it.
        derived: from the model.
        excluded: parameter that the server fills in → why; it may not be published.
        deadline: seconds for one question of containment.
    """
    return list(_Comparison(published, derived, deadline).run(excluded))


class _Side:
    """One of the two schemas."""

    def __init__(self, schema: Any) -> None:
        self.schema = schema if isinstance(schema, dict) else {}
        self._document = Document(self.schema, draft=dialect_of(self.schema) or LATEST)

    def plain(self, schema: Any) -> dict[str, Any]:
        """A part with the schemas that it refers to and the only branch of an ``allOf`` merged into it."""
        merged: dict[str, Any] = {}
        for _ in range(MAX_DEPTH):
            if not isinstance(schema, dict):
                return merged
            merged = {**{key: value for key, value in schema.items() if key not in ("$ref", "allOf")}, **merged}
            reference, parts = schema.get("$ref"), schema.get("allOf")
            if isinstance(reference, str):
                found = self._document.find("", reference)
                schema = found.schema if found is not None else None
            elif isinstance(parts, list) and len(parts) == 1:
                schema = parts[0]
            else:
                if isinstance(parts, list):
                    merged["allOf"] = parts
                return merged
        return merged

    def node(self, schema: Any) -> _Node:
        """The part as alternatives without ``null``."""
        branches = [(part, _types(part), _values(part)) for part in self._branches(schema, MAX_DEPTH)]
        kept = [branch for branch in branches if _NULL not in branch[1:]]
        nullable = len(kept) < len(branches) or any("null" in (part or ()) for branch in kept for part in branch[1:])
        types, values = _union([branch[1] for branch in kept]), _union([branch[2] for branch in kept])
        return _Node(types, values if kept else None, nullable, tuple(branch[0] for branch in kept))

    def _branches(self, schema: Any, depth: int) -> Iterator[dict[str, Any]]:
        part = self.plain(schema)
        for keyword in ("anyOf", "oneOf"):
            listed = part.get(keyword)
            if isinstance(listed, list) and listed and depth:
                for one in listed:
                    yield from self._branches(one, depth - 1)
                return
        yield part

    def whole(self, schema: dict[str, Any]) -> dict[str, Any]:
        """A part as a schema of its own, with the definitions that it may refer to."""
        return {
            **{key: self.schema[key] for key in ("$schema", "$defs", "definitions") if key in self.schema},
            **schema,
        }


def _union(parts: Sequence[frozenset[str] | None]) -> frozenset[str] | None:
    """All of these but ``null``; ``None`` if one of them is everything."""
    found = [part for part in parts if part is not None]
    return None if len(found) < len(parts) else frozenset().union(*found) - {"null"}


def _types(schema: Mapping[str, Any]) -> frozenset[str] | None:
    given = schema.get("type")
    if isinstance(given, str):
        return frozenset({given})
    if isinstance(given, list) and given:
        return frozenset(item for item in given if isinstance(item, str))
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(values, list) and values:
        return frozenset(_type_of(value) for value in values)
    if "properties" in schema:
        return frozenset({"object"})
    return frozenset({"array"}) if "items" in schema else None


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    for kind, name in ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array")):
        if isinstance(value, kind):
            return name
    return "object"


def _values(schema: Mapping[str, Any]) -> frozenset[str] | None:
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    return frozenset(map(canonical_json, values)) if isinstance(values, list) else None


class _Comparison:
    """One comparison; it counts its parts."""

    def __init__(self, published: Any, derived: Any, deadline: float) -> None:
        self._published, self._derived = _Side(published), _Side(derived)
        self._deadline = deadline
        self._left = MAX_PARTS
        self._open: set[tuple[str, str]] = set()
        """Pairs of references that are being compared: a recursive model is compared once."""

    def run(self, excluded: Mapping[str, str]) -> Iterator[Gap]:
        published = self._published.plain(self._published.schema)
        derived = self._derived.plain(self._derived.schema)
        for name in excluded:
            if name in _object(published.get("properties")):
                pointer = join_pointer("/properties", name)
                yield Gap("parity-injected", "", name, pointer, {"reason": excluded[name]})
        yield from self._objects(published, derived, "", "", MAX_DEPTH, excluded=frozenset(excluded))

    def _objects(
        self,
        published: Mapping[str, Any],
        derived: Mapping[str, Any],
        name: str,
        path: str,
        depth: int,
        *,
        excluded: frozenset[str] = frozenset(),
    ) -> Iterator[Gap]:
        here, there = _object(published.get("properties")), _object(derived.get("properties"))
        required, needed = _strings(published.get("required")), _strings(derived.get("required"))
        open_derived = derived.get("additionalProperties") not in (None, False) and not there
        for key in there:
            if key not in here:
                yield Gap("parity-key", "missing", _join(name, key), f"{path}/properties", {})
        for key in here:
            if key in excluded:
                continue
            pointer = join_pointer(f"{path}/properties", key)
            full = _join(name, key)
            if key not in there:
                if not open_derived:
                    yield Gap("parity-key", "extra", full, pointer, {})
                continue
            if key in needed and key not in required:
                yield Gap("parity-required", "missing", full, pointer, {})
            if key in required and key not in needed:
                yield Gap("parity-required", "extra", full, pointer, {})
            optional = key not in needed
            yield from self._parts(here[key], there[key], full, pointer, depth - 1, optional=optional)

    def _parts(
        self, published: Any, derived: Any, name: str, path: str, depth: int, *, optional: bool = False
    ) -> Iterator[Gap]:
        self._left -= 1
        if self._left < 0:
            if self._left == -1:
                reason = f"it has more than {MAX_PARTS:,} parts"
                yield Gap("parity-type", "undecided", name, path, {"reason": reason})
            return
        one, other = (part.get("$ref") if isinstance(part, dict) else None for part in (published, derived))
        pair = {(one, other)} if isinstance(one, str) and isinstance(other, str) else set()
        if not pair & self._open:
            self._open |= pair
            yield from self._nodes(published, derived, name, path, depth, optional=optional)
            self._open -= pair

    def _nodes(
        self, published: Any, derived: Any, name: str, path: str, depth: int, *, optional: bool
    ) -> Iterator[Gap]:
        one, other = self._published.node(published), self._derived.node(derived)
        differ = one.values != other.values and not (one.values is None and other.values is None)
        types_differ = _shown(one.types) != _shown(other.types)
        null_differs = one.nullable != other.nullable and not (optional and other.nullable)
        if types_differ or (null_differs and one.types is not None and other.types is not None):
            facts = {"published": _words(one), "derived": _words(other)}
            yield Gap("parity-type", "type", name, path, facts)
            if types_differ:
                return
        if differ:
            yield from _enums(one, other, name, path)
            return
        if len(one.branches) == len(other.branches) == 1 and depth > 0:
            yield from self._single(one.branches[0], other.branches[0], name, path, depth)
        elif one.branches or other.branches:
            yield from self._contained(one, other, name, path)

    def _single(
        self, published: dict[str, Any], derived: dict[str, Any], name: str, path: str, depth: int
    ) -> Iterator[Gap]:
        types = _types(derived) or frozenset()
        if "object" in types and ("properties" in derived or "properties" in published):
            if "properties" not in published and "required" not in published:
                yield Gap("parity-key", "missing", _join(name, "*"), path, {})
            elif "properties" in derived:
                yield from self._objects(published, derived, name, path, depth)
        elif "object" in types and isinstance(derived.get("additionalProperties"), dict):
            # The guide publishes dict[str, str] as an object without more (section 2).
            values = published.get("additionalProperties")
            if isinstance(values, dict):
                inside = f"{path}/additionalProperties"
                yield from self._parts(values, derived["additionalProperties"], _join(name, "*"), inside, depth - 1)
        if "array" in types:
            items, wanted = published.get("items"), derived.get("items")
            if isinstance(wanted, dict) and wanted and not isinstance(items, dict):
                if "prefixItems" not in published:
                    yield Gap("parity-type", "items", name, path, {})
            elif isinstance(items, dict) and isinstance(wanted, dict):
                yield from self._parts(items, wanted, f"{name}[]", f"{path}/items", depth - 1)

    def _contained(self, one: _Node, other: _Node, name: str, path: str) -> Iterator[Gap]:
        """Unions of several shapes, and what is nested too deep, are compared by what they accept."""
        published = self._published.whole({"anyOf": list(one.branches)})
        derived = self._derived.whole({"anyOf": list(other.branches)})
        for outer, inner in ((published, derived), (derived, published)):
            answer = contains(outer, inner, deadline=self._deadline)
            if answer.verdict == "yes":
                continue
            if answer.verdict == "unknown":
                yield Gap("parity-type", "undecided", name, path, {"reason": answer.reason})
            else:
                facts = {"published": _words(one), "derived": _words(other)}
                if answer.has_witness:
                    side = "published" if inner is published else "derived"
                    facts[side] += f" (it accepts {json.dumps(answer.witness, ensure_ascii=False)[:80]})"
                yield Gap("parity-type", "type", name, path, facts)
            return


def _enums(one: _Node, other: _Node, name: str, path: str) -> Iterator[Gap]:
    if one.values is None or other.values is None:
        says = "open" if one.values is None else "closed"
        yield Gap("parity-enum", says, name, path, {"values": _listed(one.values or other.values or frozenset())})
        return
    for says, values in (("missing", other.values - one.values), ("extra", one.values - other.values)):
        if values:
            yield Gap("parity-enum", says, name, path, {"values": _listed(values)})


def _listed(values: frozenset[str]) -> str:
    return ", ".join(sorted(values))


def _shown(types: frozenset[str] | None) -> frozenset[str]:
    """The types as they are compared: a number may be an integer, and no type is every type."""
    found = _ALL - {"null"} if types is None or not types else types
    return found - {"integer"} if "number" in found else found


def _words(node: _Node) -> str:
    types = sorted(node.types) if node.types is not None else ["any type"]
    return " or ".join([*types, *(["null"] if node.nullable else [])]) or "null"


def _join(name: str, key: str) -> str:
    return f"{name}.{key}" if name else key


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _strings(value: Any) -> frozenset[str]:
    return frozenset(item for item in value if isinstance(item, str)) if isinstance(value, list) else frozenset()
