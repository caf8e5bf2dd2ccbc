"""Arguments whose type says less than their words: what is found in which words, and near misses."""

from __future__ import annotations

import pytest

from mcp_governor.packs.clarity.shapes import (
    lacks_keys,
    packed,
    stated_key,
    unanchored,
)
from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

OBJECT = {"type": "object"}


@pytest.mark.parametrize(
    "schema",
    [
        OBJECT,
        {"type": "object", "additionalProperties": True, "properties": {}},
        {"type": "array", "items": {"type": "object", "additionalProperties": {}}},
        {"type": "object", "anyOf": [{"type": "object"}, {"type": "null"}]},
    ],
)
def test_objects_without_keys(schema):
    assert lacks_keys(schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {}}},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "object", "additionalProperties": False},
        {"type": "object", "anyOf": [{"required": ["a"]}]},
        {"type": "object", "patternProperties": {"^x": {}}},
        {"type": "object", "propertyNames": {"pattern": "^x"}},
        {"type": "array", "items": {"type": "string"}},
        {"type": "string"},
    ],
)
def test_objects_with_keys_or_none(schema):
    assert not lacks_keys(schema)


def test_names_of_any_text_are_no_keys():
    assert lacks_keys({"type": "object", "propertyNames": {"type": "string"}})


@pytest.mark.parametrize(
    ("text", "description", "key"),
    [
        ('Such as {"by": "name"}', "", "by"),
        ("A list of {name, values} objects", "", "name"),
        ("List of dictionaries with 'name' and 'points' keys", "", "name"),
        ("Parts, each containing: - part_id: Which - text: What", "", "part_id"),
        ("Each entry accepts PlanType (A or B) and Term", "", "PlanType"),
        ("Should include 'actions' (a list) and 'model'", "", "actions"),
        ("What to plot", 'Example: {"x": [{"from": 1}]}', "from"),
        ("What to plot", '### Hints for `x`:\nExamples:\n  1. One:\n    [ {"from": 1} ]', "from"),
        ("What to plot", 'Example: {"y": [{"from": 1}]}', None),
        ("Key-value pairs such as {'team': 'a'}", "", None),
        ("{kind?: 'and'|'or', parts: [{column, value}]}", "", "kind"),
        ("Options. Such as {open: true, size: [1, 2]}", "", "open"),
        ("{team: a, …}", "", None),
        ('Data keyed by node. Each item is wrapped as { "json": {} }', "", None),
        ('Filters such as {"metadata_field": 1}', "", None),
        ('JsonLogic: {"glob": ["*.txt", {"var": "name"}]}', "", None),
        ('A query such as {"name": "a"} or {"and": [{"name": "a"}]}', "", None),
        ("Stages, such as [{$match: {open: true}}, {count: 1, per: 2}]", "", None),
        ('Settings (for example {"addresses": "a@b.org"} for mail)', "", None),
        ('The body depends on the path: {"fields": 1}', "", None),
        ("What to send", "", None),
    ],
)
def test_a_key_that_the_words_give(text, description, key):
    assert stated_key("x", text, description) == key


@pytest.mark.parametrize(
    ("name", "text", "description", "key"),
    [
        # Columns, properties and parameters of the user's choice, of which an example shows some.
        ("filter", 'Such as {"state": "open"}', "", None),
        ("query_params", 'E.g. {"page": 2}', "", None),
        ("properties", 'To set, e.g. {"color": "red"}', "", None),
        ("fields", "To update", 'Call it with fields={"title": "x", "owner": {"name": "y"}}', None),
        ("template_vars", 'E.g. {"first_name": "Bob"}', "", None),
        ("payload", 'Such as {"event": {"name": "x"}}', "", None),
        ("body", "What to send", 'Example: {"body": {"name": "x"}}', None),
        # A shape, words, or the structure of a whole call gives all.
        ("body", "What to send", 'Example: {"body": {"name": "x", "plan": {"at": "noon"}}}', "name"),
        ("filters", 'A list of {"name": ..., "values": [...]} objects', "", "name"),
        ("filter", '{"left": "<side>", "op": "<operator>"}', "", "left"),
        ("filters", "A list of {name, values} objects", "", "name"),
        ("range", 'Such as {"start": 1}', "", "start"),
    ],
)
def test_an_example_shows_some_of_the_keys_that_are_the_users(name, text, description, key):
    assert stated_key(name, text, description) == key


@pytest.mark.parametrize(
    ("text", "schema", "what"),
    [
        ("Filter as a JSON string", {}, "JSON"),
        ("Optional JSON array of names", {}, "JSON"),
        ("A string serialized from a JSON structure", {}, "JSON"),
        ("IDs, comma-separated", {}, None),
        ("IDs separated by spaces", {}, "space-separated"),
        ("Use '|' as the delimiter between both", {}, "pipe-separated"),
        ("'true' or 'false'", {}, "true or false"),
        ("'true' or 'false' to show it", {}, "true or false"),
        ("Show the hidden ones (true/false)", {}, "true or false"),
        ("Show the hidden ones (true, false or a date)", {}, None),
        ("What to fill in. 'true' or 'false' for checkboxes", {}, None),
        ("If the field is a checkbox, the value should be 'true' or 'false'", {}, None),
        ("A comma-separated list or wildcard pattern", {}, None),
        ("Enable the cache", {"default": "false"}, "true or false"),
        ("One ID or comma-separated IDs", {}, None),
        ("Number of rows", {}, "a number"),
        ("Query to run. Variables go to the next parameter as JSON.", {}, None),
        ("Filter to use. Must be given as a JSON object.", {}, "JSON"),
        ("Number of shares", {}, None),
        ("Number of whole coins to sell", {}, None),
        ("Number of rows, as a decimal", {}, None),
        ("Request body (JSON string)", {}, None),
        ("Content as JSON string; a request body may have 9 kB", {}, "JSON"),
        ("The value (as JSON string, or will be auto-converted)", {}, None),
        ("Path of the JSON text", {}, None),
        ("'true' or 'false'", {"enum": ["true", "false"]}, None),
        ("What is true of it", {"default": "true"}, None),
    ],
)
def test_structure_in_a_string(text, schema, what):
    assert packed(text, schema) == what


@pytest.mark.parametrize("pattern", ["[a-z]*", "arn:[a-z]+:[^:]+", r"\d{4}"])
def test_patterns_without_anchors(pattern):
    assert unanchored({"pattern": pattern}) == pattern


@pytest.mark.parametrize("pattern", ["^[a-z]+", r"\.json$", "@", r"(?=.*\d)", r"\bfoo\d", ".*[a]", "word", 5, None])
def test_patterns_with_an_anchor_or_of_a_part(pattern):
    assert unanchored({"pattern": pattern}) is None


def findings(rule, *properties, required=()):
    tools = [
        {"name": f"t{at}", "inputSchema": {"type": "object", "properties": one, "required": list(required)}}
        for at, one in enumerate(properties)
    ]
    return [one.message for one in lint(build_surface({"tools": tools}), LintSettings(select=(f"clarity/{rule}",)))]


@pytest.mark.parametrize(
    ("name", "property_", "found"),
    [
        ("query", {"type": "string"}, 1),
        ("wiki_page_create", {"type": "object"}, 1),
        ("list_pages", {"type": "string"}, 0),
        ("run_tests", {"type": "string", "default": "."}, 0),
        ("run_tests", {"type": ["string", "null"]}, 0),
        ("run_tests", {"type": "string", "description": "Where; all tests if omitted"}, 0),
    ],
)
def test_a_call_without_arguments(name, property_, found):
    tools = [{"name": name, "inputSchema": {"type": "object", "properties": {"a": property_}}}]
    chosen = LintSettings(select=("clarity/nothing-required",))
    assert len(lint(build_surface({"tools": tools}), chosen)) == found
    tools[0]["inputSchema"]["required"] = ["a"]
    assert lint(build_surface({"tools": tools}), chosen) == []
