"""The small parts, against independent ones: lines, messages, mirrored headers, endpoints."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp.shared.inbound import decode_header_value, find_invalid_x_mcp_header, mcp_param_headers, x_mcp_header_map

from mcp_governor.errors import ProtocolError
from mcp_governor.secrets import redact
from mcp_governor.wire import HttpEndpoint, StdioEndpoint
from mcp_governor.wire.headers import encoded, invalid_annotation, mirrored
from mcp_governor.wire.rpc import NotJsonRpcError, decode, encode
from mcp_governor.wire.stdio import Lines

CHARACTERS = st.characters(exclude_categories=())


@given(st.lists(st.binary().map(lambda piece: piece.replace(b"\n", b"")), min_size=1), st.data())
def test_lines_come_out_however_the_pipe_cuts_them(lines: list[bytes], data) -> None:
    stream = b"\n".join(lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    cutter = Lines(1_000_000)
    found = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        found += cutter.split(stream[start:end])
    assert [*found, *cutter.rest()] == (lines if lines[-1] else lines[:-1])


def test_a_line_is_refused_as_soon_as_it_is_too_long() -> None:
    cutter = Lines(10)
    assert cutter.split(b"0123456789\n0123456789") == [b"0123456789"]
    with pytest.raises(ProtocolError, match="longer than 10 bytes"):
        cutter.split(b"x")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(CHARACTERS),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(CHARACTERS), inner),
    max_leaves=10,
)


@given(JSON)
def test_messages_survive_the_way_there_and_back(value: object) -> None:
    message = {"jsonrpc": "2.0", "method": "m", "params": {"value": value}}
    line = encode(message)
    assert b"\n" not in line
    assert decode(line, 200) == [message]
    assert decode(line.decode(), 200) == [message]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"", "not JSON: Expecting value"),
        (b"hello", "not JSON: Expecting value"),
        (b"\xff", "not UTF-8 at byte 0"),
        (b"[]", "not a JSON-RPC 2.0 message"),
        (b"5", "not a JSON-RPC 2.0 message"),
        (b'{"jsonrpc": "1.0", "method": "m"}', "not a JSON-RPC 2.0 message"),
        (b'{"jsonrpc": "2.0"}', "not a JSON-RPC 2.0 message"),
        (b'{"jsonrpc": "2.0", "method": 5}', "not a JSON-RPC 2.0 message"),
        (b'[{"jsonrpc": "2.0", "method": "m"}, 1]', "not a JSON-RPC 2.0 message"),
        (b'{"jsonrpc": "2.0", "id": 1, "result": Infinity}', "Infinity is not a JSON value"),
        (b'{"jsonrpc": "2.0", "id": 1, "result": ' + b"9" * 5000 + b"}", "not JSON: a number has 5,000 digits"),
    ],
)
def test_what_is_not_a_message(line: bytes, why: str) -> None:
    with pytest.raises(NotJsonRpcError) as caught:
        decode(line, 200)
    assert why in str(caught.value)


@pytest.mark.parametrize(("levels", "fits"), [(197, True), (198, False), (100_000, False)])
def test_depth(levels: int, fits: bool) -> None:
    # "result" and the message itself are two more containers.
    line = b'{"jsonrpc":"2.0","id":1,"result":{"a":' + b"[" * levels + b"0" + b"]" * levels + b"}}"
    if fits:
        assert len(decode(line, 199)) == 1
    else:
        with pytest.raises(ProtocolError, match="deeper than 199 levels"):
            decode(line, 199)


@given(st.text())
def test_the_sdk_reads_our_header_values(value: str) -> None:
    header = encoded(value)
    assert header.isascii()
    assert header.isprintable()
    assert header == header.strip()
    assert decode_header_value(header) == value


NAMES = st.sampled_from(["Region", "region", "X-Y", "", "a b", "é", "a:b", 5, None])
LEAVES = st.fixed_dictionaries(
    {"type": st.sampled_from(["string", "integer", "boolean", "number", "object", ["string"], None])},
    optional={"x-mcp-header": NAMES, "default": st.just({"x-mcp-header": "data"})},
)
PROPERTIES = st.sampled_from(["a", "b", "properties", "x-mcp-header"])
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.fixed_dictionaries(
        {"type": st.just("object")},
        optional={
            "properties": st.dictionaries(PROPERTIES, inner),
            "items": inner,
            "anyOf": st.lists(inner, max_size=2),
            "$defs": st.dictionaries(st.sampled_from(["d"]), inner),
            "x-mcp-header": NAMES,
        },
    ),
    max_leaves=6,
)


@given(SCHEMAS)
@example({"properties": {"a": {"type": "string", "x-mcp-header": "R"}, "b": {"type": "string", "x-mcp-header": "r"}}})
@example({"properties": {"a": {"type": "string", "x-mcp-header": "R"}, "b": {"type": "string", "x-mcp-header": "S"}}})
def test_annotations_are_judged_as_the_sdk_judges_them(schema: dict) -> None:
    problem = invalid_annotation(schema)
    assert (problem is None) == (find_invalid_x_mcp_header(schema) is None)
    arguments = {"a": "text", "b": 5, "properties": True, "x-mcp-header": {"a": False, "b": None}}
    message = {"method": "tools/call", "params": {"name": "t", "arguments": arguments}}
    tools = {"t": {"inputSchema": schema}}
    if problem is not None:
        with pytest.raises(ProtocolError, match='the tool "t" must not be called over HTTP'):
            mirrored(message, "2026-07-28", tools)
        return
    headers = mirrored(message, "2026-07-28", tools)
    wanted = mcp_param_headers(x_mcp_header_map(schema), arguments)
    ours = {name: value for name, value in headers.items() if name.startswith("Mcp-Param-")}
    assert ours == wanted


@pytest.mark.parametrize(
    ("method", "params", "name"),
    [
        ("tools/call", {"name": "täg"}, "=?base64?dMOkZw==?="),
        ("prompts/get", {"name": "p"}, "p"),
        ("resources/read", {"uri": "file:///a b"}, "file:///a b"),
        ("tools/list", {"name": "not this"}, None),
        ("tools/call", {"name": 5}, None),
    ],
)
def test_the_name_header(method: str, params: dict, name: str | None) -> None:
    headers = mirrored({"method": method, "params": params}, "2026-07-28", {})
    assert headers["Mcp-Method"] == method
    assert headers["MCP-Protocol-Version"] == "2026-07-28"
    assert headers.get("Mcp-Name") == name


def test_what_is_shown_of_an_endpoint() -> None:
    endpoint = HttpEndpoint("https://user:pass-word-1@h.example:8443/mcp?key=0123456789#x", {"A": "Bearer abcdef-123"})
    assert endpoint.shown == "https://h.example:8443/mcp"
    for secret in ("user:pass-word-1", "pass-word-1", "0123456789", "abcdef-123", "Bearer abcdef-123"):
        assert redact(f"<{secret}>") == "<[redacted]>"
    command = StdioEndpoint(("run", "--token", "abcdef-123", "a b"), env={"T": "abcdef-123"})
    assert command.shown == "run --token [redacted] 'a b'"
