"""Judged findings: which verdicts count, and what the tables say. Own-written findings, no corpus."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import precision
import pytest
import quality_corpus
from precision import (
    VERDICTS,
    Given,
    Key,
    Tally,
    Verdict,
    agreement,
    by_rule,
    digest,
    facts,
    read_verdicts,
    weighted,
)
from quality_corpus import volumes
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
    folder.mkdir(exist_ok=True)
    lines = ({**said.key._asdict(), **{name: getattr(said, name) for name in said._fields[1:]}} for said in verdicts)
    (folder / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")


def test_verdicts_outlive_a_new_name_of_their_rule(tmp_path: Path) -> None:
    former, current = key(rule="changelog/untold"), key(rule="changelog/missing-entry")
    said = verdict(key(2, tool=""), "false", split="held")
    write(tmp_path, "a.jsonl", [verdict(former), said])
    assert read_verdicts(tmp_path) == [verdict(current), said]


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


def test_remarks_ask_for_no_repair_and_are_counted_apart() -> None:
    warned = verdict(key(1, rule="a/one"))
    remarked = verdict(key(2, rule="a/two"), "nitpick", severity="info")
    found = precision.figures([warned, remarked], {"all": {"a/one": 3, "a/two": 1}})["all"]
    assert (found["judged"]["n"], found["weighted"], found["with remarks"]) == (1, 1.0, 0.75)
    shown = "\n".join(precision.report("all", [warned, remarked], {"a/one": 3, "a/two": 1}))
    assert "Warnings and errors, if all lines of a rule are as its judged findings: 100% of 3 lines useful" in shown
    assert "With remarks, if all lines of a rule are as its judged findings: 75% of 4 lines useful" in shown


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
    monkeypatch.setattr(precision, "record", lambda parts: quality_corpus.record(parts, tmp_path / "figures.json"))
    return tmp_path


def test_a_finding_that_is_gone_needs_no_verdict(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(place / "precision", "a.jsonl", [verdict(key(1), "false", split="held")])
    assert precision.main([]) == 0
    assert "Precision on all: 0 judged findings" in capsys.readouterr().out
    assert precision.main(["--all", "--json", "--update"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["held"]["judged"] == {"n": 1, "useful": 0, "nitpick": 0, "false": 1, **printed["held"]["judged"]}
    recorded = quality_corpus.read_figures(place / "figures.json")
    assert (recorded["now"]["precision"], recorded["before"]) == (printed, {})


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
        assert len(said.reason) <= 160
