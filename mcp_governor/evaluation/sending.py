"""What goes over the wire and comes back: one request for each answer, exactly the tools that were published, bounded.

The libraries below adapt tool definitions to each provider, and newer versions may adapt more. An evaluation of words
is worthless if the words were changed on the way, so each request is compared with the offer before it leaves.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp_governor.evaluation.model import Failure

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from mcp_governor.evaluation.offering import SentTool

MAX_RESPONSE = 4 * 1024 * 1024
"""Largest response in bytes. The longest answer that is asked for is some 100 KB; reasoning that is sent back encrypted
takes a multiple of that."""


class ChangedRequestError(Exception):
    """A library below was about to send something else than what was offered."""


class OverLimitError(Exception):
    """A second request for one answer, or a response larger than :data:`MAX_RESPONSE`."""


@dataclass
class Exchange:
    """One request and its response.

    Attributes:
        tools: what has to be sent.
        text: the query, which has to be sent.
        system: the system prompt; empty for none.
        temperature: as it has to be sent; ``None`` for none.
        requests: how many were sent.
        status: of the response; 0 if there was none.
        failure: why it was ended here; ``None`` if it was not.
        changed: what would have been sent differently; empty if nothing.
    """

    tools: Sequence[SentTool]
    text: str
    system: str = ""
    temperature: float | None = None
    requests: int = 0
    status: int = 0
    failure: Failure | None = None
    changed: str = field(default="")


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
        raise OverLimitError("a second request for one answer")
    exchange.changed = difference(exchange, str(request.url.path), await request.aread())
    if exchange.changed:
        raise ChangedRequestError(exchange.changed)
    exchange.requests += 1


async def _after(response: Any) -> None:
    exchange = _CURRENT.get()
    exchange.status = response.status_code
    stated = response.headers.get("content-length", "")
    if (stated.isdigit() and int(stated) > MAX_RESPONSE) or response.headers.get("content-encoding"):
        exchange.failure = Failure.TOO_LARGE if not response.headers.get("content-encoding") else Failure.MALFORMED
        raise OverLimitError("the response is too large or compressed")
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
                    raise OverLimitError("the response is too large")
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
        said = _Said.read(path, body)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        return "the request has an unknown form"
    if len(said.tools) != len(exchange.tools):
        return f"{len(said.tools)} of {len(exchange.tools)} tools"
    for tool, (name, description, schema, strict) in zip(exchange.tools, said.tools, strict=True):
        if name != tool.name:
            return f"the order or the name of tool {tool.published}"
        if (description or "") != (tool.description or ""):
            return f"the description of tool {tool.published}"
        if json.dumps(schema) != json.dumps(tool.schema):
            return f"the input schema of tool {tool.published}"
        if strict:
            return f"strict mode of tool {tool.published}"
    if said.queries != [exchange.text]:
        return "the query"
    if said.system != ([exchange.system] if exchange.system else []):
        return "the system prompt"
    if said.choice not in (None, "auto"):
        return "the choice of tools"
    return "" if said.temperature == exchange.temperature else "the temperature"


@dataclass
class _Said:
    """What a request says, in any of the four wire formats."""

    tools: list[tuple[str, str | None, Any, bool]]
    queries: list[str]
    system: list[str]
    choice: str | None
    temperature: float | None

    @classmethod
    def read(cls, path: str, body: dict[str, Any]) -> _Said:
        if path.endswith(":generateContent"):
            return cls._google(body)
        messages = body["input" if path.endswith("/responses") else "messages"]
        queries = [_text(item["content"]) for item in messages if item["role"] == "user"]
        system = [_text(item["content"]) for item in messages if item["role"] != "user"]
        system += [_text(body[key]) for key in ("system", "instructions") if body.get(key)]
        tools = [_tool(tool.get("function", tool)) for tool in body.get("tools") or ()]
        choice = body.get("tool_choice")
        choice = choice.get("type") if isinstance(choice, dict) else choice
        return cls(tools, queries, system, choice, body.get("temperature"))

    @classmethod
    def _google(cls, body: dict[str, Any]) -> _Said:
        queries = [_text(item["parts"]) for item in body["contents"]]
        prompt = body.get("systemInstruction")
        tools = [_tool(tool) for group in body.get("tools") or () for tool in group["functionDeclarations"]]
        mode = (body.get("toolConfig") or {}).get("functionCallingConfig", {}).get("mode", "AUTO")
        temperature = (body.get("generationConfig") or {}).get("temperature")
        return cls(tools, queries, [_text(prompt["parts"])] if prompt else [], str(mode).lower(), temperature)


_SCHEMA_KEYS = ("input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema")


def _tool(tool: dict[str, Any]) -> tuple[str, str | None, Any, bool]:
    (schema,) = (tool[key] for key in _SCHEMA_KEYS if key in tool)
    return tool["name"], tool.get("description"), schema, bool(tool.get("strict"))


def _text(content: Any) -> str:
    """The text of a message: a string, or parts of which each is text."""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)
