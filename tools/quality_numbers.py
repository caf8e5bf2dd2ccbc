"""Statistics for ``make recall`` and ``make precision``: shares with intervals, and agreement of two judges."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_Z = 1.959964
"""The two-sided 95 % quantile of the normal distribution."""


class Share(NamedTuple):
    """``hits`` of ``total``; a hit may count partly if judges disagree."""

    hits: float
    total: int

    @property
    def value(self) -> float:
        """Between 0 and 1; 0 if there are none."""
        return self.hits / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson interval at 95 %, which is valid for small numbers and near 0 and 1, unlike the usual one."""
        if not self.total:
            return 0.0, 1.0
        n, p, square = self.total, self.value, _Z * _Z
        middle = (p + square / (2 * n)) / (1 + square / n)
        half = _Z / (1 + square / n) * math.sqrt(p * (1 - p) / n + square / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)

    def __str__(self) -> str:
        if not self.total:
            return "-"
        low, high = self.interval
        return f"{self.hits:.4g}/{self.total} {self.value:.0%} [{low * 100:.0f}-{high * 100:.0f}]"

    def as_json(self) -> dict[str, float]:
        """The share with its interval, rounded to four digits."""
        low, high = self.interval
        figures = {"share": self.value, "low": low, "high": high} if self.total else {}
        return {"hits": self.hits, "total": self.total, **{name: round(value, 4) for name, value in figures.items()}}


def kappa(pairs: Iterable[tuple[str, str]]) -> float | None:
    """Cohen's kappa for two judges' verdicts on the same cases; ``None`` if it is undefined."""
    both = Counter(pairs)
    total = sum(both.values())
    if not total:
        return None
    first, second = Counter[str](), Counter[str]()
    for (one, other), count in both.items():
        first[one] += count
        second[other] += count
    observed = sum(count for (one, other), count in both.items() if one == other) / total
    expected = sum(first[verdict] * second[verdict] for verdict in first) / total**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table with columns of equal width; the first column is text, the others are numbers."""
    cells = [list(head), *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = [
        [
            cell.ljust(width) if not at else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in cells
    ]
    rule = ["-" * widths[0], *["-" * (width - 1) + ":" for width in widths[1:]]]
    return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], rule, *lines[1:]))
