"""Search for a JSON value that satisfies some formulas. The result is a value, a proof that there is none, or neither.

This is a tableau: the goal is split by JSON type, conjunctions are split into their parts, and disjunctions are tried
one after another. The remaining set of atoms about one type goes to the module for that type, which calls the solver
with smaller goals for members and items.

With recursive definitions, a goal can contain itself. An instance of minimum height of the outer goal cannot contain a
smaller instance of the same goal, so the inner one may be taken as empty. Results under such an assumption are kept
only if the outer goal has the same result.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcp_governor.containment.arrays import ArrayGoal, solve_array
from mcp_governor.containment.evaluate import evaluate, every
from mcp_governor.containment.expand import expand, is_opaque
from mcp_governor.containment.formulas import (
    FALSE,
    TRUE,
    And,
    Formula,
    Hint,
    Not,
    Opaque,
    Or,
    Props,
    Required,
    SomeMember,
    Types,
    Values,
    make,
    negate,
    opposite,
)
from mcp_governor.containment.likely import KINDS, is_coercible, rank
from mcp_governor.containment.numbers import Range, solve_number
from mcp_governor.containment.objects import ObjectGoal, member_goal, only_name, solve_object
from mcp_governor.containment.outcome import EMPTY, Empty, Found, Outcome, StoppedError, built, first_found
from mcp_governor.containment.strings import WORD, solve_string
from mcp_governor.schemas.values import Frozen, has_type, text_of, thaw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_STEPS = 500_000
"""Most steps of one search: about ten seconds, at a few hundred bytes each. After that, the result is unknown."""
MAX_ROOM = 2_000_000
"""Most formulas in all goals that are cached or open at the same time: about 150 MB. With more, the result is
unknown."""
_PATIENCE = 64
"""Weight of the steps between two checks of the deadline: about a millisecond."""
_NEVER = 1 << 30
"""Deeper than any goal: no assumption about an open goal was made."""


@dataclass(eq=False, repr=False, slots=True)
class _Branch:
    """One way through the disjunctions of a goal, for values of one type."""

    kind: str
    asserted: dict[Formula, None] = field(default_factory=dict)
    atoms: list[Formula] = field(default_factory=list)
    props: list[Props] = field(default_factory=list)
    choices: list[tuple[bool, Or]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.asserted) + len(self.atoms) + len(self.choices)

    def copy(self) -> _Branch:
        return _Branch(self.kind, dict(self.asserted), list(self.atoms), list(self.props), list(self.choices))

    def add(self, node: Formula, expanded: Callable[[Formula, str], Formula]) -> bool:
        """Assert a formula; returns ``False`` if it contradicts an earlier one."""
        pending = [node]
        while pending:
            part = pending.pop()
            if part in self.asserted:
                continue
            if part is FALSE or opposite(part) in self.asserted:
                return False
            self.asserted[part] = None
            plain = expanded(part, self.kind)
            if plain is FALSE:
                return False
            if isinstance(plain, And):
                pending.extend(reversed(plain.parts))
            elif isinstance(plain, Or):
                # Two formulas may expand to the same disjunction, which is one choice.
                if plain is part or plain not in self.asserted:
                    self.asserted[plain] = None
                    self.choices.append((not isinstance(part, Not), plain))
            elif plain is not part:
                pending.append(plain)
            elif plain is not TRUE:
                self.atoms.append(plain)
                if isinstance(plain, Props):
                    self.props.append(plain)
        return True


class Solver:
    """Searches for instances, within a deadline.

    Args:
        until: the time (of :func:`time.monotonic`) at which to stop.
        max_steps: maximum number of steps, which limits memory.
    """

    def __init__(self, until: float, max_steps: int = MAX_STEPS) -> None:
        self._until = until
        self._left = max_steps
        self._room = MAX_ROOM
        self._due = 0
        self._memo: dict[frozenset[Formula], Outcome] = {}
        self._open: dict[frozenset[Formula], int] = {}
        self._lowest = _NEVER
        self._expanded: dict[tuple[Formula, str], Formula] = {}

    def tick(self, weight: int = 1) -> None:
        """Count a step; see :class:`~.outcome.Searcher`."""
        self._left -= 1
        if self._left <= 0:
            raise StoppedError("the search takes too many steps")
        self._due -= weight
        if self._due <= 0:
            self._due = _PATIENCE
            if time.monotonic() > self._until:
                raise StoppedError("the search takes longer than its deadline")

    def _take(self, room: int) -> None:
        self._room -= room
        if self._room < 0:
            raise StoppedError("the search takes too much memory")

    def expand(self, node: Formula, kind: str) -> Formula:
        """:func:`~.expand.expand`, cached."""
        key = (node, kind)
        found = self._expanded.get(key)
        if found is None:
            found = self._expanded[key] = expand(node, kind)
            if isinstance(found, And | Or):
                self._take(len(found.parts))
                self.tick(1 + len(found.parts) // 8)
        return found

    def solve(self, goal: Iterable[Formula]) -> Outcome:
        """Find an instance of all the formulas at once.

        Raises:
            StoppedError: the deadline or the step limit was reached.
        """
        wanted = dict.fromkeys(node for node in goal if node is not TRUE)
        if not wanted:
            # There are no requirements, so any value will do.
            return Found(WORD, size=1 + len(WORD))
        if FALSE in wanted or any(isinstance(node, Not) and node.part in wanted for node in wanted):
            return EMPTY
        # The order affects which instance is found, but not if there is one, so goals that differ only in order share
        # a result. The order is that of the formulas and not that of a set, which differs from run to run.
        key = frozenset(wanted)
        known = self._memo.get(key)
        if known is not None:
            return known
        depth = self._open.get(key)
        if depth is not None:
            # All results up to the goal at that depth depend on this assumption.
            self._lowest = min(self._lowest, depth)
            return EMPTY
        return self._fresh(key, wanted)

    def _fresh(self, key: frozenset[Formula], wanted: dict[Formula, None]) -> Outcome:
        self.tick()
        self._take(len(wanted))
        depth = len(self._open)
        outside, self._lowest = self._lowest, _NEVER
        self._open[key] = depth
        try:
            outcome = self._search(wanted)
        finally:
            del self._open[key]
        assumed = self._lowest
        if assumed >= depth:
            # There was no assumption about an open goal, so this result is final.
            self._memo[key] = outcome
            assumed = _NEVER
        self._lowest = min(outside, assumed)
        return outcome

    def _search(self, wanted: dict[Formula, None]) -> Outcome:
        listed, kinds = _restrictions(wanted)
        if listed is not None:
            return self._try_all(listed, wanted)
        suggested = self._suggested(_hints(wanted), wanted)
        if suggested is not None:
            return suggested
        # Every value has one of the types, and a formula excludes the types that are left out.
        return first_found(kinds, lambda kind: self._typed(wanted, kind))

    def _suggested(self, hints: Iterable[Hint], wanted: Iterable[Formula]) -> Found | None:
        """The first suggested value that satisfies a goal and that no server takes for another one."""
        for sample in dict.fromkeys(sample for hint in hints for sample in hint.samples):
            value = thaw(sample)
            self.tick()
            if not _is_doubtful(value, wanted) and every(evaluate(node, value) for node in wanted):
                return Found(value, size=1 + len(text_of(value)))
        return None

    def _try_all(self, listed: frozenset[Frozen], wanted: Iterable[Formula]) -> Outcome:
        """Check all candidates of a goal that lists them."""
        rest = [node for node in wanted if not isinstance(node, Values)]
        # All at once, because two lists of twenty thousand values may differ in one.
        barred = [node.part.members for node in rest if isinstance(node, Not) and isinstance(node.part, Values)]
        listed = listed.difference(*barred)

        def look(member: Frozen) -> Outcome:
            value = thaw(member)
            self.tick(1 + len(rest))
            truth = every(evaluate(node, value) for node in rest)
            if truth is False:
                return EMPTY
            doubt = "" if truth else "a listed value against something that is not modelled"
            return built(value, doubt, len(text_of(value)))

        return first_found(sorted(listed, key=lambda member: rank(thaw(member))), look)

    def _typed(self, wanted: Iterable[Formula], kind: str) -> Outcome:
        branch = _Branch(kind)
        for node in wanted:
            if not branch.add(node, self.expand):
                return EMPTY
        return self._branch(branch)

    def _branch(self, branch: _Branch) -> Outcome:
        self.tick(1 + len(branch) // 8)
        if not self._propagate(branch):
            return EMPTY
        listed = [node for node in branch.asserted if isinstance(node, Values)]
        if listed:
            common = frozenset.intersection(*(node.members for node in listed))
            return self._try_all(common, list(branch.asserted))
        suggested = self._suggested((node for node in branch.atoms if isinstance(node, Hint)), branch.asserted)
        if suggested is not None:
            return suggested
        relaxed = self._leaf(branch)
        if not branch.choices or isinstance(relaxed, Empty):
            # Without the disjunctions, the goal is weaker; if it has no instance, the stronger one has none either.
            return relaxed
        if isinstance(relaxed, Found) and self._chooses(branch, relaxed):
            return relaxed
        # The order affects the duration and which instance is found, but not if there is one. Try few alternatives
        # first, so that contradictions appear before the combinations multiply.
        position = min(
            range(len(branch.choices)), key=lambda at: (not branch.choices[at][0], len(branch.choices[at][1].parts))
        )
        _, chosen = branch.choices.pop(position)
        return first_found(chosen.parts, lambda part: self._alternative(branch, part))

    def _chooses(self, branch: _Branch, found: Found) -> bool:
        """True if an instance also satisfies the disjunctions."""
        for _, node in branch.choices:
            self.tick(1 + found.size // 8)
            if not evaluate(node, found.value):
                return False
        return True

    def _alternative(self, branch: _Branch, part: Formula) -> Outcome:
        if part is FALSE or opposite(part) in branch.asserted:
            return EMPTY
        room = len(branch)
        self._take(room)
        below = branch.copy()
        outcome = self._branch(below) if below.add(part, self.expand) else EMPTY
        # The copy is gone, but results that were cached in the meantime still count.
        self._room += room
        return outcome

    def _propagate(self, branch: _Branch) -> bool:
        """Drop impossible alternatives and assert single remaining ones; returns ``False`` on a contradiction."""
        changed = True
        while changed:
            changed = False
            # `add` only finds opposites, but two bounds can contradict each other too.
            if branch.kind == "number" and Range(branch.atoms).is_empty:
                return False
            pending, branch.choices = branch.choices, []
            for positive, choice in pending:
                left = self._viable(branch, choice.parts)
                if left is None:
                    continue
                if not left:
                    return False
                if len(left) == 1:
                    changed = True
                    if not branch.add(left[0], self.expand):
                        return False
                else:
                    branch.choices.append((positive, choice if len(left) == len(choice.parts) else make(Or, left)))
        return True

    def _viable(self, branch: _Branch, parts: tuple[Formula, ...]) -> tuple[Formula, ...] | None:
        """The alternatives that are still possible, or ``None`` if one of them already holds."""
        left: list[Formula] = []
        for part in parts:
            truth = self._known(branch, part)
            if truth:
                return None
            if truth is None:
                left.append(part)
        return tuple(left)

    def _known(self, branch: _Branch, part: Formula) -> bool | None:
        """True if an alternative follows from the asserted formulas, false if it contradicts them, otherwise
        ``None``."""
        if part in branch.asserted:
            return True
        if opposite(part) in branch.asserted:
            return False
        plain = self.expand(part, branch.kind)
        if plain is TRUE or plain in branch.asserted:
            return True
        if plain is FALSE or opposite(plain) in branch.asserted:
            return False
        if isinstance(plain, And):
            return every(self._known(branch, inner) for inner in plain.parts)
        if isinstance(plain, SomeMember):
            return self._member_known(branch, plain)
        if isinstance(plain, Required):
            return self._required_known(branch, plain.key)
        if isinstance(plain, Props) and len(plain.named) == 1 and not plain.patterns and plain.rest is TRUE:
            ((key, value),) = plain.named.items()
            if value is FALSE and make(Required, key) in branch.asserted:
                return False
        return None

    def _required_known(self, branch: _Branch, key: str) -> bool | None:
        return False if isinstance(self.solve(member_goal(branch.props, key)), Empty) else None

    def _member_known(self, branch: _Branch, some: SomeMember) -> bool | None:
        key = only_name(some)
        if key is None:
            return None
        goal = member_goal(branch.props, key)
        if isinstance(self.solve([*goal, some.value]), Empty):
            return False
        if make(Required, key) in branch.asserted and isinstance(self.solve([*goal, negate(some.value)]), Empty):
            return True
        return None

    def _leaf(self, branch: _Branch) -> Outcome:
        atoms = branch.atoms
        doubt = next((_why(node) for node in atoms if is_opaque(node)), "")
        if branch.kind == "null":
            return Found(None, doubt)
        if branch.kind == "boolean":
            return self._boolean(atoms, doubt)
        if branch.kind == "number":
            # Leaving out parts that are not modelled allows for more instances. So a proof that there is none stays
            # valid, and an instance is doubtful.
            outcome = solve_number((node for node in atoms if not is_opaque(node)), self)
            return replace(outcome, doubt=doubt) if isinstance(outcome, Found) and doubt else outcome
        if branch.kind == "string":
            return solve_string(atoms, self)
        if branch.kind == "array":
            return solve_array(ArrayGoal.of(atoms, doubt), self)
        return solve_object(ObjectGoal.of(atoms, doubt), self)

    @staticmethod
    def _boolean(atoms: list[Formula], doubt: str) -> Outcome:
        barred = {
            content
            for node in atoms
            if isinstance(node, Not) and isinstance(node.part, Values)
            for kind, content in node.part.members
            if kind == "boolean"
        }
        return first_found(
            (False, True),
            lambda value: EMPTY if value in barred else Found(value, doubt),
        )


def _restrictions(wanted: Iterable[Formula]) -> tuple[frozenset[Frozen] | None, dict[str, None]]:
    """The candidates of a goal, if it lists them, and the types that it allows."""
    listed: frozenset[Frozen] | None = None
    names: list[frozenset[str]] = []
    barred: frozenset[str] = frozenset()
    pending = list(wanted)
    while pending:
        node = pending.pop()
        if isinstance(node, And):
            pending.extend(node.parts)
        elif isinstance(node, Values):
            listed = node.members if listed is None else listed & node.members
        elif isinstance(node, Types):
            names.append(node.names)
        elif isinstance(node, Not) and isinstance(node.part, Types):
            barred |= node.part.names
    if listed is not None:
        return frozenset(member for member in listed if all(has_type(member, few) for few in names)), {}
    kinds = [kind for kind in KINDS if kind not in barred]
    for few in names:
        kinds = [kind for kind in kinds if kind in few or (kind == "number" and "integer" in few)]
    return None, dict.fromkeys(kinds)


def _hints(wanted: Iterable[Formula]) -> list[Hint]:
    """The hints of a goal, without those of its alternatives."""
    found: list[Hint] = []
    pending = list(wanted)[::-1]
    while pending:
        node = pending.pop()
        if isinstance(node, Hint):
            found.append(node)
        elif isinstance(node, And):
            pending.extend(reversed(node.parts))
    return found


def _why(node: Formula) -> str:
    part = node.part if isinstance(node, Not) else node
    return part.why if isinstance(part, Opaque) else ""


def _is_doubtful(value: Any, goal: Iterable[Formula]) -> bool:
    """True if a suggested value proves little: servers take 0 and 1 for something else only if that is a boolean."""
    if isinstance(value, int | float) and value in (0, 1) and not isinstance(value, bool):
        return any(isinstance(node, Not) and _names_boolean(node.part) for node in goal)
    return is_coercible(value)


def _names_boolean(node: Formula, depth: int = 2) -> bool:
    if isinstance(node, Types):
        return "boolean" in node.names
    return depth > 0 and isinstance(node, And | Or) and any(_names_boolean(part, depth - 1) for part in node.parts)
