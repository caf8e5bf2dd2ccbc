"""A node as a list of alternatives, each of one type with flat keywords, so that different spellings look alike.

``$ref`` and ``allOf`` are merged if that loses nothing; ``anyOf``, ``oneOf``, lists in ``type`` and values in ``enum``
become alternatives; ``const`` becomes an ``enum`` with one value; bounds of integers become inclusive.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mcp_governor.change.graph import SchemaNode
from mcp_governor.change.names import UNIONS, is_true
from mcp_governor.change.reading import plain
from mcp_governor.change.vocabulary import MISSING
from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.keywords import REFERENCES, about
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.schemas.translation import DISPUTED
from mcp_governor.schemas.values import narrow_type_of
from mcp_governor.surface.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Callable

_KEYS_OF_TYPE = {
    "object": about("object") | {DISPUTED},
    "array": about("array"),
    "string": about("string") | {"format"},  # an assertion in some comparisons, see `graph.parse`
    "number": about("number"),
    "integer": about("number"),
    "boolean": frozenset[str](),
    "null": frozenset[str](),
}
_KEYS_OF_ALL = about("") - {"const", "type", *REFERENCES}
"""``const`` becomes a list, references are merged, and the type is separate."""
_MAX_ALTERNATIVES = 2_000
"""Maximum number of alternatives of one schema, besides those that it lists itself."""
_LOWER = frozenset({"exclusiveMinimum", "minContains", "minItems", "minLength", "minProperties", "minimum"})
_UPPER = frozenset({"exclusiveMaximum", "maxContains", "maxItems", "maxLength", "maxProperties", "maximum"})

_STATED = lazy_pattern(
    r"\bdefaults?\b[^.;\n]{0,24}?\b(true|false)\b|\b(true|false)\b[^.;\n]{0,12}\bby default\b", re.IGNORECASE
)


@dataclass(eq=False, repr=False, slots=True)
class Alternative:
    """One way to satisfy a schema.

    Attributes:
        type: its JSON type; ``None`` for any type.
        keys: its other assertions, in 2020-12 spelling.
        where: keyword → its pointer in the document.
        home: pointer to the schema object from which the alternative comes.
        notes: annotations that apply to it.
        stated: bounds as written, if ``keys`` has them in another form.
    """

    type: str | None
    keys: dict[str, Any]
    where: dict[str, str]
    home: str
    notes: dict[str, Any] = field(default_factory=dict)
    stated: dict[str, Any] = field(default_factory=dict)

    @property
    def stated_type(self) -> bool:
        """True if a ``type`` keyword gives the type; otherwise it follows from the listed values, or is open."""
        return self.type is not None and "type" in self.where

    def node(self) -> SchemaNode:
        """The alternative as a node of its own."""
        types = {} if self.type is None else {"type": self.type}
        return SchemaNode(self.home, {**types, **self.keys}, synthetic=True)

    def shown(self, keys: tuple[str, ...], spend: Callable[[int], None]) -> Any:
        """Values by keyword, or just the value if there is one keyword."""
        found = {
            key: self.stated[key] if key in self.stated else plain(self.keys[key], spend)
            for key in keys
            if key in self.keys
        }
        return found.get(keys[0], MISSING) if len(keys) == 1 else (found or MISSING)

    def with_keys(self, keys: dict[str, Any]) -> Alternative:
        """A copy with other values for some keywords; ``None`` removes one."""
        merged = {**self.keys, **keys}
        kept = {key: value for key, value in merged.items() if value is not None}
        return replace(self, keys=kept)


@dataclass(eq=False, repr=False, slots=True)
class View:
    """A node as alternatives.

    Attributes:
        node: the node.
        alternatives: at least one, except for the schema ``false``.
        exclusive: exactly one of them must hold (``oneOf``).
        notes: annotations of the node, with those of its references after its own.
    """

    node: SchemaNode
    alternatives: list[Alternative]
    exclusive: bool
    notes: dict[str, tuple[Any, str]]

    def states_default(self, value: Any) -> bool:
        """True if the description says which boolean an omitted parameter means."""
        text = self.node.notes.get("description")
        if not isinstance(value, bool) or not isinstance(text, str):
            return False
        return any(found.lower() == str(value).lower() for pair in _STATED.findall(text) for found in pair)

    def node_with(self, alternatives: list[Alternative]) -> SchemaNode:
        """The node with other alternatives."""
        return union(self.node.pointer, alternatives, exclusive=self.exclusive)


def union(pointer: str, alternatives: list[Alternative], *, exclusive: bool = False) -> SchemaNode:
    """A node that accepts what the alternatives accept."""
    if len(alternatives) == 1:
        return alternatives[0].node()
    if not alternatives:
        return SchemaNode(pointer, {"not": SchemaNode(pointer)})
    key = "oneOf" if exclusive else "anyOf"
    return SchemaNode(pointer, {key: [alternative.node() for alternative in alternatives]}, synthetic=True)


def deref(node: SchemaNode) -> SchemaNode:
    """The target of a bare reference."""
    while not node.opaque and set(node.keywords) == {"$ref"}:
        node = node.keywords["$ref"]
    return node


@dataclass(eq=False, repr=False, slots=True)
class _Flat:
    keys: dict[str, Any]
    where: dict[str, str]
    notes: dict[str, tuple[Any, str]]


def _flatten(node: SchemaNode, known: dict[SchemaNode, _Flat] | None = None) -> _Flat:
    """The node merged with the schemas that apply along with it, if that gives a single object.

    Args:
        node: the node.
        known: nodes that are already flattened: several paths may lead to one.
    """
    known = {} if known is None else known
    found = known.get(node)
    if found is None:
        found = known[node] = _merged(node, known)
    return found


def _merged(node: SchemaNode, known: dict[SchemaNode, _Flat]) -> _Flat:
    keys = {key: value for key, value in node.keywords.items() if key not in ("$ref", "allOf")}
    where = {key: node.place_of(key) for key in node.keywords}
    # The same form for both, so that replacing an `enum` of one value with `const` is not an edit.
    if "const" in keys:
        value = keys.pop("const")
        keys["enum"] = [value] if value in keys.get("enum", [value]) else []
        where["enum"] = where["const"]
    if isinstance(keys.get("type"), str):
        keys["type"] = [keys["type"]]
    flat = _Flat(keys, where, _noted(node))
    rest: list[SchemaNode] = []
    reference = node.keywords.get("$ref")
    if reference is not None and (reference.opaque or not _merge(flat, _flatten(reference, known))):
        rest.append(reference)
    # Conditions stay in a list: a single one would become the object's own.
    rest += [
        part
        for part in node.keywords.get("allOf", ())
        if part.opaque or "if" in part.keywords or not _merge(flat, _flatten(part, known))
    ]
    if rest:
        flat.keys["allOf"] = rest
    return flat


def _noted(node: SchemaNode) -> dict[str, tuple[Any, str]]:
    return {key: (value, node.pointer) for key, value in node.notes.items()}


def _merge(flat: _Flat, part: _Flat) -> bool:
    """Merge a part that applies to the same instance; ``False`` if the two cannot be one object."""
    if not _mergeable(flat.keys, part.keys):
        return False
    merged: dict[str, Any] = {}
    for key in flat.keys.keys() & part.keys.keys():
        both = _both(key, flat.keys[key], part.keys[key])
        if both is _APART:
            return False
        merged[key] = both
    for key, value in part.keys.items():
        flat.keys.setdefault(key, value)
        if key in part.where:
            flat.where.setdefault(key, part.where[key])
    flat.keys.update(merged)
    for name, note in part.notes.items():
        flat.notes.setdefault(name, note)
    return True


def _mergeable(left: dict[str, Any], right: dict[str, Any]) -> bool:
    """True if two schemas can be merged: keywords that depend on their neighbours gain no relevant ones."""
    for one, other in ((left, right), (right, left)):
        extra = one.get("additionalProperties")
        if extra is not None and not is_true(extra):
            for key in ("properties", "patternProperties"):
                if other.get(key, {}).keys() - one.get(key, {}).keys():
                    return False
        if "items" in one and "prefixItems" in other:
            return False
        if "contains" in one and other.keys() & {"minContains", "maxContains"}:
            return False
        if "if" in one and other.keys() & {"then", "else"}:
            return False
    return not right.keys() & {"unevaluatedItems", "unevaluatedProperties", "allOf"}


_APART = object()


def _both(key: str, left: Any, right: Any) -> Any:
    if key == "type":
        return _common_types(left, right) or _APART
    if key == "enum":
        spelled = {canonical_json(value) for value in right}
        return [value for value in left if canonical_json(value) in spelled]
    if key == "required":
        return [*left, *(name for name in right if name not in left)]
    if key in ("properties", "patternProperties"):
        return {**right, **{name: conjunction(item, right.get(name)) for name, item in left.items()}}
    if key in _LOWER:
        return max(left, right)
    if key in _UPPER:
        return min(left, right)
    return left if left is right or (not isinstance(left, SchemaNode | list | dict) and left == right) else _APART


def conjunction(left: SchemaNode, right: SchemaNode | None) -> SchemaNode:
    """A node for the values that both nodes accept."""
    if right is None or right is left or is_true(right):
        return left
    if is_true(left):
        return right
    return SchemaNode(left.pointer, {"allOf": [left, right]}, dict(left.notes), synthetic=True)


def _common_types(left: list[str], right: list[str]) -> list[str]:
    common = [name for name in left if name in right]
    for one, other in ((left, right), (right, left)):
        if "number" in one and "integer" in other and "number" not in other and "integer" not in common:
            common.append("integer")
    return common


def view(node: SchemaNode) -> View:
    """The node as alternatives. The node must not be opaque."""
    flat = _flatten(node)
    try:
        direct = sum(len(flat.keys.get(key, ())) for key in UNIONS)
        found = _alternatives(flat, node.pointer, [_MAX_ALTERNATIVES + direct])
    except _TooManyError:
        # Kept whole: containment still decides, but no alternative is named.
        found = [Alternative(None, flat.keys, flat.where, node.pointer)]
    exclusive = "oneOf" in flat.keys and len(found) > 1 and set(flat.keys) <= {"oneOf", "type"}
    notes = flat.notes
    inner = [alternative for alternative in found if alternative.type != "null"]
    # Generators write an optional value as a union with null, so its notes belong to the value.
    if len(inner) == 1:
        notes = {**{key: (value, inner[0].home) for key, value in inner[0].notes.items()}, **notes}
    return View(node, _merge_enums(found), exclusive, notes)


class _TooManyError(Exception):
    """There are more alternatives than anybody writes."""


def _alternatives(flat: _Flat, home: str, room: list[int]) -> list[Alternative]:
    """The alternatives of a flat node; ``room`` counts down how many more are allowed.

    Raises:
        _TooManyError: there are more, since unions of unions multiply.
    """
    keys = flat.keys
    room[0] -= 1
    if room[0] < 0:
        raise _TooManyError
    key = next((name for name in UNIONS if name in keys), None)
    if key is not None and set(keys) <= {key, "type"} and not any(branch.opaque for branch in keys[key]):
        found: list[Alternative] = []
        for branch in keys[key]:
            inner = _flatten(branch)
            if "type" in keys:
                inner.keys["type"] = _common_types(inner.keys.get("type", keys["type"]), keys["type"])
                inner.where.setdefault("type", join_pointer(home, "type"))
            found.extend(_alternatives(inner, deref(branch).pointer, room))
        return found
    notes = {name: value for name, (value, _) in flat.notes.items()}
    types = keys.get("type")
    if types is None and "enum" in keys:
        types = sorted({narrow_type_of(value) for value in keys["enum"]})
        if {"integer", "number"} <= set(types):
            types.remove("integer")
    if types is None:
        rest = {name: value for name, value in keys.items() if name != "type"}
        return [Alternative(None, rest, flat.where, home, notes)]
    if "number" in types and "integer" in types:
        types = [name for name in types if name != "integer"]
    made = (_of_type(name, flat, home, notes) for name in types)
    return [alternative for alternative in made if alternative is not None]


def _of_type(name: str, flat: _Flat, home: str, notes: dict[str, Any]) -> Alternative | None:
    relevant = _KEYS_OF_TYPE[name] | _KEYS_OF_ALL
    keys = {key: value for key, value in flat.keys.items() if key in relevant}
    if "enum" in keys:
        fits = {name, "integer"} if name == "number" else {name}
        values = _unique([value for value in keys["enum"] if narrow_type_of(value) in fits])
        if not values:
            return None
        keys["enum"] = values
        # A list of all values of a type is the same as the type.
        if name == "null" or (name == "boolean" and len(values) == 2):
            del keys["enum"]
    if name == "number":
        _tightest(keys)
    made = Alternative(name, keys, flat.where, home, notes)
    return _with_inclusive_bounds(made) if name == "integer" else made


def as_type(alternative: Alternative, name: str) -> Alternative:
    """The alternative with the keywords that apply to a type, in the form that they have there."""
    relevant = _KEYS_OF_TYPE[name] | _KEYS_OF_ALL
    keys = {key: value for key, value in alternative.keys.items() if key in relevant}
    made = replace(alternative, keys=keys)
    return _with_inclusive_bounds(made) if name == "integer" else made


def _with_inclusive_bounds(alternative: Alternative) -> Alternative:
    """The bounds of an integer as inclusive ones, with the place and the original form of the tighter ones."""
    keys, where, stated = dict(alternative.keys), dict(alternative.where), dict(alternative.stated)
    for exclusive, bound, step, worst in (
        ("exclusiveMinimum", "minimum", 1, -math.inf),
        ("exclusiveMaximum", "maximum", -1, math.inf),
    ):
        rounded = math.floor if step > 0 else math.ceil
        if exclusive in keys:
            written = keys.pop(exclusive)
            tight = rounded(written) + step
            if (tight - keys.get(bound, worst)) * step > 0:
                keys[bound], where[bound], stated[bound] = tight, where[exclusive], written
        if bound in keys:
            keys[bound] = math.ceil(keys[bound]) if step > 0 else math.floor(keys[bound])
    return replace(alternative, keys=keys, where=where, stated=stated)


def _tightest(keys: dict[str, Any]) -> None:
    if {"minimum", "exclusiveMinimum"} <= keys.keys():
        del keys["minimum" if keys["exclusiveMinimum"] >= keys["minimum"] else "exclusiveMinimum"]
    if {"maximum", "exclusiveMaximum"} <= keys.keys():
        del keys["maximum" if keys["exclusiveMaximum"] <= keys["maximum"] else "exclusiveMaximum"]


def _unique(values: list[Any]) -> list[Any]:
    return list({canonical_json(value): value for value in values}.values())


def _merge_enums(found: list[Alternative]) -> list[Alternative]:
    """Merge alternatives that only list values of one type."""
    out: list[Alternative] = []
    by_type: dict[str, Alternative] = {}
    for alternative in found:
        name = alternative.type
        if name is None or set(alternative.keys) != {"enum"}:
            if alternative.keys or not any(not seen.keys and seen.type == name for seen in out):
                out.append(alternative)
        elif name in by_type:
            first = by_type[name]
            first.keys["enum"] = _unique([*first.keys["enum"], *alternative.keys["enum"]])
        else:
            by_type[name] = Alternative(name, dict(alternative.keys), alternative.where, alternative.home)
            out.append(by_type[name])
    return out
