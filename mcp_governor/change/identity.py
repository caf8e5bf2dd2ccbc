"""Assigns a number to each node; nodes get the same one if they are the same schema, apart from names in ``$defs``.

A node's number is computed from its own keywords and the numbers of its subschemas. Definitions that refer to each
other are distinguished by refining a first guess until it is stable. The time is almost linear in the size of the
documents, whatever their references are.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from mcp_governor.change.graph import SchemaNode
from mcp_governor.change.note_kinds import NOTE_FAMILIES
from mcp_governor.schemas.keywords import UNORDERED_KEYS
from mcp_governor.schemas.references import Components
from mcp_governor.surface.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator


class Identities:
    """Numbers of nodes. Wording is ignored; ``NOTE_FAMILIES`` count.

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
