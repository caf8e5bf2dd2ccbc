"""Defects that a server repeats: told once, with their number and the first names."""

from __future__ import annotations

import pytest

from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

TEXT, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}


def findings(rule, *tools):
    """What one rule of the pack finds in tools, each given as its properties or as (properties, description)."""
    listed = []
    for index, given in enumerate(tools):
        properties, description = given if isinstance(given, tuple) else (given, "Does it.")
        schema = {"type": "object", "properties": properties}
        listed.append({"name": f"tool_{index}", "description": description, "inputSchema": schema})
    return lint(build_surface({"tools": listed}), LintSettings(select=(f"clarity/{rule}",)))


def test_a_generators_null_defaults_are_one_finding():
    null = {**TEXT, "default": None}
    found = findings("null-default", *({f"p{n}": null, "same": null} for n in range(14)))
    assert [(finding.tool, finding.path) for finding in found] == [(None, "/tools")]
    assert found[0].message.startswith("The default is null, but the type does not accept null: p0 (tool_0), ")
    names = found[0].message.split(": ", 1)[1]
    assert names.startswith("p0 (tool_0), same (tool_0, tool_1 and 12 more), p1 (tool_1), ")
    assert names.endswith("p10 (tool_10) and 3 more.")


def test_an_enum_next_to_null_does_not_refuse_null():
    closed = {"anyOf": [{**TEXT, "enum": ["a"]}, {"type": "null"}], "default": None}
    assert findings("null-default", {"x": closed}) == []
    assert findings("null-default", {"x": {**closed, "enum": ["a"]}}) != []


@pytest.mark.parametrize(
    ("name", "schema", "tool", "fires"),
    [
        ("timeout", INTEGER, "", True),
        ("retry_delay", {**NUMBER, "description": "How long to wait"}, "", True),
        ("memory", {**INTEGER, "default": 8}, "", True),
        ("width", NUMBER, "", False),
        ("lineWidth", NUMBER, "Adds a line to a slide.", True),
        ("timeoutMs", INTEGER, "", False),
        ("diskSizeGB", INTEGER, "", False),
        ("timeout", {**INTEGER, "description": "Timeout (seconds)"}, "", False),
        ("timeout", {**INTEGER, "description": "Wait up to 30s"}, "", False),
        ("font_size", {**INTEGER, "description": "Size in points"}, "", False),
        ("font_size", {**INTEGER, "description": "Points."}, "", False),
        ("width", {**NUMBER, "description": "Values per bin."}, "", False),
        ("width", NUMBER, "Draws. The width is in millimetres.", False),
        ("width", {**INTEGER, "description": "Width in characters"}, "", False),
        ("radius", {**NUMBER, "description": "Ratio of the inner circle"}, "", False),
        ("duration", TEXT, "", True),
        ("duration", {**TEXT, "description": "How long the meeting is"}, "", False),
        ("radius", {**TEXT, "description": "Such as '500m'"}, "", False),
        ("page_size", INTEGER, "", False),
        ("size", INTEGER, "", False),
        ("interval", {**INTEGER, "enum": [1, 5]}, "", False),
        ("start_time", {**INTEGER, "description": "When it begins"}, "", True),
        ("timestamp", {**NUMBER, "description": "When it was made (epoch milliseconds)"}, "", False),
        ("start_time", {**TEXT, "description": "When it begins"}, "", False),
        ("times", INTEGER, "", False),
        # A unit in brackets, things that are counted, numbers of one of several, and what only has such a name.
        ("timeout", {**INTEGER, "description": "Timeout (s)"}, "", False),
        ("timeout", {**INTEGER, "description": "Number of tries before it gives up"}, "", False),
        ("retention", {**INTEGER, "description": "How many backups to keep"}, "", False),
        ("radius", {**NUMBER, "description": "Radius of the search"}, "", True),
        ("distance", {**NUMBER, "description": "Cosine distance"}, "", False),
        ("distance", {**INTEGER, "description": "Levenshtein distance allowed"}, "", False),
        ("block_height", INTEGER, "", False),
        ("height", {**INTEGER, "description": "Block height"}, "", False),
        ("memory", {**INTEGER, "description": "Memory of the machine"}, "", True),
    ],
)
def test_a_quantity_says_its_unit(name, schema, tool, fires):
    assert len(findings("missing-unit", ({name: schema}, tool))) == fires


@pytest.mark.parametrize(
    ("name", "schema", "tool", "usual"),
    [
        ("font_size", {**INTEGER, "description": "Size of the letters"}, "", True),
        ("font_size", INTEGER, "Adds a heading to a document.", True),
        ("width", NUMBER, "Sets the size of the browser window.", True),
        ("height", {**INTEGER, "description": "Height of the screenshot"}, "", True),
        ("height", {**INTEGER, "description": "Height of the screenshot in pixels"}, "", False),
        ("width", NUMBER, "Adds an image to a document.", False),
        ("radius", NUMBER, "Finds places on the map.", False),
        ("timeout", INTEGER, "Opens a browser window.", False),
        ("until", {**INTEGER, "description": "Unix timestamp of the end"}, "", True),
        ("until", {**INTEGER, "description": "Unix timestamp of the end, in milliseconds"}, "", False),
        ("until", {**INTEGER, "description": "Unix timestamp of the end, such as 1767312000"}, "", True),
        ("until", {**TEXT, "description": "Unix timestamp of the end"}, "", False),
        ("start_time", {**INTEGER, "description": "When it begins"}, "", False),
        ("timeout", INTEGER, "Connects to a Unix socket.", False),
    ],
)
def test_pixels_and_points_are_usual(name, schema, tool, usual):
    assert not (usual and findings("missing-unit", ({name: schema}, tool)))


def test_what_is_placed_is_no_window():
    chart = ({"width": NUMBER, "left": NUMBER}, "Adds a chart.")
    assert findings("missing-unit", chart)


def test_a_sentence_of_the_tool_may_list_the_keys_of_an_object():
    schema = {"type": "object", "properties": {"body": {"type": "object", "propertyNames": {"type": "string"}}}}

    def found(description):
        surface = build_surface({"tools": [{"name": "a", "description": description, "inputSchema": schema}]})
        return [one.message for one in lint(surface, LintSettings(select=("clarity/object-keys",)))]

    (message,) = found("Full `body` requests require: `title`, `plan` (with `cron` or `text`), and `targets`.")
    assert "(title, plan, targets)" in message
    assert not found("Prefer `body` over `title` and `plan`.")
    assert not found("Sends `body` with `title` and `plan`.")


@pytest.mark.parametrize(
    ("pattern", "refused"),
    [
        ("^(?=a)b$", True),
        ("^(?<!a)b$", True),
        (r"^(a)\1$", True),
        (r"^(?:a|b)(?P<n>\d)$", False),
        (r"^\\\\1$", False),
    ],
)
def test_what_engines_in_linear_time_do_not_have(pattern, refused):
    assert bool(findings("portable-pattern", {"x": {**TEXT, "pattern": pattern}})) == refused
