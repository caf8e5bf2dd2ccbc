"""Structure that is packed into a string: what is found in which words, and near misses."""

from __future__ import annotations

import pytest

from mcp_governor.packs.clarity.defects import packed


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
        ("Filter to use. Must be given as a JSON object.", {}, "JSON"),
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
