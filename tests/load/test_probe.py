"""A probe of servers with known behaviour, over stdio."""

from __future__ import annotations

import json
import sys

import jsonschema
import pytest
from inprocess import ObjectEndpoint
from support import SERVERS

from mcp_governor.checking.formats import DOCUMENT_FORMATS
from mcp_governor.errors import NothingCheckedError, UnreachableError, UsageError
from mcp_governor.load.findings import list_findings
from mcp_governor.load.model import Sample
from mcp_governor.load.opened import live
from mcp_governor.load.probe import CHEAP, STDIO_RUNS, ProbePlan, document, is_remote, run_probe
from mcp_governor.report.lines import plain_text
from mcp_governor.report.probe_text import probe_lines
from mcp_governor.target import FileSource, LiveSource
from mcp_governor.wire import HttpEndpoint, StdioEndpoint

QUICK = ProbePlan(runs=(), other_era=False, rest=False, rounds=1, lists=5)


def server(**how: object) -> LiveSource:
    return LiveSource(
        "listing", StdioEndpoint((sys.executable, str(SERVERS / "listing.py"), json.dumps(how))), timeout=5
    )


def test_the_first_list_is_measured_on_its_own():
    """The guide's script sorts first, and so reports the fastest list as the first one."""
    listing = run_probe(server(first_ms=250), QUICK).listing
    assert listing.main.first_ms > 250
    assert listing.main.lists.count == 5
    assert listing.main.lists.max_ms < 250
    assert listing.cold_ms > listing.main.first_ms


def test_a_known_time_is_measured_in_every_list():
    listing = run_probe(server(each_ms=30), QUICK).listing
    assert listing.main.lists.min_ms >= 30


def test_both_eras_are_measured_and_the_own_one_comes_first():
    both = run_probe(server(), ProbePlan(runs=(), rest=False, rounds=1, lists=2)).eras
    assert [(era.era, era.protocol) for era in both] == [("modern", "2026-07-28"), ("legacy", "2025-11-25")]
    assert all(era.lists.count == 2 and era.first_ms > 0 for era in both)


@pytest.mark.parametrize(("only", "other"), [("modern", "legacy"), ("legacy", "modern")])
def test_an_era_that_is_not_offered_is_said_to_be_none(only, other):
    own, missing = run_probe(server(era=only), ProbePlan(runs=(), rest=False, rounds=1, lists=2)).eras
    assert (own.era, missing.era) == (only, other)
    assert missing.problem
    assert missing.lists is None


@pytest.mark.parametrize(
    ("how", "rules"),
    [
        ({}, []),
        ({"order": "turning"}, ["load/unstable-order"]),
        ({"stamp": True}, ["load/unstable-list"]),
        ({"growing": True}, ["load/unstable-list"]),
        ({"dies_at": 4}, ["load/list-failed"]),
        ({"fails_at": 4}, ["load/list-failed"]),
    ],
)
def test_lists_that_differ_or_fail_are_found(how, rules):
    measured = run_probe(server(**how), QUICK)
    assert [found.rule for found in list_findings(measured)] == rules
    assert measured.listing.caching.lists == (3 if rules == ["load/list-failed"] else 6)


def test_a_server_that_fails_at_the_first_list_is_not_measured():
    with pytest.raises(UnreachableError):
        run_probe(server(dies_at=1), QUICK)


def test_a_server_without_tools_is_not_measured():
    with pytest.raises(NothingCheckedError):
        run_probe(server(tools=0), QUICK)


def test_a_cache_shows_after_a_pause():
    plan = ProbePlan(runs=(), other_era=False, rounds=1, lists=2)
    caching = run_probe(server(build_ms=60, cache_ms=100, ttl=100), plan).listing.caching
    assert caching.ttl_ms == 100
    assert caching.pause_ms == pytest.approx(110)
    assert caching.rested_ms >= 60
    assert caching.rested_ms - caching.repeated_ms > 30  # of 60 that are slept: the order of two known times


def test_a_list_that_holds_for_an_hour_is_not_waited_for():
    plan = ProbePlan(runs=(), other_era=False, rounds=1, lists=2)
    assert run_probe(server(ttl=3_600_000), plan).listing.caching.rested_ms is None


def test_the_yardstick_lists_the_same_tools():
    quick = run_probe(server(tools=50, size=2_000), CHEAP).listing.yardstick
    slow = run_probe(server(tools=50, size=2_000, each_ms=60), ProbePlan(runs=(), other_era=False, rest=False, lists=5))
    assert quick is not None
    assert quick.rounds == 3
    # What the other server does besides is sleep, so its multiple is known to be larger.
    assert slow.listing.yardstick.fastest_ms >= 60
    assert slow.listing.yardstick.ratio > quick.ratio


@pytest.mark.parametrize("text", ["\u202eevil\x1b[31m", "\ud800"])
def test_names_of_strangers_do_not_break_the_yardstick(text):
    source = LiveSource(
        "plain",
        StdioEndpoint(
            (
                sys.executable,
                str(SERVERS / "plain.py"),
                json.dumps({"tools": [{"name": f"a{text}", "description": text, "inputSchema": {"type": "object"}}]}),
            )
        ),
    )
    measured = run_probe(source, CHEAP)
    assert measured.listing.yardstick is not None
    shown = plain_text(probe_lines(measured, verbose=1))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    json.dumps(document(measured))


class StandIn:
    """Answers at once, and remembers what it was asked.

    Args:
        samples: the first ones; the user presses Ctrl-C in the place of ``None``.
    """

    name = "stand-in"
    response_bytes = None
    workers = 1
    notes = ("a note",)

    @property
    def engine(self):
        return self

    def null(self):
        return None

    def __init__(self, *samples: Sample | None) -> None:
        self.asked: list[tuple[int, int]] = []
        self.is_closed = False
        self._samples = list(samples)

    def measure(self, plan, concurrency, *, seconds):
        self.asked.append((plan.total, concurrency))
        sample = self._samples.pop(0) if self._samples else Sample([1.0, 2.0, 3.0], {"timeout": 1}, 2.0)
        if sample is None:
            raise KeyboardInterrupt
        return sample

    def close(self) -> None:
        self.is_closed = True


def test_the_concurrent_runs_of_stdio_are_small_and_said_to_be():
    engine = StandIn()
    plan = ProbePlan(other_era=False, rest=False, rounds=1, lists=2)
    measured = run_probe(server(), plan, open_bench=lambda *_: engine)
    assert engine.asked == list(STDIO_RUNS)
    assert engine.is_closed
    assert "a process of its own: 40 lists, 2 at a time and 100 lists, 4 at a time" in measured.notes[-1]
    point = measured.concurrent[0]
    assert (point.throughput, point.p95_ms, point.errors) == (1.5, 2.0, {"timeout": 1})


def test_a_server_that_is_gone_is_not_asked_again():
    engine = StandIn(Sample([], {"refused": 40}, 1.0, "the server refuses connections"))
    measured = run_probe(server(), ProbePlan(other_era=False, rest=False, rounds=1), open_bench=lambda *_: engine)
    assert len(engine.asked) == len(measured.concurrent) == 1
    assert engine.is_closed


@pytest.mark.parametrize(
    ("url", "remote"),
    [
        ("http://127.0.0.1:3002/mcp", False),
        ("http://127.8.9.1/mcp", False),
        ("http://[::1]:3002/mcp", False),
        ("http://localhost:3002/mcp", False),
        # A connection to the unspecified address goes to loopback.
        ("http://0.0.0.0:3002/mcp", False),
        ("http://[::]:3002/mcp", False),
        ("http://[::ffff:127.0.0.1]:3002/mcp", False),
        ("http://[::ffff:10.0.0.1]:3002/mcp", True),
        ("http://10.0.0.1/mcp", True),
        ("http://169.254.169.254/mcp", True),
        ("http://[fe80::1%eth0]/mcp", True),
        ("https://example.com/mcp", True),
        ("http://127.0.0.1.example.com/mcp", True),
        ("http://localhost.example.com/mcp", True),
    ],
)
def test_which_hosts_are_this_machine(url, remote):
    assert is_remote(LiveSource("t", HttpEndpoint(url))) is remote


def test_a_server_object_has_no_concurrent_runs():
    from mcp.server.mcpserver import MCPServer

    made = MCPServer("sdk", version="1.0.0")
    made.tool(name="add")(lambda a: a)
    source = LiveSource("sdk", ObjectEndpoint(made))
    measured = run_probe(
        source, ProbePlan(other_era=False, rest=False, rounds=1), open_bench=lambda *_: pytest.fail("no engine")
    )
    assert measured.transport == "object"
    assert "shares this process" in measured.notes[-1]


def test_a_recording_cannot_be_measured(tmp_path):
    with pytest.raises(UsageError, match="only a live server can be measured"):
        live(FileSource("x.json", tmp_path / "x.json"))


@pytest.mark.parametrize("plan", [ProbePlan(), ProbePlan(runs=())])
def test_a_host_that_is_not_said_to_be_the_users_is_asked_nothing(plan, monkeypatch):
    monkeypatch.setattr("mcp_governor.load.probe.run", lambda *_: pytest.fail("it was asked"))
    source = LiveSource(shown="http://192.0.2.1/mcp", endpoint=HttpEndpoint("http://192.0.2.1/mcp"))
    with pytest.raises(UsageError, match=r"192\.0\.2\.1, which is not this machine") as raised:
        run_probe(source, plan)
    assert "--i-own-this-host" in raised.value.hint


def test_the_document_follows_its_schema(tmp_path):
    log = tmp_path / "server.log"
    log.write_text(
        "2026-01-01T00:00:00Z [MCP] tools/list stats requests=10 hit_rate=60 cache_hits=6 cache_misses=4 build_count=4 "
        "build_failures=0\n"
    )
    plan = ProbePlan(rest=False, rounds=2, lists=2, log=log)
    measured = run_probe(server(era="legacy"), plan, open_bench=lambda *_: StandIn())
    made = json.loads(json.dumps(document(measured)))
    jsonschema.Draft202012Validator.check_schema(DOCUMENT_FORMATS["load-probe"].schema())
    jsonschema.Draft202012Validator(DOCUMENT_FORMATS["load-probe"].schema()).validate(made)
    assert made["log"]["stats"][0]["requests"] == 10
    assert [era.get("problem") is None for era in made["eras"]] == [True, False]
    assert [size["name"] for size in made["payload"]["tools"]] == ["tool_0", "tool_1", "tool_2"]


def test_a_server_that_cannot_be_put_under_load_still_has_a_report():
    def refuse(*_):
        raise UsageError("its first page is not the last one", "Measure something else.")

    measured = run_probe(server(), ProbePlan(other_era=False, rest=False, rounds=1, lists=2), open_bench=refuse)
    assert measured.concurrent == ()
    assert measured.notes[-1] == "No concurrent runs: its first page is not the last one"


def test_a_real_stdio_server_under_load():
    plan = ProbePlan(runs=((6, 2),), other_era=False, rest=False, rounds=1, lists=2)
    (point,) = run_probe(server(each_ms=20), plan).concurrent
    assert (point.concurrency, point.requests, dict(point.errors), point.stopped) == (2, 6, {}, None)
    assert point.p50_ms >= 20
