"""A bounded HTTP client that stays within one origin and explains each failure in one sentence."""

from __future__ import annotations

import ssl
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, cast

import httpx2
from msgspec import Struct

from mcp_governor._version import __version__
from mcp_governor.errors import ProtocolError, TargetError, UnreachableError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.text import beginning, one_line, visible
from mcp_governor.wire.duplex import quiet
from mcp_governor.wire.endpoint import LOGIN
from mcp_governor.wire.limits import too_long
from mcp_governor.wire.transport import ConnectionLostError, HttpStatusError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from mcp_governor.wire.endpoint import HttpEndpoint
    from mcp_governor.wire.limits import Limits, Meter


_REDIRECTS = 5
"""Most redirects of one request: scheme, host and slash are three. With more, the server counts as unreachable."""

_CHALLENGES = 8
"""Most WWW-Authenticate headers that are read: one for each way to authenticate."""


class _Metered:
    """A response for the event reader that also meters comments and blank lines."""

    def __init__(self, response: httpx2.Response, meter: Meter) -> None:
        self._response = response
        self._meter = meter
        self.headers = response.headers
        self.request = response.request

    async def aiter_text(self) -> AsyncIterator[str]:
        async for chunk in self._response.aiter_text():
            self._meter.received(len(chunk))
            yield chunk


class Client:
    """Sends requests to one endpoint.

    Attributes:
        url: the address to which messages are sent.
        limits: limits on bodies, events and time.
    """

    def __init__(self, http: httpx2.AsyncClient, endpoint: HttpEndpoint, limits: Limits) -> None:
        self._http = http
        self._endpoint = endpoint
        self.url = httpx2.URL(endpoint.url)
        self.limits = limits

    @asynccontextmanager
    async def stream(
        self, method: str, url: httpx2.URL, headers: Mapping[str, str], body: bytes | None
    ) -> AsyncIterator[httpx2.Response]:
        """Send one request; its response is closed at the end. Redirects are followed within the origin only.

        Raises:
            UnreachableError: the connection failed or broke, or a redirect leaves the origin.
        """
        sent = {name.encode("ascii"): value.encode() for name, value in headers.items()}
        if body is not None:
            sent[b"Content-Type"] = b"application/json"
        try:
            request = self._http.build_request(method, url, headers=sent, content=body)
            response = await self._send(request)
            try:
                yield response
            finally:
                await response.aclose()
        except httpx2.TransportError as error:
            raise _unreachable(error) from None
        except httpx2.HTTPError as error:
            raise ProtocolError(
                f"its HTTP response cannot be read: {_reason(error)}.", "Check what the server or its proxy sends."
            ) from None

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        for _ in range(_REDIRECTS):
            response = await self._http.send(request, stream=True)
            if response.next_request is None:
                return response
            await response.aclose()
            request = _followed(request, response)
        raise UnreachableError(f"it redirects more than {_REDIRECTS} times.", "Name the final address.")

    async def body(self, response: httpx2.Response, meter: Meter) -> bytes:
        """Read the whole body.

        Raises:
            ProtocolError: it is longer than ``limits.message_bytes``, or exceeds ``meter``.
        """
        parts = bytearray()
        async for chunk in response.aiter_bytes():
            meter.received(len(chunk))
            parts += chunk
            if len(parts) > self.limits.message_bytes:
                raise too_long(self.limits.message_bytes)
        return bytes(parts)

    async def events(self, response: httpx2.Response, meter: Meter) -> AsyncIterator[httpx2.ServerSentEvent]:
        """Read the server-sent events of a response.

        Raises:
            ProtocolError: one is longer than ``limits.message_bytes``, or all together exceed ``meter``.
        """
        metered = cast("httpx2.Response", _Metered(response, meter))
        try:
            async for event in httpx2.EventSource(metered, max_event_size=self.limits.message_bytes):
                yield event
        except httpx2.SSEError:
            raise too_long(self.limits.message_bytes) from None

    def refusal(self, response: httpx2.Response, body: bytes) -> UnreachableError:
        """The error for an HTTP status without a JSON-RPC message."""
        status = response.status_code
        if status in (401, 403):
            challenges = response.headers.get_list("www-authenticate")[:_CHALLENGES]
            return refused(self._endpoint, status, ", ".join(challenges))
        said, hint = _STATUS.get(status, ("fails", "Check the server's log."))
        return HttpStatusError(f"it {said} (HTTP {status}{_snippet(response, body)}).", hint, status)

    def not_mcp(self, response: httpx2.Response, body: bytes, why: str) -> ProtocolError:
        """The error for a successful response that is not a JSON-RPC message."""
        kind = one_line(plain_type(response) or "nothing", 40)
        hint = "Check the address: the path of an MCP endpoint is often /mcp or /sse."
        if kind == "text/html":
            return ProtocolError("it responds with a web page (text/html), not with MCP.", hint)
        if not body:
            return ProtocolError(f"it answers HTTP {response.status_code} with an empty body.", hint)
        return ProtocolError(f"its response ({kind}) cannot be read: {why}.", hint)


_STATUS = {
    404: ("has no MCP endpoint at this path", "Check the address: the path is often /mcp or /sse."),
    405: ("does not take POST at this path", "Check the address: the path is often /mcp or /sse."),
    429: ("is receiving too many requests", "Wait, or ask for a higher limit."),
    502: ("is behind a proxy that cannot reach it", "Check that the server is running."),
    503: ("is not available now", "Check that the server is running."),
    504: ("is behind a proxy that got no response", "Check that the server is running."),
    400: ("does not understand the request", "Check that it speaks MCP at this address."),
}


def plain_type(response: httpx2.Response) -> str:
    """The content type without its parameters."""
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()


@asynccontextmanager
async def open_client(endpoint: HttpEndpoint, limits: Limits) -> AsyncIterator[Client]:
    """Open an HTTP client for one endpoint.

    Raises:
        TargetError: the address is not an http or https URL, or a header cannot be sent.
    """
    try:
        _check_address(endpoint)
        headers = {"User-Agent": f"mcp-governor/{__version__}", **endpoint.headers}
        # Only connecting has a timeout here; the caller limits the time of a request.
        http = httpx2.AsyncClient(
            headers=headers, timeout=httpx2.Timeout(None, connect=limits.connect_timeout), follow_redirects=False
        )
    except httpx2.InvalidURL:
        raise _invalid_address(endpoint) from None
    except UnicodeEncodeError:
        raise TargetError(
            f"a header configured for {endpoint.shown} holds characters that HTTP cannot send.", "Use plain ASCII."
        ) from None
    # In case a governed server has enabled logging: addresses have queries.
    with quiet("httpx2"):
        async with http:
            yield Client(http, endpoint, limits)


def _check_address(endpoint: HttpEndpoint) -> None:
    url = httpx2.URL(endpoint.url)
    if url.scheme not in ("http", "https") or not url.host or not 0 < (url.port or 80) < 65_536:
        raise _invalid_address(endpoint)


def _invalid_address(endpoint: HttpEndpoint) -> TargetError:
    return TargetError(f"{endpoint.shown} is not a valid address.", "Give an http:// or https:// URL.")


def _followed(request: httpx2.Request, response: httpx2.Response) -> httpx2.Request:
    """The request that follows a redirect, if it keeps method, body and origin.

    Headers are configured for one origin, so other addresses must not get them.
    """
    following = response.next_request
    shown = visible(str(following.url.copy_with(userinfo=b"", query=None)) if following else "")
    if following is None or not _same_origin(request.url, following.url):
        raise UnreachableError(
            f"it redirects to {one_line(shown)} (HTTP {response.status_code}), which is another origin.",
            "Name that address as the target if you trust it; headers are not sent there otherwise.",
        )
    if following.method != request.method:
        raise UnreachableError(
            f"it redirects to {one_line(shown)} in a way that drops the message (HTTP {response.status_code}).",
            "Name that address as the target, or redirect with 307 or 308.",
        )
    return following


def _same_origin(old: httpx2.URL, new: httpx2.URL) -> bool:
    """True if a redirect stays within the origin without new credentials, or upgrades it to https."""
    if new.userinfo and new.userinfo != old.userinfo:
        return False
    if (old.scheme, old.host, old.port) == (new.scheme, new.host, new.port):
        return True
    upgraded = old.scheme == "http" and new.scheme == "https"
    return upgraded and old.host == new.host and old.port is None and new.port is None


def _unreachable(error: httpx2.TransportError) -> UnreachableError:
    tls = _cause(error, ssl.SSLError)
    if tls is not None:
        reason = getattr(tls, "verify_message", "") or getattr(tls, "reason", "") or "handshake failed"
        # OpenSSL's reasons for a peer that responds in plain text.
        plain = reason in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE")
        hint = "Check the certificate; name the authority of a private one in SSL_CERT_FILE."
        return UnreachableError(
            f"the TLS connection fails: {one_line(str(reason))}.",
            "It does not seem to speak TLS. If it speaks plain HTTP, write http://." if plain else hint,
        )
    if isinstance(error, httpx2.ConnectTimeout):
        return UnreachableError("it did not accept a connection in time.", "Check the address and the network.")
    if isinstance(error, httpx2.ConnectError):
        return UnreachableError(
            f"no connection: {_reason(error)}.", "Check that the server is running at this address."
        )
    if isinstance(error, httpx2.LocalProtocolError | httpx2.UnsupportedProtocol):
        return UnreachableError(
            "the request cannot be sent: the address or a configured header is not valid HTTP.",
            "Check the header values for line breaks.",
        )
    if isinstance(error, httpx2.ProxyError):
        return UnreachableError(f"the proxy refuses: {_reason(error)}.", "Check HTTPS_PROXY and NO_PROXY.")
    return ConnectionLostError(f"the connection was lost: {_reason(error)}.", "Check the server's log.")


def _cause(error: BaseException, kind: type[BaseException]) -> BaseException | None:
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, kind):
            return seen
        seen = seen.__cause__ or seen.__context__
    return None


def _reason(error: Exception) -> str:
    system = _cause(error, OSError)
    text = (getattr(system, "strerror", None) or str(error)) if system is not None else str(error)
    return one_line(text or type(error).__name__, 100)


def _snippet(response: httpx2.Response, body: bytes) -> str:
    """The start of a short plain-text explanation; web pages are ignored."""
    if plain_type(response) not in ("text/plain", "application/json") or not body.strip():
        return ""
    return f': "{one_line(beginning(body, 500), 80)}"'


# why a server refuses a request with 401 or 403: which credential is missing, or which one it does not accept


LONGEST = 2_000
"""Characters of a WWW-Authenticate header that are read: four times that of the longest in use."""

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_STRINGS = lazy_pattern(_QUOTED)
_SCHEME = lazy_pattern(r"(?:^|,)\s*([A-Za-z][A-Za-z0-9-]*)(?=\s+[\w-]+\s*=|\s*(?:,|$))")
_PARAMETER = lazy_pattern(rf'([A-Za-z_]+)\s*=\s*({_QUOTED}|[^\s,"]+)')


class Challenge(Struct, frozen=True):
    """What a ``WWW-Authenticate`` header says (RFC 9110, 11.6.1; RFC 6750, 3).

    Attributes:
        schemes: the ways to authenticate, in lower case.
        parameters: of all of them, by name in lower case; the first of each name.
    """

    schemes: tuple[str, ...] = ()
    parameters: Mapping[str, str] = {}


def challenge_of(header: str) -> Challenge:
    """Read a ``WWW-Authenticate`` header; what is not one says nothing."""
    text = header[:LONGEST]
    schemes = [found[1].lower() for found in _SCHEME.finditer(_STRINGS.sub('""', text))]
    parameters: dict[str, str] = {}
    for found in _PARAMETER.finditer(text):
        value = found[2][1:-1].replace('\\"', '"') if found[2].startswith('"') else found[2]
        parameters.setdefault(found[1].lower(), value)
    return Challenge(tuple(schemes), parameters)


def refused(endpoint: HttpEndpoint, status: int, header: str) -> UnreachableError:
    """The error for a response 401 or 403.

    Args:
        endpoint: the server, with what is sent to it.
        status: the HTTP status.
        header: the value of ``WWW-Authenticate``; empty if there is none.
    """
    challenge = challenge_of(header)
    sent = {name.lower(): endpoint.origins.get(name.lower(), "") for name in endpoint.headers}
    reason = _said(status, challenge)
    if "authorization" in sent:
        origin = sent["authorization"]
        what = f"the credentials from {one_line(origin, 100)}" if origin else "the credentials"
        return UnreachableError(f"it refuses {what} ({reason}).", _check(origin, endpoint, status))
    known = [f"{name} ({origin})" for name, origin in sent.items() if origin]
    wanted = challenge.schemes[0].title() if challenge.schemes else ""
    if known:
        missing = f", and Authorization ({wanted}) is missing" if wanted else ""
        message = f"it refuses the credentials ({reason}): {one_line(', '.join(known), 200)} was sent{missing}."
        return UnreachableError(message, _pass(endpoint, challenge) if wanted else "Check the value of the header.")
    return UnreachableError(f"it requires credentials ({reason}).", _pass(endpoint, challenge))


def _said(status: int, challenge: Challenge) -> str:
    """``HTTP 401 invalid_token: "expired"``, as far as the server says it."""
    error = challenge.parameters.get("error", "")
    said = f"HTTP {status}{f' {one_line(error, 40)}' if error else ''}"
    described = challenge.parameters.get("error_description", "")
    scope = challenge.parameters.get("scope", "")
    if error == "insufficient_scope" and scope:
        return f'{said}: the scope "{one_line(scope, 100)}" is needed'
    return f'{said}: "{one_line(described, 100)}"' if described else said


def _check(origin: str, endpoint: HttpEndpoint, status: int) -> str:
    if origin == LOGIN:
        return f"Sign in again: mcp-governor login {endpoint.shown}"
    if status == 403:
        return "Use an account or a token that may do this."
    variable = origin.rpartition(" ")[2] if origin.startswith("--bearer") else origin
    return f"Check the value of {one_line(variable, 100)}." if origin else _pass(endpoint, Challenge())


def _pass(endpoint: HttpEndpoint, challenge: Challenge) -> str:
    """How to give a server what it asks for."""
    if challenge.schemes and "bearer" not in challenge.schemes:
        scheme = one_line(challenge.schemes[0].title(), 40)
        return (
            f'Set a variable to "{scheme} …", and name it: --header Authorization=VARIABLE; or set headers = '
            '{ Authorization = "$VARIABLE" } for this server in the configuration.'
        )
    login = f"Sign in: mcp-governor login {endpoint.shown}\nOr: " if challenge.schemes else ""
    return (
        f"{login}Name the environment variable that contains a token: --bearer VARIABLE (--header NAME=VARIABLE for "
        'another header); or set bearer-token = "$VARIABLE" for this server in the configuration.'
    )
