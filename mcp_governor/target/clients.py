"""Read servers from a client's configuration: ``mcpServers`` (most clients), ``servers`` (VS Code) or ``mcp_servers``
(Codex, whose file is TOML).

Editors write JSON with comments: ``//``, ``/* */`` and a comma before the closing bracket.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mcp_governor.errors import ConfigError, FileFormatError, GovernorError, TargetError
from mcp_governor.files import MAX_TEXT_BYTES, read_bytes
from mcp_governor.lazy import lazy_pattern
from mcp_governor.parsing import check_values, read_toml
from mcp_governor.secret_detection import learn_table
from mcp_governor.surface.file import parse_json
from mcp_governor.target.remote import environment_value
from mcp_governor.text import did_you_mean, one_line, visible
from mcp_governor.wire.endpoint import HttpEndpoint, StdioEndpoint

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


# Unclosed strings and comments match up to the end of the file. Otherwise, the search for an end would start again at
# every quotation mark and take quadratic time. Quantifiers are possessive, so that the engine does not backtrack.
_STRING = r'"(?:[^"\\\n]++|\\.)*+(?:"|(?=\n)|\\?\Z)'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*+|/\*(?:.*?\*/|.*+)", re.S)
_LAST_COMMA = re.compile(rf"{_STRING}|,(?=\s*+[}}\]])", re.S)
_VISIBLE = re.compile(r"\S")


def read_settings(path: Path, shown: str) -> Any:
    """Read a settings file.

    Args:
        path: path of the file.
        shown: its name in messages.

    Raises:
        OSError: it cannot be read.
        FileFormatError: it is not UTF-8, or it is not JSON even without its comments; the message has line and column.
    """
    try:
        text = read_bytes(path, limit=MAX_TEXT_BYTES).decode("utf-8-sig")
        for part in (_COMMENT, _LAST_COMMA):
            text = part.sub(_blank, text)
        return parse_json(text, shown)
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{shown} is not UTF-8 (byte {error.start}).", "Save it as UTF-8.") from None
    except FileFormatError as error:
        raise FileFormatError(error.message, "Correct that place.") from None


def _blank(match: re.Match[str]) -> str:
    """Keep strings and replace everything else with blanks, so that lines and columns do not change."""
    found = match[0]
    return found if found.startswith('"') else _VISIBLE.sub(" ", found)


_VARIABLE = lazy_pattern(r"\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}|\$\{(input:[^}]*)\}")


def endpoint_from_client_config(path: Path, name: str) -> StdioEndpoint | HttpEndpoint:
    """The server ``name`` in a client's configuration file.

    Raises:
        TargetError: the file or the server does not exist, or no server is named.
        ConfigError: the entry has neither command nor url, a value has the wrong type, or a variable is not set.
    """
    shown = visible(path.name)
    servers = client_servers(path)
    if not name:
        raise not_named(shown, servers)
    entry = servers.get(name)
    if name in servers and not isinstance(entry, dict):
        raise ConfigError(f"{shown}#{visible(name)} is not an object.", "Correct it there.")
    if not isinstance(entry, dict):
        raise TargetError(
            f'{shown} has no server "{visible(name)}".{did_you_mean(name, servers)}',
            f"It has: {', '.join(sorted(map(visible, servers)))}.",
        )
    learn_table(entry, os.environ)
    return _Entry(entry, f"{shown}#{visible(name)}", workspace_of(path)).endpoint()


def client_servers(path: Path) -> Mapping[str, Any]:
    """The servers of a client's configuration, by name.

    Raises:
        TargetError: the file cannot be read, or lists no servers.
        FileFormatError: it is neither JSON with comments nor, if its name ends so, TOML.
    """
    shown = visible(path.name)
    try:
        servers = _servers(_read(path, shown), path)
    except OSError as error:
        raise TargetError(f"{shown} cannot be read: {error.strerror}.", "Check the path.") from None
    if not servers:
        keys = '"mcp_servers"' if path.suffix == ".toml" else '"mcpServers" nor "servers"'
        raise TargetError(
            f"{shown} has {'no' if path.suffix == '.toml' else 'neither'} {keys}.", "Name a file that lists servers."
        )
    return servers


def is_disabled(entry: Any) -> bool:
    """True if a client does not start a server, by its entry: ``"disabled": true``, or in Codex ``enabled = false``."""
    return isinstance(entry, dict) and (entry.get("disabled") is True or entry.get("enabled") is False)


def servers_in(path: Path) -> list[str]:
    """The names of the servers in a client's configuration; empty for any other file."""
    try:
        return sorted(_servers(_read(path, path.name), path))
    except (OSError, GovernorError):
        return []


def not_named(shown: str, servers: Iterable[str]) -> TargetError:
    """The error for a client's configuration without the name of one of its servers."""
    names = sorted(servers)
    forms = ", ".join(f"{shown}#{one_line(name, 60)}" for name in names[:_SHOWN])
    more = f" … ({len(names)} in total)" if len(names) > _SHOWN else ""
    return TargetError(f"{shown} lists servers for MCP clients; name one of them.", f"Name one: {forms}{more}")


_SHOWN = 8
"""Most servers that a message names, so that it fits on a few lines."""


def workspace_of(path: Path) -> Path:
    """The project of a client's configuration: its folder, or the folder around ``.vscode``, ``.cursor`` and so on.

    Clients start a project's servers there and call it ``${workspaceFolder}``.
    """
    folder = path.resolve().parent
    return folder.parent if folder.name.startswith(".") else folder


def _read(path: Path, shown: str) -> Any:
    if path.suffix != ".toml":
        return read_settings(path, shown)
    try:
        document = read_toml(read_bytes(path, limit=MAX_TEXT_BYTES).decode("utf-8-sig"))
        check_values(document)
    except ValueError as error:
        raise FileFormatError(f"{shown} is not TOML: {one_line(str(error))}.", "Correct that place.") from None
    return document


def _servers(document: Any, path: Path) -> Mapping[str, Any]:
    if not isinstance(document, dict):
        return {}
    nested = document.get("mcp")
    # A TOML file with "servers" is our configuration.
    keys = ("mcp_servers",) if path.suffix == ".toml" else ("mcpServers", "servers")
    for holder in (document, nested if isinstance(nested, dict) else {}):
        for key in keys:
            if isinstance(holder.get(key), dict):
                found: Mapping[str, Any] = holder[key]
                return found
    return {}


class _Entry:
    """One server of a client's configuration.

    Args:
        entry: its JSON object.
        where: its name in messages.
        workspace: see :func:`workspace_of`.
    """

    def __init__(self, entry: Mapping[str, Any], where: str, workspace: Path) -> None:
        self._entry = entry
        self._where = where
        self._workspace = workspace

    def endpoint(self) -> StdioEndpoint | HttpEndpoint:
        """The endpoint of the server."""
        command = self._text("command")
        if command:
            return StdioEndpoint(
                (self._expand(command), *map(self._expand, self._list("args"))),
                env=self._table("env"),
                cwd=str(self._workspace / self._expand(self._text("cwd"))),
            )
        url = self._text("url") or self._text("serverUrl")
        if not url:
            raise ConfigError(f"{self._where} has neither a command nor a url.", "Add one of them.")
        transport: Literal["auto", "sse"] = "sse" if self._entry.get("type") == "sse" else "auto"
        return HttpEndpoint(self._expand(url), headers=self._headers(), transport=transport)

    def _headers(self) -> dict[str, str]:
        """The HTTP headers; Codex names those that come from its environment apart."""
        headers = {**self._table("headers"), **self._table("http_headers")}
        named = {
            name: environment_value(variable, self._where) for name, variable in self._table("env_http_headers").items()
        }
        if token := self._text("bearer_token_env_var"):
            named["Authorization"] = f"Bearer {environment_value(token, self._where)}"
        return {**headers, **named}

    def _wrong(self, key: str, wanted: str) -> ConfigError:
        return ConfigError(f'"{key}" of {self._where} is not {wanted}.', "Correct it there.")

    def _text(self, key: str) -> str:
        value = self._entry.get(key)
        if value is not None and not isinstance(value, str):
            raise self._wrong(key, "a string")
        return value or ""

    def _list(self, key: str) -> list[str]:
        value = self._entry.get(key)
        if value is not None and not (isinstance(value, list) and all(map(_is_word, value))):
            raise self._wrong(key, "a list of strings")
        return [str(item) for item in value or ()]

    def _table(self, key: str) -> dict[str, str]:
        """Strings by name; names with the value null are left out."""
        value = self._entry.get(key)
        if value is None:
            return {}
        if not isinstance(value, dict) or not all(item is None or _is_word(item) for item in value.values()):
            raise self._wrong(key, "an object of strings")
        return {name: self._expand(str(item)) for name, item in value.items() if item is not None}

    def _expand(self, text: str) -> str:
        return _VARIABLE.sub(self._value, text)

    def _value(self, match: re.Match[str]) -> str:
        name, default, prompt = match.groups()
        if prompt:
            raise ConfigError(
                f"{self._where} asks for ${{{visible(prompt)}}}, which only an editor can prompt for.",
                "Put the server into [tool.mcp-governor.servers] with $NAME from the environment.",
            )
        predefined = {
            "workspaceFolder": str(self._workspace),
            "workspaceFolderBasename": self._workspace.name,
            "userHome": str(Path.home()),
            "pathSeparator": os.sep,
        }
        if name in predefined:
            return predefined[name]
        if name not in os.environ and default is not None:
            return str(default)
        return environment_value(name, self._where)


def _is_word(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)
