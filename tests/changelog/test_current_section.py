"""The current section against the surface of now: the lines to paste, and what is left alone once it is out."""

from __future__ import annotations

import pytest

from mcp_governor.changelog import ChangelogSettings, Recorded, SchemaVersion, check, parse
from mcp_governor.surface import build_surface, fingerprint

OLD = build_surface({"tools": [{"name": "gone"}], "serverInfo": {"version": "1.0.0"}})
NEW = build_surface({"tools": [{"name": "search"}], "serverInfo": {"version": "1.1.0"}})
WAS, LIVE = f"Fingerprint: `{fingerprint(OLD)}`", f"Fingerprint: `{fingerprint(NEW)}`"
BEGIN = f"start a section above it:\n\n## 1.1.0 (current)\n\n{LIVE}"


def fixes(text: str, **settings: object) -> dict[str, str]:
    found = check(parse(text, "log.md"), NEW, [], settings=ChangelogSettings(**settings))  # type: ignore[arg-type]
    return {finding.rule.removeprefix("changelog/"): finding.fix for finding in found}


@pytest.mark.parametrize(
    ("text", "settings", "repair"),
    [
        # nobody has met 1.0.0: the heading is wrong
        ("## 1.0.0 (current)\n", {}, "write line 1 as: ## 1.1.0 (current)"),
        # it is out, by its date, its recorded surface, or the baseline: a new section
        ("## 1.0.0 (current) - 2026-01-01\n", {}, f"write line 1 as: ## 1.0.0 - 2026-01-01\nand {BEGIN}"),
        (
            "## 1.0.0 (current)\n",
            {"recorded": (Recorded("1.0.0", fingerprint(OLD), "x"),)},
            f"write line 1 as: ## 1.0.0\nand {BEGIN}",
        ),
        ("## 1.0.0 (current)\n", {"baseline": OLD}, f"write line 1 as: ## 1.0.0\nand {BEGIN}"),
        # there is a section for it already: the marker moves there
        (
            "## 1.2.0\n\n## 1.1.0\n\n## 1.2.0-rc.1 (current)\n",
            {},
            "write line 5 as: ## 1.2.0-rc.1\nand line 3 as: ## 1.1.0 (current)",
        ),
        ("## Unreleased\n\n## 1.0.0 (current)\n", {}, "write line 3 as: ## 1.0.0\nand line 1 as: ## 1.1.0 (current)"),
    ],
)
def test_the_repair_of_a_version(text: str, settings: dict[str, object], repair: str) -> None:
    assert fixes(text, **settings)["version-mismatch"] == f"If 1.1.0 is right, {repair}"


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("## 1.1.0\n", "Write line 1 as: ## 1.1.0 (current)"),
        ("## 1.1.0 - 2026-01-01\n", "Write line 1 as: ## 1.1.0 (current) - 2026-01-01"),
        ("## 1.0.0\n", "Start a section above it: ## 1.1.0 (current)"),
    ],
)
def test_the_repair_of_a_missing_marker(text: str, fix: str) -> None:
    assert fixes(text)["no-current"] == f"Mark the section of today's version. {fix}"


def test_a_release_that_is_out_keeps_its_fingerprint() -> None:
    text = f"## 1.0.0 (current)\n\n{WAS}\n"
    assert "fingerprint-stale" not in fixes(text, baseline=OLD)
    assert fixes(text)["fingerprint-stale"] == f"Describe the change, then write the line as: {LIVE}"
    reported = fixes(text.replace("1.0.0", "1.1.0"), recorded=(Recorded("1.1.0", "x", "y"),))["fingerprint-stale"]
    assert reported.endswith(f"{LIVE} (in a section of its own: 1.1.0 is released)")


def test_what_a_release_took_leave_of_is_not_looked_for_once_it_is_out() -> None:
    text = f"## 1.1.0 (current)\n\n{LIVE}\n\n**Added**\n\n- `gone`.\n\n**Removed**\n\n- `gone`: use `search`.\n"
    before = check(parse(text, "log.md"), NEW, [], settings=ChangelogSettings(baseline=OLD))
    assert before == []
    released = check(parse(text, "log.md"), NEW, [], settings=ChangelogSettings(baseline=NEW))
    assert released == [], "its names were known when it was released"
    alone = check(parse(text, "log.md"), NEW, None)
    assert [(f.rule, f.path) for f in alone] == [("changelog/unknown-name", "log.md:7")]


def test_the_expected_version_may_come_from_elsewhere() -> None:
    found = check(
        parse("## 1.0.0 (current)\n", "log.md"), NEW, settings=ChangelogSettings(SchemaVersion("2.0.0", "p:V"))
    )
    assert "The current section says 1.0.0, but p:V says 2.0.0." in [finding.message for finding in found]


def test_a_server_without_a_version_is_checked_against_nothing_here() -> None:
    silent = build_surface({"tools": [{"name": "search"}]})
    rules = [finding.rule for finding in check(parse(f"## 1.0.0 (current)\n\n{LIVE}\n", "log.md"), silent)]
    assert rules == []


def test_a_recorded_surface_speaks_for_released_sections_only() -> None:
    text = f"## 1.1.0 (current)\n\n{LIVE}\n\n## 1.0.0\n\n{WAS}\n"
    other = "v1:sha256:" + "0" * 64
    assert fixes(text, recorded=(Recorded("1.1.0", other, "x"), Recorded("1.0.0", fingerprint(OLD), "y"))) == {}
    assert set(fixes(text, recorded=(Recorded("1.0.0", other, "y"),))) == {"released-fingerprint"}
