"""A published schema as a graph: one dialect, references resolved, every node with its pointer.

JSON Schema can express one thing in several dialects and places. The graph has one spelling of each: draft-04 to
draft-07 keywords become their 2020-12 successors, ``$ref`` contains the target node, and a part that is not a schema (a
wrong keyword type, a dangling or circular reference, an unknown dialect) becomes an *opaque* node, which is equal only
to itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.change.note_kinds import NOTE_FAMILIES
from mcp_governor.schemas.dialects import LATEST, dialect_of
from mcp_governor.schemas.formats import UNMODELLED, format_patterns
from mcp_governor.schemas.keywords import (
    APPLICATORS,
    ASSERTION_KEYS,
    IN_PLACE,
    REFERENCES,
    REFUSING,
    SCHEMA_KEYS,
    SCHEMA_LIST_KEYS,
    UNORDERED_KEYS,
    WORDING_KEYS,
    known_keywords,
)
from mcp_governor.schemas.pointers import join_pointer, resolve_pointer
from mcp_governor.schemas.references import Components, Document
from mcp_governor.schemas.soundness import wrong_keyword
from mcp_governor.schemas.translation import DISPUTED, rename_keywords
from mcp_governor.surface.canonical import canonical_json
from mcp_governor.surface.fingerprint import strip
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator


SAFE_INTEGER = 2**53 - 1
"""The largest integer that JSON carries safely (RFC 8259, section 6); SDKs add it as a bound on their own."""

_UNSAID = 0
"""The dialect of a schema without ``$schema``: keywords of every dialect are read."""
_NOTES = WORDING_KEYS | NOTE_FAMILIES.keys()
_IN_PLACE = ("$ref", *(key for key in IN_PLACE if key != DISPUTED))
_ASSERTED = ASSERTION_KEYS | {DISPUTED}
SUGGESTING = frozenset({"default", "example", "examples", "format"})
"""Keywords from which a witness is taken, if possible."""


@dataclass(eq=False, repr=False, slots=True)
class SchemaNode:
    """One schema of a document.

    Attributes:
        pointer: its place in the published document.
        keywords: its assertions in 2020-12 spelling; subschemas are nodes, and ``$ref`` contains the target node.
        notes: content that does not restrict the instances: wording, and the keys of ``NOTE_FAMILIES``.
        opaque: why it cannot be read as a schema; empty if it can.
        dangling: it is opaque because its ``$ref`` points to nothing in the document.
        spelled: keyword → its name in the document, if that differs.
        identity: for an opaque node, the value that an equal node must share.
        synthetic: created by a view; it is not part of the document.
    """

    pointer: str
    keywords: dict[str, Any] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)
    opaque: str = ""
    dangling: bool = False
    identity: str = ""
    synthetic: bool = False
    spelled: dict[str, str] = field(default_factory=dict)

    def place_of(self, key: str) -> str:
        """The pointer to a keyword in the published document."""
        return join_pointer(self.pointer, self.spelled.get(key, key))

    def in_place(self) -> Iterator[SchemaNode]:
        """The schemas that apply to the same instance as this one."""
        for key in _IN_PLACE:
            value = self.keywords.get(key)
            if isinstance(value, SchemaNode):
                yield value
            elif value is not None:
                yield from value if isinstance(value, list) else value.values()


class Graph(Struct, frozen=True):
    """A parsed schema.

    Attributes:
        root: its root.
        opaque: the parts that cannot be read.
        suggests: some part has an example, a default or a format, which a witness should have.
    """

    root: SchemaNode
    opaque: tuple[SchemaNode, ...] = ()
    suggests: bool = False


def parse(
    schema: Any, *, drop_safe_integers: bool = True, arguments: bool = False, assert_formats: bool = False
) -> Graph:
    """Parse a published schema.

    Args:
        schema: any JSON value, nested at most ``MAX_DEPTH`` deep; anything that is not a schema becomes an opaque root.
        drop_safe_integers: ignore bounds of ±(2**53 - 1).
        arguments: the schema is a tool's input: callers send an object, even if it does not say so.
        assert_formats: ``format`` restricts the values.
    """
    graph = _Parser(schema, drop_safe_integers, assert_formats).graph()
    root = graph.root
    if arguments and not root.opaque and _says_no_type(root):
        root.keywords["type"] = "object"
    return graph


def pointers(root: SchemaNode) -> set[str]:
    """The pointers to the schemas of a graph."""
    found: set[str] = set()
    pending: list[Any] = [root]
    while pending:
        part = pending.pop()
        if isinstance(part, SchemaNode):
            if part.pointer not in found:
                found.add(part.pointer)
                pending.extend(part.keywords.values())
        elif isinstance(part, list | dict):
            pending.extend(part if isinstance(part, list) else part.values())
    return found


def _says_no_type(node: SchemaNode, depth: int = 0) -> bool:
    if "type" in node.keywords or depth > 8:
        return False
    reference = node.keywords.get("$ref")
    return reference is None or _says_no_type(reference, depth + 1)


class _Parser:
    def __init__(self, schema: Any, drop_safe_integers: bool, assert_formats: bool) -> None:
        self.schema = schema
        self.assert_formats = assert_formats
        self.drop_safe_integers = drop_safe_integers
        self.nodes: dict[str, SchemaNode] = {}
        self.pending: list[tuple[SchemaNode, Any, str]] = []
        self.draft = dialect_of(schema, _UNSAID)
        self.known = known_keywords(self.draft or _UNSAID)
        self.document = Document(schema, draft=self.draft or LATEST, alone=True)

    def graph(self) -> Graph:
        if self.draft is None:
            root = self._opaque(SchemaNode(""), self.schema, f"its dialect {_shown(self.schema['$schema'])} is unknown")
            return Graph(root, (root,))
        root = self._node("", self.schema, "")
        while self.pending:
            self._fill(*self.pending.pop())
        self._break_circles()
        nodes = self.nodes.values()
        suggests = any(not SUGGESTING.isdisjoint(node.notes) for node in nodes)
        return Graph(root, tuple(node for node in nodes if node.opaque), suggests)

    def _node(self, pointer: str, value: Any, base: str) -> SchemaNode:
        node = self.nodes.get(pointer)
        if node is None:
            node = self.nodes[pointer] = SchemaNode(pointer)
            self.pending.append((node, value, base))
        return node

    def _opaque(self, node: SchemaNode, value: Any, reason: str) -> SchemaNode:
        node.keywords = {}
        node.opaque = reason
        node.identity = canonical_json(strip(value))
        return node

    def _fill(self, node: SchemaNode, value: Any, base: str) -> None:
        if isinstance(value, bool):
            if not value:
                node.keywords = {"not": SchemaNode(f"{node.pointer}/not")}
            return
        if not isinstance(value, dict):
            self._opaque(node, value, f"{_shown(value)} is not a schema")
            return
        base = self.document.base_of(value, base)
        value = self._modern(node, value)
        problem = wrong_keyword(value)
        if not problem and '"$ref"' in canonical_json(value.get(DISPUTED)):
            problem = f"its {DISPUTED} cannot be compared"
        if not problem and self.assert_formats and value.get("format") in UNMODELLED:
            problem = f"its format {value['format']} cannot be compared"
        if problem:
            self._opaque(node, value, problem)
            return
        node.notes = {key: value[key] for key in value if key in _NOTES}
        reference = next((value[key] for key in REFERENCES if key in value), None)
        if reference is not None:
            target = self._resolve(reference, base)
            if target is None:
                remote = isinstance(reference, str) and self.document.leads_out(base, reference)
                where = "to another document, which is not fetched" if remote else "to nothing in this schema"
                self._opaque(node, value, f"its $ref {_shown(reference)} points {where}")
                node.dangling = not remote and "$ref" in value
                return
            node.keywords["$ref"] = target
            if self.draft in (4, 6, 7):
                return  # draft-07, section 8.3: siblings of $ref are ignored
        self._assertions(node, value, base)

    def _assertions(self, node: SchemaNode, value: dict[str, Any], base: str) -> None:
        for key, item in value.items():
            if key in _ASSERTED or (key == "format" and self.assert_formats and format_patterns(item)):
                if not self._is_noise(key, item):
                    node.keywords[key] = item
                continue
            if key not in APPLICATORS:
                continue
            place = node.place_of(key)
            if key in SCHEMA_KEYS:
                node.keywords[key] = self._node(place, item, base)
            elif key in SCHEMA_LIST_KEYS:
                node.keywords[key] = [
                    self._node(join_pointer(place, index), part, base) for index, part in enumerate(item)
                ]
            else:
                node.keywords[key] = {
                    name: self._node(join_pointer(place, name), part, base) for name, part in item.items()
                }

    def _is_noise(self, key: str, item: Any) -> bool:
        if key == "uniqueItems":
            return item is False
        if key in ("minLength", "minItems", "minProperties"):
            return bool(item == 0)
        if key == "required":
            return not item
        if self.drop_safe_integers and key in ("maximum", "minimum"):
            return bool(item == (SAFE_INTEGER if key == "maximum" else -SAFE_INTEGER))
        return False

    def _modern(self, node: SchemaNode, value: dict[str, Any]) -> dict[str, Any]:
        """The same schema in 2020-12 keywords, without those that its dialect ignores; the node stores their original
        names."""
        if self.known is not None:
            kept = self.known | ({DISPUTED} if self.draft not in (4, 6, 7) else set())
            value = {key: item for key, item in value.items() if key in kept or key not in REFUSING}
        if self.draft == LATEST or not _LEGACY & value.keys():
            return value
        value = dict(value)
        node.spelled = rename_keywords(value, self.draft or _UNSAID)
        return value

    def _resolve(self, reference: Any, base: str) -> SchemaNode | None:
        found = self.document.find(base, reference) if isinstance(reference, str) else None
        return None if found is None else self._node(found.pointer, found.schema, found.base)

    def _break_circles(self) -> None:
        """Cut references through which nodes apply to the same instance endlessly; they mean nothing."""
        circles = Components(SchemaNode.in_place)
        found: list[SchemaNode] = []
        for start in self.nodes.values():
            fresh = circles.settle(start)
            found += [node for node in fresh if any(circles.of[node] == circles.of[after] for after in node.in_place())]
        for node in found:
            self._opaque(node, resolve_pointer(self.schema, node.pointer), "its $ref points back to itself")


_LEGACY = frozenset({"additionalItems", "dependencies", "exclusiveMaximum", "exclusiveMinimum", "items"})


def _shown(value: Any) -> str:
    return one_line(canonical_json(value), 60)


class Identities:
    """Assigns a number to each node; nodes get the same one if they are the same schema, apart from names in ``$defs``.

    A number is computed from the node's own keywords and the numbers of its subschemas. Definitions that refer to each
    other are distinguished by refining a first guess until it is stable. The time is almost linear in the size of the
    documents, whatever their references are. Wording is ignored; ``NOTE_FAMILIES`` count.

    Args:
        spend: called with the work, in keywords and subschemas.
    """

    def __init__(self, spend: Callable[[int], None]) -> None:
        self._spend = spend
        self._components = Components(_children)
        self._numbers: dict[SchemaNode, int] = {}
        self._known: dict[Hashable, int] = {}

    def of(self, node: SchemaNode) -> int:
        """The node's number."""
        node = _target(node)
        if node not in self._numbers:
            for _, nodes in groupby(self._components.settle(node), self._components.of.__getitem__):
                group = list(nodes)
                self._spend(len(group))
                self._number(group)
        return self._numbers[node]

    def _number(self, group: list[SchemaNode]) -> None:
        alone = len(group) == 1 and all(child is not group[0] for child in _children(group[0]))
        if alone:
            self._numbers[group[0]] = self._name(_key(group[0], self._numbers.__getitem__))
            return
        guess = dict.fromkeys(group, 0)
        classes = 0
        while True:
            refined = {node: self._name(_key(node, self._looking(guess))) for node in group}
            if len(set(refined.values())) == classes:
                break
            classes = len(set(refined.values()))
            self._spend(len(group))
            guess = refined
        self._numbers.update(refined)

    def _looking(self, guess: dict[SchemaNode, int]) -> Callable[[SchemaNode], int]:
        return lambda node: guess[node] if node in guess else self._numbers[node]

    def _name(self, key: Hashable) -> int:
        return self._known.setdefault(key, len(self._known) + 1)


def _target(node: SchemaNode) -> SchemaNode:
    """The target of a reference without other keywords or notes."""
    while not node.opaque and set(node.keywords) == {"$ref"} and not any(key in node.notes for key in NOTE_FAMILIES):
        node = node.keywords["$ref"]
    return node


def _children(node: SchemaNode) -> Iterator[SchemaNode]:
    for value in node.keywords.values():
        for item in _nodes(value):
            yield _target(item)


def _nodes(value: Any) -> Iterable[SchemaNode]:
    if isinstance(value, SchemaNode):
        return (value,)
    items = value.values() if isinstance(value, dict) else (value if isinstance(value, list) else ())
    return (item for item in items if isinstance(item, SchemaNode))


def _key(node: SchemaNode, number: Callable[[SchemaNode], int]) -> Hashable:
    """The content of a node, with numbers for its subschemas."""

    def number_of(item: SchemaNode) -> int:
        return number(_target(item))

    parts: list[Hashable] = [("opaque", node.identity)] if node.opaque else []
    parts.extend((note, canonical_json(node.notes[note])) for note in NOTE_FAMILIES if note in node.notes)
    for key in sorted(node.keywords):
        value = node.keywords[key]
        if isinstance(value, SchemaNode):
            parts.append((key, number_of(value)))
        elif isinstance(value, list) and value and isinstance(value[0], SchemaNode):
            numbers = [number_of(item) for item in value]
            parts.append((key, tuple(sorted(numbers) if key in UNORDERED_KEYS else numbers)))
        elif isinstance(value, dict) and any(isinstance(item, SchemaNode) for item in value.values()):
            parts.append((key, tuple(sorted((name, number_of(item)) for name, item in value.items()))))
        else:
            parts.append((key, _plain(key, value)))
    return tuple(parts)


def _plain(key: str, value: Any) -> str:
    if key in UNORDERED_KEYS and isinstance(value, list):
        if key == "type" and len(value) == 1:
            return canonical_json(value[0])
        return canonical_json(sorted(value, key=canonical_json))
    return canonical_json(value)
