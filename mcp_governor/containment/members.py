"""A member whose name no formula spells out, found together with its name.

What the value has to satisfy depends on the patterns that the name matches. With fifty patterns there are 2^50
combinations, and real schemas need a few of them. So a name is taken that fits what is known, the patterns that it
matches are looked up, and where the value turns out impossible, the few patterns that are to blame are worked out:
no name that matches those can do, and the next one is asked to avoid that combination.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from mcp_governor.containment.evaluate import Truth, evaluate
from mcp_governor.containment.expand import STRING
from mcp_governor.containment.formulas import And, Formula, Props, all_of, negate, values
from mcp_governor.containment.outcome import Cases, Empty, Found, Outcome, Pool, Searcher, draw, first_found
from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Collection


class Asked(Protocol):
    """What a name and the value that goes with it have to satisfy."""

    @property
    def name(self) -> tuple[Formula, ...]:
        """Formulas about the name."""

    @property
    def value(self) -> tuple[Formula, ...]:
        """Formulas about the value."""


@frozen
class Member:
    """A member of an object: its name, and its value as it was found."""

    name: str
    value: Found


@frozen
class _Case:
    """What the value has to satisfy for every name of which ``when`` holds."""

    when: Formula
    then: tuple[Formula, ...]


class Members:
    """The members of an object, other than those with certain names.

    Args:
        props: what is said of the members; all names that these spell out are among ``mentioned``.
        names: what is said of every name.
        mentioned: the names that are not wanted.
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
        """Of what is asked of a value: the formulas that every name of such a member satisfies, as was found out."""

    def draw(self, asked: Asked, wanted: int, taken: Collection[str] = ()) -> Pool:
        """Up to ``wanted`` members with different names, none of them among ``taken``."""
        pool = draw(lambda keys: self._search(asked, [*taken, *keys]), lambda member: str(member.name), wanted)
        return Pool([(name, found.value.value) for name, found in pool.found], pool.rest)

    def find(self, asked: Asked) -> Outcome:
        """A :class:`Member` of which all this holds."""
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
                _values(value, self._cases({name: _told(stated, name) for name in self.patterns}))
            )
            if isinstance(asked, Empty):
                # the patterns that the goal spells out already rule out every value
                return asked
            name = self.searcher.solve([*goal, *learnt])
            if not isinstance(name, Found):
                return name
            fits = {part: _fits(stated, part, name.value) for part in self.patterns}
            unsure = next((part for part, truth in fits.items() if truth is None), None)
            if unsure is not None:
                # whatever the pattern means, a name matches it or does not
                halves = {unsure: None, negate(unsure): None}
                return first_found(Cases.each(halves), lambda half: self._named([*goal, half], value))
            cases = self._cases(fits)
            outcome = self.searcher.solve(_values(value, cases))
            if isinstance(outcome, Found):
                doubt = outcome.doubt or name.doubt
                return Found(Member(name.value, replace(outcome, doubt=doubt)), doubt, outcome.size + name.size)
            if not isinstance(outcome, Empty):
                return outcome
            # what is to blame leaves no value: no name of a member that is looked for satisfies it
            learnt.append(negate(all_of(case.when for case in self._to_blame(value, cases))))

    def _cases(self, fits: dict[Formula, Truth]) -> list[_Case]:
        """What follows for the value from the patterns that a name matches and does not match."""
        found: list[_Case] = []
        for part in self.props:
            found += [_Case(name, (value,)) for name, value in part.patterns if fits[name]]
            if all(fits[name] is False for name, _ in part.patterns):
                found.append(_Case(all_of(negate(name) for name, _ in part.patterns), (part.rest,)))
        return found

    def _to_blame(self, value: tuple[Formula, ...], cases: list[_Case]) -> list[_Case]:
        """As few of the cases as leave no value."""
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


def _told(stated: dict[Formula, None], part: Formula) -> Truth:
    """Whether the name matches a pattern, as far as the goal spells it out."""
    return True if part in stated else False if negate(part) in stated else None


def _fits(stated: dict[Formula, None], part: Formula, name: str) -> Truth:
    told = _told(stated, part)
    return evaluate(part, name) if told is None else told
