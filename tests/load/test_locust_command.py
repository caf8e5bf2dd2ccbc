"""``load sweep --engine locust`` and ``load locustfile``, as users type them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest
from commandline import governor
from serving import loaded
from support import free_port

from mcp_governor.load.locust_engine import Cluster, LocustEngine, NullLocust, locustfile
from mcp_governor.load.model import SweepPlan
from mcp_governor.load.recipe import Address, http_job, recipe_of
from mcp_governor.wire.endpoint import Era, HttpEndpoint

pytestmark = pytest.mark.skipif(find_spec("locust") is None, reason="Locust is not installed")


def _sweep(folder, url, engine, *more):
    file = folder / f"{engine}.json"
    run = governor(
        "load",
        "sweep",
        url,
        "--concurrency-values",
        "5,10",
        "--total",
        "20",
        "--engine",
        engine,
        "--json-out",
        str(file),
        *more,
        cwd=folder,
    )
    return run, json.loads(file.read_text()) if file.exists() else None


def test_both_engines_measure_the_same_server_alike(tmp_path):
    # 0.3 s of service: 15 % of it are more than a busy machine adds.
    with loaded(service=0.3, capacity=10) as there:
        url = there.url
        # Two workers, and two for the null responder: each takes a second of a core to start.
        (ours, a), (theirs, b) = (_sweep(tmp_path, url, engine, "--workers", "2") for engine in ("asyncio", "locust"))
    assert ours.code == theirs.code == 0, ours.err + theirs.err
    assert (a["recommended_concurrency"], b["recommended_concurrency"]) == (10, 10)
    for mine, other in zip(a["points"], b["points"], strict=True):
        assert mine["errors"] == other["errors"] == {}
        assert other["p50_ms"] == pytest.approx(mine["p50_ms"], rel=0.15)
        assert other["p50_ms"] >= 300
        # The ceiling of each engine is its own.
        assert 0 < other["client_ceiling_rps"] != mine["client_ceiling_rps"] > 0


def test_a_locustfile_has_no_secret_in_its_request_and_is_still_python(tmp_path):
    # "json" is a secret here, and a module that the file imports.
    config = '[servers.it]\nurl = "{}"\nheaders = {{ Authorization = "$TOKEN", X-Api-Key = "$WORD" }}\n'
    env = {"TOKEN": "Bearer pass-word-1", "WORD": "json"}
    with loaded(token="pass-word-1") as there:
        url = there.url
        (tmp_path / "mcp-governor.toml").write_text(config.format(url))
        words = ["--tool", "echo", "--arguments", '{"text": "pass-word-1"}']
        wrote = governor("load", "locustfile", "it", *words, cwd=tmp_path, env=env)
    assert wrote.code == 0, wrote.err
    assert "--arguments contains a secret" in wrote.err
    source = (tmp_path / "locustfile.py").read_text()
    assert "pass-word-1" not in source
    compile(source, "locustfile.py", "exec")
    # It needs Locust and nothing else.
    assert "from mcp_governor" not in source
    assert "def drift(" in source


def test_a_locustfile_goes_to_the_path_of_the_base_url_and_needs_a_tool_for_writes(tmp_path):
    with loaded() as there:
        url = there.url
        wrote = governor("load", "locustfile", "--base-url", url.removesuffix("/mcp"), cwd=tmp_path)
        assert wrote.code == 0, wrote.err
        assert f'"url": "{url}"' in (tmp_path / "locustfile.py").read_text()
        for option, value in (("--allow-writes", []), ("--arguments", ["{}"])):
            refused = governor("load", "locustfile", url, option, *value, "-o", "other.py", cwd=tmp_path)
            assert refused.code == 2
            assert f"{option} has no effect without --tool" in refused.err
    assert not (tmp_path / "other.py").exists()


@pytest.mark.parametrize("era", list(Era))
def test_the_null_responder_gets_no_secret_and_no_handshake(era, monkeypatch):
    started = []
    monkeypatch.setattr(LocustEngine, "__init__", lambda self, job, *_: started.append(job))
    monkeypatch.setattr(LocustEngine, "close", lambda self: None)
    plan = SweepPlan()
    endpoint = HttpEndpoint("http://127.0.0.1:1/mcp?key=hidden-22", {"Authorization": "Bearer pass-word-1"})
    job = http_job(endpoint, era, "2026-07-28" if era is Era.MODERN else "2025-11-25", plan)
    recipe = recipe_of(job, Address("127.0.0.1", "127.0.0.1", 1, tls=False), longest=1, timeout=1.0)
    null = NullLocust(job, plan, Cluster(workers=1), recipe)
    null.close()
    (sent,) = started
    assert sent.handshake is None
    assert (job.handshake is None) == (era is Era.MODERN)
    assert dict(sent.secret_headers) == {}
    assert sent.url == sent.shown
    assert sent.url.startswith("http://127.0.0.1:")
    for text in (locustfile(sent, 1.0), json.dumps([sent.url, sent.headers, sent.request, sent.request_headers])):
        assert "pass-word-1" not in text
        assert "hidden-22" not in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--locust-bind", "127.0.0.1:5557"), "--locust-bind has no effect without --engine locust"),
        (("--engine", "locust", "--locust-bind", "5557"), "not an address and a port"),
        (("--engine", "locust", "--locust-bind", "host:0"), "not an address and a port"),
        (("--engine", "locust", "--locust-bind", "host:65536"), "not an address and a port"),
        (("--engine", "locust", "--workers", "65"), "workers"),
    ],
)
def test_options_that_cannot_be_are_refused(tmp_path, options, words):
    with loaded() as there:
        url = there.url
        run = governor("load", "sweep", url, "--total", "10", *options, cwd=tmp_path)
    assert run.code == 2
    assert words in run.err


def test_a_stdio_server_has_no_address_for_locust(tmp_path):
    server = [sys.executable, "-m", "mcp_governor.demo.server"]
    for command in (["locustfile"], ["sweep", "--engine", "locust", "--concurrency-values", "1"]):
        run = governor("load", *command, "--", *server, cwd=tmp_path)
        assert run.code == 2, run.err
        assert "is reached over stdio, and Locust's workers send HTTP" in run.err
    assert not (tmp_path / "locustfile.py").exists()


@pytest.mark.parametrize("words", [(), ("-o", "locustfile.py")])
def test_a_file_that_is_there_is_replaced_by_force_only(tmp_path, words):
    file = tmp_path / "locustfile.py"
    file.write_text("# mine\n")
    # Nothing listens there: the refusal comes before the server is asked.
    done = governor("load", "locustfile", "http://127.0.0.1:9/mcp", *words, cwd=tmp_path)
    assert (done.code, file.read_text()) == (2, "# mine\n")
    assert "locustfile.py exists already." in done.err
    assert "Add --force to replace it, or name another file with --out." in done.err
    with loaded() as there:
        url = there.url
        assert governor("load", "locustfile", url, "--force", *words, cwd=tmp_path).code == 0
    assert "mine" not in file.read_text()


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_link_in_the_place_of_the_default_file_is_not_followed(tmp_path, force):
    folder, outside = tmp_path / "checkout", tmp_path / "outside.py"
    folder.mkdir()
    (folder / "locustfile.py").symlink_to(outside)
    with loaded() as there:
        url = there.url
        done = governor("load", "locustfile", url, *force, cwd=folder)
    assert (done.code, outside.exists()) == (2, False)
    assert "locustfile.py leads through a symbolic link; nothing was written." in done.err


def test_workers_can_be_started_by_hand(tmp_path):
    port = free_port()
    with loaded(service=0.02, capacity=10) as there:
        url = there.url
        assert governor("load", "locustfile", url, cwd=tmp_path).code == 0
        options = ["--engine", "locust", "--workers", "1", "--locust-bind", f"127.0.0.1:{port}"]
        points = ["--concurrency-values", "4", "--total", "40"]
        sweep = subprocess.Popen(
            [sys.executable, "-m", "mcp_governor", "load", "sweep", url, *options, *points],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        said = sweep.stderr.readline() + sweep.stderr.readline()
        command = said.splitlines()[1].strip()
        assert command == (
            f"MCP_LOAD_PACED=1 locust -f locustfile.py --worker --master-host 127.0.0.1 --master-port {port}"
        )
        words = ["-m", *command.split()[1:]]
        worker = subprocess.Popen(
            [sys.executable, *words],
            cwd=tmp_path,
            env={**os.environ, "MCP_LOAD_PACED": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        out, err = sweep.communicate(timeout=120)
        assert worker.wait(30) == 0
    assert sweep.returncode == 0, err
    assert "The ceiling of the client was not measured" in out
    assert "Recommended concurrency: 4" in out
