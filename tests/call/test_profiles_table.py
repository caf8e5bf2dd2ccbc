"""Results under the contracts beside the charter, with the rules that each breaks, read in their sources."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_governor.call.validate import validate_response
from mcp_governor.surface import build_surface

PAYLOAD = {"items": [{"name": "a"}], "schema_version": "1.2.0"}
SCHEMA = {"type": "object", "properties": {"items": {"type": "array"}}, "required": ["items"]}
SURFACE = build_surface(
    {
        "serverInfo": {"name": "s", "version": "1.2.0"},
        "tools": [
            {"name": "find", "inputSchema": {"type": "object"}},
            {"name": "promised", "inputSchema": {"type": "object"}, "outputSchema": SCHEMA},
            {
                "name": "old",
                "inputSchema": {"type": "object"},
                "_meta": {"deprecated": {"since": "1.1.0", "replacement": "find"}},
            },
        ],
    }
)


def text(*strings: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": item} for item in strings], **more}


def both(said: str, structured: Any = PAYLOAD, **more: Any) -> dict[str, Any]:
    return text(said, structuredContent=structured, **more)


def rpc(code: int, message: str = "It was refused.") -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": message}}


WARNED = {**PAYLOAD, "warning": "Deprecated, use find instead."}
IMAGE = {"type": "image", "data": "AA==", "mimeType": "image/png"}

# Profile, tool, result, rules.
CASES: list[tuple[str, str, Any, str]] = [
    # SCHEMA.md, section 6.1: structuredContent is the payload, content a minimal summary; failures are JSON-RPC errors.
    ("schema-md", "find", both("One item was found."), ""),
    ("schema-md", "find", both(json.dumps(PAYLOAD)), "schema-md/content-summary"),
    ("schema-md", "find", both(f"Result: {json.dumps(PAYLOAD)}"), "schema-md/content-summary"),
    ("schema-md", "find", both(f"```json\n{json.dumps(PAYLOAD)}\n```"), "schema-md/content-summary"),
    ("schema-md", "find", both("a" * 500), ""),
    ("schema-md", "find", both("a" * 80_000), "schema-md/content-summary"),
    ("schema-md", "find", both(" "), "schema-md/content-summary"),
    ("schema-md", "find", {"content": [], "structuredContent": PAYLOAD}, "schema-md/content-summary"),
    ("schema-md", "find", {"content": [IMAGE], "structuredContent": PAYLOAD}, "schema-md/content-summary"),
    ("schema-md", "find", {"content": [IMAGE, {"type": "text", "text": "a"}], "structuredContent": PAYLOAD}, ""),
    ("schema-md", "find", text("One item."), "schema-md/structured-content"),
    ("schema-md", "find", both("One item.", [1]), "schema-md/structured-content"),
    ("schema-md", "find", both("a", {"summary": "Three items, none of them with a password."}), ""),
    ("schema-md", "find", both("a", {"summary": "a" * 501}), "schema-md/summary-text"),
    ("schema-md", "find", both("a", {"summary": "The token is 7Kd9-x2p0."}), "schema-md/summary-text"),
    ("schema-md", "find", both("a", {"note": "The token is 7Kd9-x2p0."}), ""),
    ("schema-md", "promised", both("One item."), ""),
    ("schema-md", "promised", text("One item."), "call/structured-missing"),
    ("schema-md", "promised", both("None.", {"items": 3}), "call/output-schema"),
    ("schema-md", "promised", both("None.", {"items": [], "more": 1}), ""),
    ("schema-md", "find", text("It failed.", isError=True), "schema-md/error-channel"),
    ("schema-md", "find", rpc(-32602), ""),
    ("schema-md", "find", rpc(-32603, "TypeError: x is not a function"), "call/error-leak"),
    ("schema-md", "find", {"jsonrpc": "2.0", "id": 1, "error": {"code": "x", "message": "a"}}, "call/result-shape"),
    # Tool schema guide, section 0: content and isError, text only, nothing else, never null.
    ("omni", "find", text("done", isError=False), ""),
    # Section 0 wants a JSON-RPC error; its closed schema has a place for isError, and its build_result can set it.
    ("omni", "find", text("failed", isError=True), "omni/error-channel"),
    ("omni", "find", text("done", isError=False, _meta={}, resultType="complete"), ""),
    ("omni", "find", text("done"), "omni/tool-result"),
    ("omni", "find", text(isError=False), "omni/tool-result"),
    ("omni", "find", both("done", isError=False), "omni/tool-result"),
    ("omni", "find", {"content": [IMAGE], "isError": False}, "omni/tool-result"),
    (
        "omni",
        "find",
        {"content": [{"type": "text", "text": "a", "annotations": {}}], "isError": False},
        "omni/tool-result",
    ),
    ("omni", "find", {"content": None, "isError": False}, "call/result-shape"),
    ("omni", "find", {"content": [{"type": "text", "text": None}], "isError": False}, "call/result-shape"),
    ("omni", "find", {"jsonrpc": "2.0", "id": 1, "result": text("done", isError=False)}, ""),
    ("omni", "find", None, "call/result-shape"),
    ("omni", "find", rpc(-32603), ""),
    # Surface governance: the server's schema_version everywhere, structured errors, warnings that name what to use.
    ("surface", "find", both("a"), ""),
    ("surface", "find", both("a", {"items": []}), "surface/schema-version"),
    ("surface", "find", both("a", {"schema_version": "1.1.0"}), "surface/schema-version"),
    ("surface", "find", both("a", PAYLOAD, isError=True), ""),
    ("surface", "find", text("It failed.", isError=True), "surface/error-channel"),
    ("surface", "find", rpc(-32000), "surface/error-channel"),
    ("surface", "old", both("a", WARNED), ""),
    ("surface", "old", both("a", {**PAYLOAD, "warnings": ["Use find."]}), ""),
    ("surface", "old", both("a"), "surface/deprecation-warning"),
    ("surface", "old", text("Deprecated, use find instead."), "surface/deprecation-warning surface/schema-version"),
    ("surface", "find", text("One item."), "surface/schema-version"),
    ("surface", "find", text('{"items": [], "schema_version": "1.2.0"}'), ""),
    ("surface", "find", text('{"items": [], "schema_version": "1.1.0"}'), "surface/schema-version"),
    ("surface", "find", text("One item.\nschema_version: 1.2.0"), ""),
    ("surface", "find", both("a", [1]), "surface/schema-version"),
    ("surface", "old", both("a", WARNED, isError=True), "surface/warning-flag"),
    ("surface", "old", both("a", {**WARNED, "error": "No such item."}, isError=True), ""),
    ("surface", "old", both("a", {**WARNED, "error": "old was removed."}, isError=True), "surface/deprecated-works"),
    ("surface", "old", both("It is deprecated.", {**WARNED, "error": "x"}, isError=True), "surface/deprecated-works"),
    ("surface", "old", text("old is deprecated.", isError=True), "surface/deprecated-works surface/error-channel"),
    ("surface", "old", rpc(-32000, "It has been removed."), "surface/deprecated-works surface/error-channel"),
    ("surface", "find", both("It is deprecated.", {**PAYLOAD, "error": "x"}, isError=True), ""),
    ("surface", "old", both("a", {**PAYLOAD, "warning": "Deprecated."}), "surface/deprecation-warning"),
    ("surface", "old", both("a", {**PAYLOAD, "warning": "Use `find`."}), ""),
    ("surface", "find", both("a", WARNED), ""),
    # What every profile asks for.
    ("recommended", "find", text("done"), ""),
    ("recommended", "find", {"content": [{"type": "video"}]}, "call/result-shape"),
    ("recommended", "find", {"content": [{"type": "resource_link", "uri": "a:b", "name": "b"}]}, ""),
    ("recommended", "find", {"content": [{"type": "resource_link", "uri": "a:b"}]}, "call/result-shape"),
    ("recommended", "find", {"content": [{"type": "resource", "resource": {"uri": "a:b", "text": ""}}]}, ""),
    ("recommended", "find", text("done", resultType="complete"), ""),
    ("recommended", "find", text("done", resultType="done"), "call/result-type"),
    ("recommended", "find", {"resultType": "input_required", "inputRequests": {}}, "call/input-requested"),
    ("recommended", "find", text("done", isError="no"), "call/result-shape"),
    ("recommended", "find", both("a", {"n": float("nan")}), "call/result-shape"),
    ("recommended", "find", text("KeyError: 'q'", isError=True), "call/error-leak"),
    ("recommended", "find", text("KeyError is raised where a key is missing."), ""),
    ("recommended", "promised", text("failed", isError=True), ""),
    ("recommended", "promised", both("a", None), "call/structured-missing"),
]


@pytest.mark.parametrize(("profile", "tool", "result", "rules"), CASES)
def test_a_result(profile, tool, result, rules):
    findings = validate_response(result, tool=tool, surface=SURFACE, profile=profile)
    assert " ".join(sorted(finding.rule for finding in findings)) == rules
