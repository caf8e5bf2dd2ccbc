"""The accuracy of each runner over a history, as a picture with its interval at each evaluation; and an evaluation as a
page that opens from a file, as Markdown, and for a terminal."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mcp_governor.report import markdown, series
from mcp_governor.report.evaluation_words import Heading, Sentence, label_of, percent
from mcp_governor.report.html_page import page
from mcp_governor.report.lines import BLANK, line
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcp_governor.evaluation.assessment import Step
    from mcp_governor.evaluation.metrics import Share
    from mcp_governor.report.evaluation_words import Block, Table
    from mcp_governor.report.lines import Line


def as_page(title: str, blocks: Iterable[Block], steps: Sequence[Step]) -> str:
    """The page."""
    region = '<div class="wide" role="region" aria-label="Accuracy as a picture" tabindex="0">'
    drawn = [f"{region}{picture(steps)}</div>"] if len(steps) > 1 else []
    header = f"<header><h1>{escape(title)}</h1></header>\n<main>"
    return page(escape(title), [header, *drawn, *_html_blocks(blocks), "</main>"], STYLE)


def _html_blocks(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Heading):
            yield f"<h2>{escape(block.text)}</h2>"
        elif isinstance(block, Sentence):
            text = escape(block.text)
            kind = ' class="quiet"' if block.tone == "quiet" else ""
            yield f"<p{kind}><strong>{text}</strong></p>" if block.tone in ("good", "bad") else f"<p{kind}>{text}</p>"
        else:
            yield from _html_table(block)


def _html_table(table: Table) -> Iterator[str]:
    def kind(at: int) -> str:
        return "" if at == 0 or at in table.words else ' class="number"'

    yield '<div class="wide" role="region" aria-label="Table" tabindex="0"><table class="versions"><thead><tr>'
    yield "".join(f'<th scope="col"{kind(at)}>{escape(name)}</th>' for at, name in enumerate(table.columns))
    yield "</tr></thead><tbody>"
    for first, *rest in table.rows:
        cells = "".join(f"<td{kind(at)}>{escape(cell)}</td>" for at, cell in enumerate(rest, 1))
        yield f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>'
    yield "</tbody></table></div>"


def as_markdown(title: str, blocks: Iterable[Block]) -> str:
    """The document."""
    return "\n".join(_markdown_lines(title, blocks)) + "\n"


def _markdown_lines(title: str, blocks: Iterable[Block]) -> Iterator[str]:
    yield f"# {markdown.escape(title)}"
    for block in blocks:
        yield ""
        if isinstance(block, Heading):
            yield f"## {markdown.escape(block.text)}"
        elif isinstance(block, Sentence):
            text = markdown.escape(block.text)
            yield f"**{text}**" if block.tone in ("good", "bad") else text
        else:
            yield from _markdown_table(block)


def _markdown_table(table: Table) -> Iterator[str]:
    yield f"| {' | '.join(map(markdown.escape, table.columns))} |"
    marks = ["---" if at == 0 or at in table.words else "---:" for at in range(len(table.columns))]
    yield f"| {' | '.join(marks)} |"
    for row in table.rows:
        yield f"| {' | '.join(map(markdown.escape, row))} |"


_STYLES = {"good": "green", "bad": "bold red", "quiet": "dim"}


def evaluation_lines(blocks: Iterable[Block]) -> Iterator[Line]:
    """The blocks as lines: columns of numbers to the right, the others to the left."""
    first = True
    for block in blocks:
        if isinstance(block, Heading):
            if not first:
                yield BLANK
            yield line((block.text, "bold"))
        elif isinstance(block, Sentence):
            yield line((block.text, _STYLES.get(block.tone, "")))
        else:
            yield from _table_lines(block)
        first = False


def _table_lines(table: Table) -> Iterator[Line]:
    widths = [max(len(row[at]) for row in (table.columns, *table.rows)) for at in range(len(table.columns))]
    for number, row in enumerate((table.columns, *table.rows)):
        cells = [
            cell.ljust(width) if at == 0 or at in table.words else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        text = "  ".join(cells).rstrip()
        yield line((text, "" if number else "dim"), indent=2, fit="cut")


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
