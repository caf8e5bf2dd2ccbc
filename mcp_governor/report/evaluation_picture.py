"""The accuracy of each runner over a history, as a picture with its interval at each evaluation."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mcp_governor.report.evaluation_words import label_of, percent
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.evaluation.assessment import Step
    from mcp_governor.evaluation.metrics import Share

MAX_STEPS = 30
"""Evaluations in a picture, the newest: with more, their labels overlap."""

MAX_LINES = 6
"""Runners in a picture: as many as there are kinds of lines that differ without color."""

# Pixels: left of the axis for the percentages, above it, the height of the axis, of a label, and for a name.
_LEFT, _TOP, _HEIGHT, _LABEL, _NAME = 48, 16, 200, 40, 22
_STEP = 90
"""Pixels from one evaluation to the next: the width of a label."""

_DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 4", "12 4")
"""Kinds of lines, so that runners differ without color as well."""

STYLE = """
.evaluation { max-width: 100%; height: auto; font: 12px system-ui, sans-serif; }
.evaluation text { fill: currentColor; }
.evaluation .grid { stroke: currentColor; opacity: .2; }
.evaluation .run { fill: none; stroke: currentColor; stroke-width: 1.5; }
.evaluation .mark { fill: currentColor; }
.evaluation .range { stroke: currentColor; opacity: .5; }
"""


def picture(steps: Sequence[Step]) -> str:
    """The picture as an SVG element with its style."""
    return "\n".join(_picture(steps[-MAX_STEPS:]))


def _picture(steps: Sequence[Step]) -> Iterator[str]:
    names = list(dict.fromkeys(one.runner.name for step in steps for one in step.assessment.measured))[:MAX_LINES]
    floor = _TOP + _HEIGHT
    width = _LEFT + _STEP * len(steps)
    height = floor + _LABEL + _NAME * len(names)
    yield (
        f'<style>{STYLE}</style><svg class="evaluation" role="img" aria-labelledby="evaluation-title evaluation-text" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<title id="evaluation-title">Accuracy over {len(steps)} evaluations</title>'
        f'<desc id="evaluation-text">{escape(_said(steps, names))}</desc>'
    )
    for part in range(5):
        y = floor - _HEIGHT * part // 4
        yield f'<path class="grid" d="M{_LEFT} {y}H{width}"/><text x="4" y="{y + 4}">{part * 25} %</text>'
    for at, step in enumerate(steps):
        yield f'<text x="{_x(at)}" y="{floor + 18}" text-anchor="middle">{escape(label_of(step))}</text>'
    for number, name in enumerate(names):
        yield from _run(steps, name, number, floor)
    yield "</svg>"


def _x(at: int) -> int:
    return _LEFT + _STEP * at + _STEP // 2


def _run(steps: Sequence[Step], name: str, number: int, floor: int) -> Iterator[str]:
    dash = f' stroke-dasharray="{_DASHES[number]}"' if _DASHES[number] else ""
    points = [(at, share) for at, step in enumerate(steps) if (share := _share(step, name)) is not None]
    # Marks of several runners at one place are drawn next to each other.
    shift = 5 * number
    path = " ".join(
        f"{'L' if place else 'M'}{_x(at) + shift} {_y(share.value or 0, floor)}"
        for place, (at, share) in enumerate(points)
    )
    yield f'<path class="run"{dash} d="{path}"/>'
    for at, share in points:
        x, (low, high) = _x(at) + shift, share.interval
        yield f'<path class="range" d="M{x} {_y(low, floor)}V{_y(high, floor)}"/>'
        yield (
            f'<circle class="mark" cx="{x}" cy="{_y(share.value or 0, floor)}" r="3">'
            f"<title>{escape(one_line(name, 60))}: {percent(share)}</title></circle>"
        )
    y = floor + _LABEL + _NAME * number
    yield f'<path class="run"{dash} d="M{_LEFT} {y}h40"/><text x="{_LEFT + 48}" y="{y + 4}">'
    yield f"{escape(one_line(name, 60))}</text>"


def _y(share: float, floor: int) -> int:
    return floor - round(_HEIGHT * share)


def _share(step: Step, name: str) -> Share | None:
    found = (one.accuracy for one in step.assessment.measured if one.runner.name == name)
    share = next(found, None)
    return share if share is not None and share.trials else None


def _said(steps: Sequence[Step], names: Sequence[str]) -> str:
    parts = []
    for name in names:
        shares = [percent(share) for step in steps if (share := _share(step, name)) is not None]
        parts.append(f"{one_line(name, 60)}: {', '.join(shares) or 'not measured'}")
    return "; ".join(parts)
