"""Ctrl-C in a probe: what was measured until then is reported, and said to be incomplete."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import jsonschema
import pytest
from commandline import PYTHON
from serving import loaded
from support import SERVERS
from test_probe import StandIn, server

from mcp_governor.checking.formats import DOCUMENT_FORMATS
from mcp_governor.load.model import INTERRUPTED, Sample
from mcp_governor.load.probe import ProbePlan, run_probe

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is another thing on Windows")

LISTING = str(SERVERS / "listing.py")


def interrupted(folder, *words, when):
    """Run ``load probe`` until a condition holds, send SIGINT, and return its exit code, stdout and stderr."""
    command = [PYTHON, "-m", "mcp_governor", "load", "probe", "--json-out", "out.json", *words]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not when() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def has_listed(file, times):
    return lambda: file.exists() and len(file.read_bytes()) >= times


def document_in(folder):
    document = json.loads((folder / "out.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(DOCUMENT_FORMATS["load-probe"].schema()).validate(document)
    return document


def test_lists_until_ctrl_c_are_reported_and_nothing_is_recorded(tmp_path):
    seen = tmp_path / "seen"
    how = json.dumps({"each_ms": 100, "seen": str(seen)})
    code, out, err = interrupted(
        tmp_path, "--record", "--sequential-only", "--", PYTHON, LISTING, how, when=has_listed(seen, 4)
    )
    assert code == 130, err
    assert "incomplete: Ctrl-C ended the run" in out
    assert "Ctrl-C ended the run before everything was measured." in out
    assert "interrupted; nothing was recorded" in err
    assert "Traceback" not in err
    assert not (tmp_path / "mcp-load.json").exists()
    document = document_in(tmp_path)
    assert document["interrupted"] is True
    assert document["payload"]["bytes"] > 0
    (era,) = document["eras"]
    assert era["first_ms"] >= 100
    # The list under way is lost; of the ones before, the first is measured on its own.
    assert 1 <= era["sequential"]["count"] < 20
    assert document["yardstick"] is None
    assert document["concurrent"] == []


def test_before_the_first_list_there_is_nothing_to_report(tmp_path):
    seen = tmp_path / "seen"
    how = json.dumps({"first_ms": 20_000, "seen": str(seen)})
    code, out, err = interrupted(tmp_path, "--", PYTHON, LISTING, how, when=has_listed(seen, 1))
    assert (code, out) == (130, "")
    assert err.strip() == "interrupted"
    assert not (tmp_path / "out.json").exists()


def test_a_concurrent_run_under_way_is_reported_with_what_came_before(tmp_path):
    with loaded(service=0.02, capacity=1) as there:
        code, out, err = interrupted(tmp_path, there.url, when=lambda: there.seen["most"] >= 40)
    assert code == 130, err
    document = document_in(tmp_path)
    assert document["interrupted"] is True
    assert document["yardstick"] is not None
    (point,) = document["concurrent"]
    assert (point["concurrency"], point["stopped"]) == (40, "interrupted")
    assert 0 < point["requests"] < 200
    assert "stopped: interrupted" in out


GOOD = Sample([1.0, 2.0], {}, 1.0)
CUT = Sample([1.0], {}, 1.0, INTERRUPTED)


@pytest.mark.parametrize(
    ("samples", "requests"), [((CUT, GOOD), [1]), ((GOOD, CUT), [2, 1]), ((None,), []), ((GOOD, None), [2])]
)
def test_points_until_ctrl_c_are_kept_if_they_are_wanted(samples, requests):
    plan = ProbePlan(other_era=False, rest=False, rounds=1, lists=2)
    engine = StandIn(*samples)
    measured = run_probe(server(), plan, open_bench=lambda *_: engine, keeps_interrupted=True)
    assert measured.interrupted
    assert [point.requests for point in measured.concurrent] == requests
    assert measured.notes[0] == "a note"
    assert engine.is_closed
    with pytest.raises(KeyboardInterrupt):  # as in a check, which ends
        run_probe(server(), plan, open_bench=lambda *_: StandIn(*samples))
