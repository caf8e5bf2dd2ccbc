"""The pages about rules are fresh, whole, and safe to render."""

from __future__ import annotations

from pathlib import Path

from mcp_governor.rules import load_catalogue
from mcp_governor.rules.docs import pack_titles, pages

ROOT = Path(__file__).resolve().parents[2]
PAGES = pages()


def test_there_are_no_pages_of_packs_that_are_gone():
    assert {path.name for path in (ROOT / "docs" / "rules").glob("*.md")} == {*PAGES, "README.md"}


def test_every_rule_has_a_section():
    for rule in load_catalogue(entry_points=False):
        assert f"\n## {rule.name}\n" in PAGES[f"{rule.pack}.md"]


def test_every_pack_has_a_title_and_no_other():
    assert set(pack_titles()) == set(load_catalogue(entry_points=False).packs), "write it into rules/packs.toml"


def test_pages_hold_no_raw_control_or_bidirectional_characters():
    for text in PAGES.values():
        assert all(char == "\n" or char.isprintable() for char in text)


def test_the_charter_page_says_why_this_source_requires_what_others_flag():
    assert "steers the model" in PAGES["charter.md"]
