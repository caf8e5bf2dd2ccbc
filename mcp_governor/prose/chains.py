"""Workflows in descriptions: chains of steps with arrows, and lists and tables of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

_ARROW = lazy_pattern(r"→|⟶|⇒|->|=>")
_NAME = r"(?P<open>[`'\"*(]*)(?P<name>[A-Za-z][\w.\-]*)(?P<call>\([^()\n]*\))?"
_LEADS = lazy_pattern(r"\s*" + _NAME)
# A remark in parentheses may come between a step and its arrow.
_TRAILS = lazy_pattern(_NAME + r"[`'\"*)]*(?:[^\S\n]*\([^()\n]*\))*[^\S\n]*$")
_BREAK = lazy_pattern(r"[.;,:!?](?=\s)|\n")
_ITEM = lazy_pattern(r"[^\S\n]*(?:[-*+]|•|\d{1,3}[.)])[^\S\n]+(?P<text>.*)")
_ROW = lazy_pattern(r"[^\S\n]*\|(?P<text>.*)")

_STEP = 200
"""Number of characters before an arrow that are searched for the step; the longest name and a remark are shorter."""
_MAX_LINES = 2_000
"""Maximum number of lines read as items and rows; the longest instructions in the corpus have 300."""
_MAX_CELLS = 20
"""Maximum number of cells read per row; a table of workflows has two or three."""


class Step(NamedTuple):
    """A name in the position of a step.

    Attributes:
        name: as written.
        marked: in quotes, or called with arguments.
    """

    name: str
    marked: bool


def _step(match: re.Match[str]) -> Step:
    marked = match["call"] is not None or any(mark in match["open"] for mark in "`'\"")
    return Step(match["name"].rstrip(".-"), marked)


def chained(text: str) -> Iterator[tuple[Step, ...]]:
    """The steps on both sides of each arrow."""
    end = 0
    for arrow in _ARROW.finditer(text):
        steps = []
        begin = max(end, arrow.start() - _STEP)
        before = _TRAILS.search(text, begin, arrow.start())
        if before is not None:
            steps.append(_step(before))
        lead = _LEADS.match(text, end, arrow.start()) if end else None
        # "a → b for the hits → c": the step is what follows the arrow before.
        if lead is not None and _BREAK.search(text, lead.start("name"), arrow.start()) is None:
            steps.append(_step(lead))
        after = _LEADS.match(text, arrow.end())
        if steps and after is not None:
            yield (*steps, _step(after))
        end = arrow.end()


def listed(text: str) -> Iterator[tuple[Step, ...]]:
    """The steps at the start of the items of each list, or of the cells in each column of a table."""
    columns: dict[int, list[Step]] = {}
    for line in (*text.split("\n", _MAX_LINES)[:_MAX_LINES], ""):
        item, row = _ITEM.match(line), _ROW.match(line)
        if item is not None:
            _begin(columns, ((0, item["text"]),))
        elif row is not None:
            # Columns count from 1, so that a list next to a table is separate.
            _begin(columns, enumerate(row["text"].split("|", _MAX_CELLS)[:_MAX_CELLS], 1))
        else:
            yield from map(tuple, columns.values())
            columns = {}


def chains(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each chain: arrows belong to one chain if no sentence ends between their steps."""
    start, step, end = -1, 0, 0
    for arrow in _ARROW.finditer(text):
        # The name of the last step may include the full stop after it.
        if start < 0 or _BREAK.search(text, step, arrow.start()) is not None:
            if start >= 0:
                yield start, end
            before = _TRAILS.search(text, max(end, arrow.start() - _STEP), arrow.start())
            start = arrow.start() if before is None else before.start()
        after = _LEADS.match(text, arrow.end())
        step, end = (arrow.end(), arrow.end()) if after is None else (after.start("name"), after.end())
    if start >= 0:
        yield start, end


def _begin(columns: dict[int, list[Step]], cells: Iterable[tuple[int, str]]) -> None:
    for column, cell in cells:
        match = _LEADS.match(cell)
        if match is not None and (step := _step(match)).marked:
            columns.setdefault(column, []).append(step)
