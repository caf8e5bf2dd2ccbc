"""What an HTTP endpoint answers to GET (tool schema guide, section 0a)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mcp_governor.call.results import server_info_breaches
from mcp_governor.call.validate import ResponseChecker
from mcp_governor.charter.breach import Breach

if TYPE_CHECKING:
    from mcp_governor.catalogue import Selection
    from mcp_governor.findings import Finding
    from mcp_governor.wire import HttpEndpoint

_LARGEST = 64 * 1024
"""Bytes of the answer that are read. The info has a dozen short members; a longer answer is a finding."""


async def check_server_info(endpoint: HttpEndpoint, selection: Selection, *, timeout: float = 10.0) -> list[Finding]:
    """Ask GET of an endpoint and check the server info it answers with.

    Args:
        endpoint: where the server is; its headers are sent.
        selection: the rules that run; without ``omni/server-info`` nothing is asked.
        timeout: seconds for the whole.

    Returns:
        Findings; a server that does not answer is one.
    """
    checker = ResponseChecker(selection)
    if not checker.runs("omni/server-info"):
        return []
    import httpx2

    breaches: list[Breach] = []
    try:
        async with (
            httpx2.AsyncClient(timeout=timeout, follow_redirects=False) as client,
            client.stream("GET", endpoint.url, headers={**endpoint.headers, "Accept": "application/json"}) as answer,
        ):
            body = bytearray()
            async for piece in answer.aiter_bytes():
                body += piece
                if len(body) > _LARGEST:
                    break
        if answer.status_code != 200:
            breaches.append(_broken("status", answer.status_code))
        elif len(body) > _LARGEST:
            breaches.append(_broken("size", f"{_LARGEST >> 10} KiB"))
        else:
            breaches += server_info_breaches(json.loads(bytes(body)))
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        breaches.append(_broken("failed", type(error).__name__))
    except (ValueError, RecursionError):
        breaches.append(_broken("no-json"))
    return checker.findings(breaches, None)


def _broken(says: str, found: str | int = "") -> Breach:
    return Breach.of("omni/server-info", "", [says, found], says=says, found=found)
