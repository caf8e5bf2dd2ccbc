"""``load sweep`` as a user types it: exit codes, reports, Ctrl-C, and options that cannot be."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import jsonschema
import pytest
from commandline import PYTHON, governor
from serving import loaded
from support import SERVERS

from mcp_governor.checking.formats import DOCUMENT_FORMATS

FEW = ("--concurrency-values", "2,4", "--total", "30")
LEAST = ("--concurrency-values", "1", "--total", "1", "--warm-up", "0")

SCHEMA = DOCUMENT_FORMATS["load-sweep"].schema()


def sweep(folder, *words: str):
    return governor("load", "sweep", *words, cwd=folder)


def test_a_sweep_prints_a_table_and_its_verdict_and_writes_its_reports(tmp_path):
    with loaded(service=0.01) as there:
        done = sweep(tmp_path, there.url, *FEW, "--report-dir", "reports", "--json-out", "out.json")
    assert done.code == 0, done.err
    assert "concurrency  requests/s" in done.out
    assert "Recommended concurrency:" in done.out
    stem = f"mcp-tools-list-observability-127.0.0.1-{there.port}-concurrency-sweep"
    assert {file.name for file in (tmp_path / "reports").iterdir()} == {
        f"{stem}.{kind}" for kind in ("json", "md", "svg", "html")
    }
    assert f"({stem}.svg)" in (tmp_path / "reports" / f"{stem}.md").read_text("utf-8")
    document = json.loads((tmp_path / "out.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert document == json.loads((tmp_path / "reports" / f"{stem}.json").read_text("utf-8"))
    assert [item["concurrency"] for item in document["points"]] == [2, 4]
    assert all(item["requests"] == 30 and not item["errors"] for item in document["points"])
    assert all(item["client_ceiling_rps"] > 0 for item in document["points"])
    assert document["recommended_concurrency"] in document["feasible_concurrencies"]
    assert document["pool"] == 64
    assert done.left == []


def test_what_lies_next_to_a_report_is_neither_followed_nor_replaced(tmp_path):
    """A checkout can hold a link under every name that a run would write there; a picture may be the user's own."""
    outside = tmp_path / "outside"
    outside.mkdir()
    with loaded() as there:
        stem = f"mcp-tools-list-observability-127.0.0.1-{there.port}-concurrency-sweep"
        for kind in ("json", "md", "html", "svg"):
            folder = tmp_path / kind
            folder.mkdir()
            (folder / f"{stem}.{kind}").symlink_to(outside / kind)
            done = sweep(tmp_path, there.url, *LEAST, "--report-dir", kind)
            assert (done.code, list(outside.iterdir())) == (2, [])
            assert f"{kind}/{stem}.{kind} leads through a symbolic link; nothing was written." in done.err
        (tmp_path / "own.svg").symlink_to(outside / "svg")
        done = sweep(tmp_path, there.url, *LEAST, "--markdown-out", "own.md")
        assert (done.code, list(outside.iterdir())) == (2, [])
        (tmp_path / "logo.svg").write_text("<svg/>")
        # Nothing listens there: the refusal comes before the server is asked.
        done = sweep(tmp_path, "http://127.0.0.1:9/mcp", *LEAST, "--markdown-out", "logo.md")
        assert done.code == 2
        assert "logo.svg is not the picture of a sweep, and --markdown-out would replace it." in done.err
        assert (tmp_path / "logo.svg").read_text() == "<svg/>"
        for _ in range(2):
            assert sweep(tmp_path, there.url, *LEAST, "--markdown-out", "mine.md").code == 0


def test_no_point_within_the_goals_is_a_finding(tmp_path):
    with loaded(service=0.05) as there:
        done = sweep(tmp_path, there.url, *FEW, "--p95-slo-ms", "10")
    assert done.code == 1
    assert "No concurrency is recommended: none meets p95 ≤ 10 ms" in done.out


def test_json_is_a_format_as_everywhere(tmp_path):
    with loaded() as there:
        done = sweep(tmp_path, there.url, *LEAST, "--format", "json", "--json-out", "out.json")
    assert done.code == 0, done.err
    assert json.loads(done.out) == json.loads((tmp_path / "out.json").read_text("utf-8"))


def test_a_server_over_stdio_gets_a_process_for_each_request_in_flight(tmp_path):
    done = sweep(tmp_path, *FEW, "--json-out", "out.json", "--", PYTHON, str(SERVERS / "eras.py"), "both")
    assert done.code == 0, done.err
    document = json.loads((tmp_path / "out.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert document["transport"] == "stdio"
    assert [item["requests"] for item in document["points"]] == [30, 30]
    assert "process of the server of its own" in done.out
    for item in document["points"]:
        # This server does next to nothing itself, so that our client may well be what limits it.
        assert item["client_ceiling_rps"] > 0
        assert item["limited_by_client"] == (item["throughput_rps"] > 0.7 * item["client_ceiling_rps"])
    assert done.left == []


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is another thing on Windows")
def test_ctrl_c_writes_what_was_measured(tmp_path):
    with loaded(service=0.05, capacity=4) as there:
        command = [PYTHON, "-m", "mcp_governor", "load", "sweep", there.url, "--concurrency-values", "4,8"]
        command += ["--total", "100000", "--json-out", "out.json", "--isolated"]
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 60
        # The first point has begun as soon as more than the trials and its warm-up was served.
        while there.seen["list"] < 30 and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    document = json.loads((tmp_path / "out.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert document["interrupted"] == "interrupted"
    (point,) = document["points"]
    assert 10 < point["requests"] < 100_000
    assert point["stopped"] == "interrupted"
    assert document["feasible_concurrencies"] == []
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--concurrency-values", "1,x"], "is not a list of whole numbers"),
        (["--concurrency-values", ""], "is not a list of whole numbers"),
        (["--concurrency-values", "9" * 400], "is not a list of whole numbers"),
        (["--concurrency-values", "²"], "is not a list of whole numbers"),
        (["--total", "0"], "--total has 0"),
        (["--arguments", "{}"], "--arguments has no effect without --tool"),
        (["--allow-writes"], "--allow-writes has no effect without --tool"),
        (["--tool", "a", "--arguments", "[" * 100_000], "--arguments is not JSON"),
        (["--tool", "a", "--arguments", "[]"], "--arguments is not a JSON object"),
        (["--base-url", "http://127.0.0.1:1"], "both name the server"),
        (["--i-own-this-host", "--engine", "wrk"], "'wrk'"),
    ],
)
def test_options_that_cannot_be_are_errors_of_usage(tmp_path, words, said):
    done = sweep(tmp_path, "http://127.0.0.1:1/mcp", *words)
    assert done.code == 2, done.err
    assert said in done.err


def test_what_is_not_there_is_unreachable_and_a_recording_is_refused(tmp_path):
    done = sweep(tmp_path, "http://127.0.0.1:1/mcp")
    assert (done.code, done.out) == (3, "")
    assert "no connection" in done.err
    (tmp_path / "tools.json").write_text('{"tools": []}')
    done = sweep(tmp_path, "tools.json")
    assert done.code == 2
    assert "is a recording" in done.err


def test_secrets_are_in_no_report(tmp_path):
    secret = "let-me-in-0123456789"
    with loaded() as there:
        config = f'[servers.s]\nurl = "{there.url}"\nheaders = {{ Authorization = "Bearer $LOAD_TOKEN" }}\n'
        (tmp_path / "mcp-governor.toml").write_text(config)
        env = {**os.environ, "LOAD_TOKEN": secret}
        done = governor("load", "sweep", "s", *FEW, "--report-dir", "r", cwd=tmp_path, env=env)
        assert done.code == 0, done.err
        assert there.seen["authorized"] >= 60
    written = "".join(file.read_text("utf-8") for file in (tmp_path / "r").iterdir())
    assert secret not in written + done.out + done.err
