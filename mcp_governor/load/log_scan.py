"""Reads the log of a server: statistics lines of ``tools/list`` and warnings (tool schema guide, 0b).

A log may be huge, and its lines may come from anybody who can make the server log something. Only the end of the file
is read, lines are cut, and a value that is not a number makes its line unreadable instead of wrong.
"""

from __future__ import annotations

import itertools
import math
import re
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from mcp_governor.documents import Count  # noqa: TC001 - msgspec reads the types
from mcp_governor.errors import UsageError
from mcp_governor.files import MEBIBYTE, read_end
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_LOG = 16 * MEBIBYTE
"""Bytes that are read from the end of a log: a week of statistics lines among ten times as many others."""

MAX_LINE = 4_096
"""Characters of a line that are looked at: ten times the longest statistics line."""

MAX_LINES = 20_000
"""Most statistics lines that are kept, the last ones: two weeks at one a minute."""

_MARK = "[MCP] tools/list stats "
_PAIR = re.compile(r"([a-z0-9_]{1,40})=([0-9][0-9.]{0,30})(?:%|ms)?(?=[\s,;)]|$)")
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,6}))?\d*(Z|[+-]\d\d:?\d\d)?")
_FRACTIONS = ("hit_rate", "build_avg_ms", "build_max_ms")
_SLOW_RUNTIME = re.compile(
    r"(?i)\b(?:uvloop|httptools)\b.*\b(?:not installed|not available|unavailable|missing|fall(?:s|ing)? ?back)\b"
    r"|\b(?:missing|without|no)\b.{0,40}\b(?:uvloop|httptools)\b"
)


class StatsLine(Struct, frozen=True):
    """One statistics line; the counters run from the start of the server.

    Attributes:
        at: Seconds of the line's time stamp since an arbitrary moment; null without one.
        hit_rate: Percent.
        build_avg_ms: Milliseconds; null if the line does not say.
        in_flight: Requests at this moment; null if the line does not say.
        peak_in_flight: Most requests so far.
        max_in_flight: The configured limit.
    """

    at: float | None
    requests: int
    hit_rate: float
    cache_hits: int
    cache_misses: int
    build_count: int
    build_failures: int
    build_avg_ms: float | None = None
    build_max_ms: float | None = None
    in_flight: int | None = None
    peak_in_flight: int | None = None
    max_in_flight: int | None = None


class LogScan(Struct, frozen=True):
    """What the log of the server says.

    Attributes:
        lines: Number of lines that were read.
        skipped_bytes: Bytes at the beginning of the file that were not read.
        unreadable: Lines that begin like statistics but lack numbers.
        stats: Statistics lines in the order of the log.
        slow_runtime: The first warning that uvloop or httptools is missing; empty if there is none.
    """

    lines: Count
    skipped_bytes: Count
    unreadable: Count
    stats: tuple[StatsLine, ...]
    slow_runtime: str

    @property
    def last(self) -> StatsLine | None:
        """The last statistics line."""
        return self.stats[-1] if self.stats else None

    def runs(self) -> Iterator[tuple[StatsLine, ...]]:
        """The statistics lines of each run of the server: one whose counters fall was started again."""
        start = 0
        for index, (before, after) in enumerate(itertools.pairwise(self.stats), 1):
            if after.requests < before.requests or after.build_count < before.build_count:
                yield self.stats[start:index]
                start = index
        yield self.stats[start:]


def scan_log(path: Path) -> LogScan:
    """Read the end of a log.

    Args:
        path: the file.

    Raises:
        UsageError: the file is missing, not a regular file, or cannot be read.
    """
    try:
        data, skipped = read_end(path, limit=MAX_LOG)
    except OSError as error:
        raise UsageError(
            f"The log {visible(str(path))} cannot be read: {error.strerror}.", "Name the log file of the server."
        ) from None
    return scan_text(data.decode("utf-8", "replace"), skipped_bytes=skipped)


def scan_text(text: str, *, skipped_bytes: int = 0) -> LogScan:
    """Read a log.

    Args:
        text: the end of the log.
        skipped_bytes: how much comes before it; the first line is then a part of one and is left out.
    """
    stats: list[StatsLine] = []
    unreadable = count = 0
    slow = ""
    for index, whole in enumerate(text.split("\n")):
        if not whole or (skipped_bytes and not index):
            continue
        count += 1
        line = whole[:MAX_LINE]
        if _MARK in line:
            found = _stats(line)
            if found is None:
                unreadable += 1
            else:
                stats.append(found)
        elif not slow and _SLOW_RUNTIME.search(line):
            slow = line.strip()
    return LogScan(count, skipped_bytes, unreadable, tuple(stats[-MAX_LINES:]), slow)


def _stats(line: str) -> StatsLine | None:
    """The numbers of a statistics line; ``None`` if one that belongs to it is missing or is not a number."""
    numbers: dict[str, float] = {}
    for name, value in _PAIR.findall(line[line.index(_MARK) + len(_MARK) :]):
        with suppress(ValueError):
            number = float(value)
            if math.isfinite(number):
                numbers.setdefault(name, number if name in _FRACTIONS else int(number))
    members = {name: numbers[name] for name in StatsLine.__struct_fields__ if name in numbers}
    try:
        return msgspec.convert({"at": _stamp(line), **members}, StatsLine)
    except msgspec.ValidationError:
        return None


def _stamp(line: str) -> float | None:
    """Seconds of the first time stamp of a line; one without a zone counts as UTC, because only differences matter."""
    found = _STAMP.search(line)
    if found is None:
        return None
    day, clock, fraction, zone = found.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}{'+00:00' if zone in (None, 'Z') else zone}")
    except ValueError:
        return None
    return moment.timestamp() + float(f"0.{fraction}" if fraction else 0)
