"""Check responses against SCHEMA.md: structured content, a short text summary next to it, and error codes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mcp_governor.call.response import INVALID_PARAMS, Response, leading_json
from mcp_governor.call.results import rpc_only_breaches
from mcp_governor.charter.breach import Breach
from mcp_governor.schemas.pointers import join_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

_CAP = re.compile(r"\b(?:\w+_)?CAP_EXCEEDED\b")
_NAMES = ("code", "kind", "reason", "type", "name", "error", "status")
"""Members of an error's data that name the kind of error."""


def payload_breaches(response: Response, reported: Set[str], most: int) -> Iterator[Breach]:
    """SCHEMA.md, sections 5.2 and 6.1: a success has structured content, a failure is a JSON-RPC error.

    Args:
        response: the response to any call.
        reported: ids of rules that already reported findings about it, so that nothing is reported twice.
        most: most characters of text that it may have.
    """
    if response.result is None:
        return
    if response.is_error:
        yield from rpc_only_breaches(response, "schema-md/error-channel")
        return
    structured = response.structured
    if structured is None and not reported & {"call/structured-missing", "call/result-shape"}:
        yield Breach("schema-md/structured-content", "/structuredContent", None, "missing")
    elif structured is not None and not isinstance(structured, dict):
        yield Breach("schema-md/structured-content", "/structuredContent", structured, "object")
    if "call/result-shape" not in reported:
        yield from _text(response, most)


def _text(response: Response, most: int) -> Iterator[Breach]:
    """Section 6.1: content is a minimal text summary; it is not empty and does not repeat the payload."""
    rule, structured, blocks = "schema-md/content-summary", response.structured, response.text_blocks
    if not any(text.strip() for text in blocks):
        yield Breach(rule, "/content", None, "missing")
        return
    copies = [index for index, text in enumerate(blocks) if _repeats(text, structured)]
    for index in copies:
        yield Breach(rule, f"/content/{index}/text", None, "copy")
    length = sum(map(len, blocks))
    if not copies and length > most:
        yield Breach.of(rule, "/content", length, says="long", length=f"{length:,}", most=f"{most:,}")


def _repeats(text: str, structured: Any) -> bool:
    """True if text repeats the structured content, with or without other text around it."""
    if not isinstance(structured, dict | list) or not structured:
        return False
    starts = [index for index in (text.find("{"), text.find("[")) if index >= 0]
    try:
        return any(leading_json(text[index:]) == structured for index in starts)
    except RecursionError:
        return False


def summary_breaches(response: Response, most: int) -> Iterator[Breach]:
    """SCHEMA.md, section 6.2: a summary in the structured content is short and does not contain credentials.

    Args:
        response: the response to any call.
        most: most characters that it may have.
    """
    from mcp_governor.prose.credentials import credential_in, outline

    summary = response.structured.get("summary") if isinstance(response.structured, dict) else None
    if not isinstance(summary, str):
        return
    rule, path = "schema-md/summary-text", "/structuredContent/summary"
    if len(summary) > most:
        yield Breach.of(rule, path, None, says="long", length=f"{len(summary):,}", most=f"{most:,}")
    found = credential_in(summary)
    if found is not None:
        yield Breach.of(rule, path, None, says="secret", found=outline(found))


def code_breaches(response: Response, label: str) -> Iterator[Breach]:
    """SCHEMA.md, section 5.2: arguments that a schema refuses are INVALID_PARAMS; CAP_EXCEEDED is for runtime caps.

    Args:
        response: the response to a wrong call; only JSON-RPC errors have a code.
        label: the call and what is wrong with it, safe to show.
    """
    if response.error is None:
        return
    rule, code = "schema-md/error-code", response.error.get("code")
    if code != INVALID_PARAMS:
        yield Breach.of(rule, "/error/code", code, says="code", call=label)
        return
    path = _cap_at(response.error)
    if path:
        yield Breach.of(rule, f"/error{path}", "CAP_EXCEEDED", says="cap", call=label)


def _cap_at(error: Mapping[str, Any]) -> str:
    """The path at which an error is called CAP_EXCEEDED, in its data or message; empty if it is not."""
    data = error.get("data")
    inner = data.get("error") if isinstance(data, Mapping) else None
    for base, place in (("/data", data), ("/data/error", inner)):
        if isinstance(place, Mapping):
            for name in _NAMES:
                value = place.get(name)
                if isinstance(value, str) and _CAP.search(value):
                    return join_pointer(base, name)
    message = error.get("message")
    if isinstance(data, str) and _CAP.search(data):
        return "/data"
    return "/message" if isinstance(message, str) and _CAP.search(message) else ""
