"""Values that a schema accepts, as the solver of the containment finds them: what property tests are tried on."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from mcp_governor.containment.expand import literal
from mcp_governor.containment.formulas import And, Formula, Props, Ref, Required, SomeMember, make, negate, values
from mcp_governor.containment.outcome import Found, StoppedError
from mcp_governor.containment.schema import load
from mcp_governor.containment.solver import Solver
from mcp_governor.schemas.dialects import LATEST
from mcp_governor.schemas.values import freeze, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator


def instances(schema: Any, *, limit: int = 10, deadline: float = 1.0, default_dialect: int = LATEST) -> list[Any]:
    """Different values that a schema accepts, small ones first.

    First the smallest that was found, then one with each declared member of an object, then one with all of
    them, then others. Every value is confirmed by two validators.

    Args:
        schema: any schema; one that is not usable (see ``schema_problem``) has no instances.
        limit: how many values to return at most.
        deadline: seconds after which to return what was found.
        default_dialect: the draft of a schema that does not name one: 4, 6, 7, 19 or 20.
    """
    until = time.monotonic() + deadline
    try:
        (loaded,) = load([(schema, text_of(schema))], default_dialect)
    except ValueError:
        return []
    if loaded.problem is not None or not loaded.cost.shallow:
        return []
    found: dict[Any, Any] = {}
    try:
        for value in _candidates(loaded.formula(until), Solver(until), limit):
            if len(found) >= limit:
                break
            frozen = freeze(value)
            if frozen not in found and loaded.accepts(value):
                found[frozen] = value
    except (StoppedError, RecursionError):
        pass
    return list(found.values())


def _candidates(formula: Formula, solver: Solver, limit: int) -> Iterator[Any]:
    declared = sorted({key for part in _props(formula) for key in part.named})
    goals: list[list[Formula]] = [[formula]]
    goals += [[formula, make(Required, key)] for key in declared[:limit]]
    goals.append([formula, *(make(Required, key) for key in declared)])
    seen: list[Any] = []
    others: list[list[Formula]] = []
    for goal in goals:
        outcome = solver.solve(goal)
        if isinstance(outcome, Found):
            seen.append(freeze(outcome.value))
            yield outcome.value
            others.extend(_varied(outcome.value, formula, declared))
    for goal in others[:limit]:
        outcome = solver.solve(goal)
        if isinstance(outcome, Found):
            seen.append(freeze(outcome.value))
            yield outcome.value
    for _ in range(limit):
        outcome = solver.solve([formula, negate(values(seen))])
        if not isinstance(outcome, Found):
            return
        seen.append(freeze(outcome.value))
        yield outcome.value


def _varied(value: Any, formula: Formula, declared: list[str]) -> Iterator[list[Formula]]:
    """Goals for the same members with other values."""
    if not isinstance(value, dict):
        return
    for key in declared:
        if key in value:
            other = make(SomeMember, literal(key), negate(values([freeze(value[key])])))
            yield [formula, other, *(make(Required, name) for name in value)]


def _props(formula: Formula) -> Iterator[Props]:
    """What the formula says about members of the value itself."""
    pending = [formula]
    seen: set[Formula] = set()
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, Props):
            yield node
        elif isinstance(node, And):
            pending.extend(node.parts)
        elif isinstance(node, Ref):
            pending.append(node.unfold())
