"""Servers at an address: the endpoint, its headers with where each comes from, and how an address is shown."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor import wire
from mcp_governor.errors import ConfigError, TargetError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.secret_detection import learn_reference
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from mcp_governor.config import Config, ServerConfig

TOKEN_VARIABLE = "MCP_GOVERNOR_BEARER_TOKEN"  # noqa: S105  a name, not a secret


class Header(Struct, frozen=True):
    """The value of a header, and where it comes from.

    Attributes:
        value: what is sent; never shown.
        origin: for messages: an option, a variable, or a key of the configuration.
    """

    value: str
    origin: str


def without_header(headers: Mapping[str, Header], name: str) -> dict[str, Header]:
    """The headers without one of them, in whatever case its name is written."""
    return {other: header for other, header in headers.items() if other.lower() != name.lower()}


def headers_of_server(server: ServerConfig, config: Config) -> dict[str, Header]:
    """The headers of a configured server, without those that the command line replaces: they may refer to variables
    that are not set here."""
    where = f"servers.{server.name}"
    typed = {name.lower() for name in config.launch.headers}
    written = {name: value for name, value in server.headers.items() if name.lower() not in typed}
    headers = {
        name: Header(value, f"{where}.headers.{name}")
        for name, value in expand(written, config, f"{where}.headers").items()
    }
    if server.bearer_token and "authorization" not in typed:
        token = expand({"bearer-token": server.bearer_token}, config, where)["bearer-token"]
        headers = {
            **without_header(headers, "Authorization"),
            "Authorization": Header(f"Bearer {token}", f"{where}.bearer-token"),
        }
    return headers


def remote_endpoint(
    url: str, headers: Mapping[str, Header], *, transport: Any, era: wire.Era | None
) -> wire.HttpEndpoint:
    """The endpoint of a server at an address."""
    return wire.HttpEndpoint(
        url,
        headers={name: header.value for name, header in headers.items()},
        transport=transport,
        era=era,
        origins={name.lower(): header.origin for name, header in headers.items()},
    )


def without_secrets(text: str) -> str:
    """A possibly misspelt URL without the parts that may contain secrets."""
    before, query, _ = text.partition("?")
    front, at, host = before.rpartition("@")
    scheme, colon, _ = front.partition(":")
    shown = f"{scheme}://…@{host}" if at and colon else before
    return one_line(f"{shown}?…" if query else shown, 80)


def shown_url(url: str) -> str:
    """A URL without user info and query, which may contain secrets."""
    from urllib.parse import urlsplit, urlunsplit

    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        raise TargetError(f'"{without_secrets(url)}" is not a URL.', "Write https://HOST/PATH.") from None
    return visible(urlunsplit((parts.scheme, host + port, parts.path, "", "")))


_REFERENCE = lazy_pattern(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")


def expand(values: Mapping[str, str], config: Config, where: str) -> dict[str, str]:
    """Replace ``$NAME`` and ``${NAME}`` with values from the environment.

    Raises:
        ConfigError: a variable is not set; the message contains the variable and the key, but no values.
    """

    def value_of(key: str, match: re.Match[str]) -> str:
        return environment_value(match[1] or match[2], f"{config.shown}: {visible(where)}.{visible(key)}")

    return {
        key: _REFERENCE.sub(lambda match, key=key: value_of(key, match), value)  # type: ignore[misc]
        for key, value in values.items()
    }


def environment_value(variable: str, who: str) -> str:
    """The value of an environment variable, which is kept out of all output from then on.

    Raises:
        ConfigError: it is not set; ``who`` needs it.
    """
    if variable not in os.environ:
        name = visible(variable)
        raise ConfigError(f"{who} needs the environment variable {name}, which is not set.", f"Set it: export {name}=…")
    learn_reference(os.environ[variable], variable)
    return os.environ[variable]
