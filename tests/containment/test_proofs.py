"""A "yes" is a proof: what stops a search early ends in "unknown", and the type checker holds the procedures to it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from asking import REPO, answer, verdict

from mcp_governor.containment import additional_properties, arrays, contains, expand, numbers, objects, outcome, product
from mcp_governor.containment.outcome import (
    Cases,
    Contradiction,
    Empty,
    Found,
    Outcome,
    Pool,
    Unknown,
    draw,
    explore,
    first_found,
    gather,
    refuted,
    represent,
)

PACKAGE = REPO / "mcp_governor" / "containment"
NOTHING = refuted(Contradiction.FALSE)

# Each line is a way to make a proof of a search that did not end, and the type checker refuses it.
REFUSED = """
from itertools import islice
from collections.abc import Iterator
from mcp_governor.containment.formulas import Or
from mcp_governor.containment.outcome import Cases, Contradiction, Empty, Exhausted, Found, Outcome, Unknown
from mcp_governor.containment.outcome import first_found, explore, refuted, unreachable

def look(number: int) -> Outcome: return Found(number)
def cases(node: Or) -> None:
    numbers = list(range(100))
    Empty()  # a proof of nothing
    Empty("no instance")  # a proof by assertion
    refuted("the limit is reached")  # an argument that is not on the list
    Cases(numbers)  # a case distinction by assertion
    first_found(numbers, look)  # a list, which may have been cut
    first_found(numbers[:10], look)  # a list that was cut
    first_found(islice(numbers, 10), look)  # an iterator that was cut
    first_found((number for number in numbers if number), look)  # one that leaves out something
    first_found(Cases.counted(0, 99)[:10], look)  # cases that were cut
    islice(Cases.counted(0, 99), 10)  # cases that were cut
    Cases.each(numbers[:10])  # cases made of a list that was cut
    Cases.parts(node.parts[:10])  # alternatives that were cut
    Cases.within(numbers, 10)  # a limit without a word on what is beyond it
    unreachable(None)  # the result of a search that returned nothing
    Exhausted()  # a walk by assertion

def stopped() -> Empty:
    for number in range(100):
        if number > 10:
            break
    return  # a loop that was left

def doubtful(outcome: Outcome) -> Empty:
    return outcome  # whatever came out

def limited(outcome: Unknown) -> Empty:
    return outcome  # a limit

def flagged(exact: bool) -> Outcome:
    return not exact  # a flag

def forgotten(number: int) -> Outcome:  # no result at all
    if number > 10:
        Unknown("too many")
"""


def test_the_type_checker_refuses_a_proof_from_a_search_that_stopped(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    source = tmp_path / "refused.py"
    source.write_text(REFUSED, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", f"--cache-dir={tmp_path}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPO, timeout=300)
    refused = {int(number) for number in re.findall(r"refused\.py:(\d+): error", done.stdout)}
    wanted = {number for number, line in enumerate(REFUSED.splitlines(), 1) if "  # " in line}
    assert refused == wanted, done.stdout + done.stderr
    assert len(wanted) == 20


def test_only_one_module_makes_proofs_and_one_function_the_answer() -> None:
    sources = {path.name: path.read_text(encoding="utf-8") for path in PACKAGE.glob("*.py")}
    assert [name for name, source in sources.items() if "_SEAL" in source or "_EMPTY" in source] == ["outcome.py"]
    assert [name for name, source in sources.items() if re.search(r"Containment\(\s*\"yes\"", source)] == ["decide.py"]
    assert sources["decide.py"].count('Containment("yes")') == 1


def look(number: int) -> Outcome:
    return Found(number) if number in (3, 5) else Unknown("four") if number == 4 else NOTHING


def test_cases_are_empty_only_where_all_of_them_are() -> None:
    assert first_found(Cases.counted(0, 9), look) == Found(3)
    assert first_found(Cases.counted(4, 9), look) == Found(5)
    assert first_found(Cases.counted(4, 4), look) == Unknown("four")
    assert isinstance(first_found(Cases.counted(6, 99), look), Empty)
    assert isinstance(first_found(Cases.counted(1, 0), look), Empty)


def test_cases_beyond_a_limit_are_unknown() -> None:
    assert first_found(Cases.within(range(6, 99), 10, "beyond"), look) == Unknown("beyond")
    assert first_found(Cases.within(range(99), 10, "beyond"), look) == Found(3)
    assert isinstance(first_found(Cases.within(range(6, 16), 10, "beyond"), look), Empty)
    assert first_found(Cases.within(range(6, 17), 10, "beyond"), look) == Unknown("beyond")
    assert gather(Cases.within(range(6, 99), 10, "beyond"), look, 1) == Pool([], Unknown("beyond"))


def test_a_doubtful_instance_is_better_than_none_and_worse_than_a_sure_one() -> None:
    found = {0: NOTHING, 1: Unknown("x"), 2: Found(2, "doubt"), 3: Found(3)}
    assert first_found(Cases.each({0: None, 1: None, 2: None}), found.__getitem__) == Found(2, "doubt")
    assert first_found(Cases.each(found), found.__getitem__) == Found(3)


def test_instances_are_gathered_until_there_are_enough() -> None:
    assert gather(Cases.counted(0, 9), look, 1) == Pool([(3, Found(3))], None)
    assert gather(Cases.counted(0, 5), look, 2) == Pool([(3, Found(3)), (5, Found(5))], None)
    assert gather(Cases.counted(0, 5), look, 3).rest == Unknown("four")
    assert isinstance(gather(Cases.counted(5, 9), look, 3).rest, Empty)


def test_instances_are_drawn_until_there_are_enough() -> None:
    def ask(most: int) -> Any:
        return lambda keys: Found(len(keys)) if len(keys) < most else NOTHING

    assert [key for key, _ in draw(ask(9), int, 3).found] == [0, 1, 2]
    assert draw(ask(9), int, 3).rest is None
    assert isinstance(draw(ask(2), int, 3).rest, Empty)
    assert isinstance(draw(lambda _: Found(1), int, 3).rest, Unknown)
    assert isinstance(draw(lambda keys: Found(len(keys), "doubt"), int, 3).rest, Unknown)
    assert draw(lambda keys: Found(len(keys), "doubt"), int, 1).rest is None


def pool(keys: str, rest: Any = NOTHING) -> Pool:
    return Pool([(key, Found(key)) for key in keys], rest)


def test_each_pool_is_represented_by_a_key_of_its_own() -> None:
    for keys in ("ab a", "ab bc a", "abcd ab bc a", "ab bc cd da", "abc abc abc", "d cd bcd abcd"):
        chosen = represent([pool(word) for word in keys.split()])
        assert isinstance(chosen, list)
        assert len(set(chosen)) == len(keys.split())
        assert all(key in word for key, word in zip(chosen, keys.split(), strict=True))
    assert isinstance(represent([pool("a"), pool("a")]), Empty)
    assert isinstance(represent([pool("ab"), pool("ab"), pool("abcd", None), pool("ab")]), Empty)
    assert represent([pool("a"), pool("a", Unknown("x"))]) == Unknown("x")
    assert isinstance(represent([pool("a", None), pool("a", None)]), Unknown)


def test_an_exploration_finds_what_it_can_reach() -> None:
    def step(wanted: int) -> Any:
        def at(number: int, push: Any) -> int | None:
            if number == wanted:
                return number
            if number < 10:
                push(number + 1)
            return None

        return at

    assert explore(0, step(10), lambda: None) == 10
    assert isinstance(explore(0, step(11), lambda: None), outcome.Exhausted)


def patterned(count: int, changed: int | None = None, form: str = "^p{}_", value: str = "string") -> dict[str, Any]:
    kinds = {form.format(n): {"type": value if n == changed else "integer"} for n in range(count)}
    return {"type": "object", "patternProperties": kinds}


@pytest.mark.parametrize("form", ["^p{}_", "<{}>", "_{}$"])
@pytest.mark.parametrize("count", [3, 11, 50, 120])
def test_one_of_many_patterns_changed(count: int, form: str) -> None:
    plain = patterned(count, form=form)
    for changed in (0, count // 2, count - 1):
        assert verdict(patterned(count, changed, form, "number"), plain) == "yes"
        assert verdict(plain, patterned(count, changed, form, "number")) == "no"
        assert verdict(patterned(count, changed, form, "string"), {**plain, "minProperties": 1}) == "no"
    assert verdict(plain, {**plain, "minProperties": 2}) == "yes"


def test_patterns_that_overlap_in_every_way() -> None:
    def schema(low: int) -> Any:
        patterns = {f"{chr(97 + n)}": {"type": "integer", "minimum": low if n == 25 else n} for n in range(26)}
        return {"type": "object", "patternProperties": patterns, "additionalProperties": False}

    assert verdict(schema(24), schema(25)) == "yes"
    assert answer(schema(25), schema(24)).witness == {"z": 24}


def test_what_many_patterns_leave_over() -> None:
    patterns = {f"^{chr(97 + n)}": {"type": "integer"} for n in range(26)}
    closed = {"type": "object", "patternProperties": patterns, "additionalProperties": False}
    assert verdict({"propertyNames": {"pattern": "^[a-z]"}}, closed) == "yes"
    assert verdict({"propertyNames": {"pattern": "^[a-y]"}}, closed) == "no"
    assert verdict({"additionalProperties": {"type": "number"}}, closed) == "yes"
    assert verdict({"maxProperties": 9}, {**closed, "propertyNames": {"enum": ["a", "b", "1"]}}) == "yes"


def test_fixed_places_count_where_two_items_are_equal() -> None:
    apart = [
        {"uniqueItems": True},
        {"prefixItems": [{"not": {"const": 1}}]},
        {"prefixItems": [True, {"not": {"const": 2}}]},
    ]
    found = answer({"anyOf": apart}, {"type": "array"})
    assert found.witness == [1, 2, 1]
    shifted = [{"uniqueItems": True}, *({"prefixItems": [*[True] * n, {"not": {"const": n}}]} for n in range(5))]
    assert verdict({"anyOf": shifted}, {"type": "array"}) == "no"
    assert verdict({"anyOf": shifted}, {"type": "array", "maxItems": 5}) == "yes"


def test_two_equal_items_count_twice() -> None:
    twice = {"type": "array", "not": {"uniqueItems": True}, "maxItems": 2, "contains": {"const": 7}}
    assert answer(False, {**twice, "minContains": 2}).witness == [7, 7]
    assert verdict(False, {**twice, "maxContains": 1}) == "yes"
    three = {**twice, "maxItems": 3, "allOf": [{"contains": {"const": 8}, "maxContains": 1}]}
    assert verdict(False, {**three, "minContains": 2}) == "no"
    assert verdict(False, {**three, "minContains": 3}) == "yes"


def test_an_item_that_counts_may_stand_beyond_all_others() -> None:
    # the one item that may count is the sixth: an atom about any item has to find it there
    places = {"prefixItems": [*[True] * 5, {"not": {"const": 7}}]}
    inner = {"type": "array", "maxItems": 6, "contains": {"const": 7}, "maxContains": 1}
    outer = {"anyOf": [places, {"items": {"not": {"const": 7}}}]}
    assert verdict(outer, inner) == "no"


def test_members_that_share_a_name() -> None:
    inner = {"maxProperties": 1, "not": {"additionalProperties": {"not": {"enum": [2, 0]}}}}
    assert answer({"properties": {"a": {"const": 0}}}, inner).witness == {"a": 2}
    starts = {"not": {"patternProperties": {"^a": {"type": "null"}}}}
    ends = {"not": {"patternProperties": {"b$": {"type": "integer"}}}}
    one = {"type": "object", "maxProperties": 1, "allOf": [starts, ends]}
    assert verdict(False, one) == "no"
    assert verdict({"not": {"type": "object"}}, {**one, "propertyNames": {"maxLength": 1}}) == "yes"
    assert verdict(False, {**one, "propertyNames": {"enum": ["ab", "b", "a"]}}) == "no"
    assert verdict(False, {**one, "propertyNames": {"enum": ["b", "a"]}, "type": "object"}) == "yes"


def test_names_that_are_few() -> None:
    def some(pattern: str, value: Any) -> Any:
        return {"not": {"patternProperties": {pattern: {"not": {"const": value}}}}}

    few = {"type": "object", "propertyNames": {"pattern": "^[ab]$"}}
    assert verdict(False, {**few, "allOf": [some("[ab]", 1), some("a", 2)]}) == "no"
    assert verdict(False, {**few, "allOf": [some("[ab]", 1), some("[ab]", 2), some("[ab]", 3)]}) == "yes"
    assert verdict(False, {**few, "allOf": [some("a", 1), some("a", 2)]}) == "yes"
    assert verdict(False, {**few, "minProperties": 3}) == "yes"
    assert verdict(False, {**few, "minProperties": 2}) == "no"


def test_a_member_name_may_need_a_line_feed() -> None:
    closed = {"type": "object", "patternProperties": {"^.*$": {"type": "integer"}}, "additionalProperties": False}
    assert verdict({"type": "object", "additionalProperties": {"type": "number"}}, closed) == "yes"
    open_ = {"type": "object", "patternProperties": {"^.*$": {"type": "integer"}}}
    found = answer({"type": "object", "additionalProperties": {"type": "integer"}}, open_)
    assert found.witness == {"\na": "example"}


def test_parts_that_were_made_for_a_moment_are_distinguished() -> None:
    outer = {"$defs": {"one": {"enum": [1]}}, "anyOf": [{"$ref": "#/$defs/one"}, {"const": 3}]}
    assert answer(outer, {"enum": [1, 2]}).witness == 2
    assert verdict(outer, {"enum": [1, 3]}) == "yes"


LIMITS: list[tuple[Any, str, Any, Any]] = [
    (
        numbers,
        "MAX_TRIES",
        {"type": "integer", "not": {"anyOf": [{"multipleOf": n} for n in (2, 3, 5, 7)]}},
        range(2, 11),
    ),
    (arrays, "MAX_ITEMS", {"type": "array", "minItems": 3, "items": False}, None),
    (arrays, "MAX_COUNTED", {"type": "array", "contains": {"const": 1}, "minContains": 3, "maxItems": 2}, None),
    (
        arrays,
        "MAX_CONTAINS",
        {"type": "array", "allOf": [{"contains": {"const": n}} for n in (1, 2)], "maxItems": 1},
        None,
    ),
    (arrays, "MAX_DISTINCT", {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True, "minItems": 3}, None),
    (
        arrays,
        "MAX_PAIRS",
        {"not": {"uniqueItems": True}, "prefixItems": [{"const": n} for n in range(4)], "maxItems": 4},
        None,
    ),
    (objects, "MAX_FILLERS", {"type": "object", "propertyNames": {"maxLength": 0}, "minProperties": 3}, None),
    (objects, "MAX_PLACED", {"type": "object", "maxProperties": 0, "not": {"propertyNames": {"maxLength": 3}}}, None),
    (product, "MAX_STATES", {"type": "string", "pattern": "^(aa)+$", "not": {"pattern": "^(a|bb)*$"}}, None),
    (outcome, "MAX_SIZE", {"type": "array", "minItems": 9, "maxItems": 8}, None),
    (expand, "MAX_PAIRS", {"oneOf": [{"type": "string", "minLength": n} for n in range(9)], "minLength": 9}, None),
]


def own_answer(schema: Any) -> Outcome:
    from test_solver import search

    return search(False, schema)


@pytest.mark.parametrize(
    ("module", "name", "schema", "extra"), LIMITS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_no_limit_makes_a_proof(
    module: Any, name: str, schema: Any, extra: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if extra is not None:
        schema = {**schema, "minimum": extra.start, "maximum": extra.stop - 1}
    assert isinstance(own_answer(schema), Empty)
    allowed = {Unknown} if name != "MAX_SIZE" and name != "MAX_PLACED" else {Unknown, Empty}
    monkeypatch.setattr(module, name, 0)
    assert type(own_answer(schema)) in {*allowed, Found}


def test_members_has_no_limit_of_its_own() -> None:
    # what it tries is bounded by the steps of the solver, which end in "unknown"
    assert not [name for name in vars(additional_properties) if name.startswith("MAX")]
    assert contains({"type": "object"}, {"type": "object", "minProperties": 1}).verdict == "yes"
