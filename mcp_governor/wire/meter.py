"""What one reading of a server may take, all of it together: bytes, messages, values, memory.

A bound on each message bounds nothing: a server sends another one. The meter runs from the first byte of a
connection to the end of the reading, and once more for each call of a tool. Whatever the transport, everything that
the server sends goes past it: answers, notifications, requests, lines of noise, comments of an event stream.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import ProtocolError
from mcp_governor.frozen import frozen
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.wire.limits import Limits


@frozen
class Size:
    """How large a JSON value is in our hands.

    Attributes:
        values: scalars, arrays and objects, itself included.
        memory: bytes that they take in this process.
        layout: the sum, over all values, of how many containers each stands in: what indentation costs.
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
                # json.loads keeps one key for all objects of a message that have it; counted for each, to be safe.
                memory += sum(map(sys.getsizeof, item))
                deeper += item.values()
            elif isinstance(item, list):
                deeper += item
        level = deeper
        depth += 1
    return Size(values, memory, layout)


class Meter:
    """Counts what a server sends, and says so where it is too much.

    Args:
        limits: what it may come to.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._size = Size(0, 0, 0)
        self._results = 0
        self._calling = False
        self._begin()

    def renew(self) -> None:
        """A tool is about to be called: its result has an allowance of its own, within one for all results."""
        self._calling = True
        self._begin()

    def _begin(self) -> None:
        self._bytes = self._messages = self._values = 0
        self._most_bytes = self._limits.call_bytes if self._calling else self._limits.reading_bytes
        self._most_values = self._limits.call_values if self._calling else self._limits.values

    @property
    def size(self) -> Size:
        """What the messages of the reading have come to so far."""
        return self._size

    def received(self, count: int) -> None:
        """Some bytes came, whatever is in them.

        Raises:
            ProtocolError: they are too many, taken together.
        """
        self._bytes += count
        if self._bytes > self._most_bytes:
            raise self._too_much(f"more than {self._most_bytes:,} bytes", "Check if it repeats itself.")

    def unparsed(self, text: bytes | str) -> None:
        """A message is about to be parsed. Parsing is what costs memory, so its values are counted before.

        Every value follows a comma or an opening bracket, but for those of an object's members, of which each has a
        comma or the bracket before its key. So the count is never too low; commas in strings make it too high, which
        does not matter in this size.

        Raises:
            ProtocolError: there are too many messages, or values in them, taken together.
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
        """A message is here.

        Args:
            message: a JSON value of bounded depth.

        Raises:
            ProtocolError: all messages together take too much memory, or nest too much.
        """
        size = size_of(message)
        limits = self._limits
        if self._calling:
            self._results += size.memory
            if self._results > limits.results_memory:
                raise ProtocolError(
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
            raise self._too_much(f"messages with more than {limits.layout:,} levels in total", "Flatten the schemas.")

    def made(self, message: Any) -> None:
        """A message of a server object is here, which was never text; as :meth:`unparsed` and :meth:`parsed`."""
        self.unparsed("")
        self._count(size_of(message).values)
        self.parsed(message)

    def items(self, items: Sequence[Any], what: str, before: Size) -> None:
        """See whether each item of a page is of a size to work with.

        Args:
            items: JSON values.
            what: the method that the page came from.
            before: :attr:`size` before the page.

        Raises:
            ProtocolError: one is not.
        """
        # No part is larger than the whole, and hardly any whole is too large.
        size = self._size
        page = Size(size.values - before.values, size.memory - before.memory, size.layout - before.layout)
        if self._excess(page):
            for item in items:
                self.item(item, what)

    def item(self, item: Any, what: str) -> None:
        """See whether one item, or the answer to a handshake, is of a size to work with.

        Args:
            item: a JSON value of bounded depth.
            what: where it comes from.

        Raises:
            ProtocolError: it is not.
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
            (size.layout, limits.item_layout, "levels in total"),
        ):
            if count > limit:
                return f"{count:,} {unit}, and at most {limit:,}"
        return ""

    def _count(self, values: int) -> None:
        self._values += values
        if self._values > self._most_values:
            raise self._too_much(f"more than {self._most_values:,} JSON values (by its commas)", "Publish less.")

    def _too_much(self, what: str, hint: str) -> ProtocolError:
        return ProtocolError(f"it sent {what} {'for one call' if self._calling else 'in one reading'}.", hint)


def _named(item: Any, what: str) -> str:
    name = item.get("name") if isinstance(item, dict) else None
    return f'"{one_line(name, 60)}" in {what}' if isinstance(name, str) else what
