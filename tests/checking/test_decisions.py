"""What a team decides about a rule holds for the rules of every station, on every command that runs the station."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from commandline import governor_here

from mcp_governor.checking import decisions
from mcp_governor.checking.report_document import document as document_of
from mcp_governor.checking.run import check
from mcp_governor.config import load_config
from mcp_governor.pytest_plugin.outcomes import families_of
from mcp_governor.rules import dump_baseline

PLAIN = Path(__file__).parent.parent / "servers" / "plain.py"
CHANGELOG = """# Changelog

## 1.0.0 (current)

### Fixed

- `q` takes longer words.

## 0.9.0

### Added

- `find`.
"""
PROPERTIES = {"q": {"type": "string", "description": "What to look for."}}

# One rule of each station, all of them about the tool `find`.
LINT = "clarity/length"
POLICY = "policy/sunset-unreadable"
BOOK = "changelog/missing-entry"
CALL = "call/structured-missing"

COMMANDS = {
    "lint": (("lint",), (LINT,)),
    "check": (("check",), (LINT, POLICY, BOOK, CALL)),
    "call": (("call", "--configured-only"), (CALL,)),
    "changelog check": (("changelog", "check"), (BOOK,)),
    "pytest": (("pytest",), (LINT, POLICY, BOOK, CALL)),
}
CASES = [
    pytest.param(command, rule, decision, id=f"{command}-{rule}-{decision}")
    for command, (_, rules) in COMMANDS.items()
    for rule in rules
    for decision in ("ignore", "severity", "off", "per-tool", "meta", "baseline", "accept")
]


def tool(ignore: str = "", **more: Any) -> dict[str, Any]:
    meta = {
        "deprecated": {"since": "0.8.0", "replacement": "seek", "sunset": "soon"},
        **({"dev.mcp-governor/ignore": ignore} if ignore else {}),
    }
    return {
        "name": "find",
        "description": "",
        "inputSchema": {"type": "object", "properties": {**PROPERTIES, **more}},
        "outputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True},
        "_meta": meta,
    }


class Project:
    """A folder whose server breaks one rule of each station, and what each command says of it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys
        (folder / "CHANGES.md").write_text(CHANGELOG)

    def configure(self, lint: str = "", accept: str = "", ignore: str = "") -> None:
        info = {"name": "plain", "version": "1.0.0"}
        added = {"limit": {"type": "integer", "description": "How many."}}
        how = {"tools": [tool(ignore, **added)], "info": info}
        old = {"tools": [tool(ignore)], "serverInfo": {**info, "version": "0.9.0"}}
        (self.folder / "old.json").write_text(json.dumps(old))
        (self.folder / "mcp-governor.toml").write_text(
            f"""target = "self"
baseline = "old.json"
changelog = "CHANGES.md"
timeout = 20
[servers.self]
command = {json.dumps([sys.executable, str(PLAIN), json.dumps(how)])}
[[calls]]
tool = "find"
arguments = {{ q = "a" }}
[lint]
{lint}
{accept}
"""
        )

    def found(self, command: str) -> list[dict[str, Any]]:
        if command == "pytest":
            config = load_config(start=self.folder)
            report = check(config=config)
            reported = families_of(report, config)["find"]
            document: dict[str, Any] = document_of(report)
            failing = {finding.rule.partition("/")[0] for finding in report.failing_findings if finding.tool == "find"}
            assert failing <= {family for family, lines in reported.items() if lines}
        else:
            outcome = governor_here(*COMMANDS[command][0], "--format", "json", capsys=self._capsys)
            assert outcome.code in (0, 1), outcome.err
            document = json.loads(outcome.out)
        findings: list[dict[str, Any]] = document["findings"]
        return findings


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    monkeypatch.chdir(tmp_path)
    return Project(tmp_path, capsys)


def decided(project: Project, rule: str, decision: str, finding_id: str) -> None:
    """Write the decision about a rule where a team would."""
    if decision == "ignore":
        project.configure(lint=f'ignore = ["{rule}"]')
    elif decision == "severity":
        project.configure(lint=f'severity = {{ "{rule}" = "info" }}')
    elif decision == "off":
        project.configure(lint=f'severity = {{ "{rule}" = "off" }}')
    elif decision == "per-tool":
        project.configure(lint=f'per-tool-ignores = {{ "fi*" = ["{rule}"] }}')
    elif decision == "meta":
        project.configure(ignore=rule)
    elif decision == "baseline":
        text = dump_baseline([]).replace("[]", json.dumps([finding_id]))
        (project.folder / "known.json").write_text(text)
        project.configure(lint='baseline = "known.json"')
    else:
        project.configure(accept=f'[[accept]]\nfinding = "{finding_id}"\nreason = "agreed"')


@pytest.mark.parametrize(("command", "rule", "decision"), CASES)
def test_a_decision_about_a_rule_holds(project: Project, command: str, rule: str, decision: str) -> None:
    project.configure()
    before = project.found(command)
    (there,) = (found for found in before if found["rule"] == rule)
    assert there["tool"] == "find"
    assert there["severity"] != "info"
    assert "accepted" not in there
    decided(project, rule, decision, there["id"])
    after = project.found(command)
    same = [found for found in after if found["rule"] == rule]
    if decision == "severity":
        assert same == [{**there, "severity": "info"}]
    elif decision == "accept":
        assert same == [{**there, "accepted": "agreed"}]
    else:
        assert same == []
    # Nothing else comes or goes: no suppression is called stale, no acceptance unmatched.
    others = {found["rule"] for found in before} - {rule}
    assert {found["rule"] for found in after} - {rule} == others


@pytest.mark.parametrize("decision", ["per-tool", "meta"])
@pytest.mark.parametrize(
    ("command", "rules", "stale"),
    [
        # A rule of the linter that looks at the surface every time, and is kept.
        ("lint", "spec/tool-name", True),
        ("check", "spec/tool-name", True),
        # Other stations do not judge what the linter could need, nor the linter what they could.
        ("call", "spec/tool-name", False),
        ("changelog check", "spec/tool-name", False),
        ("lint", CALL, False),
        ("lint", BOOK, False),
        ("check", "policy/sunset-passed", False),
        ("check", "call/timeout", False),
        # A pack with rules of two stations, of which one did not take part.
        ("lint", "surface/*", False),
    ],
)
def test_a_suppression_is_stale_only_where_its_rules_ran(
    project: Project, command: str, rules: str, stale: bool, decision: str
) -> None:
    decided(project, rules, decision, "")
    assert ("lint/stale-suppression" in {found["rule"] for found in project.found(command)}) is stale


def test_what_is_said_of_acceptances_is_decided_about_as_well(project: Project) -> None:
    accept = '[[accept]]\nfinding = "call/server-exited:find:/:00000000"\nreason = "x"'
    project.configure(accept=accept)
    rule = "policy/acceptance-unmatched"
    (there,) = (found for found in project.found("check") if found["rule"] == rule)
    project.configure(lint=f'severity = {{ "{rule}" = "info" }}', accept=accept)
    assert {**there, "severity": "info"} in project.found("check")
    project.configure(lint=f'ignore = ["{rule}"]', accept=accept)
    assert rule not in {found["rule"] for found in project.found("check")}


def test_a_run_without_calls_does_not_judge_acceptances_of_calls() -> None:
    def is_of_calls(name: str) -> bool:
        return decisions.is_of_calls(f"{name}:find:/:00000000")

    assert all(map(is_of_calls, ["call/timeout", "envelope/size", "call-status-changed"]))
    assert not any(map(is_of_calls, ["policy/sunset-passed", "tool-removed", "no/such-rule", "no-such-kind"]))
