"""Requests to an API in prose, to which a model is sent though it can call tools only."""

from __future__ import annotations

import pytest

from mcp_governor.prose.alike_names import Names
from mcp_governor.prose.endpoints import endpoints, sends_requests

TOOLS = Names(["getOrder", "listOrders", "getRefundTaskStatus", "getAuthenticatedUser"])

TEXTS = [
    ("If unknown, call GET /me first.", {"GET /me": ""}),
    ("Prefer GET `/orders/{orderId}` and read it.", {"GET /orders/{orderId}": "getOrder"}),
    ("Use the GET \\`/refund-tasks/{taskId}\\` endpoint.", {"GET /refund-tasks/{taskId}": "getRefundTaskStatus"}),
    ("Use the GET /refund-update-tasks/{taskId} endpoint.", {"GET /refund-update-tasks/{taskId}": ""}),
    ("From DELETE /.", {}),
    # What it does, or is documented; no address.
    ("Same as GET /orders/{orderId}.", {}),
    ("PATCH /orders/{orderId} documents the fields.", {}),
    ("Call get /me or use GET requests.", {}),
    ("Use POST for the body / the path.", {}),
]


@pytest.mark.parametrize(("text", "found"), TEXTS)
def test_addresses_that_a_model_is_told_to_use(text, found):
    assert dict(endpoints(text, TOOLS)) == found


@pytest.mark.parametrize(
    ("name", "properties", "sends"),
    [
        ("api_get", {"path": {"description": "The endpoint to call"}}, True),
        ("request", {"method": {}, "url": {}}, True),
        ("call", {"endpoint": {}}, True),
        ("create_request", {"method": {}, "url": {}}, False),
        ("read_file", {"path": {"description": "Where it is"}}, False),
        ("list", {}, False),
    ],
)
def test_a_tool_that_sends_any_request(name, properties, sends):
    assert sends_requests(name, {"type": "object", "properties": properties}) is sends
