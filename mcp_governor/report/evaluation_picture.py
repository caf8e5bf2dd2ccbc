"""The accuracy of each runner over a history, as a picture with its interval at each evaluation."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mcp_governor.report import series
from mcp_governor.report.evaluation_words import label_of, percent
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.evaluation.assessment import Step
    from mcp_governor.evaluation.metrics import Share

MAX_STEPS = 30
"""Evaluations in a picture, the newest: with more, their labels overlap."""

MAX_LINES = len(series.SHAPES)
"""Runners in a picture: as many as differ without color."""

# Pixels: left of the axis for the percentages, above it, the height of the axis, and of a label.
_LEFT, _TOP, _HEIGHT, _LABEL = 48, 16, 240, 28
_STEP = (90, 240)
"""Pixels from one evaluation to the next: at least the width of a label, at most what keeps a few together."""
_WIDTH = 850
"""Pixels that the evaluations fill if they can; the names of the runners need the rest of the page."""
_NAME, _CHARACTER = 40, 7
"""Characters of a runner's name at its line, and pixels of one."""

STYLE = (
    series.STYLE
    + """
.evaluation { font: 12px system-ui, sans-serif; }
.evaluation text { fill: currentColor; } .evaluation .end { fill: var(--one); }
.evaluation .grid { stroke: currentColor; opacity: .2; }
.evaluation .range { stroke: var(--one); opacity: .6; }
"""
)


def picture(steps: Sequence[Step]) -> str:
    """The picture as an SVG element with its style."""
    return "\n".join(_picture(steps[-MAX_STEPS:]))


def _picture(steps: Sequence[Step]) -> Iterator[str]:
    names = list(dict.fromkeys(one.runner.name for step in steps for one in step.assessment.measured))[:MAX_LINES]
    floor = _TOP + _HEIGHT
    step_width = max(_STEP[0], min(_STEP[1], _WIDTH // len(steps)))
    right = _LEFT + step_width * len(steps)
    width = right + _CHARACTER * max((len(one_line(name, _NAME)) for name in names), default=0)
    height = floor + _LABEL
    yield (
        f'<style>{STYLE}</style><svg class="evaluation" role="img" aria-labelledby="evaluation-title evaluation-text" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<title id="evaluation-title">Accuracy over {len(steps)} evaluations</title>'
        f'<desc id="evaluation-text">{escape(_said(steps, names))}</desc>'
    )
    for part in range(5):
        y = floor - _HEIGHT * part // 4
        yield f'<path class="grid" d="M{_LEFT} {y}H{right}"/><text x="4" y="{y + 4}">{part * 25} %</text>'
    for at, step in enumerate(steps):
        x = _LEFT + step_width * at + step_width // 2
        yield f'<text x="{x}" y="{floor + 18}" text-anchor="middle">{escape(label_of(step))}</text>'
    labels: list[tuple[int, float, str]] = []
    for number, name in enumerate(names):
        # Marks of several runners at one place are drawn next to each other.
        first = _LEFT + step_width // 2 + 7 * number
        shares = ((first + step_width * at, _share(step, name)) for at, step in enumerate(steps))
        points = [(x, share) for x, share in shares if share is not None]
        yield from _run(points, name, number, floor)
        if points:
            labels.append((number, _y(points[-1][1].value or 0, floor), one_line(name, _NAME)))
    yield series.ends(labels, right - step_width // 2 + 7 * len(names) + 8, floor)
    yield "</svg>"


def _run(points: Sequence[tuple[int, Share]], name: str, number: int, floor: int) -> Iterator[str]:
    path = " ".join(f"{'L' if at else 'M'}{x} {_y(share.value or 0, floor)}" for at, (x, share) in enumerate(points))
    yield f'<path class="line s{number}" d="{path}"/>'
    for x, share in points:
        low, high = share.interval or (0, 1)
        yield f'<path class="range s{number}" d="M{x} {_y(low, floor)}V{_y(high, floor)}"/>'
        yield series.mark(number, x, _y(share.value or 0, floor), f"{one_line(name, 60)}: {percent(share)}")


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
