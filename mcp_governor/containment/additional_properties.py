"""Find a member whose name is not listed in any formula.

The formulas for the value depend on the patterns that the name matches. Fifty patterns have 2^50 combinations, and real
schemas need a few of them. So a name is chosen that fits the known constraints, and the patterns that it matches are
looked up. If the value is impossible, the few responsible patterns are determined, and the next name must avoid this
combination.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.containment.evaluate import Truth, evaluate
from mcp_governor.containment.expand import STRING
from mcp_governor.containment.formulas import And, Formula, Props, all_of, negate, values
from mcp_governor.containment.outcome import Empty, Found, Outcome, Pool, Searcher, draw, first_found

if TYPE_CHECKING:
    from collections.abc import Collection


class Asked(Struct, frozen=True):
    """Requirements for the name and value of a member whose name is not listed."""

    name: tuple[Formula, ...] = ()
    value: tuple[Formula, ...] = ()


class Member(Struct, frozen=True):
    """A member of an object: its name and the value that was found."""

    name: str
    value: Found


class _Case(Struct, frozen=True):
    """Formulas for the value if the name satisfies ``when``."""

    when: Formula
    then: tuple[Formula, ...]


class Members:
    """The members of an object, except those with certain names.

    Args:
        props: formulas for the members; all names that they list are in ``mentioned``.
        names: formulas for all names.
        mentioned: the excluded names.
        searcher: finds names and values.
    """

    def __init__(
        self, props: list[Props], names: list[Formula], mentioned: Collection[str], searcher: Searcher
    ) -> None:
        self.props = props
        self.searcher = searcher
        self.patterns = dict.fromkeys(name for part in props for name, _ in part.patterns)
        self.common = [STRING, *names, negate(values(("string", key) for key in mentioned))]
        self.learnt: dict[tuple[Formula, ...], list[Formula]] = {}
        """Requirements for a value → formulas that all names of such members satisfy, as learned so far."""

    def draw(self, asked: Asked, wanted: int, taken: Collection[str] = ()) -> Pool:
        """Up to ``wanted`` members with different names, none of them among ``taken``."""
        pool = draw(lambda keys: self._search(asked, [*taken, *keys]), lambda member: str(member.name), wanted)
        return Pool([(name, found.value.value) for name, found in pool.found], pool.rest)

    def find(self, asked: Asked) -> Outcome:
        """A :class:`Member` that satisfies the requirements."""
        return self._search(asked, [])

    def _search(self, asked: Asked, taken: list[str]) -> Outcome:
        barred = [negate(values(("string", key) for key in taken))] if taken else []
        return self._named([*self.common, *asked.name, *barred], asked.value)

    def _named(self, goal: list[Formula], value: tuple[Formula, ...]) -> Outcome:
        learnt = self.learnt.setdefault(value, [])
        while True:
            self.searcher.tick(len(self.patterns))
            stated = _conjuncts([*goal, *learnt])
            asked = self.searcher.solve(
                _values(value, self._cases({name: _stated(stated, name) for name in self.patterns}))
            )
            if isinstance(asked, Empty):
                # The patterns in the goal alone already rule out every value.
                return asked
            name = self.searcher.solve([*goal, *learnt])
            if not isinstance(name, Found):
                return name
            fits = {part: _fits(stated, part, name.value) for part in self.patterns}
            unsure = next((part for part, truth in fits.items() if truth is None), None)
            if unsure is not None:
                # A name matches the pattern or it does not, even if the pattern is not modelled.
                halves = {unsure: None, negate(unsure): None}
                return first_found(halves, lambda half: self._named([*goal, half], value))
            cases = self._cases(fits)
            outcome = self.searcher.solve(_values(value, cases))
            if isinstance(outcome, Found):
                doubt = outcome.doubt or name.doubt
                return Found(Member(name.value, replace(outcome, doubt=doubt)), doubt, outcome.size + name.size)
            if not isinstance(outcome, Empty):
                return outcome
            # No value satisfies the responsible cases, so the name must not satisfy their conditions.
            learnt.append(negate(all_of(case.when for case in self._responsible(value, cases))))

    def _cases(self, fits: dict[Formula, Truth]) -> list[_Case]:
        """Formulas for the value that follow from the patterns that a name matches or does not match."""
        found: list[_Case] = []
        for part in self.props:
            found += [_Case(name, (value,)) for name, value in part.patterns if fits[name]]
            if all(fits[name] is False for name, _ in part.patterns):
                found.append(_Case(all_of(negate(name) for name, _ in part.patterns), (part.rest,)))
        return found

    def _responsible(self, value: tuple[Formula, ...], cases: list[_Case]) -> list[_Case]:
        """A small subset of the cases that no value satisfies."""
        for case in cases:
            fewer = [other for other in cases if other is not case]
            if isinstance(self.searcher.solve(_values(value, fewer)), Empty):
                cases = fewer
        return cases


def _values(value: tuple[Formula, ...], cases: list[_Case]) -> list[Formula]:
    return [*value, *(node for case in cases for node in case.then)]


def _conjuncts(goal: list[Formula]) -> dict[Formula, None]:
    found: dict[Formula, None] = {}
    pending = goal[::-1]
    while pending:
        node = pending.pop()
        if isinstance(node, And):
            pending.extend(node.parts)
        else:
            found[node] = None
    return found


def _stated(stated: dict[Formula, None], part: Formula) -> Truth:
    """True if the goal states that the name matches a pattern, false if it states the opposite; otherwise ``None``."""
    return True if part in stated else False if negate(part) in stated else None


def _fits(stated: dict[Formula, None], part: Formula, name: str) -> Truth:
    known = _stated(stated, part)
    return evaluate(part, name) if known is None else known
