"""What the rules about formats report for parameters: defaults, examples, headings, names, and what is small."""

from __future__ import annotations

import json
import re

import pytest

from mcp_governor.prose.formats import stated_form
from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface


def patterns(schema, tool=""):
    surface = {"tools": [{"name": "a", "description": tool, "inputSchema": {"properties": {"day": schema}}}]}
    return in_fixes(surface)


BOTH = LintSettings(select=("clarity/missing-format", "clarity/well-known-format"))


def in_fixes(surface):
    """The patterns that either rule about formats asks for."""
    fixes = [one.fix for one in lint(build_surface(surface), BOTH)]
    return [json.loads(found) for fix in fixes for found in re.findall(r'"pattern": ("(?:[^"\\]|\\.)*")', fix)]


DAY = r"^\d{4}-\d{2}-\d{2}$"
NETWORK = r"^[0-9A-Fa-f.:]+/\d{1,3}$"


def test_several_values_in_one_string_do_not_have_the_form_of_one():
    assert patterns({"type": "string", "description": "The block, in CIDR notation"}) == [NETWORK]
    assert patterns({"type": "string", "description": "A list of blocks in CIDR notation"}) == []
    blocks = {"type": "array", "items": {"type": "string"}, "description": "A list of blocks in CIDR notation"}
    assert patterns(blocks) == [NETWORK]


def test_the_default_has_the_form():
    assert patterns({"type": "string", "description": "YYYY-MM-DD", "default": "2026-01-01"}) == [DAY]
    assert patterns({"type": "string", "description": "YYYY-MM-DD", "default": "latest"}) == []


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("ISO 4217 currency code, e.g. usd", "ISO 4217 currency code, e.g. USD"),
        ("Currency (ISO 4217), for example `eur`", "Currency (ISO 4217), for example `EUR`"),
        ("Language code (ISO 639-1, two letters), e.g. DE", "Language code (ISO 639-1, two letters), e.g. de"),
        ("Hex colour, #RRGGBB or #RRGGBBAA", "Hex colour, #RRGGBB"),
        ("In the format owner/repo or group/subgroup/repo", "In the format owner/repo or owner/fork"),
        ("Two-letter state code, e.g. CA, or 'all'", "Two-letter state code, e.g. CA"),
        ("In the format name:tag, e.g. nginx (tag optional)", "In the format name:tag, e.g. nginx:1"),
        ("Labels in the format key:value, key:value", "Label in the format key:value"),
        ("In the format owner/repo ('all')", "In the format owner/repo (required for 'all')"),
        ("In the format owner/repo ('all')", "In the format owner/repo ('mode')"),
    ],
)
def test_a_value_that_the_text_shows_has_the_form(shown, text):
    def said(description):
        properties = {"day": {"type": "string", "description": description}, "mode": {"type": "string"}}
        surface = build_surface({"tools": [{"name": "a", "inputSchema": {"properties": properties}}]})
        return lint(surface, BOTH)

    assert [len(said(shown)), len(said(text))] == [0, 1]


def test_the_examples_of_the_schema_have_the_form():
    assert patterns({"type": "string", "description": "YYYY-MM-DD", "examples": ["2026-01-01"]}) == [DAY]
    assert patterns({"type": "string", "description": "YYYY-MM-DD", "examples": ["monday"]}) == []
    days = {"type": "array", "description": "Days (YYYY-MM-DD)"}
    assert patterns({**days, "items": {"type": "string", "examples": ["monday"]}}) == []
    assert petty({"url": {"type": "string", "description": "URL to open", "examples": ["a.example"]}}) == []


def test_two_descriptions_that_give_two_forms_give_none():
    assert patterns({"type": "string", "description": "YYYY-MM-DD"}, "Args:\n  day: The day, YYYY-MM-DD") == [DAY]
    assert patterns({"type": "string", "description": "YYYY-MM-DD"}, "Args:\n  day: The month, YYYY-MM") == []


def test_the_values_of_a_list_have_the_form():
    assert patterns({"type": "array", "items": {"type": "string"}, "description": "Days (YYYY-MM-DD)"}) == [DAY]
    assert patterns({"type": "integer", "description": "YYYY-MM-DD"}) == []


@pytest.mark.parametrize(
    "piece",
    ["YYYY-", "HH:", "in the format '", "e.g. 'a', ", "iso 8601 ", "a/b", "12-digit ", "url ", "letters, ", "://"],
)
def test_a_hostile_description_is_read_to_a_limit(piece):
    text = piece * (1_000_000 // len(piece))
    assert stated_form(text) == stated_form(text[:2_000])


@pytest.mark.parametrize(
    ("name", "text", "pattern"),
    [
        ("start_time", "Beginning of the range, in seconds", r"^\d+$"),
        ("wait", "How long, in seconds", None),
        ("email", "Of the author", r"^[^@\s]+@[^@\s]+$"),
        ("email", "Email or display name", None),
        ("email", "Subject of the email", None),
    ],
)
def test_the_name_of_the_argument_counts(name, text, pattern):
    form = stated_form(f"{text}. See the mail.", name)
    assert (form.pattern if form else None) == pattern


def test_the_rules_below_a_heading_are_about_the_argument_that_it_names():
    tool = "## Day requirements\n\n- Must be YYYY-MM-DD\n- May lie in the future\n\n## Notes\n- Only YYYY-MM is kept"
    assert patterns({"type": "string", "description": "Day to read"}, tool) == [DAY]
    assert patterns({"type": "string", "description": "Day to read"}, tool.replace("Day req", "Other req")) == []


def test_what_the_domain_says_is_more_than_what_a_url_is():
    schema = {"type": "string", "description": "URL of the page"}
    tool = "Reads.\n\n## Day requirements\n- Must be from the a.example domain"
    assert patterns(schema, tool) == [r"^https?://a\.example(/|$)"]


def petty(*properties):
    tools = [{"name": f"t{at}", "inputSchema": {"properties": one}} for at, one in enumerate(properties)]
    found = lint(build_surface({"tools": tools}), LintSettings(select=("clarity/well-known-format",)))
    return [(one.path, one.value, one.message) for one in found]


def test_what_everybody_knows_is_one_finding_for_the_server():
    url, key = {"type": "string", "description": "URL to open"}, {"type": "string", "description": "UUID of it"}
    ((path, value, message),) = petty({"url": url, "key": key}, {"url": url})
    assert (path, value) == ("/tools", ["key", "url"])
    assert "3 parameters in 2 tools" in message
    assert "url (t0: a URL), key (t0: a UUID)" in message
    ((path, _value, _message),) = petty({"url": url})
    assert path == "/tools/0/inputSchema/properties/url"
    assert petty({"url": {**url, "format": "uri"}}) == []


def test_the_short_message_counts_those_of_the_format_that_it_names():
    url, key = {"type": "string", "description": "URL to open"}, {"type": "string", "description": "UUID of it"}
    tool = {"name": "t", "inputSchema": {"properties": {"a_url": url, "b_url": url, "key": key, "old_key": key}}}
    settings = LintSettings(select=("clarity/well-known-format",))
    (found,) = lint(build_surface({"tools": [tool]}), settings)
    assert found.gist == (
        "a_url (t) and 1 more parameter may be any text, not only a URL, and 2 more parameters may break other formats"
    )
    tool["inputSchema"]["properties"] = {"a_url": url}
    (found,) = lint(build_surface({"tools": [tool]}), settings)
    assert found.gist == "a_url (t) may be any text, not only a URL"


def test_a_sentence_that_names_the_argument_in_plain_words():
    tool = {"name": "a", "inputSchema": {"properties": {"start_day": {"type": "string"}, "day": {"type": "string"}}}}
    tool["description"] = "Reads from a start day. The start day of a range must be YYYY-MM-DD. A day must exist."
    (found,) = lint(build_surface({"tools": [tool]}), BOTH)
    assert found.path.endswith("/inputSchema/properties/start_day")
    assert in_fixes({"tools": [tool]}) == [DAY]


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("Reads a page.\n- Paths should end with .md extension", r"\.md$"),
        ("Reads a page. The path must end with .md, or if it is packed, .md.gz.", r"\.(md|md\.gz)$"),
        ("Reads a page. The path of the result should end with .md.", ""),
        ("Reads a page; its other paths should end with .md.", ""),
    ],
)
def test_a_word_names_the_argument_where_the_sentence_is_about_it(text, pattern):
    tool = {"name": "a", "description": text, "inputSchema": {"properties": {"path": {"type": "string"}}}}
    assert in_fixes({"tools": [tool]}) == ([pattern] if pattern else [])


def test_the_object_around_an_argument_says_how_it_is_written():
    name = {"type": "object", "properties": {"name": {"type": "string"}}}
    for text, found in (("The column. Name must end with _id.", 0), ("The column. Name must be YYYY-MM-DD.", 1)):
        assert len(patterns({**name, "description": text})) == found
    assert patterns({**name, "description": "The column. The name of the table must be YYYY-MM-DD."}) == []


@pytest.mark.parametrize(
    ("schema", "rules"),
    [
        ({"description": "Table, written as schema.table"}, ["missing-format"]),
        ({"description": "Account (12 digits)"}, ["missing-format"]),
        ({"description": "Order, must start with ord_"}, ["missing-format"]),
        # The text or the schema shows what it looks like.
        ({"description": "Table, written as schema.table, e.g. 'shop.orders'"}, ["well-known-format"]),
        ({"description": "Order, must start with ord_", "default": "ord_1"}, ["well-known-format"]),
        # Everybody knows it.
        ({"description": "Day (YYYY-MM-DD)"}, ["well-known-format"]),
        ({"description": "ISO 8601 timestamp"}, ["well-known-format"]),
        ({"description": "Two-letter country code"}, ["well-known-format"]),
        ({"description": "Fill, as hex color"}, ["well-known-format"]),
        ({"description": "Page to read; must start with '/'"}, ["well-known-format"]),
        ({"description": "Tag without the leading '#'"}, ["well-known-format"]),
        ({"description": "Issue key like PROJ-123"}, ["well-known-format"]),
        ({"description": "Time of day, HH:MM"}, ["well-known-format"]),
        # A model writes the year first.
        ({"description": "Day, in the form DD/MM/YYYY"}, ["missing-format"]),
    ],
)
def test_a_format_is_small_where_models_know_it_or_see_it(schema, rules):
    surface = {"tools": [{"name": "a", "inputSchema": {"properties": {"x": {"type": "string", **schema}}}}]}
    assert [one.rule.removeprefix("clarity/") for one in lint(build_surface(surface), BOTH)] == rules


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("End of the event, RFC 3339. All-day events end on the day after.", "2026-01-02"),
        ("Due date (RFC 3339 timestamp)", "2026-01-02"),
        ("Date and time to begin, ISO 8601 timestamp", None),
        ("Cells to clear, in A1 notation", "Totals"),
        ("Cells to clear, in A1 notation", "'Q1 sales'!A1:B2"),
        ("Cells to clear, in A1 notation", "$A$1"),
        ("Fill (#RRGGBB)", None),
        ("Fill as hex color (#1F4E78)", "#FFF"),
        ("Fill as hex color (#1F4E78)", "#1F4E78CC"),
    ],
)
def test_a_pattern_takes_what_such_servers_usually_take_as_well(text, taken):
    form = stated_form(text)
    assert form is not None
    if taken is None:
        assert not any(re.search(form.pattern, value) for value in ("2026-01-02", "#FFF"))
    else:
        assert re.search(form.pattern, taken)


def test_what_a_description_declares_in_front_is_no_part_of_the_form():
    url, mail = r"^https?://", r"^[^@\s]+@[^@\s]+$"
    for front in ("", "(string): ", "(string, optional): ", "[required] ", "Optional. ", "Required: "):
        assert stated_form(f"{front}URL to open").pattern == url
        assert stated_form(f"{front}Email address of the reader").pattern == mail
    assert stated_form("(string): A URL-friendly name") is None
    assert stated_form("(number): URL to open") is None


def test_a_colour_may_be_called_so_by_its_name_only():
    assert stated_form("Hex, e.g. '#1F4E78'", "fill_color").pattern == "^#([0-9A-Fa-f]{3,4}){1,2}$"
    assert stated_form("As a hex string", "borderColour").pattern == "^#?([0-9A-Fa-f]{3,4}){1,2}$"
    assert stated_form("As a hex string", "border") is None
    assert stated_form("Hex or a CSS name", "color") is None


def test_brackets_behind_the_name_are_about_the_argument():
    assert patterns({"type": "string"}, "Draws up to `day` (YYYY-MM-DD), and more.") == [DAY]
    assert patterns({"type": "string"}, "Draws up to `day`, and files of YYYY-MM-DD.") == []


def test_a_pair_in_a_query_is_a_part_of_a_language():
    assert stated_form("Syntax: field:value", "rule") is not None
    assert stated_form("Syntax: field:value", "search_query") is None
    assert stated_form("Day (YYYY-MM-DD)", "filter") is not None


def test_a_ref_is_a_branch_only_where_the_text_says_so():
    assert stated_form("Git ref, e.g. refs/heads/main", "ref").pattern == "^refs/"
    assert stated_form("Branch to read, e.g. refs/heads/main", "ref").pattern == "^refs/heads/"
    assert stated_form("Where to begin, e.g. refs/heads/main", "sourceBranch").pattern == "^refs/heads/"


def test_a_key_is_no_number_and_a_time_taken_is_no_point_in_time():
    assert stated_form("The numeric ID of the team", "team_id") is not None
    assert stated_form("The numeric ID of the team", "teamKey") is None
    assert stated_form("Time of the call, in milliseconds", "time") is not None
    assert stated_form("Time that the call has taken, in milliseconds", "time") is None


def test_a_cell_of_a_sheet_is_shown_by_an_example():
    form = stated_form("Cell reference, e.g. A1, B2.", "start_cell")
    assert re.search(form.pattern, "Sheet1!B12")
    assert not re.search(form.pattern, "row 1")
    assert stated_form("Cell reference, e.g. A1, B2.", "place") is None
    assert stated_form("Cell of the sheet", "start_cell") is None


@pytest.mark.parametrize(
    ("own", "found"), [("Where to put it", 1), ("Where to put it. Relative ones are resolved.", 0)]
)
def test_what_the_tool_says_of_a_form_counts_unless_the_argument_takes_more(own, found):
    schema = {"type": "object", "properties": {"out_path": {"type": "string", "description": own}}}
    tools = [{"name": "t", "description": "Copies to `out_path` (absolute path).", "inputSchema": schema}]
    settings = LintSettings(select=("clarity/well-known-format",))
    assert len(lint(build_surface({"tools": tools}), settings)) == found


def test_a_declared_default_is_taken_by_what_is_asked_for():
    network = {"type": "string", "description": "The block, in CIDR notation"}
    assert patterns({**network, "default": ""}) == [f"^$|{NETWORK}"]
    assert patterns({**network, "default": "10.0.0.0/8"}) == [NETWORK]
    listed = {"type": "string", "default": "", "description": "Must be one of: north, south, west"}
    (found,) = lint(
        build_surface({"tools": [{"name": "a", "inputSchema": {"properties": {"x": listed}}}]}),
        LintSettings(select=("clarity/closed-list",)),
    )
    assert found.fix == 'Add "enum": ["north", "south", "west", ""].'
