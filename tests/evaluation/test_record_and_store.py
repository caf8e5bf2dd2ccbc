"""Evaluations as JSON Lines and in SQLite: the same bytes for the same content, and one sentence for a wrong file."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from evaluation_fakes import TOOLS, answer, evaluation, info, query, query_set, run
from replacing import replace

from mcp_governor.errors import FileFormatError
from mcp_governor.evaluation.asking import answer_key, offer_for
from mcp_governor.evaluation.model import Answer, Choice, Usage
from mcp_governor.evaluation.record import Evaluation, parse_record, read_record, record_text
from mcp_governor.evaluation.store import Kept, Store
from mcp_governor.secret_detection import learn

QUERIES = query_set(query(1, arguments={"id": 1}), query(2, "", note="none fits"), query(3, forbidden=("delete_note",)))


def _evaluation(**more: object) -> Evaluation:
    answers = (
        answer(1, "find_note", usage=Usage(10, 2, 1, 0.25, 2)),
        Answer("q2", (), text="No tool fits.", refused=True),
        Answer(
            "q3", (Choice("find_note", None, '{"id"'),), failure="truncated", detail="why", served="m-1", scores=(0.5,)
        ),
    )
    runs = (
        run(*answers, runner=info(temperature=0.0, version="1"), ended="stopped"),
        run(answers[0], runner=info("bm25", proxy=True)),
    )
    return evaluation(QUERIES, *runs, **more)


def test_a_record_is_read_back_as_it_was() -> None:
    made = _evaluation(split="test")
    text = record_text(made)
    back = parse_record(text.encode(), "record.jsonl")
    assert record_text(back) == text
    # The line of a query is its place in the file.
    assert [replace(one, line=0) for one in back.queries.queries] == [*QUERIES.queries]
    assert back.queries.digest == QUERIES.digest
    assert [one.answers for one in back.runs] == [one.answers for one in made.runs]
    assert [one.runner for one in back.runs] == [one.runner for one in made.runs]
    assert (back.split, back.started, back.runs[0].ended) == ("test", made.started, "stopped")


def test_one_line_for_each_tool_query_and_answer() -> None:
    lines = [json.loads(line) for line in record_text(_evaluation()).splitlines()]
    kinds = [next(key for key in ("format", "tool", "query", "runner", "answer") if key in line) for line in lines]
    assert kinds == ["format", *["tool"] * 4, *["query"] * 3, "runner", *["answer"] * 3, "runner", "answer"]


def test_a_record_has_no_secrets() -> None:
    learn("sk-secret-value-of-a-test", "API_KEY")
    said = replace(_evaluation(), server="says sk-secret-value-of-a-test")
    assert "sk-secret" not in record_text(said)


@pytest.mark.parametrize(
    ("line", "replacement", "message"),
    [
        (1, "{}", r"file:1: the line does not state the format mcp-governor/evaluation-record-1, but null\."),
        (1, '{"format": "mcp-governor/evaluation-9"}', r"but \"mcp-governor/evaluation-9\"\."),
        (1, '{"format": "mcp-governor/evaluation-record-1"}', r'not of this format: "server" is a required'),
        (2, "nonsense", r"file:2: the line is not JSON\."),
        (2, "[1]", r"file:2: the line is not a JSON object of this format\."),
        (2, '{"a":' * 70 + "1" + "}" * 70, r"file:2: the line is not a JSON object of this format\."),
        (2, '{"else": 1}', r"file:2: the line has no tool, query, runner, or answer of a runner before it\."),
        (2, '{"tool": {}}', r"file:2: the line has a tool without a name\."),
        (2, '{"answer": {}}', r"file:2: the line has no tool, query, runner, or answer of a runner before it\."),
        (6, '{"query": {"id": 1}}', r"file: a query cannot be used: "),
        (9, '{"runner": {}, "started": ""}', r'format: "runner" is wrong: "name" is a required property\.'),
        (10, '{"answer": {"query": "q1", "calls": []}}', r'file:10: the line has no "usage"\.'),
        (10, '{"answer": {"query": "q1", "calls": [7], "usage": {}}}', r'file:10: .*"answer.calls.0" is wrong: 7 is'),
    ],
)
def test_a_wrong_line_is_named(line: int, replacement: str, message: str) -> None:
    lines = record_text(_evaluation()).splitlines()
    lines[line - 1] = replacement
    with pytest.raises(FileFormatError, match=message):
        parse_record("\n".join(lines).encode(), "file")


def test_an_answer_to_an_unknown_query_is_refused() -> None:
    text = record_text(_evaluation()).replace('"query": "q1", "usage"', '"query": "other", "usage"')
    with pytest.raises(FileFormatError, match=r'an answer is to the query "other", which is not in the file'):
        parse_record(text.encode(), "file")


def test_a_missing_or_empty_record(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="No such file"):
        read_record(tmp_path / "none.jsonl")
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(FileFormatError, match="is empty"):
        read_record(tmp_path / "empty.jsonl")


def test_answers_stay(tmp_path: Path) -> None:
    path = tmp_path / ".mcp-governor" / "evaluation.db"
    given = _evaluation().runs[0].answers
    with Store(path) as store:
        assert store.get("k") is None
        store.put("k", "x", given[0], "2026-11-23T10:00:00+00:00")
        store.put("k", "x", given[2], "2026-11-23T10:00:01+00:00")
    with Store(path) as store:
        assert store.get("k") == Kept(given[2], "2026-11-23T10:00:01+00:00")
    assert (path.parent / ".gitignore").read_text() == "*\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_only_the_owner_reads_the_file(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        Store(tmp_path / "a.db").close()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.db").stat().st_mode) == 0o600


def test_secrets_do_not_reach_the_file(tmp_path: Path) -> None:
    learn("sk-another-secret-of-a-test", "API_KEY")
    with Store(tmp_path / "a.db") as store:
        store.put("k", "x", Answer("q1", (), text="the key is sk-another-secret-of-a-test"), "")
    assert b"sk-another" not in (tmp_path / "a.db").read_bytes()


def test_an_evaluation_is_kept_once_and_the_newest_come_last(tmp_path: Path) -> None:
    old, new = _evaluation(), _evaluation(started="2026-12-01T00:00:00+00:00", split="dev")
    with Store(tmp_path / "a.db") as store:
        assert [store.add(new), store.add(old), store.add(new)] == [1, 2, 1]
        assert [one.number for one in store.evaluations()] == [2, 1]
        assert [one.number for one in store.evaluations(1)] == [1]
        found = store.evaluation(2)
        assert found is not None
        assert record_text(found.evaluation) == record_text(old)
        assert store.evaluation(9) is None


def _foreign(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE other (x)")
    database.close()


def _later(path: Path) -> None:
    Store(path).close()
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 2")
    database.close()


def _damaged_row(path: Path) -> None:
    Store(path).close()
    with sqlite3.connect(path) as database:
        database.execute("INSERT INTO answers VALUES ('k', 'x', 'q', '', '{')")
    database.close()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path.write_bytes(b"not a database at all" * 100), "is not a store of mcp-governor"),
        (_foreign, "has other tables than those of this mcp-governor"),
        (_later, "has other tables than those of this mcp-governor"),
        (_damaged_row, "has an answer that cannot be read"),
        (lambda path: path.mkdir(), "cannot be opened: Is a directory"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_sentence(tmp_path: Path, make: object, message: str) -> None:
    path = tmp_path / "a.db"
    make(path)  # type: ignore[operator]
    with pytest.raises(FileFormatError, match=message) as raised, Store(path) as store:
        store.get("k")
    assert raised.value.hint
    assert "\n" not in raised.value.message


WRITER = """
import sys
from pathlib import Path
from mcp_governor.evaluation.model import Answer
from mcp_governor.evaluation.store import Store
with Store(Path(sys.argv[1])) as store:
    for number in range(40):
        store.put(f"{sys.argv[2]}-{number}", "x", Answer("q", ()), "")
"""


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(at)]) for at in range(4)]
    assert [writer.wait(120) for writer in writers] == [0] * 4
    with Store(path) as store:
        assert all(store.get(f"{at}-{number}") for at in range(4) for number in range(40))


def test_the_key_of_an_answer_depends_on_everything_that_the_answer_does() -> None:
    asked, runner = query(1), info(temperature=0.0, version="1")
    offer = offer_for(TOOLS, asked, 7)
    key = answer_key(runner, asked, offer)
    assert key == answer_key(runner, replace(asked, id="other", note="x"), offer)
    reworded = [{**tool, "description": "Other."} if at == 2 else tool for at, tool in enumerate(offer.tools)]
    others = [
        answer_key(replace(runner, model="two"), asked, offer),
        answer_key(replace(runner, temperature=0.5), asked, offer),
        answer_key(replace(runner, temperature=None), asked, offer),
        answer_key(replace(runner, version="2"), asked, offer),
        answer_key(replace(runner, endpoint="http://localhost"), asked, offer),
        answer_key(replace(runner, name="b:c"), asked, offer),
        answer_key(runner, replace(asked, text="Else"), offer),
        answer_key(runner, asked, replace(offer, tools=tuple(reversed(offer.tools)))),
        answer_key(runner, asked, replace(offer, tools=tuple(reworded))),
        answer_key(runner, asked, replace(offer, seed=offer.seed + 1)),
    ]
    assert len({key, *others}) == len(others) + 1


def test_the_order_depends_on_the_seed_and_the_query_and_not_on_the_server() -> None:
    def order(seed: int, number: int, tools: object = TOOLS) -> list[str]:
        return [str(tool["name"]) for tool in offer_for(tools, query(number), seed).tools]  # type: ignore[arg-type]

    assert order(1, 1) == order(1, 1, TOOLS[::-1])
    assert sorted(order(1, 1)) == sorted(str(tool["name"]) for tool in TOOLS)
    assert len({tuple(order(seed, number)) for seed in range(4) for number in range(4)}) > 8
    first = [order(0, number)[0] for number in range(400)]
    assert all(70 < first.count(str(tool["name"])) < 130 for tool in TOOLS)
