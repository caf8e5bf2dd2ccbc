"""Responses of any shape, under any profile."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_governor.call.outcome import read_response
from mcp_governor.call.validate import ResponseChecker, validate_response
from mcp_governor.errors import ConfigError
from mcp_governor.rules import LintSettings, select
from mcp_governor.surface import build_surface
from tests.charter.envelopes import ERROR, SUCCESS, envelopes, with_error


def result(envelope, **more):
    text = json.dumps(envelope)
    return {"content": [{"type": "text", "text": text}], "structuredContent": envelope, "isError": False, **more}


def rules(value, **how):
    return sorted({finding.rule for finding in validate_response(value, **how)})


@pytest.mark.parametrize(
    "wrap",
    [
        lambda envelope: envelope,
        result,
        lambda envelope: {"result": result(envelope)},
        lambda envelope: {"jsonrpc": "2.0", "id": 1, "result": result(envelope)},
        lambda envelope: result(envelope, resultType="complete", _meta={"a": 1}),
    ],
    ids=["envelope", "result", "bare result", "response", "modern result"],
)
@pytest.mark.parametrize("envelope", [SUCCESS, ERROR])
def test_every_wrapping_of_a_good_envelope_is_good(wrap, envelope):
    assert validate_response(wrap(envelope)) == []


@pytest.mark.parametrize("wrap", [lambda e: e, result, lambda e: {"jsonrpc": "2.0", "id": 1, "result": result(e)}])
def test_paths_point_into_what_was_given(wrap):
    (finding,) = validate_response(wrap(with_error(ERROR, kind="quota")))
    prefix = "" if wrap(SUCCESS) is SUCCESS else "/structuredContent"
    assert finding.path == f"{prefix}/error/kind"


def test_severities_come_from_the_catalogue():
    severities = {f.rule: f.severity.value for f in validate_response({**ERROR, "data": 1, "x": 1})}
    assert severities == {"envelope/data-with-error": "error", "envelope/unknown-key": "warning"}


def test_a_profile_that_is_not_there_is_refused():
    with pytest.raises(ConfigError, match="profile"):
        validate_response(SUCCESS, profile="chartre")


DEEP = {"n": 1}
for _ in range(5_000):
    DEEP = {"n": DEEP}

BINARY = {"type": "image", "data": "AAAA", "mimeType": "image/png"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ["call/result-shape"]),
        ([], ["call/result-shape"]),
        ([SUCCESS], ["call/result-shape"]),
        ("text", ["call/result-shape"]),
        (7, ["call/result-shape"]),
        ({}, ["call/result-shape"]),
        ({"result": None}, ["call/result-shape"]),
        ({"content": None, "structuredContent": SUCCESS}, ["call/result-shape", "envelope/text-mirror"]),
        ({"content": ["text"], "isError": "no"}, ["call/result-shape"]),
        (result({**SUCCESS, "data": float("nan")}), ["call/result-shape", "envelope/text-mirror"]),
        (result({**SUCCESS, "data": float("inf")}), ["call/result-shape", "envelope/text-mirror"]),
        (result(SUCCESS, structuredContent={**SUCCESS, "data": DEEP}), ["call/result-shape", "envelope/text-mirror"]),
        ({"content": [BINARY], "structuredContent": SUCCESS}, ["envelope/text-mirror"]),
        ({"content": [], "structuredContent": SUCCESS}, ["envelope/text-mirror"]),
        ({"content": [{"type": "text", "text": "x"}], "structuredContent": [1]}, ["envelope/missing"]),
        ({"content": [], "structuredContent": {"result": 3}}, ["envelope/missing"]),
        (
            {"content": [{**BINARY, "data": 3}], "structuredContent": SUCCESS},
            ["call/result-shape", "envelope/text-mirror"],
        ),
        ({"content": [{"type": "video"}], "structuredContent": SUCCESS}, ["call/result-shape", "envelope/text-mirror"]),
        ({"id": 1, "error": {"code": "x", "message": None}}, ["call/result-shape", "envelope/error-channel"]),
        ({"resultType": "input_required", "inputRequests": {}}, ["call/input-requested"]),
        ({"resultType": 3, "content": []}, ["call/result-type", "envelope/missing"]),
    ],
)
def test_bad_answers(value, expected):
    assert rules(value) == expected


SIZED = {"name": "a", "inputSchema": {"type": "object", "properties": {"response_format": {"enum": ["concise"]}}}}


def test_the_size_finding_knows_if_the_tool_offers_less():
    big = result({**SUCCESS, "data": "x" * 100_000})
    offering = build_surface({"tools": [SIZED]})
    (with_format,) = validate_response(big, tool="a", surface=offering)
    (without,) = validate_response(big, tool="a", surface=build_surface({"tools": [{"name": "a"}]}))
    assert "concise" in with_format.message
    assert "offers no response_format" in without.message


COUNT = {"type": "object", "properties": {"n": {"type": "integer"}}}
NUMBERS = build_surface(
    {
        "tools": [
            {"name": "n", "outputSchema": {**COUNT, "required": ["n"]}},
            {"name": "remote", "outputSchema": {"$ref": "http://127.0.0.1:9/schema.json"}},
            {"name": "any", "outputSchema": {"type": "array"}},
        ]
    }
)


@pytest.mark.parametrize(
    ("tool", "value", "expected"),
    [
        ("n", {"content": [], "structuredContent": {"n": 1}}, []),
        ("n", {"content": [], "structuredContent": {"n": "1"}}, [("call/output-schema", "/structuredContent/n")]),
        ("n", {"content": [], "structuredContent": {}}, [("call/output-schema", "/structuredContent")]),
        ("n", {"content": []}, [("call/structured-missing", "/structuredContent")]),
        ("n", {"content": [], "structuredContent": None}, [("call/structured-missing", "/structuredContent")]),
        ("n", {"content": [], "isError": True}, []),
        (
            "n",
            {"content": [], "structuredContent": {"n": "x"}, "isError": True},
            [("call/error-structure", "/structuredContent/n")],
        ),
        ("n", {"content": [], "structuredContent": {"n": 1, "error": "x"}, "isError": True}, []),
        ("any", {"content": [], "structuredContent": [1]}, []),
        ("any", {"content": [], "structuredContent": {}}, [("call/output-schema", "/structuredContent")]),
        ("remote", {"content": [], "structuredContent": {}}, []),
    ],
)
def test_output_schemas(tool, value, expected):
    findings = validate_response(value, tool=tool, surface=NUMBERS, profile="recommended")
    assert [(finding.rule, finding.path) for finding in findings] == expected


def test_an_unknown_tool_keeps_its_name_in_the_findings():
    (finding,) = validate_response({"content": []}, tool="stranger", profile="charter")
    assert (finding.rule, finding.tool) == ("envelope/missing", "stranger")


LOOKUP = build_surface(
    {"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"q": {}}, "required": ["q"]}}]}
)
REFUSED = {"content": [{"type": "text", "text": "q is missing"}], "isError": True}


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("a", None, ["envelope/error-channel"]),
        ("a", {"q": 1}, ["envelope/error-channel"]),
        ("a", {}, []),
        ("a", {"q": 1, "x": 1}, []),
        ("b", None, []),
    ],
)
def test_only_a_wrong_call_may_fail_outside_of_the_envelope(tool, arguments, expected):
    assert rules(REFUSED, tool=tool, surface=LOOKUP, arguments=arguments) == expected


def checker(*packs):
    return ResponseChecker(select(LintSettings(select=packs)))


def test_two_contracts_that_contradict_each_other_are_refused():
    with pytest.raises(ConfigError):
        select(LintSettings(select=("envelope/error-channel", "schema-md/error-channel")))


@given(envelopes())
@settings(max_examples=100, deadline=None)
def test_a_good_envelope_in_a_result_is_never_flagged(envelope):
    surface = build_surface({"tools": [{"name": "find"}, {"name": "list"}]})
    assert validate_response(result(envelope), surface=surface) == []


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["content", "structuredContent", "isError", "type", "text", "error", "result", "status", "code"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(ANYTHING)
@settings(max_examples=100, deadline=None)
def test_anything_at_all_is_judged_without_a_crash(value):
    for finding in checker("call/*", "envelope/*").check(value):
        assert finding.message.endswith((".", "?"))
    for pack in ("schema-md/*", "surface/*", "omni/*"):
        checker(pack).check(value)


def test_a_result_within_a_result_is_read_as_one():
    assert read_response({"result": {"content": []}}).result == {"content": []}
    assert read_response({"content": [], "result": {"a": 1}}).result == {"content": [], "result": {"a": 1}}
