"""What is a finding about a measured list, and what is not: one table for each part."""

from __future__ import annotations

import pytest
from made_probes import SAME, probe
from replacing import replace

from mcp_governor.config.model import LoadConfig
from mcp_governor.load.findings import (
    LoadRecord,
    RecordedList,
    RecordedTime,
    budget_findings,
    health_findings,
    list_findings,
    log_findings,
    not_measured,
)
from mcp_governor.load.formulas import point
from mcp_governor.load.health import Health, health_of
from mcp_governor.load.log_scan import scan_text
from mcp_governor.load.model import Sample
from mcp_governor.load.probe import Probe
from mcp_governor.rules import LintSettings, load_catalogue, select

SELECTION = select(LintSettings(), load_catalogue(entry_points=False))


def recorded(over: str = "stdio modern") -> LoadRecord:
    time = RecordedTime(over, 2.0) if over else None
    return LoadRecord(RecordedList(1_000, 200, {"big": 150, "small": 50}), time)


RECORD = recorded()


def found(measured: Probe, record: LoadRecord | None = RECORD, remote: bool = False, **budgets: object) -> list[str]:
    findings = list(budget_findings(measured, record, LoadConfig(**budgets), remote=remote))
    return [f"{one.rule.removeprefix('load/')} {one.message}" for one in findings]


@pytest.mark.parametrize(
    ("measured", "budgets", "expected"),
    [
        (probe(), {}, []),
        (probe(1_250, 250), {}, []),  # a ratio is allowed up to its value
        (
            probe(1_251),
            {},
            [
                "payload-bytes tools/list has 1,251 bytes, 1.26 times the 1,000 of mcp-load.json; "
                "load.payload-ratio allows 1.25."
            ],
        ),
        (
            probe(tokens=251),
            {},
            [
                "tokens The tools have about 251 tokens, 1.26 times the 200 of mcp-load.json; "
                "load.tokens-ratio allows 1.25."
            ],
        ),
        (probe(2_000), {"payload_ratio": 2.0}, []),
        (probe(), {"payload_bytes": 1_000, "tokens": 200, "tool_tokens": 150, "list_p95_ms": 4.0}, []),
        (
            probe(),
            {"payload_bytes": 999},
            ["payload-bytes tools/list has 1,000 bytes, and load.payload-bytes allows 999."],
        ),
        (probe(), {"tokens": 199}, ["tokens The tools have about 200 tokens, and load.tokens allows 199."]),
        (probe(), {"tool_tokens": 149}, ["tokens big has about 150 tokens, and load.tool-tokens allows 149."]),
        (
            probe(),
            {"list_p95_ms": 3.9},
            ["list-p95 The p95 of tools/list is 4 ms in the best of 3 rounds, and load.list-p95-ms allows 3.9 ms."],
        ),
        # The ratio of the fastest lists doubles, and it takes 5 ms more on this machine.
        (
            probe(p50=90.0, null=20.0),
            {},
            [
                "list-p95 tools/list takes 4.5 times as long as a server that only answers, and 2 times in "
                "mcp-load.json; load.list-ratio allows 2 times that."
            ],
        ),
        (probe(p50=80.0, null=20.0), {}, []),
        (probe(p50=4.5, null=1.0), {}, []),  # 2.5 ms more: nobody waits for that
        (probe(p50=9.0, null=1.0), {"list_ratio": 5.0}, []),
    ],
)
def test_budgets(measured, budgets, expected):
    assert found(measured, **budgets) == expected


@pytest.mark.parametrize(
    ("measured", "record", "more", "says"),
    [
        (probe(), None, {}, "No budget was judged, because mcp-load.json does not exist and load sets no limits."),
        (probe(), None, {"tokens": 500}, None),
        (probe(stick=False), RECORD, {}, "was not compared with mcp-load.json, because there is no ratio to compare."),
        (probe(), recorded("http modern"), {}, "which was measured over http modern and not stdio modern."),
        (
            probe(),
            recorded("stdio legacy"),
            {},
            "which was measured over stdio legacy and not stdio modern.",
        ),
        (probe(), recorded(""), {}, None),
        (probe(), RECORD, {"remote": True}, "because the server is on another machine."),
        (probe(stick=False, lists=19), None, {"list_p95_ms": 9.0}, "fewer than 20 lists were measured."),
        (probe(stick=False, lists=0), None, {"list_p95_ms": 9.0}, "fewer than 20 lists were measured."),
    ],
)
def test_what_cannot_be_judged_is_said_and_no_pass(measured, record, more, says):
    sentences = found(measured, record, **more)
    assert [sentence.startswith("not-compared") for sentence in sentences] == [True] * (says is not None)
    assert says is None or sentences[0].endswith(says)


def test_a_slow_list_is_judged_by_p95_where_there_are_no_rounds():
    assert found(probe(stick=False, p95=10.0), None, list_p95_ms=9.0)[0].startswith("list-p95 ")


def test_the_id_of_a_time_does_not_move_with_the_time():
    ids = {one.id for p95 in (5.0, 6.0) for one in budget_findings(probe(p95=p95), None, LoadConfig(list_p95_ms=4.0))}
    assert len(ids) == 1


def test_a_recording_is_said_to_be_one():
    assert not_measured(LoadConfig()).message.endswith("because the target is a recording.")


@pytest.mark.parametrize(
    ("caching", "rules"),
    [
        (SAME, []),
        (replace(SAME, same_content=False, same_order=False), ["load/unstable-order"]),
        (replace(SAME, same_content=False, changed=("a",)), ["load/unstable-list"]),
        (replace(SAME, same_content=False, same_tools=False, changed=("a",)), ["load/unstable-list"]),
        (
            replace(SAME, same_content=False, same_order=False, changed=("a",)),
            ["load/unstable-order", "load/unstable-list"],
        ),
    ],
)
def test_lists_that_differ(caching, rules):
    assert [one.rule for one in list_findings(probe(caching=caching))] == rules


def test_lists_under_load_that_are_not_the_one_that_came_alone():
    errors = {"list-empty": 30, "list-longer": 2, "http-503": 5}
    points = (point(40, Sample([1.0] * 163, errors, 1.0)), point(100, Sample([1.0], {"http-429": 9}, 1.0)))
    (one,) = list_findings(replace(probe(), concurrent=points))
    assert (one.rule, one.severity.value) == ("load/changed-under-load", "error")
    assert one.message == (
        "32 of 200 lists with 40 in flight are not the list that came alone: 30 list-empty, 2 list-longer."
    )


def test_a_list_that_failed():
    (one,) = list_findings(probe(failure="the server ended."))
    assert one.message == "List 62 of one connection failed, because the server ended."


@pytest.mark.parametrize(
    ("body", "messages"),
    [
        ({"status": "ok"}, []),
        ({"cache_hits": 97, "cache_misses": 3, "hit_rate_pct": 97}, []),
        ({"cache_hits": 2, "cache_misses": 1, "hit_rate_pct": 66.7}, []),
        ({"cache_hits": 0, "cache_misses": 0, "hit_rate_pct": 0}, []),
        ({"hit_rate_pct": 55}, []),  # nothing to compare it with
        (
            {"cache_hits": 97, "cache_misses": 3, "hit_rate_pct": 0.97},
            ["The hit rate in GET /health is 0.97 %, but 97 hits and 3 misses make 97.0 %."],
        ),
        (
            {"cache_hits": 1, "cache_misses": 0, "hit_rate_pct": 100.5},
            ["The hit rate in GET /health is 100.5, which is not a percentage from 0 to 100."],
        ),
        ({"hit_rate_pct": "97%"}, ["hit_rate_pct in GET /health is not a number."]),
        ({"total_requests": 5, "total_errors": 5}, []),
        ({"total_requests": 5, "total_errors": 6}, ["GET /health counts 6 errors in 5 requests."]),
    ],
)
def test_numbers_of_health(body, messages):
    assert [one.message for one in health_findings(health_of(body))] == messages


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Health("/health", 404, "HTTP 404: the server does not have it"), None),
        (Health("/health", 503), "GET /health answers with HTTP 503, while the server lists its tools."),
        (
            Health("/health", problem="no complete response within 5 s"),
            "GET /health cannot be used, because no complete response within 5 s.",
        ),
    ],
)
def test_health_that_cannot_be_used(answer, message):
    assert [one.message for one in health_findings(answer)] == ([message] if message else [])


def line(at: int, **numbers: float) -> str:
    base = {"requests": 10, "hit_rate": 60, "cache_hits": 6, "cache_misses": 4, "build_count": 4, "build_failures": 0}
    shown = " ".join(f"{name}={value}" for name, value in {**base, **numbers}.items())
    return f"2026-01-01T{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}Z [MCP] tools/list stats {shown}"


@pytest.mark.parametrize(
    ("lines", "rules"),
    [
        ([line(0), line(60, requests=20, cache_hits=12, cache_misses=8)], []),
        # Failures of any run of the server count, also those before it was started again.
        (
            [line(0, build_failures=1), line(60, requests=1, hit_rate=0, cache_hits=0, cache_misses=1, build_count=1)],
            ["build-failures"],
        ),
        # The guide's rate is by requests; by lookups is as good.
        ([line(0, requests=20, hit_rate=30)], []),
        ([line(0, requests=20, hit_rate=60)], []),
        ([line(0, requests=20, hit_rate=45)], ["counts-agree"]),
        ([line(0, requests=9)], ["counts-agree"]),
        # 60 s at a time to live of 1 s: 62 builds, as one may be under way at either end.
        ([line(0), line(60, build_count=66)], []),
        ([line(0), line(60, build_count=67)], ["build-storm"]),
        ([line(0), line(30), line(60)], []),
        ([line(0), line(29), line(58)], ["stats-interval"]),
        ([line(0), line(60), line(1_000), line(1_060)], []),  # one gap among many is a server without requests
        ([line(0), line(91)], ["stats-interval"]),
        ([line(0, in_flight=90)], []),
        ([line(0, in_flight=91)], ["in-flight"]),
        ([line(0, peak_in_flight=91)], ["in-flight"]),
        ([line(0, peak_in_flight=100, max_in_flight=100)], []),
        ([line(0, peak_in_flight=101, max_in_flight=100)], ["in-flight"]),
        (["uvloop is missing"], ["slow-runtime"]),
        (["nothing"], []),
    ],
)
def test_logs(lines, rules):
    assert [one.rule for one in log_findings(scan_text("\n".join(lines)), SELECTION)] == [
        f"load/{name}" for name in rules
    ]


def test_options_of_the_rules_apply():
    options = {
        "load/build-storm": {"ttl-ms": 30_000},
        "load/stats-interval": {"seconds": 30},
        "load/in-flight": {"max": 5},
    }
    chosen = select(LintSettings(options=options), load_catalogue(entry_points=False))
    text = "\n".join([line(0, in_flight=6), line(60, build_count=9)])
    rules = [one.rule for one in log_findings(scan_text(text), chosen)]
    assert rules == ["load/in-flight", "load/build-storm", "load/stats-interval"]
