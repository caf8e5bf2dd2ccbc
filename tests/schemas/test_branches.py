"""What composition joins."""

from __future__ import annotations

import pytest

from mcp_governor.schemas.walking import declared_members


@pytest.mark.parametrize(
    ("schema", "names"),
    [
        ({"type": "object"}, set()),
        ({"properties": {"a": {}}}, {"a"}),
        ({"properties": {"a": {}}, "additionalProperties": False}, {"a"}),
        ({"allOf": [{"properties": {"a": {}}}, {"anyOf": [{"properties": {"b": {}}}]}]}, {"a", "b"}),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"a": {}}, "allOf": [{"$ref": "#/$defs/A"}]}}}, {"a"}),
        ({"if": {"properties": {"a": {}}}, "then": {"properties": {"b": {}}}, "else": {}}, {"a", "b"}),
        ({"dependentSchemas": {"a": {"properties": {"b": {}}}}}, {"b"}),
        ({"dependencies": {"a": {"properties": {"b": {}}}, "c": ["d"]}}, {"b"}),
        ({"not": {"properties": {"a": {}}}}, set()),
        ({"$ref": "#/$defs/A%2fB", "$defs": {"A/B": {"properties": {"a": {}}}}}, None),
        ({"$ref": "#/$defs/A%20B", "$defs": {"A B": {"properties": {"a": {}}}}}, {"a"}),
        ({"additionalProperties": {}}, None),
        ({"additionalProperties": {"type": "string"}}, None),
        ({"patternProperties": {"^x": {}}}, None),
        ({"$ref": "https://example.org/schema"}, None),
        ({"$ref": "#/$defs/none"}, None),
        (True, set()),
        (None, set()),
    ],
)
def test_which_members_a_schema_declares(schema, names):
    assert declared_members(schema) == names
