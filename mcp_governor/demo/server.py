"""A small MCP server over stdio, in two releases: the packaged example that ``mcp-governor demo`` governs.

It needs nothing but the standard library. Release 2 does what a hurried release does: it makes an argument
required, adds a tool that the changelog does not mention, spoils a description, and calls itself a minor step.

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
                "properties": {"isbn": _string("ISBN-13, digits only.")},
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
                    "isbn": _string("ISBN-13, digits only."),
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
    search["inputSchema"]["properties"]["language"] = _string("ISO 639-1 code of the language to search in.")
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
        reply["result"] = {"content": [{"type": "text", "text": "The example server holds no books."}], "isError": True}
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
