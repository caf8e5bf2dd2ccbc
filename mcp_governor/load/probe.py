"""One look at how a server lists its tools: health, cold start, sizes, latency alone and under load, caching, log; and
that as JSON, ``load probe --json-out``."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from mcp_governor import wire
from mcp_governor.documents import Amount, Count, Governor, joined, written
from mcp_governor.errors import GovernorError
from mcp_governor.findings import Severity  # noqa: TC001
from mcp_governor.load import formulas
from mcp_governor.load.health import (
    Health,
    HealthDocument,
    ServerInfo,
    read_health,
    read_server_info,
)
from mcp_governor.load.listing import LISTS, ROUNDS, Caching, EraTimes, Listing, Measuring, Yardstick, measure_era
from mcp_governor.load.log_scan import LogScan, scan_log
from mcp_governor.load.model import INTERRUPTED, SweepPlan
from mcp_governor.load.opened import is_this_machine, judged_address
from mcp_governor.load.payload import Payload  # noqa: TC001
from mcp_governor.text import one_line
from mcp_governor.wire.duplex import run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mcp_governor.findings import Finding
    from mcp_governor.load.model import Point
    from mcp_governor.load.sweep import Bench
    from mcp_governor.target import LiveSource


_MAX_LINES = 100
"""Most statistics lines in the document, the last ones: what came before is in the log."""


class ProbedServer(Struct, frozen=True):
    """The server, in its own words."""

    name: Any = None
    version: Any = None


class YardstickDocument(Yardstick, frozen=True):
    """The best of several rounds, and that of a server that only answers, measured in turn.

    Attributes:
        ratio: fastest_ms / null_ms.
    """

    ratio: float


class RunDocument(Struct, frozen=True):
    """A concurrent run.

    Attributes:
        ceiling: Requests per second that our client reaches against a null responder.
        is_client_limited: Our client, not the server, may have set the pace.
        retry_after_s: The longest Retry-After of a response, in seconds.
    """

    concurrency: Count
    requests: Count
    errors: Mapping[str, Count]
    seconds: Amount
    throughput: Amount
    p50_ms: Amount | None
    p95_ms: Amount | None
    p99_ms: Amount | None
    max_ms: Amount | None
    ceiling: float | None = field(name="client_ceiling")
    is_client_limited: bool
    retry_after_s: Amount | None
    stopped: str | None


class ProbeFinding(Struct, frozen=True):
    """What is wrong."""

    id: str
    rule: str
    severity: Severity
    tool: str | None
    message: str
    fix: str


class ProbeDocument(Struct, frozen=True, tag_field="format", tag="mcp-governor/load-probe-1", kw_only=True):
    """One look at how a server lists its tools.

    Attributes:
        cold_ms: Start of the process, or of the connection, to the first list.
        interrupted: Ctrl-C ended the run before all was measured.
    """

    governor: Governor = Governor()
    target: str
    transport: Literal["stdio", "http", "object"]
    server: ProbedServer
    cold_ms: Amount = field(name="cold_start_ms")
    eras: Annotated[tuple[EraTimes, ...], Meta(min_length=1)]
    payload: Payload
    caching: Caching
    yardstick: YardstickDocument | None
    concurrent: tuple[RunDocument, ...]
    health: HealthDocument | None
    info: ServerInfo | None = field(name="server_info")
    log: LogScan | None
    findings: tuple[ProbeFinding, ...]
    notes: tuple[str, ...]
    interrupted: bool


def document(probe: Probe, findings: Sequence[Finding] = ()) -> dict[str, Any]:
    """The document."""
    log = probe.log and replace(probe.log, stats=probe.log.stats[-_MAX_LINES:])
    return written(ProbeDocument, joined(probe, probe.listing, log=log, findings=findings))


HTTP_RUNS = ((200, 40), (1_000, 100))
"""Requests and concurrency of the concurrent runs over HTTP: those of the guide's probe (section 0b)."""

STDIO_RUNS = ((40, 2), (100, 4))
"""The same for a stdio server, of which one request in flight is one process: more processes than cores measure the
machine."""

RUN_SECONDS = 60.0
"""Seconds for one concurrent run: a server that answers 17 requests a second still gets through the larger one."""


class ProbePlan(Struct, frozen=True):
    """What to measure.

    Attributes:
        runs: requests and concurrency of each concurrent run; empty for none.
        rounds, lists: rounds in a row, and lists in each.
        other_era: measure the era that the server was not found to speak as well.
        rest: list after a pause, too.
        log: the server's log; ``None`` for none.
        owned: the user says that a host other than this machine is theirs.
        judges_host: refuse another host that is not the user's before it is asked anything.
    """

    runs: tuple[tuple[int, int], ...] | None = None
    rounds: int = ROUNDS
    lists: int = LISTS
    other_era: bool = True
    rest: bool = True
    log: Path | None = None
    owned: bool = False
    judges_host: bool = True


CHEAP = ProbePlan(runs=(), other_era=False, rest=False, judges_host=False)
"""What a check measures: lists in a row over one connection, and the yardstick. It reads whatever server it checks."""


class Probe(Struct, frozen=True):
    """What was measured.

    Attributes:
        target: the server as the user named it, safe to print.
        transport: ``stdio``, ``http`` or ``object``.
        listing: lists over one connection.
        other: the other protocol era; ``None`` if it was not tried.
        concurrent: the concurrent runs.
        health, info: what the server says over HTTP; ``None`` for other transports.
        log: what its log says; ``None`` without a log.
        notes: sentences for the reader: what was not measured, and why.
        interrupted: the user pressed Ctrl-C before everything was measured.
    """

    target: str
    transport: str
    listing: Listing
    other: EraTimes | None = None
    concurrent: tuple[Point, ...] = ()
    health: Health | None = None
    info: ServerInfo | None = None
    log: LogScan | None = None
    notes: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def eras(self) -> tuple[EraTimes, ...]:
        """The eras that were measured, the server's own first."""
        return (self.listing.main, *((self.other,) if self.other is not None else ()))


def run_probe(
    source: LiveSource,
    plan: ProbePlan,
    *,
    open_bench: Callable[[LiveSource, SweepPlan, bool], Bench] | None = None,
    keeps_interrupted: bool = False,
) -> Probe:
    """Probe a server.

    Args:
        source: the server.
        plan: what to measure.
        open_bench: makes the engine of the concurrent runs from the source, their plan, and if the host is the user's;
            by default that of a sweep.
        keeps_interrupted: after Ctrl-C, return what was measured until then, if there is a first list.

    Raises:
        KeyboardInterrupt: the user pressed Ctrl-C, and nothing is to be kept, or there is nothing.
        ServerError: the first list failed.
        NothingCheckedError: the server publishes no tools.
        UsageError: the log cannot be read, or the host is not this machine and not said to be the user's.
    """
    if plan.judges_host and isinstance(source.endpoint, wire.HttpEndpoint):
        judged_address(source.endpoint, owned=plan.owned)
    log = scan_log(plan.log) if plan.log is not None else None  # a wrong path is said before anything is measured
    measuring = Measuring(source, rounds=plan.rounds, per_round=plan.lists, rest=plan.rest)
    done = _Done()
    interrupted = False
    try:
        run(_measure, source, plan, measuring, done)
        _concurrent(source, plan, open_bench or open_own_bench, done)
    except KeyboardInterrupt:
        interrupted = True
    listing = measuring.so_far()
    if listing is None or (interrupted and not keeps_interrupted):
        raise KeyboardInterrupt
    return Probe(
        target=source.shown,
        transport=transport_of(source),
        listing=listing,
        other=done.other,
        concurrent=tuple(done.points),
        health=done.health,
        info=done.info,
        log=log,
        notes=(*listing.notes, *done.notes),
        interrupted=interrupted,
    )


class _Done(Struct):
    """What is measured already, besides the lists of one connection; see :class:`Probe`."""

    other: EraTimes | None = None
    health: Health | None = None
    info: ServerInfo | None = None
    points: list[Point] = []
    notes: list[str] = []


async def _measure(source: LiveSource, plan: ProbePlan, measuring: Measuring, done: _Done) -> None:
    era = await measuring.run()
    if not plan.other_era:
        return
    other = wire.Era.LEGACY if era is wire.Era.MODERN else wire.Era.MODERN
    done.other = await measure_era(source, other, lists=plan.lists)
    if isinstance(source.endpoint, wire.HttpEndpoint):
        done.health = await read_health(source.endpoint)
        done.info = await read_server_info(source.endpoint)


def transport_of(source: LiveSource) -> Literal["stdio", "http", "object"]:
    """How a server is reached."""
    if isinstance(source.endpoint, wire.StdioEndpoint):
        return "stdio"
    return "http" if isinstance(source.endpoint, wire.HttpEndpoint) else "object"


def is_remote(source: LiveSource) -> bool:
    """True for an HTTP server whose address does not lead to this machine for certain; no name is resolved."""
    if not isinstance(source.endpoint, wire.HttpEndpoint):
        return False
    host = urlsplit(source.endpoint.url).hostname or ""
    try:
        return not is_this_machine(host)
    except ValueError:
        return host != "localhost"


def _concurrent(
    source: LiveSource, plan: ProbePlan, open_bench: Callable[[LiveSource, SweepPlan, bool], Bench], done: _Done
) -> None:
    """Make the concurrent runs, or note why there are none. A server that is gone is not asked again.

    Raises:
        KeyboardInterrupt: the user pressed Ctrl-C; ``done`` has what was measured until then.
    """
    transport = transport_of(source)
    runs = plan.runs if plan.runs is not None else HTTP_RUNS if transport == "http" else STDIO_RUNS
    if not runs:
        return
    if transport == "object":
        done.notes.append("No concurrent runs: a server object shares this process, so its queue would be our own.")
        return
    from mcp_governor.load.sweep import client_ceilings

    concurrencies = tuple(concurrency for _, concurrency in runs)
    sweep = SweepPlan(concurrencies, total=max(runs)[0], timeout=source.timeout, seconds=RUN_SECONDS * len(runs))
    try:
        bench = open_bench(source, sweep, plan.owned)
    except GovernorError as error:
        # What was measured before is worth a report, also of a server that cannot be put under load.
        done.notes.append(f"No concurrent runs: {one_line(error.message, 300)}")
        return
    done.notes += bench.notes
    if transport == "stdio":
        shown = " and ".join(f"{total} lists, {concurrency} at a time" for total, concurrency in runs)
        done.notes.append(f"A stdio server has one client, so each request in flight is a process of its own: {shown}.")
    try:
        ceilings = client_ceilings(bench, sweep, lambda _: None)
        for total, concurrency in runs:
            sample = bench.engine.measure(replace(sweep, total=total), concurrency, seconds=RUN_SECONDS)
            done.points.append(formulas.point(concurrency, sample, ceiling=ceilings.get(concurrency)))
            if sample.stopped == INTERRUPTED:
                raise KeyboardInterrupt
            if sample.stopped is not None and not sample.latencies_ms:
                break
    finally:
        bench.engine.close()


def open_own_bench(source: LiveSource, plan: SweepPlan, owned: bool) -> Bench:
    """The engine that a sweep of this server would use; see :func:`mcp_governor.load.opened.open_target` for errors."""
    from mcp_governor.load.opened import Permissions, open_target
    from mcp_governor.load.sweep import default_bench

    return default_bench(open_target(source, plan, Permissions(own_host=owned)), plan, None)


def era_label(era: str) -> str:
    """The handshake of an era, for readers."""
    return "server/discover" if era == wire.Era.MODERN else "initialize"
