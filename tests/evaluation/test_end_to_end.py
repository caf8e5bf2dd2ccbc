"""``eval run --execute``: a stub chooses, a real child is called, and the child logs each call that it gets."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from commandline import governor_here
from evaluation_fakes import answer, evaluation, query, query_set, run
from model_asking import BASE, PATH, VARIABLE
from replacing import replace
from servers.model_stub import KEY, Asked, ModelStub, Reply

from mcp_governor.checking.formats import DOCUMENT_FORMATS
from mcp_governor.evaluation import end_to_end
from mcp_governor.evaluation.end_to_end import execute_choices, without_call
from mcp_governor.evaluation.metrics import Score
from mcp_governor.evaluation.model import Answer, Choice, Executed
from mcp_governor.evaluation.record import Evaluation, answers_text, parse_record, record_text
from mcp_governor.evaluation.store import Store
from mcp_governor.surface import build_surface
from mcp_governor.wire import StdioEndpoint, connect
from mcp_governor.wire.recording import read_recording

SCRIPTED = Path(__file__).parents[1] / "servers" / "scripted.py"
ARGUMENTS = {"type": "object", "properties": {"q": {"type": "string"}}, "additionalProperties": False}
READS = {"readOnlyHint": True}
HINTS = {"find": READS, "lost": READS, "dies": READS, "show": READS, "remove": {"readOnlyHint": False}}
RESULTS: dict[str, Any] = {
    "find": {"content": [{"type": "text", "text": "one"}]},
    "lost": {"content": [{"type": "text", "text": "No such\x1b[2J row"}], "isError": True},
    "dies": "die",
    "show": {"content": [{"type": "text", "text": "two"}]},
    "remove": {"content": []},
}
MODELS = ("anthropic:claude-stub-1", "google:gemini-stub-1")

# What is asked → the right tool, and the call of the model.
ASKED: dict[str, tuple[str, tuple[str, Any]]] = {
    "right": ("find", ("find", {"q": "a"})),
    "same call": ("find", ("find", {"q": "a"})),
    "error": ("lost", ("lost", {"q": "a"})),
    "wrong tool": ("find", ("show", {"q": "b"})),
    "wrong arguments": ("find", ("find", {"q": 1})),
    "crash": ("dies", ("dies", {})),
    "after the crash": ("show", ("show", {"q": "c"})),
    "guarded": ("find", ("find", {"q": "/etc/passwd"})),
    "writes": ("remove", ("remove", {"q": "d"})),
    "wrong tool for a write": ("remove", ("find", {"q": "e"})),
}
CALLS = [["find", {"q": "a"}], ["lost", {"q": "a"}], ["dies", {}], ["show", {"q": "c"}]]
END_TO_END = {
    "success": (3, 7),
    "statuses": {"success": 3, "error": 1, "died": 1},
    "not_called": {"guarded": 1, "writes": 2},
}


def choose(asked: Asked) -> Reply:
    return Reply(calls=[ASKED[asked.question][1]]) if asked.question in ASKED else Reply(text="Nothing fits.")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    queries = [{"id": text, "query": text, "gold_tools": [gold]} for text, (gold, _) in ASKED.items()]
    queries.append({"id": "weather", "query": "Will it rain?", "gold_tools": []})
    (tmp_path / "mcp-queries.jsonl").write_text("".join(json.dumps(line) + "\n" for line in queries))
    serve(tmp_path)
    command = json.dumps([sys.executable, str(SCRIPTED), str(tmp_path / "script.json")])
    (tmp_path / "mcp-governor.toml").write_text(f"[servers.notes]\ncommand = {command}\n")
    (tmp_path / "surface.json").write_text(json.dumps({"tools": tools()}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tools() -> list[dict[str, Any]]:
    return [
        {"name": name, "description": f"Use this to {name}.", "inputSchema": ARGUMENTS, "annotations": hints}
        for name, hints in HINTS.items()
    ]


def serve(folder: Path, **results: Any) -> None:
    script = {"tools": tools(), "answers": {**RESULTS, **results}, "log": str(folder / "log"), "lax": True}
    (folder / "script.json").write_text(json.dumps(script))


@pytest.fixture
def stub(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("mcp_governor.evaluation.running.now_text", lambda: "2026-11-23T10:00:00+00:00")
    with ModelStub(choose) as stub:
        for dialect in ("anthropic", "google"):
            monkeypatch.setenv(BASE[dialect], stub.url + PATH[dialect])
            monkeypatch.setenv(VARIABLE[dialect], KEY)
        yield stub


@pytest.fixture
def go(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    command = ("--", sys.executable, str(SCRIPTED), str(folder / "script.json"))
    names = [word for name in MODELS for word in ("--runner", name)]
    return lambda *words: governor_here(
        "eval", "run", *names, "--json-out", "out.json", *words, *command, capsys=capsys
    )


def called(folder: Path) -> list[Any]:
    log = folder / "log"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def measured(folder: Path) -> dict[str, Any]:
    document = json.loads((folder / "out.json").read_text())
    jsonschema.validate(document, DOCUMENT_FORMATS["evaluation"].schema())
    return {
        one["name"]: one["end_to_end"]
        and {**one["end_to_end"], "success": tuple(one["end_to_end"]["success"][key] for key in ("hits", "trials"))}
        for one in document["runners"]
    }


def test_right_calls_are_made_once_and_their_status_counted(folder, stub, go, golden):
    done = go("--execute", "--record", "answers.jsonl")
    assert done.code == 0, done.err
    assert measured(folder) == dict.fromkeys(MODELS, END_TO_END)
    # Where the server is on this machine is no part of what others read.
    assert str(folder) not in (folder / "answers.jsonl").read_text() + done.out
    # Two models chose the same calls; a wrong choice, a write and a path of the system are never sent.
    assert called(folder) == CALLS
    golden("eval-execute.txt", done.out)
    markdown = go("--execute", "--format", "markdown")
    golden("eval-execute.md", markdown.out)


def test_without_the_option_nothing_is_called(folder, stub, go):
    done = go()
    assert done.code == 0, done.err
    assert measured(folder) == dict.fromkeys(MODELS)
    assert called(folder) == []
    assert "end to end" not in done.out


def test_a_replay_calls_nothing_unless_asked_and_says_so(folder, stub, go):
    assert go("--execute", "--record", "answers.jsonl").code == 0
    recorded = (folder / "out.json").read_bytes()
    serve(folder, lost={"content": []})
    replayed = go("--replay", "--record", "answers.jsonl")
    assert replayed.code == 0, replayed.err
    assert (folder / "out.json").read_bytes() == recorded
    assert "recorded ones; to make the calls now, add --execute" in replayed.err
    assert called(folder) == CALLS
    made = go("--replay", "--execute", "--record", "answers.jsonl")
    assert made.code == 0, made.err
    assert "recorded ones" not in made.err
    assert called(folder) == CALLS * 2
    assert measured(folder)[MODELS[0]]["success"] == (4, 7)


def test_an_old_outcome_is_no_outcome_of_a_new_run(folder, stub, go):
    assert go("--execute", "--record", "answers.jsonl").code == 0
    assert go("--record", "answers.jsonl").code == 0
    assert measured(folder) == dict.fromkeys(MODELS)


def test_success_is_in_the_history_once_for_each_evaluation(folder, stub, go, capsys):
    assert go().code == 0
    assert "end to end" not in governor_here("eval", "report", capsys=capsys).out
    assert go("--execute").code == 0
    # Neither a run without calls takes it away, nor is an evaluation the one before itself.
    assert go().code == 0
    assert go("--execute", "--baseline", "last").code == 2
    assert f"{MODELS[0]}: 3 of 7 tasks succeeded end to end" in governor_here("eval", "report", capsys=capsys).out
    serve(folder, lost={"content": []})
    assert go("--execute", "--seed", "1").code == 0
    with Store(folder / ".mcp-governor" / "evaluation.db") as store:
        assert len(store.evaluations()) == 2
    for shape in ("text", "markdown", "html"):
        report = governor_here("eval", "report", "--format", shape, capsys=capsys)
        assert "End-to-end success" in report.out
        assert [report.out.count(cell) for cell in ("3 of 7, 43 %", "4 of 7, 57 %")] == [2, 2]


def test_rankings_are_skipped_and_it_is_said(folder, stub, go):
    done = go("--execute", "--runner", "bm25")
    assert measured(folder) == {**dict.fromkeys(MODELS, END_TO_END), "bm25": None}
    assert "bm25 (proxy): no calls made (a ranking chooses no arguments)." in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("surface.json", "--runner", MODELS[0]), "surface.json is a recording; --execute needs a live server."),
        (("--runner", MODELS[0], "--dry-run", "--", "x"), "--execute has no effect with --dry-run."),
    ],
)
def test_what_cannot_be_executed_is_refused_before_anything_is_asked(folder, stub, capsys, words, said):
    done = governor_here("eval", "run", "--execute", *words, capsys=capsys)
    assert done.code == 2
    assert said in done.err
    assert stub.asked == []


def test_rankings_alone_are_refused(folder, capsys):
    command = ("--", sys.executable, str(SCRIPTED), str(folder / "script.json"))
    done = governor_here("eval", "run", "--execute", "--runner", "bm25", *command, capsys=capsys)
    assert done.code == 2
    assert "--execute has no effect with rankings alone" in done.err


def test_an_evaluation_that_ended_early_calls_nothing_and_says_so(folder, stub, go):
    stub.script = lambda asked: choose(asked) if asked.question == "right" else Reply(status=401)
    done = go("--execute", "--concurrency", "1")
    assert done.code == 1
    assert "No calls were made, because the evaluation ended early." in done.err
    assert called(folder) == []


class Stepping:
    """A clock on which each look takes a second."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        self.seconds += 1
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds


def execute(folder: Path, answers: list[Answer], **options: Any) -> tuple[list[str], int]:
    """Kinds or statuses of outcomes, and the number of sessions."""
    asked = query_set(*(query(number, "find") for number in range(len(answers))))
    sessions = []

    async def main() -> Evaluation:
        endpoint = StdioEndpoint((sys.executable, str(SCRIPTED), str(folder / "script.json")))
        async with connect(endpoint) as session:
            surface = build_surface((await read_recording(session)).raw)

        @asynccontextmanager
        async def opened() -> Any:
            async with connect(endpoint) as session:
                sessions.append(session)
                yield session

        whole = replace(evaluation(asked, run(*answers)), tools=tuple(tools()))
        return await execute_choices(whole, surface, opened, **{"seconds": 60.0, **options})

    (done,) = anyio.run(main).runs
    return [one.outcome.kind or one.outcome.status for one in done.answers if one.outcome], len(sessions)


def find(number: int, words: str) -> Answer:
    return Answer(f"q{number}", (Choice("find", {"q": words}),))


@pytest.mark.parametrize(
    ("options", "outcomes"),
    [
        ({}, ["success", "success", "success", "limit"]),
        # Begins at 1 and ends at 3: the first call begins at 2, the next one at 3 would be too late.
        ({"seconds": 2.0, "clock": Stepping}, ["success", "success", "limit", "limit"]),
    ],
)
def test_calls_and_time_have_a_limit_beyond_which_nothing_is_known(folder, monkeypatch, options, outcomes):
    monkeypatch.setattr(end_to_end, "MAX_CALLS", 2)
    options = {key: value() if callable(value) else value for key, value in options.items()}
    answers = [find(0, "a"), find(1, "a"), find(2, "b"), find(3, "c")]
    assert execute(folder, answers, **options) == (outcomes, 1)
    assert len(called(folder)) == len({"a"} if options else {"a", "b"})


def test_no_server_is_started_where_nothing_is_called(folder):
    wrong = Answer("q0", (Choice("show", {}),))
    assert execute(folder, [wrong, Answer("q1", (), failure="timeout")]) == (["wrong-choice"], 0)
    assert called(folder) == []


def test_a_server_that_hangs_is_started_again(folder):
    serve(folder, find="hang")
    assert execute(folder, [find(0, "a"), find(1, "b")], timeout=0.5) == (["timeout", "timeout"], 2)


def test_a_placeholder_of_a_secret_is_not_sent(folder):
    assert execute(folder, [find(0, "use [redacted]")]) == (["guarded"], 1)
    assert called(folder) == []


def test_outcomes_are_recorded_and_are_no_part_of_what_was_asked():
    asked = query_set(query(1))
    plain = run(answer(1, "find_note"))
    done = run(answer(1, "find_note", outcome=Executed("error", "unknown_name", "It is not there.")))
    before, after = (evaluation(asked, one) for one in (plain, done))
    back = parse_record(record_text(after).encode(), "record.jsonl")
    assert back.runs[0].answers == done.answers
    assert answers_text(after) == answers_text(before) == record_text(before) != record_text(after)


@pytest.mark.parametrize(
    ("gold", "score", "kind"),
    [
        (("find",), {"label": "find", "right": True, "arguments": "valid"}, None),
        (("find",), {"label": "find", "right": True, "arguments": "invalid"}, "invalid-arguments"),
        (("find",), {"label": "find", "right": True, "arguments": "malformed"}, "invalid-arguments"),
        (("find",), {"label": "find", "right": True, "arguments": "undecided"}, "undecided"),
        (("find",), {"label": "show", "right": False}, "wrong-choice"),
        (("find",), {"label": "", "right": False}, "wrong-choice"),
        (("find",), {"label": "remove", "right": False}, "wrong-choice"),
        (("remove",), {"label": "find", "right": False}, "writes"),
        (("remove", "find"), {"label": "show", "right": False}, "wrong-choice"),
        (("remove", "find"), {"label": "remove", "right": True, "arguments": "valid"}, "writes"),
        (("remove", "find"), {"label": "find", "right": True, "arguments": "valid"}, None),
    ],
)
def test_what_is_known_before_a_call(gold, score, kind):
    asked = replace(query(1), gold=gold)
    done = without_call(Score(asked, **score), build_surface({"tools": tools()}))
    assert (done and done.kind) == kind


def test_limits_and_tools_that_read_come_from_the_command_line_and_the_configuration(folder, stub, go, monkeypatch):
    seen: dict[str, Any] = {}

    async def made(evaluation: Evaluation, *_: Any, **options: Any) -> Evaluation:
        seen.update(options)
        return evaluation

    monkeypatch.setattr("mcp_governor.evaluation.end_to_end.execute_choices", made)
    (folder / "mcp-governor.toml").write_text('read-only-tools = ["find*"]\n')
    # The server is typed: what the configuration permits counts with trust only.
    for words, permitted in (((), ()), (("--trust",), ("find*",))):
        done = go("--execute", "--max-time", "50", "--timeout", "7", *words)
        assert (done.code, seen["read_only"], seen["timeout"]) == (0, permitted, 7)
        assert ("mcp-governor.toml does not set read-only-tools" in done.err) == (not permitted)
    assert 0 < seen["seconds"] < 50
