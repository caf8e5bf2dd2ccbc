"""Limits on what a server may send and on how long it may take."""

from __future__ import annotations

from msgspec import Struct

from mcp_governor.surface.file import MAX_DEPTH


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
