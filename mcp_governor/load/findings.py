"""What is wrong with what was measured: budgets, lists that differ, a server whose numbers contradict each other.

Budgets are compared with the record ``mcp-load.json``, which has the ratio and no milliseconds.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta, Struct, field

from mcp_governor.documents import Count, Wrong, read
from mcp_governor.errors import FileFormatError
from mcp_governor.files import MAX_BYTES, read_bytes
from mcp_governor.load.health import ABSENT
from mcp_governor.load.judge import KINDS, changed_lists
from mcp_governor.load.probe import is_remote
from mcp_governor.parsing import exceeds_depth, read_json
from mcp_governor.rules.catalogue import own_rule
from mcp_governor.rules.finding import finding
from mcp_governor.text import escape_json, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mcp_governor.config.model import LoadConfig
    from mcp_governor.findings import Finding
    from mcp_governor.load.health import Health
    from mcp_governor.load.log_scan import LogScan, StatsLine
    from mcp_governor.load.probe import Probe
    from mcp_governor.rules import Selection
    from mcp_governor.target import LiveSource


_STEADY = 1.25
"""Factor within which a new time leaves the recorded one as it is, so that a record does not change with every run."""

_MAX_DEPTH = 8
"""Deepest nesting of a record, in containers: ours has three."""


class RecordedList(Struct, frozen=True):
    """What depends on the server alone.

    Attributes:
        bytes: Bytes of the result of tools/list, as compact JSON.
        tokens: Tokens of all tools, estimated.
        tools: Tokens by tool.
    """

    bytes: Count
    tokens: Count
    tools: Mapping[str, Count]


class RecordedTime(Struct, frozen=True):
    """What was timed.

    Attributes:
        over: Transport and era: stdio modern.
        ratio: Time of a list, as a multiple of a server that only answers.
    """

    over: str
    ratio: Annotated[float, Meta(gt=0)]


class LoadRecord(Struct, frozen=True, omit_defaults=True, tag_field="format", tag="mcp-governor/load-1"):
    """Figures of an earlier run."""

    listed: RecordedList = field(name="list")
    time: RecordedTime | None = None

    def text(self) -> str:
        """The file."""
        return escape_json(json.dumps(msgspec.to_builtins(self), indent=2, ensure_ascii=False)) + "\n"


def over_of(probe: Probe) -> str:
    """Transport and era of a probe's times."""
    return f"{probe.transport} {probe.listing.main.era}"


def record_of(probe: Probe, source: LiveSource, before: LoadRecord | None = None) -> LoadRecord:
    """The figures of a probe.

    Args:
        probe: what was measured.
        source: the server; of one on another machine no time is kept, because it would be that of the network.
        before: the record so far; its time stays if the new one hardly differs.
    """
    sizes, stick = probe.listing.payload, probe.listing.yardstick
    tools = {size.name: size.tokens for size in sizes.tools}
    listed = RecordedList(sizes.bytes, sizes.tokens, dict(sorted(tools.items())))
    if stick is None or is_remote(source):
        return LoadRecord(listed)
    time = RecordedTime(over_of(probe), float(f"{stick.ratio:.2g}"))
    known = before.time if before is not None else None
    if known is not None and known.over == time.over and known.ratio / _STEADY <= time.ratio <= known.ratio * _STEADY:
        time = known
    return LoadRecord(listed, time)


def load_record(path: Path, *, shown: str) -> LoadRecord | None:
    """Read a record; ``None`` if there is no such file.

    Raises:
        FileFormatError: it cannot be read, or is not a record.
    """
    hint = "Write it again: mcp-governor load probe --record"
    try:
        document = read_json(read_bytes(path, limit=MAX_BYTES))
        if exceeds_depth(document, _MAX_DEPTH):
            raise ValueError("it is nested too deep")
        record = read(LoadRecord, document)
        if isinstance(record, Wrong):
            raise ValueError(record.problem)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileFormatError(f"{visible(shown)} cannot be read: {error.strerror}.", hint) from None
    except (ValueError, RecursionError) as error:
        reason = one_line(str(error), 160)
        raise FileFormatError(f"{visible(shown)} is not a record of load probe: {reason}.", hint) from None
    return record


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
    sizes, before = probe.listing.payload, record.listed if record is not None else None
    yield from _above("bytes", sizes.bytes, budgets.payload_bytes, key="payload-bytes")
    if before is not None:
        yield from _grown("bytes", sizes.bytes, before.bytes, budgets.payload_ratio, budgets.record)
    yield from _above("tokens", sizes.tokens, budgets.tokens, key="tokens")
    for size in sizes.tools:
        yield from _above("tokens", size.tokens, budgets.tool_tokens, key="tool-tokens", tool=size.name)
    if before is not None:
        yield from _grown("tokens", sizes.tokens, before.tokens, budgets.tokens_ratio, budgets.record)


_SIZE_RULES = {"bytes": ("load/payload-bytes", "payload-ratio"), "tokens": ("load/tokens", "tokens-ratio")}
"""What is counted → its rule, and the key of the configuration with the ratio."""


def _above(unit: str, now: int, limit: int | None, *, key: str, tool: str | None = None) -> Iterator[Finding]:
    """A size beyond its limit: of the list, or of one tool."""
    if limit is not None and now > limit:
        place, says = ("/tools", "absolute") if tool is None else ("", "tool")
        facts = {unit: f"{now:,}", "limit": f"{limit:,}"}
        yield finding(_SIZE_RULES[unit][0], place, says=says, tool=tool, value=now, key=key, facts=facts)


def _grown(unit: str, now: int, before: int, ratio: float, record: str) -> Iterator[Finding]:
    """A size beyond a multiple of the recorded one."""
    if now > ratio * before:
        rule, key = _SIZE_RULES[unit]
        # Rounded up, so that a ratio beyond its limit never reads like the limit.
        times = f"{math.ceil(100 * now / before) / 100:.2f}" if before else "many"
        facts = {unit: f"{now:,}", "before": f"{before:,}", "times": times, "limit": f"{ratio:g}"}
        yield finding(rule, "/tools", says="ratio", value=[now, before], key=key, record=record, facts=facts)


def _times(probe: Probe, record: LoadRecord | None, budgets: LoadConfig, remote: bool) -> Iterator[Finding]:
    # The value of a finding is its limit: a time is another one in every run, and an acceptance has to outlive that.
    stick, lists, limit = probe.listing.yardstick, probe.listing.main.lists, budgets.list_p95_ms
    if limit is not None:
        p95 = stick.p95_ms if stick is not None else lists.p95_ms if lists and lists.count >= LEAST_LISTS else None
        if p95 is None:
            way = "Check why the lists take so long, or fail: mcp-governor load probe"
            yield _not_compared("p95", budgets, way=way, needed=LEAST_LISTS)
        elif p95 > limit:
            facts = {"took": _milliseconds(p95), "rounds": stick.rounds if stick else 1, "limit": _milliseconds(limit)}
            yield finding("load/list-p95", "/tools", says="absolute", value=limit, key="list-p95-ms", facts=facts)
    if record is None or record.time is None:
        return
    before, over = record.time, over_of(probe)
    if remote:
        yield _not_compared("remote", budgets, way="Measure a server on this machine, or set load.list-p95-ms.")
    elif stick is None:
        yield _not_compared("yardstick", budgets, way="Check why the lists take so long, or fail: load probe says it.")
    elif before.over != over:
        way = "Measure it as it was recorded, or write the record again: mcp-governor load probe --record"
        yield _not_compared("transport", budgets, way=way, before=before.over, now=over)
    elif stick.ratio > budgets.list_ratio * before.ratio and (stick.ratio - before.ratio) * stick.null_ms >= LEAST_MS:
        value = [budgets.list_ratio, before.ratio]
        facts = {"ratio": f"{stick.ratio:.2g}", "before": f"{before.ratio:g}", "limit": f"{budgets.list_ratio:g}"}
        named = {"key": "list-ratio", "record": budgets.record}
        yield finding("load/list-p95", "/tools", says="ratio", value=value, facts={**facts, **named})


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
    status = health.status
    if status in ABSENT:
        return
    if health.problem:
        yield finding("load/health", "/health", says="unreadable", value=health.problem, problem=health.problem)
    elif status is not None and status >= 400:
        yield finding("load/health", "/health", says="status", value=status, status=status)
    for key in health.not_numbers:
        yield finding("load/health", "/health", says="number", value=key, key=key)
    cache, seen = health.cache, health.observability
    if "hit_rate_pct" in cache:
        rate, hits, misses = cache["hit_rate_pct"], cache.get("cache_hits"), cache.get("cache_misses")
        yield from _rate("GET /health", "/health", rate, hits, misses)
    errors, requests = seen.get("total_errors"), seen.get("total_requests")
    if errors is not None and requests is not None and errors > requests:
        facts = {"errors": f"{errors:g}", "requests": f"{requests:g}"}
        yield finding(_AGREE, "/health", says="errors", value="errors", where="GET /health", facts=facts)


_AGREE = "load/counts-agree"


def _rate(where: str, place: str, stated: float, hits: float | None, misses: float | None) -> Iterator[Finding]:
    if not 0 <= stated <= 100:
        yield finding(_AGREE, place, says="range", value=stated, where=where, stated=f"{stated:g}")
    elif hits is not None and misses is not None and hits + misses > 0:
        computed = 100 * hits / (hits + misses)
        if abs(stated - computed) > _RATE_ROOM:
            facts = {"stated": f"{stated:g}", "computed": f"{computed:.1f}", "hits": f"{hits:g}"}
            yield finding(
                _AGREE, place, says="rate", value="rate", where=where, facts={**facts, "misses": f"{misses:g}"}
            )


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
    # The guide's own server divides by requests: then one that is answered without a lookup lowers the rate.
    by_requests = 100 * line.cache_hits / line.requests if line.requests else line.hit_rate
    if abs(line.hit_rate - by_requests) > _RATE_ROOM:
        yield from _rate(where, "/log", line.hit_rate, line.cache_hits, line.cache_misses)
    if line.cache_hits + line.cache_misses > line.requests:
        counts = {"hits": line.cache_hits, "misses": line.cache_misses, "requests": line.requests}
        yield finding(_AGREE, "/log", says="requests", value="requests", where=where, facts=counts)


def _in_flight(log: LogScan, most: int) -> Iterator[Finding]:
    found = [
        (max(line.in_flight or 0, line.peak_in_flight or 0), most if line.max_in_flight is None else line.max_in_flight)
        for line in log.stats
    ]
    flight, limit = max((one for one in found if one[0] > one[1]), default=(0, 0))
    if flight:
        yield finding("load/in-flight", "/log", value="flight", flight=flight, most=limit)


def _storm(log: LogScan, ttl_ms: float) -> Iterator[Finding]:
    for lines in log.runs():
        if not lines or lines[0].at is None or lines[-1].at is None:
            continue
        seconds, builds = lines[-1].at - lines[0].at, lines[-1].build_count - lines[0].build_count
        # One may be under way at either end.
        most = int(seconds * 1_000 / ttl_ms) + 2
        if seconds > 0 and builds > most:
            facts = {"builds": f"{builds:,}", "seconds": f"{seconds:g}", "ttl": f"{ttl_ms:g}", "most": f"{most:,}"}
            yield finding("load/build-storm", "/log", value="storm", facts=facts)
            return


def _interval(log: LogScan, expected: float) -> Iterator[Finding]:
    gaps = [
        after.at - before.at
        for lines in log.runs()
        for before, after in itertools.pairwise(lines)
        if before.at is not None and after.at is not None and after.at > before.at
    ]
    if gaps and abs((usual := median(gaps)) - expected) > _OFF * expected:
        facts = {"median": f"{usual:g}", "expected": f"{expected:g}", "count": len(gaps)}
        yield finding("load/stats-interval", "/log", value="interval", facts=facts)


def probe_findings(probe: Probe, selection: Selection) -> Iterator[Finding]:
    """Everything about a probe but its budgets."""
    yield from list_findings(probe)
    if probe.health is not None:
        yield from health_findings(probe.health)
    if probe.log is not None:
        yield from log_findings(probe.log, selection)


def _milliseconds(value: float) -> str:
    return f"{value:,.0f} ms" if value >= 10 else f"{value:.2g} ms"
