"""What an HTTP endpoint answers to GET (tool schema guide, section 0a)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

import anyio
from msgspec import Struct

from mcp_governor.call.results import server_info_breaches
from mcp_governor.call.validate import ResponseChecker
from mcp_governor.charter.breach import Breach
from mcp_governor.parsing import read_json

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
    place = urlsplit(url).path or "/"
    got = await get_json(url, headers, timeout, _MAX_BYTES)
    if got.status in (404, 410) and may_be_absent:
        return []
    says, found = got.says, got.found
    if got.status not in (None, 200):
        says, found = "status", str(got.status)
    if says:
        says = "failed" if says == "timeout" else says
        return [Breach.of("omni/server-info", "", [says, found], says=says, found=found, place=place)]
    return [replace(one, facts={**one.facts, "place": place}) for one in server_info_breaches(got.value)]


class Got(Struct, frozen=True):
    """What came of one GET.

    Attributes:
        status: of the response; ``None`` if there was none.
        says: why there is no value: ``timeout``, ``failed``, ``stream``, ``size``, ``no-json``; empty if there is one.
        found: the error or the limit.
        value: the JSON value.
    """

    status: int | None
    says: str = ""
    found: str = ""
    value: Any = None


async def get_json(url: str, headers: Mapping[str, str], timeout: float, limit: int) -> Got:
    """Send GET and read JSON; an event stream is not read, and redirects are not followed.

    Args:
        url: the address.
        headers: sent with the request.
        timeout: seconds for the whole response, also for one that never ends.
        limit: maximum size of the body, in bytes; reading stops beyond it.
    """
    import httpx2

    body = bytearray()
    try:
        with anyio.fail_after(timeout):
            async with (
                httpx2.AsyncClient(timeout=timeout, follow_redirects=False) as client,
                client.stream("GET", url, headers={**headers, "Accept": "application/json"}) as answer,
            ):
                if answer.headers.get("Content-Type", "").startswith("text/event-stream"):
                    return Got(answer.status_code, "stream")
                async for piece in answer.aiter_bytes():
                    body += piece
                    if len(body) > limit:
                        return Got(answer.status_code, "size", f"{limit >> 10} KiB")
    except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError) as error:
        is_late = isinstance(error, TimeoutError | httpx2.TimeoutException)
        return Got(None, "timeout" if is_late else "failed", type(error).__name__)
    try:
        return Got(answer.status_code, value=read_json(bytes(body)))
    except (ValueError, RecursionError):
        return Got(answer.status_code, "no-json")
