"""One conversation with a server, after its handshake."""

from __future__ import annotations

import itertools
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mcp_governor._version import __version__
from mcp_governor.errors import ProtocolError, ServerError, UnreachableError
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.secrets import redact_json
from mcp_governor.surface.listings import LANGUAGE, RESULT_FIELDS, stated_language
from mcp_governor.surface.messages import mismatches
from mcp_governor.surface.model import MODERN_PROTOCOL
from mcp_governor.text import one_line
from mcp_governor.wire import rpc
from mcp_governor.wire.endpoint import Era
from mcp_governor.wire.headers import mirrored
from mcp_governor.wire.transport import ConnectionLostError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from mcp_governor.wire.limits import Limits
    from mcp_governor.wire.pulse import Pulse
    from mcp_governor.wire.rpc import Message
    from mcp_governor.wire.transport import Inbox, Transport

_COURTESY = 0.5
"""Timeout for optional messages such as cancellations, in seconds."""

_ASKED = 20
"""Most input requests in one result that are declined; a person would get two or three."""

_ROUNDS = 3
"""Most rounds in which input requests of one call are declined; after that, the request for input is the result."""


_OPAQUE = ("nextCursor", "requestState", "inputRequests")
"""Members of a result that are sent back to the server."""

_PAGES_KEPT = 20
"""Most pages of a list whose different fields are kept."""


_MISMATCHES_KEPT = 20
"""Most members of the wrong type that are kept."""

_RESULTS = {
    "tools": "ListToolsResult",
    "prompts": "ListPromptsResult",
    "resources": "ListResourcesResult",
    "resourceTemplates": "ListResourceTemplatesResult",
}
"""Member with the items of a list → type of the result."""


META = "io.modelcontextprotocol/"
"""Prefix of the members of ``_meta`` that the specification defines."""

CLIENT_INFO = {"name": "mcp-governor", "version": __version__}


def enveloped(params: Mapping[str, Any] | None) -> Message:
    """Parameters with the ``_meta`` keys that 2026-07-28 requires in every request."""
    message = dict(params or {})
    meta = message.get("_meta")
    message["_meta"] = {
        **(meta if isinstance(meta, dict) else {}),
        f"{META}protocolVersion": MODERN_PROTOCOL,
        f"{META}clientCapabilities": {},
        f"{META}clientInfo": CLIENT_INFO,
    }
    return message


class Session:
    """An open connection; made by :func:`mcp_governor.wire.connect`.

    Attributes:
        era: the era of the handshake.
        protocol: negotiated protocol version.
        server_info, capabilities: as the server reported them, unchanged.
        instructions: as the server reported them; ``None`` if absent or not a string.
        took: time between the server's reading of the handshake and its response, in seconds.
        inbox: what the server sent besides responses; its requests to us were declined or got an error.
        limits: the limits of the session.
        tools: name → item of ``tools/list``, as first listed in this session.
        listings: fields of list results other than their items, see ``Surface.listings``.
        mismatches: members of results other than list items that do not have the type of the specification, each with
            ``path`` and ``error``, safe to show; see ``mcp_governor.surface.messages``.
        pages: method → number of items on each page, of lists with several pages.
        stderr: the end of what a child process wrote to stderr in this connection, at most ``limits.stderr_bytes``;
            ``None`` if the server is not a child process.
        published: origins of secrets that the server sent back, such as ``the header X``.
    """

    def __init__(
        self, transport: Transport, inbox: Inbox, limits: Limits, explained: Callable[[ServerError], ServerError]
    ) -> None:
        self._transport = transport
        self.inbox = inbox
        self.explained = explained
        self._numbers = itertools.count(1)
        self.era, self.protocol = Era.LEGACY, ""
        self.server_info: Mapping[str, Any] = {}
        self.capabilities: Mapping[str, Any] = {}
        self.instructions: str | None = None
        self.took = 0.0
        self._answered = ""
        self.limits = limits
        self.tools: dict[str, Any] = {}
        self.listings: dict[str, list[dict[str, Any]]] = {}
        self.published: set[str] = set()
        self.mismatches: list[dict[str, str]] = []
        self._extra_members: set[str] = set()
        self.pages: dict[str, list[int]] = {}
        self.stderr: bytearray | None = None

    @property
    def streams(self) -> bool:
        """True over streamable HTTP, where each request is a POST of its own."""
        return self._transport.mirrors

    async def begin(self, era: Era, protocol: str, result: Message, info: Any, took: float) -> None:
        """Take over after the handshake; called once, by :func:`mcp_governor.wire.protocol.greet`.

        Args:
            era, protocol, took: as the attributes.
            result: the response to the handshake.
            info: what it says of the server.
        """
        self.era, self.protocol, self.took = era, protocol, took
        capabilities, instructions = result.get("capabilities"), result.get("instructions")
        self.server_info = info if isinstance(info, dict) else {}
        self.capabilities = capabilities if isinstance(capabilities, dict) else {}
        self.instructions = instructions if isinstance(instructions, str) else None
        self._answered = "server/discover" if era is Era.MODERN else "initialize"
        if era is Era.MODERN:
            self._keep_fields("discover", result)
        self.inbox.meter.item(result, "its response to the handshake")
        kind = "DiscoverResult" if era is Era.MODERN else "InitializeResult"
        # What is inside of these is part of the surface, and rules of its own check it.
        inside = {key for key in ("serverInfo", "capabilities") if isinstance(result.get(key), dict)}
        self._note_mismatches(result, kind, "", inside)
        if era is Era.LEGACY:
            message = rpc.notification("notifications/initialized")
            await self._transport.notify(message, self._headers(message, Era.LEGACY), None)

    @property
    def pulse(self) -> Pulse | None:
        """Observes the server process; ``None`` if the server is not our child."""
        return self._transport.pulse

    async def ask(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        era: Era,
        seconds: float | None = None,
        look: Callable[[], None] | None = None,
    ) -> Message:
        """Send a request in the form of an era and return its result; errors as for :meth:`request`, plus
        ``TimeoutError``. For the handshake; :meth:`request` is for all else.

        A child that is observed with ``look`` (see :class:`~mcp_governor.wire.transport.Transport`) has the whole
        connection to itself, which ends with the request.
        """
        body = enveloped(params) if era is Era.MODERN else dict(params) if params is not None else None
        message = rpc.request(next(self._numbers), method, body)
        headers = self._headers(message, era)
        self.inbox.stray_id = ""
        try:
            answer = await self._transport.exchange(message, headers, seconds, look)
        except TimeoutError:
            if look is None:
                await self._cancel(message, era)
            raise
        return self._result_of(answer, method)

    def _redacted(self, result: Message) -> Message:
        """Remove secrets that the server was given from its result, so that they do not leave this package.

        Members that are sent back to the server stay unchanged.
        """
        cleaned: Message = redact_json(result, self.published)
        return (
            {**cleaned, **{key: result[key] for key in _OPAQUE if key in result}} if cleaned is not result else result
        )

    async def request(
        self, method: str, params: Mapping[str, Any] | None = None, *, timeout: float | None = None
    ) -> Message:
        """Send a request and return the result object.

        Args:
            method: for example ``"tools/list"``.
            params: its parameters; the 2026-07-28 ``_meta`` envelope is added here.
            timeout: timeout in seconds; the default is ``limits.request_timeout``.

        Raises:
            RpcError: the server responded with an error.
            ProtocolError: the response is not MCP or exceeds a limit.
            UnreachableError: the connection was lost, or there was no response in time.
        """
        seconds = self.limits.request_timeout if timeout is None else timeout
        try:
            result = await self.ask(method, params, self.era, seconds)
            self._answered = method
            return result
        except TimeoutError:
            wrong = self.inbox.answered_another(method)
            error = wrong or UnreachableError(
                f"no response to {one_line(method, 60)} within {seconds:g} s.",
                "Raise --timeout, or check why it is slow.",
            )
            raise self.explained(error) from None
        except ServerError as error:
            if isinstance(error, ConnectionLostError):
                error.say_when(method, self._answered)
            raise self.explained(error) from None

    async def list_all(self, method: str, key: str, params: Mapping[str, Any] | None = None) -> list[Any]:
        """Read all pages of a list; the items are unchecked and in the server's order.

        Args:
            method: for example ``"tools/list"``.
            key: member of the result with the items, for example ``"tools"``.
            params: extra parameters for every page.

        Raises:
            ProtocolError: ``key`` is not an array, a cursor repeats, or there are too many pages or items.
            RpcError, UnreachableError: as for :meth:`request`.
        """
        items: list[Any] = []
        sizes: list[int] = []
        cursors: set[str] = set()
        asked = dict(params or {})
        for _ in range(self.limits.pages):
            meter = self.inbox.meter
            before = meter.size
            result = await self.request(method, asked)
            page = result.get(key)
            if not isinstance(page, list):
                raise self._broken(
                    f'the result of {method} has no array "{key}".', "Return an array, also an empty one."
                )
            try:
                meter.items(page, method, before)
            except ProtocolError as error:
                raise self.explained(error) from None
            items += page
            sizes.append(len(page))
            self._note_mismatches(result, _RESULTS.get(key, ""), f"/listings/{key}", (key,))
            if not params:
                self._keep_fields(key, result)
            if len(items) > self.limits.items:
                raise self._broken(
                    f"{method} lists more than {self.limits.items:,} items.",
                    "Publish fewer, or check for an endless loop.",
                )
            cursor = result.get("nextCursor")
            if cursor is None:
                if method == "tools/list":
                    self._remember(items)
                if len(sizes) > 1 and not params:
                    self.pages[method] = sizes
                return items
            if not isinstance(cursor, str):
                raise self._broken(f"nextCursor of {method} is not a string.", "Leave it out on the last page.")
            # Cursors are opaque, so only an equal one proves a loop. The number of pages limits other loops.
            if cursor in cursors:
                raise self._broken(
                    f'{method} repeats the cursor "{one_line(cursor, 40)}" and would never end.',
                    "Leave nextCursor out on the last page.",
                )
            if len(cursor) > self.limits.cursor_length:
                raise self._broken(
                    f"nextCursor of {method} has {len(cursor):,} characters, and at most {self.limits.cursor_length:,} "
                    "are sent back.",
                    "Keep the state on the server, and name it in the cursor.",
                )
            cursors.add(cursor)
            asked["cursor"] = cursor
        raise self._broken(
            f"{method} has more than {self.limits.pages:,} pages.", "Use larger pages, or check for an endless loop."
        )

    async def call_tool(self, name: str, arguments: Mapping[str, Any], timeout: float | None = None) -> Message:
        """Call a tool and return the raw ``tools/call`` result; see :meth:`request` for errors.

        If the tool requests input (2026-07-28 ``input_required``), the request is declined and recorded in
        the ``inbox``, and the next response is the result. If a request cannot be declined, the
        ``input_required`` result is returned.
        """
        params: dict[str, Any] = {"name": name, "arguments": dict(arguments)}
        self.inbox.meter.renew()
        result = await self.request("tools/call", params, timeout=timeout)
        for _ in range(_ROUNDS):
            asked = result.get("inputRequests")
            if result.get("resultType") != "input_required" or not isinstance(asked, dict):
                break
            methods = [item.get("method") if isinstance(item, dict) else None for item in asked.values()]
            for method in methods:
                if isinstance(method, str):
                    self.inbox.refuse(method)
            if len(asked) > _ASKED or any(method != "elicitation/create" for method in methods):
                break
            again = {**params, "inputResponses": {key: {"action": "decline"} for key in asked}}
            if "requestState" in result:
                again["requestState"] = result["requestState"]
            result = await self.request("tools/call", again, timeout=timeout)
        cleaned: Message = redact_json(result)
        return cleaned

    def _note_mismatches(self, result: Mapping[str, Any], kind: str, place: str, inside: Collection[str]) -> None:
        """Note members of a result of the wrong type, except those that :data:`RESULT_FIELDS` keeps for their rules."""
        apart_from = (*RESULT_FIELDS, *inside)
        # The results of extensions have rules of their own.
        for found in mismatches(result, kind, self.protocol, apart_from=apart_from) if kind else ():
            path = place + join_pointer("", *found.path)
            error = f"{path.lstrip('/')} is {found.shown}"
            self._note_mismatch(path, error if found.missing else f"{error}, not {found.wanted}")

    def _note_mismatch(self, path: str, error: str) -> None:
        note = {"path": path, "error": error}
        if len(self.mismatches) < _MISMATCHES_KEPT and note not in self.mismatches:
            self.mismatches.append(note)

    def _result_of(self, answer: Message, method: str) -> Message:
        """The result in a response; other members are noted."""
        result = rpc.result_of(answer, method)
        # The schemas permit no other member, and the official TypeScript clients refuse the response over one.
        # Each is said once: a library that adds a member adds it to every response.
        left = _MISMATCHES_KEPT - len(self._extra_members)
        for member in sorted(answer.keys() - {"jsonrpc", "id", "result"} - self._extra_members)[:left]:
            self._extra_members.add(member)
            shown, of = one_line(member, 40), one_line(method, 60)
            path = join_pointer("/responses", of, shown)
            self._note_mismatch(path, f'the response to {of} has a member "{shown}" beside its result')
        return self._redacted(result)

    def _keep_fields(self, listing: str, result: Mapping[str, Any]) -> None:
        """Keep the fields of a result other than its items; pages with equal fields are kept once."""
        said = {field: result[field] for field in RESULT_FIELDS if field in result}
        if (language := stated_language(result)) is not None:
            said[LANGUAGE] = language
        if said.get("nextCursor") is not None:
            # The cursor of a next page has no lasting meaning.
            del said["nextCursor"]
        if not said and self.era is Era.LEGACY:
            return
        pages = self.listings.setdefault(listing, [])
        said = redact_json(said)
        if said not in pages and len(pages) < _PAGES_KEPT:
            pages.append(said)

    def _remember(self, items: list[Any]) -> None:
        for item in items:
            if isinstance(item, dict) and isinstance(item.get("name"), str):
                self.tools.setdefault(item["name"], item)

    def _headers(self, message: Message, era: Era) -> Mapping[str, str]:
        if not self._transport.mirrors:
            return {}
        if era is Era.MODERN:
            return mirrored(message, MODERN_PROTOCOL, self.tools)
        return {"MCP-Protocol-Version": self.protocol} if self.protocol else {}

    async def _cancel(self, message: Message, era: Era) -> None:
        """Cancel a request. Over HTTP, with 2026-07-28, closing the response does this."""
        # MCP forbids cancelling `initialize`.
        if message["method"] != "initialize" and not (self._transport.mirrors and era is Era.MODERN):
            cancelled = rpc.notification("notifications/cancelled", {"requestId": message["id"]})
            with suppress(ServerError, TimeoutError):
                await self._transport.notify(cancelled, self._headers(cancelled, era), _COURTESY)

    def _broken(self, message: str, hint: str) -> ServerError:
        return self.explained(ProtocolError(message, hint))
