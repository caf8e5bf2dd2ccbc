"""The log of a server: what is read, what is not, and what is too much."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_governor.errors import UsageError
from mcp_governor.load import log_scan
from mcp_governor.load.log_scan import scan_log, scan_text

LINE = (
    "2026-02-20 10:00:00,500 INFO [MCP] tools/list stats requests=10 hit_rate=60.0% cache_hits=6 cache_misses=4 "
    "build_count=4 build_failures=1 build_avg_ms=2.50 build_max_ms=6.25"
)


def stats(at: str, requests: int, builds: int = 1, failures: int = 0) -> str:
    return (
        f"{at} [MCP] tools/list stats requests={requests} hit_rate=0 cache_hits=0 cache_misses=0 "
        f"build_count={builds} build_failures={failures}"
    )


def test_a_statistics_line_is_read_in_full():
    (line,) = scan_text(f"{LINE} in_flight=3 peak_in_flight=88 max_in_flight=90\n").stats
    assert (line.requests, line.hit_rate, line.cache_hits, line.cache_misses) == (10, 60.0, 6, 4)
    assert (line.build_count, line.build_failures, line.build_avg_ms, line.build_max_ms) == (4, 1, 2.5, 6.25)
    assert (line.in_flight, line.peak_in_flight, line.max_in_flight) == (3, 88, 90)


@pytest.mark.parametrize(
    "broken",
    [
        LINE.replace("requests=10", "requests=many"),
        LINE.replace("cache_hits=6", "cache_hits=1.2.3"),
        LINE.replace("build_failures=1", "build_failures=-1"),
        LINE.replace("hit_rate=60.0%", "hit_rate=nan"),
        LINE.replace("hit_rate=60.0%", "hit_rate=" + "9" * 400),
        "[MCP] tools/list stats ",
    ],
)
def test_a_line_without_its_numbers_is_counted_as_unreadable_not_guessed(broken):
    found = scan_text(f"{broken}\n{LINE}\n")
    assert (len(found.stats), found.unreadable) == (1, 1)


@pytest.mark.parametrize(
    ("first", "second", "gap"),
    [
        ("2026-02-20T10:00:00Z", "2026-02-20T10:01:00Z", 60),
        ("2026-02-20 10:00:00,250", "2026-02-20 10:01:00,750", 60.5),
        ("[2026-02-20 23:59:30.000001]", "[2026-02-21 00:00:30.000001]", 60),
        ("2026-02-20T10:00:00+01:00", "2026-02-20T10:00:30+0100", 30),
    ],
)
def test_time_stamps_of_several_forms(first, second, gap):
    before, after = scan_text(f"{stats(first, 1)}\n{stats(second, 2)}").stats
    assert after.at - before.at == pytest.approx(gap)


def test_a_restart_begins_another_run():
    text = "\n".join(
        [
            stats("2026-02-20T10:00:00Z", 100, builds=9),
            stats("2026-02-20T12:00:00Z", 5, builds=1),
            stats("2026-02-20T12:01:00Z", 9, builds=2),
            stats("no time", 10, builds=2),
        ]
    )
    assert [[line.requests for line in lines] for lines in scan_text(text).runs()] == [[100], [5, 9, 10]]


@pytest.mark.parametrize(
    ("line", "is_slow"),
    [
        ("httptools missing, falling back to h11", True),
        ("no httptools: using h11", True),
        ("uvloop unavailable", True),
        ("using uvloop and httptools", False),
        ("uvloop 0.22 is installed", False),
    ],
)
def test_which_lines_say_that_a_fast_runtime_is_missing(line, is_slow):
    assert bool(scan_text(line).slow_runtime) is is_slow


def test_only_the_end_of_a_huge_log_is_read_and_said_so(tmp_path, monkeypatch):
    monkeypatch.setattr(log_scan, "MAX_LOG", 2_000)
    file = tmp_path / "server.log"
    file.write_text("x" * 50_000 + LINE + "\n" + f"{LINE}\n")
    found = scan_log(file)
    # The first line read is a part of one, whatever it looks like.
    assert (len(found.stats), found.skipped_bytes) == (1, file.stat().st_size - 2_000)


def test_a_log_of_three_gigabytes_is_read_at_its_end(tmp_path):
    file = tmp_path / "sparse.log"
    with file.open("wb") as out:
        out.seek(3 * 2**30)
        out.write(f"\n{LINE}\n".encode())
    found = scan_log(file)
    assert found.last is not None
    assert found.skipped_bytes > 2**31
    assert found.lines == 1


@pytest.mark.parametrize(
    "line",
    [
        "uvloop " + "a" * 2_000_000,
        "pressure " + "in_fligh " * 200_000,
        "[MCP] tools/list stats " + "requests=" * 200_000,
        "missing " * 300_000,
        "\x00\x1b[31m\u202e" * 100_000,
    ],
)
def test_hostile_lines_end(line):
    assert scan_text(f"{line}\n{LINE}").last is not None


@given(st.text(max_size=300))
def test_any_text_is_read(text):
    found = scan_text(f"{text}\n[MCP] tools/list stats {text}\n{LINE}")
    assert found.last is not None
    assert found.last.requests == 10


def test_lines_are_counted_without_bound_but_kept_within_one(monkeypatch):
    monkeypatch.setattr(log_scan, "MAX_LINES", 3)
    found = scan_text("\n".join(LINE.replace("requests=10", f"requests={number}") for number in range(10)))
    assert [line.requests for line in found.stats] == [7, 8, 9]


def test_a_missing_log_a_folder_and_a_fifo_are_refused(tmp_path):
    fifo = tmp_path / "fifo"
    places: list[Path] = [tmp_path / "none.log", tmp_path]
    if sys.platform != "win32":
        os.mkfifo(fifo)
        places.append(fifo)
    for place in places:
        with pytest.raises(UsageError, match="cannot be read"):
            scan_log(place)
