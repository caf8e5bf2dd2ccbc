"""Measures ``tools/list`` over one connection: the first list, lists in a row, what they have in common, a yardstick.

The first list is kept apart, as it is the one that pays for what later ones find ready. A machine that is twice as slow
makes every list twice as slow, ours included; so each round of lists is followed by one of a server that does nothing
(:mod:`.null_server`), and the ratio of the two is what can be compared between machines.
"""

from __future__ import annotations

import json
import tempfile
import time
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Literal

import anyio
from msgspec import Struct, field
from msgspec.structs import replace

from mcp_governor import wire
from mcp_governor.documents import Amount, Count  # noqa: TC001 - msgspec reads the types
from mcp_governor.errors import GovernorError, NothingCheckedError, ServerError
from mcp_governor.load.engines import null_endpoint
from mcp_governor.load.formulas import percentile
from mcp_governor.load.payload import Payload, payload
from mcp_governor.surface import build_surface
from mcp_governor.target import limits_of
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.surface import Surface
    from mcp_governor.target import LiveSource

LISTS = 20
"""Lists in a row: those of the guide's probe (section 0b)."""

ROUNDS = 3
"""Rounds of lists, with the yardstick's between them. The best of three is what the server does when nothing else runs
at that moment."""

MAX_SECONDS = 20.0
"""Seconds for all rounds together: a server that takes 300 ms for a list still gets its three rounds."""

PAUSE_MS = 1_000.0
"""Milliseconds after which a list is asked again where the server states no ttlMs: the guide's own cache holds 1 s."""

LONGEST_PAUSE_MS = 2_000.0
"""Longest ttlMs that is waited for, in milliseconds: three waits take six seconds."""

_OTHER_ERA_SECONDS = 10.0
"""Seconds for a handshake in the other era: a child that ignores it is silent, and the answer is then known."""


class Latencies(Struct, frozen=True):
    """Latencies of lists that succeeded, in milliseconds; percentiles as in a sweep (:mod:`.formulas`)."""

    count: Count
    min_ms: Amount
    p50_ms: Amount
    p95_ms: Amount
    p99_ms: Amount
    max_ms: Amount

    @classmethod
    def of(cls, milliseconds: Sequence[float]) -> Latencies:
        """From at least one value, in any order."""
        good = sorted(milliseconds)
        p50, p95, p99 = (percentile(good, share) for share in (0.5, 0.95, 0.99))
        return cls(len(good), good[0], p50, p95, p99, good[-1])


class EraTimes(Struct, frozen=True, omit_defaults=True):
    """The lists of one protocol era.

    Attributes:
        era: modern (``server/discover``) or legacy (``initialize``).
        protocol: Protocol version that was spoken.
        handshake_ms: The response to the handshake.
        first_ms: The first list of the connection, which no other list precedes.
        lists: The lists after it, if there are any.
        problem: Why the era was not measured; then there are no times.
    """

    era: Literal["modern", "legacy"]
    protocol: str = ""
    handshake_ms: Amount | None = None
    first_ms: Amount | None = None
    lists: Latencies | None = field(default=None, name="sequential")
    problem: str = ""


class Yardstick(Struct, frozen=True):
    """The best of several rounds, and that of a server that only answers, measured in turn.

    The ratio is that of the fastest lists. With ten busy processes on two cores it differed by 17 % from run to run,
    that of the medians by a factor of nine: what a list waits for there is the machine.

    Attributes:
        p95_ms: Lowest p95 of a round of the server.
        p50_ms: Lowest median of a round of the server.
        fastest_ms: Fastest list of the server.
        null_ms: Fastest list of a server that only answers.
    """

    rounds: Count
    p95_ms: Amount
    p50_ms: Amount
    fastest_ms: Amount
    null_ms: Amount

    @property
    def ratio(self) -> float:
        """How many times as long as the server that does nothing."""
        return self.fastest_ms / self.null_ms


class Caching(Struct, frozen=True):
    """What lists of one connection have in common.

    Attributes:
        lists: Number of lists that were compared.
        changed: Names of tools whose definition differs, or that are not in every list.
        rested_ms: The fastest list after a pause.
        repeated_ms: The fastest list right after such a one.
    """

    ttl_ms: int | float | None
    scope: str | None
    lists: Count
    same_tools: bool
    same_order: bool
    same_content: bool
    changed: tuple[str, ...] = ()
    pause_ms: Amount = 0.0
    rested_ms: Amount | None = field(default=None, name="after_pause_ms")
    repeated_ms: Amount | None = field(default=None, name="right_after_ms")


class Listing(Struct, frozen=True):
    """What was measured.

    Attributes:
        surface: the tools.
        server: name and version as the server states them.
        cold_ms: from the start of the process, or of the connection, to the end of the first list; where the era is not
            known yet, finding it is part of that.
        main: the era that the server was found to speak.
        payload: sizes.
        caching: what the lists have in common.
        yardstick: ratio to a server that does nothing; ``None`` if there is none, for the reason in ``notes``.
        failure: why the list after ``caching.lists`` lists failed, which ends measuring; empty if none did.
        notes: sentences for the reader.
    """

    surface: Surface
    server: Mapping[str, Any]
    cold_ms: float
    main: EraTimes
    payload: Payload
    caching: Caching
    yardstick: Yardstick | None = None
    failure: str = ""
    notes: tuple[str, ...] = ()


class _Lists:
    """The lists of one session: times, and what differs from the first one."""

    def __init__(self, session: wire.Session) -> None:
        self.session = session
        self.entries: list[Any] = []
        self._first = ""
        self.count = 0
        self.same_tools = self.same_order = self.same_content = True
        self.changed: dict[str, None] = {}

    async def time(self) -> float:
        """Milliseconds of one list."""
        start = time.perf_counter()
        entries = await self.session.list_all("tools/list", "tools")
        took = (time.perf_counter() - start) * 1_000
        self.count += 1
        text = _text(entries)
        if self.count == 1:
            self.entries, self._first = entries, text
        elif text != self._first:
            self._compare(entries)
        return took

    async def round(self, count: int, deadline: float, rows: list[list[float]]) -> None:
        """Time so many lists in a row, as far as the deadline allows."""
        row: list[float] = []
        rows.append(row)
        while len(row) < count and time.monotonic() < deadline:
            row.append(await self.time())

    @property
    def fields(self) -> Mapping[str, Any]:
        """Members of the last page's result besides the tools."""
        pages = self.session.listings.get("tools") or [{}]
        return pages[-1]

    def _compare(self, entries: list[Any]) -> None:
        self.same_content = False
        then, now = _named(self.entries), _named(entries)
        if then.keys() != now.keys():
            self.same_tools = False
        elif list(then) != list(now):
            self.same_order = False
        self.changed |= {name: None for name in {**then, **now} if then.get(name) != now.get(name)}


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _named(entries: Sequence[Any]) -> dict[str, str]:
    """Name → definition of each tool; one that has no name of its own gets its place."""
    found: dict[str, str] = {}
    for index, entry in enumerate(entries):
        name = entry.get("name") if isinstance(entry, dict) else None
        own = isinstance(name, str) and name not in found
        found[str(name) if own else f"/tools/{index}"] = _text(entry)
    return found


class Measuring:
    """Measures the lists of a server over one connection; what is known can be read at any time, also after Ctrl-C.

    Args:
        source: the server.
        rounds: rounds of lists; from two on, with the yardstick between them.
        per_round: lists in each round, after the first list of the connection.
        rest: also list after a pause, to see if a list within the time to live comes back faster.
    """

    def __init__(self, source: LiveSource, *, rounds: int = ROUNDS, per_round: int = LISTS, rest: bool = False) -> None:
        self._source = source
        self._rounds, self._per_round, self._rest = rounds, per_round, rest
        self._lists: _Lists | None = None
        self._first_ms = self._cold_ms = 0.0
        self._own: list[list[float]] = []
        self._theirs: list[list[float]] = []
        self._rested: list[tuple[float, float]] = []
        self._failure = ""
        self._notes: list[str] = []

    async def run(self) -> wire.Era:
        """Measure everything, and return the era that the server speaks.

        Raises:
            ServerError: the first list failed.
            NothingCheckedError: the server publishes no tools.
        """
        limits = _limits(self._source, self._rounds * self._per_round + 8)
        begun = time.perf_counter()
        async with AsyncExitStack() as stack:
            session = await stack.enter_async_context(wire.connect(self._source.endpoint, limits=limits))
            lists = _Lists(session)
            self._first_ms = await lists.time()
            self._cold_ms = (time.perf_counter() - begun) * 1_000
            if not lists.entries:
                shown = self._source.shown
                raise NothingCheckedError(f"{shown} lists no tools, so nothing was measured.", "Name another server.")
            self._lists = lists
            null = await _null(stack, lists, limits, self._notes) if self._rounds > 1 else None
            try:
                await self._repeat(lists, null)
            except GovernorError as error:
                self._failure = one_line(error.message, 300)
        whole = len(self._whole(self._own))
        if whole < self._rounds and not self._failure:
            shown = f"{whole} of {self._rounds} rounds were measured in {MAX_SECONDS:g} s."
            self._notes.append(f"The lists took long: {shown}")
        return session.era

    async def _repeat(self, lists: _Lists, null: _Lists | None) -> None:
        deadline = time.monotonic() + MAX_SECONDS
        for _ in range(self._rounds):
            await lists.round(self._per_round, deadline, self._own)
            if null is not None:
                await null.round(self._per_round, deadline, self._theirs)
        pause = _pause(lists.fields.get("ttlMs"))
        for _ in range(ROUNDS if self._rest and pause is not None else 0):
            await anyio.sleep((pause or 0.0) / 1_000)
            self._rested.append((await lists.time(), await lists.time()))

    def so_far(self) -> Listing | None:
        """What was measured until now; ``None`` before the end of the first list."""
        if self._lists is None:
            return None
        lists, session = self._lists, self._lists.session
        ttl, scope = lists.fields.get("ttlMs"), lists.fields.get("cacheScope")
        raw = {"tools": lists.entries, "serverInfo": session.server_info, "protocolVersion": session.protocol}
        surface = build_surface(raw, source=self._source.shown)
        first = self._own[0] if self._own else []
        return Listing(
            surface=surface,
            server=session.server_info,
            cold_ms=self._cold_ms,
            main=_times(session, self._first_ms, first),
            payload=payload(surface, lists.entries, lists.fields),
            caching=Caching(
                ttl_ms=ttl if _is_number(ttl) else None,
                scope=scope if isinstance(scope, str) else None,
                lists=lists.count,
                same_tools=lists.same_tools,
                same_order=lists.same_order,
                same_content=lists.same_content,
                changed=tuple(lists.changed),
                rested_ms=min((slow for slow, _ in self._rested), default=None),
                repeated_ms=min((quick for _, quick in self._rested), default=None),
                pause_ms=(_pause(ttl) or 0.0) if self._rested else 0.0,
            ),
            yardstick=self._yardstick(),
            failure=self._failure,
            notes=tuple(self._notes),
        )

    def _whole(self, rows: list[list[float]]) -> list[list[float]]:
        return [row for row in rows if len(row) == self._per_round]

    def _yardstick(self) -> Yardstick | None:
        """``None`` unless at least two whole rounds of both were measured."""
        own, null = self._whole(self._own), self._whole(self._theirs)
        rounds = min(len(own), len(null))
        if rounds < 2:
            return None
        p95, p50 = (min(percentile(sorted(row), share) for row in own[:rounds]) for share in (0.95, 0.5))
        return Yardstick(rounds, p95, p50, min(map(min, own[:rounds])), min(map(min, null[:rounds])))


async def measure_era(source: LiveSource, era: wire.Era, *, lists: int = LISTS) -> EraTimes:
    """Measure the lists of a server in one era, over a connection of its own.

    A server that does not offer the era, or fails, gives an :class:`EraTimes` that says why.

    Args:
        source: the server.
        era: the only era to try.
        lists: lists after the first one.
    """
    limits = _limits(source, lists + 4)
    limits = replace(limits, connect_timeout=min(limits.connect_timeout, _OTHER_ERA_SECONDS))
    rows: list[list[float]] = []
    try:
        async with wire.connect(source.endpoint, limits=limits, era=era) as session:
            measured = _Lists(session)
            first_ms = await measured.time()
            await measured.round(lists, time.monotonic() + MAX_SECONDS, rows)
            return _times(session, first_ms, rows[0])
    except ServerError as error:
        return EraTimes(era.value, problem=one_line(error.message, 200))


def _times(session: wire.Session, first_ms: float, row: list[float]) -> EraTimes:
    lists = Latencies.of(row) if row else None
    return EraTimes(session.era.value, session.protocol, session.took * 1_000, first_ms, lists)


def _limits(source: LiveSource, lists: int) -> wire.Limits:
    """The limits of one reading, for as many readings; those of single messages stay."""
    limits = limits_of(source)
    whole = ("reading_bytes", "reading_memory", "values", "layout", "messages")
    return replace(limits, **{name: getattr(limits, name) * lists for name in whole})


def _pause(ttl: Any) -> float | None:
    """Milliseconds to wait until a list of this age is stale; ``None`` if that takes too long."""
    if not _is_number(ttl) or ttl <= 0:
        return PAUSE_MS
    # A tenth more, so that it is over for a clock that runs a little slower.
    return float(ttl * 1.1) if ttl <= LONGEST_PAUSE_MS else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


async def _null(stack: AsyncExitStack, lists: _Lists, limits: wire.Limits, notes: list[str]) -> _Lists | None:
    """Lists of a server that does nothing, with the same tools."""
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mcp-governor-"))
    result = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public", "tools": lists.entries}
    endpoint = null_endpoint(folder, result)
    try:
        session = await stack.enter_async_context(wire.connect(endpoint, limits=limits, era=wire.Era.MODERN))
        null = _Lists(session)
        await null.time()
    except ServerError as error:
        notes.append(f"No ratio: our own null server did not answer ({one_line(error.message, 120)})")
        return None
    return null
