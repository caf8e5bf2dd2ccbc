"""Examples in prose: what is found, and that foreign text of any size and shape is read in bounded time."""

from __future__ import annotations

import time

import pytest

from mcp_governor.call.prose import listed_values, marked_examples, parameter_descriptions, quoted_values, spellings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("IANA (e.g., 'Asia/Tokyo', 'Europe/London'). Use 'UTC' if unsure.", ["Asia/Tokyo", "Europe/London"]),
        ("Full name of the repository, e.g. octocat/Hello-World.", ["octocat/Hello-World"]),
        ("Example: `orders`", ["orders"]),
        ('Examples: "1h 30m" (one hour and a half), "1d"', ["1h 30m", "1d"]),
        ("A name, for example \u201cParis\u201d", ["Paris"]),
        ("Output format (e.g. json, yaml, wide)", ["json"]),
        ("Labels (e.g. [\"key1=value1\", \"key2=value2\"])", [["key1=value1", "key2=value2"]]),
        ("Rows, such as, [{ time: '2015', value: 23 }, { time: '2016', value: 32 }].",
         [[{"time": "2015", "value": 23}, {"time": "2016", "value": 32}]]),
        ("Total thoughts (numeric value, e.g., 5, 10)", ["5"]),
        ("The path (e.g. <your-path>)", []),
        ("An API key, e.g. 'your-key-here'", []),
        ("It doesn't matter, don't worry", []),
        ("", []),
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'red', 'green'", ["red", "green"]),
        ("red, green or blue", ["red", "green", "blue"]),
        ("['a_b', 'c']", ["a_b", "c"]),
    ],
)
def test_lists_in_prose(text, expected):
    assert listed_values(text) == expected


def test_parameter_descriptions_of_a_docstring_and_of_one_line():
    docstring = (
        "Find it.\n\nArgs:\n    query: what to find, e.g. 'cats'\n    limit (int): how many\n\nReturns:\n    all"
    )
    assert parameter_descriptions(docstring)["query"] == "what to find, e.g. 'cats'"
    assert parameter_descriptions(docstring)["limit"] == "how many"
    assert parameter_descriptions("- `path`: where")["path"] == "where"
    one_line = "Args: filename (str), position ('before' or 'after'), style (str, default 'Heading 1')."
    assert parameter_descriptions(one_line)["position"] == "'before' or 'after'"
    assert parameter_descriptions(one_line)["style"] == "str, default 'Heading 1'"


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
    begun = time.monotonic()
    assert len(marked_examples(hostile)) <= 5
    assert len(quoted_values(hostile)) <= 5
    assert all(len(value) <= 200 for value in quoted_values(hostile))
    assert len(parameter_descriptions(hostile)) <= 401
    assert len(listed_values(hostile)) <= 5
    assert time.monotonic() - begun < 5
