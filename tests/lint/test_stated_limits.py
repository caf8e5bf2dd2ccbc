"""Limits in prose that the schema lacks: what counts as one, and what only looks like one."""

from __future__ import annotations

import time

import pytest

from mcp_governor.prose.limits import read_limits
from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

INTEGER, NUMBER, TEXT = {"type": "integer"}, {"type": "number"}, {"type": "string"}
LIST = {"type": "array", "items": {"type": "string"}}


def fragment(schema, text, name="n", tool="", required=()):
    """What the fix adds to the schema of one argument; empty where nothing is found."""
    argument = {**schema, **({"description": text} if text else {})}
    root = {"type": "object", "properties": {name: argument}, "required": list(required)}
    surface = build_surface({"tools": [{"name": "a", "description": tool, "inputSchema": root}]})
    found = lint(surface, LintSettings(select=("clarity/limit-without-bound", "clarity/plain-limit")))
    assert len(found) < 2
    return found[0].fix.removeprefix("Add ").removesuffix(f" to the schema of {name}.") if found else ""


@pytest.mark.parametrize(
    ("schema", "text", "name", "expected"),
    [
        (INTEGER, "Number of bars, 2-40", "n", '"minimum": 2, "maximum": 40'),
        (INTEGER, "Number of bars (max: 500)", "n", '"maximum": 500'),
        (INTEGER, "Share of the plans, from 10 to 100", "share", '"minimum": 10, "maximum": 100'),
        (INTEGER, "Rows from 0 to 100", "rows", '"minimum": 0, "maximum": 100'),
        (INTEGER, "At most 10 per page", "limit", '"maximum": 10'),
        (TEXT, "8-character key of the item", "key", '"minLength": 8, "maxLength": 8'),
        (INTEGER, "How many to fetch. Up to 12.", "limit", '"maximum": 12'),
        (LIST, "At least two players", "players", '"minItems": 2'),
        (INTEGER, "between 2 and 8 inclusive", "size", '"minimum": 2, "maximum": 8'),
        (TEXT, "Title, no more than 64 characters", "title", '"maxLength": 64'),
        (TEXT, "Title. Keep it under 64 characters.", "title", '"maxLength": 64'),
        (TEXT, "Title (under 64 characters)", "title", '"maxLength": 64'),
        (INTEGER, "non-negative", "offset", '"minimum": 0'),
        (INTEGER, "A positive integer", "offset", '"minimum": 1'),
        (NUMBER, "Must be positive", "weight", '"exclusiveMinimum": 0'),
        (NUMBER, "Temperature from 0.0 to 2.0", "t", '"minimum": 0.0, "maximum": 2.0'),
        (INTEGER, "Timeout in seconds (1-300)", "timeout", '"minimum": 1, "maximum": 300'),
        (INTEGER, "Timeout, max 30 seconds", "timeout", '"maximum": 30'),
        (LIST, "Tags (max 10)", "tags", '"maxItems": 10'),
        (LIST, "2-8 tags. Leave empty for all.", "tags", '"maxItems": 8'),
        (LIST, "Up to 4 bright lamps for the front door", "lamps", '"maxItems": 4'),
        (LIST, "Up to 4 lamps to put on it", "lamps", '"maxItems": 4'),
        (INTEGER, "Must be between 100ms and 3000ms.", "length_ms", '"minimum": 100, "maximum": 3000'),
        (INTEGER, "How many (cap 50)", "limit", '"maximum": 50'),
        ({**INTEGER, "maximum": 2**53 - 1}, "How many (max 50)", "limit", '"maximum": 50'),
        (LIST, "Provide between 1 and 5 tags.", "tags", '"minItems": 1, "maxItems": 5'),
        (LIST, "Addresses. Up to 50 users can be invited at the same time.", "user_ids", '"maxItems": 50'),
        (TEXT, "2-40 characters", "name", '"minLength": 2, "maxLength": 40'),
        (TEXT, "Max length: 100", "name", '"maxLength": 100'),
        (TEXT, "Cannot be empty", "name", '"minLength": 1'),
        (TEXT, "Title (80 characters max)", "name", '"maxLength": 80'),
        (INTEGER, "Year between 1990 and 2030", "year", '"minimum": 1990, "maximum": 2030'),
        (INTEGER, "Priority from 1 (low) to 5 (high)", "priority", '"minimum": 1, "maximum": 5'),
        (INTEGER, "Page number, starting at 1", "page", '"minimum": 1'),
        (INTEGER, "must be greater than 0", "page", '"minimum": 1'),
        (INTEGER, "Repeats it some times, at most 9", "page", '"maximum": 9'),
        (INTEGER, "minimum of 2, maximum of 8", "seats", '"minimum": 2, "maximum": 8'),
        (INTEGER, "JPEG quality, 0-100%", "quality", '"minimum": 0, "maximum": 100'),
        (INTEGER, "A number in the range [1, 10]", "n", '"minimum": 1, "maximum": 10'),
        (NUMBER, "Latitude (-90..90)", "lat", '"minimum": -90, "maximum": 90'),
        (INTEGER, "Must be 100 or less.", "limit", '"maximum": 100'),
        (INTEGER, "results per page, 100 at most", "limit", '"maximum": 100'),
        (INTEGER, "must be >= 1 and <= 10", "n", '"minimum": 1, "maximum": 10'),
        (TEXT, "255 characters or fewer", "title", '"maxLength": 255'),
        (INTEGER, "Page number (starts at 1)", "page", '"minimum": 1'),
        (INTEGER, "Limit (1 ≤ n ≤ 100)", "limit", '"minimum": 1, "maximum": 100'),
        ({"anyOf": [INTEGER, {"type": "null"}], "default": None}, "1-100", "limit", '"minimum": 1, "maximum": 100'),
        ({**INTEGER, "minimum": 1}, "Depth (1-10)", "depth", '"maximum": 10'),
        # In other words, and behind a sentence that says something else.
        (INTEGER, "Maximum rows returned for each history, from 1 to 100.", "limit", '"minimum": 1, "maximum": 100'),
        (
            INTEGER,
            "Maximum rows returned across all of them, 1–500 (default 100)",
            "limit",
            '"minimum": 1, "maximum": 500',
        ),
        (INTEGER, "JPEG quality 1-100", "quality", '"minimum": 1, "maximum": 100'),
        (INTEGER, "First line (1-based, inclusive)", "line", '"minimum": 1'),
        (INTEGER, "How many, not more than 50", "limit", '"maximum": 50'),
        (INTEGER, "How many (> 0)", "limit", '"minimum": 1'),
        (INTEGER, "返回数量，范围 1-1000，默认 100。", "limit", '"minimum": 1, "maximum": 1000'),
        (INTEGER, "返回数量，最多 50 条", "limit", '"maximum": 50'),
        (TEXT, "Where the user lives. Maximum length is 128 characters. Read-only.", "city", '"maxLength": 128'),
        (TEXT, "80-character limit", "title", '"maxLength": 80'),
        (TEXT, "ARN of the policy. 20-1011 chars.", "arn", '"minLength": 20, "maxLength": 1011'),
        (LIST, "Targets to start (exactly 1 item)", "targets", '"minItems": 1, "maxItems": 1'),
        (
            LIST,
            "Members. For details, see [IDs]. Note: - Up to 50 users at a time.- Users",
            "user_ids",
            '"maxItems": 50',
        ),
        (LIST, "An array of 2-4 answers", "options", '"minItems": 2, "maxItems": 4'),
    ],
)
def test_a_limit_in_prose_is_one_of_the_schema(schema, text, name, expected):
    assert fragment(schema, text, name) == expected
    # The same entry in the tool's description is about the same argument.
    assert fragment(schema, "", name, f"Does it.\n\nArgs:\n    {name}: {text}") == expected


@pytest.mark.parametrize(
    ("schema", "text", "name"),
    [
        (NUMBER, "Score >= 0.5 is kept", "t"),
        (INTEGER, "Seconds to spend (clamped to 1-300)", "budget"),
        (INTEGER, "First row (max 100, min 5000)", "offset"),
        (INTEGER, "First page, counted from 1, values over 40 are clamped", "start"),
        (TEXT, "'a' joins what is short; blocks under 80 characters count as short.", "style"),
        (INTEGER, "Timeout in milliseconds, at most 5 minutes", "timeout"),
        (INTEGER, "Use 3-5 for narrow queries", "n"),
        (INTEGER, "Supports 143+ devices", "n"),
        (NUMBER, "Budget, up to $500", "budget"),
        (TEXT, "Requires API 2.0-3.1", "v"),
        (LIST, "Names, each up to 64 characters", "names"),
        (LIST, "Takes one or more names; leave it out for all", "names"),
        (LIST, "Names. Account-wide operations accept at most one name.", "names"),
        (TEXT, "Names, limited to 50 characters each", "names"),
        (NUMBER, "Costs between 1 and 5 credits", "x"),
        (INTEGER, "The server returns at most 100 results", "limit"),
        (INTEGER, "changed from 2000 to 2016", "x"),
        (NUMBER, "Recommended range 0.2-0.8", "temperature"),
        (INTEGER, "Files up to 10 MB are supported", "n"),
        (TEXT, "e.g. 'top 5-10 results'", "q"),
        (INTEGER, "at least one result is returned", "n"),
        (INTEGER, "Delay (takes 1-5 minutes)", "delay"),
        (INTEGER, "Most results (max: 2000 for comparisons, max: 10 for drivers)", "limit"),
        (INTEGER, "Rows to skip, at least 1, or -1 for all", "skip"),
        (TEXT, "JSON list of objects, name (1-128 characters)", "names"),
        (INTEGER, "The sum of both is positive or negative", "n"),
        ({**INTEGER, "default": 30000}, "Timeout, max 30 seconds", "timeout"),
        ({**INTEGER, "minimum": 1, "exclusiveMaximum": 10}, "Level (1-9)", "level"),
        ({**TEXT, "pattern": "^[a-z]{2,40}$"}, "2-40 characters", "name"),
        ({"type": "array", "items": NUMBER}, "Scores, maximum 10", "scores"),
        ({"type": "boolean"}, "Get up to 5 more excerpts", "extra"),
        ({}, "Level (1-9)", "level"),
        (INTEGER, "Line to begin at, 1-based; negative: from the end", "line"),
        (INTEGER, "Documents: 1-based index. Text files: 0-based offset.", "index"),
        (LIST, "Values. For ONE_OF: exactly one value, a range.", "values"),
        (INTEGER, "Recommended number 5-10", "limit"),
        (INTEGER, "Width in pixels. Capped so width times scale is at most 3000.", "width"),
        (INTEGER, "Timeout in seconds; the service gives up after at most 300 seconds", "timeout"),
        (INTEGER, "How many drawings; sketch-3 supports at most 1", "n"),
        (INTEGER, "Most tokens; models support up to 8192", "max_tokens"),
        (INTEGER, "Days to keep, free plan: max 7", "days"),
        (INTEGER, "Between 5-10 recommended", "count"),
        (INTEGER, "Line to show, 1-based; 0 for the whole file", "line"),
        (INTEGER, "Position, 1-indexed, use 0 to put it first", "position"),
        (INTEGER, "How many, up to 100; more are reduced to 100", "limit"),
        (TEXT, "Message; first line at most 72 characters", "message"),
        (TEXT, "Text to speak. Responses are limited to 500 characters.", "text"),
        (TEXT, "Text to speak (up to 5000 characters; longer texts are cut)", "text"),
        (INTEGER, "Maximum 10 per second", "limit"),
        (INTEGER, "At most 10 calls a minute", "limit"),
        (NUMBER, "Weights must sum to at most 1", "weight"),
        (LIST, "Ids to fetch (up to 100 per request; more are split into batches)", "ids"),
        (LIST, "Ids to fetch, up to 100 ids; fetched in batches", "ids"),
        (LIST, "Up to 4 lamps for the free plan", "lamps"),
        (LIST, "Up to 4 lamps for guests", "lamps"),
        (LIST, "Up to 4 rooms for the front lamps", "lamps"),
    ],
)
def test_what_only_looks_like_a_limit(schema, text, name):
    assert fragment(schema, text, name) == ""


def test_that_a_list_is_not_empty_is_a_small_thing_of_another_rule():
    assert fragment(LIST, "One or more names", "names", required=("names",)) == ""
    assert fragment(LIST, "Two or more names", "names", required=("names",)) == '"minItems": 2'


def test_a_sentence_about_the_argument_counts():
    assert fragment(INTEGER, "", "page_size", "Lists. page_size must be between 1 and 100.") == (
        '"minimum": 1, "maximum": 100'
    )
    assert fragment(INTEGER, "", "page_size", "Lists. With page_size the work takes up to 100 calls.") == ""


def either(schema, **bounds):
    return {"anyOf": [{**schema, **bounds}, {"type": "string"}, {"type": "null"}]}


def test_what_servers_take_as_text_as_well_has_the_limit():
    assert fragment(either(INTEGER), "Rows (max 10)", "rows") == '"maximum": 10'
    assert fragment(either(LIST), "Up to 10 rows", "rows") == '"maxItems": 10'
    assert fragment(either(INTEGER, maximum=10), "Rows (max 10)", "rows") == ""
    assert fragment(either(LIST, maxItems=10), "Up to 10 rows", "rows") == ""
    # Which of the two it limits is open.
    assert fragment({"anyOf": [INTEGER, LIST]}, "Rows (max 10)", "rows") == ""


def test_a_limit_in_the_description_of_the_tool_is_reported_at_the_argument():
    root = {"type": "object", "properties": {"seats": INTEGER, "name": {**TEXT, "description": "2-40 characters"}}}
    text = "Books. For 2 to 20 guests.\n\nArgs:\n    seats: Number of seats (2-8)"
    surface = build_surface({"tools": [{"name": "a", "description": text, "inputSchema": root}]})
    found = lint(surface, LintSettings(select=("clarity/limit-without-bound",)))
    assert {one.path for one in found} == {"/inputSchema/properties/seats", "/inputSchema/properties/name/description"}


@pytest.mark.parametrize(
    ("schema", "text", "rule"),
    [
        (INTEGER, "Page, starting at 1", "plain-limit"),
        (NUMBER, "Must be positive", "plain-limit"),
        (TEXT, "Cannot be empty", "plain-limit"),
        (INTEGER, "At least 2", "limit-without-bound"),
        (INTEGER, "At most 1", "limit-without-bound"),
        (TEXT, "26-character identifier", "plain-limit"),
        (TEXT, "2 to 26 characters", "limit-without-bound"),
        (INTEGER, "From 0 to 100", "limit-without-bound"),
        ({**INTEGER, "maximum": 100}, "From 0 to 100", "plain-limit"),
    ],
)
def test_a_least_number_of_one_and_an_exact_length_have_a_rule_of_their_own(schema, text, rule):
    root = {"type": "object", "properties": {"n": {**schema, "description": text}}}
    surface = build_surface({"tools": [{"name": "a", "inputSchema": root}]})
    found = lint(surface, LintSettings(select=("clarity/limit-without-bound", "clarity/plain-limit")))
    severity = "info" if rule == "plain-limit" else "warning"
    assert [(one.rule, one.severity) for one in found] == [(f"clarity/{rule}", severity)]


def test_two_limits_on_one_side_are_none():
    assert fragment(INTEGER, "Rows (max 10). Rows: at most 20.", "rows") == ""


@pytest.mark.parametrize("text", ["1-2, " * 200_000, "max " * 250_000, "between 1 and " * 80_000, "0" * 1_000_000])
def test_long_strings_are_read_in_time(text):
    started = time.process_time()
    read_limits(text)
    assert time.process_time() - started < 5
