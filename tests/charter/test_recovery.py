"""Hints that exist, and recovery carried out on paper."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from mcp_governor.charter.evolution import declared_kinds, declared_reasons, declared_version
from mcp_governor.charter.recovery import misfit, recovery_breaches, surface_breaches
from mcp_governor.containment.validators import compiled
from mcp_governor.surface import build_surface
from tests.charter.envelopes import SUCCESS

SEARCH = {"type": "object", "properties": {"q": {"type": "string"}, "limit": {"type": "integer"}}, "required": ["q"]}
SURFACE = build_surface(
    {
        "tools": [
            {"name": "search", "inputSchema": SEARCH},
            {"name": "list", "inputSchema": {"type": "object"}},
            {"name": "open", "inputSchema": {"type": "object", "additionalProperties": True}},
            {"name": "broken", "inputSchema": {"type": 7}},
        ]
    }
)
CLOSED = build_surface({"tools": [{"name": "search", "inputSchema": {**SEARCH, "additionalProperties": False}}]})


def test_the_nearest_tool_is_suggested():
    (breach,) = recovery_breaches({"suggested_tool": "serach"}, SURFACE)
    assert 'Did you mean "search"?' in breach.message


def test_hints_must_exist():
    breaches = surface_breaches({**SUCCESS, "follow_up_hints": ["list", "lst"]}, SURFACE)
    assert [(b.rule, b.path) for b in breaches] == [("envelope/hint-exists", "/follow_up_hints/1")]


@pytest.mark.parametrize(
    ("tool", "version"),
    [
        ({}, None),
        ({"_meta": {"charter_version": "1.1"}}, "1.1"),
        ({"outputSchema": {"properties": {"charter_version": {"const": "1.0"}}}}, "1.0"),
        ({"outputSchema": {"properties": {"charter_version": {"default": "1.2"}}}}, "1.2"),
        ({"outputSchema": {"properties": {"charter_version": {"type": "string"}}}}, None),
        ({"outputSchema": True}, None),
    ],
)
def test_the_declared_charter_version(tool, version):
    (built,) = build_surface({"tools": [{"name": "a", **tool}]}).tools
    assert declared_version(built) == version
    breaches = surface_breaches(SUCCESS, SURFACE, built)
    assert bool(breaches) is (version not in (None, "1.2"))


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"error": {"properties": {"kind": {"const": "mine"}}}}},
        {"properties": {"error": {"anyOf": [{"properties": {"kind": {"enum": ["mine", 3]}}}, {"type": "null"}]}}},
        {
            "properties": {"error": {"$ref": "#/$defs/E"}, "data": {"properties": {"kind": {"const": "other"}}}},
            "$defs": {"E": {"properties": {"kind": {"$ref": "#/$defs/K"}}}, "K": {"enum": ["mine"]}},
        },
    ],
)
def test_own_kinds_are_read_from_the_output_schema(schema):
    (tool,) = build_surface({"tools": [{"name": "a", "outputSchema": schema}]}).tools
    assert declared_kinds(tool) == {"mine"}


@pytest.mark.parametrize(
    ("schema", "reasons"),
    [
        ({"properties": {"degradation_reason": {"enum": ["mine", None]}}}, {"mine"}),
        ({"properties": {"degradation_reason": {"anyOf": [{"const": "mine"}, {"type": "null"}]}}}, {"mine"}),
        (
            {"$ref": "#/$defs/E", "$defs": {"E": {"properties": {"degradation_reason": {"enum": ["mine"]}}}}},
            {"mine"},
        ),
        ({"properties": {"degradation_reason": {"type": "string"}}}, set()),
        ({"properties": {"degradation_reason": {"enum": "mine"}}}, set()),
        ({"properties": {"data": {"properties": {"degradation_reason": {"const": "other"}}}}}, set()),
        (True, set()),
    ],
)
def test_own_reasons_are_read_from_the_output_schema(schema, reasons):
    (tool,) = build_surface({"tools": [{"name": "a", "outputSchema": schema}]}).tools
    assert declared_reasons(tool) == reasons


@pytest.mark.parametrize(
    ("changed", "given", "expected"),
    [
        ({"limit": 3}, {"q": "a"}, []),
        ({"limit": 3}, None, []),
        ({"limit": "three"}, {"q": "a"}, ["suggested_args/limit"]),
        ({"grain": "day"}, {"q": "a"}, ["suggested_args/grain"]),
        # what the call itself had wrong or lacked is not the recovery's fault
        ({"limit": 3}, {"q": 7}, []),
        ({"limit": 3}, {}, []),
        ({"q": "b"}, {"q": 7}, []),
    ],
)
def test_arguments_without_a_tool_change_the_call_that_failed(changed, given, expected):
    block = {"suggested_args": changed}
    found = recovery_breaches(block, SURFACE, SURFACE.by_name["search"], given)
    assert [breach.path.removeprefix("/error/recovery/") for breach in found] == expected
    assert recovery_breaches(block, SURFACE) == []


def test_a_remote_reference_is_never_fetched():
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"type": "string"}')

        def log_message(self, *args):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            assert compiled({"$ref": f"http://127.0.0.1:{server.server_port}/schema.json"}) is None
        finally:
            server.shutdown()
            thread.join()
    assert asked == []


def test_a_misfit_shows_no_control_characters():
    tool = SURFACE.by_name["search"]
    ((_, text),) = misfit(tool, {"\x1b[31m": 1, "q": "a"}).problems
    assert "\x1b" not in text


@pytest.mark.parametrize("value", [float("nan"), "\ud800", [[[[]]]] * 3])
def test_a_misfit_of_what_is_not_json_is_reported_and_not_raised(value):
    assert misfit(SURFACE.by_name["search"], {"q": "a", "limit": value})
