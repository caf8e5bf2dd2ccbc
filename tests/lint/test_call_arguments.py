"""Where the arguments are declared that a description names: in the call, or in the object that it wraps."""

from __future__ import annotations

import pytest

from mcp_governor.prose.call_arguments import call_object
from mcp_governor.prose.passages import without_name
from mcp_governor.subjects.context import Facts
from mcp_governor.surface import build_surface

TEXT = {"type": "string"}
INNER = {"type": "object", "properties": {"slug": TEXT, "url": TEXT}}


def facts_of(schema, description=""):
    facts = Facts(build_surface({"tools": [{"name": "a", "description": description, "inputSchema": schema}]}))
    return facts, facts.surface.tools[0]


def of(properties, **more):
    return {"type": "object", "properties": properties, **more}


@pytest.mark.parametrize(
    ("schema", "tokens"),
    [
        (of({"slug": TEXT, "url": TEXT}), ()),
        (of({"params": INNER}), ("properties", "params")),
        (of({"params": {"$ref": "#/$defs/In"}}, **{"$defs": {"In": INNER}}), ("$defs", "In")),
        # Two objects, a list of them, what declares nothing, what leads nowhere or in a circle.
        (of({"params": INNER, "more": INNER}), ()),
        (of({"params": {"type": "array", "items": INNER}}), ()),
        (of({"params": {"type": "object"}}), ()),
        (of({"params": {"$ref": "#/$defs/Gone"}}), ()),
        (of({"params": {"$ref": "#/properties/params"}}), ()),
    ],
)
def test_the_object_that_a_call_is_about(schema, tokens):
    facts, tool = facts_of(schema)
    assert call_object(tool, facts).tokens == tokens


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("One of the ways in which a page is drawn, that is (with\n  the light) or without", 1),
        ("Short line\nof another", 2),
        ("A line that is long enough for the end of a page, and ends.\nAnother begins", 2),
        ("A line that is long enough for the end of a page and then some\n- a bullet", 2),
        ("A line that is long enough for the end of a page and then some\nname: what it is", 2),
        ("A line that is long enough for the end of a page and then some\n\nanother paragraph", 2),
    ],
)
def test_lines_that_only_the_page_parts_are_one(text, lines):
    assert len(without_name(text, "mode").split("\n")) == lines
