"""Where a server is and how far it is trusted: endpoints and limits, as values.

Importing this module loads nothing heavy, so that configuration and target code can name endpoints freely.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, Protocol
from urllib.parse import urlsplit

from mcp_governor import given
from mcp_governor.frozen import frozen
from mcp_governor.surface.file import MAX_DEPTH
from mcp_governor.text import command_line, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractAsyncContextManager

    from mcp_governor.wire.transport import Inbox, Transport


class Era(StrEnum):
    """The two ways a connection begins: ``server/discover`` (2026-07-28 on) or ``initialize`` (before)."""

    MODERN = "modern"
    LEGACY = "legacy"


class Named(Protocol):
    """What every endpoint says of itself."""

    @property
    def shown(self) -> str:
        """Its name for messages, without secrets."""
        ...

    @property
    def key(self) -> str:
        """Its identity for the era cache; holds no secret."""
        ...

    @property
    def runs_code(self) -> bool:
        """Whether opening it runs code on this machine, so that whoever may name it is trusted with that anyway."""
        ...


class OpenableEndpoint(Named, Protocol):
    """An endpoint that knows how it is opened: all that a new transport has to bring.

    :mod:`mcp_governor.wire.opening` opens stdio and HTTP itself, because they are tried several times.
    """

    @property
    def only_era(self) -> Era | None:
        """The one era that it can speak; ``None`` where the handshake finds out."""
        ...

    def open(self, limits: Limits, inbox: Inbox) -> AbstractAsyncContextManager[Transport]:
        """One connection, closed at the end of the block.

        Args:
            limits: bounds that every message has to keep.
            inbox: takes what the server says without being asked.

        Raises:
            ServerError, TargetError, MissingDependencyError: there is no connection; the message goes on after the
                name of the server.
        """
        ...


@frozen
class StdioEndpoint:
    """A server that is started as a child and spoken to over its stdin and stdout.

    Attributes:
        command: program and arguments, run without a shell.
        env: variables added to the minimal environment of the child; never printed.
        cwd: folder the child starts in, ``None`` for ours.
        package: the package that the command starts, as the user named it (``pypi:NAME``), if it starts one.
        withheld: variables that hold credentials and stay here, although the program could need them.
    """

    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str | None = None
    package: str = ""
    withheld: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # There is no endpoint whose secrets are not known.
        given.learn_environment(os.environ)
        given.learn_command(self.command)
        for name, value in self.env.items():
            given.learn(value, name)

    @property
    def shown(self) -> str:
        """The package or the command line, safe to show."""
        return one_line(self.package, 100) if self.package else command_line(self.command, 100)

    @property
    def key(self) -> str:
        """Identity of the target for the era cache; holds no secret."""
        return _digest("stdio", self.command, self.cwd)

    @property
    def runs_code(self) -> bool:
        """It starts a program."""
        return True


@frozen
class HttpEndpoint:
    """A server behind a URL.

    Attributes:
        url: ``http://`` or ``https://`` address of the MCP endpoint.
        headers: sent with every request to the origin of ``url`` and to no other; never printed.
        transport: ``http`` is streamable HTTP, ``sse`` the deprecated HTTP+SSE, ``auto`` the first that answers.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    transport: Literal["auto", "http", "sse"] = "auto"

    def __post_init__(self) -> None:
        given.learn_url(self.url)
        for name, value in self.headers.items():
            given.learn_header(name, value)

    @property
    def shown(self) -> str:
        """The address without user, password, query and fragment, where secrets travel."""
        try:
            parts = urlsplit(self.url)
        except ValueError:
            return "the address of the server"
        host = parts.netloc.rpartition("@")[2]
        return one_line(f"{parts.scheme}://{host}{parts.path}", 200)

    @property
    def key(self) -> str:
        """Identity of the target for the era cache; holds no secret."""
        return _digest("http", self.url, self.transport)

    @property
    def runs_code(self) -> bool:
        """The server runs elsewhere."""
        return False

    def __repr__(self) -> str:
        return f"HttpEndpoint({self.shown!r}, transport={self.transport!r})"


@frozen
class ObjectEndpoint:
    """A server object of this process.

    Attributes:
        target: ``package.module:attribute``, or the object itself: a FastMCP server, an SDK ``MCPServer``, a
            low-level ``Server``, or a function without arguments (``async`` too) that returns one.
        folders: where modules are looked for besides ``sys.path``; none means the working directory.
    """

    target: object
    folders: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        given.learn_environment(os.environ)

    @property
    def shown(self) -> str:
        """The import path, or the type of the object."""
        return one_line(self.target if isinstance(self.target, str) else type(self.target).__name__, 100)

    @property
    def key(self) -> str:
        """Identity of the target for the era cache."""
        return _digest("object", self.target if isinstance(self.target, str) else str(id(self.target)))

    @property
    def runs_code(self) -> bool:
        """It is imported and runs in this process."""
        return True

    @property
    def only_era(self) -> Era | None:
        """SDKs before 2026-07-28 answer ``server/discover``, and log a page about it."""
        from mcp_governor.wire.inprocess import knows_discover

        return None if knows_discover() else Era.LEGACY

    def open(self, limits: Limits, inbox: Inbox) -> AbstractAsyncContextManager[Transport]:
        """See :class:`OpenableEndpoint`."""
        from mcp_governor.wire.inprocess import open_object

        return open_object(self, limits, inbox)


Endpoint = StdioEndpoint | HttpEndpoint | OpenableEndpoint
"""Where a server is."""


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


def _digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
