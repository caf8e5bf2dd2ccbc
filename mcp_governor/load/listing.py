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
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import anyio
from msgspec import Struct, field
from msgspec.structs import replace

from mcp_governor import wire
from mcp_governor.documents import Amount, Count  # noqa: TC001 - msgspec reads the types
from mcp_governor.errors import GovernorError, NothingCheckedError, ServerError
from mcp_governor.load.formulas import percentile
from mcp_governor.load.payload import Payload, payload
from mcp_governor.programs import our_script
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

_HELD_APART = ("ttlMs", "cacheScope")


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
    """The best of several rounds, and that of a server that does nothing, measured in turn.

    The ratio is that of the fastest lists. With ten busy processes on two cores it differed by 17 % from run to run,
    that of the medians by a factor of nine: what a list waits for there is the machine.

    Attributes:
        rounds: number of rounds.
        p95_ms, p50_ms: the lowest p95 and the lowest median of a round of the server.
        fastest_ms: its fastest list.
        null_ms: the fastest list of the server that does nothing, which lists the same tools over stdio.
    """

    rounds: int
    p95_ms: float
    p50_ms: float
    fastest_ms: float
    null_ms: float

    @property
    def ratio(self) -> float:
        """How many times as long as the server that does nothing."""
        return self.fastest_ms / self.null_ms


class Caching(Struct, frozen=True):
    """What lists of one connection have in common.

    Attributes:
        ttl_ms, scope: ``ttlMs`` and ``cacheScope`` of the result, as sent; ``None`` if absent.
        lists: number of lists that were compared.
        same_tools: they hold the same tools.
        same_order: they hold the tools in the same order.
        same_content: they are the same JSON text, order included.
        changed: names of tools whose definition differs, or that are not in every list.
        rested_ms: the fastest list after a pause; ``None`` if none was made.
        repeated_ms: the fastest list right after such a one.
        pause_ms: the pause.
    """

    ttl_ms: Any
    scope: Any
    lists: int
    same_tools: bool
    same_order: bool
    same_content: bool
    changed: tuple[str, ...] = ()
    rested_ms: float | None = None
    repeated_ms: float | None = None
    pause_ms: float = 0.0


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
        self.count = 0
        self._first = ""
        self._names: list[str] = []
        self._definitions: dict[str, str] = {}
        self.same_tools = self.same_order = self.same_content = True
        self.changed: dict[str, None] = {}

    async def time(self) -> float:
        """Milliseconds of one list."""
        start = time.perf_counter()
        entries = await self.session.list_all("tools/list", "tools")
        took = (time.perf_counter() - start) * 1_000
        self._compare(entries)
        return took

    @property
    def fields(self) -> Mapping[str, Any]:
        """Members of the last page's result besides the tools."""
        pages = self.session.listings.get("tools") or [{}]
        return pages[-1]

    def _compare(self, entries: list[Any]) -> None:
        self.count += 1
        text = _text(entries)
        if self.count == 1:
            self.entries, self._first = entries, text
            self._names = _names(entries)
            self._definitions = dict(zip(self._names, map(_text, entries), strict=True))
            return
        if text == self._first:
            return
        self.same_content = False
        names = _names(entries)
        self.same_tools = self.same_tools and sorted(names) == sorted(self._names)
        self.same_order = self.same_order and (names == self._names or sorted(names) != sorted(self._names))
        now = dict(zip(names, map(_text, entries), strict=True))
        then = self._definitions
        differing = [name for name in {**then, **now} if then.get(name) != now.get(name)]
        self.changed |= dict.fromkeys(differing)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _names(entries: Sequence[Any]) -> list[str]:
    """A name for each entry; one that has none gets its place."""
    return [
        entry["name"] if isinstance(entry, dict) and isinstance(entry.get("name"), str) else f"/tools/{index}"
        for index, entry in enumerate(entries)
    ]


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
        self._first: _First | None = None
        self._own: list[list[float]] = []
        self._theirs: list[list[float]] = []
        self._rested: list[tuple[float, float]] = []
        self._failure = ""
        self._notes: list[str] = []

    async def run(self) -> Listing:
        """Measure everything.

        Raises:
            ServerError: the first list failed.
            NothingCheckedError: the server publishes no tools.
        """
        limits = _limits(self._source, self._rounds * self._per_round + 8)
        begun = time.perf_counter()
        async with AsyncExitStack() as stack:
            session = await stack.enter_async_context(wire.connect(self._source.endpoint, limits=limits))
            lists = _Lists(session)
            first_ms = await lists.time()
            cold_ms = (time.perf_counter() - begun) * 1_000
            self._first = first = _first(self._source, lists, first_ms, cold_ms)
            null = await _null(stack, lists, limits, self._notes) if self._rounds > 1 else None
            try:
                await self._repeat(lists, null)
            except GovernorError as error:
                self._failure = one_line(error.message, 300)
            if len(self._own) < self._rounds and not self._failure:
                shown = f"{len(self._own)} of {self._rounds} rounds were measured in {MAX_SECONDS:g} s."
                self._notes.append(f"The lists took long: {shown}")
            return self._listing(first)

    async def _repeat(self, lists: _Lists, null: _Lists | None) -> None:
        deadline = time.monotonic() + MAX_SECONDS
        for _ in range(self._rounds):
            await _round(lists, self._per_round, deadline, self._own)
            if null is not None:
                await _round(null, self._per_round, deadline, self._theirs)
        pause = _pause(lists.fields.get("ttlMs"))
        if self._rest and pause is not None:
            self._rested = [(await _after(lists, pause), await lists.time()) for _ in range(ROUNDS)]

    def so_far(self) -> Listing | None:
        """What was measured until now; ``None`` before the end of the first list."""
        return self._listing(self._first) if self._first is not None else None

    def _listing(self, first: _First) -> Listing:
        session = first.lists.session
        return Listing(
            surface=first.surface,
            server=session.server_info,
            cold_ms=first.cold_ms,
            main=EraTimes(
                era=session.era.value,
                protocol=session.protocol,
                handshake_ms=session.took * 1_000,
                first_ms=first.first_ms,
                lists=Latencies.of(self._own[0]) if self._own else None,
            ),
            payload=first.payload,
            caching=_caching(first.lists, self._rested, _pause(first.lists.fields.get("ttlMs")) or 0.0),
            yardstick=_yardstick(self._own, self._theirs, self._per_round),
            failure=self._failure,
            notes=tuple(self._notes),
        )


class _First(Struct, frozen=True):
    """What the first list says, and how long it took.

    Attributes:
        lists: the lists of the connection.
        surface: the tools.
        payload: sizes.
        first_ms, cold_ms: see :class:`Listing`.
    """

    lists: _Lists
    surface: Surface
    payload: Payload
    first_ms: float
    cold_ms: float


def _first(source: LiveSource, lists: _Lists, first_ms: float, cold_ms: float) -> _First:
    session = lists.session
    raw = {"tools": lists.entries, "serverInfo": session.server_info, "protocolVersion": session.protocol}
    surface = build_surface(raw, source=source.shown)
    if not lists.entries:
        raise NothingCheckedError(f"{source.shown} lists no tools, so nothing was measured.", "Name another server.")
    return _First(lists, surface, payload(surface, lists.entries, lists.fields), first_ms, cold_ms)


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
    try:
        async with wire.connect(source.endpoint, limits=limits, era=era) as session:
            measured = _Lists(session)
            first = await measured.time()
            rows: list[list[float]] = []
            await _round(measured, lists, time.monotonic() + MAX_SECONDS, rows, whole=False)
            found = Latencies.of(rows[0]) if rows else None
            return EraTimes(era.value, session.protocol, session.took * 1_000, first, found)
    except ServerError as error:
        return EraTimes(era.value, problem=one_line(error.message, 200))


def _limits(source: LiveSource, lists: int) -> wire.Limits:
    """The limits of one reading, for as many readings; those of single messages stay."""
    limits = limits_of(source)
    return replace(
        limits,
        reading_bytes=limits.reading_bytes * lists,
        reading_memory=limits.reading_memory * lists,
        values=limits.values * lists,
        layout=limits.layout * lists,
        messages=limits.messages * lists,
    )


async def _round(lists: _Lists, count: int, deadline: float, rows: list[list[float]], *, whole: bool = True) -> None:
    """Time ``count`` lists in a row and append them, if the deadline allows; ``whole``: all of them or nothing, unless
    it is the first round."""
    row: list[float] = []
    try:
        while len(row) < count and time.monotonic() < deadline:
            row.append(await lists.time())
    finally:
        if row and (len(row) == count or not whole or not rows):
            rows.append(row)


async def _after(lists: _Lists, pause_ms: float) -> float:
    await anyio.sleep(pause_ms / 1_000)
    return await lists.time()


def _pause(ttl: Any) -> float | None:
    """Milliseconds to wait until a list of this age is stale; ``None`` if that takes too long."""
    if isinstance(ttl, bool) or not isinstance(ttl, int | float) or ttl <= 0:
        return PAUSE_MS
    # A tenth more, so that it is over for a clock that runs a little slower.
    return ttl * 1.1 if ttl <= LONGEST_PAUSE_MS else None


def _caching(lists: _Lists, rested: Sequence[tuple[float, float]], pause: float) -> Caching:
    return Caching(
        ttl_ms=lists.fields.get("ttlMs"),
        scope=lists.fields.get("cacheScope"),
        lists=lists.count,
        same_tools=lists.same_tools,
        same_order=lists.same_order,
        same_content=lists.same_content,
        changed=tuple(lists.changed),
        rested_ms=min((slow for slow, _ in rested), default=None),
        repeated_ms=min((quick for _, quick in rested), default=None),
        pause_ms=pause if rested else 0.0,
    )


def _yardstick(own: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]], count: int) -> Yardstick | None:
    """``None`` unless at least two whole rounds of both were measured."""
    mine = [row for row in own if len(row) == count]
    null = [row for row in theirs if len(row) == count]
    rounds = min(len(mine), len(null))
    if rounds < 2:
        return None
    mine, null = mine[:rounds], null[:rounds]
    return Yardstick(rounds, _best(mine, 0.95), _best(mine, 0.5), min(map(min, mine)), min(map(min, null)))


def _best(rows: Sequence[Sequence[float]], share: float) -> float:
    """The lowest percentile of a round."""
    return min(percentile(sorted(row), share) for row in rows)


async def _null(stack: AsyncExitStack, lists: _Lists, limits: wire.Limits, notes: list[str]) -> _Lists | None:
    """Lists of a server that does nothing, with the same tools."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mcp-governor-")))
    file = folder / "list.json"
    held = {key: value for key, value in lists.fields.items() if key in _HELD_APART}
    result = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public", **held, "tools": lists.entries}
    file.write_bytes(_text(result).encode("utf-8", "surrogatepass"))
    script = Path(__file__).with_name("null_server.py")
    endpoint = wire.StdioEndpoint(tuple(our_script(str(script), str(file))), title="the null server")
    try:
        session = await stack.enter_async_context(wire.connect(endpoint, limits=limits, era=wire.Era.MODERN))
        null = _Lists(session)
        await null.time()
    except ServerError as error:
        notes.append(f"No ratio: our own null server did not answer ({one_line(error.message, 120)})")
        return None
    return null
