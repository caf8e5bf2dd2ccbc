"""Expectations that follow from schema, configuration and profile."""

from __future__ import annotations

import pytest

from mcp_governor.call.cases import Case, Purpose, is_dispatch
from mcp_governor.call.expect import expectation_breaches
from mcp_governor.call.outcome import outcome_of, read_response

OK = {"content": []}
REFUSED = {"content": [{"type": "text", "text": "Invalid arguments"}], "isError": True}
DENIED = {"content": [{"type": "text", "text": "Access denied"}], "isError": True}


def rpc(code, reported=None):
    return {"error": {"code": code, "message": "no", **({"data": {"code": reported}} if reported else {})}}


RECOVERY = {"suggested_tool": "find", "suggested_args": {"q": "user"}, "fuzzy_matches": ["users", "user_log"]}
UNKNOWN = {"status": "error", "error": {"kind": "unknown_name", "message": "No.", "recovery": RECOVERY}}


def expecting(**more):
    return Case("a", {}, Purpose.CONFIGURED, status="error", kind="unknown_name", **more)


GOOD = Case("a", {}, Purpose.REQUIRED)
WRONG = Case("a", {}, Purpose.BOUND, valid=False)
LOOSE = Case("a", {}, Purpose.UNKNOWN, valid=False, open=True)
STRANGER = Case("b", {}, Purpose.UNKNOWN_TOOL, valid=False)


@pytest.mark.parametrize(
    ("case", "value", "rules"),
    [
        (GOOD, OK, []),
        (GOOD, DENIED, []),
        (GOOD, REFUSED, ["call/drift-refused"]),
        (GOOD, rpc(-32602), ["call/drift-refused"]),
        (WRONG, OK, ["call/drift-accepted"]),
        (WRONG, REFUSED, []),
        (WRONG, DENIED, []),
        (WRONG, rpc(-32602), []),
        (WRONG, rpc(-32603), ["schema-md/error-code"]),
        (WRONG, rpc(-32602, "GATE/CAP_EXCEEDED"), ["schema-md/error-code"]),
        (LOOSE, OK, []),
        (LOOSE, REFUSED, []),
        (LOOSE, rpc(-32603), []),
        (STRANGER, OK, ["call/unknown-tool"]),
        (STRANGER, rpc(-32602), []),
        (STRANGER, REFUSED, []),
        (Case("a", {}, Purpose.CONFIGURED, status="success"), OK, []),
        (Case("a", {}, Purpose.CONFIGURED, status="error"), OK, ["call/expectation"]),
        (Case("a", {}, Purpose.CONFIGURED, status="error"), DENIED, []),
        (Case("a", {}, Purpose.CONFIGURED, status="error", kind="x"), DENIED, ["call/expectation"]),
        (Case("a", {}, Purpose.CONFIGURED, valid=False, status="success"), OK, []),
        (Case("a", {}, Purpose.CONFIGURED, status="error"), REFUSED, []),
        (Case("a", {}, Purpose.CONFIGURED, kind="-32602"), rpc(-32602), []),
        (expecting(suggested_tool="find", fuzzy_matches=2), UNKNOWN, []),
        (expecting(suggested_tool="find", fuzzy_matches=1), UNKNOWN, []),
        (expecting(suggested_tool="search"), UNKNOWN, ["call/expectation"]),
        (expecting(fuzzy_matches=3), UNKNOWN, ["call/expectation"]),
        (Case("a", {}, Purpose.CONFIGURED, fuzzy_matches=1), DENIED, ["call/expectation"]),
        (Case("a", {}, Purpose.CONFIGURED, suggested_tool="find"), OK, ["call/expectation"]),
    ],
)
def test_what_a_call_should_come_to(case, value, rules):
    response = read_response(value)
    assert [breach.rule for breach in expectation_breaches(case, outcome_of(response), response)] == rules


@pytest.mark.parametrize(
    ("case", "value", "dispatch"),
    [(GOOD, OK, False), (GOOD, DENIED, False), (GOOD, REFUSED, True), (WRONG, DENIED, True), (STRANGER, OK, True)],
)
def test_who_may_fail_at_the_protocol_layer(case, value, dispatch):
    assert is_dispatch(case, outcome_of(read_response(value))) is dispatch


@pytest.mark.parametrize(
    ("purpose", "detail", "kind"),
    [
        (Purpose.BOUND, "/n is over its maximum 9", "wrong bound"),
        (Purpose.TYPE, "/n is an object", "wrong type"),
        (Purpose.MISSING, "/n", "missing argument"),
        (Purpose.UNKNOWN, '"more"', "unknown argument"),
        (Purpose.CONFIGURED, "n=9", "configured call"),
    ],
)
def test_calls_that_should_have_been_refused_are_grouped_by_what_is_wrong(purpose, detail, kind):
    case = Case("a", {}, purpose, detail=detail, valid=False)
    [breach] = expectation_breaches(case, outcome_of(read_response(OK)), read_response(OK))
    assert breach.facts == {"call": case.label, "kind": kind}
