"""What the fuzzer asks reaches what it says it reaches, and asks the same again for the same seed."""

from __future__ import annotations

import json
import random

import fuzz_changes
import fuzz_limits
import fuzz_verdicts
import jsonschema_rs
import pytest
from fuzz_edits import opposite
from fuzz_instances import Sampler, Universe
from fuzz_schemas import DRAFTS, Maker, spelled

from mcp_governor.schemas import cost


def strings(seed: int, cases: int) -> list[str]:
    return [json.dumps(fuzz_verdicts.questions(seed, index)) for index in range(cases)]


def test_the_seed_decides_everything() -> None:
    assert strings(1, 30) == strings(1, 30)
    assert strings(1, 30) != strings(2, 30)
    assert fuzz_changes.questions(3, 4) == fuzz_changes.questions(3, 4)


@pytest.mark.parametrize("draft", DRAFTS)
def test_schemas_are_usable_in_every_dialect(draft: int) -> None:
    """Nearly all: a question about an unusable schema says nothing."""
    rng = random.Random(draft)
    made = [spelled(Maker(rng).document(3), draft) for _ in range(300)]
    usable = [schema for schema in made if fuzz_verdicts.native(schema, draft) is not None]
    assert len(usable) > 285


def test_every_keyword_is_made() -> None:
    rng = random.Random(1)
    said = "".join(json.dumps(Maker(rng).document(3)) for _ in range(500))
    said += "".join(json.dumps(spelled(Maker(rng).document(3), draft)) for draft in DRAFTS for _ in range(400))
    words = [
        *("$ref", "$dynamicRef", "$recursiveRef", "$anchor", "prefixItems", "contains", "minContains", "maxContains"),
        *("unevaluatedProperties", "unevaluatedItems", "if", "then", "else", "dependentRequired", "dependentSchemas"),
        *("dependencies", "definitions", "additionalItems", "propertyNames", "patternProperties", "uniqueItems"),
        *("not", "oneOf", "anyOf", "allOf", "multipleOf", "exclusiveMinimum", "minProperties", "const", "enum"),
    ]
    assert [word for word in words if f'"{word}"' not in said] == []


@pytest.mark.parametrize("name", fuzz_limits.FAMILIES)
def test_families_make_usable_schemas_with_instances(name: str) -> None:
    """A verdict about a schema without known instances is never refuted. Three of thirty with instances are enough."""
    rng = random.Random(name)
    inhabited = 0
    for _ in range(30):
        if inhabited == 3:
            break
        schema = fuzz_limits.FAMILIES[name](Maker(rng))
        validator = jsonschema_rs.Draft202012Validator(schema)
        universe = Universe([schema], rng)
        inhabited += any(map(validator.is_valid, [*universe.values(100), *Sampler(schema, universe).values(40)]))
    assert inhabited == 3


@pytest.mark.parametrize(
    ("name", "word", "limit"),
    [
        ("many_patterns", "patternProperties", fuzz_limits.PATTERNS_MOST),
        ("many_counts", "allOf", fuzz_limits.CONTAINS_MOST),
        ("many_distinct", "minItems", fuzz_limits.DISTINCT_MOST),
        ("long_counts", "minItems", fuzz_limits.COUNTED_MOST),
        ("many_fixed_items", "prefixItems", fuzz_limits.COUNTED_MOST),
        ("long_lists", "enum", fuzz_limits.LISTED_MOST),
        ("long_arrays", "minItems", fuzz_limits.ITEMS_MOST),
        ("wide_objects", "minProperties", fuzz_limits.FILLERS_MOST),
        ("long_strings", "minLength", fuzz_limits.LENGTH_MOST),
    ],
)
def test_families_pass_their_limits(name: str, word: str, limit: int) -> None:
    rng = random.Random(1)
    values = [fuzz_limits.FAMILIES[name](Maker(rng)).get(word, 0) for _ in range(80)]
    sizes = [value if isinstance(value, int) else len(value) for value in values]
    assert max(sizes) > limit


def test_opposites_leave_little_out() -> None:
    """A schema and its opposite accept everything between them, and little twice."""
    rng = random.Random(1)
    both = neither = asked = 0
    for _ in range(300):
        schema = Maker(rng).schema(2)
        one, other = (jsonschema_rs.Draft202012Validator(part) for part in (schema, opposite(schema, rng)))
        for value in Universe([schema], rng).values(20):
            asked += 1
            both += one.is_valid(value) and other.is_valid(value)
            neither += not one.is_valid(value) and not other.is_valid(value)
    assert neither == 0
    assert 0 < both < asked / 4


def test_a_limit_that_was_moved_ends_the_fuzzer() -> None:
    """A former value would let families stay below the limit of today."""
    assert fuzz_limits.limit("schemas.cost", "MAX_CASES") == cost.MAX_CASES
    with pytest.raises(AttributeError, match="MAX_GONE"):
        fuzz_limits.limit("schemas.cost", "MAX_GONE")
    with pytest.raises(ImportError, match=r"containment\.gone"):
        fuzz_limits.limit("containment.gone", "MAX_CASES")
    with pytest.raises(TypeError, match="is not an integer"):
        fuzz_limits.limit("schemas.cost", "__name__")
