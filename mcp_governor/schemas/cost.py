"""Estimate the cost of a schema for engines that cannot be interrupted, from its structure, and of a value against it.

The time of the native engine is a product over the alternatives for one value and the members in which two objects
differ, and a validator follows every path through the references. This is fine for most real schemas, but unbounded for
others: a pair of closed objects of 2,500 characters took the engine nine seconds.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.schemas.keywords import DEFINITIONS, REFERENCES
from mcp_governor.schemas.references import Document
from mcp_governor.schemas.walking import subschemas
from mcp_governor.schemas.weight import extent

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_governor.schemas.references import Place


AFFORDABLE = 1_000_000
"""Maximum number of evaluations of subschemas: about a second."""


class Effort(Struct, frozen=True):
    """The cost of validating a value against a schema.

    Attributes:
        affordable: true if the value can be validated.
        parts: number of reachable subschemas, at five microseconds each, plus one for every five evaluations if it is
            affordable.
    """

    affordable: bool
    parts: int


def effort(schema: Any, document: Document, value: Any) -> Effort:
    """The cost of building a validator and validating a value.

    Args:
        schema: the schema.
        document: where its references are resolved.
        value: any JSON value.
    """
    places, depth = extent(value)
    evaluations = Evaluations(document, AFFORDABLE + 1)
    once = per_place = evaluations.of(schema, document.base_of(document.schema, ""))
    if evaluations.recursive:
        for _ in range(depth):
            per_place = min(per_place * once, AFFORDABLE + 1)
    if evaluations.dynamic or per_place * places > AFFORDABLE:
        return Effort(False, evaluations.reached)
    return Effort(True, evaluations.reached + per_place * places // 5)


SMALL_TEXT = 500
"""Length of a schema, in characters, up to which the native engine never took 100 ms in tests with few cases."""
MAX_CASES = 40
"""Number of alternatives for one value from which the native engine took longer than that."""
MAX_PATHS = 20_000
"""Number of paths through the references from which a validator may take longer than that."""

_FEW = 4
"""Number of keywords of one costly kind (references, forks, ``unevaluated…``) up to which a schema is cheap without
further checks. With more of them, the paths through the schema are counted."""
_MAX_DEPTH = 250
"""Deepest chain of applied schemas that is followed: a quarter of Python's recursion limit."""
_REFERENCES = ('"$ref":', '"$dynamicRef":', '"$recursiveRef":')
_FORKS = (*_REFERENCES, '"anyOf":', '"oneOf":', '"if":', '"not":', '"dependent', '"dependencies":')


_CAP = 1 << 40
"""Counting paths stops here, far beyond every limit: products for real schemas stay exact, and those for hostile ones
stay small."""


class Cost(Struct, frozen=True):
    """Which engines may run in this process.

    Attributes:
        quick: true if the native engine may compare the schema in this process.
        shallow: true if validators may use the schema in this process.
    """

    quick: bool
    shallow: bool


def estimate(text: str, modern: Callable[[], Any]) -> Cost:
    """The cost of a schema.

    Args:
        text: its canonical text.
        modern: returns the schema in draft 2020-12; called only if the text looks expensive.
    """
    small = len(text) <= SMALL_TEXT
    if text.count('"unevaluated') > _FEW:
        # To find out what is evaluated, a validator may process everything below again, on each level.
        return Cost(quick=False, shallow=False)
    few_references = sum(map(text.count, _REFERENCES)) <= _FEW
    if few_references and (not small or (sum(map(text.count, _FORKS)) <= _FEW and '"dependent' not in text)):
        return Cost(quick=small, shallow=True)
    document = Document(modern(), text)
    evaluations, cases = Evaluations(document, MAX_PATHS + 1), _Cases(document)
    # Unreferenced parts count too, because an engine may process them when it loads the schema.
    places = [part[:2] for part in document.parts()]
    shallow = all(evaluations.of(*place) <= MAX_PATHS for place in places)
    quick = small and shallow and all(cases.of(*place) <= MAX_CASES for place in places)
    return Cost(quick=quick, shallow=shallow)


def _referred(document: Document, schema: dict[str, Any], base: str) -> list[Place]:
    """The targets of a schema object's references that resolve."""
    found = [document.resolve(base, schema[word]) for word in REFERENCES if isinstance(schema.get(word), str)]
    return [place for place in found if place is not None]


class Evaluations:
    """Counts evaluations of subschemas for one place in a value, if a validator follows each reference every time.

    Args:
        document: the document in which references are resolved.
        most: maximum; counting stops there.
        each: the weight of one evaluation of a subschema object.

    Attributes:
        recursive: true if a reference leads back to a schema that contains it, so that the evaluations multiply with
            every level of the value.
        dynamic: true if the target of a reference depends on the path to it.
    """

    def __init__(self, document: Document, most: int, *, each: Callable[[dict[str, Any]], int] = lambda _: 1) -> None:
        self.recursive = False
        self.dynamic = False
        self._each = each
        self._document = document
        self._most = most
        self._known: dict[tuple[int, str], int] = {}
        self._open: set[tuple[int, str]] = set()

    @property
    def reached(self) -> int:
        """Number of different subschemas that were processed."""
        return len(self._known)

    def of(self, schema: Any, base: str, depth: int = 0) -> int:
        """The number of evaluations of a schema and of all schemas that it applies, at most ``most``.

        Args:
            schema: the schema, which need not be part of the document.
            base: the base URI around it.
            depth: number of schemas above it; too deep nesting counts as ``most``.
        """
        if not isinstance(schema, dict):
            return 1
        key = (id(schema), base)
        if key in self._open:
            self.recursive = True
            return 1
        if key not in self._known:
            self._open.add(key)
            self._known[key] = self._sum(schema, base, depth) if depth < _MAX_DEPTH else self._most
            self._open.remove(key)
        return self._known[key]

    def _sum(self, schema: dict[str, Any], base: str, depth: int) -> int:
        inside = self._document.base_of(schema, base)
        self.dynamic = self.dynamic or "$dynamicRef" in schema or "$recursiveRef" in schema
        total = self._each(schema)
        for tokens, child in subschemas(schema):
            if tokens[0] not in DEFINITIONS:
                total += self.of(child, inside, depth + 1)
        for place in _referred(self._document, schema, inside):
            total += self.of(*place, depth + 1)
        return min(total, self._most)


class _Cases:
    """Counts the conjunctions in the disjunctive form of a schema, for one value."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._known: dict[tuple[int, str], int] = {}

    def of(self, schema: Any, base: str) -> int:
        """The number of cases of a schema; ``base`` is the base URI around it."""
        if not isinstance(schema, dict):
            return 1
        key = (id(schema), base)
        if key not in self._known:
            self._known[key] = 1
            self._known[key] = min(_CAP, self._product(schema, self._document.base_of(schema, base)))
        return self._known[key]

    def _product(self, schema: dict[str, Any], base: str) -> int:
        factors = [self.of(part, base) for part in schema.get("allOf", ())]
        factors += [self.of(*place) for place in _referred(self._document, schema, base)]
        if "anyOf" in schema:
            factors.append(sum(self.of(part, base) for part in schema["anyOf"]))
        if "oneOf" in schema:
            factors.append(len(schema["oneOf"]) * sum(self.of(part, base) for part in schema["oneOf"]))
        if "if" in schema:
            factors.append(1 + sum(self.of(schema.get(word), base) for word in ("if", "then", "else")))
        if isinstance(schema.get("not"), dict):
            factors.append(max(1, len(schema["not"])) * self.of(schema["not"], base))
        for word in ("dependentRequired", "dependentSchemas", "dependencies"):
            factors += [1 + self.of(part, base) for part in schema.get(word, {}).values()]
        return prod(factors)
