"""Restrict a formula to one JSON type and push negations inwards, one level at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.containment.formulas import (
    FALSE,
    TRUE,
    And,
    Bound,
    Constant,
    Contains,
    Formula,
    Hint,
    Items,
    Matches,
    Multiple,
    Names,
    Not,
    One,
    Opaque,
    Or,
    Props,
    Ref,
    Repeated,
    Required,
    Size,
    SomeItem,
    SomeMember,
    Types,
    Unique,
    Values,
    all_of,
    any_of,
    make,
    negate,
    props,
    types,
    values,
)
from mcp_governor.containment.one_of import overlapping

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_governor.schemas.values import Frozen

_SPEAKS_OF: dict[type[Formula], str] = {
    Bound: "number",
    Multiple: "number",
    Matches: "string",
    Items: "array",
    SomeItem: "array",
    Contains: "array",
    Unique: "array",
    Repeated: "array",
    Props: "object",
    Names: "object",
    Required: "object",
    SomeMember: "object",
}
_EXISTENTIAL = (SomeItem, SomeMember, Repeated)
STRING = types(["string"])

MAX_PAIRS = 5_000
"""Most pairs of alternatives that might overlap: those of a hundred alternatives. Larger unions are not modelled."""


def literal(text: str) -> Formula:
    """The formula of one string."""
    return values([("string", text)])


def expand(node: Formula, kind: str) -> Formula:
    """An equivalent formula for values of the type ``kind``.

    The result is a constant, a conjunction, a disjunction, or an atom about that type, which may be negated. Parts of
    conjunctions and disjunctions are not expanded.
    """
    spoken = _SPEAKS_OF.get(type(node))
    if spoken is not None:
        # Keywords are true for values of other types. Existential atoms come from negated keywords, so they are false.
        return node if spoken == kind else FALSE if isinstance(node, _EXISTENTIAL) else TRUE
    rule = _EXPANSIONS.get(type(node))
    return node if rule is None else rule(node, kind)


def _one(node: One, _: str) -> Formula:
    """At least one of the parts holds, and no two of them do."""
    pairs = overlapping(node.parts, MAX_PAIRS)
    if pairs is None:
        return all_of([any_of(node.parts), negate(_two_of(node))])
    return all_of([any_of(node.parts), *(any_of([negate(part), negate(other)]) for part, other in pairs)])


def _own_kind(node: Size | Opaque, kind: str) -> Formula:
    return node if node.kind in ("", kind) else TRUE


def _typed(node: Types, kind: str) -> Formula:
    if kind in node.names:
        return TRUE
    # `integer` is not a separate type, because 1.0 is an integer too.
    return make(Multiple, 1) if kind == "number" and "integer" in node.names else FALSE


def _expand_negation(node: Formula, kind: str) -> Formula:
    spoken = _SPEAKS_OF.get(type(node))
    if spoken is not None and spoken != kind:
        return TRUE if isinstance(node, _EXISTENTIAL) else FALSE
    rule = _NEGATIONS.get(type(node))
    return negate(node) if rule is None else rule(node, kind)


def _not_typed(node: Types, kind: str) -> Formula:
    return negate(_typed(node, kind))


def _not_one(node: One, _: str) -> Formula:
    """None of the parts, or two of them."""
    none = all_of(negate(part) for part in node.parts)
    pairs = overlapping(node.parts, MAX_PAIRS)
    if pairs is None:
        return any_of([none, _two_of(node)])
    return any_of([none, *(all_of(pair) for pair in pairs)])


def _two_of(node: One) -> Formula:
    """States that two of the parts hold, if there are too many pairs to list."""
    # Equal nodes are the same object, so its id identifies the formula.
    return make(Opaque, "", f"two of {id(node)}", "too many alternatives that might overlap")


def _not_size(node: Size, kind: str) -> Formula:
    if node.kind != kind:
        return FALSE
    if not node.low:
        return make(Size, kind, True, node.limit + 1)
    return make(Size, kind, False, node.limit - 1) if node.limit > 0 else FALSE


def _not_items(node: Items, _: str) -> Formula:
    wrong = [make(SomeItem, index, index, negate(part)) for index, part in enumerate(node.prefix) if part is not TRUE]
    if node.rest is not TRUE:
        wrong.append(make(SomeItem, len(node.prefix), None, negate(node.rest)))
    return any_of(wrong)


def _not_contains(node: Contains, _: str) -> Formula:
    fewer = [make(Contains, node.item, 0, node.low - 1)] if node.low else []
    more = [make(Contains, node.item, node.high + 1, None)] if node.high is not None else []
    return any_of([*fewer, *more])


def _not_props(node: Props, _: str) -> Formula:
    wrong = [make(SomeMember, literal(key), negate(part)) for key, part in node.named.items() if part is not TRUE]
    wrong += [make(SomeMember, name, negate(part)) for name, part in node.patterns if part is not TRUE]
    if node.rest is not TRUE:
        known = [values(("string", key) for key in node.named), *(name for name, _ in node.patterns)]
        wrong.append(make(SomeMember, all_of(negate(name) for name in known), negate(node.rest)))
    return any_of(wrong)


def _not_values(node: Values, kind: str) -> Formula:
    members = [member for member in node.ordered() if member[0] == kind]
    if not members:
        return TRUE
    if kind == "null":
        return FALSE
    if kind in ("array", "object"):
        differ = _other_array if kind == "array" else _other_object
        return all_of(differ(content) for _, content in members)
    return negate(values(members))


def _other_array(items: tuple[Frozen, ...]) -> Formula:
    size = len(items)
    shorter = [make(Size, "array", False, size - 1)] if size else []
    others = [make(SomeItem, index, index, negate(values([item]))) for index, item in enumerate(items)]
    return any_of([*shorter, make(Size, "array", True, size + 1), *others])


def _other_object(members: tuple[tuple[str, Frozen], ...]) -> Formula:
    known = values(("string", key) for key, _ in members)
    ways: list[Formula] = [make(SomeMember, negate(known), TRUE)]
    for key, item in members:
        ways.append(props({key: FALSE}, (), TRUE))
        ways.append(make(SomeMember, literal(key), negate(values([item]))))
    return any_of(ways)


_NEGATIONS: dict[type[Formula], Callable[[Any, str], Formula]] = {
    Constant: lambda node, _: negate(node),
    And: lambda node, _: any_of(negate(part) for part in node.parts),
    Or: lambda node, _: all_of(negate(part) for part in node.parts),
    One: _not_one,
    # One level at a time, as in `expand`, because a recursive schema is infinite.
    Ref: lambda node, kind: _expand_negation(node.unfold(), kind),
    Types: _not_typed,
    Values: _not_values,
    Bound: lambda node, _: make(Bound, not node.low, node.limit, not node.open),
    Size: _not_size,
    Opaque: lambda node, kind: negate(node) if node.kind in ("", kind) else FALSE,
    Hint: lambda *_: FALSE,
    Items: _not_items,
    Contains: _not_contains,
    Unique: lambda _, __: make(Repeated),
    Repeated: lambda _, __: make(Unique),
    Props: _not_props,
    Names: lambda node, _: make(SomeMember, negate(node.name), TRUE),
    Required: lambda node, _: props({node.key: FALSE}, (), TRUE),
}


_EXPANSIONS: dict[type[Formula], Callable[[Any, str], Formula]] = {
    Not: lambda node, kind: _expand_negation(node.part, kind),
    Types: _typed,
    Values: lambda node, kind: values(member for member in node.members if member[0] == kind),
    One: _one,
    Ref: lambda node, kind: expand(node.unfold(), kind),
    Size: _own_kind,
    Opaque: _own_kind,
}


def is_opaque(node: Formula) -> bool:
    """True if the node, or its negation, is not modelled."""
    return isinstance(node.part if isinstance(node, Not) else node, Opaque)
