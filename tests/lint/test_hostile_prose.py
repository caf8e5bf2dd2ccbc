"""Words and schemas that no well-meaning server writes: the linter neither crashes nor runs without end."""

from __future__ import annotations

import pytest

from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface


def findings(*tools):
    return lint(build_surface({"tools": list(tools)}), LintSettings())


def tool(properties, description="Fetch an otter.", **more):
    schema = {"type": "object", "properties": properties}
    return {"name": "fetch_otter", "description": description, "inputSchema": schema, **more}


@pytest.mark.parametrize("odd", [True, 5, "a", {"a": 1}, [5, None, "a"]])
@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "allOf"])
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "description": "The otter to fetch", "items": {"type": "object"}},
        {"type": "object", "description": 'The otter, {"pelt": "brown"}'},
    ],
)
def test_unions_that_are_no_lists_of_schemas(schema, keyword, odd):
    findings(tool({"otter": {**schema, keyword: odd}}))
    if "items" in schema:
        findings(tool({"otter": {**schema, "items": {"type": "object", keyword: odd}}}))


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "allOf", "$ref"])
def test_a_quantity_of_a_definition_that_is_referred_to_oddly(keyword):
    width = {"type": "object", "properties": {"width": {"type": "number", "description": "Width of the pelt"}}}
    made = tool({"otter": {"$ref": "#/$defs/pelt"}, "pelt": {keyword: ["#/$defs/pelt"]}, "old": {keyword: True}})
    made["inputSchema"]["$defs"] = {"pelt": width}
    findings(made)


@pytest.mark.parametrize("odd", [[], ["date"], {"date": 1}, None, 5])
def test_a_format_that_is_no_string(odd):
    findings(tool({"day": {"type": "string", "format": odd, "description": "Day of the feeding, as YYYY-MM-DD"}}))


def test_names_of_many_capitals_are_read_once():
    findings(tool({"a" + "A" * 60 + ".": {"type": "string"}, "p" * 30_000: {"type": "string"}}))
