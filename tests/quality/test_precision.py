"""Judged findings: which verdicts count, what is drawn, and what the tables say. Own-written findings, no corpus."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import precision
import pytest
import quality_draw
import quality_figures
from quality_corpus import volumes
from quality_draw import draw, judged, key_lines, known_keys, read_lines, sheet, write_lines
from quality_judged import (
    VERDICTS,
    Given,
    Key,
    Tally,
    Verdict,
    agreement,
    by_rule,
    digest,
    facts,
    given,
    read_verdicts,
    weighted,
)
from replacing import replace

from mcp_governor.findings import Finding, Severity
from mcp_governor.rules import Catalogue, load_catalogue
from mcp_governor.rules.finding import finding as finding_of

TITLE = "/inputSchema/properties/title/default"


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue(entry_points=False)


def refused_default(tool: str = "a", path: str = TITLE, **facts: Any) -> Finding:
    return finding_of("clarity/default-valid", path, tool=tool, value=None, **{"error": "it is no text", **facts})


def test_facts_are_what_a_template_was_filled_with() -> None:
    templates = ("It is {one}.", "The {kind!q} of {tool} has {count:40} words")
    assert facts('The "text" of a_b has 3 words', templates) == ['"text"', "3", "a_b"]
    assert facts("It is so.", templates) == ["so"]
    assert facts("The text of a_b is short", templates) is None


def test_the_digest_survives_another_wording_and_no_other_fact(catalogue: Catalogue) -> None:
    rule = catalogue.get("clarity/default-valid")
    found = refused_default()
    assert rule.message
    assert digest(found, catalogue) == digest(refused_default(), catalogue)
    assert digest(found, catalogue) != digest(refused_default(tool="b"), catalogue)
    assert digest(found, catalogue) != digest(replace(found, value="null"), catalogue)
    assert digest(found, catalogue) != digest(replace(found, fix="Say more: 7."), catalogue)

    class Reworded:
        def get(self, _: str) -> Any:
            return replace(rule, message=f"Look: {rule.message}")

    again = finding_of(Reworded().get(""), TITLE, tool="a", value=None, error="it is no text")
    assert again.message != found.message
    assert digest(again, Reworded()) == digest(found, catalogue)  # type: ignore[arg-type]


def key(n: int = 0, rule: str = "a/one", server: str = "boxes", tool: str = "t") -> Key:
    return Key(server, rule, tool, f"/{n}", "0")


def verdict(
    at: Key, said: str = "useful", judge: str = "one", severity: str = "warning", split: str = "dev"
) -> Verdict:
    return Verdict(at, "1.0.0", split, severity, judge, said, "because")


def item(at: Key, message: str = "Wrong.", severity: Severity = Severity.WARNING) -> Given:
    return Given(at, "1.0.0", Finding(at.rule, severity, message, tool=at.tool or None, path=at.pointer, fix="Say so."))


def test_where_judges_disagree_each_counts_in_part() -> None:
    tally = Tally.of(
        [
            *[verdict(key(1), said, judge) for said, judge in (("useful", "one"), ("nitpick", "two"))],
            *[verdict(key(2), said, judge) for said, judge in (("false", "one"), ("false", "two"))],
            verdict(key(3), "useful"),
        ]
    )
    assert tally == (3, 1.5, 0.5, 1)
    assert tally.share("useful") == (1.5, 3)
    assert tally.share("true") == (2, 3)
    assert tally.as_json()["share"] == 0.5
    assert Tally.of([]).as_json() == {"n": 0, "useful": 0, "nitpick": 0, "false": 0}


def test_agreement_is_measured_on_what_both_judged() -> None:
    pairs = [("useful", "useful"), ("nitpick", "nitpick"), ("useful", "nitpick"), ("nitpick", "useful")]
    both = [
        verdict(key(n), said, judge) for n, pair in enumerate(pairs) for judge, said in zip("ab", pair, strict=True)
    ]
    alone = [verdict(key(9), "false", "a"), verdict(key(10), "false", "c")]
    assert agreement([*both, *alone]) == [("a", "b", 4, 0.0)]


def test_the_weighted_share_takes_rules_as_often_as_they_hit() -> None:
    tallies = by_rule([verdict(key(1)), verdict(key(2), "false"), verdict(key(3, "a/two"), "useful")])
    assert list(tallies) == ["a/one", "a/two"]
    # 0.5 of 90 findings and all of 10; a rule that nobody judged says nothing.
    assert weighted(tallies, {"a/one": 90, "a/two": 10, "a/three": 1000}) == pytest.approx(0.55)
    assert weighted(tallies, {"a/three": 3}) is None


def test_only_verdicts_on_what_is_given_today_stand_with_the_severity_of_today() -> None:
    old = [verdict(key(1), severity="error"), verdict(key(2))]
    assert precision.standing(old, [item(key(1))]) == [old[0]._replace(severity="warning")]


def write(folder: Path, name: str, verdicts: list[Verdict]) -> None:
    write_lines(folder / name, (said.as_json() for said in verdicts))


def test_verdicts_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    said = [verdict(key(1)), verdict(key(2, tool=""), "false", split="held")]
    write(tmp_path, "a.jsonl", said)
    assert read_verdicts(tmp_path) == said
    assert known_keys(tmp_path / "a.jsonl") == {key(1), key(2, tool="")}


def test_verdicts_and_keys_outlive_a_new_name_of_their_rule(tmp_path: Path) -> None:
    former, current = key(rule="changelog/untold"), key(rule="changelog/missing-entry")
    write_lines(tmp_path / "one.jsonl", [verdict(former).as_json()])
    assert read_verdicts(tmp_path) == [verdict(current)]
    assert known_keys(tmp_path / "one.jsonl") == {current}


def test_a_verdict_that_is_none_and_a_second_one_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", [verdict(key(1))])
    write(tmp_path, "b.jsonl", [verdict(key(1), judge="two")])
    assert len(read_verdicts(tmp_path)) == 2
    write(tmp_path, "c.jsonl", [verdict(key(1), "nitpick")])
    with pytest.raises(ValueError, match="one judged a/one at boxes t /1 twice"):
        read_verdicts(tmp_path)
    write(tmp_path, "c.jsonl", [verdict(key(3), "fine")])
    with pytest.raises(ValueError, match="'fine' is not a verdict; known are useful, nitpick, false"):
        read_verdicts(tmp_path)


def test_a_sample_takes_rules_in_turns_and_servers_in_turns() -> None:
    many = [item(key(n, "a/many", "boxes"), f"Wrong {n}.") for n in range(50)]
    others = [item(key(n, "a/many", "shelves"), f"Wrong {n}.") for n in range(2)]
    rare = [item(key(0, "a/rare"))]
    drawn = draw([*many, *others, *rare], 5, seed=3)
    assert sorted((given.key.rule, given.key.server) for given in drawn) == [
        *[("a/many", "boxes")] * 2,
        *[("a/many", "shelves")] * 2,
        ("a/rare", "boxes"),
    ]
    assert draw([*rare, *others, *many], 5, seed=3) == drawn
    assert draw([*many, *others, *rare], 5, seed=4) != drawn
    assert len(draw(rare, 5, seed=1)) == 1


def test_the_order_of_a_sheet_says_nothing_about_the_rules() -> None:
    two = [item(key(n, rule), f"Wrong {n}.") for n in range(20) for rule in ("a/one", "a/two")]
    rules = [given.key.rule for given in draw(two, 40, seed=1)]
    assert rules.count("a/one") == 20
    assert any(first == second for first, second in pairwise(rules))


def test_a_sample_asks_for_each_cause_before_it_asks_for_one_again() -> None:
    same = [item(key(n, tool=f"tool_{n}"), f"x has no description in tool_{n}.") for n in range(20)]
    other = item(key(99, tool="tool_1"), "y has no description in tool_1.")
    for seed in range(5):
        assert other in draw([*same, other], 2, seed)


def test_remarks_ask_for_no_repair_and_are_counted_apart() -> None:
    warned = verdict(key(1, rule="a/one"))
    remarked = verdict(key(2, rule="a/two"), "nitpick", severity="info")
    found = precision.figures([warned, remarked], {"all": {"a/one": 3, "a/two": 1}})["all"]
    assert (found["judged"]["n"], found["weighted"], found["with remarks"]) == (1, 1.0, 0.75)
    shown = "\n".join(precision.report("all", [warned, remarked], {"a/one": 3, "a/two": 1}))
    assert "Warnings and errors, if all lines of a rule are as its judged findings: 100% of 3 lines useful" in shown
    assert "With remarks, if all lines of a rule are as its judged findings: 75% of 4 lines useful" in shown


def test_a_judge_does_not_see_the_rule_or_its_severity() -> None:
    sample = [item(key(1, "secret/rule"), "Wrong.", Severity.ERROR), item(key(2, tool=""))]
    shown = list(sheet(sample))
    assert "secret" not in json.dumps(shown)
    assert "error" not in json.dumps(shown)
    assert [line["show"].split()[2:] for line in shown] == [["show", "boxes", "t"], ["show", "boxes"]]
    first, second = key_lines(sample, {"boxes": "held"})
    assert first == {
        "n": 1,
        **key(1, "secret/rule")._asdict(),
        "version": "1.0.0",
        "split": "held",
        "severity": "error",
    }
    assert second["n"] == 2


def test_a_judges_file_gets_back_what_the_sheet_hid() -> None:
    hidden = list(key_lines([item(key(1)), item(key(0))], {}))
    said = judged(
        hidden, [{"n": 1, "verdict": "false", "reason": "no\nsuch " + "x" * 500}, {"n": 2, "verdict": "useful"}], "j"
    )
    assert [(line.key, line.verdict, line.judge, line.split) for line in said] == [
        (key(0), "useful", "j", "dev"),
        (key(1), "false", "j", "dev"),
    ]
    assert len(said[1].reason) <= 160
    assert said[1].reason.startswith("no such x")
    for lines, reported in (
        ([{"n": 3, "verdict": "useful"}], "number 3 is not on the sheet"),
        ([{"n": 1, "verdict": "useful"}] * 2, "number 1 was judged twice"),
        ([{"n": 1, "verdict": "ok"}], "'ok' is not a verdict"),
    ):
        with pytest.raises(ValueError, match=reported):
            judged(hidden, lines, "j")


TOOL = {"name": "a", "description": "Counts.", "inputSchema": {"type": "object", "properties": {"x": {}}}}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus of one server, no verdicts, no figures."""
    (tmp_path / "corpus" / "npm").mkdir(parents=True)
    recorded = {"1.0.0": {"tools": [TOOL], "instructions": "Count."}}
    (tmp_path / "corpus" / "npm" / "boxes.json.gz").write_bytes(gzip.compress(json.dumps(recorded).encode()))
    monkeypatch.setattr(precision, "CORPUS", tmp_path / "corpus")
    monkeypatch.setattr(precision, "PRECISION", tmp_path / "precision")
    monkeypatch.setattr(precision, "splits", lambda: {"boxes": "held"})
    figures = tmp_path / "figures.json"
    monkeypatch.setattr(precision, "record", lambda stage, parts: quality_figures.record(stage, parts, figures))
    monkeypatch.setattr(precision, "read_figures", lambda: quality_figures.read_figures(figures))
    return tmp_path


def test_from_a_sheet_to_a_table_and_to_figures(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(place / "sheet")
    assert precision.main(["draw", "--seed", "1", "--count", "99", "--split", "held", "--out", out]) == 0
    questions = read_lines(place / "sheet" / "sheet.jsonl")
    assert len(questions) == len(given(place / "corpus")) > 1
    answers = place / "answers.jsonl"
    write_lines(answers, ({"n": line["n"], "verdict": "useful", "reason": ""} for line in questions[:-1]))
    landed = ["land", "--key", f"{out}/key.jsonl", "--verdicts", str(answers), "--judge", "me"]
    assert precision.main([*landed, "--into", str(place / "precision" / "a.jsonl")]) == 0
    assert f"{len(questions) - 1} verdicts of me; 1 findings of the sheet are not judged." in capsys.readouterr().out

    assert precision.main(["--split", "held"]) == 0
    shown = capsys.readouterr().out
    assert f"Precision on held: {len(questions) - 1} judged findings" in shown
    assert "Rules without a verdict: " in shown

    assert precision.main(["--json", "--update"]) == 0
    printed = json.loads(capsys.readouterr().out)
    recorded = quality_figures.read_figures(place / "figures.json")
    assert recorded["now"]["precision"] == printed
    assert recorded["before"] == {}
    assert printed["held"]["judged"]["share"] == printed["held"]["weighted"] == 1
    assert printed["held"]["today"] == len(questions)
    assert printed["dev"]["judged"]["n"] == 0
    # A second draw asks what is left, and nothing where that is waiting for its judge.
    assert precision.main(["draw", "--seed", "1", "--count", "99", "--out", f"{out}2"]) == 0
    assert len(read_lines(place / "sheet2" / "sheet.jsonl")) == 1
    since = ["--since", f"{out}2/key.jsonl"]
    assert precision.main(["draw", "--seed", "1", "--count", "99", *since, "--out", f"{out}3"]) == 0
    assert read_lines(place / "sheet3" / "sheet.jsonl") == []


def test_a_finding_that_is_gone_needs_no_verdict(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(place / "precision", "a.jsonl", [verdict(key(1), "false", split="held")])
    assert precision.main([]) == 0
    assert "Precision on all: 0 judged findings" in capsys.readouterr().out
    assert precision.main(["--all"]) == 0
    assert "Precision on all: 1 judged findings" in capsys.readouterr().out


def test_figures_of_before_are_weighted_by_the_findings_of_before(place: Path) -> None:
    counts = {split: {"rules": {"a/one": 9, "a/two": 1}} for split in precision.SPLITS}
    quality_figures.record("before", {"corpus": counts}, place / "figures.json")
    write(place / "precision", "before-a.jsonl", [verdict(key(1), "false"), verdict(key(2, "a/two"))])
    assert precision.main(["--all", "--update", "before"]) == 0
    found = quality_figures.read_figures(place / "figures.json")["before"]
    assert found["precision"]["all"]["weighted"] == 0.1
    assert found["precision"]["all"]["today"] == 10
    assert found["corpus"] == counts


def test_without_a_corpus_every_verdict_counts_and_nothing_is_recorded(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(precision, "CORPUS", place / "none")
    write(place / "precision", "a.jsonl", [verdict(key(1))])
    assert precision.main([]) == 0
    shown = capsys.readouterr().out
    assert "every verdict counts" in shown
    assert "1 judged findings" in shown
    assert precision.main(["--update"]) == 1
    assert not (place / "figures.json").exists()


def test_a_judge_reads_the_tool(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert precision.main(["show", "boxes", "a"]) == 0
    assert json.loads(capsys.readouterr().out) == TOOL
    assert precision.main(["show", "boxes"]) == 0
    assert json.loads(capsys.readouterr().out) == {"instructions": "Count.", "tools": ["a"]}
    assert precision.main(["show", "shelves"]) == 1


def test_volumes_count_findings_and_lines_by_split(place: Path) -> None:
    found = volumes({"boxes": "held"}, place / "corpus")
    assert set(found) == {"all", "held"}
    reported = found["held"].as_json()
    assert (reported["servers"], reported["findings"]["sum"]) == (1, sum(reported["rules"].values()))
    assert reported["findings"]["median"] == reported["findings"]["max"] == reported["findings"]["sum"] > 1
    assert reported["lines"]["max"] > reported["findings"]["max"]
    assert set(volumes({}, place / "corpus")) == {"all", "dev"}


def test_our_verdicts_can_be_read_and_name_the_split_of_their_server() -> None:
    drawn = precision.splits()
    for said in read_verdicts():
        assert said.split == drawn.get(said.key.server, "dev")
        assert said.verdict in VERDICTS
        assert len(said.reason) <= quality_draw._REASON
