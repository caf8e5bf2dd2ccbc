"""Exit code 70 is ours alone: values that no program can work with are told as what they are."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from attack import attack
from support import SERVERS

PLAIN = str(SERVERS / "plain.py")
SERVER = f"command = {json.dumps([sys.executable, PLAIN])}"
TOOL = {"name": "a", "description": "Use this when x.", "inputSchema": {"type": "object"}}
KEYWORDS = ("minimum", "multipleOf", "minLength", "maxItems", "const", "default", "minProperties", "exclusiveMaximum")


def tools(number: str) -> str:
    """One tool, with a number in every keyword that takes one."""
    members = ",".join(f'"{key}": {number}' for key in KEYWORDS)
    return f'[{{"name": "a", "inputSchema": {{"type": "object", "properties": {{"q": {{{members}}}}}}}}}]'


NUMBERS = {
    "1e999": "the number 1e999 is too large",
    "NaN": "NaN is not a JSON value",
    "9" * 5000: "a number has 5,000 digits, more than 308",
    "9" * 309: "a number has 309 digits, more than 308",
    "9" * 308: None,
    "1e308": None,
    "0." + "1" * 5000: None,
}


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"{number[:9]}({len(number)})")
def test_numbers_in_a_surface(tmp_path: Path, number: str) -> None:
    (tmp_path / "new.json").write_text(tools(number))
    (tmp_path / "old.json").write_text(tools("3"))
    reported = NUMBERS[number]
    for words in (("lint", "new.json"), ("diff", "old.json", "new.json", "--format", "json")):
        ran = attack(*words, cwd=tmp_path).held(*((2,) if reported else (0, 1)))
        assert reported is None or f"new.json cannot be read: {reported}." in ran.err


def test_numbers_of_a_server(tmp_path: Path) -> None:
    code = (
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        "    if 'id' in message:\n"
        '        print(\'{"jsonrpc": "2.0", "id": %d, "result": {"n": 1e999}}\' % message[\'id\'], flush=True)\n'
    )
    ran = attack("check", "--", sys.executable, "-c", code, cwd=tmp_path).held(3)
    assert "the number 1e999 is too large" in ran.err


VERSIONS = (
    f"1.0.0-{'9' * 5000}",
    "9" * 5000,
    f"{'9' * 5000}!1.0",
    f"1.0.dev{'9' * 5000}",
    "1." * 3000 + "0",
    "\ud800",
    "1.0.0-²",
)


def test_versions(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text(json.dumps({"serverInfo": {"name": "s", "version": "1.0.0"}, "tools": [TOOL]}))
    for number, version in enumerate(VERSIONS):
        new = {"serverInfo": {"name": "s", "version": version}, "tools": [TOOL]}
        (tmp_path / f"{number}.json").write_text(json.dumps(new))
        ran = attack("diff", "old.json", f"{number}.json", cwd=tmp_path).held(0)
        assert ran.out.endswith("PASS\n")
    word = VERSIONS[0]
    (tmp_path / "mcp-governor.toml").write_text('changelog = "log.md"\n')
    (tmp_path / "log.md").write_text(f"# Changelog\n\n## {word} (current)\n\n**Added**\n\n- `a`\n")
    for words in (("check", "0.json"), ("draft", "0.json", "--diff"), ("release", word, "0.json"), ("show", word)):
        attack("changelog", *words, cwd=tmp_path).held()


CONFIGURATIONS = {
    "timeout = inf": '"timeout" is inf, not a number',
    "timeout = nan": '"timeout" is nan, not a number',
    f"timeout = {'9' * 5000}": "a number has more than 308 digits",
    f"x{'.x' * 900} = 1": "tables are nested more than 64 levels",
    f"x{'.x' * 20_000} = 1": "TOML key has more than the allowed 1000 parts",
    f"x = {'[' * 5000}{']' * 5000}": "nested more than the allowed 400 levels",
    'baseline = "a\\u0000.json"': '"baseline" holds a NUL character',
    '"a\\u0000" = 1': "a key holds a NUL character",
    '[servers.s]\ncommand = ["a\\u0000b"]': '"servers.s.command" holds a NUL character',
    f'baseline = "{"a" * 5000}.json"': "does not exist",
    f'[lint]\nrules = ["{"r" * 5000}"]': "",
    '[lint.options."charter/length"]\nmax = inf': "is inf, not a number",
}


@pytest.mark.parametrize("text", CONFIGURATIONS, ids=lambda text: text[:24])
def test_configurations(tmp_path: Path, text: str) -> None:
    (tmp_path / "new.json").write_text(json.dumps([TOOL]))
    (tmp_path / "mcp-governor.toml").write_text(f"{text}\n")
    assert CONFIGURATIONS[text] in attack("check", "new.json", cwd=tmp_path).held(2).err


@pytest.mark.parametrize("option", ["--timeout", "--budget"])
@pytest.mark.parametrize("value", ["nan", "inf", "1e999", "-1", "9" * 5000])
def test_times(tmp_path: Path, option: str, value: str) -> None:
    ran = attack("call", option, value, "--", sys.executable, PLAIN, cwd=tmp_path).held(2)
    assert f"Invalid value for '{option}'" in ran.err


TABLE = (
    ("check", "new.json"),
    ("check", "new.json", "--format", "json"),
    ("snapshot", "new.json", "-o", "-"),
    ("rules",),
    ("schema", "report"),
    ("--help",),
)


def shell(folder: Path, redirection: str, *words: str, env: dict[str, str] | None = None):
    """A command line behind a redirection of a shell."""
    line = f"exec {shlex.join((sys.executable, '-m', 'mcp_governor', *words))} {redirection}"
    return attack(cwd=folder, command=("sh", "-c", line), env=env)


@pytest.mark.parametrize("words", TABLE, ids=" ".join)
def test_a_full_or_closed_standard_output(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "new.json").write_text(json.dumps([TOOL]))
    ran = shell(tmp_path, ">/dev/full", *words).held(2)
    assert "No space left on device." in ran.err
    assert "Exception ignored" not in ran.err
    if words != ("--help",):
        assert "Standard output is closed." in shell(tmp_path, ">&-", *words).held(2).err


def test_locales_and_encodings_that_know_no_unicode(tmp_path: Path) -> None:
    name = "näme\u2192😀"
    (tmp_path / "new.json").write_text(json.dumps([{**TOOL, "name": name}]))
    for env in (
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii:strict"},
        {"PYTHONIOENCODING": "latin-1:strict"},
    ):
        assert "me->\\U0001f600" in attack("lint", "new.json", cwd=tmp_path, env=env).held(0, 1).out
        # A document is UTF-8 in a pipe, whatever people could read.
        assert name in attack("lint", "new.json", "--format", "json", cwd=tmp_path, env=env).held(0, 1).out
        attack("lint", f"{name}.json", cwd=tmp_path, env=env).held(2)


def test_words_that_are_not_utf_8(tmp_path: Path) -> None:
    raw = os.fsdecode(b"\xff\xfe")
    (tmp_path / "mcp-governor.toml").write_text("")
    (tmp_path / f"{raw}.json").write_text(json.dumps([TOOL]))
    attack("lint", f"{raw}.json", "-v", cwd=tmp_path).held(0, 1)
    attack("diff", f"{raw}.json", f"{raw}.json", "--format", "json", cwd=tmp_path).held(0)
    attack("snapshot", f"{raw}.json", "-o", f"out{raw}.json", cwd=tmp_path).held(0)
    attack("lint", raw, cwd=tmp_path).held(2)
    attack("rule", raw, cwd=tmp_path).held(2)
    for words in (("accept", "a:b:c:01234567", "--reason", raw), ("accept", f"a:{raw}:c:01234567", "--reason", "x")):
        assert "is not UTF-8" in attack(*words, cwd=tmp_path).held(2).err
    assert (tmp_path / "mcp-governor.toml").read_text() == ""


def test_names_that_no_file_can_have(tmp_path: Path) -> None:
    long = "n" * 5000
    for words in (
        ("lint", f"{long}.json"),
        ("check", long),
        ("snapshot", "x", "-o", long),
        ("check", f"{long}.json#a"),
    ):
        attack(*words, cwd=tmp_path).held(2)
    (tmp_path / "new.json").write_text(json.dumps([TOOL]))
    ran = attack("lint", "new.json", "--output", f"{long}.txt", cwd=tmp_path).held(2)
    assert "File name too long" in ran.err


def test_a_nul_in_an_argument(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No shell can send one, a caller in the same process can."""
    from mcp_governor.cli import run

    for words in (("check", "a\0.json"), ("lint", "--config", "\0"), ("rule", "\0"), ("snapshot", "-o", "a\0b")):
        assert run(words) == 2
        assert "contains a NUL character" in capsys.readouterr().err


SURROGATES = {
    **TOOL,
    "name": "a\ud800",
    "description": "\udfff",
    "inputSchema": {"\ud800": "\udc00", "properties": {"\ud834": {}}},
}


def test_lone_surrogates(tmp_path: Path) -> None:
    (tmp_path / "new.json").write_text(json.dumps([SURROGATES]))
    (tmp_path / "old.json").write_text(json.dumps([{**SURROGATES, "description": "\ud800"}]))
    for kind in ("text", "json", "markdown"):
        attack("lint", "new.json", "-v", "--format", kind, cwd=tmp_path).held(0, 1)
        attack("diff", "old.json", "new.json", "-v", "--format", kind, cwd=tmp_path).held(0, 1)
    attack("snapshot", "new.json", "-o", "out.json", cwd=tmp_path).held(0)
    assert json.loads((tmp_path / "out.json").read_text())["tools"] == [SURROGATES]


class _Odd(BaseHTTPRequestHandler):
    """Ids of sessions and events that are not ASCII; the second connection of ``/events`` has the answer."""

    protocol_version = "HTTP/1.1"
    seen: list[bytes] = []  # noqa: RUF012

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        if self.path == "/events" and "id" in message:
            self._send(b"id: \xc3\xa4\xe2\x86\x92\nretry: 10\ndata:\n\n", "text/event-stream")
        else:
            self._send(
                json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": {}}).encode(), "application/json"
            )

    def do_GET(self) -> None:
        self.seen.append((self.headers.get("Last-Event-ID") or "").encode("latin-1"))
        self.send_error(405)

    do_DELETE = do_GET

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        if self.path == "/session":
            self.send_header("Mcp-Session-Id", "sch\xfcssel")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def odd() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Odd)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_ids_that_are_not_ascii(tmp_path: Path, odd: str) -> None:
    ran = attack("check", f"{odd}/session", "--timeout", "5", cwd=tmp_path).held(3)
    assert "its Mcp-Session-Id holds more than visible ASCII characters" in ran.err
    attack("check", f"{odd}/events", "--timeout", "5", cwd=tmp_path).held(3)
    assert "ä→".encode() in _Odd.seen


def test_headers_that_http_cannot_send(tmp_path: Path) -> None:
    for value in ("schlüssel", "\u2028", "😀"):
        text = (
            f'[servers.s]\nurl = "http://127.0.0.1:1/"\nheaders = {{ X-A = {json.dumps(value, ensure_ascii=False)} }}\n'
        )
        (tmp_path / "mcp-governor.toml").write_text(text, "utf-8")
        assert "holds characters that HTTP cannot send" in attack("check", cwd=tmp_path).held(2).err
        ran = attack("check", "http://127.0.0.1:1/", cwd=tmp_path, env={"MCP_GOVERNOR_BEARER_TOKEN": value})
        assert not re.search(re.escape(value), ran.held(2).reported)


def test_client_configurations_that_no_process_can_be_started_from(tmp_path: Path) -> None:
    for entry in (
        {"command": "a\0b"},
        {"command": "true", "args": ["a\0b"]},
        {"command": "true", "env": {"A=B": "x"}},
        {"command": "\ud800", "args": ["\ud800"]},
        {"command": "true", "env": {"A\ud800": "\ud800"}},
        {"url": "http://127.0.0.1:1/\ud800", "headers": {"A": "\ud800"}},
    ):
        (tmp_path / "c.json").write_text(json.dumps({"mcpServers": {"s": entry}}))
        attack("check", "c.json#s", "--timeout", "5", cwd=tmp_path).held(2, 3)
