"""Values that are found in what a server writes: examples in descriptions, and what a refusal asks for."""

from __future__ import annotations

import time
from datetime import date

import pytest

from mcp_governor.call.outcome import Response, failure_message, suggested_arguments
from mcp_governor.call.prose import (
    Lesson,
    listed_values,
    marked_examples,
    parameter_descriptions,
    quoted_values,
    read_lesson,
    spellings,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("IANA (e.g., 'Asia/Tokyo', 'Europe/London'). Use 'UTC' if unsure.", ["Asia/Tokyo", "Europe/London"]),
        ("Full name of the repository, e.g. octocat/Hello-World.", ["octocat/Hello-World"]),
        ('Examples: "1h 30m" (one hour and a half), "1d"', ["1h 30m", "1d"]),
        ("A name, for example \u201cParis\u201d", ["Paris"]),
        ("Output format (e.g. json, yaml, wide)", ["json"]),
        ("Labels (e.g. [\"key1=value1\", \"key2=value2\"])", [["key1=value1", "key2=value2"]]),
        ("Rows, such as, [{ time: '2015', value: 23 }, { time: '2016', value: 32 }].",
         [[{"time": "2015", "value": 23}, {"time": "2016", "value": 32}]]),
        ("The path (e.g. <your-path>)", []),
        ("It doesn't matter, don't worry", []),
    ],
)  # fmt: skip
def test_marked_examples(text, expected):
    assert marked_examples(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Position. Must be 'before' or 'after'.", ["before", "after"]),
        ('The `mode`. One of: "fast", "slow"', ["fast", "slow", "mode"]),
        ("A 'string' or 'null'", []),
    ],
)
def test_quoted_values_come_after_choices_first(text, expected):
    assert quoted_values(text) == expected


def test_parameter_descriptions_of_a_docstring():
    docstring = (
        "Find it.\n\nArgs:\n    query: what to find, e.g. 'cats'\n    limit (int): how many\n\nReturns:\n    all"
    )
    assert parameter_descriptions(docstring)["query"] == "what to find, e.g. 'cats'"
    assert parameter_descriptions(docstring)["limit"] == "how many"
    assert parameter_descriptions("- `path`: where")["path"] == "where"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("5", [5]), ("[1, 2]", [[1, 2]]), ("['a']", [["a"]]), ("{a: 1}", [{"a": 1}]), ("true", [True]), ("plain", []),
     ("{1: 2}", []), ("(1, 2)", []), ("[" * 250, []), ("9" * 1000, []), ("b'x'", []), ("1e999999999", [])],
)  # fmt: skip
def test_spellings_are_json_values(text, expected):
    assert list(spellings(text)) == expected


@pytest.mark.parametrize(
    "hostile",
    [
        "e.g. '" * 200_000,
        "'a' " * 300_000,
        '"' * 1_000_000,
        "e.g. " + "(" * 1_000_000,
        "one of " * 150_000,
        "a" * 1_000_000,
        "name (" * 200_000,
        ("x" * 60 + ": y\n") * 20_000,
        "e.g. [" + "[" * 1_000_000,
    ],
)
def test_a_megabyte_of_prose_is_read_in_no_time_and_gives_few_values(hostile):
    begun = time.process_time()
    assert len(marked_examples(hostile)) <= 5
    assert len(quoted_values(hostile)) <= 5
    assert all(len(value) <= 200 for value in quoted_values(hostile))
    assert len(parameter_descriptions(hostile)) <= 400
    assert len(listed_values(hostile)) <= 5
    assert time.process_time() - begun < 5


DAY = date(2026, 11, 23)
DECLARED = ("zone", "day", "mode", "path")


def lesson(text, **sent):
    return read_lesson(text, DECLARED, sent or {"zone": "example", "mode": "example"}, DAY)


@pytest.mark.parametrize(
    ("text", "arguments", "value"),
    [
        ("Invalid timezone: 'No time zone found with key example'", ("zone",), "UTC"),
        ("mode must be one of: fast, slow", ("mode",), "fast"),
        ("mode: Invalid enum value. Expected 'fast' | 'slow', received 'example'", ("mode",), "fast"),
        ("mode\n  Input should be 'fast' or 'slow' [type=literal_error, input_value='example']", ("mode",), "fast"),
        ("Unknown mode 'example'. Available modes: ['fast', 'slow']", ("mode",), "fast"),
        ('No such mode. Did you mean "fast"?', ("mode",), "fast"),
        ("day: expected YYYY-MM-DD", ("day",), "2026-11-23"),
        ("day must be in the format DD.MM.YYYY", ("day",), "23.11.2026"),
        ("day must be an ISO 8601 date", ("day",), "2026-11-23T12:00:00Z"),
        ("Not a valid URL", (), "https://example.com/"),
        ("Use A1 notation such as 'B2'", (), "B2"),
    ],
)
def test_values_that_a_refusal_asks_for(text, arguments, value):
    found = lesson(text)
    assert found.arguments == arguments
    assert found.values[0] == value
    assert not found.hopeless


def test_what_was_refused_is_not_proposed_again():
    assert "example" not in lesson("mode must be one of: 'example', 'fast'").values


def test_an_argument_is_known_by_the_value_that_is_quoted():
    found = read_lesson("nothing called orders-7", ("a", "b"), {"a": "orders-7", "b": "x"}, DAY)
    assert found.arguments == ("a",)


@pytest.mark.parametrize(
    "text",
    [
        "Missing API key. Set the X_API_KEY variable.",
        "401 Unauthorized",
        "getaddrinfo ENOTFOUND api.example.com",
        "[Errno -2] Name or service not known",
        "connect ECONNREFUSED 127.0.0.1:5432",
        "fetch failed",
    ],
)
def test_where_no_argument_would_help(text):
    assert lesson(text) == Lesson(hopeless=True)


def test_files_and_names_that_are_taken():
    assert lesson("path must point to an Excel file (.xlsm, .xlsx)").endings == ("xlsx",)
    assert lesson("the file a.txt is empty").endings == ()
    assert lesson("'example' already exists").taken
    assert not lesson("'example' does not exist").taken


def test_arguments_of_a_recovery_for_the_same_tool():
    found = read_lesson("no", DECLARED, {"mode": "x"}, DAY, suggested={"mode": "fast", "undeclared": 1})
    assert found.assigned == (("mode", "fast"),)
    error = {"kind": "unknown_name", "message": "No.", "recovery": {"suggested_tool": "t", "suggested_args": {"a": 1}}}
    envelope = {"status": "error", "data": None, "error": error, "charter_version": "1.2"}
    response = Response.of_result({"content": [], "structuredContent": envelope})
    assert suggested_arguments(response, "t") == {"a": 1}
    assert suggested_arguments(response, "other") == {}
    error["recovery"] = {"suggested_args": {"a": 1}}
    assert suggested_arguments(response, "any") == {"a": 1}
    assert failure_message(response).startswith("No.")


def test_names_of_tools_and_arguments_are_not_values():
    found = read_lesson("Use `list_things` or `mode`, or 'fast'", DECLARED, {}, DAY, known={"list_things"})
    assert found.values == ("fast",)


@pytest.mark.parametrize("hostile", ["must be one of " * 100_000, "'" * 1_000_000, "zone " * 200_000, "(" * 1_000_000])
def test_a_megabyte_of_refusal_is_read_in_no_time(hostile):
    begun = time.process_time()
    assert len(lesson(hostile).values) <= 2_000
    assert time.process_time() - begun < 5
