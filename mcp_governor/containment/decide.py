"""The decision: equality, then the native engine, then the own procedure, then two validators."""

from __future__ import annotations

import time
from typing import Any

import jsonschema_rs

from mcp_governor.containment.dialect import LATEST
from mcp_governor.containment.model import Containment
from mcp_governor.containment.nodes import negate
from mcp_governor.containment.outcome import Empty, Found, Outcome, StoppedError, Unknown
from mcp_governor.containment.problem import unreadable
from mcp_governor.containment.schema import Schema, load
from mcp_governor.containment.solver import Solver

_YES = jsonschema_rs.canonical.Containment.YES
_NO = jsonschema_rs.canonical.Containment.NO


def contains(outer: Any, inner: Any, *, deadline: float = 1.0, default_dialect: int = LATEST) -> Containment:
    """Does ``outer`` accept every instance that ``inner`` accepts?

    Formats and content keywords are annotations. The dialect is that of ``$schema``.

    Args:
        outer: the schema that should accept more.
        inner: the schema whose instances are asked for.
        deadline: seconds after which the answer is ``unknown``.
        default_dialect: the draft of a schema that does not name one: 4, 6, 7, 19 or 20.

    Returns:
        ``yes`` is proved, ``no`` is proved or witnessed, ``unknown`` carries a reason. Never raises for a
        schema that is not one: see :func:`~.problem.schema_problem`.
    """
    until = time.monotonic() + deadline
    try:
        one, other = load(outer, default_dialect), load(inner, default_dialect)
    except ValueError as error:
        return Containment("unknown", reason=f"one of the schemas {unreadable(error)}")
    if one is other:
        return Containment("yes")
    for side, schema in (("outer", one), ("inner", other)):
        if schema.problem is not None:
            return Containment("unknown", reason=f"the {side} schema {schema.problem}")
    native = _native(one, other)
    if native == _YES:
        return Containment("yes")
    outcome = _search(one, other, until)
    return _conclude(one, other, native, outcome)


def _native(outer: Schema, inner: Schema) -> Any:
    same = outer.draft == inner.draft
    one = outer.canonical if same else outer.canonical_modern
    other = inner.canonical if same else inner.canonical_modern
    if one is None or other is None:
        return None
    try:
        return one.covers(other)
    except jsonschema_rs.canonical.CanonicalizationError:
        return None


def _search(outer: Schema, inner: Schema, until: float) -> Outcome:
    try:
        return Solver(until).solve([inner.formula, negate(outer.formula)])
    except StoppedError as error:
        return Unknown(str(error))
    except RecursionError:
        return Unknown("schemas that are nested too deeply")


def _conclude(outer: Schema, inner: Schema, native: Any, outcome: Outcome) -> Containment:
    if isinstance(outcome, Empty):
        if native == _NO:
            return Containment("unknown", reason="two procedures that disagree")
        return Containment("yes")
    reason = outcome.reason if isinstance(outcome, Unknown) else outcome.doubt or "validators that disagree"
    if isinstance(outcome, Found) and inner.accepts(outcome.value) and outer.accepts(outcome.value) is False:
        return Containment("no", outcome.value, has_witness=True)
    if native == _NO:
        return Containment("no")
    return Containment("unknown", reason=reason)
