"""One cause is one line: what is put together, in which order, and what is said of the rest."""

from __future__ import annotations

from typing import Any

from commandline import governor_here
from replacing import replace

from mcp_governor.checking.model import Report
from mcp_governor.findings import Finding, Severity
from mcp_governor.report.finding_groups import PLACES_SHOWN, causes
from mcp_governor.report.lines import plain_text
from mcp_governor.report.markdown import render
from mcp_governor.report.text import report_lines
from mcp_governor.rules.finding import finding
from mcp_governor.rules.rule import Rule

UNDESCRIBED = Rule(
    id="a/undescribed",
    summary="s",
    why="w",
    source="s",
    severity=Severity.WARNING,
    since="0.1.0",
    message="The argument {argument} of {tool} is described nowhere.",
    grouped="`{argument}` has no description in {tools}.",
    fix="Describe it.",
)


def undescribed(tool: str, argument: str) -> Finding:
    return finding(UNDESCRIBED, f"/inputSchema/properties/{argument}", tool=tool, argument=argument)


def said(rule: str, message: str, tool: str | None = None, path: str = "", **more: Any) -> Finding:
    return Finding(rule, more.pop("severity", Severity.WARNING), message, tool, path, **more)


def text_of(*findings: Finding, verbose: int = 0) -> str:
    return plain_text(report_lines(Report(target="t", findings=findings), verbose=verbose))


def test_equal_findings_of_many_tools_are_one_line_with_a_count_and_three_names() -> None:
    findings = [undescribed(f"git_{name}", "repo_path") for name in ("log", "add", "diff", "commit")]
    shown = text_of(*findings, undescribed("git_add", "files"))
    assert "! `repo_path` has no description in 4 tools: git_add, git_commit, git_diff, …  a/undescribed" in shown
    assert "! The argument files of git_add is described nowhere.  a/undescribed" in shown
    assert shown.count("repo_path") == 1
    assert "5 warnings" in shown
    assert text_of(*findings, verbose=1).count("The argument repo_path of") == 4


def test_a_rule_without_a_sentence_for_many_names_the_other_tools() -> None:
    found = causes([said("a/b", f"The key x of {tool} is bad.", tool) for tool in ("t1", "t2", "t3")])
    assert [cause.sentence for cause in found] == ["The key x of t1 is bad. The same in 2 more tools: t2, t3."]
    [places] = causes([said("a/b", f"The text at {path} is bad.", None, path) for path in ("/x", "/y")])
    assert places.sentence == "The text at /x is bad. The same at 1 more place."


def test_the_tools_with_the_most_to_repair_are_named_first() -> None:
    found = [
        said("a/b", f"{tool} is bad.", tool, cause="Bad: {places}.", weight=weight)
        for tool, weight in (("a", 1), ("b", 3), ("c", 1), ("d", 2))
    ]
    assert [cause.sentence for cause in causes(found)] == ["Bad: b, d, a, c."]


def test_what_is_not_the_same_stays_apart() -> None:
    apart = [
        said("a/b", "t has 7.", "t"),
        said("a/b", "u has 8.", "u"),
        said("a/c", "t has 7.", "t"),
        said("a/b", "v has 7.", "v", severity=Severity.ERROR),
        said("a/b", "w has 7.", "w", accepted="known"),
    ]
    assert len(causes(apart)) == 5


def test_a_fix_is_said_where_all_have_it() -> None:
    same = [said("a/b", f"{tool} is bad.", tool, fix="Do it.") for tool in "tu"]
    assert causes(same)[0].fix == "Do it."
    assert causes([*same, said("a/b", "w is bad.", "w", fix="Do w.")])[0].fix == ""


def test_the_order_is_errors_warnings_remarks_and_what_failed_comes_before_the_verdict() -> None:
    shown = text_of(
        said("a/info", "An i.", severity=Severity.INFO),
        *(said("a/many", f"Many {number}.") for number in range(2)),
        said("a/one", "A w."),
        said("a/error", "An e.", severity=Severity.ERROR),
    ).splitlines()
    body = [row[0] + row.split()[-1] for row in shown if row[:2] in ("✗ ", "! ", "i ")]
    assert body == ["✗a/error", "!a/one", "!a/many", "!a/many"]
    assert "1 remark, shown with -v" in shown
    assert shown[-2:] == ["failed by: a/error", "FAIL"]


def test_every_warning_up_to_a_hundred_and_then_their_number() -> None:
    shown = text_of(*(said("a/r", f"Number {number}.") for number in range(103)))
    assert shown.count("\n! ") == 100
    assert "… and 3 more causes" in shown


def test_words_of_a_server_cannot_take_the_place_of_the_tools() -> None:
    tricky = [undescribed(tool, "{tool}\x1b") for tool in ("a", "b")]
    assert causes(tricky)[0].sentence == "`{tool}\\x1b` has no description in 2 tools: a, b."


def test_markdown_says_a_cause_once_and_json_every_finding(tmp_path, monkeypatch, capsys) -> None:
    shown = render(Report(target="t", findings=tuple(undescribed(tool, "q") for tool in "abcd")))
    assert "- **warning** a/undescribed – `q` has no description in 4 tools: a, b, c, …" in shown
    assert shown.count("a/undescribed") == 1
    monkeypatch.chdir(tmp_path)
    schema = '{"type": "object", "properties": {"text_style": {"type": "string"}}}'
    tools = ", ".join(f'{{"name": "{name}", "description": "D.", "inputSchema": {schema}}}' for name in "abcd")
    (tmp_path / "s.json").write_text(f'{{"tools": [{tools}]}}')
    arguments = ["lint", "s.json", "--select", "clarity/parameter-described"]
    assert len(governor_here(*arguments, "--format", "json", capsys=capsys).report["findings"]) == 4


def test_a_rule_may_name_the_parameters_of_all_its_findings() -> None:
    shared = "Formats are in prose: {places}."
    found = [
        said("a/b", f"{name} of {tool}", tool=tool, path=f"/inputSchema/properties/{name}", cause=shared)
        for tool, name in (("one", "since"), ("one", "a~1b"), ("two", "since"))
    ]
    root = said("a/b", "three", tool="three", path="/inputSchema", cause=shared)
    (one,) = causes([*found, root])
    assert sorted(one.sentence.removeprefix("Formats are in prose: ").removesuffix(".").split(", ")) == [
        *("a/b (one)", "since (one)", "since (two)", "three"),
    ]
    many = [said("a/b", name, tool="t", path=f"/inputSchema/properties/{name}", cause=shared) for name in "abcdefg"]
    (all_of_them,) = causes(many)
    assert all_of_them.sentence.count("(t)") == PLACES_SHOWN
    assert all_of_them.sentence.endswith("e (t), …")


def test_among_equals_what_makes_calls_fail_comes_first_and_polish_last() -> None:
    """By the order that rules state, whatever their names and numbers; severity comes before it."""
    found = [
        said("a/polish", "P.", "t", order=1),
        *(said("b/plain", f"M{n}.", "t", f"/{n}") for n in range(3)),
        said("c/fails", "F.", "t", order=-1),
        said("d/error", "E.", "t", order=1, severity=Severity.ERROR),
    ]
    assert [cause.rule for cause in causes(found)] == ["d/error", "c/fails", *["b/plain"] * 3, "a/polish"]


QUOTED = Rule(
    id="a/quoted",
    summary="s",
    why="w",
    source="s",
    severity=Severity.WARNING,
    since="0.1.0",
    message="{tool}: {gist}.",
    grouped="Calls fail: {gists}.",
    fix="Refuse them.",
)


def test_findings_that_say_different_things_are_quoted_and_the_other_tools_named() -> None:
    def quoted(tool: str, gist: str) -> Finding:
        return finding(QUOTED, "/inputSchema", tool=tool, gist=f"{tool} takes {gist}")

    one, same = quoted("t1", "a"), quoted("t2", "a")
    assert [cause.sentence for cause in causes([one])] == ["t1: t1 takes a."]
    assert [cause.sentence for cause in causes([one, same])] == ["Calls fail: t1 takes a; also in t2."]
    many = [one, same, *(quoted(f"t{number}", str(number)) for number in range(3, 8))]
    [cause] = causes(many)
    assert (
        cause.sentence
        == "Calls fail: t1 takes a; t3 takes 3; t4 takes 4; t5 takes 5; t6 takes 6; also in 2 more tools: t2, t7."
    )


def test_names_in_braces_that_a_server_chose_are_no_placeholders() -> None:
    rule = replace(QUOTED, message="{argument} of {tool}.", grouped="{argument} in {tools}.")
    found = [finding(rule, "/x", tool=tool, argument="a {tools} {gists}") for tool in ("{places}", "{tools}")]
    [cause] = causes(found)
    assert cause.sentence == "a { tools } { gists } in 2 tools: {places}, {tools}."
    quoted = [finding(QUOTED, "/x", tool=tool, gist=f"{tool} fails") for tool in ("{tools}", "{gists}")]
    assert [cause.sentence for cause in causes(quoted)] == ["Calls fail: {gists} fails; also in {tools}."]
