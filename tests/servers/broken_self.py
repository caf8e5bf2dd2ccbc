"""Our own server with one thing wrong, for the tests of the self-check: ``python broken_self.py WRONG serve …``."""

from __future__ import annotations

import sys
from typing import Any

from mcp_governor.server import app

_result = app._result
_build = app.build_server


def undeclared_field(envelope: dict[str, Any], **note: str) -> Any:
    """Data with a field that no schema declares."""
    data = envelope["data"]
    return _result({**envelope, "data": {**data, "hidden": 1}} if data else envelope, **note)


def invented_hint(envelope: dict[str, Any], **note: str) -> Any:
    """A follow-up hint that names no tool."""
    return _result({**envelope, "follow_up_hints": ["list_all_rules"]}, **note)


def two_sentences(envelope: dict[str, Any], **note: str) -> Any:
    """An error message of two sentences, with a name of Python in it."""
    error = envelope["error"]
    return _result(
        {**envelope, "error": {**error, "message": "KeyError: 'x'. Look it up."}} if error else envelope, **note
    )


def other_mirror(envelope: dict[str, Any], **note: str) -> Any:
    """Content that is no mirror."""
    return _result(envelope, **note).model_copy(update={"content": _result({}).content})


def without_hint(*given: Any, **named: Any) -> Any:
    """A tool that does not say that it only reads."""
    server = _build(*given, **named)
    server._tool_manager.get_tool("list_rules").annotations = None
    return server


def one_tool_less(*given: Any, **named: Any) -> Any:
    """A tool is gone."""
    server = _build(*given, **named)
    server.remove_tool("list_rules")
    return server


RESULTS = (undeclared_field, invented_hint, two_sentences, other_mirror)
SERVERS = (without_hint, one_tool_less)

if __name__ == "__main__":
    wrong = sys.argv.pop(1)
    for function in RESULTS:
        if function.__name__ == wrong:
            app._result = function
    for function in SERVERS:
        if function.__name__ == wrong:
            import mcp_governor.server

            mcp_governor.server.build_server = function
    from mcp_governor.cli import main

    main()
