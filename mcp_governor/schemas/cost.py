"""What a schema would cost engines that cannot be interrupted, estimated from its structure.

The native engine multiplies the alternatives that apply to one value and the members in which two objects
differ, and a validator walks every path through the references. Both are fine for most schemas that anyone
writes, and unbounded for others: a pair of closed objects of 2,500 characters took the engine nine seconds.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from mcp_governor.frozen import frozen
from mcp_governor.schemas.keywords import DEFINITIONS, REFERENCES
from mcp_governor.schemas.references import Document
from mcp_governor.schemas.walking import subschemas

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_governor.schemas.references import Place

SMALL_TEXT = 500
"""Length of a schema up to which the native engine was never seen to take 100 ms, given few cases."""
MAX_CASES = 40
"""Alternatives for one value beyond which the native engine was seen to take longer than that."""
MAX_PATHS = 20_000
"""Ways through the references beyond which a validator may take longer than that."""

_FEW = 4
"""Keywords of one costly kind (references, forks, ``unevaluated…``) up to which their number alone says that a schema
is cheap or dear; with more of them the ways through the schema are counted."""
_DEEPEST = 250
"""Schemas that apply one another, one within the other, that are followed: Python bears four times as many calls."""
_REFERENCES = ('"$ref":', '"$dynamicRef":', '"$recursiveRef":')
_FORKS = (*_REFERENCES, '"anyOf":', '"oneOf":', '"if":', '"not":', '"dependent', '"dependencies":')


_CAP = 1 << 40
"""Ways through the references are counted up to here, far beyond every limit: products of honest numbers stay exact,
and those of hostile ones stay small."""


@frozen
class Cost:
    """What may be asked of whom.

    Attributes:
        quick: the native engine may be asked in this process.
        shallow: validators may be asked in this process.
    """

    quick: bool
    shallow: bool


def estimate(text: str, modern: Callable[[], Any]) -> Cost:
    """The cost of a schema.

    Args:
        text: its canonical text.
        modern: gives the schema in draft 2020-12; called only where the text looks suspicious.
    """
    small = len(text) <= SMALL_TEXT
    if text.count('"unevaluated') > _FEW:
        # to see what is evaluated, a validator may look at everything below again, on each level
        return Cost(quick=False, shallow=False)
    few_references = sum(map(text.count, _REFERENCES)) <= _FEW
    if few_references and (not small or (sum(map(text.count, _FORKS)) <= _FEW and '"dependent' not in text)):
        return Cost(quick=small, shallow=True)
    document = Document(modern(), text)
    evaluations, cases = Evaluations(document, MAX_PATHS + 1), _Cases(document)
    # what nothing refers to is counted as well: an engine may look at it before it is asked about a value
    places = [part[:2] for part in document.parts()]
    shallow = all(evaluations.of(*place) <= MAX_PATHS for place in places)
    quick = small and shallow and all(cases.of(*place) <= MAX_CASES for place in places)
    return Cost(quick=quick, shallow=shallow)


def _referred(document: Document, schema: dict[str, Any], base: str) -> list[Place]:
    """Where the references of a schema object lead, as far as they lead anywhere."""
    found = [document.resolve(base, schema[word]) for word in REFERENCES if isinstance(schema.get(word), str)]
    return [place for place in found if place is not None]


class Evaluations:
    """How often subschemas are evaluated for one place of a value, a validator following every reference anew.

    Args:
        document: what references are looked up in.
        most: beyond it, nobody wants to know how many.
        each: what one evaluation of a subschema object counts for.

    Attributes:
        recursive: whether a reference leads back into what it is part of, so that the evaluations multiply with every
            level of the value.
        dynamic: whether a reference leads somewhere else each time.
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
        """How many subschemas were looked at, each once."""
        return len(self._known)

    def of(self, schema: Any, base: str, depth: int = 0) -> int:
        """The evaluations of a schema and of all that it applies, ``most`` for more than that.

        Args:
            schema: the schema, in the document or beside it.
            base: the base URI around it.
            depth: how many schemas apply it; what is nested too deeply takes as long as one likes.
        """
        if not isinstance(schema, dict):
            return 1
        key = (id(schema), base)
        if key in self._open:
            self.recursive = True
            return 1
        if key not in self._known:
            self._open.add(key)
            self._known[key] = self._sum(schema, base, depth) if depth < _DEEPEST else self._most
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
    """How many conjunctions a schema is a disjunction of, for one value."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._known: dict[tuple[int, str], int] = {}

    def of(self, schema: Any, base: str) -> int:
        """The cases of a schema that stands where ``base`` is the base URI."""
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
