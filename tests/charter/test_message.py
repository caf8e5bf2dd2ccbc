"""One sentence, and nothing of the machine room."""

from __future__ import annotations

import pytest

from mcp_governor.charter.failure import leak, sentence_problem


@pytest.mark.parametrize(
    "message",
    [
        "Table 'user' not found in the indexed schema.",
        "No table is called `public.user. Try again`",
        "Pass a name, e.g. public.orders, i.e. schema and table, etc.",
        "Die Tabelle fehlt, z. B. weil sie umbenannt bzw. Teil einer anderen wurde.",
        "The metric 'revenu' is not defined; see the list of metrics.",
        "The limit of Mr. Smith (approx. 5) is reached!",
        "The file report.final.csv is missing from /data/v1.2/.",
        "The index is still building... try a smaller limit.",
        "Table ‘a. B’ is not indexed.",
        "The store of Acme Inc. has no table 'x'.",
        'The note "Done." cannot be parsed as a date.',
        'The server answered "Not found. Try again." to the lookup.',
        "The user's table isn't in John's schema.",
        "It failed at 3 p.m. on the replica.",
        "The time dimension is ambiguous: subscription.started_at (via ['a. b']), subscription.ended_at.",
        "The table 'x' was dropped on 5 Jan. 2026 by its owner.",
        # German and its neighbours abbreviate with full stops, too.
        "Gib einen Namen an, z. B. Kunden.",
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
        ("No such table (was it dropped?). Search first.", "has 2 sentences"),
        ("No such table\nTry another", "has 2 lines"),
        ("見つかりません。もう一度。", "has 2 sentences"),
    ],
)
def test_not_one_sentence(message, problem):
    assert sentence_problem(message) == problem


@pytest.mark.parametrize(
    "message",
    [
        "Was it 'a'? Try 'b'.",
        "The query took 500 ms. Try a smaller limit.",
        "Use tables, views, etc. Call list_tables first.",
        "The index is still building... Try again later.",
        "Not found (public.user). Run the index first.",
        "Failed at 3 p.m. Try again tomorrow.",
        "Problems:\n- a\n- b",
        "No table of Acme Inc. Try another company.",
    ],
)
def test_more_than_one_sentence(message):
    assert sentence_problem(message) is not None


@pytest.mark.parametrize(
    "message",
    [
        "Table 'ValueError' not found.",
        "There was an Error reading the index.",
        "unknown arguments for find: ['grain']. declared: ['limit', 'name']",
        "The ratio 3:4 is not allowed for images.",
        "MCP error -32602: Input validation error: expected string",
        'No log line matches "ValueError: bad input" in this window.',
        "Package 'pydantic' is not indexed.",
        "No definition at 'src/main.ts:14' was found.",
        "The kind internal_error is not retried.",
        "No alert named 'ENOENT' exists.",
        "The error budget for Error tracking is spent.",
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


@pytest.mark.parametrize(
    "message",
    [
        "The lookup raised KeyError.",
        "DeprecationWarning: use x",
        "invalid literal for int() with base 10: 'abc'",
        "unsupported operand type(s) for +: 'int' and 'str'",
        "not enough values to unpack (expected 2, got 1)",
        "unhashable type: 'list'",
        "maximum recursion depth exceeded",
        "'str' object is not callable",
        "local variable 'x' referenced before assignment",
        "run() missing 1 required positional argument: 'name'",
        "psycopg2 could not connect",
        "runtime error: invalid memory address or nil pointer dereference",
        "called `Option::unwrap()` on a `None` value",
        "Object reference not set to an instance of an object",
        "x.map is not a function",
        "Server exploded: <object object at 0x7f8a2c>",
        "Expected <class 'str'> here.",
        "goroutine 1 [running]:",
        "at com.x.Y(Z.java:10)",
        "Fatal error: Uncaught Exception: no such user",
        "#0 /var/www/a.php(12): find()",
        "undefined method `name' for nil:NilClass (NoMethodError)",
        'Exception in thread "main" closed',
        "Caused by: com.mysql.jdbc.Closed",
        "at App.Orders.Find(String id) in C:\\src\\Orders.cs:line 12",
        "ORA-00942: table or view does not exist",
        "SQLSTATE[42P01]: Undefined table",
        "Expecting value: line 1 column 1 (char 0)",
        "Unexpected token < in JSON at position 0",
    ],
)
def test_the_machine_room_shows(message):
    assert leak(message) is not None


@pytest.mark.parametrize("piece", ["at ", "'", "`a", "[", ". ", "a.b", "at a:1(", '"'])
def test_a_hostile_message_costs_little(piece):
    # Quadratic patterns would make this test run for minutes.
    sentence_problem(piece * 100_000)
    leak(piece * 100_000)
