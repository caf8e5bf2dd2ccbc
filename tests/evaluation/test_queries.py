"""Query sets: what is read and refused, how it is said, what moves the digest; when an argument is as expected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mcp_governor.errors import FileFormatError, NothingCheckedError
from mcp_governor.evaluation import queries as module
from mcp_governor.evaluation.model import Kind
from mcp_governor.evaluation.queries import (
    ABSENT,
    as_line,
    digest,
    load_queries,
    matches,
    parse_set,
    problem_of,
    queries_schema,
)

SCHEMA = Draft202012Validator(queries_schema())


def parsed(*lines: object):
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return parse_set(text.encode("utf-8", "surrogatepass"), "set.jsonl")


WRONG = [
    ("{", "The line is not JSON: Expecting property name enclosed in double quotes at column 2."),
    ("[]", "The line is not a JSON object; write one query a line."),
    ('{"query": NaN}', "The line cannot be read: NaN is not a JSON value."),
    ("[" * 100_000, "The line cannot be read: it nests too deep."),
    ({"query": "a", "arguments": {"x": json.loads("[" * 40 + "]" * 40)}}, "The line nests deeper than 32 levels."),
    ({}, '"query" is a required property.'),
    ({"query": 1}, '"query" is wrong: 1 is not of type "string".'),
    ({"query": " \t"}, '"query" is wrong: " \\t" does not match "\\S".'),
    ({"query": "a" * 4_001}, '"query" is wrong: '),
    ({"text": "a"}, 'Unknown key "text". Other data goes into "meta".'),
    ({"query": "a", "drfat": True}, 'Unknown key "drfat". Did you mean "draft"? Other data goes into "meta".'),
    ({"query": "a", "x\u202e": 1}, 'Unknown key "x\\u{202e}". Other data goes into "meta".'),
    ({"query": "a", "gold_tools": "b"}, '"gold_tools" is wrong: "b" is not of type "array".'),
    ({"query": "a", "gold_tools": [1]}, '"gold_tools.0" is wrong: 1 is not of type "string".'),
    ({"query": "a", "gold_tools": [str(n) for n in range(101)]}, '"gold_tools" is wrong: '),
    ({"query": "a", "gold_tools": ["b"], "forbidden": ["b"]}, 'The tool "b" is both in gold_tools and forbidden.'),
    ({"query": "a", "kind": "sibling"}, "A query of kind sibling needs a tool in gold_tools."),
    (
        {"query": "a", "kind": "abstain", "gold_tools": ["b"]},
        'A query of kind abstain has no tool that is right, but gold_tools names "b".',
    ),
    ({"query": "a", "kind": "neutral"}, '"kind" cannot be "neutral". Use one of positive, sibling, abstain.'),
    (
        {"query": "a", "arguments": {"x": 1}},
        "A query of kind abstain cannot have arguments, because",
    ),
    ({"query": "a", "split": "train"}, '"split" cannot be "train". Use one of dev, test.'),
    ({"query": "a", "draft": 1}, '"draft" is wrong: 1 is not of type "boolean".'),
    ({"query": "a", "meta": []}, '"meta" is wrong: [] is not of type "object".'),
    ({"query": "a", "id": ""}, '"id" is wrong: "" is shorter than 1 character.'),
    *(
        (
            {"query": "a", "tools_file": path},
            '"tools_file" leads out of the folder of the set; name a file in it.',
        )
        for path in ("/etc/passwd", "../x.json", "a/../../x.json", "a\\..\\x.json", "C:x.json")
    ),
]


@pytest.mark.parametrize(("line", "said"), WRONG)
def test_a_line_that_cannot_be_used_is_refused_with_its_number(line: object, said: str) -> None:
    queries, problems = parsed("# a comment", {"query": "fine"}, "", line, {"query": "fine, too"})
    assert [(problem.line, problem.message[: len(said)]) for problem in problems] == [(4, said)]
    assert [(query.text, query.line) for query in queries.queries] == [("fine", 2), ("fine, too", 5)]


@pytest.mark.parametrize(
    ("matcher", "said"),
    [
        ({}, 'has no condition; {"present": true} accepts any value'),
        ({"pattern": "("}, 'has the pattern "(", which is not a regular expression of a linear-time engine'),
        ({"pattern": r"(?=a)b"}, "no look-around"),
        ({"pattern": 1}, '"pattern" is wrong: 1 is not of type "string"'),
        ({"pattern": "a" * 501}, '"pattern" is wrong: '),
        ({"enum": []}, '"enum" is wrong: '),
        ({"enum": None}, '"enum" is wrong: '),
        ({"minimum": True}, '"minimum" is wrong: true is not of type "number"'),
        ({"minimum": 2, "maximum": 1}, "has a minimum of 2, above its maximum of 1"),
        ({"present": False, "enum": [1]}, "must be absent, so other conditions cannot hold"),
        ({"patern": "a"}, 'unknown key "patern". Did you mean "pattern"?'),
        ({"city": "Rome"}, 'An object that has to be equal is written as {"equal": {…}}'),
    ],
)
def test_a_matcher_that_cannot_be_used_is_refused(matcher: object, said: str) -> None:
    _, problems = parsed({"query": "a", "gold_tools": ["b"], "arguments": {"x": matcher}})
    assert len(problems) == 1
    assert said in problems[0].message
    assert problems[0].message.startswith('The matcher of argument "x" ')


def test_repeated_ids_and_repeated_queries_are_refused() -> None:
    _, problems = parsed({"id": "one", "query": "a"}, {"id": "one", "query": "b"}, {"query": "c"}, {"query": "c"})
    assert [(problem.line, problem.message) for problem in problems] == [
        (2, 'The id "one" is used in line 1 already.'),
        (4, "The query is the same as in line 3; remove one of them, or give each an id."),
    ]
    # The same words about other tools are another query.
    assert parsed({"query": "a", "tools_file": "x.json"}, {"query": "a", "tools_file": "y.json"})[1] == []


@pytest.mark.parametrize("text", [b"", b"\n\n", b"# only a comment\n", b"\xef\xbb\xbf"])
def test_an_empty_set_is_refused(text: bytes) -> None:
    with pytest.raises(NothingCheckedError, match=r"set\.jsonl has no query"):
        parse_set(text, "set.jsonl")


def test_what_is_not_utf8_is_refused_with_its_line() -> None:
    with pytest.raises(FileFormatError, match=r"set\.jsonl:2: the line is not UTF-8"):
        parse_set(b'{"query": "a"}\n\xff', "set.jsonl")


def test_numbers_of_queries_and_problems_have_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_QUERIES", 3)
    queries, problems = parsed(*({"query": str(n)} for n in range(5)))
    assert len(queries.queries) == 3
    assert [(problem.line, problem.message) for problem in problems] == [
        (4, "The set has more than 3 queries; split it.")
    ]
    assert len(parsed(*(["[]"] * 500))[1]) == module.MAX_PROBLEMS


def test_loading_stops_at_the_first_problem_and_counts_the_others(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    file.write_text('{"query": "a"}\n[]\n[]\n[]\n')
    with pytest.raises(FileFormatError) as caught:
        load_queries(file)
    assert caught.value.message.endswith(
        "set.jsonl:2: The line is not a JSON object; write one query a line. 2 more problems follow."
    )
    assert "eval check" in caught.value.hint
    with pytest.raises(FileFormatError, match="directory"):
        load_queries(tmp_path)


def test_the_shape_of_published_sets_is_read() -> None:
    line = {"query": "a", "gold_tools": ["b"], "tools_file": "tools/x.json", "source": "BFCL", "n_tools": 6, "id": "i"}
    queries, problems = parsed(line)
    query = queries.queries[0]
    assert problems == []
    assert (query.id, query.text, query.gold, query.kind) == ("i", "a", ("b",), Kind.POSITIVE)
    assert (query.tools_file, query.meta) == ("tools/x.json", {"source": "BFCL", "n_tools": 6})


def test_the_kind_follows_from_the_tools() -> None:
    queries, _ = parsed({"query": "a"}, {"query": "b", "gold_tools": ["t"]})
    assert [query.kind for query in queries.queries] == [Kind.ABSTAIN, Kind.POSITIVE]
    assert all(query.split == "test" and not query.draft for query in queries.queries)


FULL = {
    "id": "one",
    "query": "Where is it?",
    "gold_tools": ["find", "look"],
    "kind": "sibling",
    "arguments": {"place": {"pattern": "^R"}, "n": 3},
    "forbidden": ["delete", "drop"],
    "split": "dev",
    "tools_file": "t.json",
}


def of(*lines: object) -> str:
    queries, problems = parsed(*lines)
    assert problems == []
    return queries.digest


@pytest.mark.parametrize(
    "same",
    [
        {"draft": True},
        {"note": "n"},
        {"meta": {"a": 1}},
        {"gold_tools": ["look", "find"]},
        {"forbidden": ["drop", "delete"]},
        {"arguments": {"n": 3.0, "place": {"pattern": "^R"}}},
    ],
)
def test_what_is_not_measured_does_not_move_the_digest(same: dict) -> None:
    assert of(FULL | same) == of(FULL)


@pytest.mark.parametrize(
    "other",
    [
        {"id": "two"},
        {"query": "Where is it"},
        {"gold_tools": ["find"]},
        {"kind": "positive"},
        {"arguments": {"n": 3}},
        {"forbidden": []},
        {"split": "test"},
        {"tools_file": "u.json"},
    ],
)
def test_what_is_measured_moves_the_digest(other: dict) -> None:
    assert of(FULL | other) != of(FULL)


def test_order_comments_and_defaults_do_not_move_the_digest() -> None:
    one, two = {"query": "a", "gold_tools": ["t"]}, {"query": "b"}
    spelled = {**one, "kind": "positive", "split": "test", "draft": False, "forbidden": [], "arguments": {}}
    assert of(one, two) == of("# said first", two, "", spelled)
    # A fixed value: runs of other days are found by it.
    assert of(one, two) == "sha256:afa45b0484fcb231b84f2ce8424dbfd3a258ed932fe935bbbdc7642cb5496ca5"


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)
MATCHERS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-9, 9),
    st.text(max_size=5),
    st.lists(st.integers(0, 3), max_size=3),
    st.fixed_dictionaries({"equal": st.dictionaries(NAMES, st.integers(0, 3), max_size=2)}),
    st.fixed_dictionaries({"minimum": st.integers(0, 3), "maximum": st.integers(4, 9)}),
    st.fixed_dictionaries({"enum": st.lists(st.integers(), min_size=1, max_size=3)}),
    st.just({"present": True}),
    st.just({"pattern": "^a+$"}),
)
GOLD = st.lists(NAMES.map("g{}".format), min_size=1, max_size=3, unique=True)
LINES = st.builds(
    lambda words, gold, **rest: {"query": f"x{words}", "gold_tools": gold, **rest},
    NAMES,
    GOLD,
    kind=st.sampled_from(["positive", "sibling"]),
    forbidden=st.lists(NAMES.map("f{}".format), max_size=2, unique=True),
    arguments=st.dictionaries(NAMES, MATCHERS, max_size=3),
    split=st.sampled_from(["dev", "test"]),
    draft=st.booleans(),
    note=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5),
    meta=st.dictionaries(NAMES, st.integers(), max_size=2),
)


@given(LINES)
def test_a_query_that_is_written_is_read_as_the_same(line: dict) -> None:
    queries, problems = parsed(line)
    assert problems == []
    assert SCHEMA.is_valid(line)
    again, problems = parsed(as_line(queries.queries[0]))
    assert problems == []
    assert again.queries == queries.queries
    assert SCHEMA.is_valid(as_line(queries.queries[0]))
    assert digest(again.queries) == queries.digest


TABLE = [
    ("a", "a", True),
    ("a", "b", False),
    ("a", ABSENT, False),
    (None, None, True),
    (None, ABSENT, False),
    (1, 1.0, True),
    (1, True, False),
    (0, False, False),
    (True, True, True),
    ([1, {"a": 2}], [1.0, {"a": 2}], True),
    ([1, 2], [2, 1], False),
    ([1], [1, 1], False),
    ({"equal": {"a": [1]}}, {"a": [1]}, True),
    ({"equal": {"a": 1}}, {"a": 1, "b": 2}, False),
    ({"equal": "a"}, ABSENT, False),
    ({"enum": ["a", 1]}, 1, True),
    ({"enum": ["a", 1]}, "b", False),
    ({"pattern": "^R.*e$"}, "Rome", True),
    ({"pattern": "om"}, "Rome", True),
    ({"pattern": "^o"}, "Rome", False),
    ({"pattern": "1"}, 1, False),
    ({"pattern": "a"}, "b\ud800a", True),
    ({"pattern": "z"}, "a" * 10_000 + "z", False),
    ({"minimum": 1}, 1, True),
    ({"minimum": 1}, 0.9, False),
    ({"minimum": 0}, True, False),
    ({"minimum": 0}, "1", False),
    ({"minimum": 1, "maximum": 2}, 2, True),
    ({"minimum": 1, "maximum": 2}, 2.1, False),
    ({"minimum": 1, "enum": [0, 1]}, 0, False),
    ({"present": True}, None, True),
    ({"present": True}, ABSENT, False),
    ({"present": False}, ABSENT, True),
    ({"present": False}, None, False),
]


@pytest.mark.parametrize(("matcher", "value", "expected"), TABLE)
def test_an_argument_matches(matcher: object, value: object, expected: bool) -> None:
    assert problem_of(matcher) is None
    assert matches(matcher, value) is expected


def test_a_pattern_that_would_take_for_ever_elsewhere_is_answered() -> None:
    assert matches({"pattern": "^(a+)+$"}, "a" * 5_000 + "b") is False
