"""Formats for machines: each is read by a parser that is not ours, and words of a server stay words in all of them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from commandline import governor_here
from support import missing

from mcp_governor.demo.server import RELEASES
from mcp_governor.surface import build_surface, dump_surface, fingerprint

NASTY = "a`b|c<script>alert(1)</script>]]>\n::error::pwned%0A##[error]x\x1b[31m\u202e\x00,:é"
CHANGELOG = "# Changelog\n\n## 1.0.0 (current)\n\nFingerprint: `{}`\n\n### Added\n\n- `search_books`, `get_book`.\n"


class Command(NamedTuple):
    name: str
    properties: dict[str, str]
    text: str


def commands(output: str) -> list[Command]:
    """What a runner of GitHub reads: lines that begin with ``::`` (actions/runner, ActionCommand.TryParseV2)."""
    found = []
    for line in output.split("\n"):
        match = re.fullmatch(r"::(\w+)(?: (.*?))?::(.*)", line.strip())
        if match is None:
            continue
        pairs = [pair.split("=", 1) for pair in (match[2] or "").split(",") if pair]
        for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
            pairs = [[key, value.replace(code, char)] for key, value in pairs]
        text = match[3].replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
        found.append(Command(match[1], dict(pairs), text))
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose server broke a promise in a folder below its root."""
    (tmp_path / ".git").mkdir()
    home = tmp_path / "server"
    (home / "docs").mkdir(parents=True)
    old = build_surface(RELEASES[1])
    (home / "mcp-surface.json").write_text(dump_surface(old))
    (home / "new.json").write_text(dump_surface(build_surface(RELEASES[2])))
    (home / "docs" / "mcp-schema-changelog.md").write_text(CHANGELOG.format(fingerprint(old)))
    (home / "mcp-governor.toml").write_text('baseline = "mcp-surface.json"\n')
    monkeypatch.chdir(home)
    return home


def nasty(folder: Path) -> None:
    tool = {"name": NASTY, "description": NASTY, "inputSchema": {"type": "object", "properties": {NASTY: {}}}}
    surface = {"serverInfo": {"name": NASTY, "version": "1"}, "tools": [tool, {"name": "b", "inputSchema": {}}]}
    (folder / "nasty.json").write_text(json.dumps(surface))


def run(capsys, *arguments: str) -> str:
    done = governor_here(*arguments, capsys=capsys)
    assert done.code in (0, 1), done.err
    return done.out


def test_sarif_has_the_rule_the_place_and_an_id_that_stays(folder: Path, capsys) -> None:
    (one,) = json.loads(run(capsys, "check", "new.json", "--format", "sarif"))["runs"]
    results = {result["ruleId"]: result for result in one["results"]}
    broken = results["argument-required"]
    assert broken["level"] == "error", "the version does not account for it"
    assert broken["message"]["text"] == (
        'reserve_copy: Parameter `branch` is now required. Valid before, invalid now: {"isbn": "example"}'
        "\nReproduce: cd server && mcp-governor check new.json"
    )
    place = broken["locations"][0]
    lines = (folder / "new.json").read_text().splitlines()
    region = place["physicalLocation"]["region"]
    assert lines[region["startLine"] - 1][region["startColumn"] - 1 :].startswith('"branch"')
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "server/new.json"
    assert place["logicalLocations"][0]["fullyQualifiedName"] == "reserve_copy/inputSchema/properties/branch"
    report = json.loads(run(capsys, "check", "new.json", "--format", "json"))
    ids = {item["id"] for item in [*report["changes"], *report["findings"]]}
    assert {result["partialFingerprints"]["findingId/v1"] for result in one["results"]} <= ids
    assert len(one["results"]) == len(report["findings"]) + 1, "compatible changes are not problems"
    rules = one["tool"]["driver"]["rules"]
    for result in one["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert all(rule["shortDescription"]["text"] for rule in rules)
    assert one["invocations"][0]["exitCode"] == 1


def test_a_break_that_the_release_accounts_for_is_a_note(folder: Path, capsys) -> None:
    new = json.loads((folder / "new.json").read_text())
    new["serverInfo"]["version"] = "2.0.0"
    (folder / "new.json").write_text(json.dumps(new))
    (one,) = json.loads(run(capsys, "check", "new.json", "--format", "sarif"))["runs"]
    levels = {result["ruleId"]: result["level"] for result in one["results"]}
    assert levels["argument-required"] == "note"
    assert "policy/bump-too-small" not in levels
    assert levels["clarity/prose-type"] == "error", "a finding is what it is, whatever the version"
    # Whoever looks for breaks alone is told that it is one.
    (one,) = json.loads(run(capsys, "diff", "mcp-surface.json", "new.json", "--format", "sarif"))["runs"]
    assert {result["ruleId"]: result["level"] for result in one["results"]}["argument-required"] == "error"


def test_what_is_accepted_is_suppressed_in_sarif_and_absent_from_annotations(folder: Path, capsys) -> None:
    report = json.loads(run(capsys, "check", "new.json", "--format", "json"))
    accepted = next(found["id"] for found in report["findings"] if found["rule"] == "policy/bump-too-small")
    (folder / "mcp-governor.toml").write_text(
        f'baseline = "mcp-surface.json"\n[[accept]]\nfinding = "{accepted}"\nreason = "the one client was asked"\n'
    )
    (one,) = json.loads(run(capsys, "check", "new.json", "--format", "sarif"))["runs"]
    (result,) = [result for result in one["results"] if "suppressions" in result]
    assert result["ruleId"] == "policy/bump-too-small"
    assert result["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "the one client was asked"}
    ]
    titles = [
        command.properties["title"] for command in commands(run(capsys, "check", "new.json", "--format", "github"))
    ]
    assert not any("bump-too-small" in title for title in titles)
    quality = json.loads(run(capsys, "check", "new.json", "--format", "gitlab"))
    assert "policy/bump-too-small" not in {entry["check_name"] for entry in quality}


def test_annotations_are_on_lines_of_the_repository(folder: Path, capsys) -> None:
    found = commands(run(capsys, "check", "new.json", "--format", "github"))
    broken = next(command for command in found if command.properties["title"] == "argument-required: reserve_copy")
    assert broken.name == "error"
    assert broken.properties["file"] == "server/new.json"
    entry = next(command for command in found if command.properties["title"].startswith("changelog/missing-entry"))
    assert entry.properties["file"] == "server/docs/mcp-schema-changelog.md"
    assert int(entry.properties["line"]) > 0
    assert "\nFix: " in entry.text


def test_a_live_server_is_shown_on_the_recorded_surface(folder: Path, capsys) -> None:
    import sys

    server = ("--", sys.executable, "-m", "mcp_governor.demo.server", "--release", "2")
    quality = json.loads(run(capsys, "check", "--format", "gitlab", *server))
    places = {entry["check_name"]: entry["location"] for entry in quality}
    lines = (folder / "mcp-surface.json").read_text().splitlines()
    assert places["argument-required"]["path"] == "server/mcp-surface.json"
    assert '"branch"' in lines[places["argument-required"]["lines"]["begin"] - 1]


def test_every_result_has_a_file(folder: Path, capsys) -> None:
    """GitHub refuses an upload with a result that has none: a tool that is gone is on no line of the new surface."""
    (folder / "gone.json").write_text(json.dumps({"tools": RELEASES[1]["tools"][1:]}))
    for words in (("diff", "mcp-surface.json", "gone.json"), ("check", "gone.json"), ("diff", "new.json", "gone.json")):
        (one,) = json.loads(run(capsys, *words, "--format", "sarif"))["runs"]
        (gone,) = [result for result in one["results"] if result["message"]["text"].startswith("Tool `search_books`")]
        assert all(
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith(".json")
            or "changelog" in result["ruleId"]
            for result in one["results"]
        ), words
        assert gone["ruleId"] == "tool-removed"


def test_github_shows_ten_of_a_kind_and_says_how_many_are_left(folder: Path, capsys) -> None:
    tools = [
        {"name": f"bad name {number}", "description": "x", "inputSchema": {"type": "object"}} for number in range(30)
    ]
    (folder / "many.json").write_text(json.dumps({"tools": tools}))
    options = ("--isolated", "--select", "spec/tool-name-characters", "--format")
    found = commands(run(capsys, "lint", "many.json", *options, "github"))
    total = len(json.loads(run(capsys, "lint", "many.json", *options, "json"))["findings"])
    assert total == 30
    assert [command.name for command in found[:-1]] == [found[0].name] * 10
    assert found[-1].text.startswith("20 more are in the report")


def test_junit_has_one_case_for_each_tool_and_one_failure_in_it(folder: Path, capsys) -> None:
    suite = ElementTree.fromstring(run(capsys, "check", "new.json", "--format", "junit")).find("testsuite")
    assert suite is not None
    cases = {case.get("name"): case for case in suite}
    assert set(cases) == {"(server)", "search_books", "get_book", "reserve_copy", "list_branches"}
    assert (suite.get("tests"), suite.get("failures")) == ("5", str(len(suite.findall("*/failure"))))
    assert all(len(case.findall("failure")) <= 1 for case in suite)
    failure = cases["get_book"].find("failure")
    assert failure is not None
    assert "clarity/prose-type" in (failure.text or "")


class Element(NamedTuple):
    """What the common schema of JUnit reports says of an element (Jenkins' xUnit plugin, junit-10.xsd)."""

    children: str
    """Regular expression over the names of its children, each with a space behind it."""
    required: frozenset[str]
    allowed: frozenset[str]


def element(children: str, required: str, allowed: str = "") -> Element:
    return Element(children, frozenset(required.split()), frozenset(f"{required} {allowed}".split()))


COMMON = {
    "testsuites": element("(testsuite )*", "", "name time tests failures disabled errors"),
    "testsuite": element(
        "(properties )?(testcase )*(system-out )?(system-err )?",
        "name tests",
        "failures errors time disabled skipped timestamp hostname id package file",
    ),
    "testcase": element(
        "(skipped )?(error )*(failure )?(system-out )*(system-err )*", "name", "classname time assertions status file"
    ),
    "failure": element("", "", "type message"),
    "system-out": element("", ""),
}


def follow_common_schema(document: str) -> None:
    for found in ElementTree.fromstring(document).iter():
        rule = COMMON[found.tag]
        assert re.fullmatch(rule.children, "".join(f"{child.tag} " for child in found)), found.tag
        assert rule.required <= set(found.keys()) <= rule.allowed, (found.tag, found.attrib)
        assert all(found.get(name, "0").isdecimal() for name in ("tests", "failures", "errors", "skipped", "time"))


def test_junit_follows_the_common_schema(folder: Path, capsys) -> None:
    nasty(folder)
    for words in (("check", "new.json"), ("check", "mcp-surface.json"), ("diff", "mcp-surface.json", "new.json")):
        follow_common_schema(run(capsys, *words, "--format", "junit"))
    follow_common_schema(run(capsys, "lint", "nasty.json", "--isolated", "--pedantic", "--format", "junit"))


def test_a_clean_run_is_empty_and_passes_in_every_format(folder: Path, capsys) -> None:
    (one,) = json.loads(run(capsys, "check", "mcp-surface.json", "--format", "sarif"))["runs"]
    assert (one["results"], one["invocations"][0]["exitCode"]) == ([], 0)
    assert json.loads(run(capsys, "check", "mcp-surface.json", "--format", "gitlab")) == []
    assert run(capsys, "check", "mcp-surface.json", "--format", "github") == "mcp-governor: pass\n"
    suite = ElementTree.fromstring(run(capsys, "check", "mcp-surface.json", "--format", "junit")).find("testsuite")
    assert suite is not None
    assert suite.get("failures") == "0"


@pytest.mark.live
def test_sarif_is_valid_to_microsofts_validator(folder: Path, capsys) -> None:
    if shutil.which("npx") is None:
        missing("the validator of SARIF comes from npm, and npx is not installed")
    nasty(folder)
    for name in ("new.json", "nasty.json"):
        (folder / "a.sarif").write_text(run(capsys, "lint", name, "--isolated", "--format", "sarif"))
        done = subprocess.run(
            ["npx", "-y", "@microsoft/sarif-multitool@5", "validate", "a.sarif", "--output", "v.sarif"],
            *(),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        errors = [
            result
            for one in json.loads((folder / "v.sarif").read_text("utf-8-sig"))["runs"]
            for result in one.get("results", ())
            if result.get("level") == "error"
        ]
        assert not errors, done.stdout
