"""Prose against schema: realistic sentences that contradict, and their near misses, which must stay silent."""

from __future__ import annotations

import pytest
from linted import contradictions

from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

STRING, INTEGER, NUMBER, BOOLEAN = ({"type": kind} for kind in ("string", "integer", "number", "boolean"))
OBJECT = {"type": "object"}
STRINGS = {"type": "array", "items": {"type": "string"}}
LEVEL = {"type": "string", "enum": ["low", "medium", "high"]}
NULLABLE = {"type": ["integer", "null"]}

TYPE = [
    (INTEGER, "(string) The number of rows"),
    (INTEGER, "limit (string): The number of rows"),
    (INTEGER, "`limit` (string) - The number of rows"),
    (INTEGER, "**limit** (string): The number of rows"),
    (INTEGER, "(string, optional) The number of rows"),
    (INTEGER, "(optional, string) The number of rows"),
    (INTEGER, "The number of rows (string)"),
    (INTEGER, "The number of rows (string). More follows."),
    (INTEGER, "Type: string. The number of rows."),
    (INTEGER, "type: string"),
    (INTEGER, "String, the number of rows"),
    (INTEGER, "A string that says how many rows"),
    (INTEGER, "How many rows. Must be a string."),
    (INTEGER, "(float) share of all rows"),
    (INTEGER, "(str) how many"),
    (STRING, "(int) The id"),
    (STRING, "(integer) The id"),
    (STRING, "(number, default 5) The id"),
    (STRING, "(boolean) whether to go on"),
    (STRING, "Boolean flag: go on or not"),
    (STRING, "A boolean indicating whether to go on"),
    (STRING, "(array) the labels"),
    (STRING, "(list of strings) the labels"),
    (STRING, "(string[]) the labels"),
    (STRING, "(list[str]) the labels"),
    (STRING, "An array of labels"),
    (STRING, "(object) the filter"),
    (STRING, "The port. It must be an integer."),
    (STRING, "The port, must be a number"),
    (BOOLEAN, "(string) Whether to go on"),
    (BOOLEAN, "(Optional[int]) Whether to go on"),
    (STRINGS, "(string) The labels"),
    (STRINGS, "Comma-separated list of labels"),
    (STRINGS, "A comma-delimited string of labels"),
    (OBJECT, "The filter as a JSON string"),
    (OBJECT, "JSON-encoded string with the filter"),
    (OBJECT, "(list) The filter"),
    (OBJECT, "(str | None) The filter"),
    (NULLABLE, "(string) how many"),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "(string) how many"),
]
NOT_TYPE = [
    (INTEGER, "(number) how many"),
    (INTEGER, "(number, optional) how many"),
    (NUMBER, "(integer) how many"),
    (NUMBER, "(float) how many"),
    (STRING, "(string) The id"),
    (STRING, "Number of rows, as text"),
    (STRING, "Number of the house"),
    (STRING, "Object ID of the commit"),
    (STRING, "List of labels"),
    (STRING, "An array of labels as JSON"),
    (STRING, "Array of ids, comma-separated"),
    (STRING, "Integer ID or slug"),
    (STRING, "String or integer"),
    (STRING, "The string to look for"),
    (STRING, "Must be a string literal"),
    (STRING, "The user's boolean answer"),
    (STRING, "Must be an integer or a name"),
    ({"type": "string", "pattern": "^[0-9]+$"}, "Must be an integer."),
    ({"type": "string", "enum": ["true", "false"]}, "Must be a boolean."),
    (INTEGER, "String length"),
    (INTEGER, "Index in the string"),
    (INTEGER, "The offset (string or bytes)"),
    (INTEGER, "The offset (string index)"),
    (INTEGER, "Length of name (string) and value"),
    ({"type": ["integer", "string"]}, "(string) how many"),
    ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "(string) how many"),
    ({}, "(string) anything"),
    (STRINGS, "(array) The labels"),
    (STRINGS, "(list of strings) The labels"),
    (STRINGS, "(string[], optional) The labels"),
    (STRINGS, "Labels. Each must be a string."),
    (STRINGS, "Labels. Must be a string each."),
    (STRINGS, "The labels, not a comma-separated list"),
    (STRINGS, "Rows; each is a comma-separated list of cells"),
    (OBJECT, "The filter: {name (string), age (integer)}"),
    (OBJECT, "Fields: name (string)"),
    (OBJECT, "An object, not a JSON string"),
    (OBJECT, "JSON string keys with their counts"),
    (OBJECT, "What to keep. Stringified JSON is parsed too."),
    (OBJECT, "An object or a JSON string"),
    (OBJECT, "(dict) The filter"),
    ({"type": "string", "description": ""}, "type: string"),
]


@pytest.mark.parametrize(("schema", "text"), TYPE)
def test_a_type_that_the_schema_refuses(schema, text):
    assert contradictions(schema, text) == ["prose-type"]


@pytest.mark.parametrize(("schema", "text"), NOT_TYPE)
def test_a_type_that_is_right_or_not_said_for_certain(schema, text):
    assert contradictions(schema, text) == []


ENUM = [
    (LEVEL, "One of: low, medium, critical"),
    (LEVEL, "One of: low, medium, high, critical."),
    (LEVEL, "one of low, medium, high or critical"),
    (LEVEL, "One of the following: low, medium, critical"),
    (LEVEL, "Must be one of 'low', 'medium' or 'critical'."),
    (LEVEL, "One of `low`, `medium`, `critical`"),
    (LEVEL, 'Either "low" or "critical"'),
    (LEVEL, "Must be 'low' or 'critical'."),
    (LEVEL, "Allowed values: low, medium, critical"),
    (LEVEL, "Allowed values are `low`, `critical`."),
    (LEVEL, "Valid options: low|medium|critical"),
    (LEVEL, "Possible values: low (default), medium, critical (slow)"),
    (LEVEL, "Priority: low/medium/critical"),
    (LEVEL, "low|medium|critical"),
    (LEVEL, "'low' | 'critical'"),
    (LEVEL, "Priority (low|critical)"),
    (LEVEL, "Priority (low, medium, critical)"),
    (LEVEL, "One of: a, b, c"),
    (LEVEL, "Must be one of 'a', 'b' or 'c'."),
    (LEVEL, "Allowed values: LOW, MEDIUM, HIGH"),
    (LEVEL, "Supported values: low, medium, high, critical (default: low)"),
    ({"type": "array", "items": LEVEL}, "Any of: low, medium, critical"),
    ({"type": "integer", "enum": [1, 2, 3]}, "One of: 1, 2, 5"),
    ({"anyOf": [LEVEL, {"type": "null"}]}, "One of: low, medium, critical"),
    ({"anyOf": [{"const": "low"}, {"const": "high"}]}, "One of: low, critical"),
    ({"type": "string", "const": "low"}, "One of: low, high"),
]
NOT_ENUM = [
    (LEVEL, "One of: low, medium, high"),
    (LEVEL, "One of: low, high"),
    (LEVEL, "One of low, medium, or high."),
    (LEVEL, "One of 'low' (cheap), 'medium' or 'high' (dear)."),
    (LEVEL, "Priority (low, medium, high)"),
    (LEVEL, "Priority (low|medium|high), default low"),
    (LEVEL, "One of: low, medium, high, etc."),
    (LEVEL, "One of: low, medium, high, or none"),
    (LEVEL, "One of: low, medium, high. Use set_priority for critical."),
    (LEVEL, "One of: low, medium, high, depending on load"),
    (LEVEL, "low or medium priority"),
    (LEVEL, "Available options: low, high, extreme, and more"),
    (LEVEL, "One of: low, extreme, others"),
    (LEVEL, "One of 'low' or 'high', usually."),
    (LEVEL, "One of low, medium or critical priority"),
    (LEVEL, "One of your teams, repos or boards"),
    (LEVEL, "One of the levels"),
    (LEVEL, "Can be set by admins, owners and bots."),
    (LEVEL, "e.g. low, critical"),
    (LEVEL, "Such as 'low' or 'critical'"),
    (LEVEL, "How loud (low, soft or loud steps, say)"),
    (LEVEL, "Priority (see docs, or ask)"),
    (LEVEL, "Either way, or both"),
    (LEVEL, "low, medium (the usual), high"),
    (LEVEL, "How much/many"),
    (LEVEL, "How much (LOW, MEDIUM, ...)"),
    (STRING, "One of: low, medium, critical"),
    (STRINGS, "One of: low, medium, critical"),
    ({"anyOf": [LEVEL, {"type": "string", "pattern": "^x"}]}, "One of: low, critical"),
    ({"type": "integer", "enum": [1, 2, 3]}, "One of: 1, 2, 3"),
    ({"type": "string", "enum": ["1h", "24h", "7d"]}, "Window: 1h, 24h, 7d"),
    ({"type": "string", "enum": ["a.b", "c-d"]}, "One of: a.b, c-d."),
    ({"type": "string", "enum": ["text/html", "text/plain"]}, "One of: text/html, text/plain"),
    ({"type": "string", "enum": ["+1", "-1"]}, "One of: +1, -1"),
]


@pytest.mark.parametrize(("schema", "text"), ENUM)
def test_a_value_that_the_enum_refuses(schema, text):
    assert contradictions(schema, text) == ["prose-enum"]


@pytest.mark.parametrize(("schema", "text"), NOT_ENUM)
def test_values_of_the_enum_and_other_lists(schema, text):
    assert contradictions(schema, text) == []


def default(value, kind="integer"):
    return {"type": kind, "default": value}


DEFAULT = [
    (default(20), "Defaults to 10"),
    (default(20), "Defaults to 10."),
    (default(20), "How many (default: 10)"),
    (default(20), "How many (default 10)"),
    (default(20), "How many (default=10)"),
    (default(20), "How many (default is 10)."),
    (default(20), "How many; default value is 10"),
    (default(20), "Default: `10`"),
    (default(20), "10 by default"),
    (default(20), "Defaults to 10 results"),
    (default(20), "Defaults to 10 results per page."),
    (default(20), "Default: 10 (max 50)"),
    (default(20), "Default: 10, at most what fits"),
    (default(20), "Default 10\nMore"),
    (default(1000), "Defaults to 10,000"),
    (default(0.7, "number"), "Sampling temperature, defaults to 0.5"),
    (default(-1), "Defaults to 1."),
    (default(False, "boolean"), "Defaults to true"),
    (default(False, "boolean"), "Recurse (default: true)"),
    (default(True, "boolean"), "false by default"),
    (default("utf-8", "string"), "Defaults to 'ascii'"),
    (default("utf-8", "string"), "Encoding (default: `ascii`)"),
    (default(50), "How many. Defaults to all rows."),
    (default(50), "If not provided, all rows will be returned."),
    ({"type": "string", "enum": ["a", "b"], "default": "a"}, "`a` or `b` (default)"),
]
NOT_DEFAULT = [
    ({"type": "string", "enum": ["a", "b"], "default": "a"}, "`a` (default) or `b`"),
    ({"type": "string", "enum": ["a", "b"], "default": "a"}, "a (default), or b (default) for trees"),
    (default(10), "How many. The server default is 20."),
    (default(50), "Defaults to all rows for admins"),
    (default(-1), "Defaults to all rows"),
    (default(10), "Defaults to 10"),
    (default(10), "Default: 10."),
    (default(1000), "Defaults to 1,000"),
    (default(1, "number"), "Defaults to 1.0"),
    (default(0.5, "number"), "Defaults to 50%"),
    (default(5000), "Defaults to 5 seconds"),
    (default(5000), "Defaults to 5s"),
    (default(5000), "Default 5 (seconds)"),
    (default(1048576), "Defaults to 1 MB"),
    (default(10000), "Defaults to 10k"),
    (default(20), "Defaults to 10 for lists"),
    (default(20), "Defaults to 10 if verbose is off"),
    (default(20), "default 10 for lists, default 50 for trees"),
    (default(20), "Default: 10-20"),
    (default(20), "Was 10 by default"),
    (default(20), "Previously default 10"),
    (default(20), "The default changed from 10 in May"),
    (default(20), "Defaulted to 10 in older releases"),
    (default(20), "No default"),
    (default(0), "How many (0 for default of 100)"),
    (default("default", "string"), "Options: 'default', 'other', 'third'"),
    (default(20), "Defaults to the page size"),
    (default(None), "Defaults to 10"),
    (INTEGER, "Defaults to 10"),
    (default("utf-8", "string"), "Defaults to utf-8."),
    (default("*", "string"), "Defaults to all"),
    (default("", "string"), "Defaults to today"),
    (default("10", "string"), "Defaults to 10"),
    (default(True, "boolean"), "Enabled by default"),
    (default(False, "boolean"), "Whether to overwrite the default 10"),
    (default(3), "Default HTTP port is 80 elsewhere"),
]


@pytest.mark.parametrize(("schema", "text"), DEFAULT)
def test_another_default(schema, text):
    assert contradictions(schema, text) == ["prose-default"]


@pytest.mark.parametrize(("schema", "text"), NOT_DEFAULT)
def test_the_same_default_and_none_for_certain(schema, text):
    assert contradictions(schema, text) == []


FIFTY = {"type": "integer", "minimum": 1, "maximum": 50}
TEXT = {"type": "string", "minLength": 3, "maxLength": 20}
FIVE = {**STRINGS, "minItems": 1, "maxItems": 5}
BOUNDS = [
    (FIFTY, "max 100"),
    (FIFTY, "How many (max 100)"),
    (FIFTY, "How many (max: 100)"),
    (FIFTY, "Maximum: 100"),
    (FIFTY, "maximum is 100."),
    (FIFTY, "Max. 100"),
    (FIFTY, "At most 100."),
    (FIFTY, "At most 100 results"),
    (FIFTY, "no more than 100"),
    (FIFTY, "Must not exceed 100."),
    (FIFTY, "Up to 100"),
    (FIFTY, "How many (up to 100)"),
    (FIFTY, "How many, <= 100"),
    (FIFTY, "How many (≤100)"),
    (FIFTY, "Must be less than 100."),
    (FIFTY, "Default 10, max 100"),
    (FIFTY, "How many (default 10, max 100)"),
    (FIFTY, "max 1,000"),
    (FIFTY, "min 5"),
    (FIFTY, "at least 5."),
    (FIFTY, "Must be greater than 4."),
    (FIFTY, ">= 0"),
    ({"type": "integer", "maximum": 50}, "(1-100)"),
    ({"type": "integer", "maximum": 50}, "Between 1 and 100."),
    ({"type": "integer", "maximum": 50}, "Page size (1 to 100)"),
    ({"type": "integer", "maximum": 50}, "Range: 1-100"),
    ({"type": "integer", "maximum": 50}, "range [1, 100]"),
    ({"type": "number", "minimum": 0, "maximum": 1}, "Between 0 and 2"),
    ({"type": "integer", "exclusiveMaximum": 50}, "At most 50."),
    ({"anyOf": [FIFTY, {"type": "null"}]}, "max 100"),
    (TEXT, "Up to 40 characters."),
    (TEXT, "max 40 chars"),
    (TEXT, "40 characters max"),
    (TEXT, "Maximum length: 40"),
    (TEXT, "At least 5 characters"),
    (TEXT, "between 3 and 40 characters"),
    (TEXT, "3-40 characters"),
    (FIVE, "At most 10 items"),
    (FIVE, "Up to 10 ids."),
    (FIVE, "At least 2 items"),
]
NOT_BOUNDS = [
    (FIFTY, "max 50"),
    (FIFTY, "(1-50)"),
    (FIFTY, "Between 1 and 50, inclusive."),
    (FIFTY, "Must be less than 51."),
    (FIFTY, "Must be greater than 0."),
    (FIFTY, "max 50 results per page"),
    (INTEGER, "max 100"),
    (FIFTY, "max 100 KB"),
    (FIFTY, "Maximum 5 minutes"),
    (FIFTY, "at least 2 hours"),
    (FIFTY, "max 100 for guests"),
    (FIFTY, "max 100, or max 20 for guests"),
    (FIFTY, "Retries up to 3 times"),
    (FIFTY, "At least 2 of them, please"),
    (FIFTY, "maximum number of the 100 rows"),
    (FIFTY, "Between 1 and 100 percent"),
    (FIFTY, "Opens at 10-12 daily"),
    (FIFTY, "max 2048x2048"),
    (FIFTY, "max 100%"),
    ({"type": "number", "minimum": 0, "maximum": 1}, "Between 0 and 100%"),
    ({"type": "number", "minimum": 0, "maximum": 1}, "between 0.0 and 1.0"),
    ({"type": "integer", "exclusiveMaximum": 51}, "max 50"),
    (TEXT, "max 20 characters"),
    (TEXT, "max 100"),
    (TEXT, "Lines of up to 80 characters each"),
    (TEXT, "max 80 characters per line"),
    (TEXT, "3-20 characters"),
    (STRING, "max 40 characters"),
    (FIVE, "At most 5 items"),
    (FIVE, "At most 10 characters"),
    (FIVE, "Each has at most 10 items of its own"),
    (OBJECT, "At most 10 items"),
]


@pytest.mark.parametrize(("schema", "text"), BOUNDS)
def test_another_bound(schema, text):
    assert "prose-bounds" in contradictions(schema, text)
    assert set(contradictions(schema, text)) == {"prose-bounds"}


@pytest.mark.parametrize(("schema", "text"), NOT_BOUNDS)
def test_the_same_bounds_and_none_for_certain(schema, text):
    assert contradictions(schema, text) == []


@pytest.mark.parametrize(
    ("tool", "rules"),
    [
        ("Reads.\n\nArgs:\n    limit (string): How many.", ["prose-type"]),
        ("Reads.\n\nArgs:\n    limit: How many (max 100)\n    other: x", ["prose-bounds"]),
        ("Reads.\n\n## Parameters\n- `limit` (string, optional) - How many", ["prose-type"]),
        ("Reads.\n**Parameters:**\n* **limit**: (required) How many", ["prose-required"]),
        ("Reads.\nArgs:\n  limit (int): How many. Defaults to 10.", ["prose-default"]),
        ("Reads.\nArgs:\n  limit (int): How many. Defaults to 20.", []),
        ("Reads.\nArgs:\n  other (string): How many.", []),
        ("Reads.\nReturns:\n  limit (string): How many there were.", []),
        ("Reads.\nArgs:\n  other: x\n\nReturns:\n  limit (string): How many there were.", []),
        ("Reads limit (string): text.", []),
        ("Reads.\nArgs:\n  limit (string): x\n  limit (int): y", []),
    ],
)
def test_arguments_described_in_the_tool_description(tool, rules):
    schema = {"type": "integer", "maximum": 50, "default": 20}
    assert contradictions(schema, "", tool=tool) == rules


def test_references_are_followed():
    level = {"$ref": "#/$defs/L", "description": "One of: low, critical"}
    root = {"type": "object", "properties": {"level": level}, "$defs": {"L": LEVEL}}
    surface = build_surface({"tools": [{"name": "a", "inputSchema": root}]})
    (finding,) = lint(surface, LintSettings(select=("clarity/prose-enum",)))
    assert finding.path == "/inputSchema/properties/level/description"
    assert "critical" in finding.message
