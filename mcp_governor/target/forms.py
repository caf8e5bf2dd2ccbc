"""The forms of a TARGET, and the servers among them as sources."""

from __future__ import annotations

import dataclasses
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from mcp_governor import wire
from mcp_governor.errors import ConfigError, TargetError
from mcp_governor.programs import our_interpreter, program_name
from mcp_governor.rule_names import note
from mcp_governor.target.model import FileSource, LiveSource, Source
from mcp_governor.target.packages import RUNNERS, in_our_environment, runner_environment, withheld
from mcp_governor.target.remote import (
    TOKEN_VARIABLE,
    Header,
    expand,
    headers_of_server,
    remote_endpoint,
    shown_url,
    without_header,
    without_secrets,
)
from mcp_governor.text import command_line, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.config import Config, ServerConfig

START_TIMEOUT = 60.0
"""Timeout for the start and handshake of a server, in seconds: cold starts of 48 seconds were measured."""

PACKAGE_TIMEOUT = 180.0
"""The same for a server that may have to be fetched and installed first."""


class Form(Struct, frozen=True):
    """One way to write a TARGET.

    Attributes:
        kind: ``recording`` is read, ``remote`` is a server elsewhere, ``code`` runs code on this machine.
        short: its form in messages.
        written: its form in the table of README.md.
        meaning: its meaning in that table.
    """

    kind: Literal["recording", "remote", "code"]
    short: str
    written: str
    meaning: str


FORMS = (
    Form("code", "-- COMMAND", "`-- COMMAND ARGS…`", "a stdio server"),
    Form(
        "remote",
        "an https:// URL",
        "`https://…`, `sse+https://…`",
        "streamable HTTP (falls back to SSE), or SSE",
    ),
    Form(
        "code",
        "python:package.module:attribute",
        "`python:package.module:attribute`",
        "a FastMCP, MCPServer or low-level server object, read in the environment of its project",
    ),
    Form(
        "code",
        "pypi:NAME, npm:NAME",
        "`pypi:NAME[==VERSION][:SCRIPT]`, `npm:NAME[@VERSION][:COMMAND]`",
        "a server from a registry, through uvx or npx; `--with REQUIREMENT`, `--env NAME` and `-- ARGS…` add what it "
        "needs",
    ),
    Form(
        "recording",
        "FILE.json",
        "`FILE.json`",
        "a recorded surface, a `tools/list` result, an export of MCPJam, an array of tools, or the `.snap` file of a "
        "test that lists the tools (Jest, Vitest, Bun)",
    ),
    Form(
        "recording",
        "a folder of .snap files",
        "`FOLDER`",
        "a folder of `.snap` files, one tool each (`__toolsnaps__` of github-mcp-server)",
    ),
    Form(
        "code",
        "CONFIG.json#NAME",
        "`CONFIG.json#NAME`",
        "a server of a client configuration (`mcpServers`, VS Code `servers`)",
    ),
    Form(
        "recording",
        "git:REF[:PATH]",
        "`git:REF[:PATH]`",
        "a recorded surface at a git ref; `git:main...` is its merge base with HEAD, as in `git diff`",
    ),
    Form("code", "a name from [tool.mcp-governor.servers]", "`NAME`", "a server of `[tool.mcp-governor.servers]`"),
)
"""All forms of a TARGET, for README.md and messages."""


def forms(kind: str) -> str:
    """The forms of one kind, for a message."""
    return ", ".join(form.short for form in FORMS if form.kind == kind)


EVERY_FORM = (
    f"A TARGET is a recording ({forms('recording')}), {forms('remote')}, or what runs code here: {forms('code')}."
)


def _url(text: str, rest: str, config: Config, base: Path) -> Source:  # noqa: ARG001
    url, transport = (text[4:], "sse") if text.startswith("sse+") else (text, "auto")
    if re.match(r"//[^/?#]", rest) is None:
        raise TargetError(f'"{without_secrets(text)}" is not a URL with a host.', "Write https://HOST/PATH.")
    shown = shown_url(url)
    token = os.environ.get(TOKEN_VARIABLE)
    headers = {"Authorization": Header(f"Bearer {token}", TOKEN_VARIABLE)} if token else {}
    return _remote(shown, url, headers, config, transport=transport)


def _remote(
    shown: str,
    url: str,
    headers: Mapping[str, Header],
    config: Config,
    *,
    transport: str = "auto",
    server: ServerConfig | None = None,
) -> LiveSource:
    """A server at an address, with the headers of the command line in place of those of the same names."""
    for name, template in config.launch.headers.items():
        value = expand({name: template}, config, "--header")[name]
        origin = f"--bearer {template[8:]}" if template.startswith("Bearer $") else f"--header {name}"
        headers = {**without_header(headers, name), name: Header(value, origin)}
    if "authorization" not in map(str.lower, headers):
        from mcp_governor.target.logins import login_header

        login = login_header(url)
        headers = {**headers, **({"Authorization": login} if login else {})}
    endpoint = remote_endpoint(url, headers, transport=transport, era=_era(server) if server else None)
    return _live(shown, endpoint, config, server)


def _live(
    shown: str, endpoint: wire.Endpoint, config: Config, server: ServerConfig | None = None, *, installs: bool = False
) -> LiveSource:
    """A server to reach.

    Args:
        server: its table in the configuration, if any.
        installs: true if a package runner starts it.
    """
    timeout = (server and server.timeout) or config.timeout
    named = (server and server.start_timeout) or config.start_timeout
    start = named or max(timeout, PACKAGE_TIMEOUT if installs else START_TIMEOUT)
    if server is None:
        return LiveSource(shown, endpoint, timeout=timeout, start_timeout=start)
    first = tuple((call.tool, call.arguments) for call in server.call_first)
    return LiveSource(shown, endpoint, server.list_params, timeout, start, configured=True, call_first=first)


def _python(text: str, rest: str, config: Config, base: Path) -> Source:
    module, _, attribute = rest.partition(":")
    if not module or not attribute:
        raise TargetError(
            f'"{one_line(text, 80)}" does not name an attribute.', "Write python:package.module:attribute."
        )
    return _live(visible(text), _object(rest, base), config)


def _object(name: str, base: Path) -> wire.StdioEndpoint:
    """A server object, which runs in a child process: in the environment of its project, or in ours."""
    from mcp_governor.target.environments import python_of

    return wire.object_elsewhere(python_of(base) or our_interpreter(), name, import_folders(base))


def import_folders(base: Path) -> tuple[str, ...]:
    """The folders with a project's modules: its own, and ``src`` in it."""
    root = base.resolve()
    return tuple(str(folder) for folder in (root, root / "src") if folder.is_dir())


def _package(text: str, rest: str, config: Config, base: Path) -> Source:  # noqa: ARG001
    from mcp_governor.target.published import package_endpoint

    launch = config.launch
    endpoint = package_endpoint(text, args=launch.args, with_=launch.with_, env=launch.env, resolves=launch.resolves)
    return _live(visible(text), endpoint, config, installs=True)


_SCHEMES = {
    "http": _url,
    "https": _url,
    "sse+http": _url,
    "sse+https": _url,
    "python": _python,
    "pypi": _package,
    "npm": _package,
}


def written_server(text: str, config: Config, base: Path) -> Source | None:
    """The server that a TARGET spells out, with a scheme or as ``CONFIG.json#NAME``; ``None`` if it does not."""
    scheme, separator, rest = text.partition(":")
    if separator and scheme in _SCHEMES:
        return _SCHEMES[scheme](text, rest, config, base)
    file, hash_mark, name = text.rpartition("#")
    if hash_mark and file.endswith((".json", ".toml")):
        return _client_config(base / file, name, config, text)
    return None


def _client_config(path: Path, name: str, config: Config, text: str) -> Source:
    from mcp_governor.target.clients import endpoint_from_client_config

    endpoint = endpoint_from_client_config(path, name)
    if isinstance(endpoint, wire.HttpEndpoint):
        headers = {key: Header(value, f"headers.{key} of {text}") for key, value in endpoint.headers.items()}
        return _remote(visible(text), endpoint.url, headers, config, transport=endpoint.transport)
    return _live(visible(text), endpoint, config, installs=_may_install(endpoint.command))


def source_of_command(command: tuple[str, ...], config: Config) -> Source:
    """The stdio server that the words after ``--`` start."""
    endpoint = _child(command, dict(config.launch.env), None)
    return _live(command_line(command), endpoint, config, installs=_may_install(command))


def _may_install(command: tuple[str, ...]) -> bool:
    """True if a command may fetch a server, even indirectly, as in ``env A=b npx …`` and ``sh -c "npx …"``."""
    return any(program_name(word) in RUNNERS for part in command for word in part.split())


def _child(command: tuple[str, ...], env: Mapping[str, str], cwd: str | None) -> wire.StdioEndpoint:
    """The endpoint for a command, with the environment of a package runner if it is one."""
    if program_name(command[0]) not in RUNNERS:
        from mcp_governor.target.setup import setup_hint, stale_build

        found, folder = runnable(command), Path(cwd or ".").resolve()
        if stale := stale_build(found, folder):
            note(stale)
        return wire.StdioEndpoint(found, env=env, cwd=cwd, setup=setup_hint(found, folder))
    return wire.StdioEndpoint(runnable(command), env={**runner_environment(), **env}, cwd=cwd, withheld=withheld(env))


def runnable(command: tuple[str, ...]) -> tuple[str, ...]:
    """The command, with a program that is not in PATH taken from our own Python environment.

    If the environment is not activated, its scripts are not in PATH, including ``uvx`` from the extra ``run``.
    """
    program, *rest = command
    if "/" in program:
        return command
    import shutil

    if shutil.which(program) or (ours := in_our_environment(program)) is None:
        return command
    return (ours, *rest)


def source_of_server(server: ServerConfig, config: Config) -> Source:
    """The source of a configured server."""
    name = visible(server.name)
    if server.file:
        return FileSource(shown=name, path=config.root / server.file)
    if server.object:
        return _live(name, dataclasses.replace(_object(server.object, config.root), era=_era(server)), config, server)
    if server.url:
        if server.transport == "sse" and server.era == "modern":
            raise ConfigError(
                f'{config.shown}: servers.{name} sets transport = "sse" and era = "modern", but HTTP+SSE is legacy.',
                "Remove one of the two keys.",
            )
        return _remote(
            name, server.url, headers_of_server(server, config), config, transport=server.transport, server=server
        )
    endpoint = dataclasses.replace(_child_of_server(server, config), era=_era(server))
    return _live(name, endpoint, config, server, installs=bool(server.package) or _may_install(server.command))


def _era(server: ServerConfig) -> wire.Era | None:
    """The only era in which a configured server is spoken to, if its table names one."""
    return None if server.era == "auto" else wire.Era(server.era)


def _child_of_server(server: ServerConfig, config: Config) -> wire.StdioEndpoint:
    """The endpoint of a configured ``package`` or ``command``, with the variables and the folder of its table."""
    # Typed variables replace those in the file, which may refer to variables that are not set here.
    referred = {name: value for name, value in server.env.items() if name not in config.launch.env}
    environment = {**expand(referred, config, f"servers.{server.name}.env"), **config.launch.env}
    cwd = str(config.root / server.cwd) if server.cwd else str(config.root)
    if server.package:
        from mcp_governor.target.published import package_endpoint

        folder = cwd if server.cwd or server.args else None
        with_ = (*server.with_, *config.launch.with_)
        return package_endpoint(
            server.package,
            args=server.args,
            with_=with_,
            env=environment,
            cwd=folder,
            resolves=config.launch.resolves,
        )
    from mcp_governor.target.environments import project_program

    program, *rest = server.command
    return _child((project_program(program, Path(cwd)) or program, *rest), environment, cwd)
