"""What is unclear about a parameter that has leaked is said once: that it has leaked."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.prose.leaked import without_leaked
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

RESULT = {
    "type": "object",
    "description": "What a tool returns. Check is_error first.",
    "properties": {"isError": {"type": "boolean"}, "structured_content": {}, "content": {"$ref": "#/$defs/Block"}},
}
BLOCK = {"type": "object", "properties": {"kind": {"type": "string", "description": "One of: 'text', 'image'"}}}


def server(name: str, ctx: Any = None, **more: Any) -> Any:
    ctx = {"$ref": "#/$defs/CallToolResult"} if ctx is None else ctx
    schema = {
        "type": "object",
        "required": ["ctx", "path"],
        "properties": {"ctx": ctx, "path": {"type": "string", "description": "File to read, e.g. notes.txt"}},
        "$defs": {"CallToolResult": RESULT, "Block": BLOCK, **more},
    }
    description = "Reads a file.\n\nArgs:\n    ctx: MCP context\n    path: File to read"
    tool = {"name": name, "description": description, "annotations": {"readOnlyHint": True}, "inputSchema": schema}
    return build_surface({"tools": [tool]})


def clarity(surface: Any) -> list[str]:
    found = [one for one in lint(surface) if one.rule.startswith("clarity/")]
    return sorted({one.rule.removeprefix("clarity/") for one in found})


def test_what_is_below_a_leaked_parameter_is_not_reported_besides() -> None:
    surface = server("read_file")
    assert clarity(surface) == ["leaked-parameter"]
    # The same schema under a name of its own has all that to repair.
    raw = surface.tools[0].raw["inputSchema"]
    properties = {"outcome": raw["properties"]["ctx"], "path": raw["properties"]["path"]}
    named = build_surface({"tools": [{**surface.tools[0].raw, "inputSchema": {**raw, "properties": properties}}]})
    assert {"closed-list", "unknown-argument"} <= set(clarity(named))


def test_a_definition_that_another_parameter_refers_to_is_still_read() -> None:
    surface = server("read_file", Other=BLOCK)
    raw = surface.tools[0].raw
    schema = raw["inputSchema"]
    with_block = {**schema["properties"], "block": {"$ref": "#/$defs/Block"}}
    shared = build_surface({"tools": [{**raw, "inputSchema": {**schema, "properties": with_block}}]})
    (tool,) = without_leaked(shared).tools
    # "Other" was never reached, which is another finding.
    assert set(tool.input_schema["$defs"]) == {"Block", "Other"}
    # The others stay where the server has them.
    assert tool.input_schema["required"] == ["path", "path"]
    assert "closed-list" in clarity(shared)


@pytest.mark.parametrize("key", ["$anchor", "$id"])
def test_where_references_cannot_be_followed_all_definitions_stay(key: str) -> None:
    surface = server("read_file", Other={key: "other", "type": "string"})
    (tool,) = without_leaked(surface).tools
    assert "ctx" not in tool.input_schema["properties"]
    assert set(tool.input_schema["$defs"]) == {"CallToolResult", "Block", "Other"}


def test_a_server_without_one_is_read_as_it_is() -> None:
    surface = build_surface({"tools": [{"name": "a", "inputSchema": {"properties": {"context": {"type": "string"}}}}]})
    assert without_leaked(surface) is surface


def test_rules_about_other_things_read_the_server_as_it_is() -> None:
    surface = server("read_file", ctx={"type": "strng"})
    assert "spec/schema-valid" in {one.rule for one in lint(surface)}
    assert "leaked-parameter" in clarity(surface)


def test_new_only_knows_the_findings_of_a_server_whose_parameter_had_leaked() -> None:
    before = server("read_file")
    raw = before.tools[0].raw
    schema = raw["inputSchema"]
    after = build_surface(
        {
            "tools": [
                {**raw, "inputSchema": {**schema, "properties": {"path": {**schema["properties"]["path"]}, "mode": {}}}}
            ]
        }
    )
    assert lint(before, baseline=before) == []
    # The definitions that are left behind, and what was said of the context, are new findings: the leak hid them.
    new = {one.rule for one in lint(after, baseline=before)}
    assert "clarity/leaked-parameter" not in new
    assert "clarity/unknown-argument" in new
