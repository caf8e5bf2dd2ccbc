"""A run that goes on where it ended, and what becomes of members whose process does not answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commandline import governor_here
from replacing import replace

from mcp_governor.errors import UsageError
from mcp_governor.fleet import crew
from mcp_governor.fleet.crew import Progress, work_off
from mcp_governor.fleet.kept import Kept
from mcp_governor.fleet.model import Head, Job, Row
from mcp_governor.programs.child import HelperError
from mcp_governor.store.address import address_of
from mcp_governor.store.store import Store

JOBS = [Job(name, "check", target=f"/nowhere/{name}", today="2026-01-01") for name in "abcd"]


class Process:
    """Stands for a worker: it gives rows, and fails at the members that it is told."""

    started = 0
    asked: list[str]
    fails: dict[str, Any]

    def __init__(self, *_: str, **__: Any) -> None:
        type(self).started += 1

    def ask(self, job: dict[str, Any], seconds: float) -> Any:
        self.asked.append(job["name"])
        found = self.fails.get(job["name"])
        if isinstance(found, Exception):
            raise found
        return (
            found
            if found is not None
            else {"row": {"name": job["name"], "target": "t", "outcome": "same"}, "retired": False}
        )

    def end_stdin(self) -> None: ...

    def close(self, patience: float = 0) -> None: ...


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> type[Process]:
    kind = type("One", (Process,), {"started": 0, "asked": [], "fails": {}})
    monkeypatch.setattr(crew, "Helper", kind)
    return kind


def test_rows_come_in_the_order_of_the_list_and_one_process_serves_many(process) -> None:
    assert [row.name for row in work_off(JOBS, at_once=1)] == ["a", "b", "c", "d"]
    assert process.started == 1
    process.fails["a"] = {"row": {"name": "a", "target": "t", "outcome": "same"}, "retired": True}
    work_off(JOBS, at_once=1)
    assert process.started == 3


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (HelperError("ended"), "the process that read it ended"),
        (HelperError("did not respond within 900 s"), "did not respond within 900 s"),
        ({"row": {"name": 3}}, "sent no row"),
        ({}, "sent no row"),
        ({"row": {"name": "b", "target": "", "outcome": "fine"}, "retired": False}, "sent no row"),
    ],
)
def test_a_process_that_fails_costs_its_member_only(process, answer: Any, why: str) -> None:
    process.fails["b"] = answer
    rows = work_off(JOBS, at_once=1)
    assert [row.outcome for row in rows] == ["same", "unreachable", "same", "same"]
    assert why in (rows[1].why or "")
    assert process.started == 2


def test_progress_ends_with_everything_done(process) -> None:
    seen: list[Progress] = []
    work_off(JOBS, at_once=2, show=seen.append)
    assert (seen[-1].done, seen[-1].total) == (4, 4)
    assert Progress(3, 1200, ("a", "b", "c", "d"), 600.0).words == "3 of 1,200 servers, about 10 min left: a, b, c, …"
    assert Progress(0, 2, ("a",), None).words == "0 of 2 servers: a"


def head(**changes: Any) -> Head:
    common = {"config": "", "root": ".", "settings": {}, "seconds": None, "trust": False}
    plain = Head("a.json", "check", True, {}, 100.0, False, False, "2026-01-01", "", False, common)
    return replace(plain, **changes)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    place = Store(address_of(str(tmp_path / "fleet.db")))
    yield place
    place.close()


def keep(store: Store, *names: str) -> None:
    kept = Kept(store, head(), JOBS)
    for name in names:
        kept.keep(name, Row(name=name, target="before", outcome="same"), f'{{"of": "{name}"}}')


def test_what_is_done_is_not_done_again_until_the_run_is_over(process, store: Store) -> None:
    keep(store, "c", "a")
    kept = Kept(store, head(), JOBS)
    assert kept.words.endswith("UTC: 2 of 4 servers are read already")
    rows = work_off(JOBS, at_once=1, kept=kept)
    assert [(row.name, row.target) for row in rows] == [("a", "before"), ("b", "t"), ("c", "before"), ("d", "t")]
    assert process.asked == ["b", "d"]
    assert set(Kept(store, head(), JOBS).rows) == {"a", "b", "c", "d"}
    kept.complete()
    again = Kept(store, head(), JOBS)
    assert (again.rows, again.words) == ({}, "")


@pytest.mark.parametrize(
    ("changes", "jobs"),
    [
        ({"named": "b.json"}, JOBS),
        ({"work": "lint"}, JOBS),
        ({"shard": "1/2"}, JOBS),
        ({"common": {"settings": {"profile": ["charter"]}}}, JOBS),
        ({}, [replace(job, settings={"profile": ["charter"]}) for job in JOBS]),
        ({}, [replace(job, target=f"{job.target}.json") for job in JOBS]),
        ({}, [replace(job, variant={"args": ["-v"]}) for job in JOBS]),
    ],
)
def test_the_rows_of_another_run_are_none_of_this_one(store: Store, changes: Any, jobs: list[Job]) -> None:
    keep(store, "a")
    assert Kept(store, head(**changes), jobs).rows == {}


def test_a_list_that_changes_costs_the_servers_that_changed(store: Store) -> None:
    keep(store, "a", "b")
    jobs = [JOBS[0], replace(JOBS[1], target="/other"), Job("e", "check", target="/e")]
    kept = Kept(store, head(), jobs)
    assert set(kept.rows) == {"a"}
    assert (kept.run.done, kept.run.total) == (1, 5)


def test_a_recording_that_changes_is_read_again(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text("{}")
    jobs = [Job("a", "check", target=str(file), surface=str(tmp_path / "old.json"))]
    Kept(store, head(), jobs).keep("a", Row(name="a", target="a.json", outcome="same"), None)
    assert set(Kept(store, head(), jobs).rows) == {"a"}
    (tmp_path / "old.json").write_text("{}")
    assert Kept(store, head(), jobs).rows == {}


def test_a_run_goes_on_the_next_day(store: Store) -> None:
    keep(store, "a")
    assert set(Kept(store, head(today="2026-01-02"), [replace(job, today="2026-01-02") for job in JOBS]).rows) == {"a"}


def test_parts_with_one_name_are_one_run(process, store: Store) -> None:
    for part in (JOBS[0::2], JOBS[1::2]):
        kept = Kept(store, head(), JOBS, "4711")
        work_off(part, at_once=1, kept=kept)
        kept.complete()
    assert process.asked == ["a", "c", "b", "d"]
    run = store.run("4711")
    assert run is not None
    assert (run.done, run.total, run.ended is not None) == (4, 4, True)
    assert set(Kept(store, head(), JOBS, "4711").rows) == {"a", "b", "c", "d"}
    with pytest.raises(UsageError, match="The run 4711 of .* is of another list"):
        Kept(store, head(work="lint"), JOBS, "4711")


def test_equal_recordings_are_read_once(process, store: Store, tmp_path: Path) -> None:
    jobs = []
    for name, text in (("a", "1"), ("b", "2"), ("c", "1"), ("d", "1")):
        (tmp_path / f"{name}.json").write_text(text)
        jobs.append(Job(name, "check", target=str(tmp_path / f"{name}.json")))
    rows = work_off(jobs, at_once=1)
    assert process.asked == ["a", "b"]
    assert [(row.name, row.target) for row in rows] == [("a", "t"), ("b", "t"), ("c", "c.json"), ("d", "d.json")]
    kept = Kept(store, head(), jobs)
    work_off(jobs, at_once=1, kept=kept)
    assert {planned.name for planned, fact in store.facts(kept.run.id) if fact is not None} == {"a", "b", "c", "d"}
    process.asked.clear()
    work_off([replace(job, page="page.html") for job in jobs], at_once=1)
    assert process.asked == ["a", "b", "c", "d"]


def test_the_report_is_about_all_parts_of_a_run(process, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.json").write_text(json.dumps({"mcpServers": {name: {"command": "x"} for name in "abc"}}))

    def run(*words: str) -> Any:
        return governor_here("fleet", *words, "--store", "s.db", "--run", "7", "--format", "json", capsys=capsys)

    def rows(done: Any) -> list[tuple[str, str]]:
        return [(row["name"], row["outcome"]) for row in done.report["servers"]]

    first = run("check", "a.json", "--shard", "1/2")
    assert (first.code, first.report["shard"], rows(first)) == (0, "1/2", [("a", "same"), ("c", "same")])
    half = run("report")
    assert (half.code, half.report["shard"]) == (3, "")
    assert rows(half) == [("a", "same"), ("b", "unreachable"), ("c", "same")]
    assert half.report["servers"][1]["why"] == "it is not read yet"
    assert run("check", "a.json", "--shard", "2/2").code == 0
    empty = run("check", "a.json", "--shard", "9/9")
    assert (empty.code, rows(empty)) == (0, [])
    whole = run("report")
    assert (whole.code, rows(whole)) == (0, [("a", "same"), ("b", "same"), ("c", "same")])
    again = run("check", "a.json")
    assert again.stdout == whole.stdout
    assert process.asked == ["a", "c", "b"]
