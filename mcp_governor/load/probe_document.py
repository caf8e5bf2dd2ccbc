"""A probe as JSON, ``load probe --json-out``."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta, Struct, field

from mcp_governor.documents import Amount, Count, Governor, joined, written
from mcp_governor.findings import Severity  # noqa: TC001
from mcp_governor.load.listing import EraTimes  # noqa: TC001
from mcp_governor.load.log_scan import StatsLine  # noqa: TC001
from mcp_governor.load.payload import Payload  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.findings import Finding
    from mcp_governor.load.probe import Probe

_MAX_LINES = 100
"""Most statistics lines in the document, the last ones: what came before is in the log."""


class ProbedServer(Struct, frozen=True):
    """The server, in its own words."""

    name: Any = None
    version: Any = None


class CachingDocument(Struct, frozen=True):
    """What lists of one connection have in common.

    Attributes:
        lists: Number of lists that were compared.
        changed: Names of tools whose definition differs, or that are not in every list.
        rested_ms: The fastest list after a pause.
        repeated_ms: The fastest list right after such a one.
    """

    ttl_ms: int | float | None
    scope: str | None
    lists: Count
    same_tools: bool
    same_order: bool
    same_content: bool
    changed: tuple[str, ...]
    pause_ms: Amount
    rested_ms: Amount | None = field(name="after_pause_ms")
    repeated_ms: Amount | None = field(name="right_after_ms")


class YardstickDocument(Struct, frozen=True):
    """The best of several rounds, and that of a server that only answers, measured in turn.

    Attributes:
        p95_ms: Lowest p95 of a round of the server.
        p50_ms: Lowest median of a round of the server.
        fastest_ms: Fastest list of the server.
        null_ms: Fastest list of a server that only answers.
        ratio: fastest_ms / null_ms.
    """

    rounds: Count
    p95_ms: Amount
    p50_ms: Amount
    fastest_ms: Amount
    null_ms: Amount
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


class HealthDocument(Struct, frozen=True):
    """The response of ``GET /health``."""

    path: str
    status: int | None
    problem: str
    ok: str = field(name="says")
    cache: Mapping[str, float]
    observability: Mapping[str, float]
    endpoints: Mapping[str, float]


class InfoDocument(Struct, frozen=True):
    """The response to GET on the endpoint itself."""

    path: str
    status: int | None
    problem: str
    conforms: bool


class LogDocument(Struct, frozen=True):
    """What the log of the server says."""

    lines: Count
    skipped_bytes: Count
    unreadable: Count
    stats: tuple[StatsLine, ...]
    slow_runtime: str


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
    caching: CachingDocument
    yardstick: YardstickDocument | None
    concurrent: tuple[RunDocument, ...]
    health: HealthDocument | None
    info: InfoDocument | None = field(name="server_info")
    log: LogDocument | None
    findings: tuple[ProbeFinding, ...]
    notes: tuple[str, ...]
    interrupted: bool


def document(probe: Probe, findings: Sequence[Finding] = ()) -> dict[str, Any]:
    """The document."""
    caching, health, info = probe.listing.caching, probe.health, probe.info
    ttl, scope = caching.ttl_ms, caching.scope
    is_number = isinstance(ttl, int | float) and not isinstance(ttl, bool)
    more = {
        "caching": joined(caching, ttl_ms=ttl if is_number else None, scope=scope if isinstance(scope, str) else None),
        "health": health and joined(health, health.answer),
        "info": info and joined(info, info.answer),
        "log": probe.log and joined(probe.log, stats=probe.log.stats[-_MAX_LINES:]),
        "findings": findings,
    }
    return written(ProbeDocument, joined(probe, probe.listing, **more))
