"""Locust's workers against a server whose service time and capacity are known."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from serving import loaded

from mcp_governor.errors import ServerError
from mcp_governor.load import locust_engine
from mcp_governor.load.locust_engine import Cluster, LocustEngine, locustfile
from mcp_governor.load.model import SweepPlan
from mcp_governor.load.recipe import http_job
from mcp_governor.wire.endpoint import Era, HttpEndpoint
from tests.support import free_port

# To import it here would change the standard library of this process.
pytestmark = pytest.mark.skipif(find_spec("locust") is None, reason="Locust is not installed")
VERSIONS = {Era.MODERN: "2026-07-28", Era.LEGACY: "2025-11-25"}


@contextmanager
def engine_for(url, era, plan, *, workers=2, headers=None):
    job = http_job(HttpEndpoint(url, headers or {}), era, VERSIONS[era], plan)
    engine = LocustEngine(job, plan, Cluster(workers=workers))
    try:
        yield engine
    finally:
        engine.close()


def children_of(engine):
    return [engine._master.child, *engine._workers]


def processes_of(engine):
    return [child.wait(0) for child in children_of(engine)]


@pytest.mark.parametrize(
    ("flaw", "era", "method", "errors"),
    [
        ({}, Era.MODERN, "tools/list", {}),
        ({"sse": True}, Era.MODERN, "tools/list", {}),
        ({"burst": [5, 1]}, Era.MODERN, "tools/list", {"http-503": 8}),
        ({"rpc_error": True, "good": 0, "era": "legacy"}, Era.LEGACY, "tools/list", {"rpc-32603": 40}),
        ({"tool_error": True}, Era.MODERN, "tools/call", {"tool-error": 40}),
        ({"service": 3600}, Era.MODERN, "tools/list", {"timeout": 40}),
        ({"token": "another"}, Era.MODERN, "tools/list", {"http-401": 40}),
    ],
)
def test_each_failure_has_its_kind(flaw, era, method, errors):
    params = {"name": "echo", "arguments": {}} if method == "tools/call" else {}
    plan = SweepPlan(total=40, warm_up=0, timeout=1.0, method=method, params=params)
    with loaded(**flaw) as there, engine_for(there.url, era, plan, workers=1) as engine:
        sample = engine.measure(plan, 20, seconds=30)
    assert dict(sample.errors) == errors
    assert len(sample.latencies_ms) == 40 - sum(errors.values())


def test_a_server_that_is_not_there_refuses():
    plan = SweepPlan(total=10, warm_up=0)
    with engine_for(f"http://127.0.0.1:{free_port()}/mcp", Era.MODERN, plan, workers=1) as engine:
        sample = engine.measure(plan, 5, seconds=30)
    assert dict(sample.errors) == {"refused": 10}


def test_secrets_reach_the_server_and_no_file_or_command_line():
    plan = SweepPlan(total=10, warm_up=0)
    headers = {"Authorization": "Bearer pass-word-1"}
    with (
        loaded(token="pass-word-1") as there,
        engine_for(f"{there.url}?key=hidden-2", Era.MODERN, plan, workers=1, headers=headers) as engine,
    ):
        written = (engine._folder / "locustfile.py").read_text()
        commands = [Path(f"/proc/{child.pid}/cmdline").read_text() for child in children_of(engine)]
        sample = engine.measure(plan, 5, seconds=30)
    assert len(sample.latencies_ms) == 10
    for text in (written, *commands):
        assert "pass-word-1" not in text
        assert "hidden-2" not in text


def test_the_open_loop_counts_from_the_moment_when_a_request_was_due():
    # One second in which nothing comes back, at 50 requests a second: some 50 requests wait, half of them over 0.5 s.
    # Counted from when they were sent, the five users would hide all but five.
    plan = SweepPlan(total=150, warm_up=0, rate=50)
    with loaded(stall=[0.5, 1.5]) as there, engine_for(there.url, Era.MODERN, plan, workers=1) as engine:
        sample = engine.measure(plan, 5, seconds=30)
    assert len(sample.latencies_ms) == 150
    assert sample.seconds >= 2.9
    assert sum(value > 500 for value in sample.latencies_ms) >= 20


def test_a_point_ends_in_time_with_what_it_has():
    plan = SweepPlan(total=1000, warm_up=0)
    with loaded(service=0.2, capacity=5) as there, engine_for(there.url, Era.MODERN, plan, workers=2) as engine:
        sample = engine.measure(plan, 10, seconds=2)
    assert sample.stopped == "the time was over"
    assert 0 < len(sample.latencies_ms) <= 60


def test_a_worker_that_dies_is_missed(tmp_path, monkeypatch):
    # The users of the dead worker are waited for; a tenth of the time is enough for those of the other one.
    scripts = shutil.copytree(locust_engine.SCRIPTS, tmp_path / "scripts")
    master = (scripts / "locust_master.py").read_text()
    assert "SPAWN_SECONDS = 10.0" in master
    (scripts / "locust_master.py").write_text(master.replace("SPAWN_SECONDS = 10.0", "SPAWN_SECONDS = 1.0"))
    monkeypatch.setattr(locust_engine, "SCRIPTS", scripts)
    plan = SweepPlan(total=40, warm_up=0)
    with loaded(service=0.1, capacity=20) as there, engine_for(there.url, Era.MODERN, plan, workers=2) as engine:
        engine._workers[0].kill()
        sample = engine.measure(plan, 4, seconds=5)
    # Half of the users are not there: this is not a measurement of four.
    assert sample.stopped == "only 2 of 4 Locust users started"


def test_a_master_that_dies_is_an_error(monkeypatch):
    monkeypatch.setattr(locust_engine, "END_SECONDS", 0.5)  # its workers do not see that, and are killed then
    plan = SweepPlan(total=40, warm_up=0)
    with loaded() as there, engine_for(there.url, Era.MODERN, plan, workers=1) as engine:
        engine._master.child.kill()
        with pytest.raises(ServerError, match="the Locust master ended"):
            engine.measure(plan, 4, seconds=5)
    assert all(code is not None for code in processes_of(engine))


def test_the_locustfile_runs_on_its_own(tmp_path):
    plan = SweepPlan()
    with loaded(era="legacy") as there:
        job = http_job(HttpEndpoint(there.url), Era.LEGACY, "2025-11-25", plan)
        (tmp_path / "locustfile.py").write_text(locustfile(job, 10.0))
        done = subprocess.run(
            [sys.executable, "-m", "locust", "--headless", "-u", "4", "-r", "4", "-t", "5s", "--json", "--skip-log"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert rows["initialize"]["num_requests"] == 4
    assert rows["tools/list"]["num_requests"] > 4
    assert rows["tools/list"]["num_failures"] == 0
