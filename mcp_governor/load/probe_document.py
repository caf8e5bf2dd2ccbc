"""A probe as JSON, and the schema of that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from mcp_governor._version import __version__
from mcp_governor.load.probe import EMBED_DIMENSION
from mcp_governor.schemas.dialects import DIALECT_2020_12

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.findings import Finding
    from mcp_governor.load.health import Health, ServerInfo
    from mcp_governor.load.listing import EraTimes, Listing
    from mcp_governor.load.log_scan import LogScan
    from mcp_governor.load.model import Point
    from mcp_governor.load.probe import Probe

FORMAT = "mcp-governor/load-probe-1"

_MAX_LINES = 100
"""Most statistics lines, and most pressure lines, in the document, the last ones: what came before is in the log."""


def document(probe: Probe, findings: Sequence[Finding] = ()) -> dict[str, Any]:
    """The document of ``load probe --json-out``."""
    listing = probe.listing
    return {
        "format": FORMAT,
        "governor": {"version": __version__},
        "target": probe.target,
        "transport": probe.transport,
        "server": {key: listing.server.get(key) for key in ("name", "version")},
        "cold_start_ms": _ms(listing.cold_ms),
        "eras": [_era(era) for era in probe.eras],
        "payload": _payload(listing),
        "caching": _caching(listing),
        "yardstick": _yardstick(listing),
        "concurrent": [_point(point) for point in probe.concurrent],
        "health": None if probe.health is None else _health(probe.health),
        "server_info": None if probe.info is None else _info(probe.info),
        "log": None if probe.log is None else _log(probe.log),
        "embed_dimension": {"value": None, "why": EMBED_DIMENSION},
        "findings": [
            {
                "id": found.id,
                "rule": found.rule,
                "severity": found.severity.value,
                "tool": found.tool,
                "message": found.message,
                "fix": found.fix,
            }
            for found in findings
        ],
        "notes": list(probe.notes),
        "interrupted": probe.interrupted,
    }


def _ms(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _era(era: EraTimes) -> dict[str, Any]:
    if era.problem:
        return {"era": era.era, "problem": era.problem}
    lists = era.lists
    return {
        "era": era.era,
        "protocol": era.protocol,
        "handshake_ms": _ms(era.handshake_ms),
        "first_ms": _ms(era.first_ms),
        "sequential": None if lists is None else {key: _rounded(value) for key, value in asdict(lists).items()},
    }


def _rounded(value: float) -> float:
    return value if isinstance(value, int) else round(value, 3)


def _payload(listing: Listing) -> dict[str, Any]:
    sizes = listing.payload
    return {
        "bytes": sizes.bytes,
        "tokens": sizes.tokens,
        "tools": [{"name": size.name, "bytes": size.bytes, "tokens": size.tokens} for size in sizes.tools],
        "savings": {
            "descriptions": sizes.savings.descriptions,
            "keys": sizes.savings.keys,
            "repeated_definitions": sizes.savings.definitions,
            "copies": sizes.savings.copies,
            "lost_properties": list(sizes.savings.lost),
        },
    }


def _caching(listing: Listing) -> dict[str, Any]:
    caching = listing.caching
    return {
        "ttl_ms": caching.ttl_ms if _is_number(caching.ttl_ms) else None,
        "scope": caching.scope if isinstance(caching.scope, str) else None,
        "lists": caching.lists,
        "same_tools": caching.same_tools,
        "same_order": caching.same_order,
        "same_content": caching.same_content,
        "changed": list(caching.changed),
        "pause_ms": caching.pause_ms,
        "after_pause_ms": _ms(caching.rested_ms),
        "right_after_ms": _ms(caching.repeated_ms),
    }


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _yardstick(listing: Listing) -> dict[str, Any] | None:
    stick = listing.yardstick
    if stick is None:
        return None
    return {
        "rounds": stick.rounds,
        "p95_ms": _ms(stick.p95_ms),
        "p50_ms": _ms(stick.p50_ms),
        "fastest_ms": _ms(stick.fastest_ms),
        "null_ms": _ms(stick.null_ms),
        "ratio": round(stick.ratio, 3),
    }


def _point(point: Point) -> dict[str, Any]:
    return {
        "concurrency": point.concurrency,
        "requests": point.requests,
        "errors": dict(point.errors),
        "seconds": round(point.seconds, 3),
        "throughput": round(point.throughput, 3),
        **{key: _ms(getattr(point, key)) for key in ("p50_ms", "p95_ms", "p99_ms", "max_ms")},
        "client_ceiling": point.ceiling,
        "is_client_limited": point.is_client_limited,
        "retry_after_s": point.retry_after_s,
        "stopped": point.stopped,
    }


def _health(health: Health) -> dict[str, Any]:
    answer = health.answer
    return {
        "path": answer.path,
        "status": answer.status,
        "problem": answer.problem,
        "says": health.ok,
        "cache": dict(health.cache),
        "observability": dict(health.observability),
        "endpoints": dict(health.endpoints),
    }


def _info(info: ServerInfo) -> dict[str, Any]:
    answer = info.answer
    problem = info.problem or answer.problem
    return {"path": answer.path, "status": answer.status, "problem": problem, "conforms": info.conforms}


def _log(log: LogScan) -> dict[str, Any]:
    return {
        "lines": log.lines,
        "skipped_bytes": log.skipped_bytes,
        "unreadable": log.unreadable,
        "stats": [asdict(line) for line in log.stats[-_MAX_LINES:]],
        "pressure": [{"endpoint": line.endpoint, **line.numbers} for line in log.pressure[-_MAX_LINES:]],
        "slow_runtime": log.slow_runtime,
        "loader_lines": log.loader,
    }


def probe_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`document`; readers have to accept members that are added later."""
    return {
        "$schema": DIALECT_2020_12,
        "title": FORMAT,
        **_object(
            {
                "format": {"const": FORMAT},
                "governor": _object({"version": _TEXT}),
                "target": _TEXT,
                "transport": {"enum": ["stdio", "http", "object"]},
                "server": _object({"name": True, "version": True}),
                "cold_start_ms": {
                    **_MS,
                    "description": "Start of the process, or of the connection, to the first list.",
                },
                "eras": {"type": "array", "minItems": 1, "items": _ERA},
                "payload": _PAYLOAD,
                "caching": _CACHING,
                "yardstick": _YARDSTICK,
                "concurrent": {"type": "array", "items": _POINT},
                "health": _HEALTH,
                "server_info": _INFO,
                "log": _LOG,
                "embed_dimension": _object({"value": {"type": "null"}, "why": _TEXT}),
                "findings": {"type": "array", "items": _FINDING},
                "notes": {"type": "array", "items": _TEXT},
                "interrupted": {"type": "boolean", "description": "Ctrl-C ended the run before all was measured."},
            },
            optional=("interrupted",),
        ),
    }


_TEXT: dict[str, Any] = {"type": "string"}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
_NUMBER: dict[str, Any] = {"type": "number"}
_MS: dict[str, Any] = {"type": "number", "minimum": 0}
_MS_OR_NULL: dict[str, Any] = {"type": ["number", "null"], "minimum": 0}
_NUMBERS: dict[str, Any] = {"type": "object", "additionalProperties": _NUMBER}


def _object(properties: dict[str, Any], *, optional: Sequence[str] = ()) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "required": required, "properties": properties}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "type": [schema["type"], "null"]}


_LATENCIES = _object({"count": _COUNT, **{f"{key}_ms": _MS for key in ("min", "p50", "p95", "p99", "max")}})
_ERA = _object(
    {
        "era": {"enum": ["modern", "legacy"]},
        "protocol": _TEXT,
        "handshake_ms": _MS_OR_NULL,
        "first_ms": {**_MS_OR_NULL, "description": "The first list, measured on its own."},
        "sequential": _or_null(_LATENCIES),
        "problem": {**_TEXT, "description": "Why the era was not measured; then there are no times."},
    },
    optional=("protocol", "handshake_ms", "first_ms", "sequential", "problem"),
)
_PAYLOAD = _object(
    {
        "bytes": {**_COUNT, "description": "The result of tools/list as compact JSON, all pages."},
        "tokens": {**_COUNT, "description": "Estimated, over name, description and input schema of all tools."},
        "tools": {
            "type": "array",
            "description": "The largest first.",
            "items": _object({"name": _TEXT, "bytes": _COUNT, "tokens": _COUNT}),
        },
        "savings": _object(
            {
                "descriptions": {"type": "integer", "description": "Bytes that a cap of 140 characters saves."},
                "keys": {"type": "integer", "description": "Bytes of dropped keys in input schemas."},
                "repeated_definitions": _COUNT,
                "copies": _COUNT,
                "lost_properties": {"type": "array", "items": _TEXT},
            }
        ),
    }
)
_CACHING = _object(
    {
        "ttl_ms": {"type": ["number", "null"]},
        "scope": {"type": ["string", "null"]},
        "lists": _COUNT,
        **{key: {"type": "boolean"} for key in ("same_tools", "same_order", "same_content")},
        "changed": {"type": "array", "items": _TEXT},
        "pause_ms": _MS,
        "after_pause_ms": _MS_OR_NULL,
        "right_after_ms": _MS_OR_NULL,
    }
)
_YARDSTICK = _or_null(
    _object(
        {
            "rounds": _COUNT,
            "p95_ms": {**_MS, "description": "Lowest p95 of a round of the server."},
            "p50_ms": {**_MS, "description": "Lowest median of a round of the server."},
            "fastest_ms": {**_MS, "description": "Fastest list of the server."},
            "null_ms": {**_MS, "description": "Fastest list of a server that only answers."},
            "ratio": {**_NUMBER, "description": "fastest_ms / null_ms."},
        }
    )
)
_POINT = _object(
    {
        "concurrency": _COUNT,
        "requests": _COUNT,
        "errors": {"type": "object", "additionalProperties": _COUNT},
        "seconds": _MS,
        "throughput": _MS,
        **dict.fromkeys(("p50_ms", "p95_ms", "p99_ms", "max_ms"), _MS_OR_NULL),
        "client_ceiling": {
            "type": ["number", "null"],
            "description": "Requests per second that our client reaches against a null responder.",
        },
        "is_client_limited": {"type": "boolean", "description": "Our client, not the server, may have set the pace."},
        "retry_after_s": {**_MS_OR_NULL, "description": "The longest Retry-After of a response, in seconds."},
        "stopped": {"type": ["string", "null"]},
    }
)
_ANSWER: dict[str, Any] = {"path": _TEXT, "status": {"type": ["integer", "null"]}, "problem": _TEXT}
_HEALTH = _or_null(
    _object({**_ANSWER, "says": _TEXT, "cache": _NUMBERS, "observability": _NUMBERS, "endpoints": _NUMBERS})
)
_INFO = _or_null(_object({**_ANSWER, "conforms": {"type": "boolean"}}))
_LOG = _or_null(
    _object(
        {
            "lines": _COUNT,
            "skipped_bytes": _COUNT,
            "unreadable": _COUNT,
            "stats": {"type": "array", "items": {"type": "object"}},
            "pressure": {"type": "array", "items": {"type": "object"}},
            "slow_runtime": _TEXT,
            "loader_lines": _COUNT,
        }
    )
)
_FINDING = _object(
    {
        "id": _TEXT,
        "rule": _TEXT,
        "severity": {"enum": ["error", "warning", "info"]},
        "tool": {"type": ["string", "null"]},
        "message": _TEXT,
        "fix": _TEXT,
    }
)
