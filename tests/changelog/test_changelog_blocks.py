"""The two ways to see blocks agree, whatever the document."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_governor.changelog.blocks import Block, Text, markdown_blocks, plain_blocks, read_blocks

# Lines that a changelog is made of, and lines that mean something else to CommonMark.
LINES = [
    "",
    "",
    "## 1.2.0 (current)",
    "## 1.1.0",
    "### Added",
    "# Title",
    "**Added**",
    "**Changed — x**",
    "Fingerprint: `v1:sha256:00`",
    "- `tool` takes `a`.",
    "- words",
    "  more words",
    "  `code` here",
    "    indented",
    "- - nested",
    "  - nested `x`",
    "- # heading in an item",
    "1. ordered",
    "* star",
    "+ plus",
    "```",
    "~~~",
    "  ```",
    "<!-- comment",
    "-->",
    "<div>",
    "</div>",
    "<h2>1.0.0</h2>",
    "<script>",
    "> quoted",
    "---",
    "===",
    "***",
    "[ref]: http://example.org",
    "## closed ##",
    "##",
    "## ",
    "- ",
    "-",
    "trailing  ",
    "\ttab",
    "text",
    "é words",
    "\\# escaped",
    " ## indented heading",
    "_emphasis_",
    "`",
    "``` `",
    "2026 words",
    "<<<<<<< HEAD",
    ">>>>>>> other",
    "| a | b |",
    "- [ ] task",
    "-   spaced item",
    "&amp;",
]


@given(st.lists(st.sampled_from(LINES), max_size=24))
@settings(max_examples=600, deadline=None)
def test_reading_in_parts_gives_what_commonmark_gives(lines: list[str]) -> None:
    assert read_blocks(lines) == markdown_blocks(lines)


@given(
    st.lists(
        st.one_of(st.sampled_from(LINES), st.text(max_size=12).filter(lambda t: not set(t) & set("\r\n"))), max_size=12
    )
)
@settings(max_examples=300, deadline=None)
def test_what_is_read_line_by_line_is_what_commonmark_reads(lines: list[str]) -> None:
    plain = plain_blocks(lines)
    if plain is not None:
        assert plain == markdown_blocks(lines)


def test_a_release_in_the_grammar_needs_no_markdown_parser() -> None:
    lines = ["## 1.0.0", "", "**Added**", "", "- `a`: new tool,", "  with `b`.", "- `c`."]
    plain = plain_blocks(lines)
    assert plain is not None
    assert plain.blocks == (
        Block("heading", 0, 1, (Text("1.0.0", 0),), 2),
        Block("paragraph", 2, 3, (Text("**Added**", 2),)),
        Block("item", 4, 6, (Text("`a`: new tool,\nwith `b`.", 4),)),
        Block("item", 6, 7, (Text("`c`.", 6),)),
    )


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (["```", "x"], 0),
        (["a", "", "~~~"], 2),
        (["<!-- x"], 0),
        (["```", "x", "```"], None),
        (["```", "x", "````  "], None),
        (["````", "```"], 0),
        (["<!-- x -->"], None),
        (["- ```", "- x"], None),
        ([], None),
    ],
)
def test_what_is_never_closed(lines: list[str], line: int | None) -> None:
    assert read_blocks(lines).unclosed == line


@pytest.mark.parametrize("line", ["```", "<b>", "> q", "1. x", "---", "  - x", "[a]: b", "text ", "    code"])
def test_a_line_with_another_meaning_ends_the_plain_reading(line: str) -> None:
    assert plain_blocks(["## 1.0.0", "", line]) is None


def test_a_fence_across_releases_hides_the_headings_in_it() -> None:
    lines = ["## 2.0.0", "```", "## 1.0.0", "```", "## 0.9.0"]
    found = read_blocks(lines)
    assert [block.inlines[0].text for block in found.blocks] == ["2.0.0", "0.9.0"]
    assert found.code == ((1, 4),)
