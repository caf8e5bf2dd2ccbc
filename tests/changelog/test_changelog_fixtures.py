"""fixtures/changelogs: a good changelog, and one for each way to deviate from it, each with what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import tomli

from mcp_governor.change import compare
from mcp_governor.changelog import ChangelogSettings, Recorded, check, load, parse
from mcp_governor.errors import FileFormatError
from mcp_governor.findings import Severity
from mcp_governor.surface import fingerprint, load_surface

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "fixtures" / "changelogs"
EXPECTED = tomli.loads((FOLDER / "expected.toml").read_text(encoding="utf-8"))
OLD, NEW = load_surface(FOLDER / "old.json"), load_surface(FOLDER / "new.json")
CHANGES = compare(OLD, NEW)
SETTINGS = ChangelogSettings(
    baseline=OLD, recorded=(Recorded("1.4.0", fingerprint(OLD), "docs/mcp-surface/1.4.0.json"),)
)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_what_is_said_of_each(name: str) -> None:
    file = FOLDER / f"{name}.md"
    before = file.read_bytes()
    found = check(parse(before, "log.md"), NEW, CHANGES, settings=SETTINGS)
    said = [f"{finding.path.removeprefix('log.md:')} {finding.rule}" for finding in found]
    assert sorted(said) == sorted(EXPECTED[name]["findings"])
    assert file.read_bytes() == before


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_every_finding_says_what_to_do(name: str) -> None:
    for finding in check(load(FOLDER / f"{name}.md"), NEW, CHANGES, settings=SETTINGS):
        assert finding.fix
        assert "{" not in finding.message + finding.fix
        if finding.rule == "changelog/fingerprint-stale":
            assert f"Fingerprint: `{fingerprint(NEW)}`" in finding.fix


def test_the_file_that_is_not_utf8_is_reported_by_its_line() -> None:
    with pytest.raises(FileFormatError, match=r"latin-1\.md:34 is not UTF-8"):
        load(FOLDER / "latin-1.md")


def test_every_rule_of_the_pack_has_a_fixture() -> None:
    rules = {file.stem for file in (ROOT / "rules" / "changelog").glob("*.toml")}
    shown = {line.partition("/")[2] for case in EXPECTED.values() for line in case["findings"]}
    # The two surfaces differ in no wording (test_mentioning.py), and what is not there is test_between_releases.py's.
    assert rules - shown == {"missing-wording-entry", "not-added", "not-removed"}


def test_every_file_is_expected() -> None:
    assert {file.stem for file in FOLDER.glob("*.md")} == {*EXPECTED, "latin-1"}


def test_structural_findings_are_errors_and_advice_warns() -> None:
    found = check(load(FOLDER / "merge-conflict.md"), NEW, CHANGES, settings=SETTINGS)
    assert {finding.severity for finding in found} == {Severity.ERROR}
    found = check(load(FOLDER / "label-order.md"), NEW, CHANGES, settings=SETTINGS)
    assert {finding.severity for finding in found} == {Severity.WARNING}
