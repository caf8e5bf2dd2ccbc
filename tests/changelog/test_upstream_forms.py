"""The forms of a real changelog, recorded from the project that wrote the rules: all are read, all are told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcp_governor.changelog import Kind, check, parse

RECORD = Path(__file__).parents[3] / "shared" / "upstream" / "brainclaw-changelog.json"
pytestmark = pytest.mark.skipif(not RECORD.is_file(), reason="the recorded changelog is not at hand")


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    return json.loads(RECORD.read_text(encoding="utf-8"))


def rules(text: str) -> list[str]:
    return [finding.rule.removeprefix("changelog/") for finding in check(parse(text, "log.md"), None)]


def test_the_older_headings(record: dict[str, Any]) -> None:
    changelog = parse("\n\n".join(record["headings_A"]), "log.md")
    assert [section.title for section in changelog.sections] == [
        "Unreleased",
        "1.0.0",
        *(f"0.{n}.0" for n in range(8, 0, -1)),
    ]
    assert changelog.current is not None
    assert changelog.current.version_text == "1.0.0"
    assert set(rules(changelog.text)) == {"unreleased"}


def test_the_newer_headings(record: dict[str, Any]) -> None:
    headings = [heading for heading in record["headings_B_top"] if heading.startswith("##")]
    text = "\n\n".join([*headings, "## 1.0.0 (current)"])
    changelog = parse(text, "log.md")
    assert [section.version_text for section in changelog.sections][:2] == ["1.28.4", "1.28.3"]
    assert all(section.date for section in changelog.sections[:-1])
    assert sorted(set(rules(text))) == ["current-not-newest", "heading-form"]
    assert rules(text).count("heading-form") == len(headings)


def test_the_labels(record: dict[str, Any]) -> None:
    known = {kind.value for kind in Kind}
    for label in record["label_forms"]:
        changelog = parse(f"## 1.0.0 (current)\n\n{label}\n\n- `x`\n", "log.md")
        [part] = changelog.sections[0].subsections
        word = label.strip("*").split(" ")[0]
        assert (part.kind.value if part.kind else None) == (word if word in known else None), label
        strict = label.strip("*") in known
        assert ("label-form" in rules(changelog.text)) == (not strict and word in known), label


def test_the_chain_of_fingerprints(record: dict[str, Any]) -> None:
    chain = record["current_chain_B_newest_first"]
    line = record["fingerprint_line"].replace("<16 hex>", "{}")
    text = "## 1.0.0 (current)\n\n" + "\n\n".join(line.format(value) for value in chain) + "\n"
    [section] = parse(text, "log.md").sections
    assert [stated.value for stated in section.fingerprints] == [f"sha256:{value}" for value in chain]
    assert rules(text).count("fingerprint-form") == len(chain)
    assert rules(text).count("fingerprint-repeated") == 1
