"""The laws that ``make fuzz`` checks on fresh cases, on the same few in each run of the suite; and two that need more
than an answer."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import fuzz_changes
import fuzz_verdicts
import pytest
from fuzz_instances import Sampler, Universe
from fuzz_pool import Failure, Tally
from fuzz_schemas import Maker
from fuzz_surfaces import Surfaces

from mcp_governor.change.graph import parse
from mcp_governor.change.names import declares
from mcp_governor.change.reading import Reading, render
from mcp_governor.containment import Containment, contains
from mcp_governor.containment.formulas import negate
from mcp_governor.containment.outcome import Empty, Found, StoppedError
from mcp_governor.containment.schema import Schema, load, native_covers
from mcp_governor.containment.solver import Solver
from mcp_governor.schemas.dialects import LATEST
from mcp_governor.schemas.values import text_of

PATIENCE = 20.0
UNKNOWN = Containment("unknown", reason="it does not say")


def failures(subject: Any, first: int, count: int) -> list[Failure]:
    """What is wrong in some cases; how long they take is not for a test to say."""
    found = [failure for index in range(first, first + count) for failure in subject.run(1, index, Tally())]
    return [failure for failure in found if failure.kind != "slow"]


@pytest.mark.parametrize("first", range(0, 160, 8))
def test_no_verdict_breaks_a_law(first: int) -> None:
    assert failures(fuzz_verdicts, first, 8) == []


@pytest.mark.parametrize("first", range(0, 60, 3))
def test_no_report_breaks_a_law(first: int) -> None:
    assert failures(fuzz_changes, first, 3) == []


def by_search(one: Schema, other: Schema) -> Containment:
    found = Solver(float("inf")).solve([other.formula(), negate(one.formula())])
    if isinstance(found, Empty):
        return Containment("yes")
    if isinstance(found, Found) and not found.doubt:
        return Containment("no", found.value, has_witness=True)
    return UNKNOWN


def by_the_native_engine(one: Schema, other: Schema) -> Containment:
    covered = native_covers(one, other) if one.cost.quick and other.cost.quick else None
    return Containment(covered) if covered in ("yes", "no") else UNKNOWN


@pytest.mark.parametrize("first", range(0, 60, 20))
@pytest.mark.parametrize("procedure", [by_search, by_the_native_engine])
def test_no_procedure_by_itself_breaks_a_law(
    monkeypatch: pytest.MonkeyPatch, procedure: Callable[[Schema, Schema], Containment], first: int
) -> None:
    """The one that answers first hides the mistakes of the others."""

    def contains(outer: Any, inner: Any, *, default_dialect: int, **_: Any) -> Containment:
        try:
            one, other = load([(schema, text_of(schema)) for schema in (outer, inner)], default_dialect)
            return UNKNOWN if one.problem or other.problem else procedure(one, other)
        except (StoppedError, RecursionError, ValueError):
            return UNKNOWN

    monkeypatch.setattr(fuzz_verdicts, "contains", contains)
    assert failures(fuzz_verdicts, first, 20) == []


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_a_schema_contains_itself_however_it_is_wrapped(first: int) -> None:
    for seed in range(first, first + 20):
        maker = Maker(random.Random(seed))
        schema, more = maker.schema(2), maker.schema(2)
        for wrapped in ({"allOf": [schema]}, {"anyOf": [schema, False]}, {"not": {"not": schema}}):
            assert contains(schema, wrapped, deadline=PATIENCE).verdict == "yes"
            assert contains(wrapped, schema, deadline=PATIENCE).verdict == "yes"
        assert contains({"anyOf": [more, schema]}, schema, deadline=PATIENCE).verdict == "yes"


@pytest.mark.parametrize("first", range(0, 40, 20))
def test_readings_are_sub_and_supersets(first: int) -> None:
    for seed in range(first, first + 20):
        rng = random.Random(seed)
        schema = Surfaces(rng).object()
        root = parse(schema).root
        raw, closed, opened = (render(root, reading) for reading in Reading)
        assert contains(raw, closed, deadline=PATIENCE).verdict != "no"
        assert contains(opened, raw, deadline=PATIENCE).verdict != "no"
        for value in Sampler(schema, Universe([schema], rng)).values(20):
            assert not fuzz_verdicts.refutes({"outer": raw, "inner": schema, "draft": LATEST}, value)
        if declares(root) and isinstance(closed, dict) and schema.get("additionalProperties") is not True:
            assert fuzz_verdicts.accepts_twice(closed, {"never declared": 1}, LATEST) is not True
