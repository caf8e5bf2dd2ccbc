"""The readers to fuzz: how each is run, the documents for its mutations, and the words of its format."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_governor.wire import Limits

_ROOT = Path(__file__).resolve().parents[1]

Pairs = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True)
class Reader:
    """One reader.

    Attributes:
        read: takes a document and an empty folder; returns a word and a sentence, or raises a documented error.
        seeds: takes the root of the repository; returns real documents.
        words: words of the format that its documents do not show.
        pairs: brackets that nest in it.
        seconds: processor time allowed for a document of a million bytes.
        memory: bytes allowed for each byte of a document: JSON with small values takes twenty times its text, and there
            are a few copies of it.
    """

    read: Callable[[bytes, Path], tuple[str, str]]
    seeds: Callable[[Path], tuple[bytes, ...]]
    words: tuple[bytes, ...]
    pairs: Pairs
    seconds: float = 8.0
    memory: int = 120


def digest(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def documented(error: Any) -> str:
    if error.exit_code == 70:
        raise error
    return f"{type(error).__name__}: {error.message}"


JSON_PAIRS: Pairs = ((b"[", b"]"), (b'{"a":', b"}"), (b'{"properties":{"a":', b"}}"), (b'[{"":', b"}]"))

NUMBERS = (
    *(b"1e999", b"-1e999", b"NaN", b"-Infinity", b"-0", b"1E400", b"1_000", b"0x10", b"inf", b"nan", b"1979-05-27"),
    *(b"9" * 20, b"9" * 400, b"9" * 5_000, b"0." + b"3" * 5_000, b"18446744073709551616"),
)
CHARACTERS = (
    *(b"\0", b"\\u0000", b"\\ud800", b"\\udc00\\ud800", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r\n", b"\r", b"\n", b"\t"),
    *("\u2028".encode(), "\x85".encode(), "\u202e".encode(), "\U0001f600".encode(), b"\xff", b"\xc3", b"\x7f"),
    *(b"\x1b[31m", b"\x1b]52;c;eA==\x07", b"::error::x", b"\\", b'"', b"'", b"`", b"${", b"}", b"\x0c", b"%s{0}"),
)


# -- surface files


def _read_surface(data: bytes, folder: Path) -> tuple[str, str]:
    from mcp_governor.surface import dump_surface, fingerprint, load_surface
    from mcp_governor.surface.file import parse_surface

    file = folder / "mcp-surface.json"
    file.write_bytes(data)
    surface = load_surface(file, what="mcp-surface.json")
    text = dump_surface(surface)
    again = parse_surface(text.encode(), "again")
    if fingerprint(again) != fingerprint(surface):
        return "not what was written", f"{fingerprint(surface)} became {fingerprint(again)}"
    if dump_surface(again) != text:
        return "not what was written", "the text of the file is another"
    return "read", f"{len(surface.tools)} tools, {digest(text)}"


def _surface_seeds(root: Path) -> tuple[bytes, ...]:
    own = (root / "mcp-surface.json").read_bytes()
    document = json.loads(own)
    changelogs = root / "fixtures" / "changelogs"
    return (
        own,
        json.dumps({"tools": document["tools"][:1]}).encode(),
        json.dumps(document["tools"][2:]).encode(),
        json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": document["tools"][:1]}}).encode(),
        (changelogs / "old.json").read_bytes(),
        b'{"format":"mcp-governor/surface-1","tools":[{"name":"a","inputSchema":{"type":"object"}}],'
        b'"prompts":[{"name":"p"}],"resources":[{"uri":"x:y","name":"r"}],"resourceTemplates":[{"uriTemplate":"x:{y}"}],'
        b'"tiers":{"a":"internal"},"listings":{"tools":[{"nextCursor":"x"}]},"manifest":{"name":"n"}}',
    )


# -- changelogs


@cache
def _released(root: Path) -> tuple[Any, Any, Any]:
    from mcp_governor.change import compare
    from mcp_governor.surface import load_surface

    old, new = (load_surface(root / "fixtures" / "changelogs" / f"{name}.json") for name in ("old", "new"))
    return old, new, compare(old, new)


def _read_changelog(data: bytes, folder: Path) -> tuple[str, str]:
    from mcp_governor import changelog
    from mcp_governor.errors import GovernorError
    from mcp_governor.surface import fingerprint

    old, new, changes = _released(_ROOT)
    file = folder / "log.md"
    file.write_bytes(data)
    book = changelog.load(file, what="log.md")
    recorded = (changelog.Recorded("1.4.0", fingerprint(old), "docs/mcp-surface/1.4.0.json"),)
    settings = changelog.ChangelogSettings(baseline=old, recorded=recorded)
    found = [*changelog.check(book, new, changes, settings=settings), *changelog.check(book, None)]
    parts = [f"{finding.rule} {finding.path} {finding.message} {finding.fix}" for finding in found]
    parts += [f"{found.tool} {found.replacement}" for found in changelog.announcements(book)]
    tools = set(old.by_name) | set(new.by_name)
    for work in (
        lambda: changelog.draft(book, changes, version="1.5.0", fingerprint=fingerprint(new), tools=tools),
        lambda: changelog.release(book, "1.5.0", day="2026-01-01"),
        lambda: changelog.show(book, "current"),
        lambda: changelog.release_note(book, "1.3.0", "1.4.0", changes=changes, tools=tools),
    ):
        try:
            text = work()
        except GovernorError as error:
            if error.exit_code == 70:
                raise
            text = error.message
        parts.append(text)
        changelog.parse(text, "again")
    return "read", f"{len(book.sections)} sections, {len(found)} findings, {digest(chr(10).join(parts))}"


def _changelog_seeds(root: Path) -> tuple[bytes, ...]:
    files = sorted((root / "fixtures" / "changelogs").glob("*.md"))
    return tuple(file.read_bytes() for file in (*files, root / "docs" / "mcp-schema-changelog.md"))


CHANGELOG_WORDS = (
    *(b"<<<<<<< \n", b"=======\n", b">>>>>>> \n", b"~~~", b"<!--", b"-->", b"<div>"),
    *(b"&#0;", b"yanked", b"|---|\n", b"\t"),
)
CHANGELOG_PAIRS: Pairs = (
    (b"> ", b""),
    (b"- ", b""),
    (b"`", b"`"),
    (b"[", b"]"),
    (b"<a>", b"</a>"),
    (b"**", b"**"),
    (b"*_", b"_*"),
)


# -- our configuration


def _read_config(data: bytes, folder: Path) -> tuple[str, str]:
    from mcp_governor.config import load_config
    from mcp_governor.errors import GovernorError

    parts = []
    for name in ("mcp-governor.toml", "pyproject.toml"):
        place = folder / name.partition(".")[0]
        place.mkdir()
        (place / name).write_bytes(data)
        try:
            parts.append(repr(load_config(place / name)))
        except GovernorError as error:
            parts.append(documented(error))
    text = "\n".join(parts).replace(str(folder), "")
    return ("refused" if text.startswith("ConfigError") and "\nConfigError" in text else "read"), digest(text)


def _config_seeds(root: Path) -> tuple[bytes, ...]:
    example = (
        (root / "docs" / "configuration.md").read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    )
    own = "\n".join(
        line.replace("[tool.mcp-governor.", "[").replace("[tool.mcp-governor]", "") for line in example.splitlines()
    )
    return (
        example.encode(),
        own.encode(),
        (root / "pyproject.toml").read_bytes(),
        b'[[tool.mcp-governor.accept]]\nfinding = "x"\nreason = "y"\nuntil = 2027-01-01\n'
        b'[tool.mcp-governor]\ntarget = "a"\n',
    )


CONFIG_WORDS = (
    b'"""',
    b"'''",
    b"[[a]]\n",
    b"a.b.c = 1\n",
    b'"".',
    b"inf",
    b"nan",
    b"1979-05-27T07:32:00Z",
    b"\\U0010FFFF",
)
CONFIG_PAIRS: Pairs = ((b"[", b"]"), (b"{a=", b"}"), (b"a.", b""), (b"[[", b"]]"), (b'"a".', b""))


# -- configurations of clients


def _read_client(data: bytes, folder: Path) -> tuple[str, str]:
    from mcp_governor.errors import GovernorError
    from mcp_governor.target.clients import endpoint_from_client_config

    file = folder / "mcp.json"
    file.write_bytes(data)
    parts = []
    for name in ("", "files", "remote"):
        try:
            endpoint = endpoint_from_client_config(file, name)
            parts.append(f"{endpoint.shown} {endpoint!r}")  # its key is a digest that includes the folder
        except GovernorError as error:
            if error.exit_code == 70:
                raise
            parts.append(f"{error.message} {error.hint}")
    return "read", digest("\n".join(parts).replace(str(folder), ""))


def _client_seeds(root: Path) -> tuple[bytes, ...]:  # noqa: ARG001 - as the others
    servers = (
        b'{"files":{"command":"npx","args":["-y","@x/server-files","${workspaceFolder}"],"env":{"A":"${env:HOME}"}}}'
    )
    return (
        b'{"mcpServers":' + servers + b"}",
        b'{\n  // a comment\n  "servers": {"remote": {"type": "sse", "url": "https://x.example/mcp", /* "a" */\n'
        b'    "headers": {"Authorization": "Bearer ${input:token}"},},},\n  "inputs": [{"id": "token"}],\n}\n',
        b'{"mcp":{"servers":' + servers + b'},"other":["\\"//\\"", "/* */", "\\\\"]}',
        b'{"mcpServers":{"files":{"command":"a","cwd":"${userHome}/b","args":[1,2.5]},"remote":{"serverUrl":"http://[::1]/"}}}',
    )


CLIENT_WORDS = (b"/**/", b"// \n", b",]", b",}", b"${", b"${a:-${b:-", b'\\"')


# -- the stream from a server


def _read_wire(data: bytes, folder: Path) -> tuple[str, str]:
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

    duplex, lines = Duplex(send, Inbox(limits), limits), Lines(limits.message_bytes)
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


def _wire_seeds(root: Path) -> tuple[bytes, ...]:
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


READERS = {
    "wire": Reader(_read_wire, _wire_seeds, WIRE_WORDS, JSON_PAIRS),
    "surface": Reader(_read_surface, _surface_seeds, (b'"$ref":"#"', b'"deprecated":true', b'"default":'), JSON_PAIRS),
    # The file is read six times here, and a line of three bytes may be a list item. A megabyte of headings takes 13
    # seconds, in proportion to their number.
    "changelog": Reader(_read_changelog, _changelog_seeds, CHANGELOG_WORDS, CHANGELOG_PAIRS, seconds=25.0, memory=250),
    "config": Reader(_read_config, _config_seeds, CONFIG_WORDS, CONFIG_PAIRS),
    "client": Reader(_read_client, _client_seeds, CLIENT_WORDS, JSON_PAIRS),
}
