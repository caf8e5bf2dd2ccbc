"""Twelve servers of one file: one command, one table, nothing left running, and the same result after a kill."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from commandline import PYTHON, governor, governor_here
from support import SERVERS, Leash, free_port


def entry(name: str, *tools: str) -> dict[str, Any]:
    how = {
        "info": {"name": name, "version": "1.0.0"},
        "tools": [{"name": one, "description": "Finds it.", "inputSchema": {"type": "object"}} for one in tools],
    }
    return {"command": PYTHON, "args": [str(SERVERS / "plain.py"), json.dumps(how)]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    servers = {f"s{number}": entry(f"s{number}", f"find_{number}", f"get_{number}") for number in range(10)}
    servers["absent"] = {"command": "no-such-program"}
    servers["crash"] = {"command": PYTHON, "args": ["-c", "import sys; sys.exit('no key is set')"]}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    return tmp_path


def edit(folder: Path, name: str, value: Any) -> None:
    path = folder / ".mcp.json"
    document = json.loads(path.read_text())
    document["mcpServers"][name] = value
    path.write_text(json.dumps(document))


def test_twelve_servers_two_of_them_broken(folder: Path) -> None:
    done = governor("snapshot", "--all", ".mcp.json", cwd=folder)
    assert done.code == 3
    assert sorted(file.name for file in (folder / "surfaces").iterdir()) == [f"s{number}.json" for number in range(10)]
    edit(folder, "s3", entry("s3", "find_3"))
    edit(folder, "s4", entry("s4", "find_4", "get_4", "find_5"))
    done = governor("fleet", "check", ".mcp.json", "--min-coverage", "80", cwd=folder)
    assert (done.code, done.left, done.err) == (1, [], "")
    rows = {line.split()[1]: line for line in done.out.splitlines()[2:14]}
    assert len(rows) == 12
    assert rows["s0"].startswith("✓")
    assert "unchanged since 1.0.0" in rows["s0"]
    assert rows["s3"].startswith("✗")
    assert "1 breaking since 1.0.0" in rows["s3"]
    assert "1 compatible since 1.0.0" in rows["s4"]
    assert "unreachable: the command was not found" in rows["absent"]
    assert "its last line: no key is set" in rows["crash"]
    assert "Tool `get_3` is gone.  tool-removed" in done.out
    assert "1 tool of the same name in s4, s5: find_5." in done.out
    assert done.out.splitlines()[-2:] == ["failed by: 1 server drifted", "FAIL"]
    assert done.unsafe() == set()


def test_killed_half_way_and_resumed_with_the_same_result(folder: Path) -> None:
    words = ("check", "--all", ".mcp.json", "--format", "json")
    whole = governor(*words, cwd=folder)
    leash = Leash()
    kept = folder / "kept.db"
    env = {**os.environ, "MCP_GOVERNOR_TEST": leash.mark, "LOGNAME": leash.mark}
    command = [sys.executable, "-m", "mcp_governor", *words, "--store", "kept.db", "--jobs", "1"]
    run = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(3_000):
        if done_in(kept) >= 3:
            break
        time.sleep(0.02)
    run.send_signal(signal.SIGKILL)
    run.wait()
    done = done_in(kept)
    assert 3 <= done < 12
    assert leash.left_behind() == []
    again = governor(*words, "--store", "kept.db", cwd=folder)
    assert (again.code, again.stdout) == (whole.code, whole.stdout)
    assert f"{done} of 12 servers are read already" in again.err
    assert again.left == []
    reported = governor("fleet", "report", "--store", "kept.db", "--format", "json", cwd=folder)
    assert (reported.code, reported.stdout) == (whole.code, whole.stdout)


def done_in(path: Path) -> int:
    """Servers that a store says are read."""
    if not path.exists():
        return 0
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        try:
            return connection.execute("SELECT count(outcome) FROM mcp_governor_facts").fetchone()[0]
        except sqlite3.OperationalError:
            return 0  # its tables are not there yet


def test_of_two_servers_that_need_one_port_the_second_says_so(tmp_path: Path) -> None:
    words = [str(SERVERS / "one_port.py"), str(free_port()), str(tmp_path / "taken")]
    servers = {name: {"command": PYTHON, "args": words} for name in ("one", "two")} | {"plain": entry("plain", "find")}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    done = governor("lint", "--all", ".mcp.json", "--jobs", "2", "--format", "json", "--fail-on", "never", cwd=tmp_path)
    assert (done.code, done.left) == (3, [])
    outcomes = {row["name"]: row["outcome"] for row in done.report["servers"]}
    assert outcomes.pop("plain") == "read"
    assert sorted(outcomes.values()) == ["read", "unreachable"]
    (why,) = [row["why"] for row in done.report["servers"] if "why" in row]
    assert "exited with status 1" in why
    assert why.endswith("Address already in use")


def test_a_recorded_fleet_has_a_page_for_each_server(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "all").mkdir()
    for name in ("a", "index"):
        (tmp_path / "all" / f"{name}.json").write_text('{"tools": [{"name": "x", "inputSchema": {"type": "object"}}]}')
    done = governor_here("fleet", "check", "all", "--format", "html", "-o", "site/index.html", capsys=capsys)
    assert done.code == 0
    assert sorted(file.name for file in (tmp_path / "site" / "servers").iterdir()) == ["a.html", "index.html"]
    index = (tmp_path / "site" / "index.html").read_text()
    assert '<a href="servers/index.html">index</a>' in index
    assert index.count("data-kind=") == 2


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("check --all a.json --release", "--release has no effect with --all"),
        ("check --jobs 2", "--jobs is about many servers"),
        ("check --shard 1/2", "--shard is about many servers"),
        ("lint --all a.json --fix-plan", "has no effect with --all"),
        ("snapshot --all a.json --check", "--check has no effect with --all"),
        ("snapshot --all a.json -o -", "--output - has no effect with --all"),
        ("check --all a.json --env A=b", "--env has no effect with a list of servers"),
        ("check --all -- python server.py", "-- COMMAND has no effect with --all"),
        ("fleet check a.json --shard 3/2", "is not I/N"),
        ("fleet check a.json --shard 0/2", "is not I/N"),
        ("fleet check a.json --jobs 0", "--jobs"),
        ("fleet check a.json --min-coverage 101", "--min-coverage"),
        ("check --store a.db", "--store is about many servers"),
        ("check --all a.json --run 1", "--run names a run in a store"),
        ("fleet check a.json --engine queue", "The queue needs a store"),
        ("fleet check a.json --engine queue --store a.db", "The queue needs PostgreSQL"),
        ("fleet check a.json --store mysql://host/x", 'A store is not kept in "mysql"'),
        ("fleet check a.json --store no/a.db", "its folder does not exist"),
        ("fleet check a.json --store a.json", "is not a store"),
        ("fleet check a.json --store s.db --run ../x;y", "--run takes 1 to 100 letters"),
        ("fleet report --store s.db", "s.db does not exist"),
        ("fleet worker --store s.db", "The queue needs PostgreSQL"),
        ("fleet check a.json --format html", "--format html writes a page for each server"),
        ("fleet check a.json --against a.json", "is not a folder of recordings"),
        ("fleet check", "no configuration that names servers"),
    ],
)
def test_what_cannot_be_is_refused_before_a_server_is_started(tmp_path, monkeypatch, capsys, words, error) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.json").write_text('{"mcpServers": {"a": {"command": "touch", "args": ["started"]}}}')
    done = governor_here(*words.split(), capsys=capsys)
    assert done.code == 2
    assert error in done.err
    assert not (tmp_path / "started").exists()
