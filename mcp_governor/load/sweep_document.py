"""A sweep as JSON, ``load sweep --json-out``."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from mcp_governor.documents import Amount, Count, Governor
from mcp_governor.load.model import Point, Sweep


class PlanDocument(Struct, frozen=True):
    """What was asked for.

    Attributes:
        tool: The tool that is called.
        rate: Requests per second of the open loop.
    """

    method: str
    tool: str | None
    loop: Literal["closed", "open"]
    rate: Amount | None
    total: Count
    warm_up: Count
    concurrencies: tuple[Count, ...]
    p95_slo_ms: Amount
    p99_slo_ms: Amount
    timeout: Amount = field(name="timeout_s")
    seconds: Amount


class PointDocument(Point, frozen=True, kw_only=True):
    """One point; milliseconds are null if no request succeeded or timed out."""

    failed: Count
    is_client_limited: bool = field(name="limited_by_client")


class SweepDocument(Sweep, frozen=True, tag_field="format", tag="mcp-governor/load-sweep-1", kw_only=True):
    """Points of a sweep, and the concurrency that follows from them."""

    governor: Governor = Governor()
    plan: PlanDocument  # type: ignore[assignment]  # parameters of a call may hold secrets, and stay out
    points: tuple[PointDocument, ...]
