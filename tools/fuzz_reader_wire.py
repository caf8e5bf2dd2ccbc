"""The stream from a server, as a reader to fuzz."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from fuzz_reader_words import digest, documented

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_governor.wire import Limits


def read_wire(data: bytes, folder: Path) -> tuple[str, str]:
    """Read the lines by themselves, and run a whole session with a server that sends them whatever it is asked."""
    import anyio

    from mcp_governor.errors import GovernorError
    from mcp_governor.surface import build_surface, fingerprint
    from mcp_governor.wire import Limits, StdioEndpoint, read

    # Short, because a stream that ends too early is waited for, and the duration does not matter here.
    limits = Limits(
        connect_timeout=1,
        probe_timeout=0.3,
        request_timeout=0.4,
        total_timeout=1,
        close_timeout=0.3,
        message_bytes=1 << 20,
    )
    parts = []
    try:
        parts += anyio.run(_replies, data, limits)
    except GovernorError as error:
        parts.append(documented(error))
    file = folder / "stream"
    file.write_bytes(data)
    try:
        recording = read(StdioEndpoint((sys.executable, "-I", "-S", "-c", _SERVER, str(file))), limits=limits)
        parts.append(fingerprint(build_surface(recording.raw)))
        kind = "read"
    except GovernorError as error:
        # It depends on timing which of two messages reports the end.
        documented(error)
        kind = "refused"
    return kind, digest("\n".join(parts))


async def _replies(data: bytes, limits: Limits) -> list[str]:
    from mcp_governor.wire.duplex import Duplex
    from mcp_governor.wire.stdio import Lines
    from mcp_governor.wire.transport import Inbox

    replies: list[str] = []

    async def send(message: dict[str, Any]) -> None:
        replies.append(str(message))

    duplex, lines = Duplex(send, Inbox(limits)), Lines(limits.message_bytes)
    for at in range(0, len(data), 65_536):
        for line in lines.split(data[at : at + 65_536]):
            await duplex.feed(line)
        if duplex.broken is not None:
            raise duplex.broken
    return replies


_SERVER = """
import sys
with open(sys.argv[1], "rb") as stream:
    for line in sys.stdin.buffer:
        if b'"id"' in line:
            answer = stream.readline()
            if not answer:
                break
            sys.stdout.buffer.write(answer)
            sys.stdout.buffer.flush()
"""
"""Sends the next line of a file for every request."""


def wire_seeds(root: Path) -> tuple[bytes, ...]:
    document = json.loads((root / "mcp-surface.json").read_bytes())
    info, tools = document["serverInfo"], document["tools"]
    modern = {"supportedVersions": ["2026-07-28"], "capabilities": document["capabilities"], "serverInfo": info}
    legacy = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
    empty = {"tools": [], "prompts": [], "resources": [], "resourceTemplates": []}
    refused = {"code": -32601, "message": "Method not found"}
    return (
        _stream({"result": modern}, {"result": {"tools": tools}}, *[{"result": empty}] * 4),
        _stream({"error": refused}, {"result": legacy}, {"result": {"tools": tools[:1]}}),
        _stream(
            {"result": modern},
            {"result": {"tools": tools[:1], "nextCursor": "x"}},
            *[{"result": {"tools": tools[2:]}}] * 3,
        ),
        b"starting up\n" + _stream({"error": refused}, {"result": legacy}, {"method": "ping"}, {"error": refused}),
        _stream({"result": legacy}, {"method": "roots/list"}, {"result": {"tools": [{"name": "a"}, {"name": "a"}, 5]}}),
    )


def _stream(*parts: dict[str, Any]) -> bytes:
    messages = [{"jsonrpc": "2.0", "id": number, **part} for number, part in enumerate(parts, 1)]
    return b"".join(json.dumps(message, separators=(",", ":")).encode() + b"\n" for message in messages)


WIRE_WORDS = (
    *(b"\r\n", b'"id":true', b'"id":1.0', b'"id":null', b"Content-Length: 5"),
    b'{"jsonrpc":"2.0","method":"notifications/message","params":{}}\n',
    b'{"jsonrpc":"2.0","id":99,"result":{}}\n',
    b'{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage"}\n',
)
