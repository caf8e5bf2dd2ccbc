"""Recovery blocks carried out on paper, with the rules that each breaks."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.surface import build_surface
from tests.call.contract import failed, found


def _schema(required: list[str] | None = None, properties: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties or {}, **({"required": required} if required else {}), **more}


TEXT = {"type": "string"}
SURFACE = build_surface(
    {
        "tools": [
            {"name": "list_all", "inputSchema": _schema()},
            {
                "name": "find",
                "inputSchema": _schema(
                    ["query"],
                    {
                        "query": {"type": "string", "minLength": 1},
                        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
                        "kind": {"enum": ["table", "column"]},
                    },
                    additionalProperties=False,
                ),
            },
            {"name": "describe", "inputSchema": _schema(["name"], {"name": TEXT})},
            {
                "name": "defaulted",
                "inputSchema": _schema(["grain"], {"grain": {"enum": ["day", "week"], "default": "day"}}),
            },
            {"name": "nullable", "inputSchema": _schema([], {"via": {"anyOf": [TEXT, {"type": "null"}]}})},
            {
                "name": "referring",
                "inputSchema": {
                    "type": "object",
                    "properties": {"filter": {"$ref": "#/$defs/Filter"}},
                    "required": ["filter"],
                    "$defs": {"Filter": _schema(["column", "op"], {"column": TEXT, "op": {"enum": ["eq", "ne"]}})},
                },
            },
            {
                "name": "rooted",
                "inputSchema": {
                    "type": "object",
                    "$ref": "#/$defs/Root",
                    "$defs": {"Root": _schema(["id"], {"id": TEXT})},
                },
            },
            {
                "name": "either",
                "inputSchema": {
                    "type": "object",
                    "anyOf": [_schema(["id"], {"id": TEXT}), _schema(["url"], {"url": TEXT})],
                },
            },
            {
                "name": "composed",
                "inputSchema": {"type": "object", "allOf": [_schema(["a"], {"a": TEXT}), _schema([], {"b": TEXT})]},
            },
            {"name": "open", "inputSchema": _schema(["a"], {"a": TEXT}, additionalProperties=True)},
            {"name": "mapped", "inputSchema": _schema([], {}, additionalProperties={"type": "integer"})},
            {
                "name": "patterned",
                "inputSchema": _schema([], {}, patternProperties={"^x-": TEXT}, additionalProperties=False),
            },
            {
                "name": "listing",
                "inputSchema": _schema(["tables"], {"tables": {"type": "array", "items": TEXT, "minItems": 2}}),
            },
            {"name": "anything", "inputSchema": {"type": "object"}},
            {"name": "dependent", "inputSchema": _schema([], {"a": TEXT, "b": TEXT}, dependentRequired={"a": ["b"]})},
            {
                "name": "unevaluated",
                "inputSchema": {
                    "type": "object",
                    "allOf": [_schema(["a"], {"a": TEXT})],
                    "unevaluatedProperties": False,
                },
            },
            {"name": "dated", "inputSchema": _schema(["day"], {"day": {"type": "string", "format": "date"}})},
        ]
    }
)

# Suggested tool, suggested arguments, the rules that the recovery breaks.
RECOVERIES: list[tuple[str, Any, str]] = [
    ("list_all", None, ""),
    ("list_all", {"query": "user"}, "recovery-args"),
    ("list_al", None, "recovery-tool"),
    ("find", {"query": "user", "limit": 50}, ""),
    ("find", {"query": "user", "limit": 51}, "recovery-args"),
    ("find", {"query": "user", "limit": "5"}, "recovery-args"),
    ("find", {"query": "user", "limit": 5.0}, ""),
    ("find", {"query": ""}, "recovery-args"),
    ("find", {"query": "user", "kind": "view"}, "recovery-args"),
    ("find", {"limit": 5}, "recovery-required"),
    ("find", {}, "recovery-required"),
    ("find", None, "recovery-args-absent"),
    ("find", {"q": "user"}, "recovery-args recovery-required"),
    ("describe", {"name": "users", "columns": ["id"]}, "recovery-args"),
    ("defaulted", {}, "recovery-required"),
    ("defaulted", None, "recovery-args-absent"),
    ("nullable", {"via": None}, ""),
    ("nullable", {"via": 3}, "recovery-args"),
    ("referring", {"filter": {"column": "a", "op": "eq"}}, ""),
    ("referring", {"filter": {"column": "a", "op": "gt"}}, "recovery-args"),
    ("referring", None, "recovery-args-absent"),
    ("rooted", {}, "recovery-required"),
    ("rooted", None, "recovery-args-absent"),
    ("either", {"id": "a"}, ""),
    ("either", {}, "recovery-args"),
    ("either", None, "recovery-args-absent"),
    ("either", {"name": "a"}, "recovery-args recovery-args"),
    ("composed", {"a": "x", "b": "y"}, ""),
    ("composed", {"b": "y"}, "recovery-required"),
    ("open", {"more": 1}, "recovery-required"),
    ("mapped", {"x": 1}, ""),
    ("mapped", {"x": "a"}, "recovery-args"),
    ("patterned", {"x-a": "b"}, ""),
    ("patterned", {"a": "b"}, "recovery-args"),
    ("listing", {"tables": ["a", "b"]}, ""),
    ("listing", {"tables": ["a"]}, "recovery-args"),
    ("listing", {"tables": "a"}, "recovery-args"),
    ("anything", None, ""),
    ("dependent", {"a": "x", "b": "y"}, ""),
    ("dependent", {"a": "x"}, "recovery-required"),
    ("unevaluated", {"a": "x"}, ""),
    ("unevaluated", {"a": "x", "b": "y"}, "recovery-args"),
    ("dated", {"day": "2026-01-15"}, ""),
]


@pytest.mark.parametrize(("tool", "arguments", "rules"), RECOVERIES)
def test_a_recovery(tool, arguments, rules):
    value = failed(recovery={"suggested_tool": tool, "suggested_args": arguments})
    assert found(value, surface=SURFACE) == rules
