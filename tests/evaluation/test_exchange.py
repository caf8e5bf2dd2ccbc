"""Query sets in the formats of inspect_ai and promptfoo: what goes out comes back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commandline import governor_here
from hypothesis import HealthCheck, given, settings
from test_queries import LINES, parsed

from mcp_governor.errors import FileFormatError, NothingCheckedError
from mcp_governor.evaluation.exchange import FORMATS, exported, imported
from mcp_governor.evaluation.model import Kind

SET = [
    {"id": "one", "query": "Will it rain?", "gold_tools": ["forecast"], "arguments": {"town": {"pattern": "^R"}}},
    {
        "id": "two",
        "query": "Rain or time?",
        "gold_tools": ["forecast", "now"],
        "kind": "sibling",
        "forbidden": ["drop"],
    },
    {"id": "three", "query": "Sing!", "note": "n", "split": "dev", "draft": True, "meta": {"a": [1]}},
]


@pytest.mark.parametrize("form", FORMATS)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(line=LINES)
def test_a_round_trip_keeps_everything(form: str, line: dict) -> None:
    queries, _ = parsed(line)
    text, lost = exported(queries.queries, form)
    if any(sentence.startswith("Left out") for sentence in lost):
        return
    again, problems, dropped = imported(text.encode(), form, "set")
    assert (problems, dropped) == ([], [])
    assert again.queries == queries.queries
    assert again.digest == queries.digest


def test_inspect_has_input_target_and_id() -> None:
    queries, _ = parsed(*SET)
    text, _ = exported(queries.queries, "inspect")
    rows = [json.loads(line) for line in text.splitlines()]
    assert [(row["input"], row["target"], row["id"]) for row in rows] == [
        ("Will it rain?", ["forecast"], "one"),
        ("Rain or time?", ["forecast", "now"], "two"),
        ("Sing!", [], "three"),
    ]
    assert all(set(row) == {"input", "target", "id", "metadata"} for row in rows)


def test_promptfoo_judges_what_it_can_and_the_rest_is_said() -> None:
    queries, _ = parsed(*SET, {"id": "four", "query": "{{ env.KEY }}"}, {"id": "five", "query": "file://etc/passwd"})
    text, lost = exported(queries.queries, "promptfoo")
    document = json.loads(text)
    first, second, third = document["tests"]
    assert first["assert"] == [{"type": "tool-call-f1", "value": ["forecast"], "threshold": 1}]
    assert second["assert"] == [
        {
            "type": "assert-set",
            "threshold": 0.5,
            "assert": [
                {"type": "tool-call-f1", "value": ["forecast"], "threshold": 1},
                {"type": "tool-call-f1", "value": ["now"], "threshold": 1},
            ],
        },
        {"type": "not-tool-call-f1", "value": ["drop"], "threshold": 1e-6},
    ]
    assert third["assert"][0]["value"] == ["drop", "forecast", "now"]
    assert (document["prompts"], third["vars"]) == (["{{query}}"], {"query": "Sing!"})
    # Their text would be evaluated by promptfoo, with the environment of whoever runs it.
    assert lost[0].endswith("a template or a file: four, five.")
    assert "Matchers of arguments" in lost[1]
    assert "no tool of this set is called" in lost[2]


def test_a_data_set_of_others_is_read() -> None:
    rows = [
        {"input": "Will it rain?", "target": "forecast", "id": 7, "metadata": {"level": 1}},
        {
            "input": [{"role": "system", "content": "s"}, {"role": "user", "content": "Now?"}],
            "target": ["now", "clock"],
        },
        {"input": "Sing!", "target": "", "choices": ["a"]},
    ]
    for data in (json.dumps(rows), "\n".join(map(json.dumps, rows))):
        queries, problems, lost = imported(data.encode(), "inspect", "x.json")
        assert problems == []
        assert [(query.text, query.gold) for query in queries.queries] == [
            ("Will it rain?", ("forecast",)),
            ("Now?", ("now", "clock")),
            ("Sing!", ()),
        ]
        assert (queries.queries[0].id, queries.queries[0].meta) == ("7", {"level": 1})
        assert queries.queries[2].kind is Kind.ABSTAIN
        assert lost == [
            "Of a conversation, only the last message of the user is taken over.",
            '"choices" of a sample is not taken over.',
        ]


def test_a_configuration_of_others_is_read() -> None:
    tests = [
        {
            "description": "rain",
            "vars": {"question": "Will it rain?"},
            "assert": [
                {"type": "tool-call-f1", "value": "forecast, radar"},
                {"type": "not-tool-call-f1", "value": ["drop"]},
                {"type": "llm-rubric", "value": "nice"},
            ],
            "options": {},
        },
        {"vars": "file://vars.yaml"},
    ]
    queries, problems, lost = imported(json.dumps({"tests": tests}).encode(), "promptfoo", "p.json")
    assert problems == []
    (query,) = queries.queries
    assert (query.id, query.text, query.gold, query.forbidden) == (
        "rain",
        "Will it rain?",
        ("forecast", "radar"),
        ("drop",),
    )
    assert lost == [
        "An assertion that several tools are all called becomes one of any of them.",
        'Assertions of type "llm-rubric" are not taken over.',
        '"options" of a test is not taken over.',
        "Test 2 has no vars of its own.",
    ]


def test_an_edit_in_the_other_format_comes_back() -> None:
    queries, _ = parsed(*SET)
    document = json.loads(exported(queries.queries, "promptfoo")[0])
    document["tests"][0]["vars"]["query"] = "Any snow?"
    document["tests"][1]["assert"] = []
    again, problems, _ = imported(json.dumps(document).encode(), "promptfoo", "p.json")
    assert problems == []
    assert again.queries[0].text == "Any snow?"
    assert (again.queries[1].gold, again.queries[1].kind) == ((), Kind.ABSTAIN)


@pytest.mark.parametrize(
    ("form", "data", "said"),
    [
        ("inspect", "{", "x:1 is cut off"),
        ("inspect", '{"question": 1}', "sample 1 is not an object with an input"),
        ("inspect", "[1]", "sample 1 is not an object with an input"),
        ("promptfoo", "tests:\n- vars: {}", "promptfoo's YAML is not read"),
        ("promptfoo", '{"tests": "file://tests.csv"}', "has no array of tests"),
    ],
)
def test_what_is_of_another_format_is_refused(form: str, data: str, said: str) -> None:
    with pytest.raises(FileFormatError) as caught:
        imported(data.encode(), form, "x")
    assert said in caught.value.message


def test_a_file_without_tests_is_not_an_empty_set() -> None:
    with pytest.raises(NothingCheckedError):
        imported(b'{"tests": []}', "promptfoo", "x")


def test_the_commands_write_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mcp-queries.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in SET))
    for form in FORMATS:
        done = governor_here("eval", "export", form, "--output", f"{form}.out", capsys=capsys)
        assert done.code == 0
        assert done.err.startswith("note: ")
        done = governor_here("eval", "import", form, f"{form}.out", "--output", "back.jsonl", capsys=capsys)
        assert (done.code, done.err) == (0, "")
        assert [json.loads(line) for line in Path("back.jsonl").read_text().splitlines()] == [
            {
                "id": "one",
                "query": "Will it rain?",
                "gold_tools": ["forecast"],
                "arguments": {"town": {"pattern": "^R"}},
            },
            SET[1],
            {
                "id": "three",
                "query": "Sing!",
                "split": "dev",
                "draft": True,
                "note": "n",
                "meta": {"a": [1]},
            },
        ]
    Path("bad.jsonl").write_text('{"input": "a"}\n{"input": ""}\n')
    done = governor_here("eval", "import", "inspect", "bad.jsonl", "--output", "none.jsonl", capsys=capsys)
    assert (done.code, done.out) == (2, "")
    assert 'bad.jsonl: sample 2: "query" is wrong' in done.err
    assert not Path("none.jsonl").exists()
