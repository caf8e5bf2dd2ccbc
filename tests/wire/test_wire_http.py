"""Servers over HTTP, honest and hostile: what is read, what is sent, and what is said of a failure."""

from __future__ import annotations

import logging
import sys

import pytest
from certificates import self_signed
from support import SERVERS, free_port

from mcp_governor.errors import Exit, ProtocolError, TargetError, UnreachableError
from mcp_governor.wire import Era, HttpEndpoint, Limits, RpcError, read

sys.path.insert(0, str(SERVERS))
from web import TOOL, Web

SECRET = "sk-0123456789abcdef"
HASTY = Limits(connect_timeout=1.5, request_timeout=0.5, probe_timeout=0.5)
# Short only for what never comes, so that a slow machine gives the same sentence.
LIMITS = {
    "/mute": Limits(connect_timeout=1.5),
    "/slow_body": Limits(request_timeout=0.5),
    "/sse_mute": Limits(connect_timeout=4),
}


@pytest.fixture(scope="module")
def server():
    with Web() as web, Web() as other:
        web.lead_to(other)
        web.other = other
        yield web


@pytest.fixture
def web(server):
    server.seen.clear()
    server.other.seen.clear()
    return server


# ── what can be read, and what is sent for it ───────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("path", "era"),
    [
        ("/good", Era.MODERN),
        ("/moved", Era.MODERN),
        ("/second_try", Era.MODERN),
        ("/session", Era.LEGACY),
        ("/streamed", Era.LEGACY),
        ("/resumed", Era.LEGACY),
        ("/sse", Era.LEGACY),
    ],
)
def test_read(web: Web, path: str, era: Era) -> None:
    recording = read(HttpEndpoint(web.url(path)))
    assert recording.raw["tools"] == [TOOL]
    assert recording.era is era


@pytest.mark.parametrize(
    ("path", "era", "handshakes"),
    [
        ("/both", Era.MODERN, ["server/discover"]),
        ("/waking", Era.MODERN, ["server/discover", "initialize", "server/discover"]),
        ("/waking_slowly", Era.MODERN, ["server/discover", "initialize", "server/discover"]),
        ("/deaf_to_discover", Era.LEGACY, ["server/discover", "initialize", "server/discover"]),
        ("/fails_on_discover", Era.LEGACY, ["server/discover", "initialize", "server/discover"]),
    ],
)
def test_the_era_does_not_depend_on_how_fast_a_service_wakes_up(
    web: Web, path: str, era: Era, handshakes: list[str]
) -> None:
    recording = read(HttpEndpoint(web.url(path)), limits=Limits(connect_timeout=1.5, probe_timeout=0.2))
    assert (recording.era, recording.raw["tools"]) == (era, [TOOL])
    sent = [message.get("method") for command, _, _, message in web.seen if command == "POST"]
    assert [method for method in sent if method in ("server/discover", "initialize")] == handshakes
    listing = next(seen for seen in web.seen if seen[3].get("method") == "tools/list")
    assert ("mcp-session-id" in listing[2]) == (era is Era.LEGACY)
    # A session that was only opened to see whether the service answers is ended as well.
    opened = "initialize" in sent
    assert web.waited_for("DELETE", 5 if opened else 0.2) == opened


def test_what_a_modern_server_is_sent(web: Web) -> None:
    read(HttpEndpoint(web.url("/good"), headers={"Authorization": f"Bearer {SECRET}"}))
    assert [(command, message["method"]) for command, _, _, message in web.seen] == [
        ("POST", "server/discover"),
        ("POST", "tools/list"),
    ]
    for _, _, headers, message in web.seen:
        meta = message["params"]["_meta"]
        assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
        assert meta["io.modelcontextprotocol/clientCapabilities"] == {}
        assert meta["io.modelcontextprotocol/clientInfo"]["name"] == "mcp-governor"
        assert headers["MCP-Protocol-Version"] == "2026-07-28"
        assert headers["Mcp-Method"] == message["method"]
        assert headers["Authorization"] == f"Bearer {SECRET}"
        assert {"application/json", "text/event-stream"} == set(headers["Accept"].split(", "))


def test_what_a_server_with_sessions_is_sent(web: Web) -> None:
    read(HttpEndpoint(web.url("/session")))
    assert web.waited_for("DELETE")
    sent = [(command, message.get("method")) for command, _, _, message in web.seen]
    assert sent == [
        ("POST", "server/discover"),
        ("POST", "initialize"),
        ("POST", "notifications/initialized"),
        ("POST", "tools/list"),
        ("DELETE", None),
    ]
    _, _, headers, initialize = web.seen[1]
    assert initialize["params"]["protocolVersion"] == "2025-11-25"
    assert not {"mcp-protocol-version", "mcp-session-id"} & {name.lower() for name in headers}
    for _, _, headers, message in web.seen[2:]:
        assert headers["mcp-session-id"] == "session-1"
        assert headers["MCP-Protocol-Version"] == "2025-11-25"
        assert "_meta" not in message.get("params", {})


def test_a_question_inside_a_stream_is_refused(web: Web) -> None:
    recording = read(HttpEndpoint(web.url("/streamed")))
    assert recording.raw["conversation"]["requests"] == ["roots/list"]
    replies = [message for _, _, _, message in web.seen if message.get("id") == "q"]
    assert [reply["error"]["code"] for reply in replies] == [-32601]


def test_a_broken_answer_is_asked_for_from_where_it_broke(web: Web) -> None:
    read(HttpEndpoint(web.url("/resumed")))
    gets = [headers.get("Last-Event-ID") for command, _, headers, _ in web.seen if command == "GET"]
    assert gets == ["e1", "e2"]


def test_the_older_transport_is_used_when_named(web: Web) -> None:
    assert read(HttpEndpoint(web.url("/sse"), transport="sse")).raw["tools"] == [TOOL]
    assert [command for command, path, _, _ in web.seen if path == "/sse"] == ["GET"]


# ── failures: class, sentence, exit code ────────────────────────────────────────────────────────────────────

FAILURES = [
    ("/status/401", UnreachableError, "it requires credentials (HTTP 401)."),
    ("/status/403", UnreachableError, "it requires credentials (HTTP 403)."),
    ("/status/404", UnreachableError, "it has no MCP endpoint at this path (HTTP 404)."),
    ("/status/405", UnreachableError, "it does not take POST at this path (HTTP 405)."),
    ("/status/429", UnreachableError, "it is receiving too many requests (HTTP 429)."),
    ("/status/500", UnreachableError, "it fails (HTTP 500)."),
    ("/status/503", UnreachableError, "it is not available now (HTTP 503)."),
    ("/status/418", UnreachableError, "it fails (HTTP 418)."),
    ("/explained", UnreachableError, 'it fails (HTTP 500: "database "\\x1b[31mdown\\u{202e}" for").'),
    ("/html", ProtocolError, "it responds with a web page (text/html), not with MCP."),
    ("/empty", ProtocolError, "it answers HTTP 200 with an empty body."),
    ("/accepted", ProtocolError, "it answers HTTP 202 with an empty body."),
    (
        "/other_json",
        ProtocolError,
        "its response (application/json) cannot be read: JSON, but not a JSON-RPC 2.0 message.",
    ),
    ("/cut_json", ProtocolError, "its response (application/json) cannot be read: not JSON: Expecting ':'"),
    ("/away", UnreachableError, "/stolen (HTTP 307), which is another origin."),
    ("/with_user", UnreachableError, "/good (HTTP 307), which is another origin."),
    ("/dropped", UnreachableError, "in a way that drops the message (HTTP 302)."),
    ("/circle", UnreachableError, "it redirects more than 5 times."),
    ("/mute", UnreachableError, "no response to `initialize` within 1.5 s."),
    ("/slow_body", UnreachableError, "no response to tools/list within 0.5 s."),
    ("/broken_off", UnreachableError, "the connection was lost: "),
    ("/bad_gzip", ProtocolError, "its HTTP response cannot be read: "),
    ("/bomb", ProtocolError, "it sent a message longer than 2,097,152 bytes."),
    ("/big_event", ProtocolError, "it sent a message longer than 2,097,152 bytes."),
    ("/wrong_id", ProtocolError, "its response to tools/list has the wrong id (4711)."),
    ("/rpc_error", RpcError, 'the server responded to tools/list with JSON-RPC error -32603: "inside".'),
    ("/null_id", RpcError, 'responded to tools/list with JSON-RPC error -32700: "what?".'),
    ("/never_finished", UnreachableError, "it ended its response to tools/list before it sent the result."),
    ("/cut_stream", UnreachableError, "it ended its response to tools/list before it sent the result."),
    ("/bad_event", ProtocolError, "it sent an event that cannot be read: not JSON: Expecting property name"),
    ("/sse_away", ProtocolError, "it asks for messages to be sent to another origin"),
    ("/sse_mute", UnreachableError, "it does not take POST at this path (HTTP 405)."),
]


@pytest.mark.parametrize(("path", "kind", "sentence"), FAILURES, ids=[path.strip("/") for path, _, _ in FAILURES])
def test_failures(web: Web, path: str, kind: type[Exception], sentence: str) -> None:
    limits = LIMITS.get(path, Limits(message_bytes=2 * 1024 * 1024))
    with pytest.raises(kind) as caught:
        read(HttpEndpoint(web.url(path)), limits=limits)
    error = caught.value
    assert sentence in error.message
    assert error.exit_code is Exit.UNREACHABLE
    assert error.hint or kind is RpcError
    assert error.message.startswith(web.url(path) + ": ")
    assert not set("\x1b\u202e") & set(error.message + error.hint)


def test_another_origin_gets_nothing(web: Web) -> None:
    for path in ("/away", "/sse_away"):
        with pytest.raises((UnreachableError, ProtocolError)):
            read(HttpEndpoint(web.url(path), headers={"Authorization": f"Bearer {SECRET}"}))
    assert web.other.seen == []


@pytest.mark.parametrize("path", ["/status/401", "/status/500", "/explained", "/html", "/away", "/bad_event", "/mute"])
def test_secrets_are_in_no_message(web: Web, path: str, caplog) -> None:
    caplog.set_level(logging.DEBUG, logger="httpx2")
    address = web.url(f"{path}?token={SECRET}").replace("//", "//someone:pass-word-1@")
    endpoint = HttpEndpoint(address, headers={"X-Key": SECRET, "Authorization": f"Bearer {SECRET[::-1]}"})
    with pytest.raises((UnreachableError, ProtocolError)) as caught:
        read(endpoint, limits=HASTY)
    reported = f"{caught.value.message} {caught.value.hint} {caught.value!r} {endpoint!r} {caplog.text}"
    for secret in (SECRET, SECRET[::-1], "pass-word-1"):
        assert secret not in reported


def test_nothing_listens() -> None:
    with pytest.raises(UnreachableError, match=r"no connection: ") as caught:
        read(HttpEndpoint(f"http://127.0.0.1:{free_port()}/mcp"))
    assert caught.value.exit_code is Exit.UNREACHABLE


@pytest.mark.parametrize("url", ["ftp://h.example/", "http://", "nonsense", "http://h.example:99999/", "http://[::1"])
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(TargetError, match=r"is not a valid address\."):
        read(HttpEndpoint(url))


def test_a_header_that_cannot_be_sent_is_not_repeated(web: Web) -> None:
    with pytest.raises(UnreachableError, match="a configured header is not valid HTTP") as caught:
        read(HttpEndpoint(web.url("/good"), headers={"X-Key": f"{SECRET}\r\nX-Other: 1"}))
    assert SECRET not in caught.value.message
    with pytest.raises(TargetError, match="holds characters that HTTP cannot send"):
        read(HttpEndpoint(web.url("/good"), headers={"X-Key": "schlüssel"}))


def test_tls_that_is_not_trusted(tmp_path) -> None:
    with Web(self_signed(tmp_path)) as web, pytest.raises(UnreachableError) as caught:
        read(HttpEndpoint(web.url("/good")))
    assert "the TLS connection fails: self" in caught.value.message
    assert "SSL_CERT_FILE" in caught.value.hint


def test_tls_to_a_server_that_speaks_none(web: Web) -> None:
    with pytest.raises(UnreachableError, match="the TLS connection fails: "):
        read(HttpEndpoint(web.url("/good").replace("http:", "https:")))
