"""Limits on what a server may send and on how long it may take, and the meter that counts the first.

Limits per message are not enough, because a server can send any number of messages. The meter runs from the first byte
of a connection to the end of the reading, and again for each tool call. It counts everything that the server sends over
any transport: responses, notifications, requests, lines of noise, and comments of an event stream.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.errors import ProtocolError, TooMuchError
from mcp_governor.surface.file import MAX_DEPTH
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence


class Limits(Struct, frozen=True):
    """Limits on the time and memory of one reading.

    A reading is the handshake and all lists of a server; a tool call is one too, from its request to its result.
    Together with :mod:`mcp_governor.wire.meter`, these numbers keep every run below 500 MB, whatever a server sends;
    ``tests/hostile/test_hostile_wire.py`` measures that. A reading that exceeds a limit fails and names the limit.

    Attributes:
        message_bytes: longest single message, in bytes. The largest known lists, with 10,000 tools in one response,
            have 20 to 30 MB; others have less than 2 MB. Wide characters make a string four times as large in memory.
        reading_bytes: most bytes in one reading: as many as in the largest message, because splitting a list into
            pages does not change its size.
        reading_memory: most memory for the parsed messages of one reading, in bytes. 30 MB of ordinary tools take
            170 MB.
        values: most JSON values in all messages of one reading. An ordinary tool has 20 to 100.
        layout: most nesting, as the sum of the depths of all these values: half of the spaces that indentation adds
            when a surface is written. The average depth in ordinary surfaces is eight.
        messages: most messages in one reading: one response per request, and some notifications.
        pages: most pages of one list: generous, 10,000 tools in pages of ten.
        items: most items of one list: generous, five times the largest known list.
        item_values, item_memory, item_layout: as ``values``, ``reading_memory`` and ``layout``, for a single tool,
            prompt or resource, and for the response to the handshake. A validator needs up to 5 KB per value of a
            schema. The largest known schemas list 15,000 properties.
        call_bytes, call_values: as ``reading_bytes`` and ``values``, for one tool call: an image of 6 MB in base64, or
            a table of 10,000 rows with 20 columns. The bytes are more than ``CallSettings.result_bytes``, so that the
            largest result that is checked fits with its framing and some notifications.
        results_memory: as ``reading_memory``, for the results of all calls, which are kept for the report.
        cursor_length: longest cursor, in characters; cursors are sent back, and real ones have about 100.
        depth: deepest nesting of a message, in containers.
        noise_lines: most lines of a child's stdout that are not JSON-RPC: generous for a server that prints banners and
            logs to stdout.
        strays: most responses without a request: generous, because each one is a bug in the server.
        connect_timeout: timeout from the start of a child, which may have to be installed first, or from the first
            request over HTTP, to the end of the handshake; in seconds.
        probe_timeout: time that a child may take to respond to ``server/discover``, in seconds, if it has read the
            request and is neither writing nor working. After that, another process is sent ``initialize``.
        request_timeout: timeout for one request, in seconds.
        total_timeout: timeout for reading a whole surface, in seconds.
        close_timeout: timeout for each step of ending a child (closing stdin, terminating, killing), in seconds.
        stderr_bytes: number of bytes from the end of a child's stderr that are kept for the error message.
    """

    message_bytes: int = 32 * 1024 * 1024
    reading_bytes: int = 32 * 1024 * 1024
    reading_memory: int = 192 * 1024 * 1024
    values: int = 1_500_000
    layout: int = 16_000_000
    messages: int = 100_000
    pages: int = 1_000
    items: int = 50_000
    item_values: int = 100_000
    item_memory: int = 16 * 1024 * 1024
    item_layout: int = 2_000_000
    call_bytes: int = 12 * 1024 * 1024
    call_values: int = 200_000
    results_memory: int = 64 * 1024 * 1024
    cursor_length: int = 65_536
    depth: int = MAX_DEPTH
    noise_lines: int = 1_000
    strays: int = 100
    connect_timeout: float = 60.0
    probe_timeout: float = 3.0
    request_timeout: float = 60.0
    total_timeout: float = 300.0
    close_timeout: float = 2.0
    stderr_bytes: int = 4_096


DEFAULT_LIMITS = Limits()


class Size(Struct, frozen=True):
    """The size of a JSON value in memory.

    Attributes:
        values: number of scalars, arrays and objects, including the value itself.
        memory: their memory in this process, in bytes.
        layout: sum of the depths of all values, which is the cost of indentation.
    """

    values: int
    memory: int
    layout: int


def size_of(value: Any) -> Size:
    """Measure a JSON value of bounded depth."""
    values = memory = layout = depth = 0
    level = [value]
    while level:
        values += len(level)
        layout += depth * len(level)
        memory += sum(map(sys.getsizeof, level))
        deeper: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                # json.loads shares equal keys within a message. They are counted for each object, to be safe.
                memory += sum(map(sys.getsizeof, item))
                deeper += item.values()
            elif isinstance(item, list):
                deeper += item
        level = deeper
        depth += 1
    return Size(values, memory, layout)


class Meter:
    """Counts what a server sends, and raises an error if it is too much.

    Args:
        limits: the limits.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._size = Size(0, 0, 0)
        self._results = 0
        self._calling = False
        self._begin()

    def renew(self) -> None:
        """Start a new count for a tool call. Each result has its own limit, and there is one for all results."""
        self._calling = True
        self._begin()

    def _begin(self) -> None:
        self._bytes = self._messages = self._values = 0
        self._most_bytes = self._limits.call_bytes if self._calling else self._limits.reading_bytes
        self._most_values = self._limits.call_values if self._calling else self._limits.values

    @property
    def size(self) -> Size:
        """The size of all messages of the reading so far."""
        return self._size

    def received(self, count: int) -> None:
        """Count received bytes.

        Raises:
            ProtocolError: there are too many in total.
        """
        self._bytes += count
        if self._bytes > self._most_bytes:
            raise self._too_much(f"more than {self._most_bytes:,} bytes", "Check if it repeats itself.")

    def unparsed(self, text: bytes | str) -> None:
        """Count the values of a message before it is parsed, because parsing needs the memory.

        Every value has a comma or an opening bracket before it; the value of an object's member has it before its key.
        So counting these characters never gives too low a number. Commas in strings make it too high, which does not
        matter at this size.

        Raises:
            ProtocolError: there are too many messages or values in total.
        """
        self._messages += 1
        if self._messages > self._limits.messages:
            raise self._too_much(
                f"more than {self._limits.messages:,} messages",
                "Check why it sends so many notifications or requests.",
            )
        if isinstance(text, bytes):
            self._count(text.count(b",") + text.count(b"[") + text.count(b"{"))
        else:
            self._count(text.count(",") + text.count("[") + text.count("{"))

    def parsed(self, message: Any) -> None:
        """Count a parsed message.

        Args:
            message: a JSON value of bounded depth.

        Raises:
            ProtocolError: all messages together take too much memory, or are nested too deep.
        """
        size = size_of(message)
        limits = self._limits
        if self._calling:
            self._results += size.memory
            if self._results > limits.results_memory:
                raise TooMuchError(
                    f"its results take more than {limits.results_memory:,} bytes of memory, all calls together.",
                    "Call fewer tools at a time (--tool), or return less.",
                )
            return
        whole = self._size
        self._size = Size(whole.values + size.values, whole.memory + size.memory, whole.layout + size.layout)
        if self._size.memory > limits.reading_memory:
            raise self._too_much(
                f"messages that take more than {limits.reading_memory:,} bytes of memory", "Publish less."
            )
        if self._size.layout > limits.layout:
            raise self._too_much(
                f"messages whose values are nested more than {limits.layout:,} levels deep, all added up,",
                "Flatten the schemas.",
            )

    def items(self, items: Sequence[Any], what: str, before: Size) -> None:
        """Check that each item of a page has an acceptable size.

        Args:
            items: JSON values.
            what: the method that returned the page.
            before: :attr:`size` before the page.

        Raises:
            ProtocolError: an item is too large.
        """
        # An item cannot be larger than the page, and hardly any page is too large for an item.
        size = self._size
        page = Size(size.values - before.values, size.memory - before.memory, size.layout - before.layout)
        if self._excess(page):
            for item in items:
                self.item(item, what)

    def item(self, item: Any, what: str) -> None:
        """Check that an item, or the response to a handshake, has an acceptable size.

        Args:
            item: a JSON value of bounded depth.
            what: the source of the item, for messages.

        Raises:
            ProtocolError: it is too large.
        """
        excess = self._excess(size_of(item))
        if excess:
            raise ProtocolError(
                f"{_named(item, what)} has {excess} are read.", "Shorten its description, or split its schema."
            )

    def _excess(self, size: Size) -> str:
        limits = self._limits
        for count, limit, unit in (
            (size.values, limits.item_values, "JSON values"),
            (size.memory, limits.item_memory, "bytes in memory"),
            (size.layout, limits.item_layout, "levels of nesting (all values added up)"),
        ):
            if count > limit:
                return f"{count:,} {unit}, and at most {limit:,}"
        return ""

    def _count(self, values: int) -> None:
        self._values += values
        if self._values > self._most_values:
            raise self._too_much(
                f"more than {self._most_values:,} JSON values (estimated from its commas)", "Publish less."
            )

    def _too_much(self, what: str, hint: str) -> ProtocolError:
        if self._calling:
            return TooMuchError(f"it sent {what} for one call.", hint)
        return ProtocolError(f"it sent {what} in one reading.", hint)


def _named(item: Any, what: str) -> str:
    name = item.get("name") if isinstance(item, dict) else None
    return f'"{one_line(name, 60)}" in {what}' if isinstance(name, str) else what


def too_long(most: int) -> ProtocolError:
    """The error for a message of more than so many bytes."""
    return ProtocolError(
        f"it sent a message longer than {most:,} bytes.",
        "Split the list into pages (nextCursor), or shorten its schemas.",
    )
