"""What a schema would cost engines that cannot be interrupted, estimated from its structure.

The native engine multiplies the alternatives that apply to one value and the members in which two objects
differ, and a validator walks every path through the references. Both are fine for most schemas that anyone
writes, and unbounded for others: a pair of closed objects of 2,500 characters took the engine nine seconds.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from mcp_governor.frozen import frozen
from mcp_governor.schemas.keywords import REFERENCES
from mcp_governor.schemas.references import Document
from mcp_governor.schemas.walking import children

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
_REFERENCES = ('"$ref":', '"$dynamicRef":', '"$recursiveRef":')
_FORKS = (*_REFERENCES, '"anyOf":', '"oneOf":', '"if":', '"not":', '"dependent', '"dependencies":')


_CAP = 1 << 40


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
    found = _Estimate(Document(modern(), text))
    shallow = found.paths(*found.root) <= MAX_PATHS
    return Cost(quick=small and shallow and found.cases_seen <= MAX_CASES, shallow=shallow)


class _Estimate:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.root: Place = (document.schema, "")
        self.cases_seen = 1
        self._cases: dict[tuple[int, str], int] = {}
        self._paths: dict[tuple[int, str], int] = {}

    def paths(self, schema: Any, base: str) -> int:
        """How many subschemas there are when every reference is written out (a recursive one counts once)."""
        if not isinstance(schema, dict):
            return 1
        key = (id(schema), base)
        if key not in self._paths:
            self._paths[key] = 1
            self.cases_seen = max(self.cases_seen, self.cases(schema, base))
            inside = self.document.base_of(schema, base)
            places = [*((child, inside) for child in children(schema)), *self.references(schema, inside)]
            self._paths[key] = min(_CAP, 1 + sum(self.paths(*place) for place in places))
        return self._paths[key]

    def references(self, schema: dict[str, Any], base: str) -> list[Place]:
        found = [self.document.resolve(base, schema[word]) for word in REFERENCES if isinstance(schema.get(word), str)]
        return [place for place in found if place is not None]

    def cases(self, schema: Any, base: str) -> int:
        """How many conjunctions the schema is a disjunction of, for one value."""
        if not isinstance(schema, dict):
            return 1
        key = (id(schema), base)
        if key not in self._cases:
            self._cases[key] = 1
            self._cases[key] = min(_CAP, self._product(schema, self.document.base_of(schema, base)))
        return self._cases[key]

    def _product(self, schema: dict[str, Any], base: str) -> int:
        factors = [self.cases(part, base) for part in schema.get("allOf", ())]
        factors += [self.cases(*place) for place in self.references(schema, base)]
        if "anyOf" in schema:
            factors.append(sum(self.cases(part, base) for part in schema["anyOf"]))
        if "oneOf" in schema:
            factors.append(len(schema["oneOf"]) * sum(self.cases(part, base) for part in schema["oneOf"]))
        if "if" in schema:
            factors.append(1 + sum(self.cases(schema.get(word), base) for word in ("if", "then", "else")))
        if isinstance(schema.get("not"), dict):
            factors.append(max(1, len(schema["not"])) * self.cases(schema["not"], base))
        for word in ("dependentRequired", "dependentSchemas", "dependencies"):
            factors += [1 + self.cases(part, base) for part in schema.get(word, {}).values()]
        return prod(factors)
