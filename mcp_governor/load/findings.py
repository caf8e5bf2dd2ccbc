"""What is wrong with what was measured: budgets, lists that differ, a server whose numbers contradict each other."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING, Any

from mcp_governor.load.judge import KINDS, changed_lists
from mcp_governor.load.records import over_of
from mcp_governor.rules.finding import finding
from mcp_governor.rules.rule_file import own_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.config.model import LoadConfig
    from mcp_governor.findings import Finding
    from mcp_governor.load.health import Health
    from mcp_governor.load.listing import Yardstick
    from mcp_governor.load.log_scan import LogScan, StatsLine
    from mcp_governor.load.probe import Probe
    from mcp_governor.load.records import LoadRecord
    from mcp_governor.rules import Selection

LEAST_MS = 5.0
"""Milliseconds by which a list has to be slower on this machine to be a regression: nobody waits for less, and the
ratio of two very short times is noise."""

LEAST_LISTS = 20
"""Lists of a round from which p95 is judged: with fewer it is the slowest but one of a handful."""

_RATE_ROOM = 0.1
"""Percentage points by which a stated hit rate may differ from its counts: it is rounded to one decimal."""

_OFF = 0.5
"""Share of the expected interval by which the median gap between two lines may be off."""


def budget_findings(
    probe: Probe, record: LoadRecord | None, budgets: LoadConfig, *, remote: bool = False
) -> Iterator[Finding]:
    """Compare with the limits of the configuration, and with the figures of the record.

    Args:
        probe: what was measured.
        record: the recorded figures; ``None`` if there is no such file.
        budgets: limits and ratios.
        remote: the server is on another machine, so its times are also those of the network.
    """
    yield from _sizes(probe, record, budgets)
    yield from _times(probe, record, budgets, remote)
    if is_unset(record, budgets):
        yield _not_compared("nothing", budgets, way="Write it: mcp-governor load probe --record")


def is_unset(record: LoadRecord | None, budgets: LoadConfig) -> bool:
    """True if there is nothing to judge by: neither a record nor a limit."""
    limits = (budgets.payload_bytes, budgets.tokens, budgets.tool_tokens, budgets.list_p95_ms)
    return record is None and all(limit is None for limit in limits)


def not_measured(budgets: LoadConfig) -> Finding:
    """The finding of a run that is to measure, but has a recording."""
    return _not_compared("recording", budgets, way="Name a live server, or set load.check = false.")


def _sizes(probe: Probe, record: LoadRecord | None, budgets: LoadConfig) -> Iterator[Finding]:
    sizes = probe.listing.payload
    before = (record.listed.bytes, record.listed.tokens) if record is not None else (None, None)
    yield from _above("bytes", sizes.bytes, budgets.payload_bytes, key="payload-bytes")
    yield from _grown("bytes", sizes.bytes, before[0], budgets.payload_ratio, budgets.record)
    yield from _above("tokens", sizes.tokens, budgets.tokens, key="tokens")
    for size in sizes.tools:
        yield from _above("tokens", size.tokens, budgets.tool_tokens, key="tool-tokens", tool=size.name)
    yield from _grown("tokens", sizes.tokens, before[1], budgets.tokens_ratio, budgets.record)


_SIZE_RULES = {"bytes": ("load/payload-bytes", "payload-ratio"), "tokens": ("load/tokens", "tokens-ratio")}
"""What is counted → its rule, and the key of the configuration with the ratio."""


def _above(unit: str, now: int, limit: int | None, *, key: str, tool: str | None = None) -> Iterator[Finding]:
    """A size beyond its limit: of the list, or of one tool."""
    if limit is None or now <= limit:
        return
    place, says = ("/tools", "absolute") if tool is None else ("", "tool")
    facts = {unit: f"{now:,}", "limit": f"{limit:,}"}
    yield finding(_SIZE_RULES[unit][0], place, says=says, tool=tool, value=now, key=key, facts=facts)


def _grown(unit: str, now: int, before: int | None, ratio: float, record: str) -> Iterator[Finding]:
    """A size beyond a multiple of the recorded one."""
    if before is None or now <= ratio * before:
        return
    rule, key = _SIZE_RULES[unit]
    facts = {unit: f"{now:,}", "before": f"{before:,}", "times": _times_of(now, before), "limit": f"{ratio:g}"}
    yield finding(rule, "/tools", says="ratio", value=[now, before], key=key, record=record, facts=facts)


def _times(probe: Probe, record: LoadRecord | None, budgets: LoadConfig, remote: bool) -> Iterator[Finding]:
    # The value of a finding is its limit: a time is another one in every run, and an acceptance has to outlive that.
    listing, name, over = probe.listing, budgets.record, over_of(probe)
    stick, lists = listing.yardstick, listing.main.lists
    if budgets.list_p95_ms is not None:
        p95 = stick.p95_ms if stick is not None else lists.p95_ms if lists is not None else 0.0
        if stick is None and (lists is None or lists.count < LEAST_LISTS):
            way = "Check why the lists take so long, or fail: mcp-governor load probe"
            yield _not_compared("p95", budgets, way=way, needed=LEAST_LISTS)
        elif p95 > budgets.list_p95_ms:
            yield finding(
                "load/list-p95",
                "/tools",
                says="absolute",
                value=budgets.list_p95_ms,
                key="list-p95-ms",
                took=_milliseconds(p95),
                rounds=stick.rounds if stick is not None else 1,
                limit=_milliseconds(budgets.list_p95_ms),
            )
    if record is None or record.time is None:
        return
    if remote:
        yield _not_compared("remote", budgets, way="Measure a server on this machine, or set load.list-p95-ms.")
    elif stick is None:
        yield _not_compared("yardstick", budgets, way="Check why the lists take so long, or fail: load probe says it.")
    elif record.time.over != over:
        way = "Measure it as it was recorded, or write the record again: mcp-governor load probe --record"
        yield _not_compared("transport", budgets, way=way, before=record.time.over, now=over)
    elif _is_slower(stick, record.time.ratio, budgets.list_ratio):
        yield finding(
            "load/list-p95",
            "/tools",
            says="ratio",
            value=[budgets.list_ratio, record.time.ratio],
            key="list-ratio",
            ratio=f"{stick.ratio:.2g}",
            before=f"{record.time.ratio:g}",
            limit=f"{budgets.list_ratio:g}",
            record=name,
        )


def _is_slower(stick: Yardstick, before: float, factor: float) -> bool:
    return stick.ratio > factor * before and (stick.ratio - before) * stick.null_ms >= LEAST_MS


def _not_compared(says: str, budgets: LoadConfig, **facts: Any) -> Finding:
    return finding("load/not-compared", "/tools", says=says, value=says, record=budgets.record, **facts)


def list_findings(probe: Probe) -> Iterator[Finding]:
    """Lists of one connection that failed or differ, and lists under load that are another one."""
    caching, failure = probe.listing.caching, probe.listing.failure
    if failure:
        yield finding("load/list-failed", "/tools", value="list", number=caching.lists + 1, reason=failure.rstrip("."))
    if not caching.same_order:
        yield finding("load/unstable-order", "/tools", value="order", lists=caching.lists)
    if caching.changed:
        says = "content" if caching.same_tools else "tools"
        changed = list(caching.changed[:5])
        yield finding("load/unstable-list", "/tools", says=says, value=says, lists=caching.lists, changed=changed)
    for point in probe.concurrent:
        if count := changed_lists(point):
            kinds = ", ".join(f"{point.errors[kind]:,} {kind}" for kind in KINDS if kind in point.errors)
            facts = {"count": f"{count:,}", "requests": f"{point.requests:,}", "flight": point.concurrency}
            yield finding("load/changed-under-load", "/tools", value=point.concurrency, kinds=kinds, facts=facts)


def health_findings(health: Health) -> Iterator[Finding]:
    """A health check that cannot be read, or whose numbers contradict each other."""
    answer = health.answer
    if answer.status in (404, 405, 410, 501):
        return
    if answer.problem:
        yield finding("load/health", "/health", says="unreadable", value=answer.problem, problem=answer.problem)
    elif answer.status is not None and answer.status >= 400:
        yield finding("load/health", "/health", says="status", value=answer.status, status=answer.status)
    for key in health.not_numbers:
        yield finding("load/health", "/health", says="number", value=key, key=key)
    cache, seen = health.cache, health.observability
    yield from _counts("GET /health", {**cache, **seen})
    if "hit_rate_pct" in cache:
        yield from _rate("GET /health", cache["hit_rate_pct"], cache.get("cache_hits"), cache.get("cache_misses"))
    errors, requests = seen.get("total_errors"), seen.get("total_requests")
    if errors is not None and requests is not None and errors > requests:
        facts = {"errors": f"{errors:g}", "requests": f"{requests:g}"}
        yield finding(_AGREE, "/health", says="errors", value="errors", where="GET /health", facts=facts)
    yield from _flight("GET /health", seen.get("in_flight"), seen.get("max_in_flight"))


_AGREE = "load/counts-agree"


def _counts(where: str, numbers: Mapping[str, float]) -> Iterator[Finding]:
    for key, value in numbers.items():
        if value < 0:
            yield finding(_AGREE, _place(where), says="negative", value=value, key=key, where=where)


def _rate(where: str, stated: float, hits: float | None, misses: float | None) -> Iterator[Finding]:
    if not 0 <= stated <= 100:
        yield finding(_AGREE, _place(where), says="range", value=stated, where=where, stated=f"{stated:g}")
        return
    if hits is None or misses is None or hits < 0 or misses < 0 or hits + misses == 0:
        return
    computed = 100 * hits / (hits + misses)
    if abs(stated - computed) > _RATE_ROOM:
        facts = {"stated": f"{stated:g}", "computed": f"{computed:.1f}", "hits": f"{hits:g}", "misses": f"{misses:g}"}
        yield finding(_AGREE, _place(where), says="rate", value="rate", where=where, facts=facts)


def _flight(where: str, flight: float | None, most: float | None) -> Iterator[Finding]:
    if flight is not None and most is not None and flight > most:
        facts = {"flight": f"{flight:g}", "most": f"{most:g}"}
        yield finding(_AGREE, _place(where), says="flight", value="flight", where=where, facts=facts)


def _place(where: str) -> str:
    return "/health" if where == "GET /health" else "/log"


def log_findings(log: LogScan, selection: Selection) -> Iterator[Finding]:
    """What a log says that needs attention.

    Args:
        log: what it says.
        selection: has the options of the rules.
    """
    last = log.last
    if last is not None:
        failures = max(line.build_failures for line in log.stats)
        if failures:
            builds = max(line.build_count for line in log.stats)
            yield finding("load/build-failures", "/log", value="failures", failures=failures, builds=builds)
        yield from _line(last)
        yield from _in_flight(log, int(_option(selection, "load/in-flight", "max")))
    yield from _storm(log, float(_option(selection, "load/build-storm", "ttl-ms")))
    yield from _interval(log, float(_option(selection, "load/stats-interval", "seconds")))
    if log.slow_runtime:
        yield finding("load/slow-runtime", "/log", value="runtime", warning=log.slow_runtime)


def _option(selection: Selection, rule: str, name: str) -> Any:
    active = selection.get(rule)
    return active.options[name] if active is not None else own_rule(rule).options[name].default


def _line(line: StatsLine) -> Iterator[Finding]:
    """The numbers of the last statistics line, which counts from the start of the server."""
    where = "the last statistics line"
    lookups = line.cache_hits + line.cache_misses
    # The guide's own server divides by requests: then one that is answered without a lookup lowers the rate.
    by_requests = 100 * line.cache_hits / line.requests if line.requests else line.hit_rate
    if abs(line.hit_rate - by_requests) > _RATE_ROOM:
        yield from _rate(where, line.hit_rate, line.cache_hits, line.cache_misses)
    if lookups > line.requests:
        counts = {"hits": line.cache_hits, "misses": line.cache_misses, "requests": line.requests}
        yield finding(_AGREE, "/log", says="requests", value="requests", where=where, facts=counts)
    if line.build_avg_ms is not None and line.build_max_ms is not None and line.build_avg_ms > line.build_max_ms:
        facts = {"average": f"{line.build_avg_ms:g}", "longest": f"{line.build_max_ms:g}"}
        yield finding(_AGREE, "/log", says="average", value="average", where=where, facts=facts)


def _in_flight(log: LogScan, most: int) -> Iterator[Finding]:
    over = [
        (flight, line.max_in_flight if line.max_in_flight is not None else most)
        for line in log.stats
        if (flight := max(line.in_flight or 0, line.peak_in_flight or 0))
        > (line.max_in_flight if line.max_in_flight is not None else most)
    ]
    if over:
        flight, limit = max(over)
        yield finding("load/in-flight", "/log", value="flight", flight=flight, most=limit)


def _storm(log: LogScan, ttl_ms: float) -> Iterator[Finding]:
    for first, last in log.stretches():
        if first.at is None or last.at is None or last.at <= first.at:
            continue
        seconds, builds = last.at - first.at, last.build_count - first.build_count
        # One may be under way at either end.
        most = int(seconds * 1_000 / ttl_ms) + 2
        if builds > most:
            facts = {"builds": f"{builds:,}", "seconds": f"{seconds:g}", "ttl": f"{ttl_ms:g}", "most": f"{most:,}"}
            yield finding("load/build-storm", "/log", value="storm", facts=facts)
            return


def _interval(log: LogScan, expected: float) -> Iterator[Finding]:
    gaps = log.intervals()
    if not gaps:
        return
    usual = median(gaps)
    if abs(usual - expected) > _OFF * expected:
        facts = {"median": f"{usual:g}", "expected": f"{expected:g}", "count": len(gaps)}
        yield finding("load/stats-interval", "/log", value="interval", facts=facts)


def probe_findings(probe: Probe, selection: Selection) -> Iterator[Finding]:
    """Everything about a probe but its budgets."""
    yield from list_findings(probe)
    if probe.health is not None:
        yield from health_findings(probe.health)
    if probe.log is not None:
        yield from log_findings(probe.log, selection)


def _times_of(now: float, before: float) -> str:
    """The ratio, rounded up, so that one beyond its limit never reads like the limit."""
    return f"{math.ceil(100 * now / before) / 100:.2f}" if before else "many"


def _milliseconds(value: float) -> str:
    return f"{value:,.0f} ms" if value >= 10 else f"{value:.2g} ms"
