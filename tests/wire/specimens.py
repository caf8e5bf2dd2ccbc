"""Conversations in which every member of every message is there, and each of them with one member changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

LEGACY, MODERN = "2025-11-25", "2026-07-28"
META = {"example.com/a": 1}
ICONS = [{"src": "https://example.com/a.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}]
NOTES = {"audience": ["user"], "priority": 0.5, "lastModified": "2026-01-02T03:04:05Z"}
SERVER = {
    "name": "specimen",
    "title": "Specimen",
    "version": "1.0.0",
    "description": "d",
    "websiteUrl": "https://example.com",
    "icons": ICONS,
}
TOOL = {
    "name": "find",
    "title": "Find",
    "description": "Finds.",
    "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
    "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    "annotations": {
        "title": "Find",
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    },
    "icons": ICONS,
    "_meta": META,
}
PROMPT = {
    "name": "p",
    "title": "P",
    "description": "d",
    "icons": ICONS,
    "arguments": [{"name": "x", "title": "X", "description": "d", "required": True}],
    "_meta": META,
}
RESOURCE = {
    "uri": "config://app",
    "name": "App",
    "title": "App",
    "description": "d",
    "mimeType": "text/plain",
    "size": 3,
    "icons": ICONS,
    "annotations": NOTES,
    "_meta": META,
}
TEMPLATE = {key: value for key, value in RESOURCE.items() if key not in ("uri", "size")} | {"uriTemplate": "a://{b}"}
CONTENT: dict[str, dict[str, Any]] = {
    "text": {"text": "a"},
    "image": {"data": "AAAA", "mimeType": "image/png"},
    "audio": {"data": "AAAA", "mimeType": "audio/wav"},
    "resource_link": {key: value for key, value in RESOURCE.items() if key not in ("annotations", "_meta")},
    "resource": {"resource": {"uri": "a://b", "mimeType": "text/plain", "text": "a", "_meta": META}},
}
BLOCKS = [{"type": kind, **rest, "annotations": NOTES, "_meta": META} for kind, rest in CONTENT.items()]
BLOCKS.append({"type": "resource", "resource": {"uri": "a://b", "mimeType": "a/b", "blob": "AAAA", "_meta": META}})
CAPABILITIES = {
    "experimental": {"x": {}},
    "logging": {},
    "completions": {},
    "prompts": {"listChanged": True},
    "resources": {"subscribe": True, "listChanged": True},
    "tools": {"listChanged": True},
    "extensions": {"example.com/x": {}},
}
TASKS = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}

_LISTS = {
    "tools/list": {"tools": [TOOL]},
    "prompts/list": {"prompts": [PROMPT]},
    "resources/list": {"resources": [RESOURCE]},
    "resources/templates/list": {"resourceTemplates": [TEMPLATE]},
}
_CALL = {"content": BLOCKS, "structuredContent": {"n": 1}, "isError": False}
_CACHED = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"}


def _unshared(value: Any) -> Any:
    """A copy in which no two places are the same object."""
    return json.loads(json.dumps(value))


def conversation(protocol: str) -> dict[str, Any]:
    """Method → result, with every member that the protocol has."""
    if protocol < MODERN:
        tool = {**TOOL, "execution": {"taskSupport": "optional"}}
        lists = {**_LISTS, "tools/list": {"tools": [tool]}}
        return _unshared(
            {
                "initialize": {
                    "protocolVersion": protocol,
                    "capabilities": {**CAPABILITIES, "tasks": TASKS},
                    "serverInfo": SERVER,
                    "instructions": "Use it.",
                    "_meta": META,
                },
                **{method: {**result, "_meta": META} for method, result in lists.items()},
                "tools/call": {**_CALL, "_meta": META},
            }
        )
    meta = {**META, "io.modelcontextprotocol/serverInfo": SERVER}
    discovered = {"supportedVersions": [protocol], "capabilities": CAPABILITIES, "instructions": "Use it."}
    return _unshared(
        {
            "server/discover": {**discovered, **_CACHED, "_meta": meta},
            **{method: {**result, **_CACHED, "_meta": meta} for method, result in _LISTS.items()},
            "tools/call": {**_CALL, "resultType": "complete", "_meta": meta},
        }
    )


@cache
def _texts(protocol: str) -> dict[str, str]:
    return {method: json.dumps(result) for method, result in conversation(protocol).items()}


class Mutation(NamedTuple):
    """One changed member.

    Attributes:
        protocol: the protocol of the conversation.
        method: whose result was changed.
        path: the member, as keys and indices.
        value: what it is now; ``ABSENT`` if it was taken out.
    """

    protocol: str
    method: str
    path: tuple[str | int, ...]
    value: Any

    @property
    def place(self) -> str:
        """The changed member, readable."""
        return f"{self.protocol} {self.method} /{'/'.join(map(str, self.path))}"

    @property
    def change(self) -> str:
        """What it is now, readable."""
        return "absent" if self.value is ABSENT else json.dumps(self.value)

    def result(self) -> Any:
        """The changed result."""
        whole = {"": json.loads(_texts(self.protocol)[self.method])}
        at: Any = whole
        *way, last = ("", *self.path)
        for key in way:
            at = at[key]
        if self.value is ABSENT:
            del at[last]
        else:
            at[last] = self.value
        return whole[""]


ABSENT = object()
_WRONG = (None, "x", 7, True, [], {}, [None], {"x": None})
_AT: dict[str, tuple[Any, ...]] = {
    "priority": (5, -1, 0, 1),
    "ttlMs": (-1, 1.5),
    "size": (-1, 1.5),
    "lastModified": ("2026-01-02T03:04:05", "2026-02-30T03:04:05Z", "2026-01-02T03:04+01:00"),
    "data": ("AAA", "A", "AA==", "A A", "A=", "-_-_"),
    "type": ("video",),
    "theme": ("light",),
    "audience": (["all"], ["assistant"]),
}
_MORE = {"nextCursor": (None, 7), "toolResult": (None,), "zzz": (None, 7)}
_OPAQUE = ("_meta", "structuredContent")
"""Members whose content the protocol leaves open; they are looked into once."""


def _inside(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if path and path[-1] in _OPAQUE and path[:-1] != ():
        return
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, key), item
        if isinstance(item, dict | list):
            yield from _inside(item, (*path, key))


def mutations(protocol: str) -> Iterator[Mutation]:
    """Every member of every message: absent, null, and each type that it is not; and a few values out of range."""
    for method, result in conversation(protocol).items():
        for path, value in _inside(result, ()):
            if isinstance(path[-1], str):
                yield Mutation(protocol, method, path, ABSENT)
            for wrong in _WRONG:
                if type(wrong) is not type(value) or wrong in ([None], {"x": None}, "x"):
                    yield Mutation(protocol, method, path, wrong)
            for odd in _AT.get(str(path[-1]), ()):
                yield Mutation(protocol, method, path, odd)
        for key, values in _MORE.items():
            yield from (Mutation(protocol, method, (key,), value) for value in values)
