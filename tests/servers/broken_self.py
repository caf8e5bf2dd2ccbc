"""Our own server with everything wrong that the self-check finds, one thing in each function: for its tests."""

from __future__ import annotations

import functools
from typing import Any

import mcp_governor.server
from mcp_governor.server import app

_build = app.build_server


def undeclared_field(result: Any, envelope: dict[str, Any], **note: str) -> Any:
    """Data with a field that no schema declares."""
    data = envelope["data"]
    return result({**envelope, "data": {**data, "hidden": 1}} if data else envelope, **note)


def invented_hint(result: Any, envelope: dict[str, Any], **note: str) -> Any:
    """A follow-up hint that names no tool."""
    return result({**envelope, "follow_up_hints": ["list_all_rules"]}, **note)


def two_sentences(result: Any, envelope: dict[str, Any], **note: str) -> Any:
    """An error message of two sentences, with a name of Python in it."""
    error = envelope["error"]
    return result(
        {**envelope, "error": {**error, "message": "KeyError: 'x'. Look it up."}} if error else envelope, **note
    )


def other_mirror(result: Any, envelope: dict[str, Any], **note: str) -> Any:
    """Content that is no mirror."""
    return result(envelope, **note).model_copy(update={"content": _result({}).content})


def build(*given: Any, **named: Any) -> Any:
    """A tool does not say that it only reads, and one is gone."""
    server = _build(*given, **named)
    server._tool_manager.get_tool("compare_surfaces").annotations = None
    server.remove_tool("draft_changelog")
    return server


_result = app._result

if __name__ == "__main__":
    for wrong in (undeclared_field, invented_hint, two_sentences, other_mirror):
        app._result = functools.partial(wrong, app._result)
    mcp_governor.server.build_server = build
    from mcp_governor.cli import main

    main()
