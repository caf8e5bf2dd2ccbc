"""How much work it may be to hold a value against a schema, before anybody does it.

The engine evaluates a schema anew wherever a reference leads to it, so that two references in one place, forty
times over, never end. Nothing that a server or a user's rule says is evaluated without this look at it first.
"""

from __future__ import annotations

from typing import Any

from mcp_governor.schemas.pointers import resolve_fragment
from mcp_governor.schemas.walking import subschemas

AFFORDABLE = 1_000_000
"""Most evaluations of subschemas that are worth an answer: about a second."""

_DEEPEST = 250
_DEFINITIONS = ("$defs", "definitions")


class Cost:
    """What evaluating one schema costs at one place of a value, references followed.

    Attributes:
        evaluations: subschemas that are evaluated, each time one is; :data:`AFFORDABLE` + 1 for more than that.
        recursive: whether a reference leads back into what it is part of, so that the cost multiplies with
            every level of the value.
    """

    def __init__(self, schema: Any, root: Any) -> None:
        self._root = root
        self._known: dict[int, int] = {}
        self._open: set[int] = set()
        self.recursive = False
        self.evaluations = self._of(schema, 0)

    def _of(self, schema: Any, depth: int) -> int:
        if not isinstance(schema, dict):
            return 1
        key = id(schema)
        if key in self._open:
            self.recursive = True
            return 1
        if key not in self._known:
            self._open.add(key)
            self._known[key] = self._sum(schema, depth) if depth < _DEEPEST else AFFORDABLE + 1
            self._open.remove(key)
        return self._known[key]

    def _sum(self, schema: dict[str, Any], depth: int) -> int:
        total = 1
        for tokens, item in subschemas(schema):
            if tokens[0] not in _DEFINITIONS:
                total += self._of(item, depth + 1)
        reference = schema.get("$ref")
        if isinstance(reference, str):
            total += self._of(self._target(reference), depth + 1)
        # Where these lead depends on the way there; nobody needs them for a value.
        if "$dynamicRef" in schema or "$recursiveRef" in schema:
            self.recursive = True
            total = AFFORDABLE + 1
        return min(total, AFFORDABLE + 1)

    def _target(self, reference: str) -> Any:
        if not reference.startswith("#"):
            return True
        try:
            return resolve_fragment(self._root, reference)
        except KeyError:
            # An anchor may be anywhere, this schema included.
            self.recursive = True
            return self._root


def affordable(schema: Any, root: Any, value: Any) -> bool:
    """Whether a value can be held against a schema in bounded time.

    Args:
        schema: the schema.
        root: what its local references are looked up in.
        value: any JSON value.
    """
    places, depth = _size(value)
    cost = Cost(schema, root)
    per_place: int = cost.evaluations
    if cost.recursive:
        for _ in range(depth):
            per_place = min(per_place * cost.evaluations, AFFORDABLE + 1)
    return per_place * places <= AFFORDABLE


def count_values(value: Any) -> int:
    """How many values a value holds, itself included."""
    return _size(value)[0]


def _size(value: Any) -> tuple[int, int]:
    """How many values a value holds, itself included, and how deep they are nested."""
    places = deepest = 0
    stack = [(value, 0)]
    while stack:
        item, depth = stack.pop()
        places += 1
        deepest = max(deepest, depth)
        if isinstance(item, dict):
            stack.extend((below, depth + 1) for below in item.values())
        elif isinstance(item, list):
            stack.extend((below, depth + 1) for below in item)
    return places, deepest
