"""The models that server authors use: what they refuse to build, and what they put on the wire."""

from __future__ import annotations

import json
from typing import Literal

import jsonschema_rs
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from mcp_governor.call.validate import validate_response
from mcp_governor.charter import ErrorKind, Provenance, ToolResponse, facts, v1_0, v1_1, v1_2
from mcp_governor.charter.envelope import envelope_breaches
from mcp_governor.surface import build_surface
from tests.charter.envelopes import envelopes


class Hit(BaseModel):
    name: str
    inference_method: str | None = None
    validation_state: str | None = None


Hits = ToolResponse[list[Hit]]
WIDER = {"scope_requested": "a", "would_unblock": True, "reason": "b"}
FK = Provenance(source="schema", inference_method="fk_constraint", validation_state="applied")


def test_a_success_is_an_envelope_on_the_wire():
    result = Hits.success([Hit(name="orders")], follow_up_hints=["find"]).to_result()
    assert result["structuredContent"] == {
        "status": "success",
        "data": [{"name": "orders", "inference_method": None, "validation_state": None}],
        "error": None,
        "confidence": None,
        "provenance": None,
        "follow_up_hints": ["find"],
        "degradation_reason": None,
        "charter_version": "1.2",
    }
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert result["isError"] is False
    assert len(result["content"]) == 1


def test_an_error_and_a_refusal_carry_their_recovery():
    error = Hits.fail("unknown_name", "No table is called user.", fuzzy_matches=["users"])
    assert error.error is not None
    assert (error.status, error.error.recovery.fuzzy_matches) == ("error", ["users"])
    refusal = Hits.refuse("pii_blocked", "It holds contact data.", pii_categories=["contact"], suggested_tool="find")
    assert refusal.error is not None
    assert (refusal.status, refusal.error.pii_categories) == ("refused", ["contact"])


@pytest.mark.parametrize(
    ("provenance", "status", "data", "expected"),
    [
        (FK, "success", [], "HIGH"),
        (FK, "degraded", [], "MEDIUM"),
        (FK, "success", [Hit(name="a", inference_method="llm_suggested", validation_state="draft")], "LOW"),
        (Provenance(source="schema"), "success", [], None),
    ],
)
def test_the_confidence_is_derived(provenance, status, data, expected):
    reason = {"degradation_reason": "fan_out_join"} if status == "degraded" else {}
    assert Hits(status=status, data=data, provenance=provenance, **reason).confidence == expected


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"status": "success"}, "envelope/data-missing"),
        ({"status": "error"}, "envelope/error-missing"),
        ({"status": "empty", "follow_up_hints": []}, "envelope/hint-count"),
        ({"status": "degraded", "data": []}, "envelope/degraded-reason"),
        ({"status": "success", "data": [], "degradation_reason": "fan_out_join"}, "envelope/reason-unexpected"),
        ({"status": "success", "data": [], "provenance": FK, "confidence": "LOW"}, "envelope/confidence-derivation"),
        ({"status": "success", "data": [], "took_ms": 3}, "took_ms"),
        ({"status": "fine", "data": []}, "status"),
        ({"status": "success", "data": [], "charter_version": "1.1"}, "charter_version"),
    ],
)
def test_a_broken_envelope_cannot_be_built(fields, rule):
    with pytest.raises(ValidationError, match=rule):
        Hits(**fields)


@pytest.mark.parametrize(
    ("build", "rule"),
    [
        (lambda: Hits.fail("unknown_name", "No table is called user."), "recovery-empty"),
        (lambda: Hits.fail("unknown_name", "One. Two.", suggested_tool="a"), "message-sentence"),
        (lambda: Hits.fail("unknown_name", "KeyError: a", suggested_tool="a"), "message-leak"),
        (lambda: Hits.fail("pii_blocked", "It is blocked.", suggested_tool="a"), "refusal-status"),
        (lambda: Hits.fail("unknown_name", "No.", widening_hint=WIDER), "refusal-fields"),
        (lambda: Hits.fail("no_such_kind", "It is so.", suggested_tool="a"), "kind"),
        (lambda: Hits.refuse("unknown_name", "It is so.", suggested_tool="a"), "refused-kind"),
        (lambda: Hits.refuse("pii_blocked", "No.", suggested_tool="a", pii_categories=["hair"]), "pii_categories"),
    ],
)
def test_a_broken_error_cannot_be_built(build, rule):
    with pytest.raises(ValidationError, match=rule):
        build()


def test_an_anchor_entity_goes_to_the_error_where_the_version_has_one():
    for response in (
        Hits.fail("unknown_name", "No table is called user.", suggested_tool="find", anchor_entity="user"),
        Hits.refuse("pii_blocked", "It holds contact data.", suggested_tool="find", anchor_entity="user"),
    ):
        error = response.to_wire()["error"]
        assert (error["anchor_entity"], error["recovery"]["suggested_tool"]) == ("user", "find")
    with pytest.raises(ValidationError, match="anchor_entity"):
        v1_1.ToolResponse[Hit].fail("unknown_name", "None is there.", suggested_tool="a", anchor_entity="user")


def test_what_json_does_not_have_is_refused_before_it_is_sent():
    with pytest.raises(ValueError, match="JSON"):
        ToolResponse[float].success(float("nan")).to_result()


def test_a_server_adds_kinds_of_its_own():
    mine = ToolResponse[Hit, Literal[ErrorKind, "quota_spent"]]
    response = mine.fail("quota_spent", "No call is left today.", suggested_tool="find")
    assert response.to_wire()["error"]["kind"] == "quota_spent"
    kinds = json.dumps(mine.output_schema())
    assert '"quota_spent"' in kinds
    assert '"quota_spent"' not in json.dumps(ToolResponse[Hit].output_schema())
    with pytest.raises(ValidationError):
        ToolResponse[Hit].fail("quota_spent", "No call is left today.", suggested_tool="find")


def test_a_server_adds_reasons_of_its_own():
    mine = ToolResponse[list[Hit], ErrorKind, Literal[facts.DegradationReason, "index_stale"]]
    response = mine.degraded([Hit(name="a")], "index_stale")
    assert response.to_wire()["degradation_reason"] == "index_stale"
    assert '"index_stale"' in json.dumps(mine.output_schema())
    assert mine.__name__ == ToolResponse[list[Hit]].__name__ == "ToolResponse[list]"
    (tool,) = build_surface({"tools": [{"name": "a", "outputSchema": mine.output_schema()}]}).tools
    assert validate_response(response.to_wire(), tool=tool) == []
    with pytest.raises(ValidationError):
        Hits.degraded([], "index_stale")  # type: ignore[arg-type]


# What the models refuse in shape: any change of a good envelope to it.
WRONG = st.sampled_from([True, 7, 0.5, "text", "", [], ["a"], {}, {"a": 1}, [1], None])
OTHER_KEYS = ["extra", "traceback", "next_tool", "author", "confidence", "suggested_tool", "kind", "model"]


@st.composite
def changed_envelopes(draw):
    """A good envelope with one member changed, added or taken out, anywhere in its parts."""
    envelope = draw(envelopes())
    parts = [envelope]
    for key in ("error", "provenance"):
        parts += [envelope[key]] if isinstance(envelope[key], dict) else []
    if isinstance(envelope["error"], dict):
        parts.append(envelope["error"]["recovery"])
        parts += [part for part in envelope["error"]["recovery"].values() if isinstance(part, dict)]
    part = draw(st.sampled_from(parts))
    key = draw(st.sampled_from(sorted(part) + OTHER_KEYS))
    if key in part and draw(st.booleans()):
        del part[key]
    else:
        part[key] = draw(WRONG)
    return envelope


def offers_text(envelope):
    """The sources give these no type: a text is in order, and the models build the shape of the reference server."""
    error = envelope.get("error")
    recovery = error.get("recovery") if isinstance(error, dict) else None
    offers = [recovery.get(key) for key in facts.REFUSAL_RECOVERY_KEYS] if isinstance(recovery, dict) else []
    return any(isinstance(offer, str) and offer for offer in offers)


@pytest.mark.parametrize(("version", "number"), [(v1_0, "1.0"), (v1_1, "1.1"), (v1_2, "1.2")])
@given(envelope=changed_envelopes())
@settings(max_examples=500, deadline=None)
def test_what_a_model_refuses_a_rule_finds(version, number, envelope):
    given = {**envelope, **({} if number == "1.2" else {"charter_version": number})}
    # A key that came later is in order while it is null: a missing key counts as null.
    later = {"degradation_reason"} if number != "1.2" and given.get("degradation_reason") is None else set()
    try:
        version.ToolResponse.model_validate({key: value for key, value in given.items() if key not in later})
    except ValidationError:
        assume(not offers_text(given))
        assert envelope_breaches(given), given


@pytest.mark.parametrize("version", [v1_0, v1_1, v1_2])
def test_each_version_publishes_its_own_shape(version):
    number = version.__name__[-3:].replace("_", ".")
    schema = version.ToolResponse[Hit].output_schema()
    error = next(item for item in schema["properties"]["error"]["anyOf"] if item.get("type") == "object")
    kinds = set(error["properties"]["kind"]["enum"])
    assert kinds == {kind for kind in facts.KINDS if facts.SINCE.get(f"kind {kind}", "1.0") <= number}
    fields = set(schema["properties"]) | set(error["properties"])
    for definition in ("Recovery", "Provenance"):
        fields |= set(schema["$defs"][definition]["properties"])
    later = {name[6:] for name, since in facts.SINCE.items() if name.startswith("field ")}
    assert later & fields == {name for name in later if facts.SINCE[f"field {name}"] <= number}
    assert ("refused" in schema["properties"]["status"]["enum"]) is (number > "1.0")
    assert schema["properties"]["charter_version"]["const"] == number
    assert set(schema["required"]) == set(schema["properties"])
    assert "additionalProperties" not in schema


@given(envelopes())
@settings(max_examples=60, deadline=None)
def test_models_and_checks_agree(envelope):
    response = ToolResponse.model_validate(envelope)
    wire = response.to_wire()
    assert envelope_breaches(wire) == []
    assert jsonschema_rs.is_valid(ToolResponse.output_schema(), wire)
