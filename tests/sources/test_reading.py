"""What the reader of the statements accepts, and what it says of a mistake."""

from __future__ import annotations

from collections import Counter

import pytest
from source_statements import STATES, StatementError, documents, read_document

HEAD = """
title = "A source"
profile = "charter"
sections = ["One"]
[pieces]
tool = '{"name": "a", "inputSchema": {"type": "object"}}'
"""
STATEMENT = """
[[statement]]
number = 7
section = "One"
says = "A tool has a name."
rules = ["spec/tool-name"]
"""
BAD = """
[[statement.bad]]
tool = '{"$piece": "tool", "name": ""}'
"""
GOOD = """
[[statement.good]]
tool = "$piece:tool"
"""


def read(text):
    return read_document(text, "charter", frozenset({"spec/tool-name", "tool-removed"}))


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (STATEMENT + BAD + GOOD, "enforced"),
        (STATEMENT, "open"),
        (STATEMENT + 'tests = ["tests/test_text.py"]', "enforced"),
        (STATEMENT + 'partly = "Names of one letter pass."' + BAD + GOOD, "partly"),
        (STATEMENT + 'declined = "It would be noise."', "declined"),
        (STATEMENT + 'beyond = "It is about people."', "beyond a tool"),
        (STATEMENT + 'planned = "issue 17"', "planned"),
    ],
)
def test_the_state_follows_from_what_is_there(text, state):
    (statement,) = read(HEAD + text).statements
    assert statement.state == state


def test_a_case_is_named_after_its_statement_and_holds_its_pieces():
    (statement,) = read(HEAD + STATEMENT + BAD + GOOD).statements
    assert [case.id for case in statement.cases] == ["charter-007-bad-1", "charter-007-good-1"]
    assert statement.bad[0].content == {"tool": {"name": "", "inputSchema": {"type": "object"}}}
    assert statement.good[0].content == {"tool": {"name": "a", "inputSchema": {"type": "object"}}}
    assert (statement.bad[0].rules, statement.good[0].rules) == ({"spec/tool-name"}, frozenset())


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (STATEMENT + 'rule = "x"', "unknown field `rule`"),
        (STATEMENT.replace("tool-name", "tool-nam"), 'no rule or kind of change spec/tool-nam. Did you mean "spec/'),
        (STATEMENT + STATEMENT, "number 7 is there twice"),
        (STATEMENT.replace("number = 7", 'number = "7a"'), "number is '7a'"),
        (STATEMENT.replace('says = "A tool has a name."', ""), "missing required field `says`"),
        (STATEMENT + 'beyond = "x"\ndeclined = "y"', "it gives beyond and declined"),
        (STATEMENT + 'tests = ["tests/nothing.py"]', "there is no file tests/nothing.py"),
        (STATEMENT.replace('rules = ["spec/tool-name"]', "") + GOOD, "neither rules nor a command"),
        (STATEMENT + "[[statement.bad]]\n", "bad 1: it holds nothing"),
        (STATEMENT + '[[statement.bad]]\ntool = \'{"$piece": "tol"}\'\n', "there is no piece or member 'tol'"),
        (
            STATEMENT + '[[statement.bad]]\ntool = \'{"$piece": "tool", "$without": ["x"]}\'',
            "there is no piece or member 'x'",
        ),
        (STATEMENT + GOOD + 'rules = ["spec/tool-name"]', "a good case has no findings"),
        (STATEMENT + BAD + 'severity = "fatal"', "Invalid enum value 'fatal'"),
    ],
)
def test_a_mistake_is_named_with_its_place(text, reported):
    with pytest.raises(StatementError) as error:
        read(HEAD + text)
    assert str(error.value).startswith("fixtures/sources/charter.toml")
    assert reported in str(error.value)


def test_a_section_without_statements_is_refused():
    with pytest.raises(StatementError, match="section 'Two' has no statement"):
        read(HEAD.replace('["One"]', '["One", "Two"]') + STATEMENT)


def test_a_value_is_repeated():
    text = HEAD + STATEMENT + '[[statement.bad]]\ntool = \'{"a": {"$times": [3, "ab"]}, "b": {"$times": [2, [1]]}}\''
    assert read(text).statements[0].bad[0].content["tool"] == {"a": "ababab", "b": [[1], [1]]}


def test_every_statement_of_the_audit_and_of_the_plan_is_there_once():
    numbers = [statement.number for document in documents() for statement in document.statements]
    assert sorted(numbers) == sorted([*map(str, range(1, 325)), *(f"P{number}" for number in range(1, 55))])


def test_few_statements_are_open_or_have_a_gap():
    states = Counter(statement.state for document in documents() for statement in document.statements)
    assert set(states) <= set(STATES)
    assert (states["open"], states["partly"] <= 10) == (0, True)
