"""An object with the members that some formulas ask for, and none that they forbid."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from mcp_governor.containment.evaluate import evaluate, member
from mcp_governor.containment.expand import STRING, literal
from mcp_governor.containment.nodes import (
    Names,
    Node,
    Props,
    Required,
    Size,
    SomeMember,
    Values,
    all_of,
    negate,
    values,
)
from mcp_governor.containment.outcome import EMPTY, Empty, Found, Outcome, Searcher, Unknown, first_found
from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_PATTERNS = 10
MAX_FILLERS = 2_000


@frozen
class _Fresh:
    """Member names that no formula mentions: what such a name and such a member satisfy."""

    name: frozenset[Node]
    value: frozenset[Node]


@frozen(slots=False)
class ObjectGoal:
    """The atoms of one conjunction about an object, sorted by what they do."""

    props: list[Props] = field(default_factory=list)
    names: list[Node] = field(default_factory=list)
    required: list[str] = field(default_factory=list)
    somes: list[SomeMember] = field(default_factory=list)
    sizes: list[Size] = field(default_factory=list)
    doubt: str = ""

    @classmethod
    def of(cls, atoms: Iterable[Node], doubt: str) -> ObjectGoal:
        """Sort the atoms."""
        goal = cls(doubt=doubt)
        for atom in atoms:
            if isinstance(atom, Props):
                goal.props.append(atom)
            elif isinstance(atom, Names):
                goal.names.append(atom.name)
            elif isinstance(atom, Required):
                goal.required.append(atom.key)
            elif isinstance(atom, SomeMember):
                goal.somes.append(atom)
            elif isinstance(atom, Size):
                goal.sizes.append(atom)
        return goal

    def member(self, key: str) -> tuple[list[Node], str]:
        """What a member of this name satisfies, and a doubt about that."""
        found: list[Node] = []
        doubt = ""
        for part in self.props:
            nodes, sure = member(part, key)
            found += nodes
            doubt = doubt if sure else "a member name against a pattern that is not modelled"
        for name in self.names:
            fits = evaluate(name, key)
            if fits is False:
                return [negate(all_of([]))], doubt
            doubt = doubt if fits else "a member name that is not modelled"
        return found, doubt


def solve_object(goal: ObjectGoal, searcher: Searcher) -> Outcome:
    """An object that satisfies all the atoms, with as few members as possible."""
    return _Builder(goal, searcher).solve()


class _Builder:
    def __init__(self, goal: ObjectGoal, searcher: Searcher) -> None:
        self.goal = goal
        self.searcher = searcher
        self.low = max((size.limit for size in goal.sizes if size.low), default=0)
        self.high = min((size.limit for size in goal.sizes if not size.low), default=None)
        self.mentioned = list(dict.fromkeys([*goal.required, *(key for part in goal.props for key in part.named)]))
        self._fresh: list[_Fresh] | None = None

    def solve(self) -> Outcome:
        if self.high is not None and (self.high < self.low or self.high < len(self.goal.required)):
            return EMPTY
        if self.low > MAX_FILLERS:
            return Unknown(f"an object with more than {MAX_FILLERS} members")
        present: dict[str, list[Node]] = {key: [] for key in self.goal.required}
        for key in present:
            outcome = self.value(key, [])
            if not isinstance(outcome, Found):
                return outcome
        return self.place(0, present, fresh=0)

    def value(self, key: str, extra: list[Node]) -> Outcome:
        """A value for the member ``key``."""
        found, doubt = self.goal.member(key)
        outcome = self.searcher.solve([*found, *extra])
        return Found(outcome.value, outcome.doubt or doubt) if isinstance(outcome, Found) else outcome

    def place(self, index: int, present: dict[str, list[Node]], fresh: int) -> Outcome:
        """Find a member for each existential atom, then fill up to the least size."""
        self.searcher.tick()
        if index == len(self.goal.somes):
            return self.finish(present, fresh)
        some = self.goal.somes[index]
        return first_found(
            self.place(index + 1, placed, fresh + is_fresh) for placed, is_fresh in self.places(some, present)
        )

    def places(self, some: SomeMember, present: dict[str, list[Node]]) -> Iterator[tuple[dict[str, list[Node]], bool]]:
        """The ways to satisfy one existential atom."""
        for key in self.candidates(some, present):
            extra = [*present.get(key, []), some.value]
            if not isinstance(self.value(key, extra), Empty):
                yield {**present, key: extra}, False
        if isinstance(some.name, Values):
            return
        known = {*self.mentioned, *present}
        for kind in self.fresh():
            name = self.new_name(kind, [some.name], known)
            if isinstance(name, Found):
                outcome = self.searcher.solve([*kind.value, some.value])
                if not isinstance(outcome, Empty):
                    yield {**present, name.value: [some.value]}, True

    def candidates(self, some: SomeMember, present: dict[str, list[Node]]) -> list[str]:
        if isinstance(some.name, Values):
            return sorted(content for kind, content in some.name.members if kind == "string")
        keys = dict.fromkeys([*present, *self.mentioned])
        return [key for key in keys if evaluate(some.name, key) is not False]

    def new_name(self, kind: _Fresh, more: list[Node], known: Iterable[str]) -> Outcome:
        """A name of this kind that is not yet known."""
        others = negate(values(("string", key) for key in known))
        return self.searcher.solve([STRING, *kind.name, *more, others])

    def fresh(self) -> list[_Fresh]:
        """The kinds of names that are mentioned nowhere: for each pattern, matching or not."""
        if self._fresh is None:
            others = negate(values(("string", key) for key in self.mentioned))
            patterns = list(dict.fromkeys(name for part in self.goal.props for name, _ in part.patterns))
            self._fresh = list(self.split(patterns[:MAX_PATTERNS], [STRING, *self.goal.names, others], {}))
            self.exact = len(patterns) <= MAX_PATTERNS
        return self._fresh

    def split(self, patterns: list[Node], name: list[Node], chosen: dict[Node, bool]) -> Iterator[_Fresh]:
        if isinstance(self.searcher.solve(name), Empty):
            return
        if patterns:
            for fits in (False, True):
                literal_ = patterns[0] if fits else negate(patterns[0])
                yield from self.split(patterns[1:], [*name, literal_], {**chosen, patterns[0]: fits})
            return
        value: list[Node] = []
        for part in self.goal.props:
            matched = [node for pattern, node in part.patterns if chosen.get(pattern)]
            value += matched or [part.rest]
        if not isinstance(self.searcher.solve(value), Empty):
            yield _Fresh(frozenset(name), frozenset(value))

    def finish(self, present: dict[str, list[Node]], fresh: int) -> Outcome:
        """Check the sizes, fill up, and give every member its value."""
        if self.high is not None and len(present) > self.high:
            # two unmentioned names might have been one
            return Unknown("members that might share a name") if fresh > 1 else EMPTY
        doubt = self.goal.doubt
        if len(present) < self.low:
            present = dict(present)
            doubt = self.fill(present) or doubt
            if len(present) < self.low:
                return Unknown(doubt) if doubt else EMPTY
        result: dict[str, Any] = {}
        for key, extra in present.items():
            outcome = self.value(key, extra)
            if not isinstance(outcome, Found):
                return outcome
            result[key] = outcome.value
            doubt = doubt or outcome.doubt
        return Found(result, doubt)

    def fill(self, present: dict[str, list[Node]]) -> str:
        """Add optional members up to the least size; says what stopped it short of a proof."""
        doubt = ""
        for key in self.mentioned:
            if len(present) >= self.low:
                return ""
            if key not in present:
                outcome = self.value(key, [])
                if isinstance(outcome, Found):
                    present[key] = []
                elif isinstance(outcome, Unknown):
                    doubt = outcome.reason
        for kind in self.fresh():
            while len(present) < self.low:
                name = self.new_name(kind, [], {*self.mentioned, *present})
                if not isinstance(name, Found):
                    doubt = name.reason if isinstance(name, Unknown) else doubt
                    break
                outcome = self.searcher.solve(kind.value)
                if not isinstance(outcome, Found):
                    doubt = outcome.reason if isinstance(outcome, Unknown) else doubt
                    break
                present[name.value] = []
        return doubt


def member_goal(props_: Iterable[Props], key: str) -> list[Node]:
    """What a member called ``key`` certainly has to satisfy."""
    return [node for part in props_ for node in member(part, key)[0]]


def only_name(some: SomeMember) -> str | None:
    """The name the member must have, where there is only one."""
    if isinstance(some.name, Values) and len(some.name.members) == 1:
        ((kind, content),) = some.name.members
        return content if kind == "string" else None
    return None


__all__ = ["ObjectGoal", "literal", "member_goal", "only_name", "solve_object"]
