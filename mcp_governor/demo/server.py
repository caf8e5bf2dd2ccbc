"""A small MCP server over stdio, in two releases: the packaged example that ``mcp-governor demo`` governs.

It needs nothing but the standard library, and answers calls from a stock of two books. Release 2 does what a hurried
release does: it makes an argument required, adds a tool that the changelog does not mention, spoils a description, and
calls itself a minor step.

    python -m mcp_governor.demo.server --release 2
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
from typing import Any

PROTOCOLS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")

_READ_ONLY = {"readOnlyHint": True, "openWorldHint": False}


def _string(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


_RELEASE_1: dict[str, Any] = {
    "serverInfo": {"name": "branch-library", "version": "1.0.0"},
    "tools": [
        {
            "name": "search_books",
            "description": "Use this when the reader describes a book in words. Returns at most `limit` titles with "
            "their ISBN, best match first. Use get_book instead when the ISBN is known. Chain search_books with "
            "get_book to show one hit in full.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "query": _string("Words from the title, the author or the subject."),
                    "limit": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": 50,
                        "default": 10,
                        "description": "How many titles to return.",
                    },
                },
                "required": ["query"],
                "additionalProperties": False,
            },
            "outputSchema": {
                "type": "object",
                "properties": {
                    "titles": {
                        "type": "array",
                        "description": "Hits, best match first.",
                        "items": {
                            "type": "object",
                            "properties": {"isbn": _string("ISBN-13."), "title": _string("Full title.")},
                            "required": ["isbn", "title"],
                        },
                    }
                },
                "required": ["titles"],
            },
            "annotations": _READ_ONLY,
        },
        {
            "name": "get_book",
            "description": "Use this when the ISBN is known. Returns title, author, and the branches that hold a copy. "
            "Don't use when the reader only describes the book: search_books finds the ISBN. Chain get_book with "
            "reserve_copy to put a copy aside.",
            "inputSchema": {
                "type": "object",
                "properties": {"isbn": _string("ISBN-13, such as 9780306406157.")},
                "required": ["isbn"],
                "additionalProperties": False,
            },
            "annotations": _READ_ONLY,
        },
        {
            "name": "reserve_copy",
            "description": "Use this when the reader wants to pick a book up. Reserves one copy for a week and returns "
            "the pick-up code. Don't use when no branch holds a copy: get_book lists the branches. Chain get_book with "
            "reserve_copy for a book that was just looked at.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "isbn": _string("ISBN-13, such as 9780306406157."),
                    "branch": _string("Where to pick it up; the reader's home branch if left out."),
                },
                "required": ["isbn"],
                "additionalProperties": False,
            },
            "annotations": {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False},
        },
    ],
}


def _release_2() -> dict[str, Any]:
    surface = copy.deepcopy(_RELEASE_1)
    surface["serverInfo"]["version"] = "1.1.0"
    search, book, reserve = surface["tools"]
    reserve["inputSchema"]["required"].append("branch")
    book["inputSchema"]["properties"]["isbn"] = _string("(integer) The number of the book.")
    search["inputSchema"]["properties"]["language"] = _string("Language to search in, such as en or pt.")
    surface["tools"].append(
        {
            "name": "list_branches",
            "description": "Use this when the reader asks where the library is. Returns every branch with its address "
            "and opening hours. Don't use when one book's branches are wanted: get_book names them.",
            "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
            "annotations": _READ_ONLY,
        }
    )
    return surface


RELEASES = {1: _RELEASE_1, 2: _release_2()}


_BOOKS = (
    {"isbn": "9780306406157", "title": "An Atlas of Tides", "author": "M. Okafor", "branches": ["Harbour", "Central"]},
    {"isbn": "9783161484100", "title": "The Example Garden", "author": "L. Brandt", "branches": ["Central"]},
)
"""The stock; both numbers are the examples of ISBN-13 that everybody prints."""


def _search(arguments: dict[str, Any]) -> dict[str, Any]:
    words = str(arguments["query"]).lower().split()
    found = [book for book in _BOOKS if any(word in f"{book['title']} {book['author']}".lower() for word in words)]
    titles = [{"isbn": book["isbn"], "title": book["title"]} for book in found[: arguments.get("limit", 10)]]
    return {"titles": titles}


def _book(arguments: dict[str, Any]) -> dict[str, Any]:
    for book in _BOOKS:
        if book["isbn"] == arguments["isbn"]:
            return book
    raise LookupError(f"No book has the ISBN {arguments['isbn']}. Find it with search_books.")


def _reserve(arguments: dict[str, Any]) -> dict[str, Any]:
    book = _book(arguments)
    return {"code": f"{book['isbn'][-4:]}-1", "branch": arguments.get("branch", book["branches"][0])}


def _branches(_: dict[str, Any]) -> dict[str, Any]:
    return {"branches": sorted({branch for book in _BOOKS for branch in book["branches"]})}


_ANSWERS = {"search_books": _search, "get_book": _book, "reserve_copy": _reserve, "list_branches": _branches}


def _refusal(tool: dict[str, Any], arguments: dict[str, Any]) -> str:
    """Why arguments do not fit a tool's schema, which uses four keywords; empty if they fit."""
    schema, kinds = tool["inputSchema"], {"string": str, "integer": int}
    for name in schema.get("required", ()):
        if name not in arguments:
            return f"{name} is required."
    for name, value in arguments.items():
        if name not in schema["properties"]:
            return f"{tool['name']} has no parameter {name}."
        wanted = schema["properties"][name]
        if not isinstance(value, kinds[wanted["type"]]) or isinstance(value, bool):
            return f"{name} must be of type {wanted['type']}."
        if isinstance(value, int) and not wanted.get("minimum", value) <= value <= wanted.get("maximum", value):
            return f"{name} must be from {wanted.get('minimum')} to {wanted.get('maximum')}."
    return ""


def _called(surface: dict[str, Any], params: dict[str, Any]) -> dict[str, Any]:
    """The result or the error of one call, as members of a JSON-RPC response."""
    name, arguments = params.get("name"), params.get("arguments") or {}
    tool = next((tool for tool in surface["tools"] if tool["name"] == name), None)
    if tool is None:
        return {"error": {"code": -32602, "message": f"There is no tool {name}."}}
    try:
        refusal = _refusal(tool, arguments)
        if refusal:
            raise LookupError(refusal)
        value = _ANSWERS[tool["name"]](arguments)
    except LookupError as error:
        return {"result": {"content": [{"type": "text", "text": str(error.args[0])}], "isError": True}}
    content = [{"type": "text", "text": json.dumps(value)}]
    return {"result": {"content": content, "structuredContent": value, "isError": False}}


def answer(surface: dict[str, Any], request: dict[str, Any]) -> dict[str, Any] | None:
    """The JSON-RPC response to one message, ``None`` for notifications."""
    if "id" not in request:
        return None
    method, params = request.get("method"), request.get("params") or {}
    reply: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
    if method == "initialize":
        wanted = params.get("protocolVersion")
        reply["result"] = {
            "protocolVersion": wanted if wanted in PROTOCOLS else PROTOCOLS[0],
            "capabilities": {"tools": {}},
            "serverInfo": surface["serverInfo"],
        }
    elif method == "ping":
        reply["result"] = {}
    elif method == "tools/list":
        reply["result"] = {"tools": surface["tools"]}
    elif method == "tools/call":
        reply |= _called(surface, params)
    else:
        reply["error"] = {"code": -32601, "message": f"unknown method {method}"}
    return reply


def main() -> None:
    """Serve one release on standard input and output until the input ends."""
    parser = argparse.ArgumentParser(description="The example server of mcp-governor.")
    parser.add_argument("--release", type=int, choices=sorted(RELEASES), default=1)
    surface = RELEASES[parser.parse_args().release]
    for text in sys.stdin:
        reply = answer(surface, json.loads(text))
        if reply is not None:
            sys.stdout.write(json.dumps(reply) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
