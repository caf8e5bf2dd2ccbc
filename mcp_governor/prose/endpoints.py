"""Addresses of an API in prose, to which a model is sent though it can call tools only: "call GET /me first"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.words import name_words, stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.prose.alike_names import Names

_METHODS = ("GET ", "POST ", "PUT ", "PATCH ", "DELETE ")
_ENDPOINT = lazy_pattern(
    r"\b(?:[Cc]all|[Uu]se|[Uu]sing|[Vv]ia|[Pp]refer|[Ff]rom|[Rr]un)\s(?:the\s)?\\?`?(?P<method>GET|POST|PUT|PATCH|DELETE)"
    r"\s\\?`?(?P<path>/[\w{][\w{}\-./]{0,80})",
    re.NOFLAG,
)
_VERBS = {"GET": "get", "POST": "create", "PUT": "update", "PATCH": "update", "DELETE": "delete"}
_SAVES = frozenset({"add", "create", "edit", "new", "save", "update"})
_ADDRESSES = frozenset({"endpoint", "path", "uri", "url"})


def endpoints(text: str, tools: Names) -> Iterator[tuple[str, str]]:
    """Addresses of an API that a model is asked to use, each with the tool that seems to do it, or an empty string.

    Args:
        text: any string written for a model.
        tools: the tools of the server.
    """
    if not any(method in text for method in _METHODS):
        return
    for match in _ENDPOINT.finditer(text):
        path = match["path"].rstrip(".")
        yield f"{match['method']} {path}", _tool_for(match["method"], path, tools)


def _tool_for(method: str, path: str, tools: Names) -> str:
    parts = [part for part in path.split("/") if part]
    fixed = [part for part in parts if not part.startswith("{")]
    words = list(name_words(fixed[-1])) if fixed else []
    if words and parts[-1].startswith("{"):
        words[-1] = stem(words[-1])
    named = "_".join((_VERBS[method], *words))
    near = tools.variant(named) or tools.nearest(named) or ""
    return near if words and {stem(word) for word in words} <= {stem(word) for word in name_words(near)} else ""


def sends_requests(name: str, schema: Any) -> bool:
    """True if a tool sends any request, so that an address is something that a model can use.

    A tool that only saves a request has a method and an address as well: "create_request".

    Args:
        name: of the tool.
        schema: its input schema.
    """
    properties: Mapping[str, Any] = schema.get("properties") or {} if isinstance(schema, dict) else {}
    if not isinstance(properties, dict):
        return False
    saves = not _SAVES.isdisjoint(name_words(name))
    for address in _ADDRESSES.intersection(properties):
        value = properties[address]
        said = value.get("description") if isinstance(value, dict) else None
        if "method" in properties and not saves:
            return True
        if address == "endpoint" or (isinstance(said, str) and "endpoint" in said.lower()):
            return True
    return False
