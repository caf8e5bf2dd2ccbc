"""``mcp-governor login``: an authorization code through a browser and a loopback redirect (RFC 8252).

The OAuth client of the ``mcp`` SDK finds the authorization server (RFC 9728, RFC 8414), registers (RFC 7591) and
exchanges the code (RFC 7636). All that it sends goes through :class:`_Guarded`, because a hostile server chooses the
addresses and the documents.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urljoin, urlsplit

import anyio
import httpx2
from anyio.abc import SocketAttribute
from mcp.client.auth import OAuthClientProvider, OAuthFlowError, OAuthRegistrationError
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from mcp_governor.target.logins import Login, LoginError, check_address, server_of, with_tokens
from mcp_governor.text import one_line
from mcp_governor.wire.duplex import background, quiet

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from anyio.abc import SocketStream

MAX_DOCUMENT = 1024 * 1024
"""Maximum size of a response, in bytes: metadata has 4 KB."""

MAX_REQUESTS = 40
"""Most requests of one login: the SDK makes eight if it has to look for the metadata everywhere."""

REQUEST_SECONDS = 20.0
"""Timeout for the headers of each response, in seconds."""

MAX_CALLERS = 100
"""Most connections to the loopback address: browsers make two, and the request of an icon."""

MAX_REQUEST_LINE = 16 * 1024
"""Maximum size of the browser's request, in bytes."""

_DONE = "Signed in. Close this window and go back to the terminal."
_FAILED = "The login failed. The terminal says why."
_PAGE_HEADERS = (
    "Content-Type: text/html; charset=utf-8",
    "Cache-Control: no-store",
    "Referrer-Policy: no-referrer",
    "Connection: close",
)
_NO_LOGIN = "The server does not ask for a login"


async def sign_in(
    url: str,
    show: Callable[[str], Awaitable[None]],
    *,
    seconds: float,
    port: int = 0,
    client_id: str = "",
    client_secret: str = "",
) -> Login:
    """Sign in at a server.

    Args:
        url: the address of the MCP server.
        show: gets the address where the user signs in, and opens a browser.
        seconds: timeout for everything, the user included.
        port: port of the loopback address; 0 for any.
        client_id, client_secret: a client that the authorization server knows; by default, one is registered.

    Raises:
        LoginError: it failed.
    """
    server = server_of(url)
    check_address(url, url, "The address")
    try:
        # We report its errors; it would log them with tracebacks.
        with quiet("mcp.client.auth", logging.CRITICAL + 1), anyio.fail_after(seconds):
            listener: Any = await _listener(port)
            callback = _Callback(listener.extra(SocketAttribute.local_port))  # noqa: S610  not Django
            async with listener, background() as tasks:
                tasks.start_soon(listener.serve, callback.answer)
                return await _signed_in(url, server, show, callback, (client_id, client_secret))
    except TimeoutError:
        raise LoginError(
            f"{server}: nobody signed in within {seconds:g} s.", "Run it again, and raise --wait."
        ) from None
    except OAuthRegistrationError as error:
        raise LoginError(
            f"{server}: its authorization server does not register clients: {one_line(str(error), 150)}",
            f"Register a client there with the redirect address {_redirect(port or 8766)}, and name it: "
            f"--client-id ID --port {port or 8766}",
        ) from None
    except (OAuthFlowError, httpx2.HTTPError, httpx2.InvalidURL, ValueError, RecursionError) as error:
        raise LoginError(f"{server}: the login failed: {one_line(str(error), 200)}", "Check the address.") from None


def _redirect(port: int) -> str:
    return f"http://127.0.0.1:{port}/callback"


async def _signed_in(
    url: str,
    server: str,
    show: Callable[[str], Awaitable[None]],
    callback: _Callback,
    client: tuple[str, str],
) -> Login:
    redirect = _redirect(callback.port)
    metadata = OAuthClientMetadata.model_validate({"redirect_uris": [redirect], "client_name": "mcp-governor"})
    storage = _Memory(*client, redirect)

    async def redirect_handler(address: str) -> None:
        check_address(address, url, "The page for the login")
        # Before anybody signs in: the code would go there.
        check_address(_token_endpoint(provider, url), url, "The token endpoint")
        callback.state = parse_qs(urlsplit(address).query).get("state", [""])[0]
        await show(address)

    provider = OAuthClientProvider(url, metadata, storage, redirect_handler, callback.result)
    guarded = _Guarded(httpx2.AsyncHTTPTransport(), url)
    timeout = httpx2.Timeout(REQUEST_SECONDS)
    async with httpx2.AsyncClient(transport=guarded, auth=provider, timeout=timeout, follow_redirects=False) as http:
        response = await http.post(url, json=_DISCOVER, headers=_HEADERS)
    if storage.tokens is None or storage.client is None:
        hint = "Use it without a login." if response.is_success else "Check the address."
        raise LoginError(f"{server}: {_NO_LOGIN} (HTTP {response.status_code}).", hint)
    if response.status_code == 401:
        raise LoginError(
            f"{server}: it does not accept the token of its own authorization server.", "Ask its operator."
        )
    known = provider.context.oauth_metadata
    found = Login(
        server,
        token_endpoint=_token_endpoint(provider, url),
        revocation_endpoint=str(known.revocation_endpoint) if known and known.revocation_endpoint else "",
        client_id=storage.client.client_id,
        client_secret=storage.client.client_secret or "",
        client_auth=storage.client.token_endpoint_auth_method or "",
        resource=provider.context.get_resource_url(),
    )
    tokens = storage.tokens
    return with_tokens(found, tokens.access_token, tokens.refresh_token or "", tokens.expires_in)


_HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "server/discover",
}
# It has no effect and opens no session, and authorization comes before anything else.
_DISCOVER = {"jsonrpc": "2.0", "id": 1, "method": "server/discover"}


def _token_endpoint(provider: OAuthClientProvider, url: str) -> str:
    known = provider.context.oauth_metadata
    return str(known.token_endpoint) if known else urljoin(url, "/token")


class _Memory:
    """The tokens and the client of one login (:class:`mcp.client.auth.TokenStorage`)."""

    def __init__(self, client_id: str, client_secret: str, redirect: str) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None
        if client_id:
            method = "client_secret_post" if client_secret else "none"
            self.client = OAuthClientInformationFull.model_validate(
                {
                    "client_id": client_id,
                    "client_secret": client_secret or None,
                    "redirect_uris": [redirect],
                    "token_endpoint_auth_method": method,
                }
            )

    async def get_tokens(self) -> OAuthToken | None:
        return None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


# ── what is sent ────────────────────────────────────────────────────────────────────────────────────────────


class _Guarded(httpx2.AsyncBaseTransport):
    """Sends to acceptable addresses only, a bounded number of requests, and reads a bounded number of bytes."""

    def __init__(self, transport: httpx2.AsyncBaseTransport, server: str) -> None:
        self._transport = transport
        self._server = server
        self._sent = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self._sent += 1
        if self._sent > MAX_REQUESTS:
            raise LoginError(f"The login needs more than {MAX_REQUESTS} requests.", "Ask the operator of the server.")
        check_address(str(request.url), self._server, "The address")
        # A compressed document could become any size.
        request.headers["Accept-Encoding"] = "identity"
        shown = one_line(str(request.url).partition("?")[0], 100)
        try:
            with anyio.fail_after(REQUEST_SECONDS):
                response = await self._transport.handle_async_request(request)
        except TimeoutError:
            raise LoginError(f"{shown} does not respond within {REQUEST_SECONDS:g} s.", "Try again later.") from None
        if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
            raise LoginError(f"{shown} sends a compressed document.", "Ask its operator.")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Bounded(response.stream, shown)
        return response

    async def aclose(self) -> None:
        await self._transport.aclose()


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, shown: str) -> None:
        self._stream = stream
        self._shown = shown

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MAX_DOCUMENT:
                raise LoginError(f"{self._shown} sends more than {MAX_DOCUMENT:,} bytes.", "Ask its operator.")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


# ── where the browser comes back to ─────────────────────────────────────────────────────────────────────────


class _Callback:
    """What the browser brings back to the loopback address.

    Attributes:
        port: of the address.
        state: what the browser must bring back; anything else is not from our login.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.state = ""
        self._came = anyio.Event()
        self._query: dict[str, list[str]] = {}
        self._callers = 0

    async def result(self) -> AuthorizationCodeResult:
        """Wait for the browser."""
        await self._came.wait()
        error = self._value("error")
        if error:
            said = self._value("error_description") or error
            raise LoginError(f"The authorization server refuses the login: {one_line(said, 200)}.", "Ask its operator.")
        return AuthorizationCodeResult(
            code=self._value("code"), state=self._value("state"), iss=self._value("iss") or None
        )

    def _value(self, name: str) -> str:
        return self._query.get(name, [""])[0]

    async def answer(self, stream: SocketStream) -> None:
        """Answer one request of a browser."""
        self._callers += 1
        async with stream:
            if self._callers > MAX_CALLERS:
                return
            try:
                with anyio.fail_after(REQUEST_SECONDS):
                    status, said = self._judge(await _head(stream))
                    page = f"<!doctype html><title>mcp-governor</title><p>{said}".encode()
                    head = [f"HTTP/1.1 {status}", *_PAGE_HEADERS, f"Content-Length: {len(page)}", "", ""]
                    await stream.send("\r\n".join(head).encode() + page)
            except (TimeoutError, anyio.BrokenResourceError, anyio.EndOfStream, anyio.ClosedResourceError):
                pass
            if self._query:
                self._came.set()

    def _judge(self, head: bytes) -> tuple[str, str]:
        words = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
        path, _, query = (words[1] if len(words) == 3 and words[0] == "GET" else "").partition("?")
        if path != "/callback":
            return "404 Not Found", "Not here."
        found = parse_qs(query, max_num_fields=20) if query.count("&") < 20 else {}
        if not self.state or found.get("state") != [self.state]:
            return "400 Bad Request", "This is not the login that the terminal waits for."
        self._query = self._query or found
        return "200 OK", _FAILED if self._value("error") else _DONE


async def _head(stream: SocketStream) -> bytes:
    head = b""
    while b"\r\n\r\n" not in head and len(head) < MAX_REQUEST_LINE:
        head += await stream.receive(MAX_REQUEST_LINE)
    return head


async def _listener(port: int) -> Any:
    try:
        return await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=port)
    except OSError as error:
        raise LoginError(
            f"Port {port} of 127.0.0.1 cannot be used: {error.strerror}.", "Name another --port."
        ) from None
