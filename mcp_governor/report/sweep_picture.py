"""A sweep as a picture, a whole SVG file: throughput above, latencies below, over the same concurrencies; and as a page
that opens from a file, as Markdown, and on a terminal."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from mcp_governor.report import markdown, series
from mcp_governor.report.html_page import page
from mcp_governor.report.lines import BLANK, line
from mcp_governor.report.sweep_words import COLUMNS, cells, conclusion, digits, explanations, origin, remarks, sparkline
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcp_governor.load.model import Point, Sweep
    from mcp_governor.report.lines import Line


def as_page(sweep: Sweep) -> str:
    """The page."""
    title = f"Load of {one_line(sweep.target)}"
    return page(escape(title), _html_body(sweep, title), STYLE)


def _html_body(sweep: Sweep, title: str) -> Iterator[str]:
    yield f"<header><h1>{escape(title)}</h1>"
    yield f'<p class="facts">{escape(conclusion(sweep))}</p>'
    yield f'<p class="facts quiet">{escape(origin(sweep))}</p></header>'
    yield '<main><div class="wide" role="region" aria-label="Throughput and latency as a picture" tabindex="0">'
    yield picture(sweep)
    yield '<p class="quiet">Green: no errors, and within both goals (dashed, if they are in reach). Hollow marks:'
    yield "errors, an incomplete point, or limited by the client.</p>"
    yield '</div><div class="wide" role="region" aria-label="Throughput and latency as a table" tabindex="0">'
    first, *rest = (f'<th scope="col" class="number">{name}</th>' for name in COLUMNS)
    yield f'<table class="versions"><thead><tr>{first}<th scope="col"></th>{"".join(rest)}</tr></thead><tbody>'
    for point in sweep.points:
        first, *rest = (escape(cell) for cell in cells(point))
        numbers = "".join(f'<td class="number">{cell}</td>' for cell in rest)
        words = escape(", ".join(remarks(sweep, point)))
        yield f'<tr><th scope="row" class="number">{first}</th><td>{words}</td>{numbers}</tr>'
    yield "</tbody></table></div>"
    yield from (f'<p class="quiet">{escape(sentence)}</p>' for sentence in explanations(sweep))
    yield "</main>"


def as_markdown(sweep: Sweep, *, image: str = "") -> str:
    """The document.

    Args:
        sweep: what was measured.
        image: name of the SVG file in the same folder; empty: there is none.
    """
    return "\n".join(_markdown_lines(sweep, image)) + "\n"


def _markdown_lines(sweep: Sweep, image: str) -> Iterator[str]:
    yield f"# Load of {markdown.escape(sweep.target)}"
    yield ""
    yield f"**{markdown.escape(conclusion(sweep))}**"
    yield ""
    if image:
        yield f"![Throughput and latency by concurrency]({image})"
        yield ""
    yield f"| {' | '.join(COLUMNS)} | |"
    yield f"|{' ---: |' * len(COLUMNS)} --- |"
    for point in sweep.points:
        row = [*(markdown.escape(cell) for cell in cells(point)), markdown.escape(", ".join(remarks(sweep, point)))]
        yield f"| {' | '.join(row)} |"
    yield ""
    yield f"{markdown.escape(origin(sweep))}."
    for sentence in explanations(sweep):
        yield ""
        yield markdown.escape(sentence)


def sweep_lines(sweep: Sweep, *, verbose: int = 0) -> Iterator[Line]:
    """The lines."""
    if verbose >= 0:
        yield line(origin(sweep), hang=2)
        yield BLANK
        yield from _table(sweep)
        yield BLANK
    good = bool(sweep.feasible)
    yield line((conclusion(sweep), "bold green" if good else "bold red"), hang=2)
    if verbose >= 0:
        for sentence in explanations(sweep):
            yield line((sentence, "dim"), hang=2)


def _table(sweep: Sweep) -> Iterator[Line]:
    rows = [cells(point) for point in sweep.points]
    widths = [max(map(len, column)) for column in zip(COLUMNS, *rows, strict=True)]
    yield line(("  ".join(name.rjust(width) for name, width in zip(COLUMNS, widths, strict=True)), "bold"), fit="cut")
    for point, row in zip(sweep.points, rows, strict=True):
        text = "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        said = ", ".join(remarks(sweep, point))
        yield line(text, (f"  {said}", "cyan") if said else "", fit="whole")
    if len(rows) > 1:
        bars = sparkline([point.throughput for point in sweep.points])
        slow = sparkline([point.p95_ms for point in sweep.points])
        yield line((f"requests/s {bars}   p95 {slow}", "dim"))


STYLE = (
    series.STYLE
    + """
.sweep { font: 13px/1.4 system-ui, sans-serif; --ink: #1c2127; --quiet: #57606a; --grid: #d0d7de; --paper: #fff;
  --bad: #b3261e; --good: #116329; }
@media screen and (prefers-color-scheme: dark) { .sweep { --ink: #e6edf3; --quiet: #9aa4af; --grid: #30363d;
  --paper: #0d1117; --bad: #ff8a80; --good: #56d364; } }
.sweep text { fill: var(--ink); } .sweep .quiet { fill: var(--quiet); } .sweep .number { text-anchor: middle; }
.sweep .scale { text-anchor: end; fill: var(--quiet); font-size: 11px; }
.sweep .grid { stroke: var(--grid); fill: none; }
.sweep .goal { stroke: var(--one, var(--quiet)); stroke-dasharray: 5 4; fill: none; }
.sweep .end { fill: var(--one); } .sweep .end.small { font-size: 11px; }
.sweep .number.chosen { fill: var(--good); font-weight: 600; } .sweep .number.bad { fill: var(--bad); }
.sweep .number.quiet { font-size: 12px; } .sweep .band { fill: var(--good); opacity: .1; }
"""
)
"""Style of the picture; a page that contains it has to allow it."""

START = '<svg xmlns="http://www.w3.org/2000/svg" class="sweep" '
"""How every picture begins, so that another one is not taken for it."""

_LEFT, _RIGHT = 64, 56
"""Pixels next to the panels: a number of seven digits, and the name of a line."""
_COLUMN = (96, 240)
"""Pixels of a point: at least room for "recommended" below it, at most what keeps a few points together."""
_WIDTH = 1_050
"""Pixels that the points fill if they can: those of the page."""
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


_LATENCIES: tuple[tuple[str, Callable[[Point], float | None]], ...] = (
    ("p50", lambda point: point.p50_ms),
    ("p95", lambda point: point.p95_ms),
    ("p99", lambda point: point.p99_ms),
)


def picture(sweep: Sweep) -> str:
    """The SVG document; empty if no point was measured."""
    points = sweep.points
    if not points:
        return ""
    column = max(_COLUMN[0], min(_COLUMN[1], _WIDTH // len(points)))
    width = _LEFT + column * len(points) + _RIGHT
    height = _TOP + 2 * _PANEL + _GAP + 58
    parts = (*_throughput(sweep, points, column), *_latency(sweep, points, column), *_names(sweep, points, column))
    body = "\n".join(parts)
    return (
        f'{START}role="img" aria-labelledby="sweep-title sweep-text" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n<style>{STYLE}</style>\n'
        f'<title id="sweep-title">Throughput and latency by concurrency</title>\n'
        f'<desc id="sweep-text">{escape(conclusion(sweep))}</desc>\n{body}\n</svg>\n'
    )


def _middle(at: int, column: int) -> int:
    return _LEFT + column * at + column // 2


def _scale(highest: float, floor: int) -> Callable[[float], float]:
    """From a value to its place, in pixels from above."""
    most = highest * _HEADROOM or 1.0
    return lambda value: round(floor - _PANEL * min(value, most) / most, 1)


def _step(highest: float) -> float:
    """The smallest step with at most :data:`_TICKS` lines."""
    power = 10.0 ** math.floor(math.log10(highest / _TICKS))
    return next(power * step for step in _STEPS if power * step * (_TICKS + 1) > highest)


def _frame(title: str, floor: int, width: int, highest: float) -> Iterator[str]:
    place = _scale(highest, floor)
    step = _step(highest)
    yield f'<text x="{_LEFT}" y="{floor - _PANEL - 10}" class="quiet">{title}</text>'
    for tick in range(int(highest / step) + 1):
        value = step * tick
        y = place(value)
        yield f'<path class="grid" d="M{_LEFT} {y}H{width - _RIGHT}"/>'
        yield f'<text class="scale" x="{_LEFT - 8}" y="{y + 4}">{digits(value) if tick else 0}</text>'


def _throughput(sweep: Sweep, points: Sequence[Point], column: int) -> Iterator[str]:
    floor, width = _TOP + _PANEL, _LEFT + column * len(points) + _RIGHT
    highest = max(point.throughput for point in points) or 1.0
    for at, point in enumerate(points):
        if point.concurrency in sweep.feasible:
            yield (
                f'<rect class="band" x="{_LEFT + column * at}" y="{_TOP}" width="{column}" '
                f'height="{2 * _PANEL + _GAP}"/>'
            )
    yield from _frame("requests/s", floor, width, highest)
    place = _scale(highest, floor)
    yield from _line(0, "throughput", points, lambda point: point.throughput, place, column)


def _latency(sweep: Sweep, points: Sequence[Point], column: int) -> Iterator[str]:
    floor, width = _TOP + 2 * _PANEL + _GAP, _LEFT + column * len(points) + _RIGHT
    highest = max((point.p99_ms or 0.0 for point in points), default=0.0) or 1.0
    goals = (("p95", sweep.plan.p95_slo_ms), ("p99", sweep.plan.p99_slo_ms))
    shown = [(name, goal) for name, goal in goals if goal <= _GOAL_SHOWN * highest]
    top = max([highest, *(goal for _, goal in shown)])
    yield from _frame("latency in ms", floor, width, top)
    place = _scale(top, floor)
    for number, (name, value) in enumerate(_LATENCIES):
        for goal in (goal for goal_of, goal in shown if goal_of == name):
            y = place(goal)
            yield f'<path class="goal s{number}" d="M{_LEFT} {y}H{width - _RIGHT}"/>'
            label = f"goal of {name}: {digits(goal)}"
            yield f'<text class="end small s{number}" x="{_LEFT + 6}" y="{y - 4}">{label}</text>'
        yield from _line(number, name, points, value, place, column)
    last = {
        name: (number, at, place(found))
        for number, (name, value) in enumerate(_LATENCIES)
        for at, point in enumerate(points)
        if (found := value(point)) is not None
    }
    if last:
        x = max(_middle(at, column) for _, at, _ in last.values()) + 12
        yield series.ends([(number, y, name) for name, (number, _, y) in last.items()], x, floor)


def _line(
    number: int,
    name: str,
    points: Sequence[Point],
    value: Callable[[Point], float | None],
    place: Callable[[float], float],
    column: int,
) -> Iterator[str]:
    """A line through the points that have a value, and a mark for each: hollow if it is not the server's figure."""
    way = ""
    marks: list[str] = []
    joined = False
    for at, point in enumerate(points):
        found = value(point)
        if found is not None:
            x, y = _middle(at, column), place(found)
            way += f"{'L' if joined else 'M'}{x} {y}"
            hollow = bool(point.is_client_limited or point.stopped or point.errors)
            marks.append(series.mark(number, x, y, f"{name} at {point.concurrency}: {digits(found)}", hollow=hollow))
        joined = found is not None
    yield f'<path class="line s{number}" d="{way}"/>'
    yield from marks


def _names(sweep: Sweep, points: Sequence[Point], column: int) -> Iterator[str]:
    floor = _TOP + 2 * _PANEL + _GAP
    yield f'<text class="scale" x="{_LEFT - 8}" y="{floor + 18}">in flight</text>'
    for at, point in enumerate(points):
        x = _middle(at, column)
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
