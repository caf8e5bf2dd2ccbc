"""Schemas as formulas, for our own decision procedure.

An atom is about one JSON type and is true for all values of other types, like JSON Schema keywords; so its negation
implies the type. Nodes are interned: equal formulas are the same object. This makes comparisons cheap, and a formula
and its negation are always recognised.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeVar

from mcp_governor.frozen import frozen
from mcp_governor.schemas.values import Frozen, Number, has_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mcp_governor.containment.regex import Regex


class Formula:
    """A formula about one JSON value."""

    __slots__ = ("opposite",)
    opposite: Formula


@frozen(eq=False)
class Constant(Formula):
    """True for all values, or for none."""

    truth: bool


@frozen(eq=False)
class Types(Formula):
    """The value is of one of these types; ``integer`` is listed only without ``number``."""

    names: frozenset[str]


@frozen(eq=False)
class Values(Formula):
    """The value is one of these."""

    members: frozenset[Frozen]

    def ordered(self) -> list[Frozen]:
        """The members in a reproducible order."""
        return sorted(self.members)


@frozen(eq=False)
class Bound(Formula):
    """A number at least (``low``) or at most ``limit``; strictly so where ``open``."""

    low: bool
    limit: Number
    open: bool


@frozen(eq=False)
class Multiple(Formula):
    """A number that is a whole multiple of ``step``."""

    step: Number


@frozen(eq=False)
class Size(Formula):
    """A string, array or object (``kind``) with at least (``low``) or at most ``limit`` members."""

    kind: str
    low: bool
    limit: int


@frozen(eq=False)
class Matches(Formula):
    """A string in which the pattern is found."""

    pattern: Regex


@frozen(eq=False)
class Items(Formula):
    """An array whose leading items satisfy ``prefix`` in order, and all others ``rest``."""

    prefix: tuple[Formula, ...]
    rest: Formula

    def at(self, index: int) -> Formula:
        """The formula that the item at ``index`` must satisfy."""
        return self.prefix[index] if index < len(self.prefix) else self.rest


@frozen(eq=False)
class SomeItem(Formula):
    """An array with an item at an index from ``first`` to ``last`` (``None``: any) that satisfies ``item``."""

    first: int
    last: int | None
    item: Formula


@frozen(eq=False)
class Contains(Formula):
    """An array in which ``low`` to ``high`` (``None``: any number of) items satisfy ``item``."""

    item: Formula
    low: int
    high: int | None


@frozen(eq=False)
class Unique(Formula):
    """An array without two equal items."""


@frozen(eq=False)
class Repeated(Formula):
    """An array with two equal items; false for other types."""


@frozen(eq=False)
class Props(Formula):
    """An object whose members satisfy the formulas for their names; ``rest`` applies to all other names.

    ``patterns`` pairs a formula for the name with one for the value.
    """

    named: Mapping[str, Formula]
    patterns: tuple[tuple[Formula, Formula], ...]
    rest: Formula


@frozen(eq=False)
class Names(Formula):
    """An object whose member names all satisfy ``name``."""

    name: Formula


@frozen(eq=False)
class Required(Formula):
    """An object that has the member ``key``."""

    key: str


@frozen(eq=False)
class SomeMember(Formula):
    """An object with a member whose name satisfies ``name`` and whose value ``value``."""

    name: Formula
    value: Formula


@frozen(eq=False)
class Opaque(Formula):
    """Something that the procedure does not model; equal only to itself.

    If ``kind`` is not empty, this is an atom about that type.
    """

    kind: str
    identity: str
    why: str


@frozen(eq=False)
class Hint(Formula):
    """True for all values; suggests some.

    Attributes:
        samples: values that the author of the schema gave, the best first.
        format: the patterns of the format that strings should have.
    """

    samples: tuple[Frozen, ...]
    format: tuple[Formula, ...]


@frozen(eq=False)
class Ref(Formula):
    """A recursive definition, which is unfolded on demand."""

    owner: Any
    uri: str
    unfold: Callable[[], Formula] = field(compare=False)


@frozen(eq=False)
class And(Formula):
    """All parts hold."""

    parts: tuple[Formula, ...]


@frozen(eq=False)
class Or(Formula):
    """At least one part holds."""

    parts: tuple[Formula, ...]


@frozen(eq=False)
class One(Formula):
    """Exactly one part holds."""

    parts: tuple[Formula, ...]


@frozen(eq=False)
class Not(Formula):
    """The part does not hold."""

    part: Formula


TRUE = Constant(True)
FALSE = Constant(False)

object.__setattr__(TRUE, "opposite", FALSE)
object.__setattr__(FALSE, "opposite", TRUE)

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
    try:
        return node.opposite
    except AttributeError:
        opposite = Not(node)
        object.__setattr__(node, "opposite", opposite)
        object.__setattr__(opposite, "opposite", node)
        return opposite


def opposite(node: Formula) -> Formula | None:
    """The negation if it exists already; if not, it is not part of any formula."""
    return getattr(node, "opposite", None)


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
