"""End-to-end success: the call that a model chose is made, if it is certain to be safe, and its status is read.

A server's words can make a model that reads them send anything. So a chosen call passes the same gates as the
calls of ``check``: only tools that read, no secrets, no paths of the system, no private addresses. There is no way to
allow a write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

from mcp_governor.call.guard import Guard
from mcp_governor.call.outcome import Channel, Outcome, first_words, outcome_of
from mcp_governor.call.plan import doubts, refusal
from mcp_governor.call.response import Response, read_response
from mcp_governor.call.settings import CallSettings
from mcp_governor.errors import ProtocolError, TooMuchError, UnreachableError
from mcp_governor.frozen import frozen
from mcp_governor.secrets import redact_json
from mcp_governor.surface.tokens import json_bytes
from mcp_governor.text import one_line
from mcp_governor.wire import RpcError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.evaluation.model import Choice
    from mcp_governor.surface import Surface
    from mcp_governor.wire import Session

NOT_MADE = "not-made"
"""Status of a call that was not made; its kind says why."""

_TIMEOUT = 30.0
"""Seconds for one call, as for the calls of ``check``."""

_RESULT_BYTES = 10 * 1024 * 1024
"""Largest result in bytes, as for the calls of ``check``."""


@frozen
class Executed:
    """What came of one chosen call.

    Attributes:
        status: of the envelope (``success``, ``empty``, ``partial``, ``degraded``, ``error``, ``refused``); without an
            envelope ``success``, ``error`` or ``asked-back``; ``timeout``, ``died``, ``protocol`` or ``too-large`` if
            there was no response; :data:`NOT_MADE`.
        kind: error kind of an envelope, code of another error, or why the call was not made: ``unknown-tool``,
            ``malformed``, ``writes``, ``guarded``; empty on success.
        said: one line about it, safe to show.
    """

    status: str
    kind: str = ""
    said: str = ""

    @property
    def made(self) -> bool:
        """True if the server was asked."""
        return self.status != NOT_MADE

    @property
    def succeeded(self) -> bool:
        """True if the call reached its end. An empty, partial or degraded result is not a failure."""
        return self.made and not Outcome(Channel.RESULT, self.status).failed

    @property
    def ended_session(self) -> bool:
        """True if the session may be of no use any more, so that another one has to be opened for the next call."""
        return self.status in ("died", "timeout", "protocol", "too-large")


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
        return Executed(NOT_MADE, "unknown-tool", f"the server has no tool {one_line(choice.tool, 80)}")
    if choice.arguments is None:
        return Executed(NOT_MADE, "malformed", "the arguments are not a JSON object")
    if reason := refusal(tool, CallSettings(read_only=tuple(read_only))) or doubts(surface)(tool):
        return Executed(NOT_MADE, "writes", reason)
    arguments = dict(choice.arguments)
    if redact_json(arguments) is not arguments or not Guard(read_only=True).allows(arguments):
        return Executed(NOT_MADE, "guarded", "an argument may not be sent: a secret, a path or a private address")
    try:
        with anyio.fail_after(timeout):
            # Our time limit has to end the call before that of the session, whose error looks like other failures.
            raw = await session.call_tool(tool.name, arguments, timeout=timeout + 60)
    except TimeoutError:
        return Executed("timeout", said=f"no response within {timeout:g} s")
    except RpcError as error:
        return _judged(read_response({"error": {"code": error.code, "message": error.text, "data": error.data}}))
    except UnreachableError as error:
        return Executed("died", said=one_line(error.message))
    except TooMuchError as error:
        return Executed("too-large", said=one_line(error.message))
    except ProtocolError as error:
        return Executed("protocol", said=one_line(error.message))
    try:
        size = json_bytes(raw)
    except (ValueError, RecursionError):
        return Executed("protocol", said="the result cannot be read")
    if size > _RESULT_BYTES:
        return Executed("too-large", said=f"a result of {size:,} bytes")
    return _judged(Response.of_result(raw))


def _judged(response: Response) -> Executed:
    outcome = outcome_of(response)
    return Executed(outcome.status, one_line(outcome.kind, 80), first_words(response) if outcome.failed else "")
