"""Prompts, resources, templates and the words of the server."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.change import Verdict
from tests.change.conftest import Comparer

B, C, U = Verdict.BREAKING, Verdict.COMPATIBLE, Verdict.UNKNOWN


def tool(name: str, *arguments: str, description: str = "", **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {key: {"type": "string"} for key in arguments}}
    words = {"description": description} if description else {}
    return {"name": name, "inputSchema": schema, **words, **more}


def prompt(*arguments: Any, **more: Any) -> dict[str, Any]:
    return {"prompts": [{"name": "p", "arguments": list(arguments), **more}]}


def template(uri: str, **more: Any) -> dict[str, Any]:
    return {"resourceTemplates": [{"uriTemplate": uri, "name": "n", **more}]}


def server(instructions: str | None = None, **capabilities: Any) -> dict[str, Any]:
    words = {"instructions": instructions} if instructions is not None else {}
    return {"serverInfo": {"name": "s"}, "capabilities": capabilities, **words}


SIBLINGS: dict[str, tuple[Any, Any, list[tuple[str, str, Verdict]]]] = {
    "prompt argument becomes required": (
        prompt({"name": "a"}),
        prompt({"name": "a", "required": True}),
        [("prompt-argument-required", "/prompts/p/arguments/a", B)],
    ),
    "explicitly optional is optional": (prompt({"name": "a"}), prompt({"name": "a", "required": False}), []),
    "prompt reworded": (
        prompt(description="A."),
        prompt(description="B."),
        [("prompt-or-resource-wording-changed", "/prompts/p/description", C)],
    ),
    "resource that a template still covers": (
        {"resources": [{"uri": "a://x/1"}], **template("a://x/{id}")},
        template("a://x/{id}"),
        [("resource-unlisted", "/resources/a:~1~1x~11", C)],
    ),
    "resource that a new template covers, as another type": (
        {"resources": [{"uri": "a://x/1/2", "mimeType": "text/plain"}]},
        template("a://x/{+id}", mimeType="text/html"),
        [
            ("resource-media-type-changed", "/resources/a:~1~1x~11~12/mimeType", B),
            ("template-added", "/resourceTemplates/a:~1~1x~1{+id}", C),
            ("resource-unlisted", "/resources/a:~1~1x~11~12", C),
        ],
    ),
    "resource beside a template with other literals": (
        {"resources": [{"uri": "a://xy"}], **template("a://.{id}")},
        template("a://.{id}"),
        [("resource-removed", "/resources/a:~1~1xy", B)],
    ),
    "resource meant for other readers": (
        {"resources": [{"uri": "a:x", "annotations": {"audience": ["user"]}}]},
        {"resources": [{"uri": "a:x", "annotations": {"audience": ["assistant"]}}]},
        [("prompt-or-resource-wording-changed", "/resources/a:x/annotations", C)],
    ),
    "template with names that changed places": (
        template("x://{a}/{b}"),
        template("x://{b}/{a}"),
        [("template-variables-renamed", "/resourceTemplates/x:~1~1{a}~1{b}", B)],
    ),
    "template with another name that is part of the address": (
        template("x://{a}{?b}"),
        template("x://{a}{?c}"),
        [("template-changed", "/resourceTemplates/x:~1~1{a}{?b}", B)],
    ),
    "media type of a template that moved": (
        template("file:///{path}", mimeType="text/plain"),
        template("file:///{+path}", mimeType="text/html"),
        [
            ("template-media-type-changed", "/resourceTemplates/file:~1~1~1{path}/mimeType", B),
            ("template-widened", "/resourceTemplates/file:~1~1~1{path}", C),
        ],
    ),
    "media type of a resource that a template covers": (
        {
            "resources": [{"uri": "a:b", "name": "b", "mimeType": "text/plain"}],
            "resourceTemplates": [{"uriTemplate": "a:{x}", "name": "x", "mimeType": "text/html"}],
        },
        {"resourceTemplates": [{"uriTemplate": "a:{x}", "name": "x", "mimeType": "text/html"}]},
        [
            ("resource-media-type-changed", "/resources/a:b/mimeType", B),
            ("resource-unlisted", "/resources/a:b", C),
        ],
    ),
    "sub-capability denied": (server(tools={"listChanged": False}), server(tools={}), []),
    "capabilities of another era": (
        {**server(tools={}, logging={}), "protocolVersion": "2025-11-25"},
        {**server(tools={}), "protocolVersion": "2026-07-28"},
        [],
    ),
    "capabilities of one era, whatever its revisions": (
        {**server(tools={}, logging={}), "protocolVersion": "2024-11-05"},
        {**server(tools={}), "protocolVersion": "2025-11-25"},
        [("capabilities-changed", "/capabilities", C)],
    ),
    "experimental promises nothing": (server(tools={}, experimental={"x": {}}), server(tools={}), []),
    "a bare list of tools says nothing of the server": (
        {**server("A.", tools={}, prompts={}), "tools": [tool("t")]},
        {"tools": [tool("t")]},
        [],
    ),
    "broken entries are not looked into": (
        {"prompts": [7], "resources": [{"name": "x"}], "resourceTemplates": ["y"]},
        {"prompts": [7], "resources": [{"name": "x"}], "resourceTemplates": ["y"]},
        [],
    ),
    "broken entries that change are unknown": (
        {"prompts": [7]},
        {"prompts": [8]},
        [("entry-undecided", "/prompts", U)],
    ),
    "duplicate tools that change are unknown": (
        {"tools": [tool("t", "a"), tool("t", "b")]},
        {"tools": [tool("t", "a"), tool("t", "c")]},
        [("entry-undecided", "/tools", U)],
    ),
}


@pytest.mark.parametrize("name", SIBLINGS)
def test_siblings(comparer: Comparer, name: str) -> None:
    old, new, expected = SIBLINGS[name]
    changes = comparer.surfaces(old, new)
    assert [(change.kind, change.path, change.verdict) for change in changes] == expected
    assert {change.tool for change in changes} <= {None}
