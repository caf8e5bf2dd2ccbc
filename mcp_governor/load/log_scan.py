"""Reads the log of a server: statistics lines of ``tools/list`` and warnings (tool schema guide, 0b).

A log may be huge, and its lines may come from anybody who can make the server log something. Only the end of the file
is read, lines are cut, and a value that is not a number makes its line unreadable instead of wrong.
"""

from __future__ import annotations

import math
import re
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

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
_PAIR = re.compile(r"([a-z0-9_]{1,40})=([0-9][0-9.]{0,30})(%|ms)?(?=[\s,;)]|$)")
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,6}))?\d*(Z|[+-]\d\d:?\d\d)?")
_NEEDED = ("requests", "hit_rate", "cache_hits", "cache_misses", "build_count", "build_failures")
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
    """What a log says.

    Attributes:
        stats: statistics lines in the order of the log.
        unreadable: lines that begin like statistics but lack numbers.
        slow_runtime: the first warning that uvloop or httptools is missing; empty if there is none.
        lines: number of lines that were read.
        skipped_bytes: bytes at the beginning of the file that were not read.
    """

    stats: tuple[StatsLine, ...]
    unreadable: int
    slow_runtime: str
    lines: int
    skipped_bytes: int

    @property
    def last(self) -> StatsLine | None:
        """The last statistics line."""
        return self.stats[-1] if self.stats else None

    def intervals(self) -> tuple[float, ...]:
        """Seconds between statistics lines that follow each other in one run of the server, in the order of the log.

        A counter that falls is a server that was started again; nothing is said about the time in between.
        """
        pairs = zip(self.stats, self.stats[1:], strict=False)
        return tuple(
            after.at - before.at
            for before, after in pairs
            if before.at is not None and after.at is not None and not _restarted(before, after) and after.at > before.at
        )

    def stretches(self) -> Iterator[tuple[StatsLine, StatsLine]]:
        """First and last statistics line of each run of the server that has at least two."""
        start = 0
        for index in range(1, len(self.stats) + 1):
            if index == len(self.stats) or _restarted(self.stats[index - 1], self.stats[index]):
                if index - start > 1:
                    yield self.stats[start], self.stats[index - 1]
                start = index


def _restarted(before: StatsLine, after: StatsLine) -> bool:
    return after.requests < before.requests or after.build_count < before.build_count


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
    return LogScan(tuple(stats[-MAX_LINES:]), unreadable, slow, count, skipped_bytes)


def _stats(line: str) -> StatsLine | None:
    """The numbers of a statistics line; ``None`` if one that belongs to it is missing or is not a number."""
    numbers = _numbers(line[line.index(_MARK) + len(_MARK) :])
    if any(name not in numbers for name in _NEEDED):
        return None
    counts = {name: int(numbers[name]) for name in _NEEDED if name != "hit_rate"}
    more = {name: int(numbers[name]) for name in ("in_flight", "peak_in_flight", "max_in_flight") if name in numbers}
    return StatsLine(
        at=_stamp(line),
        hit_rate=numbers["hit_rate"],
        build_avg_ms=numbers.get("build_avg_ms"),
        build_max_ms=numbers.get("build_max_ms"),
        **counts,
        **more,
    )


def _numbers(text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, value, _unit in _PAIR.findall(text):
        try:
            number = float(value)
        except ValueError:
            continue
        if math.isfinite(number):
            found.setdefault(name, number)
    return found


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
