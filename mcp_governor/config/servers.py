"""How servers are reached: the table ``servers`` of the configuration, and what the command line says of starts."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from mcp_governor.config.policy import Importable, NonEmpty, Seconds, Strings, Table


class FirstCall(Table, frozen=True):
    """A call before the list of tools is read, for a server that a call makes publish more of them.

    One of ``[[tool.mcp-governor.servers.NAME.call-first]]``.

    Attributes:
        tool: Name of the tool.
        arguments: Arguments of the call.
    """

    tool: NonEmpty
    arguments: Mapping[str, Any] = field(default_factory=dict)


class VariantTable(Table, frozen=True, kw_only=True):
    """Another way to start or reach a server, which may publish another list in it.

    ``[tool.mcp-governor.servers.NAME.variants.VARIANT]``: over the table of the server.

    Attributes:
        command: Program and arguments instead of the server's.
        url: URL instead of the server's.
        args: Arguments after those of the command or the package.
        with_: Other packages to install with the package.
        transport: Which HTTP transport; auto falls back to SSE.
        env: More environment variables; $NAME is taken from the environment.
        headers: More HTTP headers; $NAME is taken from the environment.
        bearer_token: Identity, sent as Authorization: Bearer; $NAME is taken from the environment.
    """

    command: Annotated[Strings, Meta(min_length=1)] = ()
    url: Annotated[str, Meta(pattern="^https?://")] = ""
    args: tuple[str, ...] = ()
    with_: Strings = field(default=(), name="with")
    transport: Literal["auto", "http", "sse"] | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    bearer_token: NonEmpty = ""


class ServerTable(Table, frozen=True, kw_only=True):
    """How to reach a server.

    ``[tool.mcp-governor.servers.NAME]``. Exactly one of ``command``, ``url``, ``object``, ``file`` and ``package`` is
    set. ``env`` and ``headers`` may contain ``$NAME`` references, which are resolved from the environment when the
    server is reached; they are never shown. ``args`` and ``with_`` belong to a ``package``.

    Attributes:
        command: Program and arguments of a stdio server; the program is looked up in .venv, then in PATH.
        url: URL of an HTTP server.
        object: package.module:attribute of a server; importing it runs its code.
        file: A recorded surface.
        package: pypi:NAME or npm:NAME, with an optional version.
        args: Arguments of the package's server.
        with_: Other packages to install with the package, for example "mcp<2".
        transport: Which HTTP transport; auto falls back to SSE.
        era: How a session begins: modern is server/discover (2026-07-28), legacy is initialize; auto tries both.
        env: Environment variables of the server; $NAME is taken from the environment.
        headers: HTTP headers; $NAME is taken from the environment.
        bearer_token: Sent as Authorization: Bearer; $NAME is taken from the environment.
        cwd: Folder that the command or the package runs in.
        timeout: Timeout per response, in seconds.
        start_timeout: Timeout for startup, in seconds; see start-timeout.
        list_params: Extra tools/list parameters, each for one more request, for servers that publish tiers through
            them.
        call_first: Calls after which tools/list is read again, in their order, for servers with tools that switch on
            others. They are made whenever the server is read, with no regard to annotations.
        variants: Configurations of the server that publish other lists, by name; --all reads each of them.
        variants_command: Program and arguments that print the variants as JSON: an object like this table, or the
            configurations of mcp-server-diff.
    """

    command: Annotated[Strings, Meta(min_length=1)] = ()
    url: Annotated[str, Meta(pattern="^https?://")] = ""
    object: Importable = ""
    file: NonEmpty = ""
    package: Annotated[str, Meta(pattern="^(pypi|npm):.")] = ""
    args: tuple[str, ...] = ()
    with_: Strings = field(default=(), name="with")
    transport: Literal["auto", "http", "sse"] = "auto"
    era: Literal["auto", "modern", "legacy"] = "auto"
    env: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    bearer_token: NonEmpty = ""
    cwd: NonEmpty = ""
    timeout: Seconds | None = None
    start_timeout: Seconds | None = None
    list_params: tuple[Mapping[str, Any], ...] = ()
    call_first: tuple[FirstCall, ...] = ()
    variants: Mapping[str, VariantTable] = field(default_factory=dict)
    variants_command: Annotated[Strings, Meta(min_length=1)] = ()


class ServerConfig(ServerTable, frozen=True):
    """A server that the configuration names; its ``repr`` shows no secret."""

    name: str

    def __repr__(self) -> str:
        return f"ServerConfig({self.name!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("name", self.name)]


WAYS = ("command", "url", "object", "file", "package")
"""The keys that say how a server is reached; each server has one of them."""

SERVER_TABLE = Annotated[
    ServerTable,
    Meta(
        extra_json_schema={
            "oneOf": [{"required": [key]} for key in WAYS],
            "dependentRequired": {"args": ["package"], "with": ["package"]},
        },
    ),
]


class Launch(Struct, frozen=True):
    """Settings from the command line for starting servers.

    Attributes:
        args: arguments of ``pypi:`` and ``npm:`` targets on the command line.
        with_: packages to install with them.
        env: variables for every server that is started; never shown.
        resolves: start a package in another way if its first start says what it needs.
        headers: for every server at a URL, with ``$NAME`` for the values of variables, as in the configuration.
        named: those for which the command line has only the name; the value comes from our environment.
    """

    args: tuple[str, ...] = ()
    with_: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    named: frozenset[str] = frozenset()
    headers: Mapping[str, str] = field(default_factory=dict)
    resolves: bool = True

    def __repr__(self) -> str:
        return f"Launch({sorted(self.env)!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("env", sorted(self.env))]
