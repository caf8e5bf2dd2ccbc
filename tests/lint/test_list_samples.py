"""Values that a description only shows: samples of a form, parts of a longer value, or a few beside something else."""

from __future__ import annotations

import pytest

from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

STRING = {"type": "string"}


def fragments(text, *, name="mode", schema=STRING, rule="closed-list"):
    """The fixes of the rule for one parameter with a description."""
    tools = [{"name": "run", "inputSchema": {"type": "object", "properties": {name: {**schema, "description": text}}}}]
    found = lint(build_surface({"tools": tools}), LintSettings(select=(f"clarity/{rule}",)))
    return [finding.value for finding in found]


SAMPLES = [
    ("Fields to group by ('created:month', 'team')", "groupings_mode"),
    ("Image size 'WxH'. Default: '600x400'. Max: '640x640'", "size"),
    ("Each string: 'color:red|label:A' or 'color:blue|label:B'", "marker"),
    # Adjectives, parts in an order, and what is accepted beside the usual values.
    ("Medicine name (brand or generic) to look up", "medicine"),
    ("In this notation (genomic, coding, or protein)", "hgvs"),
    ("Area as four floats. Order: top, left, bottom, right (comma-separated).", "box"),
    ("By folder id (accepts 'null' and 'notnull' literals)", "folder"),
    ('Length in the form /^(\\d+) +(second|minute)s?$/, default is "1 minute".', "span"),
    ("One of: shop (default), docs, wiki. For action=read, this may instead be a path.", "source"),
    # Forms beside the values.
    ("Due date: YYYY-MM-DD, 'today' or 'tomorrow'", "due"),
    ("Due date, 'today' or 'tomorrow'", "due"),
    ("Issue id, 'latest' or 'oldest'", "issue"),
    ("Status name, 'open' or 'closed'", "status"),
    ("Two-letter code, or 'all'", "lang"),
    ("'latest', 'stable' or x.y.z", "release"),
    ("'all', 'none' or the number of rows", "rows"),
    ("Assignee: 'me', 'none', or username", "assignee"),
    ("Status (open/closed) or status ID", "status"),
    ("A friendly name ('folder', 'sheet'/'table') or any raw media type", "file_type"),
    ("One of the presets (small, large) or WIDTHxHEIGHT", "size"),
    # Cells, formats, standards, amounts and years.
    ("Rows '3' or '3:5'; columns 'B' or 'B:D'.", "span"),
    ("First free cell: 'A2' keeps row 1; 'A1' keeps none.", "start_mode"),
    ("Columns: 'A', 'B', 'C'", "columns"),
    ("Number format ('#,##0.00', '0%', 'General')", "number_format"),
    ("Color ('#ff0000', '#00ff00')", "color_mode"),
    ("Any of these values:\n- `[1-59]Min` creates minutes\n- `1Day` creates days", "frame"),
    ("Language code (en, de, fr)", "language"),
    ("ISO 639-1 language code: 'en', 'de', 'fr'", "language"),
    ("Time zone: 'UTC' or 'Europe/Berlin'", "tz"),
    ("Timeout ('30s' or '5m')", "timeout"),
    ("CSS length: '10px', '50%' or 'auto'", "width"),
    ("Quarter: 'Q1 2024' or 'Q2 2024'", "quarter"),
    # Parts of a value, and of an expression.
    ("Duration as `number` + `unit`. Valid units are: `D`, `W`, `M`.", "period"),
    ("Time window; number and unit. Supported units: s, m, h, d.", "window"),
    ("Interval with suffix 's', 'm' or 'h'", "interval"),
    ("Fully qualified: 'base.table' or 'table'", "object"),
    ("Filter string; combine with 'AND' or 'OR'", "filter"),
    ("In the service's filter syntax. Supports created and sender.name.", "message_filter"),
    ("Any combination of 'r', 'w' and 'x'", "mode"),
    ("'a', 'b' or 'c'. Comma-separated combos allowed.", "mode"),
    # Names of parameters, advice, old values, words of a sentence.
    ("Either 'id' or 'name' must be given", "mode"),
    ("Model to use ('large-5' or 'small-9' recommended)", "model"),
    ("Deprecated. Formerly 'a' or 'b'.", "mode"),
    ("Operation id as listed by describe (get, put)", "operation"),
    ("Unit of the result; depends on the metric ('ms', 'bytes')", "unit"),
    ("Host, cluster or region", "scope"),
    ("Level '1' to '5'", "level"),
    ("Typical values are 'day' and 'week'", "period"),
    ("Same as 'a' or 'b' there", "mode"),
    ("Equivalent to 'ls' or 'dir'", "action"),
    ("The 'id' or 'key' of the issue", "issue_type"),
    ("Text with 'quotes' or \"double quotes\"", "style"),
    ("'true' or 'false'", "enabled"),  # clarity/stringly-typed
]


NUMBERS = [
    ("Port: 80 (http), 443 (https), 22 (ssh)", "port"),
    ("Chain ID: 1 (one), 137 (another), 56 (a third)", "chain_id"),
    ("HTTP status: 200 (ok), 404 (missing)", "status"),
    ("Depth (0 = only this, 1 = children)", "depth"),
    ("Priority 1=urgent, 2=high, other numbers are low", "priority"),
]


@pytest.mark.parametrize(("text", "name"), NUMBERS)
def test_numbers_of_which_a_few_are_explained(text, name):
    assert fragments(text, name=name, schema={"type": "integer"}) == []


@pytest.mark.parametrize(("text", "name"), SAMPLES)
def test_what_is_not_all_that_is_accepted(text, name):
    assert fragments(text, name=name) == []


LISTS = [
    ("Baseline. One of NONE, SUPER, SUB", "x", ["NONE", "SUPER", "SUB"]),
    ("One of: fast, slow, none", "x", ["fast", "slow", "none"]),
    ("One of: fast, slow, None", "mode", ["fast", "slow"]),
    ("The window. 1Min, 5Min, 1H, or 1D. If omitted, 1Min.", "timeframe", ["1Min", "5Min", "1H", "1D"]),
    ("Style: 'TITLE', 'LEVEL_1' through 'LEVEL_3'", "style", ["TITLE", "LEVEL_1", "LEVEL_2", "LEVEL_3"]),
    ("One of TITLE, LEVEL_1 to LEVEL_3.", "x", ["TITLE", "LEVEL_1", "LEVEL_2", "LEVEL_3"]),
    ("Paper size: 'A4', 'A3' or 'Letter'", "paper_size", ["A4", "A3", "Letter"]),
    ("Paper size ('A3', 'A4', 'A5'), by row", "paper_size", ["A3", "A4", "A5"]),
    ("'asc' or 'desc', or omit for the default", "order", ["asc", "desc"]),
    ("Sort order ('asc', 'desc') or null", "order", ["asc", "desc"]),
    ("Quarter: 'Q1', 'Q2', 'Q3' or 'Q4'", "quarter", ["Q1", "Q2", "Q3", "Q4"]),
    ("Supported operations (exhaustive): is, isNot, has", "operation", ["is", "isNot", "has"]),
    ("Valid scopes: 'repo', 'repo:status', 'user'", "scope", ["repo", "repo:status", "user"]),
    ("How filters are joined: 'AND' or 'OR'", "logic", ["AND", "OR"]),
    ("Kind of range: 'day', 'week' or 'month'", "range", ["day", "week", "month"]),
    ("Optional NORTH, EAST, SOUTH or WEST", "side", ["NORTH", "EAST", "SOUTH", "WEST"]),
    ("What to filter by. Possible values include `object`. That is a type (either `page` or `row`)", "x", ["object"]),
    ("Unit system. Supported units: metric, imperial", "units", ["metric", "imperial"]),
]


@pytest.mark.parametrize(("text", "name", "values"), LISTS)
def test_lists_that_are_near(text, name, values):
    assert fragments(text, name=name) == [values]


def test_of_the_own_list_and_that_of_the_tool_the_one_with_all_values_counts():
    schema = {"type": "object", "properties": {"library_type": {**STRING, "description": "'user' or 'group'"}}}
    tool = "Works. library_type: 'user' — my own; 'group' — one of a group; 'feeds' — a feed. Ends."
    surface = build_surface({"tools": [{"name": "a", "description": tool, "inputSchema": schema}]})
    (finding,) = lint(surface, LintSettings(select=("clarity/closed-list",)))
    assert finding.value == ["user", "group", "feeds"]


def test_several_of_a_list_are_items():
    items = {"type": "array", "items": STRING}
    text = "Any combination of the modes. Valid values: 'r', 'w', 'x'"
    assert fragments(text, name="modes", schema=items) == [["r", "w", "x"]]
    assert fragments("Kinds to list ['x', 'y']", name="kinds", schema=items) == [["x", "y"]]
    assert fragments("List of names ['x', 'y']", name="names", schema=items) == []


@pytest.mark.parametrize(
    ("text", "codes"),
    [("Images to make. Values range [1, 9].", []), ("Channels. Values range [1, 2].", [[1, 2]])],
)
def test_two_numbers_are_a_list_or_the_ends_of_a_range(text, codes):
    assert fragments(text, name="n", schema={"type": "integer"}) == codes


def test_a_long_pattern_for_several_in_one_string_is_not_asked_for():
    few = "Kinds, separated by commas. Valid kinds: a1, b1, c1"
    assert fragments(few, name="kinds") == ["^(a1|b1|c1)(, ?(a1|b1|c1))*$"]
    assert fragments(f"{few}, d1, e1, f1, g1, h1, i1", name="kinds") == []


def test_the_next_key_of_a_shape_is_no_value():
    text = 'A route: {"venue": "north"|"south", "size": "<number>"}'
    tools = [{"name": "run", "inputSchema": {"type": "object", "properties": {"route": {"type": "object"}}}}]
    tools[0]["inputSchema"]["properties"]["route"]["description"] = text
    (finding,) = lint(build_surface({"tools": tools}), LintSettings(select=("clarity/closed-list",)))
    assert finding.fix == 'Add "properties": {"venue": {"enum": ["north", "south"]}}.'


def siblings(holder, other, *, values=("open", "done", "late", "lost"), tools=("list_jobs", "add_job"), more=()):
    """The values that the second tool should take from the first, by their descriptions."""
    properties = [
        {"status": {"type": "string", "enum": list(values), "description": holder}},
        {"status": {"type": "string", "description": other}},
    ]
    both = [
        {"name": name, "inputSchema": {"type": "object", "properties": own}}
        for name, own in zip(tools, properties, strict=True)
    ]
    both += [{"name": name, "inputSchema": {"type": "object"}} for name in more]
    found = lint(build_surface({"tools": both}), LintSettings(select=("clarity/sibling-enum",)))
    return [finding.value for finding in found]


def test_a_few_values_that_one_tool_filters_by_are_not_those_that_another_writes():
    example = "Result of the run, e.g., 'open', 'done'"
    assert siblings("Filter by status", example) == []
    assert siblings("Filter by status", example, tools=("list_jobs", "list_runs")) == [["open", "done", "late", "lost"]]


def test_a_value_that_only_the_other_description_shows_is_not_lost():
    said = "The status of the job to look for, one of many"
    assert siblings(said, f"{said}, e.g. 'open', 'closed'", tools=("find_jobs", "count_jobs")) == []
    more = siblings(said, f"{said}: 'open' in `find_jobs`", tools=("find_jobs", "count_jobs"))
    assert more == [["open", "done", "late", "lost"]]


def test_the_status_of_one_thing_is_not_that_of_another():
    said = "The new status to set for it"
    assert siblings(said, said, tools=("update_task", "update_invoice")) == []
    assert siblings(said, said, tools=("update_task", "update_tasks")) == [["open", "done", "late", "lost"]]
    assert siblings(said, said, tools=("render_image", "render_text")) == []
    assert siblings(said, said, tools=("task_render", "task_update")) == [["open", "done", "late", "lost"]]
    both = ("app_update_task", "app_update_invoice", "app_find")
    assert siblings(said, said, tools=both[:2], more=both[2:]) == []


def test_another_form_is_not_the_list_of_a_sibling():
    said = "The status of the job to look for"
    assert siblings(said, f"{said}. Must be a UUID.", tools=("find_jobs", "count_jobs")) == []


def test_bounds_that_leave_the_listed_numbers_say_enough():
    text = "Kind: 0 = plain, 1 = bold, 2 = thin."
    assert fragments(text, name="kind", schema={"type": "integer", "minimum": 0, "maximum": 2}) == []
    assert fragments(text, name="kind", schema={"type": "integer", "minimum": 0, "maximum": 3}) == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("text", "name", "codes"),
    [
        ("Game of the item: 730 = one, 440 = another, 570 = a third.", "appid", []),
        ("State: 1 = open, 2 = closed, 3 = merged.", "state_id", [[1, 2, 3]]),
        ("Level: 10 = low, 200 = middle, 3000 = high.", "level", [[10, 200, 3000]]),
    ],
)
def test_numbers_of_things_are_not_all_there_are(text, name, codes):
    assert fragments(text, name=name, schema={"type": "integer"}) == codes


def test_values_that_the_text_of_a_tool_shows_are_not_those_of_another_tool():
    """Servers written in Python describe parameters in the text of the tool."""

    def found(text):
        tools = [
            {"name": name, "description": said, "inputSchema": {"type": "object", "properties": {"form_type": STRING}}}
            for name, said in (
                ("one", "Reads parts.\n\nArgs:\n    form_type: One of 'annual', 'quarterly'\n"),
                ("two", f"Lists.\n\nArgs:\n    form_type: {text}\n"),
            )
        ]
        return lint(build_surface({"tools": tools}), LintSettings(select=("clarity/sibling-enum",)))

    assert [finding.tool for finding in found("Form type")] == ["two"]
    assert found("") == []
    assert found('Filter by form type (e.g., "annual", "quarterly", "event")') == []


@pytest.mark.parametrize(
    ("holder", "also", "found"), [("voice", (), 1), ("transcriber", (), 0), ("transcriber", ("transcriber",), 1)]
)
def test_a_part_of_another_thing_has_other_values(holder, also, found):
    def tool(name, part, provider):
        inner = {"type": "object", "properties": {"provider": {"description": "Provider of the sound", **provider}}}
        return {"name": name, "inputSchema": {"type": "object", "properties": {part: inner}}}

    values = {"type": "string", "enum": ["azure", "hume", "playht"]}
    listed = [tool(f"create_{part}_caller", part, values) for part in ("voice", *also)]
    free = tool("update_caller", holder, {"type": "string"})
    surface = build_surface({"tools": [*listed, free]})
    assert len(lint(surface, LintSettings(select=("clarity/sibling-enum",)))) == found
