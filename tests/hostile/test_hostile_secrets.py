"""A secret goes through every field of every message, and no output of any command holds a part of it."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from attack import Attacked, attack
from support import SERVERS

SECRET = 'k3y/Zq7X"vR2+mW9pLtB4nHs8c'
TOKEN = SECRET.replace('"', "").replace("/", "")
"""The secret without what an address, a header or a configuration would need to escape."""
LEAKER = str(SERVERS / "leaker.py")
PART = 6
"""Characters of the secret that must not stand together anywhere."""


def parts(secret: str) -> set[str]:
    """What gives a secret away: any six characters of it, in any case."""
    return {secret[start : start + PART].lower() for start in range(len(secret) - PART + 1)}


def leaks(secret: str, strings: Mapping[str, str]) -> dict[str, str]:
    """Where a part of the secret stands, with what is around it."""
    found = {}
    for name, text in strings.items():
        low = text.lower()
        for part in parts(secret):
            if part in low:
                at = low.index(part)
                found[name] = text[max(0, at - 60) : at + 60]
    return found


def written(folder: Path) -> dict[str, str]:
    """Every file of a folder but those that the test itself put there, by name; names count as content."""
    files = (file for file in folder.rglob("*") if file.is_file() and file.name not in ("given.json", "own.toml"))
    return {f"file {file.relative_to(folder)}": f"{file.name}\n{file.read_text('utf-8')}" for file in files}


def tight(ran: Attacked, folder: Path, secret: str = SECRET) -> Attacked:
    """The run, if it held and leaked nothing."""
    ran.held()
    found = leaks(secret, {"stdout": ran.out, "stderr": ran.err, **written(folder)})
    assert not found, found
    return ran


def configured(folder: Path, *words: str, key: str = "SECRET") -> dict[str, str]:
    """A configuration that names the leaker, its secret from the environment; returns the environment."""
    command = json.dumps([sys.executable, LEAKER, *words])
    (folder / "own.toml").write_text(f'target = "s"\n[servers.s]\ncommand = {command}\nenv = {{ {key} = "${key}" }}\n')
    return {key: SECRET}


ALL = [
    ("snapshot", "-o", "out.json"),
    ("snapshot", "-o", "-"),
    ("fingerprint", "--tools", "--format", "json"),
    ("check", "--format", "json"),
    ("check", "--format", "markdown", "--output", "report.md"),
    ("check", "--color", "always", "--against", "old.json"),
    ("lint", "-v", "--profile", "charter"),
    ("lint", "--write-baseline"),
    ("call", "-v", "--profile", "charter", "--record", "calls", "--follow"),
    ("call", "--format", "json"),
]


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_no_command_shows_what_a_server_publishes_of_its_secret(tmp_path: Path, words: tuple[str, ...]) -> None:
    env = configured(tmp_path, "everywhere")
    (tmp_path / "old.json").write_text('{"tools": [{"name": "gone", "inputSchema": {}}]}')
    ran = tight(attack(*words, "--config", "own.toml", cwd=tmp_path, env=env), tmp_path)
    assert "[redacted]" in ran.reported + "".join(written(tmp_path).values()) or words[0] == "lint"


def test_a_recorded_surface_keeps_everything_but_the_secret(tmp_path: Path) -> None:
    env = configured(tmp_path, "everywhere")
    tight(attack("snapshot", "--config", "own.toml", "-o", "a.json", cwd=tmp_path, env=env), tmp_path).held(0)
    surface = json.loads((tmp_path / "a.json").read_text())
    names = [tool["name"] for tool in surface["tools"] if isinstance(tool, dict) and "name" in tool]
    assert {"call_me", "fail_me", "get_[redacted]", "[redacted]"} <= set(names)
    (got,) = [tool for tool in surface["tools"] if isinstance(tool, dict) and tool.get("name") == "get_[redacted]"]
    assert set(got["inputSchema"]["properties"]) == {"[redacted]", "choice", "text"}
    assert got["_meta"]["[redacted]"] == "[redacted]"
    # Another value of the secret gives the same surface: nothing of it is left, not even its length.
    tight(
        attack("snapshot", "--config", "own.toml", "-o", "b.json", cwd=tmp_path, env={"SECRET": SECRET[::-1]}), tmp_path
    )
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


@pytest.mark.parametrize("spelling", ["upper", "url", "json", "html", "base64", "hex"])
def test_a_secret_in_another_spelling_is_one_as_well(tmp_path: Path, spelling: str) -> None:
    env = configured(tmp_path, "everywhere", spelling)
    ran = attack("check", "--config", "own.toml", "--format", "json", cwd=tmp_path, env=env)
    tight(ran, tmp_path)
    assert "[redacted]" in ran.out
    if spelling in ("base64", "hex"):
        # The words of the test are in plain; what would give it away is not.
        import base64

        reported = SECRET.encode().hex() if spelling == "hex" else base64.b64encode(f"user:{SECRET}".encode()).decode()
        assert not leaks(reported[8:-4], {"stdout": ran.out})


@pytest.mark.parametrize("mode", ["listing", "handshake", "noise", "dies", "call-dies"])
@pytest.mark.parametrize("command", ["check", "call"])
def test_no_error_shows_the_secret_wherever_it_is_cut(tmp_path: Path, mode: str, command: str) -> None:
    env = configured(tmp_path, mode)
    tight(attack(command, "-v", "--config", "own.toml", cwd=tmp_path, env=env), tmp_path)


CLIENTS = {
    "literal in env": ({"env": {"SECRET": SECRET}}, {}),
    "reference, neutral name": ({"env": {"SECRET": "${OTHER}", "PLACE": "${OTHER}"}}, {"OTHER": SECRET}),
    "option": (
        {"args": [LEAKER, "everywhere", "plain", "--api-key", SECRET], "env": {"SECRET": "${X:-" + SECRET + "}"}},
        {},
    ),
}


@pytest.mark.parametrize("name", CLIENTS)
def test_client_configurations(tmp_path: Path, name: str) -> None:
    more, env = CLIENTS[name]
    entry = {"command": sys.executable, "args": [LEAKER, "everywhere"], **more}
    (tmp_path / "given.json").write_text(json.dumps({"mcpServers": {"s": entry}}))
    tight(attack("snapshot", "given.json#s", "-o", "out.json", cwd=tmp_path, env=env), tmp_path)


def test_init_writes_no_secret(tmp_path: Path) -> None:
    (tmp_path / "given.json").write_text(
        json.dumps(
            {
                "mcpServers": {
                    "s": {"command": sys.executable, "args": [LEAKER, "everywhere"], "env": {"SECRET": SECRET}}
                }
            }
        )
    )
    tight(attack("init", "given.json#s", cwd=tmp_path), tmp_path).held(0)
    for reported in (("--token", SECRET), (f"--api-key={SECRET}",), (f"postgres://user:{SECRET}@h.example/db",)):
        ran = attack(
            "init", "--", sys.executable, LEAKER, "everywhere", "plain", *reported, cwd=tmp_path, env={"SECRET": SECRET}
        )
        assert tight(ran, tmp_path).code == 2


def test_a_drafted_changelog_and_a_release_hold_no_secret(tmp_path: Path) -> None:
    env = configured(tmp_path, "everywhere")
    text = (tmp_path / "own.toml").read_text()
    (tmp_path / "own.toml").write_text(f'changelog = "log.md"\nbaseline = "old.json"\nschema-version = "1.1.0"\n{text}')
    (tmp_path / "old.json").write_text(
        '{"serverInfo": {"name": "s", "version": "1.0.0"}, "tools": [{"name": "gone", "inputSchema": {}}]}'
    )
    (tmp_path / "log.md").write_text("# Changelog\n\n## 1.0.0 (current)\n\n### Added\n\n- `gone`\n")
    tight(attack("changelog", "draft", "--diff", "--config", "own.toml", cwd=tmp_path, env=env), tmp_path)
    tight(attack("changelog", "draft", "--config", "own.toml", cwd=tmp_path, env=env), tmp_path)
    tight(attack("changelog", "check", "-v", "--config", "own.toml", cwd=tmp_path, env=env), tmp_path)


BROKEN = {
    "wrong type": '[servers.s]\ncommand = ["x"]\nenv = { API_KEY = ["%s"] }\n',
    "unknown key beside it": '[servers.s]\ncommand = ["x"]\nbearer = 1\nenv = { API_KEY = "%s" }\n',
    "two ways": '[servers.s]\ncommand = ["x"]\nurl = "https://u:%s@h.example"\n',
    "bad header": '[servers.s]\nurl = "http://127.0.0.1:1/x?key=%s"\nheaders = { X-Token = "%s\\n" }\n',
}


@pytest.mark.parametrize("name", BROKEN)
def test_errors_of_a_configuration_do_not_quote_its_secrets(tmp_path: Path, name: str) -> None:
    secret = SECRET.replace('"', "").replace("/", "")
    (tmp_path / "own.toml").write_text(BROKEN[name].replace("%s", secret))
    ran = attack("check", "s", "--config", "own.toml", cwd=tmp_path, env={"MCP_GOVERNOR_DEBUG": "1"})
    assert tight(ran, tmp_path, secret).code in (2, 3)


ADDRESS = f"https://u:{TOKEN}@127.0.0.1:1/x"
MISTYPED = [
    (ADDRESS,),
    ("check", ADDRESS, "--", "true"),
    ("check", ADDRESS, ADDRESS),
    ("check", "--timeout", ADDRESS),
    ("check", f"--fail-on={ADDRESS}"),
    ("lint", "s.json", "--select", ADDRESS),
    ("accept", ADDRESS, "--reason", "x"),
]


@pytest.mark.parametrize("words", MISTYPED, ids=lambda words: " ".join(words).replace(ADDRESS, "URL"))
def test_an_address_that_is_typed_where_none_belongs(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "s.json").write_text('{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}')
    ran = attack(*words, cwd=tmp_path)
    assert tight(ran, tmp_path, TOKEN).code == 2


WRONG = {
    "an address for a choice": f'level = "{ADDRESS}"\n',
    "an address for a key": f'target = "x"\n[lint]\nselect = "{ADDRESS}"\n',
    "a server in a list": '[[servers.s]]\nheaders = { X-Auth-Token = "%s" }\nx = 1\n',
    "a variable in the wrong table": '[lint]\nprofile = { API_KEY = "%s" }\n',
    "a baseline": f'target = "s.json"\nbaseline = "{ADDRESS}"\n',
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_configuration_is_quoted_without_its_secrets(tmp_path: Path, name: str) -> None:
    (tmp_path / "s.json").write_text('{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}')
    (tmp_path / "own.toml").write_text(WRONG[name].replace("%s", TOKEN))
    ran = attack("check", "--config", "own.toml", cwd=tmp_path)
    assert tight(ran, tmp_path, TOKEN).code == 2


class _Answers(BaseHTTPRequestHandler):
    """An HTTP server that puts what it was sent into every part of what it answers."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        reported = (self.headers.get("Authorization") or "").removeprefix("Bearer ") or self.path
        kind = self.path.partition("?")[0]
        if kind == "/reason":
            self.wfile.write(
                f"HTTP/1.1 500 broken {reported}\r\nX-Said: {reported}\r\nContent-Length: 0\r\n\r\n".encode()
            )
            return
        place = {"/away": "http://other.invalid/{0}", "/dropped": "/{0}"}.get(kind)
        self.send_response({"/away": 307, "/dropped": 302, "/text": 500, "/mime": 200}.get(kind, 200))
        if place is not None:
            self.send_header("Location", place.format(reported))
        if kind == "/text":
            body, mime = f"{' ' * 480}{reported}", "text/plain"
        elif kind == "/sse":
            body, mime = f"id: {reported}\nevent: message\ndata: {reported}\n\n", "text/event-stream"
        elif kind == "/mime":
            body, mime = reported, f"x/{reported}"
        else:
            body, mime = json.dumps({"jsonrpc": "2.0", "id": reported, "result": {}}), "application/json"
        self.send_header("Content-Type", mime)
        self.send_header("Mcp-Session-Id", reported)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    do_GET = do_DELETE = do_POST

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("path", ["/reason", "/away", "/dropped", "/text", "/sse", "/mime", "/id"])
def test_what_an_http_server_sends_back_of_the_bearer_token(tmp_path: Path, web: str, path: str) -> None:
    env = {"MCP_GOVERNOR_BEARER_TOKEN": TOKEN, "MCP_GOVERNOR_DEBUG": "1"}
    ran = attack("check", "-v", f"{web}{path}", "--timeout", "3", cwd=tmp_path, env=env)
    assert tight(ran, tmp_path, TOKEN).code == 3


def test_no_part_of_an_address_is_shown_that_lets_others_in(tmp_path: Path, web: str) -> None:
    host = web.removeprefix("http://")
    for address in (f"http://u:{TOKEN}@{host}/text", f"{web}/text?apikey={TOKEN}", f"{web}/text/{'a1' * 12}/mcp"):
        ran = attack("check", address, "--timeout", "3", cwd=tmp_path)
        tight(ran, tmp_path, TOKEN)
        assert "a1a1a1" not in ran.reported


def test_a_server_gets_nothing_of_our_environment_that_was_not_named(tmp_path: Path) -> None:
    """Neither prefixes nor package runners open the door; what a runner needs and holds credentials is named."""
    probe = tmp_path / "uvx"
    probe.write_text(f"#!{sys.executable}\nimport json, os\nprint(json.dumps(dict(os.environ)))\n")
    probe.chmod(0o755)
    secret = {
        **dict.fromkeys(
            ("NODE_AUTH_TOKEN", "NODE_OPTIONS", "UV_PUBLISH_TOKEN", "UV_CANARY", "NPM_CONFIG_CANARY"), SECRET
        ),
        **dict.fromkeys(
            ("NPM_CONFIG__AUTH", "npm_config__authToken", "PIP_CANARY", "XDG_CANARY", "AWS_SECRET_KEY"), SECRET
        ),
        "UV_INDEX_URL": "https://user:letmein1@pypi.example/simple",
        "HTTPS_PROXY": "http://user:letmein2@proxy.example:8080",
    }
    plain = {"UV_CACHE_DIR": "/var/cache/uv", "npm_config_registry": "https://npm.example/"}
    ran = attack("check", "--", str(probe), "x", cwd=tmp_path, env={**secret, **plain})
    tight(ran, tmp_path).held(3)
    assert "letmein" not in ran.reported
    assert "Not passed on, because of the credentials in it: HTTPS_PROXY, UV_INDEX_URL." in ran.err
    from mcp_governor.target.packages import runner_environment

    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**secret, **plain}.items():
            patch.setenv(name, value)
        given = runner_environment()
    assert not secret.keys() & given.keys()
    assert plain.items() <= given.items()
