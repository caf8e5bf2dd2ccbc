"""The page about quality and the measured line of a rule say what the figures say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from quality_figures import FIGURES, read_figures
from quality_labels import HIDDEN, SPLITS
from quality_numbers import Share
from quality_page import measured, page
from quality_strangers import Sample, table

from mcp_governor.rules import load_catalogue
from mcp_governor.rules.docs import pages

TALLY = {"n": 10, "useful": 7.5, "nitpick": 1.5, "false": 1, "share": 0.75, "low": 0.4, "high": 0.92}


def share(hits: int, total: int) -> dict[str, Any]:
    return {**Share(hits, total).as_json(), "mean per server": 0.25}


def stage(hits: int) -> dict[str, Any]:
    dev, held, later, apart = (
        {"recall": {"important": share(hits + more, 10), "all": share(hits, 20)}, "traps": share(1, 30), "kinds": {}}
        for more in (3, 0, 1, 2)
    )
    volume = {
        "servers": 3,
        "findings": {"sum": 1234, "median": 5, "max": 9},
        "lines": {"median": 12.5, "max": 99},
        "rules": {"clarity/bounds": 4, "clarity/length": 9},
    }
    recalled = {"dev": dev, "held": held, "later": later, "apart": apart}
    return {"recall": recalled, "corpus": dict.fromkeys(("all", "dev", "held"), volume)}


def judged() -> dict[str, Any]:
    split = {
        "judged": TALLY,
        "errors": share(29, 30),
        "weighted": 0.66,
        "with remarks": 0.6,
        "rules": {"clarity/bounds": TALLY},
    }
    return {**dict.fromkeys(("all", "dev", "held"), split), "judges": [["one", "two", 40, 0.625]]}


def row(text: str, start: str, table: int = 0) -> list[str]:
    line = [line for line in text.splitlines() if line.startswith(f"| {start}")][table]
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


def test_the_page_shows_both_stages_side_by_side() -> None:
    text = page({"before": stage(1), "now": {**stage(6), "precision": judged()}})
    # Of "sealed", "remote", "fresh", "more", "unseen", "blind", "wider" and "distant", nothing was recorded.
    assert row(text, "important problems") == ["60 % or more", "–", "–"]
    assert row(text, "important problems", table=1) == [
        *("60 % or more", "1 of 10, 10 % (2–40)", "6 of 10, 60 % (31–83)"),
        *("–", "–"),
        *("3 of 10, 30 % (11–60)", "8 of 10, 80 % (49–94)"),
        *("–", "–"),
    ]
    # The splits that authors read.
    assert row(text, "important problems", table=2)[1:] == [
        *("4 of 10, 40 % (17–69)", "9 of 10, 90 % (60–98)", "2 of 10, 20 % (6–51)", "7 of 10, 70 % (40–89)"),
        *("–", "–", "–", "–", "–", "–", "–", "–", "–", "–", "–", "–"),
    ]
    assert row(text, "judged warnings and errors that are useful")[1:3] == ["not judged", "7.5 of 10, 75 % (40–92)"]
    assert row(text, "… weighted")[1:3] == ["–", "66 %"]
    assert row(text, "… together with remarks")[1:3] == ["–", "60 %"]
    assert row(text, "judged errors")[1:3] == ["not judged", "29 of 30, 97 % (83–99)"]
    assert row(text, "lines about findings")[1] == "12.5"
    assert "| all (3) | now | 1,234 | 5 | 9 | 12.5 | 99 |" in text
    assert "Before: no finding has been judged." in text
    assert row(text, "`clarity/bounds`") == ["4", "10", "7.5 of 10, 75 % (40–92)", "1.5", "1"]
    assert "Agreement of one and two on 40 findings (now): Cohen's kappa 0.62." in text


def test_the_hidden_sets_are_added_up() -> None:
    held = stage(1)["recall"]["held"]
    found = {"recall": dict.fromkeys(HIDDEN, held)}
    text = page({"before": found, "now": stage(6)})
    assert row(text, "important problems") == ["60 % or more", "4 of 40, 10 % (4–23)", "–"]
    assert row(text, "traps hit") == ["1 in 30 at most", "4 of 120, 3 % (1–8)", "–"]
    assert "mean" not in text.partition("## Set by set")[0].partition("## In short")[2]


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
    found = measured({"before": {}, "now": {**stage(6), "precision": judged()}})
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
    assert page(figures)
