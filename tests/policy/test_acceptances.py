"""Acceptances: applied, ended, written into the configuration."""

from __future__ import annotations

from datetime import date

import pytest
import tomli
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_governor.change.model import Change
from mcp_governor.change.vocabulary import Side
from mcp_governor.errors import ConfigError, UsageError
from mcp_governor.findings import Bump, Finding, Severity, Verdict
from mcp_governor.policy.acceptance import Acceptance, AcceptedBefore, apply_acceptances
from mcp_governor.policy.accepting import add_acceptance, retire_acceptances
from mcp_governor.policy.evaluation import evaluate
from mcp_governor.surface import build_surface

TODAY = date(2026, 11, 21)
FOUND = Finding("pack/rule", Severity.ERROR, "Wrong.", tool="search", path="/description", value="x")
OTHER = Finding("pack/other", Severity.ERROR, "Wrong.", tool="search", path="/description", value="x")
CHANGE = Change("tool-removed", "old", "", Side.SURFACE, Verdict.BREAKING, Bump.MAJOR)


def applied(*acceptances: Acceptance, complete: bool = True) -> object:
    return apply_acceptances(
        acceptances, [FOUND, OTHER], [CHANGE], today=TODAY, where="pyproject.toml", complete=complete
    )


def test_an_accepted_finding_keeps_its_place_and_gets_the_reason() -> None:
    result = applied(Acceptance(FOUND.id, "reviewed"), Acceptance(CHANGE.id, "agreed with the only client"))
    assert [(f.rule, f.accepted) for f in result.findings] == [("pack/rule", "reviewed"), ("pack/other", None)]
    assert result.changes == {CHANGE.id: "agreed with the only client"}


@pytest.mark.parametrize(
    ("until", "rule"),
    [(None, None), (date(2026, 11, 21), None), (date(2026, 11, 20), "policy/acceptance-expired")],
)
def test_the_last_day_still_counts(until: date | None, rule: str | None) -> None:
    result = applied(Acceptance(FOUND.id, "for now", until))
    assert (result.findings[0].accepted is None) == (rule is not None)
    assert [f.rule for f in result.findings[2:]] == ([rule] if rule else [])


def test_what_matches_nothing_is_an_error_with_the_nearest_id() -> None:
    result = applied(Acceptance(FOUND.id.replace("rule", "rul"), "typo"))
    [problem] = result.findings[2:]
    assert (problem.rule, problem.severity, problem.path) == ("policy/acceptance-unmatched", "error", "pyproject.toml")
    assert f'Did you mean "{FOUND.id}"?' in problem.message


def test_a_run_that_looked_at_a_part_does_not_judge_the_rest() -> None:
    result = applied(Acceptance("pack/elsewhere:-:/:00000000", "x"), complete=False)
    assert len(result.findings) == 2


def test_twice_is_once_too_often() -> None:
    result = applied(Acceptance(FOUND.id, "a"), Acceptance(FOUND.id, "b"))
    assert result.findings[0].accepted == "a"
    assert [f.rule for f in result.findings[2:]] == ["policy/acceptance-duplicate"]


OUT = Acceptance(CHANGE.id, "agreed", released="1.3.0")


@pytest.mark.parametrize(
    ("compared_with", "counts"),
    [("1.2.0", True), ("1.3.0-rc.1", True), (None, True), ("1.3.0", False), ("v1.3", False), ("1.4.0", False)],
)
def test_what_was_released_with_an_acceptance_counts_up_to_that_release(compared_with, counts) -> None:
    """Judging the release itself needs it; afterwards the same break is a new one. It is never a problem itself."""
    before = AcceptedBefore(compared_with)
    result = apply_acceptances([OUT], [FOUND], [CHANGE], today=TODAY, baseline=before)
    assert result.changes == ({CHANGE.id: "agreed"} if counts else {})
    assert len(result.findings) == 1
    assert len(apply_acceptances([OUT], [FOUND], [], today=TODAY, baseline=before).findings) == 1


def test_a_released_acceptance_has_no_last_day_and_does_not_count_twice() -> None:
    ended = Acceptance(CHANGE.id, "then", date(2020, 1, 1), released="1.3.0")
    again = Acceptance(CHANGE.id, "now")
    before = AcceptedBefore("1.3.0")
    result = apply_acceptances([ended, again], [], [CHANGE], today=TODAY, baseline=before)
    assert result.changes == {CHANGE.id: "now"}
    assert result.findings == ()


def test_what_the_compared_release_accepted_is_a_remark_and_no_error() -> None:
    gone = Acceptance("pack/gone:-:/:00000000", "x", date(2020, 1, 1))
    before = AcceptedBefore("1.3.0", frozenset({gone.finding}), "v1.3.0")
    [found] = apply_acceptances([gone], [], today=TODAY, baseline=before).findings
    assert (found.rule, found.severity) == ("policy/acceptance-released", "info")
    assert found.message.startswith("v1.3.0 was released with the acceptance of pack/gone")
    [still] = apply_acceptances([gone], [], today=TODAY).findings
    assert still.rule == "policy/acceptance-expired"


def test_an_acceptance_is_not_missed_by_a_run_that_cannot_see_it() -> None:
    of_calls = Acceptance("call/timeout:search:/:00000000", "slow")
    result = apply_acceptances([of_calls], [], today=TODAY, is_judged=lambda wanted: not wanted.startswith("call/"))
    assert result.findings == ()


def test_an_accepted_break_still_counts_in_the_required_step() -> None:
    old, new = build_surface({"tools": [{"name": "old"}, {"name": "b"}]}), build_surface({"tools": [{"name": "b"}]})
    result = evaluate([CHANGE], old, new, old_version="1.0.0", new_version="1.1.0")
    accepted = apply_acceptances([Acceptance(CHANGE.id, "ok")], result.findings, [CHANGE], today=TODAY)
    assert result.required_bump is Bump.MAJOR
    assert "policy/bump-too-small" in [f.rule for f in accepted.findings if f.accepted is None]


PYPROJECT = """\
# The project.
[project]
name = "x"    # its name

[tool.mcp-governor]
target = "search"      # what we govern
policy = { calver = "minor" }

[tool.mcp-governor.servers.search]
command = ["python"]

[tool.ruff]
line-length = 110
"""
TABLE = ("tool", "mcp-governor")
NEW = Acceptance("charter/length:search:/description:0a1b2c3d", 'A "long" story', date(2027, 1, 31))


def accepted_in(text: str, table: tuple[str, ...] = TABLE) -> list[dict[str, object]]:
    document = tomli.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    for key in table:
        document = document[key]
    return document["accept"]


def without_new_lines(before: str, after: str) -> str:
    """What is left of ``after`` when the lines that came are taken out; fails where a line is lost."""
    remaining = iter(after.splitlines())
    assert all(line in remaining for line in before.splitlines())
    return after


def test_comments_and_order_stay() -> None:
    after = without_new_lines(PYPROJECT, add_acceptance(PYPROJECT, NEW, table=TABLE, what="pyproject.toml"))
    assert accepted_in(after) == [{"finding": NEW.finding, "reason": NEW.reason, "until": NEW.until}]
    document = tomli.loads(after)
    del document["tool"]["mcp-governor"]["accept"]
    assert document == tomli.loads(PYPROJECT)


def test_one_more_below_the_ones_there_are() -> None:
    once = add_acceptance(PYPROJECT, NEW, table=TABLE, what="f")
    other = Acceptance("a/b:-:/:00000000", "why")
    twice = without_new_lines(once, add_acceptance(once, other, table=TABLE, what="f"))
    assert [item["finding"] for item in accepted_in(twice)] == [NEW.finding, other.finding]
    assert "until" not in accepted_in(twice)[1]


def test_the_same_finding_is_renewed_in_place() -> None:
    once = add_acceptance(PYPROJECT, NEW, table=TABLE, what="f")
    renewed = add_acceptance(once, Acceptance(NEW.finding, "later"), table=TABLE, what="f")
    assert accepted_in(renewed) == [{"finding": NEW.finding, "reason": "later"}]


LAYOUTS = {
    "tables apart": (
        '[tool.mcp-governor]\ntarget = "x"\n\n[tool.ruff]\na = 1\n\n'
        '[tool.mcp-governor.servers.x]\ncommand = ["a"]\n|\n[tool.black]\nb = 1\n'
    ),
    "acceptances apart": (
        '[[tool.mcp-governor.accept]]\nfinding = "a"\nreason = "r"\n\n[tool.ruff]\na = 1\n\n'
        '[[tool.mcp-governor.accept]]\nfinding = "b"\nreason = "r"\n|'
    ),
    "comments": (
        '[[tool.mcp-governor.accept]]\nfinding = "a"  # see 12\nreason = "r"\n|\n# the linter\n[tool.ruff]\na = 1\n\n\n'
    ),
    "dotted keys": 'tool.mcp-governor.target = "x"\n|',
    "no table yet": "[tool.ruff]\na = 1\n|",
    "a header in a text": '[tool.ruff]\na = """\n[tool.mcp-governor]\n"""\nb = 2\n|',
}
BLOCK = '\n[[tool.mcp-governor.accept]]\nfinding = "a/b:-:/:00000000"\nreason = "why"\nuntil = 2027-01-31\n'


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_the_table_stands_below_the_others_and_nothing_else_moves(layout: str) -> None:
    before = LAYOUTS[layout]
    reported = Acceptance("a/b:-:/:00000000", "why", date(2027, 1, 31))
    after = add_acceptance(before.replace("|", ""), reported, table=TABLE, what="pyproject.toml")
    assert after == before.replace("|", BLOCK)
    assert accepted_in(after)[-1]["finding"] == reported.finding


def test_inline_tables_take_it_on_their_line() -> None:
    text = '[tool]\nmcp-governor = {target = "x"}\n'
    after = add_acceptance(text, NEW, table=TABLE, what="pyproject.toml")
    assert accepted_in(after) == [{"finding": NEW.finding, "reason": NEW.reason, "until": NEW.until}]


def test_what_would_say_something_else_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    once = add_acceptance(PYPROJECT, NEW, table=TABLE, what="pyproject.toml")
    monkeypatch.setattr("mcp_governor.config.editing._by_tomlkit", lambda *_: once)
    with pytest.raises(ConfigError, match="nothing was written") as caught:
        add_acceptance(once, Acceptance(NEW.finding, "later"), table=TABLE, what="pyproject.toml")
    assert f'[[tool.mcp-governor.accept]]\nfinding = "{NEW.finding}"\nreason = "later"' in caught.value.hint


@pytest.mark.parametrize("text", ["", "# nothing yet\n", 'target = "x"\n', 'target = "x"\n[lint]\nignore = ["a/b"]\n'])
def test_in_our_own_file(text: str) -> None:
    after = without_new_lines(text, add_acceptance(text, NEW, what="mcp-governor.toml"))
    assert accepted_in(after, ())[0]["finding"] == NEW.finding
    assert add_acceptance(after, NEW, what="f") == after


def test_inline_lists_stay_inline() -> None:
    text = 'accept = [{ finding = "a", reason = "b" }]\n'
    after = add_acceptance(text, NEW, what="f")
    assert [item["finding"] for item in accepted_in(after, ())] == ["a", NEW.finding]


def test_line_ends_and_byte_order_mark_stay() -> None:
    text = "\ufeff" + PYPROJECT.replace("\n", "\r\n")
    after = add_acceptance(text, NEW, table=TABLE, what="f")
    assert after.startswith("\ufeff# The project.\r\n")
    assert after.count("\r\n") == after.count("\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = = 1\n", "is not TOML"),
        ("accept = 1\n", "not a list of tables"),
        ("accept = [1]\n", "not a list of tables"),
    ],
)
def test_a_file_that_cannot_take_it(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        add_acceptance(text, NEW, what="mcp-governor.toml")
    with pytest.raises(ConfigError, match="is not a table"):
        add_acceptance("tool = 1\n", NEW, table=TABLE, what="pyproject.toml")


def test_a_reason_is_wanted() -> None:
    with pytest.raises(UsageError, match="needs a reason"):
        add_acceptance("", Acceptance("a", "  "), what="f")


RETIRED = {
    "tables": (
        '[[tool.mcp-governor.accept]]\nfinding = "a"  # see 12\nreason = "r"|\n\n# the linter\n[tool.ruff]\na = 1\n'
        '[[tool.mcp-governor.accept]]\nreason = """\n[two]\nlines"""\nfinding = "b"\n\n'
        '[[tool.mcp-governor.accept]]\nfinding = "c"\nuntil = 2027-01-31|\n# the end\n'
    ),
    "another table of that name": (
        '[[accept]]\nfinding = "a"\n\n[[tool.mcp-governor.accept]]\nfinding = "a"\nreason = "r"|\n[tool.x]\ny = 1\n'
    ),
    "the last line without an end": '[[tool.mcp-governor.accept]]\nreason = "r"\nfinding = "c"|',
}


@pytest.mark.parametrize("layout", sorted(RETIRED))
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_retired_acceptance_says_so_on_a_line_of_its_own(layout: str, newline: str) -> None:
    before = RETIRED[layout].replace("\n", newline)
    after = retire_acceptances(before.replace("|", ""), {"a", "c"}, "1.3.0", table=TABLE, what="f")
    assert after == before.replace("|", f'{newline}released = "1.3.0"')
    again = retire_acceptances(after, {"a", "c"}, "1.4.0", table=TABLE, what="f")
    assert again == after, "what was released once stays as it is"


def test_inline_acceptances_are_retired_on_their_line() -> None:
    text = '# ours\naccept = [{ finding = "a", reason = "b" }, { finding = "d", reason = "b" }]  # reviewed\n'
    after = retire_acceptances(text, {"a"}, "1.3.0", what="f")
    assert accepted_in(after, ()) == [
        {"finding": "a", "reason": "b", "released": "1.3.0"},
        {"finding": "d", "reason": "b"},
    ]
    assert after.startswith("# ours\n")
    assert after.endswith("]  # reviewed\n")


def test_an_acceptance_that_is_given_again_is_not_released_any_more() -> None:
    once = retire_acceptances(
        add_acceptance(PYPROJECT, NEW, table=TABLE, what="f"), {NEW.finding}, "1.3.0", table=TABLE, what="f"
    )
    assert accepted_in(once)[0]["released"] == "1.3.0"
    renewed = add_acceptance(once, Acceptance(NEW.finding, "again"), table=TABLE, what="f")
    assert accepted_in(renewed) == [{"finding": NEW.finding, "reason": "again"}]


def test_what_cannot_be_retired_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_governor.policy.accepting._tables", lambda _: ())
    monkeypatch.setattr("mcp_governor.config.editing._by_tomlkit", lambda *_: "x = 1")
    with pytest.raises(ConfigError, match="nothing was written") as caught:
        retire_acceptances('[[accept]]\nfinding = "a"\nreason = "b"\n', {"a"}, "1.3.0", what="f")
    assert 'released = "1.3.0"' in caught.value.hint


@given(st.text(), st.text().filter(str.strip))
@settings(max_examples=100, deadline=None)
def test_whatever_it_says_can_be_read_back(finding: str, reason: str) -> None:
    if any(0xD800 <= ord(char) < 0xE000 for char in finding + reason):
        return
    after = add_acceptance(PYPROJECT, Acceptance(finding, reason), table=TABLE, what="f")
    assert accepted_in(after)[0] == {"finding": finding, "reason": reason}
