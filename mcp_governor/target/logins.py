"""Logins at remote servers: where their tokens are kept, how they are renewed, and which addresses get them.

``mcp-governor login`` makes one (:mod:`mcp_governor.target.signing_in`); any run whose target has the same address uses
it. Tokens are in a file that only the user can read, or in the keyring of the system if the package ``keyring`` is
installed; in CI, the login is in an environment variable.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.errors import ConfigError, UnreachableError
from mcp_governor.files import read_bytes
from mcp_governor.secrets import keep, redact
from mcp_governor.target.remote import Header, shown_url
from mcp_governor.text import one_line
from mcp_governor.wire.endpoint import LOGIN
from mcp_governor.writing import NewFile, locked, write_files

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

VARIABLE = "MCP_GOVERNOR_LOGIN"
"""The variable with a login for CI, as ``mcp-governor login --output`` writes it."""

SERVICE = "mcp-governor"
"""Name of our entries in a keyring."""

MAX_BYTES = 64 * 1024
"""Maximum size of a login and of a token response, in bytes: a token with many claims has 4 KB."""

EARLY = 60
"""Seconds before its end at which a token is renewed, so that it lasts for the run."""

REFRESH_SECONDS = 20.0
"""Timeout for the renewal of a token, in seconds: authorization servers answer within one."""

_VISIBLE = re.compile(r"[\x21-\x7e]+")


class Login(Struct, frozen=True):
    """What is known after a login; everything that is needed to renew its token.

    Attributes:
        server: the address of the MCP server, without user, query and fragment.
        access_token: the token; empty in a file that refers to the keyring.
        refresh_token: with which it is renewed; empty if the server gave none.
        expires_at: seconds since 1970; ``None`` if the server does not say.
        token_endpoint, revocation_endpoint: of the authorization server.
        client_id, client_secret, client_auth: the registered client, and how it authenticates.
        resource: the resource indicator (RFC 8707).
        seed: digest of the login in the environment from which this one was renewed.
        in_keyring: true if the tokens are in the keyring.
    """

    server: str
    access_token: str = ""
    refresh_token: str = ""
    expires_at: float | None = None
    token_endpoint: str = ""
    revocation_endpoint: str = ""
    client_id: str = ""
    client_secret: str = ""
    client_auth: str = ""
    resource: str = ""
    seed: str = ""
    in_keyring: bool = False

    def learn(self) -> None:
        """Keep its secrets out of all output."""
        for value in (self.access_token, self.refresh_token, self.client_secret):
            keep(value, f"the login at {self.server}")

    @property
    def is_current(self) -> bool:
        """True if its token has not expired, as far as is known."""
        return self.expires_at is None or time.time() < self.expires_at - EARLY


class LoginError(UnreachableError):
    """A login failed, or its token cannot be renewed."""


# ── addresses ───────────────────────────────────────────────────────────────────────────────────────────────


def server_of(url: str) -> str:
    """The address of a server as logins name it."""
    return shown_url(url.removeprefix("sse+"))


def check_address(url: str, server: str, what: str) -> None:
    """Check that an address may get tokens and codes of a server, or be asked for where to send them.

    An authorization server may be on another host than the server. It must not be on this machine or inside of the
    network if the server is not: a hostile server could otherwise let us send requests there.

    Args:
        url: the address, which the server or its authorization server named.
        server: the address of the server.
        what: what the address is, for the message.

    Raises:
        LoginError: it must not.
    """
    shown = one_line(url.partition("?")[0], 100)
    try:
        parts = urlsplit(url)
        host, named = parts.hostname or "", urlsplit(server).hostname or ""
    except ValueError:
        host = named = ""
    if not host or parts.scheme not in ("http", "https") or parts.username is not None:
        raise LoginError(f"{what} {shown} is not an http or https address.", _REPORT)
    if parts.scheme != "https" and not _is_here(host):
        raise LoginError(f"{what} {shown} is not https, so others could read the tokens.", _REPORT)
    if _is_inside(host) and host != named and not _is_inside(named):
        raise LoginError(f"{what} {shown} is inside of your network, and the server is not.", _REPORT)


_REPORT = "Do not sign in there; ask the operator of the server."


def _is_here(host: str) -> bool:
    address = _address(host)
    return address.is_loopback if address is not None else host == "localhost" or host.endswith(".localhost")


def _is_inside(host: str) -> bool:
    address = _address(host)
    return not address.is_global if address is not None else _is_here(host)


def _address(host: str) -> IPv4Address | IPv6Address | None:
    """The IP address that a host is, in any spelling that the system accepts (``127.1``); ``None`` for a name."""
    import socket
    from ipaddress import IPv4Address, ip_address

    try:
        address = ip_address(host)
    except ValueError:
        try:
            return IPv4Address(socket.inet_aton(host))
        except OSError:
            return None
    return getattr(address, "ipv4_mapped", None) or address


# ── the store ───────────────────────────────────────────────────────────────────────────────────────────────


def folder() -> Path:
    """The folder of the logins, which may not exist (XDG Base Directory; ``%LOCALAPPDATA%`` on Windows)."""
    variable = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_STATE_HOME"
    named = os.environ.get(variable, "")
    base = Path(named) if Path(named).is_absolute() else Path.home() / ".local" / "state"
    return base / "mcp-governor" / "logins"


def file_of(server: str) -> Path:
    """The file with the login at a server."""
    return folder() / f"{hashlib.sha256(server.encode()).hexdigest()[:32]}.json"


def _folder_made() -> Path:
    place = folder()
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place


def stored(server: str) -> Login | None:
    """The stored login at a server, or ``None``.

    Raises:
        ConfigError: its file cannot be read, others can read it, or the keyring has lost it.
    """
    try:
        file = file_of(server)
        data = read_bytes(file, limit=MAX_BYTES)
        mode = file.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, RuntimeError):
        return None
    except OSError as error:
        raise ConfigError(f"The login at {server} cannot be read: {error.strerror}.", _again(server)) from None
    if sys.platform != "win32" and stat.S_IMODE(mode) & 0o077:
        raise ConfigError(f"Other users can read the login at {server}, {file}.", f"Change it: chmod 600 {file}")
    login = _read(data, f"The login at {server}, {file},")
    return _from_keyring(server) if login.in_keyring else login


def save(login: Login) -> str:
    """Store a login.

    Returns:
        Where: ``the keyring``, or the path of the file.
    """
    place = file_of(login.server)
    _folder_made()
    kept = not login.seed and _to_keyring(login)
    written = Login(login.server, in_keyring=True) if kept else login
    write_files(NewFile(place, msgspec.json.encode(written), private=True))
    return "the keyring" if kept else str(place)


def forget(server: str) -> bool:
    """Delete the stored login at a server; false if there is none."""
    place = file_of(server)
    found = place.exists()
    place.unlink(missing_ok=True)
    with contextlib.suppress(RuntimeError):
        _keyring("delete_password", server)
    return found


def _again(server: str) -> str:
    return f"Sign in again: mcp-governor login {server}"


def _read(data: bytes, what: str) -> Login:
    try:
        return msgspec.json.decode(data, type=Login)
    except (msgspec.DecodeError, RecursionError):
        raise ConfigError(f"{what} is not a login.", "Make it again: mcp-governor login URL") from None


def _keyring(function: str, *values: str) -> Any:
    """What a function of ``keyring`` returns for our service.

    Raises:
        RuntimeError: the package is not installed, the system has no keyring, or it refuses.
    """
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError as error:
        raise RuntimeError(str(error)) from None
    try:
        return getattr(keyring, function)(SERVICE, *values)
    except KeyringError as error:
        raise RuntimeError(str(error)) from None


def _to_keyring(login: Login) -> bool:
    """Store a login in the keyring; false if there is none."""
    try:
        _keyring("set_password", login.server, msgspec.json.encode(login).decode())
    except RuntimeError:
        return False
    return True


def _from_keyring(server: str) -> Login:
    try:
        text = _keyring("get_password", server)
    except RuntimeError as error:
        raise ConfigError(
            f"The login at {server} is in the keyring, which cannot be read: {one_line(str(error), 100)}.",
            _again(server),
        ) from None
    if text is None:
        raise ConfigError(f"The keyring no longer has the login at {server}.", _again(server))
    return _read(text[:MAX_BYTES].encode(), "The entry in the keyring")


# ── what a request sends ────────────────────────────────────────────────────────────────────────────────────


def login_header(url: str) -> Header | None:
    """The Authorization header from the login at a server; ``None`` if there is no login. An expired token is renewed.

    Raises:
        ConfigError: the login cannot be read.
        LoginError: its token has expired, and cannot be renewed.
    """
    try:
        server = server_of(url)
    except UnicodeError:
        return None
    login = _from_environment(server) or stored(server)
    if login is None:
        return None
    login.learn()
    if not login.is_current:
        login = _renewed(login)
    return Header(f"Bearer {login.access_token}", LOGIN)


def _from_environment(server: str) -> Login | None:
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return None
    login = _read(text[: MAX_BYTES + 1].encode(), f"The value of {VARIABLE}")
    login.learn()
    if login.server != server:
        return None
    seed = hashlib.sha256(text.encode()).hexdigest()[:32]
    # What an earlier command of the same job has renewed: most refresh tokens are good for one use.
    before = stored(server)
    return before if before is not None and before.seed == seed else replace(login, seed=seed)


def _renewed(login: Login) -> Login:
    if not login.refresh_token:
        raise LoginError(f"{login.server}: the login has expired, and there is no refresh token.", _again(login.server))
    with locked(_folder_made(), seconds=2 * REFRESH_SECONDS):
        # Another run may have renewed it meanwhile.
        other = stored(login.server)
        if other is not None and other.seed == login.seed and other.is_current:
            other.learn()
            return other
        renewed = _refreshed(login)
        renewed.learn()
        save(renewed)
    return renewed


class _Tokens(Struct, frozen=True):
    """A token response (RFC 6749, 5.1)."""

    access_token: str
    expires_in: float | str | None = None
    refresh_token: str | None = None


def _refreshed(login: Login) -> Login:
    form = {"grant_type": "refresh_token", "refresh_token": login.refresh_token}
    if login.resource:
        form["resource"] = login.resource
    status, body = post(login, login.token_endpoint, form, "The token endpoint")
    failed = f"{login.server}: the login has expired, and the authorization server does not renew it"
    if status != 200:
        said = one_line(redact(body[:500].decode(errors="replace")), 100)
        raise LoginError(f"{failed} (HTTP {status}: {said}).", _again(login.server))
    try:
        tokens = msgspec.json.decode(body, type=_Tokens)
        seconds = float(tokens.expires_in) if tokens.expires_in is not None else None
    except (msgspec.DecodeError, ValueError, RecursionError):
        raise LoginError(f"{failed}: its response is not a token response.", _again(login.server)) from None
    return with_tokens(login, tokens.access_token, tokens.refresh_token or login.refresh_token, seconds)


def with_tokens(login: Login, access_token: str, refresh_token: str, seconds: float | None) -> Login:
    """The login with new tokens.

    Args:
        login: the rest of it.
        access_token, refresh_token: the tokens.
        seconds: how long the access token is good for; ``None`` if that is not known.

    Raises:
        LoginError: a token cannot be sent in a header.
    """
    if not _VISIBLE.fullmatch(access_token):
        raise LoginError(f"{login.server}: the access token has characters that HTTP cannot send.", _REPORT)
    at = None if seconds is None or not seconds < _LONGEST_LIFE else time.time() + max(seconds, 0)
    return replace(login, access_token=access_token, refresh_token=refresh_token, expires_at=at)


_LONGEST_LIFE = 10 * 366 * 86_400
"""Seconds from which on a token counts as one that does not expire: ten years."""


def post(login: Login, url: str, form: dict[str, str], what: str) -> tuple[int, bytes]:
    """POST a form to the authorization server as the client of a login; redirects are not followed.

    Args:
        login: the login.
        url: the address.
        form: what is sent besides the client.
        what: the address in messages.

    Returns:
        The status, and the body up to :data:`MAX_BYTES`.

    Raises:
        LoginError: the address is not acceptable, or it cannot be reached in time.
    """
    import httpx2

    check_address(url, login.server, what)
    form = {**form, "client_id": login.client_id}
    auth: tuple[str, str] | None = None
    if login.client_secret and login.client_auth == "client_secret_basic":
        from urllib.parse import quote

        auth = quote(login.client_id, safe=""), quote(login.client_secret, safe="")  # RFC 6749, 2.3.1
    elif login.client_secret:
        form["client_secret"] = login.client_secret
    end = time.monotonic() + REFRESH_SECONDS
    body = b""
    headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
    try:
        with (
            httpx2.Client(timeout=REFRESH_SECONDS / 2) as http,
            http.stream("POST", url, data=form, headers=headers, auth=auth) as response,
        ):
            # Raw, because a compressed body could become any size.
            for chunk in response.iter_raw():
                body += chunk
                if len(body) > MAX_BYTES or time.monotonic() > end:
                    raise LoginError(f"{what} {one_line(url, 100)} does not end its response.", "Try again later.")
            return response.status_code, body
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        raise LoginError(
            f"{what} {one_line(url, 100)} cannot be reached: {one_line(str(error), 100) or type(error).__name__}.",
            "Check the network.",
        ) from None
