"""Whether calls of deprecated tools warned, where the changelog or stderr is needed to know it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from replacing import replace

from mcp_governor.checking.calling import IN_RESPONSES, ON_STDERR
from mcp_governor.checking.run import check
from mcp_governor.config import load_config

SERVER = """
import json, sys, time
script = json.loads(open("script.json").read())
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] == "initialize":
        answer["result"] = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}},
                            "serverInfo": {"name": "notes", "version": "1.1.0"}}
    elif asked["method"] == "tools/list":
        answer["result"] = {"tools": script["tools"]}
    elif asked["method"] == "tools/call":
        body = {"schema_version": "1.1.0", **script["body"]}
        answer["result"] = {"content": [{"type": "text", "text": "-"}], "structuredContent": body, "isError": False}
        print(script["stderr"], file=sys.stderr, flush=True, end="")
    else:
        answer["error"] = {"code": -32601, "message": "no such method"}
    print(json.dumps(answer), flush=True)
    if asked["method"] == "tools/call" and script["later"]:
        time.sleep(0.2)
        print(script["later"], file=sys.stderr, flush=True)
"""
MARK = {"deprecated": {"since": "1.1.0", "replacement": "search"}}
WARNING = "Deprecated, use search instead."
REPORTED = "- `find` is deprecated; use `search` instead."
PART = "- The argument `mode` of `find` changes in 1.2.0."


def missing(
    folder: Path,
    entry: str = "",
    *,
    body: dict[str, Any] | None = None,
    stderr: str = "",
    later: str = "",
    tier: str = "standard",
    **meta: Any,
) -> list[str]:
    """What `check` says of a server with the tool `find`, which is called once with a mode."""
    schema = {"type": "object", "properties": {"mode": {"type": "string"}}}
    tools = [
        {
            "name": name,
            "inputSchema": schema,
            "annotations": {"readOnlyHint": True},
            "_meta": {"tier": tier, **(meta if name == "find" else {})},
        }
        for name in ("find", "search")
    ]
    script = {"tools": tools, "body": body or {}, "stderr": stderr, "later": later}
    (folder / "script.json").write_text(json.dumps(script))
    (folder / "server.py").write_text(SERVER)
    deprecated = f"\n\n**Deprecated**\n\n{entry}" if entry else ""
    (folder / "log.md").write_text(f"## 1.1.0 (current){deprecated}\n")
    lines = [
        'target = "notes"',
        'calls-mode = "configured"',
        'profile = ["surface"]',
        'changelog = "log.md"',
        "[servers.notes]",
    ]
    lines += [f"command = {json.dumps([sys.executable, 'server.py'])}"]
    lines += ["[[calls]]", 'tool = "find"', 'arguments = { mode = "fast" }']
    (folder / "mcp-governor.toml").write_text("\n".join(lines))
    report = check(config=load_config(start=folder))
    return sorted(found.message for found in report.findings if found.rule in (IN_RESPONSES, ON_STDERR))


SILENT = "find is deprecated and was called, but the server wrote no warning to stderr."


def test_a_tool_that_only_the_changelog_deprecates_warns_as_well(tmp_path: Path) -> None:
    silent, unwarned = "Section 1.1.0 of the changelog deprecates the tool, but its response does not warn.", SILENT
    assert missing(tmp_path, REPORTED) == sorted([silent, unwarned])
    assert missing(tmp_path, REPORTED, body={"warning": WARNING}, stderr=WARNING) == []
    other = 'The warning does not name the replacement "search".'
    assert missing(tmp_path, REPORTED, body={"warning": "Deprecated."}, stderr="Deprecated.") == [other]
    assert missing(tmp_path) == []
    # Then the tool's own mark decides, and nothing is said twice.
    own = "The tool is deprecated and its response does not warn (configured call mode='fast')."
    assert missing(tmp_path, REPORTED, **MARK) == sorted([own, SILENT])


@pytest.mark.parametrize(
    ("entry", "tier", "body", "warns"),
    [
        (PART, "advanced", {}, False),
        (PART, "advanced", {"warning": "`mode` changes in 1.2.0."}, True),
        (PART, "standard", {}, True),  # a major release breaks it, and the section of that says so
        ("- The argument `other` of `find` changes in 1.2.0.", "advanced", {}, True),
        ("- The argument `mode` of `search` changes in 1.2.0.", "advanced", {}, True),  # it is not called
    ],
)
def test_what_is_to_break_of_an_advanced_tool_warns_when_it_is_used(
    tmp_path: Path, entry: str, tier: str, body: dict[str, Any], warns: bool
) -> None:
    message = "Section 1.1.0 of the changelog deprecates mode, but the response to a call that uses it does not warn."
    assert missing(tmp_path, entry, body=body, tier=tier) == ([] if warns else [message])


@pytest.mark.parametrize(
    ("written", "reported"),
    [
        ("", True),
        ("find was called\n", True),
        ("something else is deprecated\n", True),
        (f"{WARNING}\n", False),
        ("WARN find is deprecated\n", False),
        ("DeprecationWarning: move to search\n", False),
    ],
)
def test_what_counts_as_a_warning_on_stderr(tmp_path: Path, written: str, reported: bool) -> None:
    body = {"warning": WARNING}
    assert missing(tmp_path, REPORTED, body=body, stderr=written, **MARK) == ([SILENT] if reported else [])


def test_a_warning_that_comes_after_the_response_is_waited_for(tmp_path: Path) -> None:
    assert missing(tmp_path, REPORTED, body={"warning": WARNING}, later=WARNING, **MARK) == []


def test_what_was_cut_off_may_have_warned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_governor.checking.calling.STDERR_KEPT", 2_000)
    noise = "x" * 3_000
    assert missing(tmp_path, REPORTED, body={"warning": WARNING}, stderr=noise, **MARK) == []


def test_no_changelog_is_needed(tmp_path: Path) -> None:
    missing(tmp_path, REPORTED, **MARK)
    config = replace(load_config(start=tmp_path), changelog="")
    report = check(config=config)
    assert {found.rule for found in report.findings} >= {IN_RESPONSES, ON_STDERR}
