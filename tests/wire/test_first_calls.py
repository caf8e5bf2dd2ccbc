"""Calls before the list of tools is read, and names in lists, from servers that send anything."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from mcp_governor.errors import ProtocolError
from mcp_governor.wire.recording import make_first_calls, tool_names
from mcp_governor.wire.rpc import RpcError


class Session:
    """A session whose calls give one result, or an error."""

    def __init__(self, given: Any) -> None:
        self.given = given
        self.calls: list[tuple[str, Any]] = []

    async def call_tool(self, name: str, arguments: Any) -> Any:
        self.calls.append((name, arguments))
        if isinstance(self.given, Exception):
            raise self.given
        return self.given

    def explained(self, error: Exception) -> Exception:
        return error


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"isError": True, "content": [{"type": "text", "text": "no such set"}]}, "failed: no such set"),
        ({"isError": True, "content": [{"text": 5}, "x", {"text": "second"}]}, "failed: second"),
        ({"isError": True, "content": 5}, "failed."),
        ({"isError": True}, "failed."),
        ({"resultType": "input_required"}, "failed."),
        (RpcError(-32602, "Unknown tool: a"), "failed: Unknown tool: a"),
    ],
)
def test_a_first_call_that_fails_is_one_sentence(given: Any, said: str) -> None:
    session = Session(given)
    with pytest.raises(ProtocolError) as caught:
        anyio.run(make_first_calls, session, [("a", {"b": 1}), ("c", {})])
    assert caught.value.message.endswith(f"the call of a in call-first {said}")
    assert session.calls == [("a", {"b": 1})]


def test_first_calls_are_made_in_their_order() -> None:
    session = Session({"content": []})
    anyio.run(make_first_calls, session, [("a", {}), ("b", {"c": 1}), ("a", {})])
    assert session.calls == [("a", {}), ("b", {"c": 1}), ("a", {})]


def test_names_of_tools_that_cannot_be_names_are_left_out() -> None:
    assert tool_names([{"name": "a"}, {"name": []}, {"name": {}}, {"name": 5}, {}, "b", None]) == {"a"}
