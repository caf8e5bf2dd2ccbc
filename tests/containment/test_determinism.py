"""The same answer in every process: nothing depends on the order of a set."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from asking import FIXTURES, lines
from schemas import schemas

from mcp_governor.containment import contains

SEEDS = ("0", "1", "2", "77", "4242")

ASKER = """
import json, sys
from mcp_governor.containment import contains
from sampling import instances
padding = [object() for _ in range(int(sys.argv[1]))]  # other addresses, other hashes of nodes
for line in sys.stdin:
    outer, inner = json.loads(line)
    found = contains(outer, inner, deadline=20)
    examples = instances(inner, limit=4, deadline=20)
    print(json.dumps([found.verdict, found.has_witness, found.witness, found.reason, examples]))
"""


def questions() -> list[tuple[Any, Any]]:
    from hypothesis import HealthCheck, Phase, given, seed, settings

    found: list[tuple[Any, Any]] = []

    @seed(20)
    @settings(max_examples=250, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(schemas, schemas)
    def collect(outer: Any, inner: Any) -> None:
        found.append((outer, inner))

    collect()
    for case in lines(FIXTURES / "real.jsonl")[:40]:
        found += [(case["new"], case["old"]), (case["old"], case["new"])]
    shared = {"maxProperties": 1, "not": {"additionalProperties": {"not": {"enum": [2, 0]}}}}
    found.append(({"properties": {"a": {"const": 0}}}, shared))
    patterns = {f"^{letter}": {"type": "integer"} for letter in "abcdefghijkl"}
    found.append(({"patternProperties": patterns}, {"patternProperties": {**patterns, "^c": {"type": "string"}}}))
    found.append(
        ({"not": {"enum": [[1, 2], {"a": 1, "b": [0]}, "x", 4, None]}}, {"enum": [{"b": [0], "a": 1}, "x", 4]})
    )
    unevaluated = [{"properties": {name: {"type": "string"}}, "required": [name]} for name in "abc"]
    found.append(({"maxProperties": 1}, {"type": "object", "anyOf": unevaluated, "unevaluatedProperties": False}))
    return found


def answers(seed: str, text: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", ASKER, str(int(seed) * 13)],
        input=text,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[1])},
    )
    return done.stdout


def test_answers_are_the_same_whatever_the_hash_seed() -> None:
    asked = questions()
    text = "".join(json.dumps(pair) + "\n" for pair in asked)
    first, *others = (answers(seed, text).splitlines() for seed in SEEDS)
    assert len(first) == len(asked) > 200
    for other in others:
        for pair, one, two in zip(asked, first, other, strict=True):
            assert one == two, pair


def test_the_case_that_was_found() -> None:
    inner = {"maxProperties": 1, "not": {"additionalProperties": {"not": {"enum": [2, 0]}}}}
    assert contains({"properties": {"a": {"const": 0}}}, inner).witness == {"a": 2}
