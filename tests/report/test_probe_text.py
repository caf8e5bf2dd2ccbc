"""What a maintainer reads after ``load probe``: one screen, in a golden file."""

from __future__ import annotations

import pytest
from replacing import replace

from mcp_governor.load.health import ServerInfo, health_of
from mcp_governor.load.listing import Caching, EraTimes, Latencies, Listing, Yardstick
from mcp_governor.load.log_scan import scan_text
from mcp_governor.load.model import Point
from mcp_governor.load.payload import Payload, Savings, ToolSize
from mcp_governor.load.probe import Probe
from mcp_governor.report.lines import plain_text
from mcp_governor.report.probe_text import milliseconds, probe_lines
from mcp_governor.surface import build_surface

MODERN = EraTimes("modern", "2026-07-28", 12.4, 9.41, Latencies(20, 0.8, 1.234, 3.5, 3.5, 41.0))
LEGACY = EraTimes("legacy", problem="it does not know initialize")
HEALTH = {
    "status": "ok",
    "mcp": {"cache_hits": 97, "cache_misses": 3, "cache_refreshes": 3, "hit_rate_pct": 97.0},
    "observability": {"total_requests": 1200, "total_errors": 2, "in_flight": 4, "endpoints": {"/message": 1100}},
}
LOG = (
    "2026-01-01T00:00:00Z [MCP] tools/list stats requests=1000 hit_rate=97.0% cache_hits=970 cache_misses=30 "
    "build_count=30 build_failures=2 build_avg_ms=2 build_max_ms=6\n"
    "[MCP] tools/list stats requests=lost\n"
)


def point(concurrency: int, errors: dict[str, int], stopped: str | None = None) -> Point:
    return Point(concurrency, 200, errors, 2.0, 96.5, 21.0, 44.4, 60.0, 61.0, 25.0, stopped=stopped)


def probe() -> Probe:
    tools = tuple(ToolSize(f"tool_{index}", 4_000 - 500 * index, 1_000 - 100 * index) for index in range(7))
    caching = Caching(1_000, "private", 67, True, True, True, (), 1_100.0, 61.0, 1.2)
    listing = Listing(
        surface=build_surface({"tools": []}),
        server={},
        cold_ms=645.3,
        main=MODERN,
        payload=Payload(20_500, 4_900, tools, Savings(1_300, 2_800, 5_200, 12, ("find.title",))),
        caching=caching,
        yardstick=Yardstick(3, 3.2, 1.4, 1.2, 0.6),
    )
    return Probe(
        target="http://127.0.0.1:3002/mcp",
        transport="http",
        listing=listing,
        other=LEGACY,
        concurrent=(point(40, {}), point(100, {"timeout": 3, "http-503": 1}, "the server refuses connections")),
        health=replace(health_of(HEALTH), status=200),
        info=ServerInfo("/mcp", 405, "HTTP 405: the server does not have it"),
        log=scan_text(LOG),
        notes=("Something was not measured.",),
    )


def test_everything_that_a_probe_can_say(golden):
    golden("load-probe.txt", plain_text(probe_lines(probe())))


def test_a_server_that_has_nothing_to_say_but_its_list(golden):
    bare = replace(probe(), other=None, concurrent=(), health=None, info=None, log=None, notes=(), transport="stdio")
    caching = Caching(None, None, 61, True, False, False, ())
    sizes = Payload(120, 11, (ToolSize("add", 67, 11),), Savings(0, 0, 0, 0))
    bare = replace(bare, listing=replace(bare.listing, yardstick=None, caching=caching, payload=sizes))
    golden("load-probe-bare.txt", plain_text(probe_lines(bare)))


def test_verbose_lists_every_tool():
    shown = plain_text(probe_lines(probe(), verbose=1))
    assert all(f"tool_{index}" in shown for index in range(7))
    assert "more tool" not in shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (0.153, "0.15 ms"), (1.26, "1.3 ms"), (41.4, "41 ms"), (9_999, "9,999 ms"), (12_345, "12 s")],
)
def test_times_have_two_or_three_digits(value, shown):
    assert milliseconds(value) == shown
