"""End-to-end success of an evaluation: the first call of each right answer is made on the live server.

A task succeeds if the tool is right, the input schema accepts the arguments, and the status of the result is good. A
wrong choice fails without a call. A task that only tools with a possible effect can do is left out, whatever was
chosen, so that a server that writes much does not seem worse than it is.

A server's words can make a model that reads them send anything. So a chosen call passes the same gates as the
calls of ``check``: only tools that read, no secrets, no paths of the system, no private addresses. There is no way to
allow a write.
"""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcp_governor.call.cases import CallSettings
from mcp_governor.call.guard import Guard
from mcp_governor.call.outcome import first_words
from mcp_governor.call.plan import doubts, refusal
from mcp_governor.call.run import call_once
from mcp_governor.evaluation.metrics import measure
from mcp_governor.evaluation.model import GUARDED, INVALID, LIMIT, NOT_MADE, UNDECIDED, WRITES, WRONG, Executed
from mcp_governor.evaluation.pacing import Clock
from mcp_governor.secrets import REDACTED, redact_json
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from mcp_governor.evaluation.metrics import Score
    from mcp_governor.evaluation.model import Choice, Run
    from mcp_governor.evaluation.record import Evaluation
    from mcp_governor.surface import Surface, Tool
    from mcp_governor.wire import Session

MAX_CALLS = 1_000
"""Maximum number of calls for one evaluation: 300 queries to three models, of which few calls are the same."""

TIMEOUT = 30.0
"""Seconds for one call, as for the calls of ``check``."""

_RESULT_BYTES = 10 * 1024 * 1024
"""Largest result in bytes, as for the calls of ``check``."""


async def execute_choices(
    evaluation: Evaluation,
    surface: Surface,
    opened: Callable[[], AbstractAsyncContextManager[Session]],
    *,
    seconds: float,
    read_only: Sequence[str] = (),
    timeout: float = TIMEOUT,
    clock: Clock | None = None,
) -> Evaluation:
    """Make the calls of an evaluation, each different one once, one after the other.

    Args:
        evaluation: the answers. Proxies choose no arguments, and are left as they are.
        surface: what the server publishes.
        opened: opens a session with the server; it is not started if there is nothing to call.
        seconds: no call begins later.
        read_only: globs for names of tools without hints that the user declares to read only.
        timeout: seconds for one call.
        clock: the time; the system's by default.

    Returns:
        The evaluation with an outcome in each answer to a query that a tool fits.

    Raises:
        UnreachableError: the server cannot be started (again).
    """
    clock = clock or Clock()
    end = clock.now() + seconds
    session: Session | None = None
    known: dict[str, Executed] = {}

    async def made(choice: Choice) -> Executed:
        nonlocal session
        key = json.dumps([choice.tool, dict(choice.arguments or {})], sort_keys=True)
        if key not in known:
            if len(known) >= MAX_CALLS or clock.now() >= end:
                return Executed(NOT_MADE, LIMIT)
            if session is None:
                session = await stack.enter_async_context(opened())
            known[key] = await execute(choice, session, surface, read_only=read_only, timeout=timeout)
            if known[key].ended_session:
                session = None
                # A server that hangs or has ended is not kept until the last call.
                await stack.aclose()
        return known[key]

    async def executed(run: Run) -> Run:
        scores = {one.query.id: one for one in measure(run, evaluation.queries, evaluation.tools).scores}
        answers = []
        for answer in run.answers:
            score, outcome = scores.get(answer.query), None
            if score is not None and score.right is not None and score.query.gold:
                outcome = without_call(score, surface, read_only) or await made(answer.choices[0])
            answers.append(replace(answer, outcome=outcome))
        return replace(run, answers=tuple(answers))

    async with AsyncExitStack() as stack:
        runs = [run if run.runner.is_proxy else await executed(run) for run in evaluation.runs]
    return replace(evaluation, runs=tuple(runs))


def without_call(score: Score, surface: Surface, read_only: Sequence[str] = ()) -> Executed | None:
    """What is known of a task before its call is made; ``None`` if the call decides.

    Args:
        score: of an answer that is judged, to a query that a tool fits.
        surface, read_only: as for :func:`execute_choices`.
    """
    right = bool(score.right)
    named = (score.label,) if right else score.query.gold
    tools = [surface.by_name[name] for name in named if name in surface.by_name]
    reasons = [why_not(tool, surface, read_only) for tool in tools]
    if reasons and all(reasons):
        return Executed(NOT_MADE, WRITES, reasons[0])
    if not right:
        return Executed(NOT_MADE, WRONG)
    if score.arguments == "undecided":
        return Executed(NOT_MADE, UNDECIDED)
    return None if score.arguments == "valid" else Executed(NOT_MADE, INVALID)


async def execute(
    choice: Choice, session: Session, surface: Surface, *, read_only: Sequence[str] = (), timeout: float = TIMEOUT
) -> Executed:
    """Make the call that a model chose, once, if its tool only reads and its arguments may be sent.

    Args:
        choice: what the model asked for: a tool of the server, with arguments.
        session: open, with the server of the surface.
        surface: what the server publishes.
        read_only: globs for names of tools without hints that the user declares to read only.
        timeout: seconds.

    Returns:
        What came of it. Failures of the server are reported, not raised.
    """
    tool = surface.by_name[choice.tool]
    if reason := why_not(tool, surface, read_only):
        return Executed(NOT_MADE, WRITES, reason)
    arguments = dict(choice.arguments or {})
    # With a secret, or with what a recording has in its place, it is not the call that was chosen.
    secret = redact_json(arguments) is not arguments or REDACTED in json.dumps(arguments, ensure_ascii=False)
    if secret or not Guard(read_only=True).allows(arguments):
        return Executed(NOT_MADE, GUARDED, "an argument may not be sent: a secret, a path or a private address")
    response, outcome, size = await call_once(session, tool.name, arguments, timeout, _RESULT_BYTES)
    if response is None:
        # Messages of the wire name the command with its paths, which do not belong into a committed file.
        said = f"a result of {size:,} bytes" if isinstance(size, int) else _UNANSWERED[outcome.status]
        return Executed(outcome.status, said=said.format(timeout))
    return Executed(outcome.status, one_line(outcome.kind, 80), first_words(response) if outcome.failed else "")


_UNANSWERED = {
    "timeout": "no response within {:g} s",
    "died": "the server ended, or its connection was lost",
    "too-large": "a response beyond the limits of a connection",
    "protocol": "no response as MCP has it",
}
"""What is said of a call without a response, by its status."""


def why_not(tool: Tool, surface: Surface, read_only: Sequence[str] = ()) -> str:
    """Why a tool may not be called: it is not certain that it only reads. Empty if it may be.

    Args:
        tool: of the surface.
        surface, read_only: as for :func:`execute`.
    """
    return refusal(tool, CallSettings(read_only=tuple(read_only))) or doubts(surface)(tool) or ""
