"""A probe as JSON, ``load probe --json-out``."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from mcp_governor.documents import Amount, Count, Governor, joined, written
from mcp_governor.findings import Severity  # noqa: TC001
from mcp_governor.load.health import HealthDocument, ServerInfo  # noqa: TC001
from mcp_governor.load.listing import Caching, EraTimes, Yardstick
from mcp_governor.load.log_scan import LogScan  # noqa: TC001
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
