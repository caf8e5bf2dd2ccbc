"""What a server says of itself over HTTP: ``GET /health`` and the server info (tool schema guide, sections 0a and 0b).

A server need not have either. What it sends is foreign: bounded in bytes and time, and only numbers are taken from it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

import anyio
from msgspec import Struct, field

from mcp_governor.call.agent_info import get_bounded
from mcp_governor.parsing import exceeds_depth, read_json
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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


class Answer(Struct, frozen=True):
    """What came back for one GET.

    Attributes:
        path: the path that was requested.
        status: HTTP status; ``None`` without a response.
        problem: why the response says nothing, for example ``no response within 5 s``; empty if it could be read.
        body: the JSON value; ``None`` if there is none.
    """

    path: str
    status: int | None = None
    problem: str = ""
    body: Any = None


class Health(Struct, frozen=True):
    """The response of ``GET /health``.

    Attributes:
        answer: status, or why there is nothing to read.
        ok: the server's own ``status`` or ``ok``, on one line; empty if it has none.
        cache: the numbers of the cache summary by name (:data:`CACHE_KEYS`); empty if there is none.
        observability: those of the observability summary (:data:`OBSERVABILITY_KEYS`); empty if there is none.
        endpoints: its busiest endpoints: name → number of requests.
        not_numbers: keys of the summaries whose value is not a number.
    """

    answer: Answer
    ok: str = ""
    cache: Mapping[str, float] = field(default_factory=dict)
    observability: Mapping[str, float] = field(default_factory=dict)
    endpoints: Mapping[str, float] = field(default_factory=dict)
    not_numbers: tuple[str, ...] = ()


class ServerInfo(Struct, frozen=True):
    """The response to GET on the endpoint itself.

    Attributes:
        answer: status, or why there is nothing to read.
        problem: why it is not ``omni.agent.server_info.v1``; empty if it is.
        is_stream: the endpoint opens an event stream for GET, as MCP allows; then there is no info.
    """

    answer: Answer
    problem: str = ""
    is_stream: bool = False

    @property
    def conforms(self) -> bool:
        """True if it is a server info of the guide."""
        return self.answer.body is not None and not self.problem


def health_url(url: str) -> str:
    """The address of ``/health`` on the origin of an endpoint."""
    return urlunsplit(urlsplit(url)._replace(path="/health", query="", fragment=""))


async def read_health(endpoint: HttpEndpoint, *, timeout: float = TIMEOUT) -> Health:
    """Send ``GET /health`` to the origin of an endpoint, with its headers.

    Args:
        endpoint: the server.
        timeout: seconds for the whole response, also for one that never ends.
    """
    return health_of(await _get(health_url(endpoint.url), endpoint.headers, timeout))


async def read_server_info(endpoint: HttpEndpoint, *, timeout: float = TIMEOUT) -> ServerInfo:
    """Send GET to an endpoint and validate the server info; arguments as for :func:`read_health`."""
    from mcp_governor.omni import server_info

    answer = await _get(endpoint.url, endpoint.headers, timeout)
    if answer.problem == _STREAM:
        return ServerInfo(answer, answer.problem, is_stream=True)
    if answer.body is None or answer.status != _OK:
        return ServerInfo(answer, answer.problem or f"HTTP {answer.status}")
    try:
        server_info.validate(answer.body)
    except ValueError as error:
        return ServerInfo(answer, one_line(str(error), 300))
    return ServerInfo(answer)


_OK = 200
"""The only status of a server info (tool schema guide, section 0a): an error with JSON is none."""

_STREAM = "it is an event stream"


async def _get(url: str, headers: Mapping[str, str], timeout: float) -> Answer:
    import httpx2

    path = urlsplit(url).path or "/"
    try:
        with anyio.fail_after(timeout):
            status, kind, body = await get_bounded(url, headers, timeout, MAX_BYTES)
    except (TimeoutError, httpx2.TimeoutException):
        return Answer(path, problem=f"no complete response within {timeout:g} s")
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        return Answer(path, problem=f"the request failed ({type(error).__name__})")
    if kind.startswith("text/event-stream"):
        return Answer(path, status, _STREAM)
    if status in (404, 405, 410, 501):
        return Answer(path, status, f"HTTP {status}: the server does not have it")
    if len(body) > MAX_BYTES:
        return Answer(path, status, f"it is longer than {MAX_BYTES >> 10} KiB")
    try:
        value = read_json(body)
    except (ValueError, RecursionError):
        return Answer(path, status, f"HTTP {status}, and the body is not JSON")
    if exceeds_depth(value, MAX_DEPTH):
        return Answer(path, status, f"it is nested deeper than {MAX_DEPTH} levels")
    return Answer(path, status, body=value)


def health_of(answer: Answer) -> Health:
    """Find the summaries in a response.

    The guide names their members but not where they are, so every object of the response is looked at.
    """
    if not isinstance(answer.body, dict):
        return Health(answer)
    cache: dict[str, Any] = {}
    seen: dict[str, Any] = {}
    endpoints: Any = None
    for node in _objects(answer.body):
        if not cache and any(key in node for key in CACHE_KEYS):
            cache = {key: node[key] for key in CACHE_KEYS if key in node}
        if not seen and ("total_requests" in node or "total_errors" in node):
            seen = {key: node[key] for key in OBSERVABILITY_KEYS if key in node}
            endpoints = node.get("top_endpoints", node.get("endpoints"))
    wrong = [key for table in (cache, seen) for key, value in table.items() if _number(value) is None]
    return Health(
        answer,
        ok=one_line(str(answer.body.get("status", answer.body.get("ok", ""))), 60),
        cache=_numbers(cache),
        observability=_numbers(seen),
        endpoints=dict(_busiest(endpoints)),
        not_numbers=tuple(wrong),
    )


def _objects(root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The objects of a JSON value, the outer ones first, at most :data:`_MAX_NODES` values."""
    queue: list[Any] = [root]
    for seen, node in enumerate(queue):
        if seen >= _MAX_NODES:
            return
        if isinstance(node, dict):
            yield node
            queue += [value for value in node.values() if isinstance(value, dict | list)]
        elif isinstance(node, list):
            queue += [value for value in node if isinstance(value, dict | list)]


def _busiest(endpoints: Any) -> Iterator[tuple[str, float]]:
    """Name and number of requests of each endpoint, of an object or of a list of objects."""
    entries: list[tuple[Any, Any]] = []
    if isinstance(endpoints, dict):
        entries = list(endpoints.items())
    elif isinstance(endpoints, list):
        found = [item for item in endpoints if isinstance(item, dict)]
        entries = [
            (next((item[key] for key in ("endpoint", "path", "route") if key in item), None), item) for item in found
        ]
    for name, value in entries[:_MAX_ENDPOINTS]:
        count = (
            next((value[key] for key in ("requests", "count", "total_requests") if key in value), None)
            if isinstance(value, dict)
            else value
        )
        number = _number(count)
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
