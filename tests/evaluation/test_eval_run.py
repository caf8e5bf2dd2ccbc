"""``eval run`` and ``eval report`` as a user runs them: with the proxy, with fake models, interrupted, and replayed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from commandline import governor_here
from evaluation_fakes import TOOLS, FakeRunner, PricedRunner, right
from replacing import replace

from mcp_governor.checking.formats import DOCUMENT_FORMATS
from mcp_governor.cli import eval_run
from mcp_governor.evaluation.model import Answer, Choice

QUERIES = [
    {"id": f"{tool['name']}-{number}", "query": f"{words} number {number}", "gold_tools": [tool["name"]]}
    for tool, words in zip(TOOLS, ("add a note", "delete the note", "find my note", "list all notes"), strict=True)
    for number in range(3)
] + [{"id": "weather", "query": "What is the weather?", "gold_tools": []}]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_surface(tmp_path)
    (tmp_path / "mcp-queries.jsonl").write_text("".join(json.dumps(line) + "\n" for line in QUERIES))
    (tmp_path / "mcp-governor.toml").write_text('target = "surface.json"\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_surface(folder: Path, **descriptions: str) -> None:
    tools = [{**tool, "description": descriptions.get(tool["name"], tool["description"])} for tool in TOOLS]
    document = {"tools": tools, "serverInfo": {"name": "notes", "version": "1.0.0"}}
    (folder / "surface.json").write_text(json.dumps(document))


Models = dict[str, FakeRunner]


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Models:
    """Runners by name; every other name is as always."""
    made: Models = {}
    real = eval_run.make_runner
    monkeypatch.setattr(
        eval_run, "make_runner", lambda name, options: made[name] if name in made else real(name, options)
    )
    monkeypatch.setattr("mcp_governor.evaluation.running.now_text", lambda: "2026-11-23T10:00:00+00:00")
    return made


@pytest.fixture
def go(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    return lambda *words: governor_here("eval", *words, capsys=capsys)


def wrong_for(*queries: str, dollars: float = 0.004) -> Any:
    """Calls a tool that does not fit for these queries."""

    def reply(asked: Any, *_: Any) -> Answer:
        made = right(asked, dollars=dollars)
        if not any(asked.id.startswith(name) for name in queries):
            return made
        return Answer(asked.id, (Choice("add_note", {"id": 1}),), usage=made.usage)

    return reply


def test_the_proxy_needs_nothing(folder: Path, go: Any) -> None:
    done = go("run", "--json-out", "out.json")
    assert done.code == 0, done.err
    document = json.loads((folder / "out.json").read_text())
    jsonschema.validate(document, DOCUMENT_FORMATS["evaluation"].schema())
    (runner,) = document["runners"]
    assert (runner["name"], runner["proxy"], runner["accuracy"]["trials"]) == ("bm25", True, 12)
    assert document["agreement"] is None
    assert "bm25 (proxy)" in done.out


def test_a_report_of_models(folder: Path, go: Any, models: Models, golden: Callable[[str, str], None]) -> None:
    models["anthropic:a"] = PricedRunner("anthropic:a", wrong_for("delete_note", "weather"))
    models["openai:b"] = PricedRunner("openai:b", wrong_for("find_note-1"))
    done = go("run", "--runner", "anthropic:a", "--runner", "openai:b", "--runner", "bm25")
    assert done.code == 0, done.err
    golden("eval-run.txt", done.out)
    again = go("run", "--runner", "anthropic:a", "--runner", "openai:b", "--runner", "bm25", "--format", "markdown")
    golden("eval-run.md", again.out)
    assert sum(len(one.sent) for one in models.values()) == 2 * len(QUERIES)


def test_a_drop_is_found_and_the_edit_that_made_it(
    folder: Path, go: Any, models: Models, golden: Callable[[str, str], None]
) -> None:
    many = [
        {**line, "id": f"{line['id']}-{at}", "query": f"{line['query']} {at}"} for line in QUERIES for at in range(8)
    ]
    (folder / "mcp-queries.jsonl").write_text("".join(json.dumps(line) + "\n" for line in many))
    models["anthropic:a"] = FakeRunner("anthropic:a")
    assert go("run", "--runner", "anthropic:a").code == 0
    write_surface(folder, delete_note="Use this when you need to erase a note.")
    models["anthropic:a"] = FakeRunner("anthropic:a", wrong_for("delete_note-1"))
    done = go("run", "--runner", "anthropic:a", "--baseline", "last", "--json-out", "out.json")
    assert done.code == 1
    document = json.loads((folder / "out.json").read_text())
    jsonschema.validate(document, DOCUMENT_FORMATS["evaluation"].schema())
    assert document["comparison"]["verdict"] == "regressed"
    assert len(document["comparison"]["runners"][0]["lost"]) == 8
    report = go("report")
    assert report.code == 1
    golden("eval-report.txt", report.out)
    assert "… you need to [-delete-] {+erase a+} note." in report.out
    page = go("report", "--format", "html")
    assert page.out.count('<path class="mark ') == 2
    assert "<script" not in page.out


def served_by(model: str, reply: Callable[..., Answer] = right) -> Any:
    """Answers in the name of a model."""
    return lambda asked, *_: replace(reply(asked), served=model)


@pytest.mark.parametrize(
    ("now", "reworded", "says", "not_said"),
    [
        (
            "a-2",
            False,
            ["The model changed: anthropic:a was answered by a-1 in the baseline, and is by a-2 now."],
            "less",
        ),
        (
            "a-2",
            True,
            ["two things changed: the tools, and the model.", "by a-1 in the baseline", "by a-2 now"],
            "less",
        ),
        ("a-1", True, ["The descriptions are understood less well than before."], "model changed"),
        ("a-1", False, ["neither the tools nor the model it names changed"], "less well"),
        ("", False, ["neither the tools nor the model it names changed"], "less well"),
    ],
)
def test_a_drop_is_not_blamed_on_words_that_are_the_same(
    folder: Path, go: Any, models: Models, now: str, reworded: bool, says: list[str], not_said: str
) -> None:
    many = [
        {**line, "id": f"{line['id']}-{at}", "query": f"{line['query']} {at}"} for line in QUERIES for at in range(8)
    ]
    (folder / "mcp-queries.jsonl").write_text("".join(json.dumps(line) + "\n" for line in many))
    models["anthropic:a"] = FakeRunner("anthropic:a", served_by("a-1"))
    assert go("run", "--runner", "anthropic:a", "--record", "old.jsonl").code == 0
    if reworded:
        write_surface(folder, delete_note="Erases.")
    models["anthropic:a"] = FakeRunner("anthropic:a", served_by(now, wrong_for("delete_note")))
    # Another store: what is kept for the same words is not asked again.
    words = ("run", "--runner", "anthropic:a", "--baseline", "old.jsonl", "--store", "new.db")
    done = go(*words, "--json-out", "out.json")
    assert done.code == 1
    for sentence in says:
        assert sentence in " ".join(done.out.split())
    assert not_said not in done.out
    document = json.loads((folder / "out.json").read_text())
    jsonschema.validate(document, DOCUMENT_FORMATS["evaluation"].schema())
    comparison = document["comparison"]
    (moved,) = comparison["runners"]
    assert (moved["served_before"], moved["served_after"]) == (["a-1"], [now] if now else [])
    assert (comparison["same_tools"], moved["model_changed"]) == (not reworded, now == "a-2")
    assert document["runners"][0]["served"] == moved["served_after"]


def test_another_model_is_said_without_a_drop_as_well(folder: Path, go: Any, models: Models) -> None:
    for model, file in (("a-1", "old.jsonl"), ("a-2", "new.jsonl")):
        models["anthropic:a"] = FakeRunner("anthropic:a", served_by(model))
        go("run", "--runner", "anthropic:a", "--record", file, "--store", f"{model}.db")
    done = go("report", "old.jsonl", "new.jsonl")
    assert "anthropic:a was answered by a-1 in the baseline, and is by a-2 now." in " ".join(done.out.split())


@pytest.mark.parametrize("gold", [["gone"], ["find_note", "find_nots"]])
@pytest.mark.parametrize("more", [[], ["--dry-run"], ["--replay", "--record", "r.jsonl"]])
def test_a_set_that_names_an_unknown_tool_is_refused_before_anybody_is_asked(
    folder: Path, go: Any, models: Models, gold: list[str], more: list[str]
) -> None:
    models["anthropic:a"] = FakeRunner("anthropic:a")
    go("run", "--runner", "anthropic:a", "--record", "r.jsonl")
    models["anthropic:a"].sent.clear()
    lines = [*QUERIES, {"query": "Where is it?", "gold_tools": gold}, {"query": "Where?", "gold_tools": ["gone"]}]
    (folder / "mcp-queries.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = go("run", "--runner", "anthropic:a", *more)
    assert (done.code, done.out, models["anthropic:a"].sent) == (2, "", [])
    assert f'mcp-queries.jsonl:14: the server has no tool "{gold[-1]}" (gold_tools)' in done.err
    assert "(1 other query names unknown tools)" in done.err
    assert "mcp-governor eval check" in done.err
    # A query of another split is not asked, so its tools do not matter.
    assert go("run", "--runner", "anthropic:a", "--split", "dev").code == 4


def test_a_replay_takes_its_runners_from_the_recording(folder: Path, go: Any, models: Models) -> None:
    models["anthropic:a"] = FakeRunner("anthropic:a")
    go("run", "--runner", "anthropic:a", "--runner", "bm25", "--record", "r.jsonl", "--json-out", "live.json")
    models.clear()
    for words in (["--record", "r.jsonl", "--store", "elsewhere.db"], []):
        done = go("run", "--replay", *words, "--json-out", "replay.json")
        assert done.code == 0, done.err
        assert (folder / "replay.json").read_bytes() == (folder / "live.json").read_bytes()
    one = go("run", "--replay", "--runner", "bm25", "--format", "json")
    assert [runner["name"] for runner in json.loads(one.out)["runners"]] == ["bm25"]


def test_json_is_a_format_as_everywhere(folder: Path, go: Any, models: Models) -> None:
    models["anthropic:a"] = PricedRunner("anthropic:a")
    plan = json.loads(go("run", "--runner", "anthropic:a", "--dry-run", "--format", "json").out)
    assert [(one["runner"], one["asked"]) for one in plan["runners"]] == [("anthropic:a", len(QUERIES))]
    run = go("run", "--runner", "anthropic:a", "--format", "json", "--json-out", "out.json")
    jsonschema.validate(json.loads(run.out), DOCUMENT_FORMATS["evaluation"].schema())
    assert run.out == (folder / "out.json").read_text()
    assert go("report", "--format", "json").out == run.out


@pytest.mark.parametrize(("configured", "code"), [("fail", 1), ("warn", 0)])
def test_an_insensitive_comparison_is_never_silent(
    folder: Path, go: Any, models: Models, configured: str, code: int
) -> None:
    with (folder / "mcp-governor.toml").open("a") as file:
        file.write(f'[evaluation]\ninsensitive = "{configured}"\n')
    models["anthropic:a"] = FakeRunner("anthropic:a")
    go("run", "--runner", "anthropic:a")
    write_surface(folder, add_note="Adds.")
    done = go("run", "--runner", "anthropic:a", "--baseline", "last")
    assert done.code == code
    assert "Verdict: not sensitive enough." in done.out
    assert "so it is not a pass" in done.out


@pytest.mark.parametrize(
    ("key", "value", "code"), [("min-accuracy", 90, 1), ("min-accuracy", 60, 0), ("min-agreement", 0.99, 1)]
)
def test_thresholds_are_knobs(folder: Path, go: Any, models: Models, key: str, value: float, code: int) -> None:
    with (folder / "mcp-governor.toml").open("a") as file:
        file.write(f"[evaluation]\n{key} = {value}\nrunners = ['anthropic:a', 'openai:b']\nmax-cost = 1\n")
    models["anthropic:a"] = FakeRunner("anthropic:a", wrong_for("delete_note"))
    models["openai:b"] = FakeRunner("openai:b")
    done = go("run")
    assert done.code == code
    assert (key in done.out) == bool(code)


@pytest.mark.parametrize(
    ("limit", "words", "asked"),
    [
        ("", [], False),
        ("", ["--trust"], True),
        ("", ["--max-cost", "1"], True),
        ("", ["--runner", "anthropic:a"], True),
        ("max-cost = 1", [], True),
        ("max-cost = 1", ["surface.json"], False),
        ("max-cost = 1", ["surface.json", "--trust"], True),
        ("max-cost = 1", ["surface.json", "--max-cost", "1"], True),
        ("max-cost = 1", ["surface.json", "--runner", "anthropic:a"], True),
    ],
)
def test_a_configuration_alone_spends_nothing_without_a_limit(
    folder: Path, go: Any, models: Models, limit: str, words: list[str], asked: bool
) -> None:
    models["anthropic:a"] = PricedRunner("anthropic:a")
    (folder / "mcp-governor.toml").write_text(
        f'target = "surface.json"\n[evaluation]\nrunners = ["bm25", "anthropic:a"]\n{limit}\n'
    )
    done = go("run", *words)
    assert bool(models["anthropic:a"].sent) == asked
    assert done.code == (0 if asked else 2), done.err
    if not asked:
        assert "anthropic:a costs money" in done.err
        assert "--max-cost" in done.err
        assert go("run", *words, "--dry-run").code == 0
        assert go("run", *words, "--runner", "bm25").code == 0


def test_a_limit_of_the_configuration_is_for_its_own_server(folder: Path, go: Any, models: Models) -> None:
    models["anthropic:a"] = PricedRunner("anthropic:a")
    (folder / "mcp-governor.toml").write_text(
        '[servers.notes]\ncommand = ["no-such-program"]\n[evaluation]\nrunners = ["anthropic:a"]\nmax-cost = 1\n'
    )
    # It would be started.
    for words in ([], ["notes"]):
        assert "no-such-program" in go("run", *words).err
    assert "anthropic:a costs money" in go("run", "--", "no-such-program").err


def test_a_dry_run_sends_nothing(folder: Path, go: Any, models: Models) -> None:
    models["anthropic:a"] = PricedRunner("anthropic:a", most=0.02)
    done = go("run", "--runner", "anthropic:a", "--runner", "bm25", "--dry-run")
    assert done.code == 0
    assert "26 requests, $0.13 expected, $0.26 at most. Nothing was sent." in done.out
    assert models["anthropic:a"].sent == []


def test_max_cost_stops_says_so_and_continues(folder: Path, go: Any, models: Models) -> None:
    models["anthropic:a"] = first = PricedRunner("anthropic:a")
    done = go("run", "--runner", "anthropic:a", "--max-cost", "0.03", "--record", "r.jsonl")
    assert done.code == 1
    assert len(first.sent) == 6
    assert "7 queries of 13 not asked" in done.out
    assert "anthropic:a ended early: the next request may cost $0.0100, and $0.0240 of $0.0300 are spent." in done.out
    assert not (folder / "r.jsonl").exists()
    assert go("report").code == 4
    models["anthropic:a"] = second = PricedRunner("anthropic:a")
    assert go("run", "--runner", "anthropic:a", "--record", "r.jsonl").code == 0
    assert len(second.sent) == 7
    assert (folder / "r.jsonl").exists()


def test_nothing_answered_is_nothing_checked(folder: Path, go: Any, models: Models) -> None:
    models["anthropic:a"] = PricedRunner("anthropic:a")
    assert go("run", "--runner", "anthropic:a", "--max-cost", "0").code == 4
    models["openai:b"] = FakeRunner("openai:b", lambda asked, *_: Answer(asked.id, (), failure="http-400"))
    assert go("run", "--runner", "openai:b").code == 4


def test_a_replay_has_the_same_bytes_and_needs_no_model_no_key_and_no_network(
    folder: Path, go: Any, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    models["anthropic:a"] = FakeRunner("anthropic:a", wrong_for("add_note-0"))
    words = ["run", "--runner", "anthropic:a", "--runner", "bm25", "--record", "r.jsonl", "--json-out"]
    assert go(*words, "live.json").code == 0
    record = (folder / "r.jsonl").read_bytes()

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a replay asked somebody")

    monkeypatch.setattr("socket.socket.connect", refuse)
    monkeypatch.setattr(eval_run, "make_runner", refuse)
    for store in ("elsewhere.db", ".mcp-governor/evaluation.db"):
        done = go(*words, "replay.json", "--replay", "--store", store)
        assert done.code == 0, done.err
        assert (folder / "replay.json").read_bytes() == (folder / "live.json").read_bytes()
    assert (folder / "r.jsonl").read_bytes() == record


def test_a_replay_repeats_recorded_failures_whatever_the_store_has_by_now(
    folder: Path, go: Any, models: Models
) -> None:
    def failing(asked: Any, _: Any, attempt: int) -> Answer:
        return Answer(asked.id, (), failure="http-400") if asked.id == "weather" and attempt == 1 else right(asked)

    models["anthropic:a"] = FakeRunner("anthropic:a", failing)
    words = ["run", "--runner", "anthropic:a", "--json-out"]
    go(*words, "live.json", "--record", "r.jsonl")
    assert go(*words, "second.json").code == 0
    assert models["anthropic:a"].sent.count("weather") == 2
    go(*words, "replay.json", "--record", "r.jsonl", "--replay")
    assert (folder / "replay.json").read_bytes() == (folder / "live.json").read_bytes()
    assert (folder / "second.json").read_bytes() != (folder / "live.json").read_bytes()
    go(*words, "third.json", "--record", "r.jsonl")
    assert models["anthropic:a"].sent.count("weather") == 2


def test_another_set_is_compared_on_what_both_have(folder: Path, go: Any, models: Models) -> None:
    models["anthropic:a"] = FakeRunner("anthropic:a")
    go("run", "--runner", "anthropic:a", "--record", "old.jsonl")
    lines = (folder / "mcp-queries.jsonl").read_text().splitlines()
    (folder / "mcp-queries.jsonl").write_text("\n".join([*lines[:-3], json.dumps({**QUERIES[0], "id": "new"})]))
    done = go("run", "--runner", "anthropic:a", "--baseline", "old.jsonl")
    assert "4 queries not compared: the query set is not the same" in done.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "--runner", "bm25", "--runner", "bm25"], "A runner is named twice"),
        (["run", "--baseline", "last"], "The history has no earlier evaluation"),
        (["run", "--baseline", "7"], "The history has no evaluation 7"),
        (["run", "--replay", "--dry-run"], "--dry-run has no effect with --replay"),
        (["run", "--rate", "x"], "is not PROVIDER=NUMBER"),
        (["run", "--queries", "none.jsonl"], "none.jsonl cannot be read: No such file"),
        (["run", "--store", "surface.json"], "is not a store of mcp-governor"),
    ],
)
def test_wrong_use(folder: Path, go: Any, words: list[str], message: str) -> None:
    done = go(*words)
    assert done.code == 2
    assert message in done.err


SLOW = """
import sys
sys.path.insert(0, {tests!r})
import anyio
from evaluation_fakes import FakeRunner, right
from mcp_governor.cli import eval_run, main
class Slow(FakeRunner):
    async def answer(self, query, offer):
        with open("sent.txt", "a") as file:
            file.write(query.id + "\\n")
        if {hang} and len(open("sent.txt").read().splitlines()) > 5:
            await anyio.sleep_forever()
        return right(query)
eval_run.make_runner = lambda name, options: Slow(name)
main(["eval", "run", "--runner", "anthropic:a", "--concurrency", "1"])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends Ctrl-C to whole consoles")
def test_ctrl_c_keeps_what_was_answered_and_the_same_command_continues(folder: Path) -> None:
    tests = str(Path(__file__).parent)

    def start(hang: bool) -> subprocess.Popen[bytes]:
        code = SLOW.format(tests=tests, hang=hang)
        return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, stdout=subprocess.PIPE)

    process = start(True)
    sent = folder / "sent.txt"
    end = time.monotonic() + 60
    while time.monotonic() < end and not (sent.exists() and len(sent.read_text().splitlines()) > 5):
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"5 answers are kept; the same command continues from there." in said
    again = start(False)
    out, said = again.communicate(timeout=60)
    assert again.returncode == 0, said
    asked = sent.read_text().splitlines()
    assert len(asked) == len(QUERIES) + 1
    assert asked[5] == asked[6]
    assert b"8 asked, 5 kept" in out
