"""Translate ``unevaluatedProperties`` and ``unevaluatedItems`` into formulas.

The members that they apply to depend on which subschemas hold. Each combination of results of the in-place applicators
next to them is a scenario with its own set of evaluated members; the keyword is the disjunction of the scenarios.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.containment.formulas import (
    FALSE,
    TRUE,
    Formula,
    Items,
    Opaque,
    all_of,
    any_of,
    make,
    negate,
    props,
)
from mcp_governor.containment.strings import pattern_node
from mcp_governor.schemas.keywords import REFERENCES

if TYPE_CHECKING:
    from mcp_governor.schemas.references import Document, Place

Scope = tuple[tuple[str, str], ...]
"""The dynamic anchors on the way to a subschema: names, and the outermost resource with each of them."""

MAX_SCENARIOS = 128
"""Most scenarios for one unevaluated keyword: seven independent branches. With more, the keyword is not modelled."""
MAX_READ = 200
"""Most subschemas that are read for one unevaluated keyword: more than anyone writes next to it. This also stops
recursive applicators. With more, the keyword is not modelled."""


class _Compiling(Protocol):
    """The part of :class:`~.compiler.Compiler` that this module uses; see there for the methods."""

    document: Document

    def spend(self, formulas: int) -> None: ...
    def compile(self, schema: Any, base: str) -> Formula: ...
    def child(self, schema: Any, base: str) -> Formula: ...
    def follow(self, keyword: str, reference: str, base: str) -> Place | None: ...
    def enter(self, base: str) -> Scope: ...
    def leave(self, outside: Scope) -> None: ...
    def opaque_name(self, what: str, schema: Any, base: str) -> str: ...


class _TooManyError(Exception):
    """More scenarios than anyone would write by hand, or a recursive applicator."""


class _Scenario(Struct, frozen=True):
    """The members and items that are evaluated if ``given`` holds."""

    given: Formula = TRUE
    names: frozenset[str] = frozenset()
    patterns: tuple[str, ...] = ()
    every_member: bool = False
    prefix: int = 0
    every_item: bool = False
    contained: tuple[Formula, ...] = ()

    def join(self, other: _Scenario) -> _Scenario:
        """Both at once."""
        return _Scenario(
            all_of([self.given, other.given]),
            self.names | other.names,
            tuple(dict.fromkeys((*self.patterns, *other.patterns))),
            self.every_member or other.every_member,
            max(self.prefix, other.prefix),
            self.every_item or other.every_item,
            tuple(dict.fromkeys((*self.contained, *other.contained))),
        )

    def under(self, condition: Formula) -> _Scenario:
        """The same scenario with an additional condition."""
        return replace(self, given=all_of([self.given, condition]))

    @property
    def is_blank(self) -> bool:
        """True if nothing is evaluated or assumed."""
        return self == _Scenario()


def unevaluated(compiler: _Compiling, schema: dict[str, Any], base: str) -> Formula:
    """The formula of the unevaluated keywords of a schema object."""
    try:
        scenarios = _Reader(compiler).around(schema, base, own=True)
    except _TooManyError as error:
        return make(Opaque, "", compiler.opaque_name("unevaluated", schema, base), str(error))
    rest = compiler.child(schema.get("unevaluatedProperties", True), base)
    beyond = compiler.child(schema.get("unevaluatedItems", True), base)
    return any_of(all_of([found.given, _members(found, rest), _items(found, beyond)]) for found in scenarios)


def _members(scenario: _Scenario, rest: Formula) -> Formula:
    if scenario.every_member or rest is TRUE:
        return TRUE
    patterns = tuple((pattern_node(source), TRUE) for source in scenario.patterns)
    return props(dict.fromkeys(sorted(scenario.names), TRUE), patterns, rest)


def _items(scenario: _Scenario, beyond: Formula) -> Formula:
    if scenario.every_item or beyond is TRUE:
        return TRUE
    return make(Items, (TRUE,) * scenario.prefix, any_of([beyond, *scenario.contained]))


@dataclass(eq=False, repr=False)
class _Reader:
    compiler: _Compiling
    read: int = 0

    def of(self, schema: Any, base: str) -> list[_Scenario]:
        """The scenarios of a subschema that is known to hold."""
        if not isinstance(schema, dict):
            return [_Scenario()]
        self.read += 1
        if self.read > MAX_READ:
            raise _TooManyError("a recursive schema with unevaluated members")
        return self.around(schema, self.compiler.document.base_of(schema, base), own=False)

    def around(self, schema: dict[str, Any], base: str, *, own: bool) -> list[_Scenario]:
        """The scenarios of a schema object. With ``own``, its unevaluated keywords are the ones to translate."""
        outside = self.compiler.enter(base)
        try:
            return self.product(self.factors(schema, base, own))
        finally:
            self.compiler.leave(outside)

    def product(self, factors: list[list[_Scenario]]) -> list[_Scenario]:
        """Every combination of independent scenarios."""
        result = [_Scenario()]
        for factor in factors:
            if len(result) * len(factor) > MAX_SCENARIOS:
                raise _TooManyError("too many alternatives next to unevaluated members")
            self.compiler.spend(len(result) * len(factor))
            result = [one.join(other) for one in result for other in factor]
        return [found for found in result if found.given is not FALSE]

    def factors(self, schema: dict[str, Any], base: str, own: bool) -> list[list[_Scenario]]:
        """The scenarios of each keyword of a schema object."""
        # `not` is missing on purpose: if it holds, its schema does not, and a failing schema evaluates nothing.
        factors = [[self.direct(schema, base, own)]]
        for keyword in REFERENCES:
            if keyword in schema:
                place = self.compiler.follow(keyword, schema[keyword], base)
                factors += [self.of(*place)] if place is not None else []
        factors.extend(self.of(part, base) for part in schema.get("allOf", ()))
        factors.extend(self.optional(part, base) for part in schema.get("anyOf", ()))
        if "oneOf" in schema:
            factors.append(self.exclusive(schema["oneOf"], base))
        if "if" in schema:
            factors.append(self.conditional(schema, base))
        for name, part in schema.get("dependentSchemas", {}).items():
            factors.append(self.dependent(name, part, base))
        return factors

    def direct(self, schema: dict[str, Any], base: str, own: bool) -> _Scenario:
        contained: tuple[Formula, ...] = ()
        if "contains" in schema:
            contained = (self.compiler.child(schema["contains"], base),)
        return _Scenario(
            names=frozenset(schema.get("properties", ())),
            patterns=tuple(schema.get("patternProperties", ())),
            # An inner unevaluated keyword that holds has evaluated everything that was left. Our own is the one to
            # translate.
            every_member="additionalProperties" in schema or (not own and "unevaluatedProperties" in schema),
            prefix=len(schema.get("prefixItems", ())),
            every_item="items" in schema or (not own and "unevaluatedItems" in schema),
            contained=contained,
        )

    def optional(self, schema: Any, base: str) -> list[_Scenario]:
        """A branch that may hold or not."""
        holds = self.of(schema, base)
        # It does not evaluate anything in either case. Without this check, such branches would double the scenarios.
        if len(holds) == 1 and holds[0].is_blank:
            return holds
        node = self.compiler.compile(schema, base)
        return [found.under(node) for found in holds] + [_Scenario(given=negate(node))]

    def exclusive(self, branches: list[Any], base: str) -> list[_Scenario]:
        """Branches of which exactly one holds."""
        # The formula of `oneOf` itself states that no other branch holds.
        return [
            found.under(self.compiler.compile(branch, base)) for branch in branches for found in self.of(branch, base)
        ]

    def conditional(self, schema: dict[str, Any], base: str) -> list[_Scenario]:
        condition = self.compiler.compile(schema["if"], base)
        yes = [
            first.join(second).under(condition)
            for first in self.of(schema["if"], base)
            for second in self.of(schema.get("then", True), base)
        ]
        return yes + [found.under(negate(condition)) for found in self.of(schema.get("else", True), base)]

    def dependent(self, name: str, schema: Any, base: str) -> list[_Scenario]:
        lacks = props({name: FALSE}, (), TRUE)
        return [found.under(negate(lacks)) for found in self.of(schema, base)] + [_Scenario(given=lacks)]
