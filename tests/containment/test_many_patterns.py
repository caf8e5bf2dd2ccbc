"""Objects with more member patterns than anybody looks at one by one: one of them edited, others in the way."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema_rs
from asking import answer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemas import leaf

FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
VALUES: list[Any] = [None, True, False, 0, 1, 2, -1, 1.5, "", "a", "ab", [], [1], {}, {"a": 1}]
# each spells the pattern with this number, and a name that matches it and as few others as can be
SPELLINGS: list[Any] = [
    lambda n: (f"^p{n}_", f"p{n}_x"),
    lambda n: (f"^{'a' * n}b", f"{'a' * n}b"),
    lambda n: (f"{n}$", f"x{n}"),
    lambda n: (f"^[{chr(97 + n)}-z]", chr(97 + n)),
    lambda n: (f"^.{{{n}}}$", "y" * n),
]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Any, Any, list[str]]:
    """Two neighbours, and names of members that matter to them."""
    spell = draw(st.sampled_from(SPELLINGS))
    spelled = [spell(n) for n in range(draw(st.integers(3, 24)))]
    common = draw(leaf)
    schema: dict[str, Any] = {"patternProperties": {name: common for name, _ in spelled}}
    if draw(st.booleans()):
        schema["additionalProperties"] = draw(leaf)
    if draw(st.booleans()):
        schema["minProperties"] = draw(st.integers(1, 2))
    for name, _ in draw(st.lists(st.sampled_from(spelled), max_size=4)):
        schema["patternProperties"][name] = draw(leaf)
    other = copy.deepcopy(schema)
    edited, _ = draw(st.sampled_from(spelled))
    if draw(st.booleans()):
        other["patternProperties"][edited] = draw(leaf)
    else:
        del other["patternProperties"][edited]
    return schema, other, [*(name for _, name in spelled), "-", "unlike any"]


@FEW
@given(pairs())
def test_no_value_refutes_a_yes(drawn: tuple[Any, Any, list[str]]) -> None:
    one, other, names = drawn
    validators = [jsonschema_rs.Draft202012Validator(schema) for schema in (one, other)]
    members = [{name: value} for name in names for value in VALUES]
    members += [{name: value, names[0]: value} for name in names for value in VALUES]
    for outer, inner, (wide, narrow) in ((one, other, validators), (other, one, validators[::-1])):
        found = answer(outer, inner)
        if found.verdict == "yes":
            assert [value for value in members if narrow.is_valid(value) and not wide.is_valid(value)] == []
