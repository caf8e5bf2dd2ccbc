"""A schema as a set of instances, in one of three readings (docs/changes.md, Two levels).

*Raw* is the published text. *Closed* forbids undeclared keys wherever the schema allows them without giving them a
schema: this is what callers send and servers return in practice. *Opened* allows undeclared keys where the schema
forbids them: this is what a reader of a response has to tolerate. A closed reading accepts a subset of the raw one, an
opened reading a superset; alternatives of ``oneOf`` that could overlap after the change are rendered so that this
holds.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from mcp_governor.change.graph import SUGGESTING, SchemaNode
from mcp_governor.change.names import (
    NO_NAMES,
    UNIONS,
    Names,
    Overlaps,
    closed_here,
    declares,
    has_extra_schema,
    has_extra_schema_itself,
    is_false,
    is_true,
    known_fields,
    names,
)
from mcp_governor.change.note_kinds import NOTE_FAMILIES
from mcp_governor.schemas.formats import format_patterns
from mcp_governor.schemas.keywords import APPLICATORS, IN_PLACE, SCHEMA_KEYS, SCHEMA_LIST_KEYS, SCHEMA_MAP_KEYS
from mcp_governor.surface.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_IN_PLACE = APPLICATORS.intersection(IN_PLACE) - {"if", "not"}
"""Keywords whose subschemas are read like their parent; conditions and negations are always read as published."""
_MAX_REFERENCES = 10
"""References followed in a row to see what an alternative declares; generators write one, seldom two."""
_SHAPING = _IN_PLACE | {"$ref", "if", "patternProperties", "properties"}


class Reading(Enum):
    """How undeclared keys are read."""

    RAW = "raw"
    CLOSED = "closed"
    OPENED = "opened"


class _Role(Enum):
    """The role of a node while a reading is rendered: as published, as an object of its own, or as a part of one whose
    keys are counted elsewhere."""

    RAW = "raw"
    WHOLE = "whole"
    ROOT = "root"
    PART = "part"


def _unlimited(_: int) -> None:
    """Ignores the work."""


def render(
    node: SchemaNode,
    reading: Reading = Reading.RAW,
    *,
    arguments: bool = False,
    replaced: Mapping[SchemaNode, SchemaNode] | None = None,
    noted: bool = False,
    hints: bool = False,
    definition: str = "d",
    spend: Callable[[int], None] = _unlimited,
) -> Any:
    """Render the node as a 2020-12 schema in a reading, with its references under ``$defs``.

    Args:
        node: the schema.
        reading: how undeclared keys are read.
        arguments: the node is the root of a tool's input: without properties it is a tool without parameters.
        replaced: nodes to render as others, to isolate one edit.
        noted: keep the keys of ``NOTE_FAMILIES``, which do not restrict values.
        hints: keep examples, defaults and formats, for a convincing witness.
        definition: prefix of the names under ``$defs``.
        spend: called with the work, in schema parts, before it is done; its exceptions are passed on to the caller.
    """
    renderer = _Renderer(reading, replaced or {}, noted, hints, definition, spend)
    role = _Role.RAW if reading is Reading.RAW else (_Role.ROOT if arguments else _Role.WHOLE)
    schema = renderer.node(node, role)
    definitions = renderer.definitions()
    if definitions:
        schema = {**schema, "$defs": definitions} if isinstance(schema, dict) else schema
    return schema


def conjunction(one: Any, other: Any) -> Any:
    """The conjunction of two rendered schemas, whose definitions have different names."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return {"allOf": [one, other]}
    definitions = {**one.get("$defs", {}), **other.get("$defs", {})}
    parts = [{key: value for key, value in schema.items() if key != "$defs"} for schema in (one, other)]
    return {"allOf": parts, **({"$defs": definitions} if definitions else {})}


_SUBSTITUTE = "mcp-governor:unreadable:"


def stand_ins(value: Any) -> frozenset[str]:
    """The placeholders for unreadable parts in a rendered schema, or in an instance of one."""
    found: set[str] = set()
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if item.startswith(_SUBSTITUTE):
                found.add(item)
        elif isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    return frozenset(found)


@dataclass(eq=False, repr=False)
class _Renderer:
    """One rendering; the attributes are the arguments of :func:`render`."""

    reading: Reading
    replaced: Mapping[SchemaNode, SchemaNode]
    noted: bool
    hints: bool
    definition: str
    spend: Callable[[int], None]
    targets: dict[tuple[int, _Role], int] = field(default_factory=dict)
    queue: list[tuple[SchemaNode, _Role]] = field(default_factory=list)

    def definitions(self) -> dict[str, Any]:
        out: dict[str, Any] = {}
        while len(out) < len(self.queue):
            node, role = self.queue[len(out)]
            out[f"{self.definition}{len(out)}"] = self.node(node, role)
        return out

    def reference(self, node: SchemaNode, role: _Role) -> dict[str, Any]:
        node = self.replaced.get(node, node)
        key = (id(node), role)
        if key not in self.targets:
            self.targets[key] = len(self.queue)
            self.queue.append((node, role))
        return {"$ref": f"#/$defs/{self.definition}{self.targets[key]}"}

    def node(self, node: SchemaNode, role: _Role) -> Any:
        node = self.replaced.get(node, node)
        if node.opaque:
            return {"const": _SUBSTITUTE + hashlib.sha256(node.identity.encode(errors="replace")).hexdigest()}
        if self.noted and any(key in node.notes for key in NOTE_FAMILIES):
            return {**self.keywords(node, role), **{k: node.notes[k] for k in NOTE_FAMILIES if k in node.notes}}
        if is_true(node):
            hints = _suggested(node) if self.hints else {}
            return hints if role is not _Role.ROOT else {**hints, "additionalProperties": False}
        if is_false(node):
            return False
        if role is _Role.RAW:
            return self.keywords(node, role)
        if self.reading is Reading.OPENED:
            return self.opened(node)
        return self.closed(node, role)

    def keywords(self, node: SchemaNode, role: _Role, skip: frozenset[str] = frozenset()) -> dict[str, Any]:
        """All keywords of a node; subschemas that apply in place are rendered as parts of it."""
        out: dict[str, Any] = {}
        self.spend(1 + len(node.keywords))
        raw = role is _Role.RAW
        whole = _Role.RAW if raw else _Role.WHOLE
        part = _Role.RAW if raw else (_Role.WHOLE if self.reading is Reading.OPENED else _Role.PART)
        counted = "maxContains" in node.keywords
        for key, value in node.keywords.items():
            inner = part if key in _IN_PLACE else whole
            if key in skip:
                continue
            if key == "$ref":
                out.update(self.reference(value, part))
            elif key in ("not", "if") or (key == "contains" and counted):
                out[key] = self.node(value, _Role.RAW)
            elif key == "oneOf":
                self._one_of(value, inner, out)
            elif key in SCHEMA_KEYS:
                out[key] = self.node(value, inner)
            elif key in SCHEMA_LIST_KEYS:
                out[key] = out.get(key, []) + [self.node(item, inner) for item in value]
            elif key in SCHEMA_MAP_KEYS:
                out[key] = {name: self.node(item, inner) for name, item in value.items()}
            elif key == "format":
                for pattern in format_patterns(value):
                    _conjoin(out, {"pattern": pattern})
            else:
                out[key] = value
        if self.hints:
            out.update(_suggested(node))
        return out

    def _one_of(self, branches: list[SchemaNode], role: _Role, out: dict[str, Any]) -> None:
        raw = [self.node(branch, _Role.RAW) for branch in branches]
        read = raw if role is _Role.RAW else [self.node(branch, role) for branch in branches]
        excluding = role is not _Role.RAW and self.reading is Reading.CLOSED and Overlaps(branches, self.spend).none
        if excluding:
            out["oneOf"] = read
        else:
            self._put_one_of(raw, read, out)

    def _put_one_of(self, raw: list[Any], read: list[Any], out: dict[str, Any]) -> None:
        if raw == read:
            out["oneOf"] = raw
        elif self.reading is Reading.OPENED:
            _conjoin(out, {"anyOf": read})
        else:
            out["oneOf"] = raw
            _conjoin(out, {"anyOf": read})

    def opened(self, node: SchemaNode) -> dict[str, Any]:
        shut = {
            key
            for key in ("additionalProperties", "unevaluatedProperties")
            if key in node.keywords and is_false(node.keywords[key])
        }
        out = self.keywords(node, _Role.WHOLE, frozenset(shut))
        for key in UNIONS:
            known = self._known_fields(node.keywords.get(key, []))
            if known:
                _conjoin(out, {"properties": known})
        return out

    def _known_fields(self, branches: list[SchemaNode]) -> dict[str, Any]:
        fields = known_fields([self._resolved(branch) for branch in branches], self.spend)
        return {name: self._one_of_them(schemas) for name, schemas in fields.items()}

    def _one_of_them(self, schemas: list[SchemaNode]) -> Any:
        read = (self._referred(schema) for schema in schemas)
        different = list({canonical_json(schema): schema for schema in read}.values())
        return different[0] if len(different) == 1 else {"anyOf": different}

    def _resolved(self, node: SchemaNode) -> SchemaNode:
        node = self.replaced.get(node, node)
        for _ in range(_MAX_REFERENCES):
            if node.opaque or set(node.keywords) != {"$ref"}:
                break
            node = self.replaced.get(node.keywords["$ref"], node.keywords["$ref"])
        return node

    def _referred(self, node: SchemaNode) -> Any:
        # A schema that declares keys is rendered once, so that nested unions do not double it at each level.
        leaf = _SHAPING.isdisjoint(self.replaced.get(node, node).keywords)
        return self.node(node, _Role.WHOLE) if leaf else self.reference(node, _Role.WHOLE)

    def closed(self, node: SchemaNode, role: _Role, extra: Names = NO_NAMES) -> Any:
        if role is _Role.PART:
            return self.keywords(node, role)
        keywords = node.keywords
        if role is _Role.WHOLE and _SHAPING.isdisjoint(keywords):
            return self.keywords(node, role)  # no key is declared here: most nodes are leaves
        if not extra and set(keywords) == {"$ref"}:
            return self.reference(keywords["$ref"], role)
        unions = [key for key in UNIONS if key in keywords]
        rest = names(node, unions=False)
        if len(unions) == 1 and not rest and not closed_here(node) and not has_extra_schema_itself(node):
            return self._alternatives(node, unions[0], role, extra)
        out = self.keywords(node, role)
        for key in unions:
            self._narrow_branches(keywords[key], rest | extra, out)
        if closed_here(node) or has_extra_schema(node):
            return out
        if declares(node) or role is _Role.ROOT:
            self._close(out, names(node) | extra)
        return out

    def _alternatives(self, node: SchemaNode, key: str, role: _Role, extra: Names) -> dict[str, Any]:
        """A union without other keywords: each alternative is an object of its own."""
        branches = node.keywords[key]
        out = self.keywords(node, role, frozenset({key}))
        read = []
        overlaps = Overlaps(branches, self.spend)
        for index, branch in enumerate(branches):
            shared = extra | overlaps.names(index)
            own = names(branch)
            read.append(self._branch(branch, role, shared if (shared | own) != own else NO_NAMES))
        if key == "anyOf" or overlaps.none:
            out[key] = read
        else:
            self._put_one_of([self.node(branch, _Role.RAW) for branch in branches], read, out)
        return out

    def _branch(self, branch: SchemaNode, role: _Role, shared: Names) -> Any:
        branch = self.replaced.get(branch, branch)
        if not shared or branch.opaque or is_true(branch) or is_false(branch) or not declares(branch):
            return self.node(branch, role)
        return self.closed(branch, role, shared)

    def _narrow_branches(self, branches: list[SchemaNode], rest: Names, out: dict[str, Any]) -> None:
        """Make alternatives that exclude each other not share their keys."""
        overlaps = Overlaps(branches, self.spend)
        own = [names(branch) for branch in branches]
        everything = Names(
            rest.properties.union(*(item.properties for item in own)),
            rest.patterns.union(*(item.patterns for item in own)),
        )
        read = []
        narrower = False
        for index, branch in enumerate(branches):
            allowed = rest | own[index] | overlaps.names(index)
            schema = self.node(branch, _Role.PART)
            if allowed != everything and isinstance(schema, dict) and not has_extra_schema(branch):
                self._close(schema, allowed)
                narrower = True
            read.append(schema)
        if narrower:
            _conjoin(out, {"anyOf": read})

    def _close(self, schema: dict[str, Any], allowed: Names) -> None:
        self.spend(len(allowed.properties))
        _shut(schema, allowed)


def _suggested(node: SchemaNode) -> dict[str, Any]:
    """The annotations from which a witness is taken, as far as they are valid."""
    given = {key: node.notes[key] for key in SUGGESTING.intersection(node.notes)}
    if not isinstance(given.get("examples", []), list):
        del given["examples"]
    return given


def _shut(schema: dict[str, Any], allowed: Names) -> None:
    schema.pop("unevaluatedProperties", None)  # true: the remaining keys are closed now
    properties = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    more = sorted(allowed.properties - properties.keys())
    schema["properties"] = {**properties, **dict.fromkeys(more, True)}
    if allowed.patterns:
        schema["patternProperties"] = {**dict.fromkeys(sorted(allowed.patterns), True), **patterns}
    schema["additionalProperties"] = False


def _conjoin(schema: dict[str, Any], also: dict[str, Any]) -> None:
    schema["allOf"] = [*schema.get("allOf", []), also]


def plain(value: Any, spend: Callable[[int], None]) -> Any:
    """A keyword's value as JSON, with nodes rendered as published; ``spend`` is called before each part is created."""
    if isinstance(value, SchemaNode):
        return render(value, noted=True, spend=spend)
    if isinstance(value, list):
        spend(len(value))
        return [plain(item, spend) for item in value]
    if isinstance(value, dict):
        spend(len(value))
        return {key: plain(item, spend) for key, item in value.items()}
    return value
