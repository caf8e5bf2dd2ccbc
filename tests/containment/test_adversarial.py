"""Schemas that are made to be expensive: every question ends, and no answer is wrong.

The questions run in a process of their own with bounded memory, which has to be alive after all of them. Nothing
here asserts speed; the limit on waiting is far above the deadline and stands for "never".
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

Family = Callable[[], tuple[Any, Any, set[str]]]
FAMILIES: dict[str, Family] = {}
NEVER = 120


def family(function: Family) -> Family:
    FAMILIES[function.__name__] = function
    return function


def either(count: int, keyword: str = "anyOf") -> dict[str, Any]:
    return {"allOf": [{keyword: [{"required": [f"a{n}"]}, {"required": [f"b{n}"]}]} for n in range(count)]}


@family
def fourteen_times_anyof_of_two() -> tuple[Any, Any, set[str]]:
    return either(14), either(13), {"no"}


@family
def fourteen_times_anyof_of_two_contained() -> tuple[Any, Any, set[str]]:
    return either(13), either(14), {"yes"}


@family
def twenty_times_oneof_of_two() -> tuple[Any, Any, set[str]]:
    return either(20, "oneOf"), either(19, "oneOf"), {"no", "unknown"}


@family
def thirty_conditions() -> tuple[Any, Any, set[str]]:
    def schema(count: int) -> Any:
        return {
            "type": "object",
            "allOf": [
                {"if": {"required": [f"a{n}"]}, "then": {"required": [f"b{n}"]}, "else": {"required": [f"c{n}"]}}
                for n in range(count)
            ],
        }

    return schema(29), schema(30), {"yes", "unknown"}


@family
def forty_dependent_names() -> tuple[Any, Any, set[str]]:
    def schema(count: int) -> Any:
        return {"type": "object", "dependentRequired": {f"a{n}": [f"b{n}"] for n in range(count)}}

    return schema(40), schema(39), {"no", "unknown"}


@family
def alternatives_in_alternatives() -> tuple[Any, Any, set[str]]:
    def schema(kind: str) -> Any:
        node: Any = {"type": kind}
        for level in range(9):
            node = {"allOf": [{"anyOf": [node, {"minimum": level}]}, {"anyOf": [node, {"maximum": level}]}]}
        return node

    return schema("integer"), schema("string"), {"yes", "no", "unknown"}


@family
def a_product_of_exclusions() -> tuple[Any, Any, set[str]]:
    primes = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)
    inner = {
        "type": "integer",
        "allOf": [{"not": {"multipleOf": prime}} for prime in primes],
        "minimum": 2,
        "maximum": 46,
    }
    return False, inner, {"yes", "unknown"}


@family
def references_that_double_forty_times() -> tuple[Any, Any, set[str]]:
    def schema(kind: str) -> Any:
        definitions: dict[str, Any] = {"n0": {"type": kind}}
        for level in range(1, 40):
            before = {"$ref": f"#/$defs/n{level - 1}"}
            definitions[f"n{level}"] = {"allOf": [before, before]}
        return {"$defs": definitions, "$ref": "#/$defs/n39"}

    return schema("string"), schema("integer"), {"no", "unknown"}


@family
def objects_that_double_forty_times() -> tuple[Any, Any, set[str]]:
    def schema(kind: str) -> Any:
        definitions: dict[str, Any] = {"n0": {"type": kind}}
        for level in range(1, 40):
            before = {"$ref": f"#/$defs/n{level - 1}"}
            definitions[f"n{level}"] = {"type": "object", "properties": {"a": before, "b": before}}
        return {"$defs": definitions, "$ref": "#/$defs/n39"}

    return schema("string"), schema("integer"), {"no", "unknown"}


@family
def two_hundred_levels() -> tuple[Any, Any, set[str]]:
    def schema(kind: str) -> Any:
        node: Any = {"type": kind}
        for _ in range(100):
            node = {"type": "array", "items": node, "minItems": 1}
        return node

    return schema("number"), schema("integer"), {"yes", "unknown"}


@family
def ten_thousand_levels() -> tuple[Any, Any, set[str]]:
    node: Any = {"type": "string"}
    for _ in range(800):
        node = {"items": node}
    return node, {"type": "array"}, {"unknown"}


@family
def a_list_of_five_thousand() -> tuple[Any, Any, set[str]]:
    values = [f"value {n}" for n in range(5_000)]
    return {"enum": values[:-1]}, {"enum": values}, {"no"}


@family
def a_list_of_five_thousand_contained() -> tuple[Any, Any, set[str]]:
    values = [{"n": n} for n in range(5_000)]
    return {"enum": values}, {"enum": values[1:]}, {"yes"}


@family
def two_thousand_properties() -> tuple[Any, Any, set[str]]:
    def schema(limit: int) -> Any:
        return {
            "type": "object",
            "properties": {f"p{n}": {"type": "string", "maxLength": limit + n} for n in range(2_000)},
            "additionalProperties": False,
        }

    return schema(1), schema(2), {"no", "unknown"}


@family
def two_thousand_properties_contained() -> tuple[Any, Any, set[str]]:
    def schema(count: int) -> Any:
        names = [f"p{n}" for n in range(count)]
        return {
            "type": "object",
            "properties": {name: {"anyOf": [{"type": "string"}, {"type": "null"}]} for name in names},
        }

    return schema(1_999), {**schema(2_000), "required": ["p0"]}, {"yes", "unknown"}


@family
def closed_objects_that_differ_everywhere() -> tuple[Any, Any, set[str]]:
    # a pair like this took the native engine nine seconds
    def schema(item: Any) -> Any:
        return {
            "type": "object",
            "properties": {f"p{n}": {"type": "array", "items": item} for n in range(30)},
            "additionalProperties": False,
        }

    return schema({"type": "number", "minimum": 1}), schema({"type": "number", "maximum": 5}), {"no"}


@family
def a_union_of_a_hundred() -> tuple[Any, Any, set[str]]:
    def schema(count: int) -> Any:
        return {
            "oneOf": [
                {
                    "type": "object",
                    "properties": {"kind": {"const": f"k{n}"}, f"p{n}": {"type": "string"}},
                    "required": ["kind"],
                }
                for n in range(count)
            ]
        }

    return schema(60), schema(59), {"yes", "unknown"}


@family
def a_pattern_that_makes_backtracking_engines_hang() -> tuple[Any, Any, set[str]]:
    return {"type": "string", "pattern": "^(a+)+$"}, {"type": "string", "pattern": "^a{40,}b$"}, {"no", "unknown"}


@family
def a_pattern_that_explodes_as_an_automaton() -> tuple[Any, Any, set[str]]:
    return (
        {"type": "string", "pattern": "^(a|b)*a(a|b){60}$"},
        {"type": "string", "pattern": "^(a|b)*b(a|b){60}$"},
        {"no", "unknown"},
    )


@family
def forty_member_patterns() -> tuple[Any, Any, set[str]]:
    def schema(count: int) -> Any:
        return {
            "type": "object",
            "patternProperties": {f"^a{{{n}}}b": {"type": "string", "minLength": n} for n in range(count)},
        }

    return schema(39), schema(40), {"yes", "unknown"}


@family
def huge_counts() -> tuple[Any, Any, set[str]]:
    huge = 10**9
    return {"type": "array", "minItems": huge + 1}, {"type": "array", "minItems": huge}, {"no", "unknown"}


@family
def huge_numbers() -> tuple[Any, Any, set[str]]:
    return {"type": "integer", "maximum": 10**300}, {"type": "integer", "maximum": 10**300 + 1}, {"no", "unknown"}


@family
def a_hundred_thousand_distinct_items() -> tuple[Any, Any, set[str]]:
    inner = {"type": "array", "items": {"type": "integer"}, "uniqueItems": True, "minItems": 100_000}
    return {"type": "array", "maxItems": 5}, inner, {"no", "unknown"}


@family
def many_counts_at_once() -> tuple[Any, Any, set[str]]:
    inner = {"type": "array", "allOf": [{"contains": {"const": n}} for n in range(30)], "maxItems": 29}
    return False, inner, {"yes", "unknown"}


@family
def unevaluated_beside_thirty_branches() -> tuple[Any, Any, set[str]]:
    def schema(count: int) -> Any:
        return {
            "type": "object",
            "anyOf": [{"properties": {f"a{n}": {"type": "string"}}, "required": [f"a{n}"]} for n in range(count)],
            "unevaluatedProperties": False,
        }

    return schema(30), schema(29), {"yes", "unknown"}


ASKER = """
import contextlib, json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
from mcp_governor.containment import contains
from mcp_governor.schemas.dialects import dialect_of
from mcp_governor.schemas.soundness import find_problem
from mcp_governor.schemas.values import text_of
for line in sys.stdin:
    outer, inner = json.loads(line)
    with contextlib.suppress(ValueError):
        find_problem(outer, text_of(outer), dialect_of(outer))
    found = contains(outer, inner, deadline=1.0)
    print(json.dumps([found.verdict, found.reason]), flush=True)
"""


def ask_all(pairs: list[tuple[Any, Any]]) -> list[list[str]]:
    """The answers of one process to all the questions, in order."""
    pytest.importorskip("resource")
    encoder = json.JSONEncoder(check_circular=False)
    sys.setrecursionlimit(20_000)
    try:
        text = "".join(encoder.encode(list(pair)) + "\n" for pair in pairs)
    finally:
        sys.setrecursionlimit(1_000)
    done = subprocess.run(
        [sys.executable, "-c", ASKER], input=text, capture_output=True, text=True, check=False, timeout=NEVER
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_question_ends_and_the_process_lives() -> None:
    built = {name: build() for name, build in FAMILIES.items()}
    answers = ask_all([(outer, inner) for outer, inner, _ in built.values()])
    assert len(answers) == len(built)
    for (name, (_, _, allowed)), (verdict, reason) in zip(built.items(), answers, strict=True):
        assert verdict in allowed, (name, verdict, reason)
        assert reason or verdict != "unknown"
