"""Schemas as formulas, for our own decision procedure.

An atom is about one JSON type and is true for all values of other types, like JSON Schema keywords; so its negation
implies the type. Nodes are interned: equal formulas are the same object. This makes comparisons cheap, and a formula
and its negation are always recognised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from mcp_governor.schemas.values import Frozen, Number, has_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mcp_governor.containment.regex import Regex


class Formula(Struct, frozen=True, eq=False):
    """A formula about one JSON value."""


class Constant(Formula, frozen=True, eq=False):
    """True for all values, or for none."""

    truth: bool


class Types(Formula, frozen=True, eq=False):
    """The value is of one of these types; ``integer`` is listed only without ``number``."""

    names: frozenset[str]


class Values(Formula, frozen=True, eq=False):
    """The value is one of these."""

    members: frozenset[Frozen]

    def ordered(self) -> list[Frozen]:
        """The members in a reproducible order."""
        return sorted(self.members)


class Bound(Formula, frozen=True, eq=False):
    """A number at least (``low``) or at most ``limit``; strictly so where ``open``."""

    low: bool
    limit: Number
    open: bool


class Multiple(Formula, frozen=True, eq=False):
    """A number that is a whole multiple of ``step``."""

    step: Number


class Size(Formula, frozen=True, eq=False):
    """A string, array or object (``kind``) with at least (``low``) or at most ``limit`` members."""

    kind: str
    low: bool
    limit: int


class Matches(Formula, frozen=True, eq=False):
    """A string in which the pattern is found."""

    pattern: Regex


class Items(Formula, frozen=True, eq=False):
    """An array whose leading items satisfy ``prefix`` in order, and all others ``rest``."""

    prefix: tuple[Formula, ...]
    rest: Formula

    def at(self, index: int) -> Formula:
        """The formula that the item at ``index`` must satisfy."""
        return self.prefix[index] if index < len(self.prefix) else self.rest


class SomeItem(Formula, frozen=True, eq=False):
    """An array with an item at an index from ``first`` to ``last`` (``None``: any) that satisfies ``item``."""

    first: int
    last: int | None
    item: Formula


class Contains(Formula, frozen=True, eq=False):
    """An array in which ``low`` to ``high`` (``None``: any number of) items satisfy ``item``."""

    item: Formula
    low: int
    high: int | None


class Unique(Formula, frozen=True, eq=False):
    """An array without two equal items."""


class Repeated(Formula, frozen=True, eq=False):
    """An array with two equal items; false for other types."""


class Props(Formula, frozen=True, eq=False):
    """An object whose members satisfy the formulas for their names; ``rest`` applies to all other names.

    ``patterns`` pairs a formula for the name with one for the value.
    """

    named: Mapping[str, Formula]
    patterns: tuple[tuple[Formula, Formula], ...]
    rest: Formula


class Names(Formula, frozen=True, eq=False):
    """An object whose member names all satisfy ``name``."""

    name: Formula


class Required(Formula, frozen=True, eq=False):
    """An object that has the member ``key``."""

    key: str


class SomeMember(Formula, frozen=True, eq=False):
    """An object with a member whose name satisfies ``name`` and whose value ``value``."""

    name: Formula
    value: Formula


class Opaque(Formula, frozen=True, eq=False):
    """Something that the procedure does not model; equal only to itself.

    If ``kind`` is not empty, this is an atom about that type.
    """

    kind: str
    identity: str
    why: str


class Hint(Formula, frozen=True, eq=False):
    """True for all values; suggests some.

    Attributes:
        samples: values that the author of the schema gave, the best first.
        format: the patterns of the format that strings should have.
    """

    samples: tuple[Frozen, ...]
    format: tuple[Formula, ...]


class Ref(Formula, frozen=True, eq=False):
    """A recursive definition, which is unfolded on demand."""

    owner: Any
    uri: str
    unfold: Callable[[], Formula]


class And(Formula, frozen=True, eq=False):
    """All parts hold."""

    parts: tuple[Formula, ...]


class Or(Formula, frozen=True, eq=False):
    """At least one part holds."""

    parts: tuple[Formula, ...]


class One(Formula, frozen=True, eq=False):
    """Exactly one part holds."""

    parts: tuple[Formula, ...]


class Not(Formula, frozen=True, eq=False):
    """The part does not hold."""

    part: Formula


TRUE = Constant(True)
FALSE = Constant(False)

_opposites: dict[Formula, Formula] = {TRUE: FALSE, FALSE: TRUE}
_pool: dict[tuple[Any, ...], Formula] = {}
N = TypeVar("N", bound=Formula)

WRITTEN = "an integer of draft 4"
"""The identity of an :class:`Opaque` for numbers that are written without a fraction, as draft 4 requires of integers.

Values do not keep their notation here, so ``1`` and ``1.0`` are the same. Only the formula itself follows from it.
"""


def pool_size() -> int:
    """The number of nodes."""
    return len(_pool)


def forget() -> None:
    """Clear all nodes. Nodes that are made from now on are not equal to earlier ones."""
    _pool.clear()
    _opposites.clear()
    _opposites.update({TRUE: FALSE, FALSE: TRUE})


def make(cls: type[N], *parts: Any) -> N:
    """The one node of this class with these parts."""
    key = (cls, *parts)
    node = _pool.get(key)
    if node is None:
        node = _pool[key] = cls(*parts)
    return node  # type: ignore[return-value]


def props(named: Mapping[str, Formula], patterns: tuple[tuple[Formula, Formula], ...], rest: Formula) -> Formula:
    """The :class:`Props` node, or ``TRUE`` if it requires nothing."""
    named = {key: node for key, node in named.items() if node is not TRUE} if rest is TRUE else dict(named)
    patterns = tuple(pair for pair in patterns if pair[1] is not TRUE) if rest is TRUE else patterns
    if not named and not patterns and rest is TRUE:
        return TRUE
    key = (Props, frozenset(named.items()), frozenset(patterns), rest)
    node = _pool.get(key)
    if node is None:
        node = Props(named, patterns, rest)
        _pool[key] = node
    return node


def ref(owner: Any, uri: str, unfold: Callable[[], Formula]) -> Formula:
    """The node for the recursive definition ``uri`` of the document ``owner``."""
    key = (Ref, owner, uri)
    node = _pool.get(key)
    if node is None:
        node = Ref(owner, uri, unfold)
        _pool[key] = node
    return node


def types(names: Iterable[str]) -> Formula:
    """The value is of one of these JSON Schema types."""
    found = frozenset(names)
    if "number" in found:
        found -= {"integer"}
    return make(Types, found) if found else FALSE


def values(members: Iterable[Frozen]) -> Formula:
    """The value is one of these."""
    found = frozenset(members)
    return make(Values, found) if found else FALSE


def negate(node: Formula) -> Formula:
    """The negation of a formula."""
    found = _opposites.get(node)
    if found is None:
        found = _opposites[node] = Not(node)
        _opposites[found] = node
    return found


def opposite(node: Formula) -> Formula | None:
    """The negation if it exists already; if not, it is not part of any formula."""
    return _opposites.get(node)


def _common_types(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    both = one & other
    if "number" in both:
        return both
    numeric = {"integer", "number"}
    return both | {"integer"} if one & numeric and other & numeric else both


def _meet(one: Formula | None, other: Types | Values) -> Formula:
    """The conjunction of lists of types or values, which is such a list again."""
    if one is None:
        return other
    if isinstance(one, Constant):
        return one
    if isinstance(one, Types) and isinstance(other, Types):
        return types(_common_types(one.names, other.names))
    if isinstance(one, Values) and isinstance(other, Values):
        return values(one.members & other.members)
    listed, kinds = (one, other) if isinstance(one, Values) else (other, one)
    assert isinstance(listed, Values)
    assert isinstance(kinds, Types)
    return values(member for member in listed.members if has_type(member, kinds.names))


def all_of(parts: Iterable[Formula]) -> Formula:
    """The conjunction, flattened, with type and value lists merged."""
    found: dict[Formula, None] = {}
    listed: Formula | None = None
    pending = list(parts)[::-1]
    while pending:
        part = pending.pop()
        if part is FALSE or opposite(part) in found:
            return FALSE
        if isinstance(part, And):
            pending.extend(reversed(part.parts))
        elif isinstance(part, Types | Values):
            listed = _meet(listed, part)
        elif part is not TRUE:
            found[part] = None
    if listed is FALSE:
        return FALSE
    result = (*([] if listed is None else [listed]), *found)
    return result[0] if len(result) == 1 else make(And, result) if result else TRUE


def any_of(parts: Iterable[Formula]) -> Formula:
    """The disjunction, flattened, with value lists merged."""
    found: dict[Formula, None] = {}
    members: set[Frozen] = set()
    names: set[str] = set()
    pending = list(parts)[::-1]
    while pending:
        part = pending.pop()
        if part is TRUE or opposite(part) in found:
            return TRUE
        if isinstance(part, Or):
            pending.extend(reversed(part.parts))
        elif isinstance(part, Values):
            members |= part.members
        elif isinstance(part, Types):
            names |= part.names
        elif part is not FALSE:
            found[part] = None
    head = ([types(names)] if names else []) + ([values(members)] if members else [])
    result = (*head, *found)
    return result[0] if len(result) == 1 else make(Or, result) if result else FALSE
