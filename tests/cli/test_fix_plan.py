"""``lint --fix-plan`` and ``lint --diff``."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest
from commandline import governor_here
from documents import closed

from mcp_governor.checking.formats import DOCUMENT_FORMATS

TEXT = {"type": "string"}
REPO = {**TEXT, "description": "Repository in the format 'owner/repo'"}


def _tool(name: str, properties: dict, **more) -> dict:
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {"name": name, "description": "Reads the log of a repository.", "inputSchema": schema, **more}


MODE = {**TEXT, "default": "fast", "description": "One of: 'fast', 'slow'"}
LIMIT = {"type": "integer", "default": 10, "description": "How many commits (1-100)"}
HINTED = {"annotations": {"readOnlyHint": True}}
SURFACE = {
    "tools": [
        _tool("get_log", {"repo": REPO, "limit": LIMIT, "mode": MODE}),
        _tool(
            "get_diff", {"repo": REPO, "timeout": {"type": "integer", "description": "Timeout of the query"}}, **HINTED
        ),
        _tool("get_tags", {"repo": REPO}, **HINTED),
    ]
}
SOURCE = """
from typing import Annotated
from pydantic import Field
from mcp.server.fastmcp import FastMCP

mcp = FastMCP("log")


@mcp.tool()
def get_log(
    repo: Annotated[str, Field(description="Repository in the format 'owner/repo'")],
    limit: Annotated[int, Field(description="How many commits (1-100)")] = 10,
    mode: Annotated[str, Field(description="One of: 'fast', 'slow'")] = "fast",
) -> str: ...


@mcp.tool(name="get_diff")
def diff(repo: REPO, timeout: int) -> str: ...
"""
RULES = ("missing-format", "limit-without-bound", "closed-list", "null-default", "hints-declared", "missing-unit")
SELECT = tuple(word for rule in RULES for word in ("--select", f"clarity/{rule}"))


@pytest.fixture
def lint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.json").write_text(json.dumps(SURFACE))
    (tmp_path / "server.py").write_text(SOURCE)

    def run(*arguments: str):
        return governor_here("lint", "s.json", *SELECT, *arguments, capsys=capsys)

    return run


def test_the_diff_is_what_a_maintainer_reads(lint, golden):
    outcome = lint("--diff")
    assert (outcome.code, outcome.err) == (0, "")
    golden("lint-diff.txt", outcome.out)


def test_the_plan_is_what_a_program_reads(lint, golden):
    outcome = lint("--fix-plan")
    assert (outcome.code, outcome.err) == (0, "")
    golden("lint-fix-plan.json", outcome.out)
    jsonschema_rs.validator_for(closed(DOCUMENT_FORMATS["fix-plan"].schema())).validate(json.loads(outcome.out))


def test_the_patches_of_the_plan_leave_what_needs_a_decision(lint, tmp_path):
    plan = json.loads(lint("--fix-plan").out)
    surface = json.loads((tmp_path / "s.json").read_text())
    tools = {tool["name"]: tool for tool in surface["tools"]}
    for fix in plan["fixes"]:
        for place in fix["places"]:
            for operation in place["patch"]:
                *way, last = operation["path"].split("/")[1:]
                holder = tools[place["tool"]]
                for part in way:
                    holder = holder[part]
                holder[last] = operation["value"]
    (tmp_path / "s.json").write_text(json.dumps(surface))
    again = json.loads(lint("--fix-plan").out)
    assert again["fixes"] == []
    assert again["unfixed"] == plan["unfixed"] != []


def test_the_exit_code_is_that_of_lint(lint):
    assert lint("--diff", "--fail-on", "warning").code == 1
    assert lint("--fix-plan", "--fail-on", "warning").code == 1
    assert lint("--fix-plan", "--fail-on", "warning", "--exit-zero").code == 0


@pytest.mark.parametrize("option", ["--diff", "--fix-plan"])
@pytest.mark.parametrize(
    "other", [("--statistics",), ("--show-settings",), ("--write-baseline",), ("--format", "json")]
)
def test_what_would_do_nothing_is_refused(lint, option, other):
    outcome = lint(option, *other)
    assert outcome.code == 2
    assert "has no effect with" in outcome.err
    assert option in outcome.err


def test_control_characters_of_a_server_do_not_reach_the_terminal(lint, tmp_path):
    mode = {**TEXT, "description": "One of: 'a', 'b' \x1b[31m"}
    surface = {"tools": [_tool("get\x1b[2J", {"mode": mode})]}
    (tmp_path / "s.json").write_text(json.dumps(surface))
    out = lint("--diff").out
    assert "enum" in out
    assert "\x1b" not in out
    assert "\x1b" not in lint("--fix-plan").out
