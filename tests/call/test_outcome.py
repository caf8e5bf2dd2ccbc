"""What a response says about its call."""

from __future__ import annotations

import pytest

from mcp_governor.call.outcome import Channel, outcome_of, read_response
from tests.charter.envelopes import DEGRADED, ERROR, REFUSAL, SUCCESS


def flagged(text, **more):
    return {"content": [{"type": "text", "text": text}], "isError": True, **more}


@pytest.mark.parametrize(
    ("value", "channel", "status", "kind", "failed"),
    [
        ({"content": []}, Channel.RESULT, "success", "", False),
        ({"content": [], "structuredContent": SUCCESS}, Channel.ENVELOPE, "success", "", False),
        ({"content": [], "structuredContent": DEGRADED}, Channel.ENVELOPE, "degraded", "", False),
        ({"content": [], "structuredContent": ERROR}, Channel.ENVELOPE, "error", "unknown_name", True),
        (REFUSAL, Channel.ENVELOPE, "refused", "pii_blocked", True),
        (flagged("no"), Channel.IS_ERROR, "error", "", True),
        (flagged("no", structuredContent={"code": "E7"}), Channel.IS_ERROR, "error", "E7", True),
        (flagged("no", structuredContent={"error": {"kind": "gone"}}), Channel.IS_ERROR, "error", "gone", True),
        ({"error": {"code": -32603, "message": "no"}}, Channel.RPC_ERROR, "error", "-32603", True),
        ({"error": {"code": 1, "message": "no", "data": {"code": "CAP"}}}, Channel.RPC_ERROR, "error", "CAP", True),
        ({"resultType": "input_required"}, Channel.RESULT, "asked-back", "", True),
        (None, Channel.NONE, "protocol", "", True),
    ],
)
def test_outcomes(value, channel, status, kind, failed):
    outcome = outcome_of(read_response(value))
    assert (outcome.channel, outcome.status, outcome.kind, outcome.failed) == (channel, status, kind, failed)


@pytest.mark.parametrize(
    "text",
    [
        "1 validation error for findArguments\nq\n  Field required [type=missing]",
        "unknown arguments for find: ['x']. declared: ['q']",
        "Invalid arguments for tool find",
        "Input validation error: 'q' is a required property",
        "MCP error -32602: Tool nope not found",
        "Unknown tool: nope",
        "3 is not of type 'string'",
        "the argument 'q' is missing",
        "q must be a string",
        "Input should be a valid integer",
    ],
)
def test_descriptions_of_arguments(text):
    assert outcome_of(read_response(flagged(text))).refused_arguments


@pytest.mark.parametrize(
    "text",
    [
        "Repository path 'example' is outside the allowed repository",
        "Invalid timezone: no time zone is called example",
        "The table example does not exist.",
        "Access denied",
        "The request timed out.",
    ],
)
def test_descriptions_of_anything_else(text):
    assert not outcome_of(read_response(flagged(text))).refused_arguments


def said(text, **more):
    return {"content": [{"type": "text", "text": text}], **more}


@pytest.mark.parametrize(
    "value",
    [
        said("Error: getaddrinfo ENOTFOUND api.example.com"),
        said("Error fetching https://example.com: fetch failed", isError=False),
        said("❌ Error: no token"),
        said("ERROR: the request timed out\nsee the log"),
        said("Error 503 from upstream"),
        said("Error while reading the page"),
        said("An error occurred"),
        said("An unexpected error occurred: x"),
        said("Failed to fetch weather data"),
        said("Traceback (most recent call last):\n  File"),
        said("httpx.ConnectError: All connection attempts failed"),
        said("Error: no", structuredContent={"result": "Error: no"}),
        said('{"error": "no such host"}'),
        said('{"error": {"code": 7}, "success": false}'),
    ],
)
def test_an_error_that_is_not_marked_as_one_is_no_success(value):
    outcome = outcome_of(read_response(value))
    assert (outcome.channel, outcome.status, outcome.failed) == (Channel.RESULT, "error", True)


@pytest.mark.parametrize(
    "value",
    [
        said("Errors: 0"),
        said("Error handling in Go: wrap it"),
        said("Error rate: 0.1 %"),
        said("Error messages are listed below."),
        said("Errors and warnings"),
        said("No error: all is well"),
        said("3 items\nError: none of them"),
        said("[2026-01-01] Error: in a log that was asked for"),
        said("# Error: a heading of a document") | {"structuredContent": {"title": "Error: a heading"}},
        said('{"error": null, "items": []}'),
        said('{"error": "in one of them", "items": [1]}'),
        said('{"error": broken'),
        said(""),
        {"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}]},
    ],
)
def test_what_only_speaks_of_errors_is_a_success(value):
    assert not outcome_of(read_response(value)).failed


def test_an_unmarked_error_about_arguments_refuses_them():
    assert outcome_of(read_response(said("Error: Field required [q]"))).refused_arguments


@pytest.mark.parametrize(
    ("error", "refused"),
    [
        ({"code": -32602, "message": "no"}, True),
        ({"code": -32602, "message": "no", "data": {"code": "GATE/INVALID_PARAMS"}}, True),
        ({"code": -32602, "message": "no", "data": {"code": "GATE/CURSOR_INVALID"}}, False),
        ({"code": -32603, "message": "no"}, False),
    ],
)
def test_codes_about_arguments(error, refused):
    assert outcome_of(read_response({"error": error})).refused_arguments is refused
