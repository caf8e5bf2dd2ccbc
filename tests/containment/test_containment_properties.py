"""No answer that any value refutes: random schemas, and real ones after edits."""

from __future__ import annotations

import random
from typing import Any

import jsonschema_rs
from asking import FIXTURES, PATIENCE, accepts, answer, lines
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sampling import instances
from schemas import NAMES, VALUES, edited, schemas

from mcp_governor.containment import contains
from mcp_governor.containment.formulas import negate
from mcp_governor.containment.keyword_proof import surely_covers
from mcp_governor.containment.outcome import Empty, Found
from mcp_governor.containment.schema import Schema, native_covers
from mcp_governor.containment.solver import Solver
from mcp_governor.schemas.dialects import LATEST
from mcp_governor.schemas.soundness import schema_problem
from mcp_governor.schemas.values import text_of

THOROUGH = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
REAL = [case[side] for case in lines(FIXTURES / "real.jsonl") for side in ("old", "new")]


def _pool() -> list[Any]:
    """Values that tell many small schemas apart."""
    draw = random.Random(7)
    found = [*VALUES, "zz", "-", "aa", "x2", 4, 6, -2, 0.25, 100, 2.5]
    for size in (1, 2, 3) * 40:
        found.append({name: draw.choice(VALUES) for name in draw.sample([*NAMES, "zz", "-"], size)})
        found.append([draw.choice(VALUES) for _ in range(size)])
    return found


POOL = _pool()


def refutation(outer: Any, inner: Any) -> list[Any]:
    """Values that ``inner`` accepts and ``outer`` does not, if they come to mind."""
    wide = jsonschema_rs.validator_for(outer, validate_formats=False)
    narrow = jsonschema_rs.validator_for(inner, validate_formats=False)
    candidates = [*POOL, *instances(inner, limit=12)]
    return [value for value in candidates if narrow.is_valid(value) and not wide.is_valid(value)]


def hold(outer: Any, inner: Any) -> None:
    """Every claim about the pair stands up to an attempt at refuting it."""
    found = answer(outer, inner)
    if found.verdict == "yes":
        assert refutation(outer, inner) == []
    elif found.verdict == "no":
        assert found.has_witness


@THOROUGH
@given(schemas, schemas)
def test_random_pairs(outer: Any, inner: Any) -> None:
    hold(outer, inner)


@THOROUGH
@given(st.data())
def test_random_schemas_after_an_edit(data: st.DataObject) -> None:
    schema = data.draw(schemas)
    other = data.draw(edited(schema))
    hold(schema, other)
    hold(other, schema)


@THOROUGH
@given(st.data())
def test_real_schemas_after_an_edit(data: st.DataObject) -> None:
    schema = data.draw(st.sampled_from(REAL))
    other = data.draw(edited(schema))
    assume(schema_problem(other) is None)
    hold(schema, other)
    hold(other, schema)


def test_real_releases_against_each_other() -> None:
    for case in lines(FIXTURES / "real.jsonl"):
        for outer, inner in ((case["new"], case["old"]), (case["old"], case["new"])):
            found = answer(outer, inner)
            assert found.verdict != "unknown", (case["server"], found.reason)
            hold(outer, inner)


@THOROUGH
@given(schemas, schemas)
def test_two_procedures_never_disagree(outer: Any, inner: Any) -> None:
    one, other = (Schema(schema, text_of(schema), LATEST) for schema in (outer, inner))
    assume(one.cost.quick and other.cost.quick and one.problem is None and other.problem is None)
    native = native_covers(one, other)
    found = Solver(float("inf")).solve([other.formula(), negate(one.formula())])
    if native == "yes":
        assert not isinstance(found, Found) or found.doubt
    if native == "no":
        assert not isinstance(found, Empty)
    if isinstance(outer, dict) and surely_covers(outer, inner, one.text, other.text):
        assert isinstance(found, Empty)


@THOROUGH
@given(schemas)
def test_a_schema_contains_itself_however_it_is_wrapped(schema: Any) -> None:
    for wrapped in ({"allOf": [schema]}, {"anyOf": [schema, False]}, {"not": {"not": schema}}):
        assert contains(schema, wrapped, deadline=PATIENCE).verdict == "yes"
        assert contains(wrapped, schema, deadline=PATIENCE).verdict == "yes"


@THOROUGH
@given(schemas)
def test_instances_are_instances(schema: Any) -> None:
    found = instances(schema, limit=6)
    assert all(accepts(schema, value) for value in found)
    strings = [text_of(value) for value in found]
    assert len(set(strings)) == len(strings)
    if not found:
        assert contains(False, schema, deadline=PATIENCE).verdict in ("yes", "unknown")


@THOROUGH
@given(schemas, schemas, schemas)
def test_containment_is_transitive(one: Any, two: Any, three: Any) -> None:
    middle = {"anyOf": [two, one]}
    outer = {"anyOf": [three, middle]}
    assert contains(middle, one, deadline=PATIENCE).verdict == "yes"
    assert contains(outer, middle, deadline=PATIENCE).verdict == "yes"
    assert contains(outer, one, deadline=PATIENCE).verdict == "yes"
