"""How far a server is trusted, as a value."""

from __future__ import annotations

from mcp_governor.frozen import frozen
from mcp_governor.surface.file import MAX_DEPTH


@frozen
class Limits:
    """How much of a server's attention and memory one reading may take.

    A reading is the handshake and all lists of a server; a call of a tool is one as well, from its request to its
    result. Together with :mod:`mcp_governor.wire.meter` these numbers keep every run below 500 MB, whatever a server
    sends; ``tests/hostile/test_hostile_wire.py`` measures that. Beyond them a reading fails and says which was reached.

    Attributes:
        message_bytes: longest single message, in bytes. The largest lists known, of 10,000 tools in one answer, have
            20 to 30 MB; others have less than 2 MB. Wide characters make a text four times as large in memory.
        reading_bytes: all that a server sends in one reading, in bytes: as much as its largest message, since a list
            is as large in pages as in one.
        reading_memory: what the messages of one reading may take once they are parsed, in bytes. 30 MB of honest
            tools take 170 MB.
        values: JSON values in all messages of one reading. An honest tool has 20 to 100.
        layout: sum over these values of how deep each stands, which is half of the spaces that indentation adds where
            a surface is written. Honest values stand eight deep on average.
        messages: most messages in one reading; a server sends as many answers as it is asked, and some notifications.
        pages: most pages of one list: generous, 10,000 tools in pages of ten.
        items: most items of one list: generous, five times the largest list known.
        item_values, item_memory, item_layout: as ``values``, ``reading_memory`` and ``layout``, for a single tool,
            prompt or resource, and for the answer to the handshake. A validator takes up to 5 KB for a value of a
            schema. The largest honest schemas that are known list 15,000 properties.
        call_bytes, call_values: as ``reading_bytes`` and ``values``, for one call of a tool: an image of 6 MB in
            base64, or a table of 10,000 rows with 20 columns.
        results_memory: as ``reading_memory``, for the results of all calls: a report is made of them at the end.
        cursor_length: longest cursor, in characters; it is sent back, and servers put a state of some 100 into it.
        depth: deepest nesting of a message, in containers.
        noise_lines: most lines of a child's stdout that are not JSON-RPC: generous for the banners and logs of a server
            that prints where it should not.
        strays: most answers to questions that were never asked: generous, each is an error of the server.
        connect_timeout: seconds from the start of a child to the end of its handshake (it may have to be installed
            first), or from the first request over HTTP.
        probe_timeout: seconds that ``server/discover`` may stay unanswered by a child that has read it and neither
            writes nor works, before another one is asked ``initialize``.
        request_timeout: seconds for one request.
        total_timeout: seconds for the reading of a whole surface.
        close_timeout: seconds for each step of ending a child: closing its stdin, terminating, killing.
        stderr_bytes: how much of the end of a child's stderr is kept for the error message.
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
    call_bytes: int = 8 * 1024 * 1024
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
