"""End-to-end success: the call that a model chose is made, if it is certain to be safe, and its status is read.

A server's words can make a model that reads them send anything. So a chosen call passes the same gates as the
calls of ``check``: only tools that read, no secrets, no paths of the system, no private addresses. There is no way to
allow a write.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import anyio

from mcp_governor.call.guard import Guard
from mcp_governor.call.outcome import first_words, outcome_of
from mcp_governor.call.plan import doubts, refusal
from mcp_governor.call.response import Response, read_response
from mcp_governor.call.settings import CallSettings
from mcp_governor.errors import ProtocolError, TooMuchError, UnreachableError
from mcp_governor.evaluation.executed import GUARDED, MALFORMED, NOT_MADE, UNKNOWN_TOOL, WRITES, Executed
from mcp_governor.secrets import REDACTED, redact_json
from mcp_governor.surface.tokens import json_bytes
from mcp_governor.text import one_line
from mcp_governor.wire import RpcError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.evaluation.model import Choice
    from mcp_governor.surface import Surface, Tool
    from mcp_governor.wire import Session

_TIMEOUT = 30.0
"""Seconds for one call, as for the calls of ``check``."""

_RESULT_BYTES = 10 * 1024 * 1024
"""Largest result in bytes, as for the calls of ``check``."""


async def execute(
    choice: Choice, session: Session, surface: Surface, *, read_only: Sequence[str] = (), timeout: float = _TIMEOUT
) -> Executed:
    """Make the call that a model chose, once, if its tool only reads and its arguments may be sent.

    Args:
        choice: what the model asked for.
        session: open, with the server of the surface.
        surface: what the server publishes.
        read_only: globs for names of tools without hints that the user declares to read only.
        timeout: seconds.

    Returns:
        What came of it. Failures of the server are reported, not raised.
    """
    tool = surface.by_name.get(choice.tool)
    if tool is None:
        return Executed(NOT_MADE, UNKNOWN_TOOL, f"the server has no tool {one_line(choice.tool, 80)}")
    if choice.arguments is None:
        return Executed(NOT_MADE, MALFORMED, "the arguments are not a JSON object")
    if reason := why_not(tool, surface, read_only):
        return Executed(NOT_MADE, WRITES, reason)
    arguments = dict(choice.arguments)
    if _has_secret(arguments) or not Guard(read_only=True).allows(arguments):
        return Executed(NOT_MADE, GUARDED, "an argument may not be sent: a secret, a path or a private address")
    try:
        with anyio.fail_after(timeout):
            # Our time limit has to end the call before that of the session, whose error looks like other failures.
            raw = await session.call_tool(tool.name, arguments, timeout=timeout + 60)
    except TimeoutError:
        return Executed("timeout", said=f"no response within {timeout:g} s")
    except RpcError as error:
        return _judged(read_response({"error": {"code": error.code, "message": error.text, "data": error.data}}))
    # Messages of the wire name the command with its paths, which do not belong into a committed file.
    except UnreachableError:
        return Executed("died", said="the server ended, or its connection was lost")
    except TooMuchError:
        return Executed("too-large", said="a response beyond the limits of a connection")
    except ProtocolError:
        return Executed("protocol", said="no response as MCP has it")
    try:
        size = json_bytes(raw)
    except (ValueError, RecursionError):
        return Executed("protocol", said="the result cannot be read")
    if size > _RESULT_BYTES:
        return Executed("too-large", said=f"a result of {size:,} bytes")
    return _judged(Response.of_result(raw))


def why_not(tool: Tool, surface: Surface, read_only: Sequence[str] = ()) -> str:
    """Why a tool may not be called: it is not certain that it only reads. Empty if it may be.

    Args:
        tool: of the surface.
        surface, read_only: as for :func:`execute`.
    """
    return refusal(tool, CallSettings(read_only=tuple(read_only))) or doubts(surface)(tool) or ""


def _has_secret(arguments: Mapping[str, Any]) -> bool:
    """A secret, or what a recording has in its place: such a call is not the one that was chosen."""
    return redact_json(arguments) is not arguments or REDACTED in json.dumps(arguments, ensure_ascii=False)


def _judged(response: Response) -> Executed:
    outcome = outcome_of(response)
    return Executed(outcome.status, one_line(outcome.kind, 80), first_words(response) if outcome.failed else "")
