"""Find an object with the members that some formulas require, and none that they forbid.

There are two kinds of members: those whose names are listed in formulas, and all others. For the former, the formulas
directly give the requirements for the value. The latter are found together with their names, by
:class:`~.members.Members`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.containment.additional_properties import Asked, Members
from mcp_governor.containment.evaluate import evaluate, member
from mcp_governor.containment.formulas import (
    Formula,
    Names,
    Props,
    Required,
    Size,
    SomeMember,
    Values,
    all_of,
    negate,
)
from mcp_governor.containment.outcome import (
    EMPTY,
    Empty,
    Found,
    Nothing,
    Outcome,
    Searcher,
    Unknown,
    built,
    first_found,
    gather,
    no_more,
    represent,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


MAX_FILLERS = 2_000
"""Most members that are added only to reach a minimum size: more than anyone would read in a witness. With more, the
result is unknown."""
MAX_PLACED = 50
"""Most required members without a listed name. With more, the result is unknown."""


@dataclass(eq=False, slots=True)
class ObjectGoal:
    """The atoms of one conjunction about an object, sorted by class."""

    props: list[Props] = field(default_factory=list)
    names: list[Formula] = field(default_factory=list)
    required: list[str] = field(default_factory=list)
    somes: list[SomeMember] = field(default_factory=list)
    sizes: list[Size] = field(default_factory=list)
    doubt: str = ""

    @classmethod
    def of(cls, atoms: Iterable[Formula], doubt: str) -> ObjectGoal:
        """Sort the atoms. Others are left out, which allows for more instances, never fewer."""
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

    def member(self, key: str) -> tuple[list[Formula], str]:
        """The formulas that a member of this name certainly satisfies, and a doubt if there may be more."""
        found: list[Formula] = []
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
    """An object that satisfies all the atoms, with few members."""
    return _Builder(goal, searcher).solve()


class _Plan(Struct, frozen=True):
    """The planned members of an instance: named ones, with additional requirements, and others."""

    named: Mapping[str, tuple[Formula, ...]]
    others: tuple[Asked, ...] = ()

    def __len__(self) -> int:
        return len(self.named) + len(self.others)


class _Builder:
    def __init__(self, goal: ObjectGoal, searcher: Searcher) -> None:
        self.goal = goal
        self.searcher = searcher
        self.low = max((size.limit for size in goal.sizes if size.low), default=0)
        self.high = min((size.limit for size in goal.sizes if not size.low), default=None)
        spelled = [key for part in goal.props for key in part.named]
        wanted = [key for some in goal.somes for key in _spelled(some) or ()]
        self.mentioned = dict.fromkeys([*goal.required, *spelled, *wanted])
        self.members = Members(goal.props, goal.names, self.mentioned, searcher)
        self.asked: dict[str, tuple[list[Formula], str]] = {}

    def solve(self) -> Outcome:
        if self.high is not None and self.high < self.low:
            return EMPTY
        plan = _Plan(dict.fromkeys(self.goal.required, ()))
        if self.high is not None and len(plan) > self.high:
            return EMPTY
        values = self.values(plan)
        if not isinstance(values, dict):
            # A member that every instance must have does not have a value, or none was found.
            return values
        return self.place(0, plan)

    def value(self, key: str, extra: tuple[Formula, ...]) -> Outcome:
        """A value for the member ``key``."""
        asked = self.asked.get(key)
        if asked is None:
            asked = self.asked[key] = self.goal.member(key)
        outcome = self.searcher.solve([*asked[0], *extra])
        if not isinstance(outcome, Found) or not asked[1]:
            return outcome
        return replace(outcome, doubt=outcome.doubt or asked[1])

    def values(self, plan: _Plan) -> dict[str, Found] | Nothing:
        """A value for each named member of a plan; a member without a value refutes the plan."""
        found: dict[str, Found] = {}
        unsure: Unknown | None = None
        for key, extra in plan.named.items():
            outcome = self.value(key, extra)
            if isinstance(outcome, Empty):
                return outcome
            if isinstance(outcome, Found):
                found[key] = outcome
            else:
                unsure = unsure or outcome
        return found if unsure is None else unsure

    def place(self, index: int, plan: _Plan) -> Outcome:
        """Choose a member for each existential atom, then fill up to the minimum size.

        There are three cases: the member that satisfies the atom has a listed name, or it is the member of an earlier
        atom, or it has another name of its own.
        """
        self.searcher.tick()
        if index == len(self.goal.somes):
            return self.finish(plan)
        some = self.goal.somes[index]
        spelled = _spelled(some)
        if spelled is not None:
            return self.place_named(index, plan, dict.fromkeys(spelled))
        keys = dict.fromkeys(key for key in {**plan.named, **self.mentioned} if evaluate(some.name, key) is not False)
        alone = self.members.find(Asked((some.name,), (some.value,)))
        if isinstance(alone, Empty):
            # It cannot share a name either, because that would require even more of it.
            return self.place_named(index, plan, keys)
        if len(plan.others) >= MAX_PLACED:
            return Unknown(f"more than {MAX_PLACED} members that might share a name")
        joins: dict[str | int, None] = dict.fromkeys([*keys, *range(len(plan.others) + 1)])
        return first_found(joins, lambda join: self.joined(index, plan, join))

    def place_named(self, index: int, plan: _Plan, keys: dict[str, None]) -> Outcome:
        return first_found(keys, lambda key: self.joined(index, plan, key))

    def joined(self, index: int, plan: _Plan, join: str | int) -> Outcome:
        """Let a certain member satisfy the existential atom: a named one, one of the others, or a new one."""
        some = self.goal.somes[index]
        if isinstance(join, str):
            extra = (*plan.named.get(join, ()), some.value)
            outcome = self.value(join, extra)
            after = replace(plan, named={**plan.named, join: extra})
        else:
            old = plan.others[join] if join < len(plan.others) else Asked()
            other = Asked((*old.name, some.name), (*old.value, some.value))
            outcome = self.members.find(other)
            after = replace(plan, others=(*plan.others[:join], other, *plan.others[join + 1 :]))
        if isinstance(outcome, Empty):
            return outcome
        if self.high is not None and len(after) > self.high:
            # The members of a plan have different names, and later atoms only add members.
            return EMPTY
        return self.place(index + 1, after)

    def finish(self, plan: _Plan) -> Outcome:
        """Find a name and value for every member, and fill up to the minimum size."""
        found = self.values(plan)
        if not isinstance(found, dict):
            return found
        pools = [self.members.draw(other, len(plan.others)) for other in plan.others]
        names = represent(pools)
        if not isinstance(names, list):
            return names
        for name, pool in zip(names, pools, strict=True):
            found[name] = next(outcome for key, outcome in pool.found if key == name)
        short = self.low - len(found)
        if short > MAX_FILLERS:
            return Unknown(f"an object with more than {MAX_FILLERS} members that nothing names")
        lacking = self.fill(found, short) if short > 0 else None
        return self.whole(found) if lacking is None else lacking

    def fill(self, found: dict[str, Found], short: int) -> Nothing | None:
        """Add optional members up to the minimum size. Returns the reason if there are not enough.

        Each name can be added independently of the others. The candidates are the listed names that can be added, and
        all other names with a value, minus those that the plan uses. It does not matter which of the other names the
        plan uses, because the number of the remaining ones is the same.
        """
        optional = dict.fromkeys(key for key in self.mentioned if key not in found)
        named = gather(optional, lambda key: self.value(key, ()), short)
        found.update(named.found)
        short -= len(named.found)
        if short <= 0:
            return None
        others = self.members.draw(Asked(), short, found)
        found.update(others.found)
        return no_more(named.rest, others.rest) if len(others.found) < short else None

    def whole(self, found: dict[str, Found]) -> Outcome:
        doubt = next((outcome.doubt for outcome in found.values() if outcome.doubt), "")
        size = 1 + sum(len(key) + outcome.size for key, outcome in found.items())
        value: dict[str, Any] = {key: outcome.value for key, outcome in found.items()}
        return built(value, self.goal.doubt or doubt, size)


def _spelled(some: SomeMember) -> list[str] | None:
    """The names that a member may have, if they are listed."""
    if isinstance(some.name, Values):
        return sorted(content for kind, content in some.name.members if kind == "string")
    return None


def member_goal(props_: Iterable[Props], key: str) -> list[Formula]:
    """The formulas that a member called ``key`` certainly must satisfy."""
    return [node for part in props_ for node in member(part, key)[0]]


def only_name(some: SomeMember) -> str | None:
    """The name that the member must have, if there is only one."""
    if isinstance(some.name, Values) and len(some.name.members) == 1:
        ((kind, content),) = some.name.members
        return content if kind == "string" else None
    return None
