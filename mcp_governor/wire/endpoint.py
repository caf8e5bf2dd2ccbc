"""Endpoints: values that describe how to reach a server.

Importing this module loads nothing heavy, so that configuration and target code can name endpoints freely.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, Protocol
from urllib.parse import urlsplit

from mcp_governor import secret_detection
from mcp_governor.text import command_line, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    from mcp_governor.wire.limits import Limits
    from mcp_governor.wire.transport import Inbox, Transport


LOGIN = "the login"
"""Origin of a header that ``mcp-governor login`` provides."""


class Era(StrEnum):
    """The two ways a connection begins: ``server/discover`` (2026-07-28 on) or ``initialize`` (before)."""

    MODERN = "modern"
    LEGACY = "legacy"


class OpenableEndpoint(Protocol):
    """An endpoint that opens itself. A new transport implements this.

    Stdio and HTTP endpoints are opened by :mod:`mcp_governor.wire.opening`, because they need several attempts; they
    have all but ``only_era`` and ``open``.
    """

    @property
    def shown(self) -> str:
        """Its name for messages, without secrets."""
        ...

    @property
    def runs_code(self) -> bool:
        """True if opening it runs code on this machine, so that the user who names it trusts it anyway."""
        ...

    @property
    def only_era(self) -> Era | None:
        """The only era that it supports; ``None`` if the handshake finds out."""
        ...

    def open(self, limits: Limits, inbox: Inbox) -> AbstractAsyncContextManager[Transport]:
        """Open a connection that is closed at the end of the block.

        Args:
            limits: limits for all messages.
            inbox: receives messages that are not responses.

        Raises:
            ServerError, TargetError, MissingDependencyError: the connection failed; the message continues a sentence
                that starts with the name of the server.
        """
        ...


@dataclass(frozen=True, slots=True)
class StdioEndpoint:
    """A server that runs as a child process and communicates over stdin and stdout.

    Attributes:
        command: program and arguments, run without a shell.
        env: variables added to the minimal environment of the child; never printed.
        cwd: working directory of the child; ``None`` for ours.
        package: the package that the command starts, as the user wrote it (``pypi:NAME``), if it starts one.
        withheld: variables with credentials that are not passed on, although the program may need them.
        title: name in messages, if it is neither the package nor the command line.
        inherits: true if the child gets our whole environment, as a server in this process does.
        era: the only era to use; ``None`` if the handshake finds out.
        setup: how to install the project that has the program, if that is why it does not exist.
        amend: from the output of a start that failed, another way to start the same package, and what is different in
            it; without another way, the hint that says which ones the user has, or ``None``. The program alone decides
            what it is called with: no word of the output but a name or a number of a strict form gets into it.
    """

    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str | None = None
    package: str = ""
    withheld: tuple[str, ...] = ()
    title: str = ""
    inherits: bool = False
    era: Era | None = None
    setup: str = ""
    amend: Callable[[str], tuple[StdioEndpoint | None, str] | None] | None = field(
        default=None, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        # Register the secrets of every endpoint before it is used.
        secret_detection.learn_environment(os.environ)
        secret_detection.learn_command(self.command)
        for name, value in self.env.items():
            secret_detection.learn(value, name)

    @property
    def shown(self) -> str:
        """The title, the package or the command line, safe to show."""
        if self.title:
            return one_line(self.title, 100)
        return one_line(self.package, 100) if self.package else command_line(self.command, 200)

    @property
    def runs_code(self) -> bool:
        """True, because it starts a program."""
        return True


@dataclass(frozen=True, slots=True)
class HttpEndpoint:
    """A server behind a URL.

    Attributes:
        url: ``http://`` or ``https://`` address of the MCP endpoint.
        headers: sent with every request to the origin of ``url``, and to no other origin; never printed.
        transport: ``http`` for streamable HTTP, ``sse`` for the deprecated HTTP+SSE, ``auto`` to try both.
        era: the only era to use; ``None`` if the handshake finds out.
        origins: name of a header in lower case → where its value comes from, for messages.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    transport: Literal["auto", "http", "sse"] = "auto"
    era: Era | None = None
    origins: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        secret_detection.learn_url(self.url)
        for name, value in self.headers.items():
            secret_detection.learn_header(name, value)

    @property
    def shown(self) -> str:
        """The address without user, password, query and fragment, which may contain secrets."""
        try:
            parts = urlsplit(self.url)
        except ValueError:
            return "the address of the server"
        host = parts.netloc.rpartition("@")[2]
        return one_line(f"{parts.scheme}://{host}{parts.path}", 200)

    @property
    def runs_code(self) -> bool:
        """False, because the server runs elsewhere."""
        return False

    def __repr__(self) -> str:
        return f"HttpEndpoint({self.shown!r}, transport={self.transport!r})"


def object_elsewhere(python: str, target: str, folders: tuple[str, ...]) -> StdioEndpoint:
    """A server object that is named, which runs as a child process.

    Args:
        python: the Python interpreter of its environment, which may be ours.
        target: ``package.module:attribute``.
        folders: folders to import from first.
    """
    script = os.path.join(os.path.dirname(__file__), "hosted.py")  # noqa: PTH118, PTH120  (pathlib is not loaded here)
    command = (python, script, target, *folders)
    ours = {name: os.environ[name] for name in ("PYTHONPATH",) if python == sys.executable and name in os.environ}
    return StdioEndpoint(command, env=ours, inherits=True, title=target)


Endpoint = StdioEndpoint | HttpEndpoint | OpenableEndpoint
"""Any endpoint."""
