"""What a model is shown: the tools of a server, and the little that a host has to change before a provider takes them.

A host passes on the name, the description and the input schema of each tool. It changes what a provider refuses:
names with other characters or lengths, and an input schema that is missing. Everything else is sent as it was
published, and a provider that refuses it refuses it to every host.

The libraries below adapt tool definitions to each provider, and newer versions may adapt more. An evaluation of words
is worthless if the words were changed on the way, so each request is compared with the offer before it leaves: one
request for each answer, and a bounded response.
"""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.evaluation.model import Failure
from mcp_governor.files import read_named
from mcp_governor.surface import build_surface
from mcp_governor.surface.file import parse_json, parse_surface
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
    from pathlib import Path

    from mcp_governor.evaluation.model import Query
    from mcp_governor.surface import Surface


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


_SENT_SCHEMA_KEYS = ("input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema")


def _tool(tool: dict[str, Any]) -> tuple[str, str, str, bool]:
    """The name, the description, the schema as text (the order of its keys counts), and if strict mode is on."""
    (schema,) = (tool[key] for key in _SENT_SCHEMA_KEYS if key in tool)
    return tool["name"], tool.get("description") or "", json.dumps(schema), bool(tool.get("strict"))


def _text(content: Any) -> str:
    """The text of a message: a string, or parts of which each is text."""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


_SCHEMA_KEYS = ("input_schema", "schema", "parameters")
"""How lists of tools that are not from a server call ``inputSchema``."""


def offered_tools(surface: Surface) -> tuple[Mapping[str, Any], ...]:
    """The default list: every tool that each client gets, with the three members that a model sees.

    A description or schema that is not published is not invented: the member is absent.
    """
    keys = ("name", "description", "inputSchema")
    return tuple(
        {key: tool.raw[key] for key in keys if key in tool.raw} for tool in surface.tools if tool.opt_in is None
    )


def load_tools(path: Path) -> Surface:
    """The tools in a file: a recorded surface, or a list of tools as published sets have them.

    Raises:
        FileFormatError: the file cannot be read, or is none of these.
    """
    shown = visible(str(path))
    return surface_in(parse_json(read_named(path, shown), shown), shown)


def surface_in(document: Any, shown: str) -> Surface:
    """The surface in a document; published lists call the input schema ``schema``, ``input_schema`` or ``parameters``.

    Raises:
        FileFormatError: it is neither a recorded surface nor a list of tools.
    """
    if isinstance(document, list):
        return build_surface({"tools": [_as_tool(item) for item in document]}, source=shown)
    return parse_surface(json.dumps(document), shown)


def _as_tool(item: Any) -> Any:
    if not isinstance(item, dict) or "inputSchema" in item:
        return item
    key = next((key for key in _SCHEMA_KEYS if key in item), None)
    if key is None:
        return item
    return {("inputSchema" if name == key else name): value for name, value in item.items()}


MAX_NAME = 64
"""Longest name of a tool in characters that all three providers take; some of their models take more."""

_OTHER = {"google": re.compile(r"[^a-zA-Z0-9_.:-]")}
_OTHER_CHARACTERS = re.compile(r"[^a-zA-Z0-9_-]")
"""Characters that no name has: of Anthropic, of OpenAI, and of endpoints that imitate OpenAI."""


class SentTool(Struct, frozen=True):
    """One tool as it is sent.

    Attributes:
        name: as sent.
        published: the name as published.
        description: as published; ``None`` if there is none.
        schema: the input schema as sent.
    """

    name: str
    published: str
    description: str | None
    schema: Mapping[str, Any]


def as_sent(family: str, tools: Sequence[Mapping[str, Any]]) -> tuple[SentTool, ...]:
    """The tools of an offer as a host sends them.

    Args:
        family: ``anthropic``, ``openai``, ``google`` or ``local``.
        tools: in the order shown; their names may be anything, even equal.
    """
    names = _names(family, [str(tool.get("name", "")) for tool in tools])
    return tuple(_as_sent(family, tool, name) for tool, name in zip(tools, names, strict=True))


def _as_sent(family: str, tool: Mapping[str, Any], name: str) -> SentTool:
    description, schema = tool.get("description"), tool.get("inputSchema")
    if not isinstance(schema, dict):
        schema = {"type": "object", "properties": {}}
    elif family in ("openai", "local") and schema.get("type") == "object" and "properties" not in schema:
        # OpenAI refuses the whole request, so each of its hosts adds them.
        schema = {**schema, "properties": {}}
    return SentTool(name, str(tool.get("name", "")), description if isinstance(description, str) else None, schema)


def _names(family: str, published: Sequence[str]) -> list[str]:
    """Names that the provider takes, each once, whatever the order of the tools."""
    taken = {name for name in published if _repaired(family, name) == name}
    given: dict[int, str] = {}
    seen: set[str] = set()
    for index in sorted(range(len(published)), key=lambda index: published[index]):
        name = published[index]
        if name not in taken or name in seen:
            name = _unused(_repaired(family, name), taken)
            taken.add(name)
        seen.add(name)
        given[index] = name
    return [given[index] for index in range(len(published))]


def _repaired(family: str, name: str) -> str:
    name = _OTHER.get(family, _OTHER_CHARACTERS).sub("_", name)[:MAX_NAME] or "tool"
    return f"_{name}"[:MAX_NAME] if family == "google" and not (name[0].isalpha() or name[0] == "_") else name


def _unused(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        ending = f"_{number}"
        free = name[: MAX_NAME - len(ending)] + ending
    return free
