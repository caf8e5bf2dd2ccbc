"""The page about quality and the measured line of a rule say what the figures say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from quality_figures import FIGURES, read_figures
from quality_labels import SPLITS
from quality_page import measured, tables
from quality_strangers import Sample, table

from mcp_governor.rules import load_catalogue
from mcp_governor.rules.docs import pages

TALLY = {"n": 10, "useful": 7.5, "nitpick": 1.5, "false": 1, "share": 0.75, "low": 0.4, "high": 0.92}


def test_a_sample_is_a_row_with_the_mean_of_its_judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(name: str, *verdicts: str) -> None:
        lines = zip(("error", "warning", "warning", "info"), verdicts, ("a", "a", "b", "b"), strict=True)
        said = [{"severity": severity, "verdict": verdict, "server": server} for severity, verdict, server in lines]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, said)), "utf-8")

    monkeypatch.setattr("quality_strangers.VERDICTS", tmp_path)
    judge("one", "useful", "useful", "false", "useful")
    judge("two", "false", "useful", "nitpick", "false")
    both, alone = Sample("2026-01-02", "drawn", (("one",), ("two",))), Sample("2026-01-03", "drawn", (("one",),))
    *_, first, second = table([both, alone])
    share = "1.5, 50 % (13–87)"
    assert first == f"| 2026-01-02 | 2, drawn | 3 | {share} | 0.5 | 1 | 0.5 of 1 | 0.5, 0.5 of 1 | -0.09 |"
    assert second == "| 2026-01-03 | 2, drawn | 3 | 2, 67 % (21–94) | 0 | 1 | 1 of 1 | 1, 0 of 1 | – |"
    *_, last = table([both, both, alone])
    assert last == "| together | 2, drawn | 6 | 3, 50 % (19–81) | 1 | 2 | 1 of 2 | 1, 1 of 2 | -0.09 |"


def test_a_rules_page_shows_what_was_measured() -> None:
    reported = {"corpus": {"all": {"rules": {"clarity/bounds": 4, "clarity/length": 9}}}}
    found = measured({"before": {}, "now": {**reported, "precision": {"all": {"rules": {"clarity/bounds": TALLY}}}}})
    assert found == {
        "clarity/bounds": "10 judged findings: 75 % useful (40–92); 1.5 nitpicks, 1 false "
        "([quality](../project/quality.md)).",
        "clarity/length": "none of its findings has been judged ([quality](../project/quality.md)).",
    }
    clarity = pages(load_catalogue(entry_points=False), found)["clarity.md"]
    assert clarity.count("*Measured:* ") == 2
    section = clarity.partition("\n## bounds\n")[2].partition("\n## ")[0]
    assert f"*Measured:* {found['clarity/bounds']}" in section
    assert "*Measured:*" not in pages(load_catalogue(entry_points=False))["clarity.md"]


def test_figures_are_under_the_current_name_of_a_rule(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    file.write_text('{"now": {"corpus": {"all": {"rules": {"changelog/untold": 3}}}}}', "utf-8")
    assert read_figures(file)["now"] == {"corpus": {"all": {"rules": {"changelog/missing-entry": 3}}}}


def test_the_recorded_figures_hold_both_stages() -> None:
    figures = read_figures(FIGURES)
    assert set(figures["before"]["recall"]) == set(figures["now"]["recall"]) == set(SPLITS)
    assert tables(figures)
