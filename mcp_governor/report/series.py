"""Lines of a picture that differ without color: each has a shape for its marks, and a label at its end."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SHAPES = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.5-3.5h7v7h-7z",
    "M0-5L4.6 3.4h-9.2z",
    "M0-5L5 0 0 5-5 0z",
    "M-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
    "M0 5L4.6-3.4h-9.2z",
)
"""Circle, square, triangle, diamond, cross, and the triangle on its point, around the place that they mark."""

STYLE = """
.s0 { --one: #0064a4; } .s1 { --one: #b34700; } .s2 { --one: #8a3f7d; }
.s3 { --one: #00724d; } .s4 { --one: #1c2127; } .s5 { --one: #6b5d00; }
@media screen and (prefers-color-scheme: dark) { .s0 { --one: #6cb8f0; } .s1 { --one: #ff9d5c; }
  .s2 { --one: #f0a6cc; } .s3 { --one: #4fd0a3; } .s4 { --one: #e6edf3; } .s5 { --one: #f0e442; } }
.line { fill: none; stroke: var(--one); stroke-width: 2; stroke-linejoin: round; }
.mark, .end { fill: var(--one); } .hollow { fill: var(--paper, #fff); stroke: var(--one); stroke-width: 2; }
"""
"""The colors of Okabe and Ito, which differ for people who see fewer colors, dark enough for text on white."""

_APART = 15
"""Pixels from one label to the next."""


def mark(number: int, x: float, y: float, title: str, *, hollow: bool = False) -> str:
    """The mark of a line at a place, with what a pointer on it says."""
    kind = "hollow" if hollow else "mark"
    shape = SHAPES[number % len(SHAPES)]
    place = f'transform="translate({x} {y})"'
    return f'<path class="{kind} s{number}" {place} d="{shape}"><title>{escape(title)}</title></path>'


def ends(labels: Sequence[tuple[int, float, str]], x: float, floor: float) -> str:
    """The names of lines next to their ends; those of ends that are close go below each other.

    Args:
        labels: number of the line, where it ends, and its name.
        x: where the names begin.
        floor: none goes below it.
    """
    placed: list[tuple[int, float, str]] = []
    for number, y, name in sorted(labels, key=lambda one: one[1]):
        placed.append((number, max(y, placed[-1][1] + _APART) if placed else y, name))
    below = max(placed[-1][1] - floor, 0) if placed else 0
    return "".join(
        f'<text class="end s{number}" x="{x}" y="{round(y - below + 4, 1)}">{escape(name)}</text>'
        for number, y, name in placed
    )
