"""Expectations that follow from schema, configuration and profile."""

from __future__ import annotations

import pytest

from mcp_governor.call.cases import Case, Purpose
from mcp_governor.call.expect import expectation_breaches, is_dispatch
from mcp_governor.call.outcome import outcome_of
from mcp_governor.call.response import read_response

OK = {"content": []}
REFUSED = {"content": [{"type": "text", "text": "Invalid arguments"}], "isError": True}
DENIED = {"content": [{"type": "text", "text": "Access denied"}], "isError": True}


def rpc(code, told=None):
    return {"error": {"code": code, "message": "no", **({"data": {"code": told}} if told else {})}}


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
