"""A sweep as JSON, and the schema of that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor._version import __version__
from mcp_governor.load.histogram import BITS
from mcp_governor.schemas.dialects import DIALECT_2020_12

if TYPE_CHECKING:
    from mcp_governor.load.model import Point, Sweep

FORMAT = "mcp-governor/load-sweep-1"

_ROUND = 3
"""Digits after the point: microseconds of a latency, and more than any throughput is known to."""


def document(sweep: Sweep) -> dict[str, Any]:
    """The document of ``load sweep --json-out``."""
    plan = sweep.plan
    return {
        "format": FORMAT,
        "governor": {"version": __version__},
        "target": sweep.target,
        "transport": sweep.transport,
        "era": sweep.era,
        "protocol": sweep.protocol,
        "engine": sweep.engine,
        "workers": sweep.workers,
        "pool": sweep.pool,
        "response_bytes": sweep.response_bytes,
        "plan": {
            "method": plan.method,
            "tool": plan.params.get("name") if plan.method == "tools/call" else None,
            "loop": plan.loop.value,
            "rate": plan.rate,
            "total": plan.total,
            "warm_up": plan.warm_up,
            "concurrencies": list(plan.concurrencies),
            "p95_slo_ms": plan.p95_slo_ms,
            "p99_slo_ms": plan.p99_slo_ms,
            "timeout_s": plan.timeout,
            "seconds": plan.seconds,
        },
        "points": [_point(item) for item in sweep.points],
        "knee_concurrency": sweep.knee,
        "saturation_concurrency": sweep.saturation,
        "feasible_concurrencies": list(sweep.feasible),
        "recommended_concurrency": sweep.recommended,
        "interrupted": sweep.interrupted,
        "notes": list(sweep.notes),
    }


def _point(item: Point) -> dict[str, Any]:
    return {
        "concurrency": item.concurrency,
        "requests": item.requests,
        "failed": item.failed,
        "errors": dict(item.errors),
        "seconds": round(item.seconds, _ROUND),
        "throughput_rps": round(item.throughput, _ROUND),
        **{
            name: None if value is None else round(value, _ROUND)
            for name, value in (
                ("p50_ms", item.p50_ms),
                ("p95_ms", item.p95_ms),
                ("p99_ms", item.p99_ms),
                ("max_ms", item.max_ms),
                ("mean_ms", item.mean_ms),
                ("client_ceiling_rps", item.ceiling),
            )
        },
        "limited_by_client": item.is_client_limited,
        "retry_after_s": item.retry_after_s,
        "stopped": item.stopped,
        "histogram_us": [list(pair) for pair in item.histogram],
    }


_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}
_AMOUNT = {"type": "number", "minimum": 0}


def _maybe(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}], "description": description}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def sweep_schema() -> dict[str, Any]:
    """A 2020-12 schema that every document satisfies. Objects are open, so that members can be added."""
    milliseconds = _maybe(_AMOUNT, "Milliseconds; null if no request succeeded or timed out.")
    point = _object(
        {
            "concurrency": {"type": "integer", "minimum": 1},
            "requests": _COUNT,
            "failed": _COUNT,
            "errors": {"type": "object", "additionalProperties": _COUNT, "description": "Kind of failure → number."},
            "seconds": _AMOUNT,
            "throughput_rps": {**_AMOUNT, "description": "Successful requests per second."},
            **dict.fromkeys(("p50_ms", "p95_ms", "p99_ms", "max_ms", "mean_ms"), milliseconds),
            "client_ceiling_rps": _maybe(_AMOUNT, "Requests per second of our client against a null responder."),
            "limited_by_client": {"type": "boolean"},
            "retry_after_s": _maybe(_AMOUNT, "The longest Retry-After of a response, in seconds."),
            "stopped": _maybe(_TEXT, "Why fewer requests than planned were sent."),
            "histogram_us": {
                "type": "array",
                "items": {"type": "array", "prefixItems": [_COUNT, _COUNT], "minItems": 2, "maxItems": 2},
                "description": "Lower bound of a bucket in microseconds, and the latencies in it. A bucket keeps the "
                f"{BITS} leading bits of a value. Counts of several reports can be added.",
            },
        }
    )
    plan = _object(
        {
            "method": _TEXT,
            "tool": _maybe(_TEXT, "The tool that is called."),
            "loop": {"enum": ["closed", "open"]},
            "rate": _maybe(_AMOUNT, "Requests per second of the open loop."),
            "total": _COUNT,
            "warm_up": _COUNT,
            "concurrencies": {"type": "array", "items": _COUNT},
            "p95_slo_ms": _AMOUNT,
            "p99_slo_ms": _AMOUNT,
            "timeout_s": _AMOUNT,
            "seconds": _AMOUNT,
        }
    )
    properties = {
        "format": {"const": FORMAT},
        "governor": _object({"version": _TEXT}),
        "target": _TEXT,
        "transport": {"enum": ["http", "stdio"]},
        "era": {"enum": ["modern", "legacy"]},
        "protocol": _TEXT,
        "engine": _TEXT,
        "workers": {"type": "integer", "minimum": 1},
        "pool": _maybe(_COUNT, "Connections that the client may open."),
        "response_bytes": _maybe(_COUNT, "Body of one response."),
        "plan": plan,
        "points": {"type": "array", "items": point},
        "knee_concurrency": _maybe(_COUNT, "p95 jumps here while throughput falls."),
        "saturation_concurrency": _maybe(_COUNT, "From here on, throughput does not grow: a larger one was measured."),
        "feasible_concurrencies": {
            "type": "array",
            "items": _COUNT,
            "description": "Without errors, within both goals.",
        },
        "recommended_concurrency": _maybe(_COUNT, "The best feasible one; null if none is."),
        "interrupted": _maybe(_TEXT, "Why the sweep ended early."),
        "notes": {"type": "array", "items": _TEXT},
    }
    return {"$schema": DIALECT_2020_12, "title": FORMAT, **_object(properties)}
