"""One call over an open session, within a time and a size, whatever the server does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import anyio

from mcp_governor.call.outcome import Channel, Outcome, outcome_of
from mcp_governor.call.response import Response, read_response
from mcp_governor.errors import ProtocolError, TooMuchError, UnreachableError
from mcp_governor.wire import RpcError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.wire import Session


async def call_once(
    session: Session, tool: str, arguments: Mapping[str, Any], seconds: float, most: int
) -> tuple[Response | None, Outcome, str | int]:
    """Make a call, and say what came of it.

    Args:
        session: open.
        tool, arguments: of the call.
        seconds: its timeout.
        most: largest result, in bytes of compact JSON.

    Returns:
        The response, its outcome, and why there is no response: what the wire says, or the size of a result beyond
        ``most``. The status is then ``timeout``, ``died``, ``too-large`` or ``protocol``.
    """
    try:
        with anyio.fail_after(seconds):
            # Our timeout must fire before the session's own, because its error looks like other failures.
            raw: Any = await session.call_tool(tool, arguments, timeout=seconds + 60)
    except TimeoutError:
        return _nothing("timeout", "")
    except RpcError as error:
        response = read_response({"error": {"code": error.code, "message": error.text, "data": error.data}})
        return response, outcome_of(response), ""
    except UnreachableError as error:
        return _nothing("died", error.message)
    except TooMuchError as error:
        return _nothing("too-large", error.message)
    except ProtocolError as error:
        return _nothing("protocol", error.message)
    size = _size(raw)
    if size > most:
        return _nothing("too-large", size)
    response = Response.of_result(raw)
    return response, outcome_of(response), ""


def _nothing(status: str, why: str | int) -> tuple[None, Outcome, str | int]:
    return None, Outcome(Channel.NONE, status), why


def _size(raw: Any) -> int:
    try:
        return len(json.dumps(raw, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return 0
