"""What a server says of itself over HTTP: ``GET /health`` and the server info (tool schema guide, sections 0a and 0b).

A server need not have either. What it sends is foreign: bounded in bytes and time, and only numbers are taken from it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from msgspec import Struct, field
from msgspec.structs import replace

from mcp_governor.call.agent_info import get_json
from mcp_governor.parsing import exceeds_depth
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.wire import HttpEndpoint

TIMEOUT = 5.0
"""Seconds for one GET: a health check that takes longer fails in every orchestrator (Kubernetes waits 1 s)."""

MAX_BYTES = 256 * 1024
"""Largest response that is read, in bytes: a summary with a hundred endpoints has 20 KB."""

MAX_DEPTH = 20
"""Deepest response that is read, in containers: summaries have three."""

_MAX_NODES = 2_000
"""Most values in which the summaries are looked for: a hundred endpoints with ten numbers each, twice."""

_MAX_ENDPOINTS = 10
"""Most endpoints that are kept: the guide's summary has the top ones only."""

CACHE_KEYS = ("cache_hits", "cache_misses", "cache_refreshes", "hit_rate_pct")
OBSERVABILITY_KEYS = ("total_requests", "total_errors", "in_flight", "max_in_flight")

ABSENT = (404, 405, 410, 501)
"""Statuses of a server that does not have what was asked for."""

_STREAM = "it is an event stream"


class HealthDocument(Struct, frozen=True):
    """The response of ``GET /health``."""

    path: str
    status: int | None = None
    problem: str = ""
    ok: str = field(default="", name="says")
    cache: Mapping[str, float] = field(default_factory=dict)
    observability: Mapping[str, float] = field(default_factory=dict)
    endpoints: Mapping[str, float] = field(default_factory=dict)


class Health(HealthDocument, frozen=True):
    """The response of ``GET /health``, and which members of its summaries are not numbers."""

    not_numbers: tuple[str, ...] = ()


class ServerInfo(Struct, frozen=True):
    """The response to GET on the endpoint itself."""

    path: str
    status: int | None = None
    problem: str = ""
    conforms: bool = False

    @property
    def is_stream(self) -> bool:
        """The endpoint opens an event stream for GET, as MCP allows; then there is no info."""
        return self.problem == _STREAM


def health_url(url: str) -> str:
    """The address of ``/health`` on the origin of an endpoint."""
    return urlunsplit(urlsplit(url)._replace(path="/health", query="", fragment=""))


async def read_health(endpoint: HttpEndpoint, *, timeout: float = TIMEOUT) -> Health:
    """Send ``GET /health`` to the origin of an endpoint, with its headers.

    Args:
        endpoint: the server.
        timeout: seconds for the whole response, also for one that never ends.
    """
    status, problem, body = await _get(health_url(endpoint.url), endpoint.headers, timeout)
    return replace(health_of(body), status=status, problem=problem)


async def read_server_info(endpoint: HttpEndpoint, *, timeout: float = TIMEOUT) -> ServerInfo:
    """Send GET to an endpoint and validate the server info; arguments as for :func:`read_health`."""
    from mcp_governor.omni import server_info

    status, problem, body = await _get(endpoint.url, endpoint.headers, timeout)
    if not problem and status != 200:  # an error with JSON is not an info (tool schema guide, section 0a)
        problem = f"HTTP {status}"
    if not problem:
        try:
            server_info.validate(body)
        except ValueError as error:
            problem = one_line(str(error), 300)
    return ServerInfo(urlsplit(endpoint.url).path or "/", status, problem, conforms=not problem)


async def _get(url: str, headers: Mapping[str, str], timeout: float) -> tuple[int | None, str, Any]:
    """Status, why there is nothing to read, and the JSON value."""
    got = await get_json(url, headers, timeout, MAX_BYTES)
    problem = {
        "": "",
        "timeout": f"no complete response within {timeout:g} s",
        "failed": f"the request failed ({got.found})",
        "stream": _STREAM,
        "size": f"it is longer than {got.found}",
        "no-json": f"HTTP {got.status}, and the body is not JSON",
    }[got.says]
    if got.status in ABSENT and problem != _STREAM:
        problem = f"HTTP {got.status}: the server does not have it"
    elif not problem and exceeds_depth(got.value, MAX_DEPTH):
        problem = f"it is nested deeper than {MAX_DEPTH} levels"
    return got.status, problem, None if problem else got.value


def health_of(body: Any) -> Health:
    """Find the summaries in a response.

    The guide names their members but not where they are, so every object of the response is looked at.
    """
    if not isinstance(body, dict):
        return Health("/health")
    cache: dict[str, Any] = {}
    seen: dict[str, Any] = {}
    endpoints: Any = None
    for node in _objects(body):
        if not cache:
            cache = {key: node[key] for key in CACHE_KEYS if key in node}
        if not seen and ("total_requests" in node or "total_errors" in node):
            seen = {key: node[key] for key in OBSERVABILITY_KEYS if key in node}
            endpoints = node.get("top_endpoints", node.get("endpoints"))
    return Health(
        "/health",
        ok=one_line(str(body.get("status", body.get("ok", ""))), 60),
        cache=_numbers(cache),
        observability=_numbers(seen),
        endpoints=dict(_busiest(endpoints)),
        not_numbers=tuple(key for key, value in {**cache, **seen}.items() if _number(value) is None),
    )


def _objects(root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The objects of a JSON value, the outer ones first, at most :data:`_MAX_NODES` values."""
    queue: list[Any] = [root]
    for seen, node in enumerate(queue):
        if seen >= _MAX_NODES:
            return
        if isinstance(node, dict):
            yield node
        queue += [
            value for value in (node.values() if isinstance(node, dict) else node) if isinstance(value, dict | list)
        ]


def _busiest(endpoints: Any) -> Iterator[tuple[str, float]]:
    """Name and number of requests of each endpoint, of an object or of a list of objects."""
    entries: list[tuple[Any, Any]] = []
    if isinstance(endpoints, dict):
        entries = list(endpoints.items())
    elif isinstance(endpoints, list):
        found = [item for item in endpoints if isinstance(item, dict)]
        entries = [(item.get("endpoint", item.get("path", item.get("route"))), item) for item in found]
    for name, value in entries[:_MAX_ENDPOINTS]:
        if isinstance(value, dict):
            value = value.get("requests", value.get("count", value.get("total_requests")))
        number = _number(value)
        if isinstance(name, str) and number is not None:
            yield one_line(name, 80), number


def _numbers(table: Mapping[str, Any]) -> dict[str, float]:
    return {key: number for key, value in table.items() if (number := _number(value)) is not None}


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
