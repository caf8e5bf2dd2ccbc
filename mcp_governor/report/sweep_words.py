"""What a sweep over concurrencies says, in words and numbers that every format shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.load.judge import changed_lists
from mcp_governor.load.model import CLIENT_SHARE, LIMITED
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.load.model import Point, Sweep

COLUMNS = ("concurrency", "requests/s", "p50 ms", "p95 ms", "p99 ms", "max ms", "errors", "client ceiling")
"""The columns of a table of points; :func:`cells` fills them."""

_BARS = "▁▂▃▄▅▆▇█"
_SHOWN_KINDS = 3
"""Kinds of errors that a cell names, the most frequent first: a fourth is rare, and the JSON report has them all."""


def digits(value: float | None) -> str:
    """``0.42``, ``8.3``, ``52``, ``1,204``; a dash for ``None``."""
    if value is None:
        return "–"
    if value < 1:
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def cells(point: Point) -> list[str]:
    """The cells of a point, in the order of :data:`COLUMNS`."""
    latencies = (point.p50_ms, point.p95_ms, point.p99_ms, point.max_ms)
    return [
        str(point.concurrency),
        digits(point.throughput),
        *(digits(value) for value in latencies),
        _errors(point),
        digits(point.ceiling),
    ]


def _errors(point: Point) -> str:
    kinds = sorted(point.errors.items(), key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{number:,} {one_line(kind, 40)}" for kind, number in kinds[:_SHOWN_KINDS])
    rest = sum(number for _, number in kinds[_SHOWN_KINDS:])
    return (f"{named}, {rest:,} others" if rest else named) or "0"


def remarks(sweep: Sweep, point: Point) -> list[str]:
    """What a reader has to know about a point."""
    found = []
    if point.concurrency == sweep.recommended:
        found.append("recommended")
    if point.concurrency == sweep.knee:
        found.append("knee")
    if point.concurrency == sweep.saturation:
        found.append("saturated")
    if point.is_client_limited:
        found.append("limited by the client")
    if point.stopped:
        found.append(f"incomplete: {one_line(point.stopped)}")
    return found


def conclusion(sweep: Sweep) -> str:
    """One sentence: the recommended concurrency, and what it rests on."""
    plan = sweep.plan
    goals = f"p95 ≤ {digits(plan.p95_slo_ms)} ms and p99 ≤ {digits(plan.p99_slo_ms)} ms"
    chosen = next((one for one in sweep.points if one.concurrency == sweep.recommended), None)
    if chosen is None:
        return f"No concurrency is recommended: {_why_none(sweep, goals)}."
    figures = f"{digits(chosen.throughput)} requests/s, p95 {digits(chosen.p95_ms)} ms"
    return f"Recommended concurrency: {chosen.concurrency} ({figures}; within {goals})."


def _why_none(sweep: Sweep, goals: str) -> str:
    """Why no point is feasible."""
    if not any(point.succeeded for point in sweep.points):
        return "no request succeeded"
    whole = [point for point in sweep.points if point.stopped is None]
    if not whole:
        return "no point was measured in full"
    if all(point.errors for point in whole):
        return "every point has failed requests"
    fastest = min((point for point in whole if not point.errors), key=lambda point: point.p95_ms or 0.0)
    best = f"the lowest p95 is {digits(fastest.p95_ms)} ms, at {fastest.concurrency}"
    without = " without failed requests" if any(point.errors for point in whole) else ""
    return f"none meets {goals}{without}; {best}"


def limiter(points: Sequence[Point], *, below: str = "stay below it with --rate") -> Iterator[str]:
    """That a rate limiter refused requests, if it did: then the figures are its own.

    Args:
        points: what was measured.
        below: how to measure within the limit of a rate limiter.
    """
    limited = max(points, key=lambda point: point.errors.get(LIMITED, 0), default=None)
    if limited is not None and (refused := limited.errors.get(LIMITED, 0)):
        wait = f", Retry-After {limited.retry_after_s:,.0f} s" if limited.retry_after_s is not None else ""
        yield (
            f"A rate limiter refused {refused:,} of {limited.requests:,} requests at {limited.concurrency} in flight "
            f"(HTTP 429{wait}): it was measured, not the server. Raise its limit for the measurement, or {below}."
        )


def other_lists(points: Sequence[Point]) -> Iterator[str]:
    """That lists under load were not the one that came alone, if there are such."""
    changed = max(points, key=changed_lists, default=None)
    if changed is not None and (count := changed_lists(changed)):
        ways = " and ".join(way for kind, way in _WAYS.items() if changed.errors.get(kind))
        yield (
            f"At {changed.concurrency} in flight, {count:,} of {changed.requests:,} lists were not the one that came "
            f"alone: {ways}. No client can see that such a response is wrong; the server should answer with an "
            "error."
        )


_WAYS = {
    "list-empty": "some were empty",
    "list-shorter": "some lacked tools",
    "list-longer": "some had more tools",
    "list-differs": "some had other tools or definitions",
}


def explanations(sweep: Sweep) -> Iterator[str]:
    """Sentences below the table."""
    plan = sweep.plan
    if sweep.knee is not None:
        yield f"Knee at {sweep.knee}: p95 jumps there while fewer requests are served."
    if sweep.saturation is not None:
        yield f"Saturated at {sweep.saturation}: from there on, more requests in flight wait, and no more are served."
    yield from limiter(sweep.points)
    yield from other_lists(sweep.points)
    if any(point.is_client_limited for point in sweep.points):
        yield (
            f"Points limited by the client are above {CLIENT_SHARE:.0%} of what this client can send: they say nothing "
            "about the server."
        )
    if plan.loop == "open":
        yield (
            f"Open loop at {digits(plan.rate)} requests/s: a latency counts from the moment when the request was due."
        )
    if sweep.interrupted:
        yield f"The sweep ended early: {one_line(sweep.interrupted)}"
    yield from (one_line(note, 400) for note in sweep.notes)


def origin(sweep: Sweep) -> str:
    """What was measured, with what: one line."""
    method = one_line(sweep.plan.method, 40)
    return (
        f"Measured: {method} over {sweep.transport}, protocol {one_line(sweep.protocol, 20)} ({sweep.era}); "
        f"{sweep.plan.total:,} requests at each point after {sweep.plan.warm_up:,} for warm-up; engine {sweep.engine}"
    )


def sparkline(values: Sequence[float | None]) -> str:
    """Bars between zero and the highest value; a blank where a value is missing."""
    highest = max((value for value in values if value is not None), default=0.0)
    if highest <= 0:
        return " " * len(values)
    steps = len(_BARS) - 1
    return "".join(" " if value is None else _BARS[round(steps * max(value, 0.0) / highest)] for value in values)
