"""A probe with chosen figures, without a server."""

from __future__ import annotations

from mcp_governor.load.listing import Caching, EraTimes, Latencies, Listing, Yardstick
from mcp_governor.load.payload import Payload, Savings, ToolSize
from mcp_governor.load.probe import Probe
from mcp_governor.surface import build_surface

SAME = Caching(ttl_ms=0, scope="private", lists=61, same_tools=True, same_order=True, same_content=True)


def probe(
    size: int = 1_000,
    tokens: int = 200,
    p95: float = 4.0,
    p50: float = 2.0,
    null: float = 1.0,
    *,
    stick: bool = True,
    lists: int = 20,
    caching: Caching = SAME,
    failure: str = "",
) -> Probe:
    tools = (ToolSize("big", 600, tokens - 50), ToolSize("small", 100, 50))
    listing = Listing(
        surface=build_surface({"tools": []}),
        server={},
        cold_ms=100.0,
        main=EraTimes("modern", "2026-07-28", 1.0, 2.0, Latencies.of([p95] * lists) if lists else None),
        payload=Payload(size, tokens, tools, Savings(0, 0, 0, 0)),
        caching=caching,
        yardstick=Yardstick(3, p95, p50, p50, null) if stick else None,
        failure=failure,
    )
    return Probe("t", "stdio", listing)
