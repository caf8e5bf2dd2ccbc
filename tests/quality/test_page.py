"""The page about quality and the measured line of a rule say what the figures say."""

from __future__ import annotations

from pathlib import Path

from quality_corpus import FIGURES, read_figures
from quality_labels import SPLITS
from quality_page import measured, tables

from mcp_governor.rules.docs import pages

TALLY = {"n": 10, "useful": 7.5, "nitpick": 1.5, "false": 1, "share": 0.75, "low": 0.4, "high": 0.92}


def test_a_rules_page_shows_what_was_measured() -> None:
    reported = {"corpus": {"all": {"rules": {"clarity/bounds": 4, "clarity/length": 9}}}}
    found = measured({"before": {}, "now": {**reported, "precision": {"all": {"rules": {"clarity/bounds": TALLY}}}}})
    assert found == {
        "clarity/bounds": "10 judged findings: 75 % useful (40–92); 1.5 nitpicks, 1 false "
        "([quality](../project/quality.md)).",
        "clarity/length": "none of its findings has been judged ([quality](../project/quality.md)).",
    }
    clarity = pages(found)["clarity.md"]
    assert clarity.count("*Measured:* ") == 2
    section = clarity.partition("\n## bounds\n")[2].partition("\n## ")[0]
    assert f"*Measured:* {found['clarity/bounds']}" in section
    assert "*Measured:*" not in pages()["clarity.md"]


def test_figures_are_under_the_current_name_of_a_rule(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    file.write_text('{"now": {"corpus": {"all": {"rules": {"changelog/untold": 3}}}}}', "utf-8")
    assert read_figures(file)["now"] == {"corpus": {"all": {"rules": {"changelog/missing-entry": 3}}}}


def test_the_recorded_figures_hold_both_stages() -> None:
    figures = read_figures(FIGURES)
    assert set(figures["before"]["recall"]) == set(figures["now"]["recall"]) == set(SPLITS)
    assert tables(figures)
