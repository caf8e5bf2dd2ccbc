"""A sweep as a picture: throughput above, latencies below, over the same concurrencies. It is a whole SVG file."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from mcp_governor.load.model import CLIENT_SHARE
from mcp_governor.report.sweep_words import conclusion, milliseconds, rate, remarks
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcp_governor.load.model import Point, Sweep

STYLE = """
.sweep { font: 13px/1.4 system-ui, sans-serif; --ink: #1c2127; --quiet: #57606a; --line: #d0d7de; --paper: #fff;
  --bad: #b3261e; --good: #116329; --a: #0969da; --b: #9a6700; --c: #8250df; }
@media screen and (prefers-color-scheme: dark) { .sweep { --ink: #e6edf3; --quiet: #9aa4af; --line: #30363d;
  --paper: #0d1117; --bad: #ff8a80; --good: #56d364; --a: #79c0ff; --b: #e3b341; --c: #d2a8ff; } }
.sweep text { fill: var(--ink); } .sweep .quiet { fill: var(--quiet); } .sweep .number { text-anchor: middle; }
.sweep .scale { text-anchor: end; fill: var(--quiet); font-size: 11px; }
.sweep .grid { stroke: var(--line); fill: none; }
.sweep .goal { stroke: var(--quiet); stroke-dasharray: 5 4; fill: none; }
.sweep .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.sweep .throughput, .sweep .p50 { --one: var(--a); } .sweep .p95 { --one: var(--b); } .sweep .p99 { --one: var(--c); }
.sweep .line, .sweep .hollow, .sweep path.p95, .sweep path.p99 { stroke: var(--one); }
.sweep .mark, .sweep text.p50, .sweep text.p95, .sweep text.p99 { fill: var(--one); }
.sweep .hollow { fill: var(--paper); stroke-width: 2; }
.sweep .number.chosen { fill: var(--good); font-weight: 600; } .sweep .number.bad { fill: var(--bad); }
.sweep .number.quiet { font-size: 12px; } .sweep .band { fill: var(--good); opacity: .1; }
"""
"""Style of the picture; a page that contains it has to allow it."""

START = '<svg xmlns="http://www.w3.org/2000/svg" class="sweep" '
"""How every picture begins, so that another one is not taken for it."""

_LEFT, _RIGHT = 64, 56
"""Pixels next to the panels: a number of seven digits, and the name of a line."""
_COLUMN = 96
"""Pixels of a point: room for "recommended" below it."""
_PANEL, _GAP, _TOP = 150, 46, 30
"""Pixels: height of a panel, room between the two, room for the title of the first."""
_TICKS = 4
"""Most horizontal lines of a panel above zero: enough to read a value off, few enough not to hide the lines."""
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
"""Steps between these lines, times a power of ten: what people count in."""
_HEADROOM = 1.08
"""Upper end of a scale relative to the highest value, so that the highest mark is not cut."""
_GOAL_SHOWN = 4
"""A latency goal is drawn while it is at most this many times the highest latency: beyond, it would hide the lines."""
_MAX_POINTS = 40
"""Points in the picture, the first ones: more would not be legible; the table has them all."""


_LATENCIES: tuple[tuple[str, Callable[[Point], float | None]], ...] = (
    ("p99", lambda point: point.p99_ms),
    ("p95", lambda point: point.p95_ms),
    ("p50", lambda point: point.p50_ms),
)


def picture(sweep: Sweep) -> str:
    """The SVG document; empty if no point was measured."""
    points = sweep.points[:_MAX_POINTS]
    if not points:
        return ""
    width = _LEFT + _COLUMN * len(points) + _RIGHT
    height = _TOP + 2 * _PANEL + _GAP + 58
    body = "\n".join([*_throughput(sweep, points, width), *_latency(sweep, points, width), *_names(sweep, points)])
    return (
        f'{START}role="img" aria-labelledby="sweep-title sweep-text" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n<style>{STYLE}</style>\n'
        f'<title id="sweep-title">Throughput and latency by concurrency</title>\n'
        f'<desc id="sweep-text">{escape(conclusion(sweep))}</desc>\n{body}\n</svg>\n'
    )


def _middle(at: int) -> int:
    return _LEFT + _COLUMN * at + _COLUMN // 2


def _scale(highest: float, floor: int) -> Callable[[float], float]:
    """From a value to its place, in pixels from above."""
    most = highest * _HEADROOM or 1.0
    return lambda value: round(floor - _PANEL * min(value, most) / most, 1)


def _step(highest: float) -> float:
    """The smallest step with at most :data:`_TICKS` lines."""
    power = 10.0 ** math.floor(math.log10(highest / _TICKS))
    return next(power * step for step in _STEPS if power * step * (_TICKS + 1) > highest)


def _frame(title: str, floor: int, width: int, highest: float, name: Callable[[float], str]) -> Iterator[str]:
    place = _scale(highest, floor)
    step = _step(highest)
    yield f'<text x="{_LEFT}" y="{floor - _PANEL - 10}" class="quiet">{title}</text>'
    for tick in range(int(highest / step) + 1):
        value = step * tick
        y = place(value)
        yield f'<path class="grid" d="M{_LEFT} {y}H{width - _RIGHT}"/>'
        yield f'<text class="scale" x="{_LEFT - 8}" y="{y + 4}">{name(value) if tick else 0}</text>'


def _throughput(sweep: Sweep, points: Sequence[Point], width: int) -> Iterator[str]:
    floor = _TOP + _PANEL
    highest = max(point.throughput for point in points) or 1.0
    for at, point in enumerate(points):
        if point.concurrency in sweep.feasible:
            yield (
                f'<rect class="band" x="{_LEFT + _COLUMN * at}" y="{_TOP}" width="{_COLUMN}" '
                f'height="{2 * _PANEL + _GAP}"/>'
            )
    yield from _frame("requests/s", floor, width, highest, rate)
    place = _scale(highest, floor)
    yield from _line("throughput", points, lambda point: point.throughput, place)
    limits = [(at, CLIENT_SHARE * point.ceiling) for at, point in enumerate(points) if point.ceiling is not None]
    low = [(at, limit) for at, limit in limits if limit <= highest * _HEADROOM]
    for at, limit in low:
        y = place(limit)
        yield (
            f'<path class="goal" d="M{_middle(at) - _COLUMN // 2} {y}h{_COLUMN}"><title>{CLIENT_SHARE:.0%} of what the '
            f"client can send: {rate(limit)} requests/s</title></path>"
        )


def _latency(sweep: Sweep, points: Sequence[Point], width: int) -> Iterator[str]:
    floor = _TOP + 2 * _PANEL + _GAP
    highest = max((point.p99_ms or 0.0 for point in points), default=0.0) or 1.0
    goals = (("p95", sweep.plan.p95_slo_ms), ("p99", sweep.plan.p99_slo_ms))
    shown = [(name, goal) for name, goal in goals if goal <= _GOAL_SHOWN * highest]
    top = max([highest, *(goal for _, goal in shown)])
    yield from _frame("latency in ms", floor, width, top, milliseconds)
    place = _scale(top, floor)
    for name, goal in shown:
        y = place(goal)
        yield f'<path class="goal {name}" d="M{_LEFT} {y}H{width - _RIGHT}"><title>goal for {name}</title></path>'
    ends: list[float] = []
    for name, value in _LATENCIES:
        yield from _line(name, points, value, place)
        found = [(at, number) for at, point in enumerate(points) if (number := value(point)) is not None]
        if found:
            at, number = found[-1]
            # Names of lines that end at the same place go below each other.
            y = max([place(number) + 4, *(end + 14 for end in ends[-1:])])
            ends.append(y)
            yield f'<text class="{name}" x="{_middle(at) + 12}" y="{y}">{name}</text>'


def _line(
    name: str, points: Sequence[Point], value: Callable[[Point], float | None], place: Callable[[float], float]
) -> Iterator[str]:
    """A line through the points that have a value, and a mark for each: hollow if it is not the server's figure."""
    parts: list[str] = []
    marks: list[str] = []
    joined = False
    for at, point in enumerate(points):
        found = value(point)
        if found is None:
            joined = False
            continue
        x, y = _middle(at), place(found)
        parts.append(f"{'L' if joined else 'M'}{x} {y}")
        joined = True
        kind = "hollow" if point.is_client_limited or point.stopped or point.errors else "mark"
        radius = 4 if kind == "hollow" else 3
        label = escape(f"{name} at {point.concurrency}: {milliseconds(found)}")
        marks.append(f'<circle class="{kind} {name}" cx="{x}" cy="{y}" r="{radius}"><title>{label}</title></circle>')
    yield f'<path class="line {name}" d="{"".join(parts)}"/>'
    yield from marks


def _names(sweep: Sweep, points: Sequence[Point]) -> Iterator[str]:
    floor = _TOP + 2 * _PANEL + _GAP
    yield f'<text class="scale" x="{_LEFT - 8}" y="{floor + 18}">in flight</text>'
    for at, point in enumerate(points):
        x = _middle(at)
        chosen = " chosen" if point.concurrency == sweep.recommended else ""
        yield f'<text class="number{chosen}" x="{x}" y="{floor + 18}">{point.concurrency}</text>'
        words = [remark.partition(":")[0] for remark in remarks(sweep, point)]
        if point.failed:
            words.append(f"{point.failed:,} errors")
        for row, word in enumerate(words[:2]):
            kind = "chosen" if word == "recommended" else "bad" if "error" in word or word == "knee" else "quiet"
            shown = "client limit" if word == "limited by the client" else word
            y = floor + 36 + 16 * row
            yield f'<text class="number {kind}" x="{x}" y="{y}">{escape(one_line(shown, 16))}</text>'
