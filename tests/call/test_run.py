"""Real calls to a real child: what is called, what is reported, and what happens when the server misbehaves."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio
import pytest

from mcp_governor.call.cases import CallSettings, Purpose
from mcp_governor.call.plan import plan_calls
from mcp_governor.call.run import run_calls
from mcp_governor.config import CallConfig
from mcp_governor.rules import LintSettings, select
from mcp_governor.surface import build_surface
from mcp_governor.wire import StdioEndpoint, connect
from mcp_governor.wire.recording import read_recording

TALKER = Path(__file__).parent / "talker.py"
PROTOCOL = select(LintSettings(select=("call/*",)))
CHARTER = select(LintSettings(select=("call/*", "envelope/*")))


def talk(*tools, configured=(), recorded=(), selection=PROTOCOL, env=None, **settings):
    endpoint = StdioEndpoint((sys.executable, str(TALKER), *tools), env=env or {})
    limits = CallSettings(**{"timeout": 5.0, **settings})

    async def main():
        async with connect(endpoint) as session:
            surface = build_surface((await read_recording(session)).raw)
            plan = plan_calls(surface, configured, settings=limits, recorded=recorded)
            return await run_calls(
                session,
                surface,
                plan,
                settings=limits,
                selection=selection,
                reconnect=lambda: connect(endpoint),
            )

    return anyio.run(main)


def found(report):
    return sorted({finding.rule for finding in report.findings})


def statuses(report, tool):
    return [result.outcome.status for result in report.results if result.case.tool == tool]


def test_a_sound_server_has_no_findings():
    report = talk("exact")
    assert found(report) == []
    purposes = [case.purpose for case in report.cases]
    assert purposes == [Purpose.REQUIRED, Purpose.UNKNOWN, Purpose.MISSING, Purpose.TYPE, Purpose.UNKNOWN_TOOL]


def test_what_the_schema_refuses_and_the_server_accepts_is_drift():
    report = talk("lax")
    drift = [finding for finding in report.findings if finding.rule == "call/drift-accepted"]
    assert len(drift) == 3  # unknown argument, missing argument, wrong type
    assert {finding.tool for finding in drift} == {"lax"}
    assert len({finding.id for finding in drift}) == 3


def test_what_the_schema_accepts_and_the_server_refuses_is_drift():
    report = talk("strict")
    assert found(report) == ["call/drift-refused", "call/no-good-call-succeeded"]


def test_nothing_that_writes_is_called():
    report = talk("write", "destroy", "exact")
    assert {case.tool for case in report.cases} == {"exact", "mcp_governor_unknown"}
    assert [(skipped.tool, skipped.reason) for skipped in report.skipped] == [
        ("write", "not annotated as read-only; see call --allow-writes"),
        ("destroy", "its annotations do not say that it only reads"),
    ]


def test_a_configured_call_is_checked_against_its_expectation():
    calls = [CallConfig("good", {}, "success"), CallConfig("follows", {}, "error", "unknown_name")]
    assert found(talk("good", "follows", configured=calls, selection=CHARTER, generate=False)) == []
    wrong = [CallConfig("good", {}, "empty"), CallConfig("follows", {}, "error", "internal_error")]
    report = talk("good", "follows", configured=wrong, generate=False)
    assert [(finding.rule, finding.tool) for finding in report.findings] == [
        ("call/expectation", "good"),
        ("call/expectation", "follows"),
    ]


def test_a_configured_call_of_a_tool_that_is_not_there_is_reported():
    report = talk("good", configured=[CallConfig("ech", {})], generate=False)
    (finding,) = report.findings
    assert (finding.rule, finding.tool) == ("call/expectation", None)
    assert finding.message.startswith('The configured call names "ech", which is not a tool of this server.')
    assert report.results == ()


def test_arguments_without_a_tool_change_the_call_that_failed():
    calls = [CallConfig("changed", {"q": "a"}, "error"), CallConfig("unchanged", {"q": "a"}, "error")]
    report = talk("changed", "unchanged", configured=calls, selection=CHARTER, follow=True, generate=False)
    assert [(case.tool, case.arguments) for case in report.cases if case.purpose is Purpose.FOLLOW] == [
        ("changed", {"q": "b"}),
        ("unchanged", {"q": "b"}),
    ]
    looping = [finding for finding in report.findings if finding.rule == "call/recovery-failed"]
    assert [finding.tool for finding in looping] == ["unchanged"]


def test_recovery_is_followed_once_and_may_fail_otherwise():
    report = talk("good", "follows", "loops", "same", "itself", selection=CHARTER, follow=True, unhappy=False)
    looping = [finding for finding in report.findings if finding.rule == "call/recovery-failed"]
    assert {finding.tool for finding in looping} == {"loops", "itself"}
    followed = [case.tool for case in report.cases if case.purpose is Purpose.FOLLOW]
    assert followed == ["good", "same"]  # each suggested call once, and never the very call that failed


def test_recovery_is_not_followed_into_a_tool_that_writes():
    report = talk("writes-next", "write", selection=CHARTER, follow=True)
    assert "write" not in {case.tool for case in report.cases}


def test_several_charter_versions_are_reported_once():
    report = talk("good", "older", selection=CHARTER, unhappy=False)
    mixed = [finding for finding in report.findings if finding.rule == "call/charter-mixed"]
    assert [(finding.tool, "1.1, 1.2" in finding.message) for finding in mixed] == [(None, True)]


def test_a_call_that_never_returns_ends_at_its_timeout():
    report = talk("hang", "good", timeout=0.3, unhappy=False)
    assert statuses(report, "hang") == ["timeout"]
    assert found(report) == ["call/timeout"]
    assert statuses(report, "good") == ["success"], "the next call is not blamed for it"


def test_a_hung_server_is_started_again_once(tmp_path):
    calls = [CallConfig("hang", {"n": n}) for n in range(3)]
    env = {"TALKER_STARTS": str(tmp_path / "starts")}
    report = talk("hang", configured=calls, env=env, timeout=0.3, generate=False)
    assert statuses(report, "hang") == ["timeout"] * 2
    assert [(skipped.tool, skipped.reason) for skipped in report.skipped] == [("hang", "the server is gone")]
    assert report.restarts == 1
    assert (tmp_path / "starts").read_text() == "2"


def test_a_server_that_dies_is_started_again_once_and_the_call_is_reported(tmp_path):
    report = talk("die", "exact", env={"TALKER_STARTS": str(tmp_path / "starts")}, unhappy=False)
    assert statuses(report, "die") == ["died"]
    assert statuses(report, "exact") == ["success"]
    assert report.restarts == 1
    assert "call/server-exited" in found(report)
    assert (tmp_path / "starts").read_text() == "2"


def test_the_budget_ends_the_run():
    report = talk("hang", "exact", timeout=30.0, budget=0.5, unhappy=False)
    assert statuses(report, "hang") == ["cut"]
    # The tool was not given the time that it may take, so nothing is said of it.
    assert found(report) == []
    assert report.out_of_time
    assert any("budget" in skipped.reason and skipped.tool == "exact" for skipped in report.skipped)


def test_a_result_over_the_cap_is_reported_and_not_looked_into():
    report = talk("big", result_bytes=100_000, unhappy=False)
    assert statuses(report, "big") == ["too-large"]
    assert found(report) == ["call/too-large"]
    assert report.results[0].response is None


_CAP = CallSettings().result_bytes


@pytest.mark.parametrize(
    ("size", "status", "words"),
    [
        (_CAP, "success", ""),
        (_CAP + 1, "too-large", "The result has 10,485,761 bytes; the cap is 10,485,760 ("),
        (13 << 20, "too-large", "The result was not read ("),
    ],
)
def test_the_size_cap_is_exact_over_the_wire_as_well(size, status, words):
    assert _CAP == 10 << 20  # docs/calls.md, Limits
    report = talk("sized", env={"TALKER_BYTES": str(size)}, unhappy=False, timeout=30.0)
    assert statuses(report, "sized") == [status]
    assert found(report) == ([] if status == "success" else ["call/too-large"])
    assert all(words in finding.message for finding in report.findings), report.findings


def test_a_server_that_asks_back_is_refused_and_reported():
    report = talk("ask", unhappy=False)
    assert report.results[0].response["content"][0]["text"] == "refused"
    (finding,) = report.findings
    assert finding.rule == "call/input-requested"
    assert "elicitation/create" in finding.message
    assert "sampling/createMessage" in finding.message


ODD = {
    "chatter": None,
    "noise": None,  # of the run, not of the tool
    "binary": None,
    "textless": None,
    "hollow": "call/result-shape",
    "naked": "call/result-shape",
    "duplicate": None,
    "null": "call/protocol",
    "list": "call/protocol",
    "nan": "call/protocol",
    "promised": "call/structured-missing",
}


def test_bad_and_odd_answers():
    report = talk(*ODD, "exact", unhappy=False)
    assert {finding.tool: finding.rule for finding in report.findings} == {
        None: "call/stdout-noise",
        **{tool: rule for tool, rule in ODD.items() if rule is not None},
    }
    assert statuses(report, "exact") == ["success"], "the run goes on"


SAID = {
    "both": 'the response to tools/call has both "result" and "error".',
    "both-null": 'the response to tools/call has both "result" and "error".',
    "error-null": 'the response to tools/call has both "result" and "error".',
    "id-text": 'the id of the response to tools/call is "',
    "id-other": "the id of the response to tools/call is 4711",
    "id-null": "the id of the response to tools/call is null",
}


def test_a_response_that_is_none_is_neither_an_error_of_the_tool_nor_slow():
    report = talk(*SAID, "exact", unhappy=False, timeout=0.7)
    assert [statuses(report, tool) for tool in SAID] == [["protocol"]] * len(SAID)
    assert statuses(report, "exact") == ["success"]
    assert {finding.tool: finding.rule for finding in report.findings} == dict.fromkeys(SAID, "call/protocol")
    for finding in report.findings:
        assert SAID[finding.tool] in finding.message
        assert ("and no request has this id." in finding.message) is finding.tool.startswith("id-")
        assert "faster" not in f"{finding.message} {finding.fix}"


def test_a_recorded_call_that_behaves_differently_is_a_change():
    recorded = [
        {
            "tool": "drops",
            "arguments": {},
            "status": "success",
            "kind": "",
            "channel": "result",
            "result": {"content": [], "structuredContent": {"n": 1, "gone": True}},
        }
    ]
    report = talk("drops", recorded=recorded, generate=False)
    assert sorted((change.kind, change.path) for change in report.changes) == [
        ("call-field-removed", "/structuredContent/gone"),
        ("call-field-type-changed", "/structuredContent/n"),
    ]


def test_secrets_of_the_environment_are_not_shown():
    endpoint = StdioEndpoint((sys.executable, str(TALKER), "leaks"), env={"TALKER_SECRET": "hunter2-hunter2"})

    async def main():
        async with connect(endpoint) as session:
            surface = build_surface((await read_recording(session)).raw)
            plan = plan_calls(surface, settings=CallSettings(unhappy=False))
            return await run_calls(session, surface, plan, selection=PROTOCOL)

    report = anyio.run(main)
    assert found(report) == ["call/error-leak", "call/no-good-call-succeeded"]
    assert all("hunter2" not in finding.message + finding.id + finding.fix for finding in report.findings)
