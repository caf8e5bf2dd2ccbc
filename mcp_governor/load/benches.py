"""Our engines, made ready for one server: the first responses are checked in full, and later ones against them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.errors import UnreachableError, UsageError
from mcp_governor.load.formulas import pool_size
from mcp_governor.load.http_engine import HttpEngine, NullEngine
from mcp_governor.load.judge import response_in, split_at_id
from mcp_governor.load.recipe import DIGITS, RESPONSE_FLOOR, RESPONSE_GROWTH, http_job, recipe_of
from mcp_governor.load.stdio_engine import MAX_PROCESSES, NullStdio, StdioEngine
from mcp_governor.text import one_line
from mcp_governor.wire.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from mcp_governor.load.model import Engine, SweepPlan
    from mcp_governor.load.opened import Opened
    from mcp_governor.wire.rpc import Message

TRIALS = 3
"""Most times that the first request is sent: a server that refuses one of three under no load is not ready for some."""

PAUSE = 0.5
"""Seconds between two of them."""


class HttpBench:
    """Our engine for a server over streamable HTTP.

    Attributes:
        engine, response_bytes, workers, notes: see :class:`~mcp_governor.load.sweep.Bench`.
        first: the first response.
    """

    def __init__(self, opened: Opened, plan: SweepPlan, *, workers: int) -> None:
        from mcp_governor.wire import HttpEndpoint

        assert opened.address is not None
        assert isinstance(opened.endpoint, HttpEndpoint)
        self.workers = workers
        job = http_job(opened.endpoint, opened.era, opened.protocol, plan, opened.tools)
        recipe = recipe_of(
            job,
            opened.address,
            longest=DEFAULT_LIMITS.message_bytes,
            timeout=plan.timeout,
        )
        recipe = replace(recipe, connections=pool_size(plan.concurrencies))
        http = HttpEngine([recipe] * workers)
        self.engine: Engine = http
        try:
            first = _tried(http, opened, plan)
            second = _tried(http, opened, plan)
            body: bytes = first["body"]
            self.response_bytes: int | None = len(body)
            parts = split_at_id(body, first["number"].encode())
            # Without the id in it (an event of its own, say), any place will do: only the size counts.
            tools = _tools_in(first) if plan.method == "tools/list" else None
            self.first = FirstResponse(body, first["kind"], parts or (body[:-DIGITS], b""), tools)
            is_same = parts is not None and parts == split_at_id(second["body"], second["number"].encode())
            self._recipe = replace(
                recipe,
                expected=parts if is_same else None,
                kind=first["kind"],
                tools=tools,
                session=first["session"],
                longest=max(RESPONSE_FLOOR, RESPONSE_GROWTH * len(body)),
            )
            http.take([self._recipe] * workers)
        except BaseException:
            http.close()
            raise
        self.notes = tuple(_notes(self._recipe.expected is None, has_session=first["session"], tls=opened.address.tls))

    def null(self) -> Engine | None:
        """See :class:`~mcp_governor.load.sweep.Bench`."""
        return NullEngine(self._recipe, self.first.kind, self.first.parts, self.workers)


class FirstResponse(Struct, frozen=True):
    """A response that was checked in full.

    Attributes:
        body: its bytes.
        kind: its content type.
        parts: the body before and after its id.
        tools: the tools that it lists; ``None`` for another method.
    """

    body: bytes
    kind: str
    parts: tuple[bytes, bytes]
    tools: list[Any] | None = None


def first_response(opened: Opened, plan: SweepPlan) -> FirstResponse:
    """Send the request of a plan once, and check what comes back.

    Raises:
        UnreachableError: no good response came.
        UsageError: the tool answers these arguments with an error.
    """
    bench = HttpBench(opened, plan, workers=1)
    bench.engine.close()
    return bench.first


def _notes(varies: bool, *, has_session: bool, tls: bool) -> list[str]:
    notes = []
    if has_session:
        notes.append("Each client opened a session of its own before its first request.")
    if varies:
        notes.append("Two responses of the server differ in more than their id, so each response was parsed.")
    if tls:
        notes.append("The ceiling of the client was measured without TLS, which costs it something as well.")
    return notes


def _tools_in(found: dict[str, Any]) -> list[Any] | None:
    message = response_in(found["kind"], found["body"], int(found["number"]))
    tools = message["result"].get("tools") if message is not None else None
    return tools if isinstance(tools, list) else None


def _tried(engine: HttpEngine, opened: Opened, plan: SweepPlan) -> dict[str, Any]:
    """A response that was checked in full.

    Raises:
        UnreachableError: there is none.
        UsageError: the tool answers these arguments with an error.
    """
    found: dict[str, Any] = {}
    for attempt in range(TRIALS):
        if attempt:
            time.sleep(PAUSE)
        found = engine.trial()
        if found["failure"] is None:
            return found
    kind = one_line(str(found["failure"]), 60)
    method = one_line(plan.method, 40)
    if plan.method == "tools/call" and (kind == "tool-error" or kind.startswith("rpc")):
        raise UsageError(
            f"{opened.shown}: the tool answers these arguments with an error ({kind}).",
            "Name arguments that it accepts: --arguments '{…}'",
        )
    if kind.startswith("http-3"):
        raise UnreachableError(
            f"{opened.shown}: it redirects {method} ({kind}), and a sweep follows no redirects.",
            "Name the final address.",
        )
    raise UnreachableError(f"{opened.shown}: {method} failed without any load ({kind}).", _HINTS.get(kind, _HINT))


_HINT = "Check the server's log."
_HINTS = {
    "encoding": "It compresses responses although the request asks for none; turn that off.",
    "timeout": "Raise --timeout, or check why it is slow.",
    "tls": "Check the certificate; name the authority of a private one in SSL_CERT_FILE.",
}


class StdioBench:
    """Our engine for a server over stdio.

    Attributes:
        engine, response_bytes, workers, notes: see :class:`~mcp_governor.load.sweep.Bench`.
    """

    def __init__(self, opened: Opened, plan: SweepPlan) -> None:
        from mcp_governor.wire import StdioEndpoint

        assert isinstance(opened.endpoint, StdioEndpoint)
        most = max(plan.concurrencies)
        if most > MAX_PROCESSES:
            raise UsageError(
                f"A sweep over stdio starts one process for each request in flight, and {most:,} are more than "
                f"{MAX_PROCESSES}.",
                "Name smaller --concurrency-values, or the address of the server over HTTP.",
            )
        limits = Limits(request_timeout=plan.timeout, connect_timeout=DEFAULT_LIMITS.connect_timeout)
        self.engine: Engine = StdioEngine(opened.endpoint, opened.era, limits, tools=opened.first_page)
        self._limits = limits
        self._result: Message = {"content": [], "isError": False}
        if plan.method == "tools/list":
            self._result = {"ttlMs": 0, "cacheScope": "public", "tools": [*opened.tools.values()]}
        self.response_bytes: int | None = None
        self.workers = 1
        self.notes: tuple[str, ...] = (
            "Over stdio, each request in flight has a process of the server of its own: this shows what the machine "
            "carries, not how one process queues.",
        )

    def null(self) -> Engine | None:
        """See :class:`~mcp_governor.load.sweep.Bench`."""
        return NullStdio({"resultType": "complete", **self._result}, self._limits)
