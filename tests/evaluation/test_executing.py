"""The chosen call is made against a real child if it is safe, and never otherwise: the child logs each call."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import anyio
import pytest

from mcp_governor.evaluation.end_to_end import execute
from mcp_governor.evaluation.model import NOT_MADE, Choice, Executed
from mcp_governor.secret_detection import learn
from mcp_governor.surface import build_surface
from mcp_governor.wire import StdioEndpoint, connect
from mcp_governor.wire.recording import read_recording

SCRIPTED = Path(__file__).parents[1] / "servers" / "scripted.py"
NULL = dict.fromkeys(("error", "confidence", "provenance", "follow_up_hints", "degradation_reason"))


def _envelope(status: str, kind: str = "") -> dict:
    error = {"kind": kind, "message": "It \x1b[31mis not\nthere."} if kind else None
    whole = {**NULL, "status": status, "data": None if kind else [1], "error": error, "charter_version": "1.2"}
    return {"content": [{"type": "text", "text": json.dumps(whole)}], "structuredContent": whole, "isError": False}


ANSWERS = {
    "fine": {"content": [{"type": "text", "text": "ok"}]},
    "found": _envelope("success"),
    "empty": _envelope("empty"),
    "lost": _envelope("error", "unknown_name"),
    "forbidden": _envelope("refused", "policy_blocked"),
    "wrong": {"content": [{"type": "text", "text": "No\x1b[2J such row"}], "isError": True},
    "huge": {"content": [{"type": "text", "text": "x" * (10 * 1024 * 1024)}]},
    "dies": "die",
    "hangs": "hang",
}
HINTS = {"writes": {"readOnlyHint": False}, "unsaid": {}, "destroys": {"readOnlyHint": True, "destructiveHint": True}}
HINTS["transfer_funds"] = {"readOnlyHint": True}
ARGUMENTS = {"type": "object", "properties": {"q": {"type": "string"}}}


def _tool(name: str) -> dict:
    return {"name": name, "inputSchema": ARGUMENTS, "annotations": HINTS.get(name, {"readOnlyHint": True})}


@pytest.fixture
def run(tmp_path: Path):
    log = tmp_path / "log"

    def run(*choices: Choice, **options) -> tuple[list[Executed], list]:
        script = {
            "tools": [_tool(name) for name in (*ANSWERS, *HINTS)],
            "answers": {**ANSWERS, **dict.fromkeys(HINTS, ANSWERS["fine"])},
            "log": str(log),
            "lax": False,
        }
        (tmp_path / "script.json").write_text(json.dumps(script))
        endpoint = StdioEndpoint((sys.executable, str(SCRIPTED), str(tmp_path / "script.json")))

        async def main() -> list[Executed]:
            async with connect(endpoint) as session:
                surface = build_surface((await read_recording(session)).raw)
                return [await execute(choice, session, surface, **options) for choice in choices]

        results = anyio.run(main)
        made = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        return results, made

    return run


@pytest.mark.parametrize(
    ("tool", "status", "kind", "succeeded"),
    [
        ("fine", "success", "", True),
        ("empty", "empty", "", True),
        ("lost", "error", "unknown_name", False),
        ("forbidden", "refused", "policy_blocked", False),
        ("wrong", "error", "", False),
        ("huge", "too-large", "", False),
        ("dies", "died", "", False),
    ],
)
def test_a_call_is_made_once_and_its_status_read(run, tool, status, kind, succeeded):
    (done,), made = run(Choice(tool, {"q": "a word"}))
    assert (done.status, done.kind, done.succeeded) == (status, kind, succeeded)
    assert made == [[tool, {"q": "a word"}]]
    assert "\x1b" not in done.said
    assert "\n" not in done.said
    assert bool(done.said) is not succeeded


def test_a_server_that_does_not_answer_is_left_after_the_limit(run):
    (done,), _ = run(Choice("hangs", {}), timeout=0.5)
    assert (done.status, done.said, done.succeeded, done.ended_session) == (
        "timeout",
        "no response within 0.5 s",
        False,
        True,
    )


def test_arguments_that_the_schema_refuses_are_the_failure_of_the_call(run):
    (done,), _ = run(Choice("fine", {"z": 1}))
    assert (done.status, done.succeeded) == ("error", False)
    assert "unknown argument z" in done.said


@pytest.mark.parametrize(
    ("choice", "kind"),
    [
        (Choice("writes", {}), "writes"),
        (Choice("unsaid", {}), "writes"),
        # Hints are only hints: these two say that they only read.
        (Choice("destroys", {}), "writes"),
        (Choice("transfer_funds", {}), "writes"),
        (Choice("fine", {"q": "/etc/passwd"}), "guarded"),
        (Choice("fine", {"q": "http://169.254.169.254/latest"}), "guarded"),
        (Choice("fine", {"q": {"deep": ["~/.ssh/id_rsa"]}}), "guarded"),
        (Choice("fine", {"q": "AKIAIOSFODNN7EXAMPLE"}), "guarded"),
    ],
)
def test_what_is_not_certain_to_be_safe_is_not_called(run, choice, kind):
    (done,), made = run(choice)
    assert made == []
    assert (done.status, done.kind, done.made, done.succeeded) == (NOT_MADE, kind, False, False)
    assert done.said
    assert "\x1b" not in done.said


def test_a_tool_without_hints_is_called_where_the_user_says_that_it_reads(run):
    results, made = run(Choice("unsaid", {}), Choice("writes", {}), read_only=("*",))
    assert [done.status for done in results] == ["success", NOT_MADE]
    assert made == [["unsaid", {}]]


def test_a_secret_of_ours_is_not_sent(run):
    learn("hunter2-hunter2-77", "API_TOKEN")
    (done,), made = run(Choice("fine", {"q": "use hunter2-hunter2-77 now"}))
    assert (done.kind, made) == ("guarded", [])
