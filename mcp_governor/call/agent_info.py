"""What an HTTP endpoint answers to GET (tool schema guide, section 0a)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

import anyio

from mcp_governor.call.results import server_info_breaches
from mcp_governor.call.validate import ResponseChecker
from mcp_governor.charter.breach import Breach

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.findings import Finding
    from mcp_governor.rules import Selection
    from mcp_governor.wire import HttpEndpoint

_MAX_BYTES = 64 * 1024
"""Largest response that is read, in bytes. The info has a dozen short members; a longer response is a finding."""


_SIBLINGS = {"sse": "mcp", "mcp": "sse"}
"""The last part of each of the guide's two addresses → that of the other."""


async def check_server_info(endpoint: HttpEndpoint, selection: Selection, *, timeout: float = 10.0) -> list[Finding]:
    """Send GET to an endpoint and check the server info that it returns.

    For a server at ``/mcp``, ``/sse`` is checked as well, and vice versa; the second address may be absent.

    Args:
        endpoint: where the server is; its headers are sent.
        selection: the rules that run; without ``omni/server-info`` no request is sent.
        timeout: timeout for each address, in seconds.

    Returns:
        Findings. No response is a finding too.
    """
    checker = ResponseChecker(selection)
    if not checker.runs("omni/server-info"):
        return []
    found = await _breaches(endpoint.url, endpoint.headers, timeout)
    sibling = _sibling(endpoint.url)
    if sibling:
        others = await _breaches(sibling, endpoint.headers, timeout, may_be_absent=True)
        # A server that answers at both addresses in the same way has one mistake, not two.
        known = [_mistake(breach) for breach in found]
        found += [breach for breach in others if _mistake(breach) not in known]
    return checker.findings(found, None)


def _mistake(breach: Breach) -> Any:
    return breach.path, breach.says, breach.facts.get("found")


def _sibling(url: str) -> str:
    """The other address of a server; empty if its own is neither ``/sse`` nor ``/mcp``."""
    parts = urlsplit(url)
    folder, _, last = parts.path.rstrip("/").rpartition("/")
    other = _SIBLINGS.get(last)
    return urlunsplit(parts._replace(path=f"{folder}/{other}")) if other else ""


async def _breaches(
    url: str, headers: Mapping[str, str], timeout: float, *, may_be_absent: bool = False
) -> list[Breach]:
    """Breaches in the response of one address to GET."""
    import httpx2

    place = urlsplit(url).path or "/"
    try:
        with anyio.fail_after(timeout):
            status, kind, body = await get_bounded(url, headers, timeout, _MAX_BYTES)
    except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError) as error:
        return [_broken(place, "failed", type(error).__name__)]
    if status in (404, 410) and may_be_absent:
        return []
    if status != 200:
        return [_broken(place, "status", status)]
    if kind.startswith("text/event-stream"):
        return [_broken(place, "stream")]
    if len(body) > _MAX_BYTES:
        return [_broken(place, "size", f"{_MAX_BYTES >> 10} KiB")]
    try:
        return [replace(one, facts={**one.facts, "place": place}) for one in server_info_breaches(json.loads(body))]
    except (ValueError, RecursionError):
        return [_broken(place, "no-json")]


async def get_bounded(url: str, headers: Mapping[str, str], timeout: float, limit: int) -> tuple[int, str, bytes]:
    """Send GET and read the response; an event stream is not read, and redirects are not followed.

    Args:
        url: the address.
        headers: sent with the request.
        timeout: seconds for each step; the caller limits the whole.
        limit: maximum size of the body, in bytes; reading stops beyond it.

    Returns:
        Status, media type and body.
    """
    import httpx2

    body = bytearray()
    async with (
        httpx2.AsyncClient(timeout=timeout, follow_redirects=False) as client,
        client.stream("GET", url, headers={**headers, "Accept": "application/json"}) as answer,
    ):
        kind = answer.headers.get("Content-Type", "")
        if not kind.startswith("text/event-stream"):
            async for piece in answer.aiter_bytes():
                body += piece
                if len(body) > limit:
                    break
        return answer.status_code, kind, bytes(body)


def _broken(place: str, says: str, found: str | int = "") -> Breach:
    return Breach.of("omni/server-info", "", [says, found], says=says, found=found, place=place)
