"""Our engines, made ready for one server: the first responses are checked in full, and later ones against them."""

from __future__ import annotations

from collections.abc import Callable, Sequence  # noqa: TC003 - msgspec reads the types
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.errors import UnreachableError, UsageError
from mcp_governor.load.http_engine import HttpEngine, NullEngine
from mcp_governor.load.judge import response_in, split_at_id
from mcp_governor.load.model import Engine, SweepPlan  # noqa: TC001
from mcp_governor.load.opened import Opened  # noqa: TC001
from mcp_governor.load.recipe import (
    DIGITS,
    RESPONSE_FLOOR,
    RESPONSE_GROWTH,
    FirstResponse,
    Recipe,
    http_job,
    recipe_of,
)
from mcp_governor.load.stdio_engine import MAX_PROCESSES, NullStdio, StdioEngine
from mcp_governor.text import one_line
from mcp_governor.wire import HttpEndpoint, StdioEndpoint
from mcp_governor.wire.limits import DEFAULT_LIMITS, Limits


class Bench(Struct, frozen=True):
    """An engine for a server, and what it learned about the responses.

    Attributes:
        engine: measures the server.
        null: makes an engine that measures a null responder the same way; ``None`` if there is none.
        response_bytes: body of one response; ``None`` if it was not measured.
        workers: processes that send.
        notes: sentences for the report.
    """

    engine: Engine
    null: Callable[[], Engine | None]
    response_bytes: int | None = None
    workers: int = 1
    notes: Sequence[str] = ()


def default_bench(opened: Opened, plan: SweepPlan, workers: int | None) -> Bench:
    """Our engine for the transport of a server.

    Raises:
        UnreachableError: no good response came.
        UsageError: the tool answers these arguments with an error, or more processes are asked for than there may be.
    """
    if opened.address is None:
        return _stdio_bench(opened, plan)
    engine, recipe, first = http_engine(opened, plan, workers or 1)
    notes = []
    if recipe.session:
        notes.append("Each client opened a session of its own before its first request.")
    if recipe.expected is None:
        notes.append("Two responses of the server differ in more than their id, so each response was parsed.")
    if opened.address.tls:
        notes.append("The ceiling of the client was measured without TLS, which costs it something as well.")
    null = partial(NullEngine, recipe, first, workers or 1)
    return Bench(engine, null, len(first.body), workers or 1, notes)


def http_engine(opened: Opened, plan: SweepPlan, workers: int) -> tuple[HttpEngine, Recipe, FirstResponse]:
    """Our engine for a server over streamable HTTP, what it sends, and the first response."""
    assert opened.address is not None
    assert isinstance(opened.endpoint, HttpEndpoint)
    job = http_job(opened.endpoint, opened.era, opened.protocol, plan, opened.tools)
    recipe = recipe_of(job, opened.address, longest=DEFAULT_LIMITS.message_bytes, timeout=plan.timeout)
    engine = HttpEngine([recipe] * workers)
    try:
        found, second = _tried(engine, opened, plan), _tried(engine, opened, plan)
        body: bytes = found["body"]
        parts = split_at_id(body, found["number"].encode())
        # Without the id in it (an event of its own, say), any place will do: only the size counts.
        tools = _tools_in(found) if plan.tool is None else None
        first = FirstResponse(body, found["kind"], parts or (body[:-DIGITS], b""), tools)
        is_same = parts is not None and parts == split_at_id(second["body"], second["number"].encode())
        recipe = replace(
            recipe,
            expected=parts if is_same else None,
            kind=first.kind,
            tools=tools,
            session=found["session"],
            longest=max(RESPONSE_FLOOR, RESPONSE_GROWTH * len(body)),
        )
        engine.take([recipe] * workers)
    except BaseException:
        engine.close()
        raise
    return engine, recipe, first


def _tools_in(found: dict[str, Any]) -> list[Any] | None:
    message = response_in(found["kind"], found["body"], int(found["number"]))
    tools = message["result"].get("tools") if message is not None else None
    return tools if isinstance(tools, list) else None


def _tried(engine: HttpEngine, opened: Opened, plan: SweepPlan) -> dict[str, Any]:
    """A response that was checked in full."""
    found = engine.trial()
    if found["failure"] is None:
        return found
    kind = one_line(str(found["failure"]), 60)
    if plan.tool is not None and (kind == "tool-error" or kind.startswith("rpc")):
        raise UsageError(
            f"{opened.shown}: the tool answers these arguments with an error ({kind}).",
            "Name arguments that it accepts: --arguments '{…}'",
        )
    if kind.startswith("http-3"):
        raise UnreachableError(
            f"{opened.shown}: it redirects {plan.method} ({kind}), and a sweep follows no redirects.",
            "Name the final address.",
        )
    hint = _HINTS.get(kind, "Check the server's log.")
    raise UnreachableError(f"{opened.shown}: {plan.method} failed without any load ({kind}).", hint)


_HINTS = {
    "encoding": "It compresses responses although the request asks for none; turn that off.",
    "timeout": "Raise --timeout, or check why it is slow.",
    "tls": "Check the certificate; name the authority of a private one in SSL_CERT_FILE.",
}


def _stdio_bench(opened: Opened, plan: SweepPlan) -> Bench:
    assert isinstance(opened.endpoint, StdioEndpoint)
    most = max(plan.concurrencies)
    if most > MAX_PROCESSES:
        raise UsageError(
            f"A sweep over stdio starts one process for each request in flight, and {most:,} are more than "
            f"{MAX_PROCESSES}.",
            "Name smaller --concurrency-values, or the address of the server over HTTP.",
        )
    limits = Limits(request_timeout=plan.timeout, connect_timeout=DEFAULT_LIMITS.connect_timeout)
    result: dict[str, Any] = {"content": [], "isError": False}
    if plan.tool is None:
        result = {"ttlMs": 0, "cacheScope": "public", "tools": [*opened.tools.values()]}
    note = (
        "Over stdio, each request in flight has a process of the server of its own: this shows what the machine "
        "carries, not how one process queues."
    )
    return Bench(
        StdioEngine(opened.endpoint, opened.era, limits, tools=opened.first_page),
        partial(NullStdio, {"resultType": "complete", **result}, limits),
        notes=(note,),
    )
