"""The queue: a real PostgreSQL, two workers, one killed in the middle, and the report of the local engine."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commandline import PYTHON, governor
from postgres import PASSWORD, postgres
from replacing import replace
from support import SERVERS, Leash
from test_fleet_state import JOBS, head

from mcp_governor.errors import UsageError
from mcp_governor.fleet import queueing
from mcp_governor.fleet.crew import Done
from mcp_governor.fleet.kept import Digests, Kept, OtherFilesError, as_text, local, portable, refuse_foreign
from mcp_governor.fleet.model import Job, Row
from mcp_governor.store.address import address_of
from mcp_governor.store.store import Store

HERE = Path("/home/somebody")


def sent(job: Job, folder: Path = HERE) -> str:
    return as_text(portable(job, folder, Digests()))


@pytest.mark.parametrize(
    ("target", "kept"),
    [
        ("", ""),
        ("pypi:mcp-server-time==1", "pypi:mcp-server-time==1"),
        ("https://h.example/mcp", "https://h.example/mcp"),
        ("sse+https://h.example/mcp", "sse+https://h.example/mcp"),
        ("/home/somebody/all/a.json", "all/a.json"),
        ("/home/somebody/.mcp.json#a/b//c", ".mcp.json#a/b//c"),
        ("/home/somebody/x.toml#..", "x.toml#.."),
    ],
)
def test_what_travels_has_no_path_of_this_machine(target: str, kept: str, tmp_path: Path) -> None:
    job = Job("a", "check", target=target, root="/home/somebody", surface="/home/somebody/surfaces/a.json")
    found = portable(job, HERE, Digests())
    assert (found.job.target, found.job.root, found.job.surface) == (kept, ".", "surfaces/a.json")
    refuse_foreign(found)
    there = local(as_text(found), tmp_path, "2026-01-02", Digests(), trust=False)
    assert there.target == target.replace("/home/somebody", str(tmp_path))
    assert (there.root, there.surface) == (str(tmp_path), str(tmp_path / "surfaces" / "a.json"))
    assert there.today == "2026-01-02"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"target": "python:os:system"}, "neither a package, an address nor a file"),
        ({"target": "python server.py"}, "neither a package, an address nor a file"),
        ({"target": "git:HEAD"}, "neither a package, an address nor a file"),
        ({"target": "-- rm -rf /"}, "neither a package, an address nor a file"),
        ({"target": "file:///etc/passwd"}, "neither a package, an address nor a file"),
        ({"target": "/etc/mcp.json#a"}, "/etc/mcp.json is outside of the folder"),
        ({"target": "../mcp.json#a"}, "../mcp.json is outside of the folder"),
        ({"target": "a/../../b.json"}, "a/../../b.json is outside of the folder"),
        ({"config": "/etc/governor.toml"}, "outside of the folder"),
        ({"surface": "../s.json"}, "outside of the folder"),
        ({"page": "/srv/www/index.html"}, "outside of the folder"),
        ({"root": "/"}, "outside of the folder"),
        ({"with_": "mcp @ https://h.example/mcp.whl"}, "mcp is installed from an address"),
        ({"with_": "../mcp"}, "is not a requirement"),
        ({"with_": "--index-url=https://h.example"}, "is not a requirement"),
        ({"variant": {"command": ["rm"]}}, "settings that only the configuration has"),
        ({"trust": True}, "settings that only the configuration has"),
    ],
)
def test_a_job_brings_no_code_and_no_path_to_a_worker(changes: dict[str, Any], error: str, tmp_path: Path) -> None:
    plain = json.loads(sent(Job("a", "check", target="https://h.example/mcp")))
    text = json.dumps({**plain, "job": {**plain["job"], **changes}})
    with pytest.raises(UsageError, match=error):
        local(text, tmp_path, "2026-01-02", Digests(), trust=True)


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "null", "{}", '{"job": {}, "files": {}}', '{"job": 3, "files": {}}', "[" * 9_999, "\x00"),
        '{"job": {"name": "a", "work": "format"}, "files": {}}',
        '{"job": {"name": "a", "work": "check"}, "files": {}, "code": "import os"}',
    ],
)
def test_what_is_no_job_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no job for it"):
        local(text, tmp_path, "2026-01-02", Digests(), trust=True)


def test_a_worker_with_other_files_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "there").mkdir()
    job = Job("a", "check", target=str(tmp_path / "a.json"), surface=str(tmp_path / "old.json"), root=str(tmp_path))
    text = sent(job, tmp_path)
    assert local(text, tmp_path, "", Digests(), trust=False) == job
    with pytest.raises(UsageError, match=r"^a\.json of a worker is not the file that the run was started with$"):
        local(text, tmp_path / "there", "", Digests(), trust=False)
    (tmp_path / "old.json").write_text("{}")
    with pytest.raises(UsageError, match=r"^old\.json of a worker"):
        local(text, tmp_path, "", Digests(), trust=False)


def test_the_settings_of_a_variant_are_those_of_the_worker(tmp_path: Path) -> None:
    config = tmp_path / "governor.toml"
    lines = '[servers.s]\ncommand = ["x"]\n[servers.s.variants]\nloud = { env = { TOKEN = "s3cretive-Word" } }\n'
    config.write_text(lines)
    job = Job("s@loud", "check", server="s", label="loud", variant={"env": {"TOKEN": "s3cretive-Word"}})
    job = replace(job, config=str(config), root=str(tmp_path))
    text = sent(job, tmp_path)
    assert "s3cretive" not in text
    assert local(text, tmp_path, "", Digests(), trust=False) == job
    config.write_text(lines.replace("s3cretive-Word", "another"))
    with pytest.raises(UsageError, match="settings of the variant are others"):
        local(text, tmp_path, "", Digests(), trust=False)
    config.write_text('[servers.s]\ncommand = ["x"]\n')
    with pytest.raises(UsageError, match="does not have the variant"):
        local(text, tmp_path, "", Digests(), trust=False)


def test_a_server_that_ends_its_workers_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Idle:
        def work(self, job: Job) -> Done:
            return Done(Row(name=job.name, target="t", outcome="same"))

    store, said, given_back = Store(address_of(str(tmp_path / "s.db"))), [], []
    jobs = [replace(job, target="https://h.example/mcp") for job in JOBS[:3]]
    jobs.append(replace(JOBS[3], target=str(Path.cwd() / "absent.json")))
    (tmp_path / "absent.json").write_text("{}")
    kept = Kept(store, head(), jobs)
    monkeypatch.setattr(queueing, "Hand", Idle)
    worker = queueing._Worker(store, queueing.Workplace(tmp_path, 1, 10.0, None, False, said.append, given_back.append))
    for member, attempts in (("a", 4), ("b", 5), ("a", 9), ("nobody", 0)):
        worker._read(kept.run.id, member, attempts)
    assert {name: (row.outcome, row.why) for name, row in kept.fresh()} == {
        "a": ("same", None),
        "b": ("unreachable", "5 workers ended while they read it"),
    }
    assert (worker.count, [row.name for row in said]) == (2, ["a", "b"])
    # A worker with other files gives the job back, and the last one says why nobody did it.
    for attempts in (0, 3):
        with pytest.raises(OtherFilesError):
            worker._read(kept.run.id, "d", attempts)
    why = "absent.json of a worker is not the file that the run was started with"
    assert given_back == [f"d: {why}"] * 2
    assert "d" in store.pending(kept.run.id)
    worker._read(kept.run.id, "d", 4)
    assert {name: row.why for name, row in kept.fresh()}["d"] == why
    # What a worker that ends has cut off says nothing of the server.
    worker._stopping.set()
    with pytest.raises(InterruptedError):
        worker._read(kept.run.id, "c", 0)
    assert "c" in store.pending(kept.run.id)
    store.close()


@pytest.mark.parametrize(
    ("looks", "why"),
    [
        # Seconds, servers left, jobs that wait, jobs that a worker has.
        ([(299, 4, 4, 0)], ""),
        ([(301, 4, 4, 0)], "no worker took it from the queue in 300 s"),
        # A job was taken, or a row came: the time begins anew.
        ([(1, 4, 4, 0), (200, 4, 3, 0), (499, 4, 3, 0)], ""),
        ([(1, 4, 4, 0), (200, 4, 3, 0), (501, 4, 3, 0)], "no worker took it from the queue in 300 s"),
        ([(200, 3, 4, 0), (499, 3, 4, 0)], ""),
        # What others put into the queue is no sign of a worker.
        ([(1, 4, 4, 0), (200, 4, 9, 0), (301, 4, 9, 0)], "no worker took it from the queue in 300 s"),
        # A worker that has a job may need its whole time, and no longer.
        ([(959, 4, 3, 1)], ""),
        ([(961, 4, 3, 1)], "the worker that took it has not answered"),
        # A job that a worker had for long and gave back waits for the next one as others do.
        ([(1, 4, 3, 1), (400, 4, 3, 1), (401, 4, 4, 0), (700, 4, 4, 0)], ""),
        ([(1, 4, 3, 1), (401, 4, 4, 0), (702, 4, 4, 0)], "no worker took it from the queue in 300 s"),
        ([(29, 4, 0, 0)], ""),
        ([(31, 4, 0, 0)], "it was lost from the queue"),
    ],
)
def test_how_long_nobody_is_waited_for(looks: list[tuple[int, int, int, int]], why: str) -> None:
    wait = queueing.Waiting(4, 0.0)
    assert [wait.given_up(*look) for look in looks] == [""] * (len(looks) - 1) + [why]


def test_the_progress_says_that_no_worker_takes_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Queue:
        def list_queues(self, queue: str) -> list[dict[str, int]]:
            return [{"todo": 4, "doing": 0}]

    class Clock:
        """Each look at the time costs 40 seconds, and sleep none."""

        now = 0.0

        def monotonic(self) -> float:
            self.now += 40
            return self.now

        def sleep(self, seconds: float) -> None: ...

    store, shown = Store(address_of(str(tmp_path / "s.db"))), []
    jobs = [replace(job, target="https://h.example/mcp") for job in JOBS]
    kept = Kept(store, head(), jobs)
    monkeypatch.setattr(queueing, "time", Clock())
    app: Any = type("App", (), {"job_manager": Queue()})
    why = queueing._wait(app, store, kept.run.id, {"a", "b", "c", "d"}, lambda progress: shown.append(progress.words))
    assert why == "no worker took it from the queue in 300 s"
    assert shown[0] == (
        "0 of 4 servers: no worker has taken a job for 40 s; "
        f"start one with mcp-governor fleet worker --store {store.address.shown}"
    )
    assert len(shown) == 7
    store.close()


@pytest.fixture
def database() -> Iterator[str]:
    with postgres() as url:
        yield url


def listed(folder: Path, count: int) -> None:
    """Servers that take their time, two of them broken."""

    def entry(name: str, *tools: str, wait: float = 0.0) -> dict[str, Any]:
        described = [{"name": one, "description": "Finds it.", "inputSchema": {"type": "object"}} for one in tools]
        how = {"info": {"name": name, "version": "1.0.0"}, "tools": described}
        script = f"import runpy, sys, time; time.sleep({wait}); sys.argv.pop(0); "
        script += "runpy.run_path(sys.argv[0], None, '__main__')"
        return {"command": PYTHON, "args": ["-c", script, str(SERVERS / "plain.py"), json.dumps(how)]}

    servers = {f"s{at}": entry(f"s{at}", f"find_{at}", f"get_{at}", wait=1.0) for at in range(count - 2)}
    servers |= {
        "absent": {"command": "no-such-program"},
        "crash": {"command": PYTHON, "args": ["-c", "raise SystemExit('no key')"]},
    }
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))


def start(folder: Path, *words: str, env: dict[str, str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "mcp_governor", "fleet", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=folder, env=env, **pipes)


def running(url: str) -> int:
    """Jobs that a worker has taken."""
    import psycopg

    with contextlib.suppress(psycopg.errors.UndefinedTable), psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(*) FROM procrastinate_jobs WHERE status = 'doing'").fetchone()
        return row[0] if row else 0
    return 0


def test_a_worker_is_killed_with_jobs_in_flight_and_the_report_is_that_of_the_local_engine(
    tmp_path: Path, database: str
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        listed(folder, 8)
    words = ("check", ".mcp.json", "--format", "json", "--min-coverage", "50")
    whole = governor("fleet", *words, cwd=here)
    leash = Leash()
    plain = database.replace(f":{PASSWORD}", "")
    env = {**os.environ, "MCP_GOVERNOR_TEST": leash.mark, "LOGNAME": leash.mark, "PGPASSWORD": PASSWORD}
    hands = ("worker", "--store", plain, "--jobs", "2", "--heartbeat", "0.5")
    first = start(there, *hands, env=env)
    check = start(here, *words, "--engine", "queue", "--store", plain, env=env)
    for _ in range(1_200):
        if running(database) == 2:
            break
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    taken = running(database)
    second = start(there, *hands, "--idle", "3", env=env)
    out, err = check.communicate(timeout=240)
    worker_out, worker_err = second.communicate(timeout=60)
    first_out, first_err = first.communicate(timeout=60)
    assert taken == 2
    assert (check.returncode, out) == (whole.code, whole.stdout.decode())
    assert second.returncode == 0, worker_err
    assert "8 servers wait for workers: mcp-governor fleet worker --store postgresql://fleet@127.0.0.1" in err
    assert PASSWORD not in out + err + worker_out + worker_err + first_out + first_err
    assert leash.left_behind() == []
    reported = governor("fleet", "report", "--store", database, "--format", "json", cwd=here)
    assert reported.stdout == whole.stdout
    assert PASSWORD.encode() not in reported.stdout + reported.stderr


def test_a_worker_that_is_asked_to_end_gives_its_job_back(tmp_path: Path, database: str) -> None:
    listed(tmp_path, 3)
    document = json.loads((tmp_path / ".mcp.json").read_text())
    document["mcpServers"] = {"hangs": {"command": PYTHON, "args": ["-c", "import time; time.sleep(600)"]}}
    (tmp_path / ".mcp.json").write_text(json.dumps(document))
    leash = Leash()
    env = {**os.environ, "MCP_GOVERNOR_TEST": leash.mark, "LOGNAME": leash.mark}
    check = start(tmp_path, "check", ".mcp.json", "--engine", "queue", "--store", database, "--timeout", "300", env=env)
    worker = start(tmp_path, "worker", "--store", database, "--heartbeat", "0.5", env=env)
    try:
        for _ in range(1_200):
            if running(database) == 1:
                break
            time.sleep(0.05)
        time.sleep(0.5)  # its server starts
        worker.send_signal(signal.SIGTERM)
        out, err = worker.communicate(timeout=60)
    finally:
        check.kill()
        check.communicate()
        worker.kill()
    assert (worker.returncode, out) == (0, "")
    assert "0 servers were read" in err
    assert leash.left_behind() == []
    assert running(database) == 0
    store = Store(address_of(database))
    run = store.run()
    assert run is not None
    assert store.pending(run.id) == {"hangs"}
    store.close()


def test_a_worker_without_its_database_ends_and_says_so(tmp_path: Path) -> None:
    with postgres() as url:
        worker = start(tmp_path, "worker", "--store", url, "--heartbeat", "0.5", env=dict(os.environ))
        for _ in range(1_200):
            if workers(url):
                break
            time.sleep(0.05)
    out, err = worker.communicate(timeout=90)
    assert (worker.returncode, out) == (3, "")
    assert "does not answer any more" in err
    assert PASSWORD not in err


def workers(url: str) -> int:
    """Workers that have said that they live."""
    import psycopg

    with contextlib.suppress(psycopg.errors.UndefinedTable), psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(*) FROM procrastinate_workers").fetchone()
        return row[0] if row else 0
    return 0


def test_a_run_goes_on_and_jobs_are_queued_once(tmp_path: Path, database: str, monkeypatch: Any) -> None:
    """Without a process: the enqueuing side alone, twice."""
    import psycopg

    store, said = Store(address_of(database)), []
    jobs = [replace(job, target="https://h.example/mcp") for job in JOBS]
    monkeypatch.setattr(queueing, "_wait", lambda *_: "it was lost from the queue")
    for _ in range(2):
        kept = Kept(store, head(named="twice"), jobs)
        rows = queueing.work_off_by_queue(jobs, kept, show=lambda _: None, say=said.append)
        assert [row.why for row in rows] == ["it was lost from the queue"] * 4
    with psycopg.connect(database) as connection:
        found = connection.execute("SELECT args FROM procrastinate_jobs WHERE args->>'run' = %s", [str(kept.run.id)])
        assert sorted(args["member"] for (args,) in found.fetchall()) == ["a", "b", "c", "d"]
        connection.execute("DELETE FROM procrastinate_jobs")
    with store.writing() as connection:
        connection.exec_driver_sql("UPDATE mcp_governor_meta SET value = 'older' WHERE key = 'queue'")
    with pytest.raises(UsageError, match="made with another version of Procrastinate"):
        queueing.prepare_queue(store)
    with store.writing() as connection:
        connection.exec_driver_sql("UPDATE mcp_governor_meta SET value = '9' WHERE key = 'version'")
    with pytest.raises(UsageError, match="is a store of version 9"):
        Store(address_of(database))
    with store.writing() as connection:
        connection.exec_driver_sql("UPDATE mcp_governor_meta SET value = '1' WHERE key = 'version'")
    store.close()
