"""Good calls of a server whose tools work only with what fits: ids from its lists, today, files that exist."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import anyio
import pytest

from mcp_governor.call.candidates import Supply
from mcp_governor.call.cases import CallSettings, Purpose
from mcp_governor.call.expect import _advice
from mcp_governor.call.good import Attempts
from mcp_governor.call.plan import plan_calls
from mcp_governor.call.prose import read_lesson
from mcp_governor.call.record import load_recordings, split_recordings, write_recordings
from mcp_governor.call.run import run_calls
from mcp_governor.call.sandbox import Sandbox
from mcp_governor.config import CallConfig
from mcp_governor.rules import LintSettings, select
from mcp_governor.surface import build_surface
from mcp_governor.wire import StdioEndpoint, connect
from mcp_governor.wire.recording import read_recording

ARCHIVE = Path(__file__).parent / "archive.py"
WORKING = ("get_issue", "list_issues", "get_item", "list_items", "get_day", "get_clock", "read_report", "get_history",
           "get_speed")  # fmt: skip
UNANSWERED = "call/no-good-call-succeeded"


def talk(folder, *tools, configured=(), recorded=(), **settings):
    endpoint = StdioEndpoint((sys.executable, str(ARCHIVE), *tools), env={"ARCHIVE_CALLS": str(folder / "calls")})
    limits = CallSettings(**{"timeout": 10.0, "unhappy": False, **settings})

    async def main(sandbox):
        async with connect(endpoint) as session:
            surface = build_surface((await read_recording(session)).raw)
            plan = plan_calls(surface, configured, settings=limits, recorded=recorded, sandbox=sandbox)
            return await run_calls(
                session,
                surface,
                plan,
                settings=limits,
                selection=select(LintSettings(select=("call/*",))),
                reconnect=lambda: connect(endpoint),
            )

    with Sandbox(folder) as sandbox:
        return anyio.run(main, sandbox)


def made(folder):
    """What the server was really called with."""
    return [json.loads(line) for line in (folder / "calls").read_text().splitlines()]


def test_every_tool_is_called_with_what_it_needs(tmp_path):
    report = talk(tmp_path, *WORKING)
    assert report.good_calls.without == ()
    assert (report.good_calls.tools, report.good_calls.succeeded, report.good_calls.failed) == (9, 9, 0)
    assert [finding.rule for finding in report.findings] == ["call/drift-refused"]  # mode is an enum in hiding
    assert report.findings[0].tool == "get_speed"
    assert str(report.good_calls) == "good calls: 9 of 9 tools succeeded"
    sent = dict(made(tmp_path))
    assert sent["get_issue"] == {"issue_id": "ISS-17"}
    assert sent["get_item"] == {"item_id": 0}
    assert sent["get_speed"] == {"mode": "fast"}


def test_without_a_sandbox_the_schemas_alone_count(tmp_path):
    async def main():
        async with connect(StdioEndpoint((sys.executable, str(ARCHIVE), *WORKING))) as session:
            surface = build_surface((await read_recording(session)).raw)
            return await run_calls(session, surface, plan_calls(surface, settings=CallSettings(unhappy=False)))

    assert sorted(set(WORKING) - set(anyio.run(main).good_calls.without)) == ["get_item", "list_issues", "list_items"]


def test_no_path_leads_out_of_the_sandbox(tmp_path):
    report = talk(tmp_path, "read_report", "save_note", allow_writes=True, unhappy=True)
    assert report.good_calls.without == ()
    paths = [arguments["path"] for _, arguments in made(tmp_path) if isinstance(arguments.get("path"), str)]
    assert len(paths) >= 4
    assert all(path.startswith(f"{tmp_path}/mcp-governor-") and ".." not in path for path in paths)
    assert [entry.name for entry in tmp_path.iterdir()] == ["calls"], "nothing is left behind"


def test_a_call_that_fails_is_made_again_at_most_three_times(tmp_path):
    report = talk(tmp_path, "never")
    assert [arguments["thing"] for _, arguments in made(tmp_path)] == ["a", "b", "c", "d"]
    assert [case.attempt for case in report.cases] == [0, 1, 2, 3]
    counts = report.good_calls
    assert (counts.tools, counts.succeeded, counts.failed, counts.without) == (1, 0, 1, ("never",))
    assert len(made(tmp_path)) == len(report.results)
    talk(tmp_path, "never", alternatives=0)
    assert len(made(tmp_path)) == 5


def test_a_schema_that_says_too_little_is_reported_once(tmp_path):
    report = talk(tmp_path, "picky")
    assert [case.arguments["thing"] for case in report.cases] == ["a", "b", "c", "example"]
    assert [finding.rule for finding in report.findings] == ["call/drift-refused", UNANSWERED]


def test_a_call_that_no_argument_can_help_is_made_once(tmp_path):
    talk(tmp_path, "locked")
    assert made(tmp_path) == [["locked", {"thing": "a"}]]


def test_a_server_that_dies_is_not_called_with_something_else(tmp_path):
    report = talk(tmp_path, "crash", "get_clock")
    assert [name for name, _ in made(tmp_path)] == ["crash", "get_clock"]
    assert report.restarts == 1
    assert report.good_calls.without == ("crash",)
    assert "call/server-exited" in {finding.rule for finding in report.findings}
    assert UNANSWERED not in {finding.rule for finding in report.findings}, "one cause, one finding"


def test_a_tool_without_success_is_a_warning_with_the_lines_to_add(tmp_path):
    report = talk(tmp_path, "never", "get_clock")
    (finding,) = [finding for finding in report.findings if finding.rule == UNANSWERED]
    assert (finding.severity.value, finding.tool) == ("warning", "never")
    assert finding.message == (
        "None of the 4 good calls of never succeeds; the first one, with thing='a', fails: \"There is no\"."
    )
    snippet = finding.fix.partition("\n")[2]
    assert tomllib.loads(snippet)["tool"]["mcp-governor"]["calls"] == [{"tool": "never", "arguments": {"thing": "a"}}]


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("[Errno -2] Name or service not known", "The server does not reach its service"),
        ("TypeError: fetch failed", "call it where it does"),
        ("getaddrinfo ENOTFOUND api.example.com", "does not reach"),
        ("dial tcp: lookup api.example.com: Temporary failure in name resolution", "does not reach"),
        ("error (401): API key must be provided (EXA_API_KEY)", "set EXA_API_KEY and add --env EXA_API_KEY"),
        ("Unauthorized", "give it one with --env"),
        ("There is no file of this name", "name a call that works in the configuration:\n[[tool"),
    ],
)
def test_the_next_step_depends_on_what_the_tool_said(words: str, advice: str) -> None:
    """Other arguments do not help a server without a network, or without a key."""
    assert advice in _advice(words, "[[tool.mcp-governor.calls]]")


def test_configured_calls_name_files_of_the_sandbox(tmp_path):
    configured = [
        CallConfig("read_report", {"path": "{sandbox}/data.json"}, "success"),
        CallConfig("get_day", {"day": "{today}"}, "success"),
        CallConfig("never", {"thing": "x"}, "error"),
    ]
    report = talk(tmp_path, "read_report", "get_day", "never", configured=configured, generate=False)
    assert report.findings == ()
    assert report.good_calls.without == ()
    assert [dict(case.portable_arguments) for case in report.cases if case.tool == "read_report"] == [
        {"path": "{sandbox}/data.json"}
    ]


def test_recordings_hold_what_worked_and_can_be_made_again(tmp_path):
    report = talk(tmp_path, "read_report", "get_history", "get_speed", "get_day")
    folder = tmp_path / "recorded"
    files = write_recordings(folder, report.results, sandbox=report.sandbox)
    assert len(files) == 4, "attempts that failed are not recorded"
    documents = {file: json.loads(file.read_text()) for file in files}
    assert all(str(tmp_path) not in file.read_text() for file in files)
    assert {str(document["arguments"]) for document in documents.values()} == {
        "{'path': '{sandbox}/notes.txt'}",
        "{'repo_path': '{sandbox}/repository'}",
        "{'mode': 'fast'}",
        "{'day': '{today}'}",
    }
    _, recorded = split_recordings(load_recordings(folder))
    again = talk(tmp_path, "read_report", "get_history", "get_speed", "get_day", recorded=recorded, generate=False)
    assert again.changes == ()
    assert {case.purpose for case in again.cases} == {Purpose.RECORDED}
    assert again.good_calls.without == ()


def call(tmp_path, *tools, options=()):
    command = [sys.executable, "-m", "mcp_governor", "call", "--isolated", *options]
    server = ["--", sys.executable, str(ARCHIVE), *tools]
    return subprocess.run([*command, *server], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)


def test_a_run_without_any_success_exits_4_and_says_so(tmp_path):
    reported = call(tmp_path, "never", "locked")
    assert reported.returncode == 4
    assert "good calls: 0 of 2 tools succeeded" in reported.stdout
    assert reported.stdout.rstrip().endswith("FAIL")
    assert "failed by: No good call succeeded (2 tools called)" in reported.stdout
    assert reported.stderr.startswith("hint: Name calls that work"), "the report has said what is wrong"


def test_one_success_is_enough_for_a_verdict(tmp_path):
    reported = call(tmp_path, "never", "get_clock", options=("--happy-only",))
    assert reported.returncode == 0
    assert reported.stdout.rstrip().endswith("good calls: 1 of 2 tools succeeded\nPASS")
    assert 'arguments = { thing = "a" }' in reported.stdout


def test_the_json_report_counts_good_calls(tmp_path):
    reported = call(tmp_path, "never", "get_clock", options=("--format", "json"))
    summary = json.loads(reported.stdout)["summary"]
    assert summary["good_calls"] == {"tools": 2, "succeeded": 1, "failed": 1, "tools_without_success": ["never"]}


def test_the_scratch_folder_is_where_samples_are_made(tmp_path):
    (tmp_path / "box").mkdir()
    reported = call(tmp_path, "read_report", options=("--scratch", "box", "--happy-only", "--record", "seen"))
    assert reported.returncode == 0
    assert list((tmp_path / "box").iterdir()) == []
    assert call(tmp_path, "read_report", options=("--scratch", "absent")).returncode == 2


DAY = date(2026, 11, 23)
TEXT = {"type": "string"}


@pytest.fixture
def after(tmp_path):
    """Arguments of the second call of a tool, as messages say them, ``None`` where there is none."""

    def second(refusal, properties, required, *, name="do_it", full=False, writes=False):
        hints = {"readOnlyHint": not writes, "destructiveHint": False}
        schema = {"type": "object", "properties": properties, "required": required}
        surface = build_surface({"tools": [{"name": name, "inputSchema": schema, "annotations": hints}]})
        with Sandbox(tmp_path, DAY) as sandbox:
            attempts = Attempts(surface.tools[0], Supply(surface, sandbox).of(surface.tools[0]))
            first = attempts.first(full=full)
            lesson = read_lesson(refusal, attempts.declared, first, DAY)
            return sandbox.portable(attempts.after(first, lesson))

    return second


def test_another_name_where_one_is_taken(after):
    reported = after("'example' already exists", {"path": TEXT, "label": TEXT}, ["path", "label"], writes=True)
    assert reported == {"path": "{sandbox}/notes.txt", "label": "example-2"}


def test_another_kind_of_file_where_one_is_asked_for(after):
    reported = after("path must point to an Excel file (.xlsx, .xlsm)", {"path": TEXT}, ["path"])
    assert reported == {"path": "{sandbox}/workbook.xlsx"}


def test_a_value_that_is_asked_for(after):
    assert after("mode must be one of: fast, slow", {"mode": TEXT}, ["mode"]) == {"mode": "fast"}
    assert after("level must be one of: 3, 4", {"level": {"type": "integer"}}, ["level"]) == {"level": 3}


def test_an_optional_argument_that_is_missing_after_all(after):
    assert after("day is required", {"q": TEXT, "day": TEXT}, ["q"]) == {"q": "example", "day": "{today}"}


def test_an_optional_argument_that_is_too_much(after):
    assert after("unit is not supported here", {"q": TEXT, "unit": TEXT}, ["q"], full=True) == {"q": "example"}


@pytest.mark.parametrize("asked", ["/etc/passwd", "../../x", "~/.ssh/id_rsa", "http://127.0.0.1/"])
def test_a_refusal_does_not_lead_out_of_the_sandbox(after, asked):
    refusal = f"target_path must be one of: '{asked}'. Pass target_path='{asked}'."
    for writes in (False, True):
        reported = after(refusal, {"target_path": TEXT}, ["target_path"], writes=writes)
        assert reported is None or reported["target_path"].startswith("{sandbox}")


def test_nothing_is_tried_twice(after):
    assert after("no", {"q": {"enum": ["only"]}}, ["q"]) is None
