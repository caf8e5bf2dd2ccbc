"""A run that goes on where it ended, and what becomes of members whose process does not answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from replacing import replace

from mcp_governor.errors import UsageError
from mcp_governor.fleet import crew
from mcp_governor.fleet.crew import Progress, work_off
from mcp_governor.fleet.member import Job
from mcp_governor.fleet.model import Row
from mcp_governor.fleet.state import State
from mcp_governor.programs.helper import HelperError

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


def kept(path: Path, *names: str) -> None:
    state = State(path, JOBS)
    for name in names:
        state.keep(name, Row(name=name, target="before", outcome="same"))
    state.close()


def test_what_is_done_is_not_done_again_and_the_file_goes(process, tmp_path: Path) -> None:
    path = tmp_path / "state"
    kept(path, "c", "a")
    with path.open("ab") as file:
        file.write(b'{"name":"b","row":{"na' + b"x" * 999)  # a run that was killed while it wrote
    state = State(path, JOBS)
    rows = work_off(JOBS, at_once=1, state=state)
    assert [(row.name, row.target) for row in rows] == [("a", "before"), ("b", "t"), ("c", "before"), ("d", "t")]
    assert process.asked == ["b", "d"]
    assert set(State(path, JOBS).rows) == {"a", "b", "c", "d"}
    state.complete()
    assert not path.exists()


@pytest.mark.parametrize(
    "jobs",
    [
        JOBS[:3],
        [*JOBS, Job("e", "check", target="/e")],
        [replace(job, work="lint") for job in JOBS],
        [replace(job, settings={"profile": ["charter"]}) for job in JOBS],
    ],
)
def test_the_state_of_another_run_is_refused(tmp_path: Path, jobs: list[Job]) -> None:
    kept(tmp_path / "state", "a")
    with pytest.raises(UsageError, match="the state of another run"):
        State(tmp_path / "state", jobs)


def test_a_run_goes_on_the_next_day(tmp_path: Path) -> None:
    kept(tmp_path / "state", "a")
    assert set(State(tmp_path / "state", [replace(job, today="2026-01-02") for job in JOBS]).rows) == {"a"}


@pytest.mark.parametrize(
    "text", [b"{}\n", b"hello\n", b'{"format":"mcp-governor/fleet-state-1"}\n', b"[" * 99_999 + b"\n"]
)
def test_another_file_is_refused_and_left_alone(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "state"
    path.write_bytes(text)
    with pytest.raises(UsageError, match="is not the state of a run"):
        State(path, JOBS)
    assert path.read_bytes() == text


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        State(tmp_path / "no" / "state", JOBS)


def test_equal_recordings_are_read_once(process, tmp_path: Path) -> None:
    jobs = []
    for name, text in (("a", "1"), ("b", "2"), ("c", "1"), ("d", "1")):
        (tmp_path / f"{name}.json").write_text(text)
        jobs.append(Job(name, "check", target=str(tmp_path / f"{name}.json")))
    rows = work_off(jobs, at_once=1)
    assert process.asked == ["a", "b"]
    assert [(row.name, row.target) for row in rows] == [("a", "t"), ("b", "t"), ("c", "c.json"), ("d", "d.json")]
    process.asked.clear()
    work_off([replace(job, page="page.html") for job in jobs], at_once=1)
    assert process.asked == ["a", "b", "c", "d"]
