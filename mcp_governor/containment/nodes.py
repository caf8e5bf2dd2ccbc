"""A schema as a formula: what the own decision procedure works on.

An atom speaks about one JSON type and is true of every value of another type, as JSON Schema keywords are;
its negation therefore implies the type. Nodes are interned: equal formulas are the same object, so that
equality costs nothing and a formula meets its own negation wherever it is written again.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeVar

from mcp_governor.frozen import frozen
from mcp_governor.schemas.values import Frozen, Number, has_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mcp_governor.containment.regex import Regex


class Node:
    """A formula about one JSON value."""

    __slots__ = ("opposite",)
    opposite: Node


@frozen(eq=False)
class Constant(Node):
    """Holds for everything, or for nothing."""

    truth: bool


@frozen(eq=False)
class Types(Node):
    """The value is of one of these types; ``integer`` is listed only without ``number``."""

    names: frozenset[str]


@frozen(eq=False)
class Values(Node):
    """The value is one of these."""

    members: frozenset[Frozen]

    def ordered(self) -> list[Frozen]:
        """The members in an order that is the same in every run."""
        return sorted(self.members)


@frozen(eq=False)
class Bound(Node):
    """A number at least (``low``) or at most ``limit``; strictly so where ``open``."""

    low: bool
    limit: Number
    open: bool


@frozen(eq=False)
class Multiple(Node):
    """A number that is a whole multiple of ``step``."""

    step: Number


@frozen(eq=False)
class Size(Node):
    """A string, array or object (``kind``) with at least (``low``) or at most ``limit`` members."""

    kind: str
    low: bool
    limit: int


@frozen(eq=False)
class Matches(Node):
    """A string in which the pattern is found."""

    pattern: Regex


@frozen(eq=False)
class Items(Node):
    """An array whose leading items satisfy ``prefix`` in order, and all others ``rest``."""

    prefix: tuple[Node, ...]
    rest: Node

    def at(self, index: int) -> Node:
        """What the item at ``index`` has to satisfy."""
        return self.prefix[index] if index < len(self.prefix) else self.rest


@frozen(eq=False)
class SomeItem(Node):
    """An array with an item at an index from ``first`` to ``last`` (``None``: any) that satisfies ``item``."""

    first: int
    last: int | None
    item: Node


@frozen(eq=False)
class Contains(Node):
    """An array in which ``low`` to ``high`` (``None``: any number of) items satisfy ``item``."""

    item: Node
    low: int
    high: int | None


@frozen(eq=False)
class Unique(Node):
    """An array without two equal items."""


@frozen(eq=False)
class Repeated(Node):
    """An array with two equal items; false of every other type."""


@frozen(eq=False)
class Props(Node):
    """An object whose members satisfy what is said of their names; ``rest`` speaks of all other names.

    ``patterns`` pairs a formula about the name with one about the value.
    """

    named: Mapping[str, Node]
    patterns: tuple[tuple[Node, Node], ...]
    rest: Node


@frozen(eq=False)
class Names(Node):
    """An object of which every member name satisfies ``name``."""

    name: Node


@frozen(eq=False)
class Required(Node):
    """An object that has the member ``key``."""

    key: str


@frozen(eq=False)
class SomeMember(Node):
    """An object with a member whose name satisfies ``name`` and whose value ``value``."""

    name: Node
    value: Node


@frozen(eq=False)
class Opaque(Node):
    """Something that the procedure does not model; only equal to itself.

    Where ``kind`` is not empty, it is an atom about that type.
    """

    kind: str
    identity: str
    why: str


@frozen(eq=False)
class Ref(Node):
    """A definition that refers to itself, unfolded only when it is needed."""

    owner: Any
    uri: str
    unfold: Callable[[], Node] = field(compare=False)


@frozen(eq=False)
class And(Node):
    """All parts hold."""

    parts: tuple[Node, ...]


@frozen(eq=False)
class Or(Node):
    """At least one part holds."""

    parts: tuple[Node, ...]


@frozen(eq=False)
class One(Node):
    """Exactly one part holds."""

    parts: tuple[Node, ...]


@frozen(eq=False)
class Not(Node):
    """The part does not hold."""

    part: Node


TRUE = Constant(True)
FALSE = Constant(False)

object.__setattr__(TRUE, "opposite", FALSE)
object.__setattr__(FALSE, "opposite", TRUE)

_pool: dict[tuple[Any, ...], Node] = {}
N = TypeVar("N", bound=Node)

WRITTEN = "an integer of draft 4"
"""The identity of an :class:`Opaque`: the number is written without a fraction, which draft 4 asks of an integer.

The values here are numbers however they are written, ``1`` and ``1.0`` alike, so nothing follows from it but itself.
"""


def pool_size() -> int:
    """How many nodes there are."""
    return len(_pool)


def forget() -> None:
    """Give up all nodes: those made from now on are different from those made before."""
    _pool.clear()


def make(cls: type[N], *parts: Any) -> N:
    """The one node of this class with these parts."""
    key = (cls, *parts)
    node = _pool.get(key)
    if node is None:
        node = _pool[key] = cls(*parts)
    return node  # type: ignore[return-value]


def props(named: Mapping[str, Node], patterns: tuple[tuple[Node, Node], ...], rest: Node) -> Node:
    """The :class:`Props` node, or ``TRUE`` where nothing is asked."""
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


def ref(owner: Any, uri: str, unfold: Callable[[], Node]) -> Node:
    """The node for the recursive definition ``uri`` of the document ``owner``."""
    key = (Ref, owner, uri)
    node = _pool.get(key)
    if node is None:
        node = Ref(owner, uri, unfold)
        _pool[key] = node
    return node


def types(names: Iterable[str]) -> Node:
    """The value is of one of these JSON Schema types."""
    found = frozenset(names)
    if "number" in found:
        found -= {"integer"}
    return make(Types, found) if found else FALSE


def values(members: Iterable[Frozen]) -> Node:
    """The value is one of these."""
    found = frozenset(members)
    return make(Values, found) if found else FALSE


def negate(node: Node) -> Node:
    """Everything that ``node`` does not accept."""
    try:
        return node.opposite
    except AttributeError:
        opposite = Not(node)
        object.__setattr__(node, "opposite", opposite)
        object.__setattr__(opposite, "opposite", node)
        return opposite


def opposite(node: Node) -> Node | None:
    """The negation, where anyone has asked for it: otherwise it can be in no formula."""
    return getattr(node, "opposite", None)


def _common_types(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    both = one & other
    if "number" in both:
        return both
    numeric = {"integer", "number"}
    return both | {"integer"} if one & numeric and other & numeric else both


def _meet(one: Node | None, other: Types | Values) -> Node:
    """The conjunction of type and value lists, which is again one of them."""
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


def all_of(parts: Iterable[Node]) -> Node:
    """The conjunction, flattened, with type and value lists merged."""
    found: dict[Node, None] = {}
    listed: Node | None = None
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


def any_of(parts: Iterable[Node]) -> Node:
    """The disjunction, flattened, with value lists merged."""
    found: dict[Node, None] = {}
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
