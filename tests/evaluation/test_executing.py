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


STATUSES = {
    "fine": ("success", "", True),
    "empty": ("empty", "", True),
    "lost": ("error", "unknown_name", False),
    "forbidden": ("refused", "policy_blocked", False),
    "wrong": ("error", "", False),
    "huge": ("too-large", "", False),
    "hangs": ("timeout", "", False),
}


def test_a_call_is_made_once_and_its_status_read(run):
    results, made = run(*(Choice(tool, {"q": "a word"}) for tool in STATUSES), timeout=2.0)
    assert [(one.status, one.kind, one.succeeded) for one in results] == [*STATUSES.values()]
    assert made == [[tool, {"q": "a word"}] for tool in STATUSES]
    for one in results:
        assert "\x1b" not in one.said
        assert "\n" not in one.said
        assert bool(one.said) is not one.succeeded
    assert results[-1].said == "no response within 2 s"
    assert results[-1].ended_session


def test_arguments_that_the_schema_refuses_are_the_failure_of_the_call(run):
    (done,), _ = run(Choice("fine", {"z": 1}))
    assert (done.status, done.succeeded) == ("error", False)
    assert "unknown argument z" in done.said


UNSAFE = [
    ("writes", {}, "writes"),
    ("unsaid", {}, "writes"),
    # Hints are only hints: these two say that they only read.
    ("destroys", {}, "writes"),
    ("transfer_funds", {}, "writes"),
    ("fine", {"q": "/etc/passwd"}, "guarded"),
    ("fine", {"q": "http://169.254.169.254/latest"}, "guarded"),
    ("fine", {"q": {"deep": ["~/.ssh/id_rsa"]}}, "guarded"),
    ("fine", {"q": "AKIAIOSFODNN7EXAMPLE"}, "guarded"),
    ("fine", {"q": "use hunter2-hunter2-77 now"}, "guarded"),
]


def test_what_is_not_certain_to_be_safe_is_not_called(run):
    learn("hunter2-hunter2-77", "API_TOKEN")
    results, made = run(*(Choice(tool, arguments) for tool, arguments, _ in UNSAFE))
    assert made == []
    assert [one.kind for one in results] == [kind for *_, kind in UNSAFE]
    for done in results:
        assert (done.status, done.made, done.succeeded) == (NOT_MADE, False, False)
        assert done.said
        assert "\x1b" not in done.said


def test_a_tool_without_hints_is_called_where_the_user_says_that_it_reads(run):
    results, made = run(Choice("unsaid", {}), Choice("writes", {}), read_only=("*",))
    assert [done.status for done in results] == ["success", NOT_MADE]
    assert made == [["unsaid", {}]]
