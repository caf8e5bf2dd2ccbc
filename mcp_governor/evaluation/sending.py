"""What goes over the wire and comes back: one request for each answer, exactly the tools that were published, bounded.

The libraries below adapt tool definitions to each provider, and newer versions may adapt more. An evaluation of words
is worthless if the words were changed on the way, so each request is compared with the offer before it leaves.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp_governor.evaluation.model import Failure

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from mcp_governor.evaluation.model import Query
    from mcp_governor.evaluation.offering import SentTool

MAX_RESPONSE = 4 * 1024 * 1024
"""Largest response in bytes. The longest answer that is asked for is some 100 KB; reasoning that is sent back encrypted
takes a multiple of that."""


class StoppedError(Exception):
    """A library below was about to send something else than what was offered, or a second request for one answer; or
    the response is larger than :data:`MAX_RESPONSE`."""


@dataclass
class Exchange:
    """One request and its response.

    Attributes:
        query: the query, whose text has to be sent.
        tools: what has to be sent.
        temperature: as it has to be sent; ``None`` for none.
        requests: how many were sent.
        status: of the response; 0 if there was none.
        failure: why it was ended here; ``None`` if it was not.
        changed: what would have been sent differently; empty if nothing.
    """

    query: Query
    tools: Sequence[SentTool]
    temperature: float | None = None
    requests: int = 0
    status: int = 0
    failure: Failure | None = None
    changed: str = ""


_CURRENT: ContextVar[Exchange] = ContextVar("exchange")


@contextmanager
def exchanging(exchange: Exchange) -> Iterator[Exchange]:
    """Everything that is sent inside belongs to this exchange."""
    token = _CURRENT.set(exchange)
    try:
        yield exchange
    finally:
        _CURRENT.reset(token)


def client(timeout: float) -> Any:
    """An ``httpx2.AsyncClient`` for the SDKs, which follows no redirect and keeps the limits of this module.

    Args:
        timeout: seconds for each step of a request.
    """
    import httpx2

    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(timeout),
        # A key must not follow a redirect to another host.
        follow_redirects=False,
        event_hooks={"request": [_before], "response": [_after]},
    )


async def _before(request: Any) -> None:
    exchange = _CURRENT.get()
    # Compressed, a small response could become a huge one.
    request.headers["accept-encoding"] = "identity"
    if exchange.requests:
        exchange.failure = Failure.TRUNCATED
        raise StoppedError("a second request for one answer")
    exchange.changed = difference(exchange, str(request.url.path), await request.aread())
    if exchange.changed:
        raise StoppedError(exchange.changed)
    exchange.requests += 1


async def _after(response: Any) -> None:
    exchange = _CURRENT.get()
    exchange.status = response.status_code
    stated = response.headers.get("content-length", "")
    if response.headers.get("content-encoding"):
        exchange.failure = Failure.MALFORMED
        raise StoppedError("the response is compressed")
    if stated.isdigit() and int(stated) > MAX_RESPONSE:
        exchange.failure = Failure.TOO_LARGE
        raise StoppedError("the response is too large")
    response.stream = _bounded(response.stream, exchange)


def _bounded(stream: Any, exchange: Exchange) -> Any:
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for chunk in stream:
                size += len(chunk)
                if size > MAX_RESPONSE:
                    exchange.failure = Failure.TOO_LARGE
                    raise StoppedError("the response is too large")
                yield chunk

        async def aclose(self) -> None:
            await stream.aclose()

    return Bounded()


def difference(exchange: Exchange, path: str, data: bytes) -> str:
    """What a request would send differently, in one clause; empty if it is exactly what was offered.

    Args:
        exchange: what has to be sent.
        path: of the request; it says which wire format this is.
        data: the body.
    """
    try:
        body = json.loads(data)
        tools, said = _google(body) if path.endswith(":generateContent") else _others(body)
        sent = [_tool(tool) for tool in tools]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        return "the request has an unknown form"
    if len(sent) != len(exchange.tools):
        return f"{len(sent)} of {len(exchange.tools)} tools"
    for tool, one in zip(exchange.tools, sent, strict=True):
        if one != (tool.name, tool.description or "", json.dumps(tool.schema), False):
            return f"tool {tool.published}"
    wanted = {
        "the query": [exchange.query.text],
        "the system prompt": [],
        "the choice of tools": "auto",
        "the temperature": exchange.temperature,
    }
    return next((what for what, value in wanted.items() if said[what] != value), "")


def _others(body: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The tools of a request, and what else it says, to Anthropic and OpenAI (Responses, Chat Completions)."""
    messages = body["input"] if "input" in body else body["messages"]
    system = [_text(item["content"]) for item in messages if item["role"] != "user"]
    system += [_text(body[key]) for key in ("system", "instructions") if body.get(key)]
    choice = body.get("tool_choice") or "auto"
    return [tool.get("function", tool) for tool in body.get("tools") or ()], {
        "the query": [_text(item["content"]) for item in messages if item["role"] == "user"],
        "the system prompt": system,
        "the choice of tools": choice.get("type") if isinstance(choice, dict) else choice,
        "the temperature": body.get("temperature"),
    }


def _google(body: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The same of a request to Google."""
    prompt = body.get("systemInstruction")
    mode = (body.get("toolConfig") or {}).get("functionCallingConfig", {}).get("mode", "AUTO")
    return [tool for group in body.get("tools") or () for tool in group["functionDeclarations"]], {
        "the query": [_text(item["parts"]) for item in body["contents"]],
        "the system prompt": [_text(prompt["parts"])] if prompt else [],
        "the choice of tools": str(mode).lower(),
        "the temperature": (body.get("generationConfig") or {}).get("temperature"),
    }


_SCHEMA_KEYS = ("input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema")


def _tool(tool: dict[str, Any]) -> tuple[str, str, str, bool]:
    """The name, the description, the schema as text (the order of its keys counts), and if strict mode is on."""
    (schema,) = (tool[key] for key in _SCHEMA_KEYS if key in tool)
    return tool["name"], tool.get("description") or "", json.dumps(schema), bool(tool.get("strict"))


def _text(content: Any) -> str:
    """The text of a message: a string, or parts of which each is text."""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)
