"""Hard limits of a sweep: a mistyped number must not become an attack on a server, or on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.errors import UsageError

if TYPE_CHECKING:
    from mcp_governor.load.model import SweepPlan

MAX_CONCURRENCY = 1_000
"""Most requests in flight: five times the guide's largest point, and what one machine's file descriptors allow."""

MAX_POINTS = 20
"""Most points: four times the guide's."""

MAX_TOTAL = 100_000
"""Most requests for a point: a hundred times the guide's, enough for a p99.9 of a hundred requests."""

MAX_REQUESTS = 1_000_000
"""Most requests of a sweep: ten points of the most that one may have."""

MAX_RATE = 50_000.0
"""Most requests per second of the open loop: several times what our client can send on one machine."""

MAX_SECONDS = 3_600.0
"""Most seconds of a sweep: a job of CI that takes an hour is a mistake."""

MAX_WORKERS = 16
"""Most processes that send: each takes a core."""

MAX_WARM_UP = 1_000
"""Most requests before each point: as many as the guide's points have."""


def check(plan: SweepPlan, workers: int) -> None:
    """Refuse a plan that goes beyond a limit, or that measures nothing.

    Raises:
        UsageError: it names the option, its limit and the reason.
    """
    points = plan.concurrencies
    if not points:
        raise UsageError("--concurrency-values names no point.", "Name some, for example: 40,80,120")
    if len(points) > MAX_POINTS:
        raise UsageError(
            f"--concurrency-values names {len(points):,} points, and a sweep has at most {MAX_POINTS}.",
            "Name fewer; the recommendation needs five or six.",
        )
    _within("--concurrency-values", min(points), 1, MAX_CONCURRENCY)
    _within("--concurrency-values", max(points), 1, MAX_CONCURRENCY)
    _within("--total", plan.total, 1, MAX_TOTAL)
    if plan.total * len(points) > MAX_REQUESTS:
        raise UsageError(
            f"{len(points)} points of {plan.total:,} requests are more than {MAX_REQUESTS:,} requests.",
            "Name fewer points, or a smaller --total.",
        )
    _within("--warm-up", plan.warm_up, 0, MAX_WARM_UP)
    _within("--workers", workers, 1, MAX_WORKERS)
    if plan.rate is not None and not 0 < plan.rate <= MAX_RATE:
        raise UsageError(
            f"--rate is {plan.rate:g}; it must be above 0 and at most {MAX_RATE:,.0f} requests per second.",
            "Start with what the server gets in production.",
        )
    if not 0 < plan.seconds <= MAX_SECONDS:
        raise UsageError(
            f"--seconds is {plan.seconds:g}; it must be above 0 and at most {MAX_SECONDS:,.0f}.",
            "Use a smaller --total.",
        )


def _within(option: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise UsageError(
            f"{option} has {value:,}; it must be from {least:,} to {most:,}.", "Use a number within these limits."
        )
