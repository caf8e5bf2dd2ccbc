"""Servers that a client's configuration names: ``mcpServers`` (most clients) or ``servers`` (VS Code)."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Literal

from mcp_governor.errors import ConfigError, TargetError, UsageError
from mcp_governor.surface.file import parse_json
from mcp_governor.text import did_you_mean, visible
from mcp_governor.wire.endpoint import HttpEndpoint, StdioEndpoint

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}|\$\{(input:[^}]*)\}")


def endpoint_from_client_config(path: Path, name: str) -> StdioEndpoint | HttpEndpoint:
    """The server ``name`` in a client's configuration file; with no name, the only one in it.

    Raises:
        TargetError: the file or the server is not there.
        UsageError: no name, and several servers.
        ConfigError: an entry without command and url, or a variable that is not set.
    """
    shown = visible(path.name)
    try:
        document = parse_json(path.read_bytes(), shown)
    except OSError as error:
        raise TargetError(f"{shown} cannot be read: {error.strerror}.", "Check the path.") from None
    servers = _servers(document)
    if not servers:
        raise TargetError(f'{shown} has neither "mcpServers" nor "servers".', "Name a file that lists servers.")
    if not name:
        if len(servers) > 1:
            names = ", ".join(sorted(map(visible, servers)))
            raise UsageError(
                f"{shown} names {len(servers)} servers ({names}) and none is chosen.", f"Write {shown}#NAME."
            )
        name = next(iter(servers))
    entry = servers.get(name)
    if not isinstance(entry, dict):
        raise TargetError(
            f'{shown} has no server "{visible(name)}".{did_you_mean(name, servers)}',
            f"It has: {', '.join(sorted(map(visible, servers)))}.",
        )
    return _endpoint(entry, f"{shown}#{visible(name)}")


def _servers(document: Any) -> Mapping[str, Any]:
    if not isinstance(document, dict):
        return {}
    nested = document.get("mcp")
    for holder in (document, nested if isinstance(nested, dict) else {}):
        for key in ("mcpServers", "servers"):
            if isinstance(holder.get(key), dict):
                found: Mapping[str, Any] = holder[key]
                return found
    return {}


def _endpoint(entry: Mapping[str, Any], where: str) -> StdioEndpoint | HttpEndpoint:
    command, url = entry.get("command"), entry.get("url") or entry.get("serverUrl")
    if isinstance(command, str) and command:
        arguments = [_expand(str(item), where) for item in entry.get("args") or ()]
        environment = {str(k): _expand(str(v), where) for k, v in (entry.get("env") or {}).items()}
        cwd = entry.get("cwd")
        return StdioEndpoint(
            (_expand(command, where), *arguments),
            env=environment,
            cwd=_expand(cwd, where) if isinstance(cwd, str) else None,
        )
    if isinstance(url, str) and url:
        headers = {str(k): _expand(str(v), where) for k, v in (entry.get("headers") or {}).items()}
        transport: Literal["auto", "sse"] = "sse" if entry.get("type") == "sse" else "auto"
        return HttpEndpoint(_expand(url, where), headers=headers, transport=transport)
    raise ConfigError(f"{where} has neither a command nor a url.", "Add one of them.")


def _expand(text: str, where: str) -> str:
    def value(match: re.Match[str]) -> str:
        name, default, prompt = match.groups()
        if prompt:
            raise ConfigError(
                f"{where} asks for ${{{visible(prompt)}}}, which only an editor can prompt for.",
                "Put the server into [tool.mcp-governor.servers] with $NAME from the environment.",
            )
        if name in os.environ:
            return os.environ[name]
        if default is not None:
            return str(default)
        raise ConfigError(f"{where} needs the environment variable {name}, which is not set.", f"export {name}=…")

    return _VARIABLE.sub(value, text)
