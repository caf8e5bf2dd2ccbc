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


if __name__ == "__main__":
    wrong = sys.argv.pop(1)
    if wrong == "undeclared_field":
        app._result = undeclared_field
    else:
        import mcp_governor.server

        mcp_governor.server.build_server = {"without_hint": without_hint, "one_tool_less": one_tool_less}[wrong]
    from mcp_governor.cli import main

    main()
