"""The closed sets and tables of the charter, against the source documents (written down here by hand)."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mcp_governor.charter import facts


def test_the_registry_has_seven_kinds_then_nineteen_then_twenty_six():
    sizes = [
        sum(facts.SINCE.get(f"kind {kind}", "1.0") <= version for kind in facts.KINDS) for version in facts.VERSIONS
    ]
    assert sizes == [7, 19, 26]


def test_what_came_later_is_part_of_what_there_is():
    known = {"kind": facts.KINDS, "status": facts.STATUSES}
    fields = facts.ERROR_KEYS | facts.RECOVERY_KEYS | facts.PROVENANCE_KEYS | set(facts.ENVELOPE_KEYS)
    for name in facts.SINCE:
        group, _, item = name.partition(" ")
        assert item in known.get(group, fields), name


DERIVED = """
manually_authored      MEDIUM HIGH   HIGH
fk_constraint          MEDIUM HIGH   HIGH
dbt_import             MEDIUM HIGH   HIGH
llm_suggested          LOW    MEDIUM HIGH
observed_in_query_log  LOW    MEDIUM HIGH
"""


@pytest.mark.parametrize("line", DERIVED.strip().splitlines(), ids=lambda line: line.split()[0])
def test_confidence_follows_from_method_and_state(line):
    method, *expected = line.split()
    states = ("draft", "applied", "confirmed")
    assert [facts.derive_confidence(method, state) for state in states] == expected
    capped = [facts.derive_confidence(method, state, capped=True) for state in states]
    assert capped == ["MEDIUM" if value == "HIGH" else value for value in expected]


@pytest.mark.parametrize(
    ("score", "expected"),
    [(1.0, "HIGH"), (0.8, "HIGH"), (0.7999, "MEDIUM"), (0.5, "MEDIUM"), (0.4999, "LOW"), (0.0, "LOW")],
)
def test_a_score_falls_into_its_bucket(score, expected):
    assert facts.bucket(score) == expected


@pytest.mark.parametrize("score", [-0.01, 1.01, float("nan")])
def test_a_score_outside_of_its_range_is_refused(score):
    with pytest.raises(ValueError, match="between 0 and 1"):
        facts.bucket(score)


def test_a_list_is_worth_its_worst_item():
    assert facts.worst_confidence(["HIGH", "LOW", "MEDIUM"]) == "LOW"
    assert facts.worst_confidence([]) is None


@pytest.mark.parametrize(
    ("side_effects", "read_only", "destructive", "open_world"),
    [("none", True, False, False), ("read", True, False, True), ("write", False, True, True)],
)
def test_side_effects_map_to_the_protocols_hints(side_effects, read_only, destructive, open_world):
    assert facts.canonical_hints(side_effects, idempotent=True) == {
        "readOnlyHint": read_only,
        "destructiveHint": destructive,
        "openWorldHint": open_world,
        "idempotentHint": True,
    }


@pytest.mark.parametrize(
    ("milliseconds", "hint"), [(0, "fast"), (99.9, "fast"), (100, "moderate"), (999, "moderate"), (1000, "slow")]
)
def test_latency_hints(milliseconds, hint):
    assert facts.latency_hint(milliseconds) == hint


@pytest.mark.parametrize(
    "tool",
    [
        {"_meta": {facts.META_KEY: {"side_effects": "read"}}},
        {"_meta": {"side_effects": "read"}},
        {"side_effects": "read"},
        {"_meta": {facts.META_KEY: {"side_effects": "read"}, "side_effects": "write"}},
    ],
)
def test_declared_metadata_is_found_own_key_first(tool):
    assert facts.declared_metadata(tool) == {"side_effects": "read"}


@pytest.mark.parametrize("tool", [{}, {"_meta": None}, {"_meta": []}, {"_meta": {facts.META_KEY: "x"}}])
def test_no_declared_metadata_is_an_empty_answer(tool):
    assert facts.declared_metadata(tool) == {}


def test_the_facts_cost_no_pydantic():
    code = (
        "import sys, mcp_governor.charter, mcp_governor.charter.facts;"
        "print([name for name in ('pydantic', 'jsonschema_rs', 'mcp_types') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
