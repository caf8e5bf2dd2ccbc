"""Cases that ``make fuzz`` found, minimised: each of them stays fixed.

A line of ``fuzz-found.jsonl`` holds the pair, the draft that it is read in, what was wrong (``found``), and an
``instance`` that refutes a "yes" where there is one. All are asked in processes with different hash seeds, too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from asking import FIXTURES, PATIENCE, accepts, answer, lines

from mcp_governor.containment import contains

FOUND = lines(FIXTURES / "fuzz-found.jsonl")
QUICK = [case for case in FOUND if case["found"] not in ("slow", "crash")]


@pytest.mark.parametrize("case", QUICK, ids=lambda case: case["id"])
def test_no_false_yes_and_no_false_witness(case: dict[str, Any]) -> None:
    outer, inner, draft = case["outer"], case["inner"], case["draft"]
    found = answer(outer, inner, draft)
    if "instance" in case:
        assert accepts(inner, case["instance"], draft)
        assert not accepts(outer, case["instance"], draft)
        assert found.verdict != "yes"


def deeper(levels: int, case: dict[str, Any]) -> str:
    """The verdict, asked so many frames down."""
    if levels:
        return deeper(levels - 1, case)
    return contains(case["outer"], case["inner"], deadline=PATIENCE, default_dialect=case["draft"]).verdict


@pytest.mark.parametrize("case", [case for case in FOUND if case["found"] == "crash"], ids=lambda case: case["id"])
def test_nothing_is_raised_at_any_depth_of_the_stack(case: dict[str, Any]) -> None:
    """A Rust extension panics, with no ``Exception``, where the stack ends inside it: one depth in four."""
    assert {deeper(levels, case) for levels in range(40)} == {case["verdict"]}


ASKER = """
import json, sys
from mcp_governor.containment import contains
for line in sys.stdin:
    case = json.loads(line)
    found = contains(case["outer"], case["inner"], deadline=float(sys.argv[1]), default_dialect=case["draft"])
    print(json.dumps([found.verdict, found.witness, found.has_witness]))
"""


def asked(cases: list[dict[str, Any]], hash_seed: int, deadline: float, never: float) -> list[str]:
    """The answers of a process with this hash seed."""
    done = subprocess.run(
        [sys.executable, "-c", ASKER, str(deadline)],
        input="".join(json.dumps(case) + "\n" for case in cases),
        capture_output=True,
        text=True,
        check=True,
        timeout=never,
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
    )
    return done.stdout.splitlines()


def test_no_answer_depends_on_the_hash_seed() -> None:
    answers = [asked(QUICK, hash_seed, PATIENCE, 300) for hash_seed in (0, 1, 7, 1234)]
    assert len(answers[0]) == len(QUICK)
    for others in answers[1:]:
        assert others == answers[0]


@pytest.mark.parametrize("case", [case for case in FOUND if case["found"] == "slow"], ids=lambda case: case["id"])
def test_the_deadline_is_kept(case: dict[str, Any]) -> None:
    """A minute stands for "never": these took longer, with half a second to their deadline."""
    assert len(asked([case], 1, 0.5, 60)) == 1
