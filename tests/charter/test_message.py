"""One sentence, and nothing of the machine room."""

from __future__ import annotations

import pytest

from mcp_governor.charter.message import leak, sentence_problem


@pytest.mark.parametrize(
    "message",
    [
        "Table 'user' not found in the indexed schema.",
        "Table 'user' not found in the indexed schema",
        "No table is called `public.user. Try again`",
        "Pass a name, e.g. public.orders, i.e. schema and table, etc.",
        "The value 3.5 is over the limit of 2.0 in version 0.6.1.",
        "The metric 'revenu' is not defined; see the list of metrics.",
        "Nothing was found for [a. b, c. D]",
        "Is that table indexed?",
        "The limit of Mr. Smith (approx. 5) is reached!",
        "見つかりません。",
    ],
)
def test_one_sentence(message):
    assert sentence_problem(message) is None


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ("", "is empty"),
        ("  \n ", "is empty"),
        ("No such table. Try another.", "has 2 sentences"),
        ("No such table 'users'. If you do not know it, search first.", "has 2 sentences"),
        ("No such table (was it dropped?). Search first.", "has 2 sentences"),
        ("It failed! Why? Nobody knows.", "has 3 sentences"),
        ("no such table. try another", "has 2 sentences"),
        ("No such table\nTry another", "has 2 lines"),
        ("見つかりません。もう一度。", "has 2 sentences"),
    ],
)
def test_not_one_sentence(message, problem):
    assert sentence_problem(message) == problem


@pytest.mark.parametrize(
    "message",
    [
        "Table 'ValueError' not found.",
        "The column `KeyError.args` is not indexed.",
        "There was an Error reading the index.",
        "The exception to this is the table of users.",
        "The request timed out at 12:30 local time.",
        "unknown arguments for find: ['grain']. declared: ['limit', 'name']",
        "The ratio 3:4 is not allowed for images.",
        "The file report.py is not indexed.",
        "Type mismatch: expected a number.",
        "MCP error -32602: Input validation error: expected string",
    ],
)
def test_a_clean_message(message):
    assert leak(message) is None


@pytest.mark.parametrize(
    ("message", "what"),
    [
        ("Traceback (most recent call last):\n  File", "stack trace"),
        ('File "/srv/app.py", line 3, in find', "stack trace"),
        ("Cannot read it\n    at Object.find (/srv/index.js:10:5)", "stack trace"),
        ("failed in store.py:120", "stack trace"),
        ("thread 'main' panicked at src/lib.rs", "stack trace"),
        ("KeyError: user", "KeyError"),
        ("sqlite3.OperationalError: no such table", "OperationalError"),
        ("java.lang.NullPointerException", "NullPointerException"),
        ("1 validation error for findArguments", "library words"),
        ("Field required [type=missing, input_value={}]", "library words"),
        ("(psycopg.errors.UndefinedTable) relation", "library words"),
        ('[{"code": "invalid_type", "path": ["q"]}]', "library words"),
        ("'NoneType' object has no attribute 'name'", "library words"),
        ("find() got an unexpected keyword argument 'x'", "library words"),
        ("list index out of range", "library words"),
        ("Cannot read properties of undefined (reading 'x')", "library words"),
        ("connect ECONNREFUSED 127.0.0.1:5432", "ECONNREFUSED"),
        ("[Errno 2] No such file", "Errno 2"),
    ],
)
def test_a_leak_is_named(message, what):
    assert what in (leak(message) or "")


@pytest.mark.parametrize("piece", ["at ", "'", "`a", "[", ". ", "a.b", "at a:1(", '"'])
def test_a_hostile_message_costs_little(piece):
    # Quadratic patterns would make this test run for minutes.
    sentence_problem(piece * 100_000)
    leak(piece * 100_000)
