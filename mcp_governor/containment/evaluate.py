"""Evaluate a formula for a given value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.containment.automaton import automaton
from mcp_governor.containment.formulas import (
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
)
from mcp_governor.containment.numbers import is_multiple
from mcp_governor.containment.regex import Reading, UnsupportedPatternError, read
from mcp_governor.schemas.values import exact, freeze, is_type, type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Truth = bool | None
"""``None`` if the formula contains something that is not modelled."""


def evaluate(node: Formula, value: Any) -> Truth:
    """True if the value satisfies the formula; ``None`` if unknown."""
    return _Evaluation()(node, value)


class _Evaluation:
    """One evaluation of a value, which remembers the results for its parts.

    A chain of forty definitions, each of which refers to the next one twice, takes forty steps and not 2**40.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[Formula, int], Truth] = {}

    def __call__(self, node: Formula, value: Any) -> Truth:
        kind = type(node)
        rule = _RULES.get(kind)
        if rule is None:
            return None
        if kind not in _REMEMBERED:
            return rule(node, value, self)
        # The whole value lives as long as this object, so the ids of its parts stay unique.
        key = (node, id(value))
        if key not in self._known:
            self._known[key] = rule(node, value, self)
        return self._known[key]


def every(truths: Iterable[Truth]) -> Truth:
    """Three-valued conjunction."""
    unsure = False
    for truth in truths:
        if truth is False:
            return False
        unsure = unsure or truth is None
    return None if unsure else True


def some(truths: Iterable[Truth]) -> Truth:
    """Three-valued disjunction."""
    return negated(every(map(negated, truths)))


def negated(truth: Truth) -> Truth:
    """Three-valued negation."""
    return None if truth is None else not truth


def _count(node: Formula, items: Iterable[Any], see: _Evaluation) -> tuple[int, int]:
    """The number of items that certainly satisfy the node, and of those that possibly do."""
    truths = [see(node, item) for item in items]
    return truths.count(True), len(truths) - truths.count(False)


def _one(node: One, value: Any, see: _Evaluation) -> Truth:
    truths = [see(part, value) for part in node.parts]
    if truths.count(True) > 1:
        return False
    return None if None in truths else truths.count(True) == 1


def _bound(node: Bound, value: Any, _: _Evaluation) -> Truth:
    if type_of(value) != "number":
        return True
    number = exact(value)
    if number == node.limit:
        return not node.open
    return (number > node.limit) is node.low


def _multiple(node: Multiple, value: Any, _: _Evaluation) -> Truth:
    return type_of(value) != "number" or is_multiple(exact(value), node.step)


def _size(node: Size, value: Any, _: _Evaluation) -> Truth:
    if type_of(value) != node.kind:
        return True
    return len(value) >= node.limit if node.low else len(value) <= node.limit


def _matches(node: Matches, value: Any, _: _Evaluation) -> Truth:
    if not isinstance(value, str):
        return True
    try:
        certain, possible = (automaton(read(node.pattern, way)) for way in (Reading.CERTAIN, Reading.POSSIBLE))
        return certain.matches(value) or (None if certain is not possible and possible.matches(value) else False)
    except UnsupportedPatternError:
        return None


def _items(node: Items, value: Any, see: _Evaluation) -> Truth:
    if type_of(value) != "array":
        return True
    return every(see(node.at(index), item) for index, item in enumerate(value))


def _some_item(node: SomeItem, value: Any, see: _Evaluation) -> Truth:
    if type_of(value) != "array":
        return False
    last = len(value) if node.last is None else node.last + 1
    return some(see(node.item, item) for item in value[node.first : last])


def _contains(node: Contains, value: Any, see: _Evaluation) -> Truth:
    if type_of(value) != "array":
        return True
    certain, possible = _count(node.item, value, see)
    if certain >= node.low and (node.high is None or possible <= node.high):
        return True
    if possible < node.low or (node.high is not None and certain > node.high):
        return False
    return None


def _unique(_: Formula, value: Any, __: _Evaluation) -> Truth:
    return type_of(value) != "array" or len({freeze(item) for item in value}) == len(value)


def _repeated(_: Formula, value: Any, see: _Evaluation) -> Truth:
    return not _unique(_, value, see)


def member(node: Props, key: str, see: _Evaluation | None = None) -> tuple[list[Formula], bool]:
    """The formulas that a member called ``key`` must satisfy, and true if these are certainly all."""
    see = see or _Evaluation()
    found = [node.named[key]] if key in node.named else []
    sure = True
    for name, value in node.patterns:
        fits = see(name, key)
        if fits is None:
            sure = False
        elif fits:
            found.append(value)
            continue
    if not found and sure:
        found.append(node.rest)
    return found, sure


def _props(node: Props, value: Any, see: _Evaluation) -> Truth:
    if not isinstance(value, dict):
        return True
    truths: list[Truth] = []
    for key, item in value.items():
        found, sure = member(node, key, see)
        truths.extend(see(part, item) for part in found)
        if not sure:
            truths.append(None)
    return every(truths)


def _names(node: Names, value: Any, see: _Evaluation) -> Truth:
    return not isinstance(value, dict) or every(see(node.name, key) for key in value)


def _some_member(node: SomeMember, value: Any, see: _Evaluation) -> Truth:
    if not isinstance(value, dict):
        return False
    return some(every([see(node.name, key), see(node.value, item)]) for key, item in value.items())


def _opaque(node: Opaque, value: Any, _: _Evaluation) -> Truth:
    return True if node.kind and type_of(value) != node.kind else None


_RULES: dict[type[Formula], Callable[[Any, Any, _Evaluation], Truth]] = {
    Constant: lambda node, *_: node.truth,
    Types: lambda node, value, _: is_type(value, node.names),
    Values: lambda node, value, _: freeze(value) in node.members,
    Bound: _bound,
    Multiple: _multiple,
    Size: _size,
    Matches: _matches,
    Items: _items,
    SomeItem: _some_item,
    Contains: _contains,
    Unique: _unique,
    Repeated: _repeated,
    Props: _props,
    Names: _names,
    Required: lambda node, value, _: not isinstance(value, dict) or node.key in value,
    SomeMember: _some_member,
    Opaque: _opaque,
    Hint: lambda *_: True,
    Ref: lambda node, value, see: see(node.unfold(), value),
    And: lambda node, value, see: every(see(part, value) for part in node.parts),
    Or: lambda node, value, see: some(see(part, value) for part in node.parts),
    One: _one,
    Not: lambda node, value, see: negated(see(node.part, value)),
}
_REMEMBERED = frozenset([And, Items, Not, One, Or, Props, Ref])
