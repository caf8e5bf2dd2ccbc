"""A probe of a server's list as text: what a maintainer wants to know first, in a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.load.probe import era_label
from mcp_governor.report.groups import count_of
from mcp_governor.report.lines import BLANK, line
from mcp_governor.report.sweep_words import limiter
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.load.health import Health, ServerInfo
    from mcp_governor.load.listing import Caching, EraTimes
    from mcp_governor.load.log_scan import LogScan
    from mcp_governor.load.model import Point
    from mcp_governor.load.payload import Payload
    from mcp_governor.load.probe import Probe
    from mcp_governor.report.lines import Line

TOOLS_SHOWN = 5
"""Most tools that are listed, the largest first: what can be done about size is usually done about these."""

_ENDPOINTS_SHOWN = 3
"""Most endpoints of the health summary that are listed; the JSON has ten."""

_COLUMNS = ("first", "p50", "p95", "p99", "max")


def probe_lines(probe: Probe, *, verbose: int = 0) -> Iterator[Line]:
    """What was measured, in the order in which it matters."""
    if probe.interrupted:
        yield line(("incomplete: ", "bold yellow"), "Ctrl-C ended the run; these are the figures until then", hang=2)
    if probe.log is not None:
        yield from _log_lines(probe.log)
    if probe.health is not None:
        yield from _health_lines(probe.health)
    if probe.info is not None:
        yield _info_line(probe.info)
    yield from _time_lines(probe)
    yield from _size_lines(probe.listing.payload, verbose)
    yield from _caching_lines(probe.listing.caching)
    for sentence in limiter(probe.concurrent, below="leave these runs out with --sequential-only"):
        yield line((sentence, "yellow"), hang=2)
    for note in probe.notes:
        yield line(("note: ", "dim"), visible(note), hang=6)


def _log_lines(log: LogScan) -> Iterator[Line]:
    """Hit rate and failed builds: what the guide calls the primary signals."""
    last = log.last
    read = f"{count_of(log.lines, 'line')} read"
    skipped = f", the {log.skipped_bytes:,} bytes before them not" if log.skipped_bytes else ""
    if last is None:
        yield line(("log: ", "bold"), f"no statistics of tools/list ({read}{skipped})", hang=2)
    else:
        failed = (f"{count_of(last.build_failures, 'failed build')}", "bold red" if last.build_failures else "")
        lookups = f"{last.cache_hits:,} of {last.cache_hits + last.cache_misses:,} lookups"
        yield line(
            ("log: ", "bold"),
            f"hit rate {last.hit_rate:g} % ({lookups}), ",
            failed,
            f" of {last.build_count:,}, {last.requests:,} requests ({read}{skipped})",
            hang=2,
        )
    if log.unreadable:
        yield line(f"{count_of(log.unreadable, 'statistics line')} could not be read.", indent=2)


def _health_lines(health: Health) -> Iterator[Line]:
    if health.problem:
        yield line(("health: ", "bold"), visible(health.problem), hang=2)
        return
    parts = [f"HTTP {health.status}", *([visible(health.ok)] if health.ok else [])]
    if health.cache:
        parts.append("cache " + _numbers(health.cache, "cache_"))
    if health.observability:
        parts.append(_numbers(health.observability, ""))
    yield line(("health: ", "bold"), ", ".join(parts), hang=2)
    shown = list(health.endpoints.items())[:_ENDPOINTS_SHOWN]
    if shown:
        busiest = ", ".join(f"{visible(name)} {count:,.0f}" for name, count in shown)
        yield line(f"busiest endpoints: {busiest}", indent=2, hang=2)


def _numbers(table: object, prefix: str) -> str:
    assert isinstance(table, dict)
    return ", ".join(f"{key.removeprefix(prefix).replace('_', ' ')} {value:g}" for key, value in table.items())


def _info_line(info: ServerInfo) -> Line:
    if info.is_stream:
        said = "GET opens an event stream, so there is none"
    elif info.conforms:
        said = "conforms to omni.agent.server_info.v1"
    else:
        said = info.problem
    return line(("server info: ", "bold"), visible(said), hang=2)


def _time_lines(probe: Probe) -> Iterator[Line]:
    """Cold start, then one row for each era and each concurrent run."""
    listing = probe.listing
    begun = "the connection" if probe.transport == "http" else "the process" if probe.transport == "stdio" else "it"
    yield line(("cold start: ", "bold"), f"{milliseconds(listing.cold_ms)} from the start of {begun} to the first list")
    yield BLANK
    yield line((f"{'tools/list':<34}" + "".join(f"{name:>9}" for name in _COLUMNS), "bold"), fit="cut")
    for era in probe.eras:
        yield _era_row(era)
    for point in probe.concurrent:
        yield _point_row(point)
    stick = listing.yardstick
    if stick is not None:
        yield line(
            f"A list takes {stick.ratio:.2g} times as long as one of a server that only answers "
            f"({milliseconds(stick.null_ms)}; the fastest list of each, {stick.rounds} rounds in turn).",
            hang=2,
        )
    yield BLANK


def _era_row(era: EraTimes) -> Line:
    label = f"{era_label(era.era)}, {milliseconds(era.handshake_ms)}" if era.handshake_ms else era_label(era.era)
    if era.problem:
        return line(f"{label:<34}", (f"not offered: {visible(era.problem)}", "dim"), hang=2)
    lists = era.lists
    times = [era.first_ms, *((lists.p50_ms, lists.p95_ms, lists.p99_ms, lists.max_ms) if lists else (None,) * 4)]
    return line(f"{label:<34}" + "".join(f"{milliseconds(time):>9}" for time in times), fit="cut")


def _point_row(point: Point) -> Line:
    label = f"{point.requests:,} lists, {point.concurrency:,} at a time"
    times = (None, point.p50_ms, point.p95_ms, point.p99_ms, point.max_ms)
    errors = ", ".join(f"{count:,} {visible(kind)}" for kind, count in point.errors.items())
    tail = f"  {point.throughput:,.0f}/s"
    return line(
        f"{label:<34}" + "".join(f"{milliseconds(time):>9}" for time in times) + tail,
        (f"  errors: {errors}" if errors else "", "red"),
        ("  limited by our client" if point.is_client_limited else "", "yellow"),
        (f"  stopped: {visible(point.stopped)}" if point.stopped else "", "yellow"),
        fit="cut",
    )


def _size_lines(sizes: Payload, verbose: int) -> Iterator[Line]:
    yield line(
        ("size: ", "bold"),
        f"{sizes.bytes:,} bytes, about {sizes.tokens:,} tokens for a model, {count_of(len(sizes.tools), 'tool')}",
    )
    shown = sizes.tools if verbose > 0 else sizes.tools[:TOOLS_SHOWN]
    for size in shown:
        yield line(f"{size.tokens:>9,} tokens {size.bytes:>11,} bytes  {visible(size.name)}", fit="cut")
    if len(sizes.tools) > len(shown):
        rest = count_of(len(sizes.tools) - len(shown), "more tool")
        yield line((f"… and {rest}; -v lists them", "dim"), indent=2)
    saved = sizes.savings
    if saved.compaction > 0:
        share = 100 * saved.compaction / sizes.bytes
        yield line(
            f"compaction would save {share:.0f} %: {saved.descriptions:,} bytes of descriptions beyond 140 characters, "
            f"{saved.keys:,} of keys in input schemas",
            indent=2,
            hang=2,
        )
    if saved.copies:
        copies = count_of(saved.copies, "repeated definition")
        yield line(f"{copies}: {saved.definitions:,} bytes", indent=2)
    if saved.lost:
        yield line(f"The guide's compaction would also drop these properties: {_listed(saved.lost)}", indent=2, hang=2)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(visible, names))


def _caching_lines(caching: Caching) -> Iterator[Line]:
    ttl = "no ttlMs" if caching.ttl_ms is None else f"ttlMs {caching.ttl_ms}"
    scope = "no cacheScope" if caching.scope is None else f"cacheScope {visible(caching.scope)[:20]}"
    if caching.same_content:
        same = "all the same"
    elif not caching.same_order:
        same = "in different orders"
    else:
        same = "which differ"
    yield line(("caching: ", "bold"), f"{ttl}, {scope}; {count_of(caching.lists, 'list')} in a row, {same}")
    if caching.rested_ms is not None and caching.repeated_ms is not None:
        yield line(
            f"after a pause of {milliseconds(caching.pause_ms)}, a list takes {milliseconds(caching.rested_ms)}; the "
            f"one right after it {milliseconds(caching.repeated_ms)} (fastest of three)",
            indent=2,
            hang=2,
        )


def milliseconds(value: float | None) -> str:
    """A time for people, with two or three digits."""
    if value is None:
        return "–"
    if value >= 10_000:
        return f"{value / 1_000:,.0f} s"
    return f"{value:,.0f} ms" if value >= 10 else f"{value:.1f} ms" if value >= 1 else f"{value:.2f} ms"
