"""What counts as a block of a changelog, and what is hidden."""

from __future__ import annotations

import pytest

from mcp_governor.changelog.reading import Block, Text, read_blocks


def test_blocks_have_their_lines() -> None:
    lines = ["## 1.0.0", "", "**Added**", "", "- `a`: new tool,", "  with `b`.", "- `c`.", "", "> ## 0.9.0"]
    assert read_blocks(lines).blocks == (
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


def test_a_fence_across_releases_hides_the_headings_in_it() -> None:
    lines = ["## 2.0.0", "```", "## 1.0.0", "```", "## 0.9.0"]
    found = read_blocks(lines)
    assert [block.inlines[0].text for block in found.blocks] == ["2.0.0", "0.9.0"]
    assert found.code == {1, 2, 3}
