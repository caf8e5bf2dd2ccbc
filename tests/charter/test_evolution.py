"""The charter's own version rule, between two surfaces."""

from __future__ import annotations

import pytest

from mcp_governor.charter import ToolResponse, v1_1
from mcp_governor.charter.evolution import envelope_words, version_step_breaches
from mcp_governor.surface import build_surface


def surface(version="1.2", kinds=("a", "b"), fields=("status", "data", "error"), **more):
    error = {"anyOf": [{"properties": {"kind": {"enum": list(kinds)}}}, {"type": "null"}]}
    properties = {name: {} for name in fields} | {"error": error, "charter_version": {"default": version}} | more
    return build_surface({"tools": [{"name": "find", "outputSchema": {"properties": properties}}]})


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (surface(), surface(), None),
        (surface(), surface("1.3", kinds=("a", "b", "c")), None),
        (surface(), surface("2.0", kinds=("a",)), None),
        (surface(), surface("2.0", took={}), None),
        (surface(), surface("1.3"), None),
        (surface(), surface(kinds=("a", "b", "c")), ["gains kind c", "minor"]),
        (surface(), surface("1.3", kinds=("a",)), ["loses kind b", "major"]),
        (surface(), surface(took={}), ["gains field took", "minor"]),
        (surface(took={}), surface("1.3"), ["loses field took", "major"]),
        (surface(), surface(kinds=("b", "c")), ["loses kind a", "gains kind c", "major"]),
        (surface("1.2"), surface("1.1", kinds=("a", "b", "c")), ["gains kind c"]),
        (
            surface(confidence={"enum": ["HIGH", None]}),
            surface("1.3", confidence={"type": ["number", "null"]}),
            ["changes field confidence from string to number", "major"],
        ),
        (surface(follow_up_hints={"type": "array"}), surface("2.0", follow_up_hints={"type": "string"}), None),
        (surface(follow_up_hints={"type": "array"}), surface(follow_up_hints={"type": ["array", "null"]}), None),
        (surface(follow_up_hints={"type": "array"}), surface(follow_up_hints={}), None),
        (surface(data={"type": "array"}), surface(data={"type": "object"}), None),
    ],
)
def test_the_version_moves_as_far_as_the_envelope(old, new, words):
    breaches = version_step_breaches(old, new)
    assert [breach.rule for breach in breaches] == (["envelope/version-step"] if words else [])
    assert all(word in breaches[0].message for word in words or ())


@pytest.mark.parametrize("other", [build_surface({"tools": []}), build_surface({"tools": [{"name": "a"}]})])
def test_a_surface_without_envelopes_says_nothing(other):
    assert version_step_breaches(surface(), other) == []
    assert version_step_breaches(other, surface()) == []


def test_our_own_models_differ_by_what_the_versions_brought():
    def of(model):
        return build_surface({"tools": [{"name": "a", "outputSchema": model.output_schema()}]})

    old, new = of(v1_1.ToolResponse[str]), of(ToolResponse[str])
    come = envelope_words(new) - envelope_words(old)
    assert not envelope_words(old) - envelope_words(new)
    assert {word for word in come if word.startswith("field")} == {
        "field degradation_reason",
        "field error/anchor_entity",
        "field provenance/inference_method",
        "field provenance/validation_state",
    }
    assert version_step_breaches(old, new) == []
