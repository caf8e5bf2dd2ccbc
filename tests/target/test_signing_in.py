"""A login through a browser: with the SDK's own server, and with hostile servers that must get nothing."""

from __future__ import annotations

import json
import sys
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import anyio
import pytest
from commandline import governor
from support import SERVERS, free_port, listening

from mcp_governor.target import signing_in
from mcp_governor.target.logins import Login, LoginError
from mcp_governor.target.signing_in import sign_in

BROWSER = "import sys, urllib.request; urllib.request.urlopen(sys.argv[1], timeout=20).read()"


@pytest.fixture
def place(tmp_path: Path) -> dict[str, str]:
    """The environment of a user whose browser follows redirects and shows nothing."""
    (tmp_path / "browser.py").write_text(BROWSER)
    browser = f"{sys.executable} {tmp_path / 'browser.py'} %s"
    return {"XDG_STATE_HOME": str(tmp_path / "state"), "BROWSER": browser, "MCP_GOVERNOR_LOGIN": ""}


@pytest.fixture(params=[3600, 30], ids=["lasting", "expiring"])
def url(request):
    port = free_port()
    with listening([sys.executable, str(SERVERS / "oauth.py"), str(port), str(request.param)], port):
        yield f"http://127.0.0.1:{port}/mcp"


def test_the_whole_life_of_a_login(url: str, place: dict[str, str], tmp_path: Path) -> None:
    def run(*words: str, **more: str):
        return governor(*words, cwd=tmp_path, env={**place, **more})

    assert f"hint: Sign in: mcp-governor login {url}" in run("snapshot", "-o", "-", url).err
    outcome = run("login", url)
    assert outcome.code == 0, outcome.err
    kept = next((tmp_path / "state").rglob("*.json"))
    secrets = [value for name, value in json.loads(kept.read_text()).items() if name.endswith(("_token", "_secret"))]
    assert len(secrets) == 3
    # An expiring token is renewed by each run, and its refresh token is good for one use.
    for _ in range(2):
        outcome = run("snapshot", "-o", "-", url)
        assert outcome.code == 0, outcome.err
        assert [tool["name"] for tool in json.loads(outcome.out)["tools"]] == ["who"]
        assert not any(secret in outcome.out + outcome.err for secret in secrets)
    assert "Its tokens are revoked." in run("logout", url).out
    assert not kept.exists()
    assert run("snapshot", "-o", "-", url).code == 3
    outcome = run("login", url, "--output", "ci.json")
    assert outcome.code == 0, outcome.err
    assert not kept.exists()
    assert (tmp_path / "ci.json").stat().st_mode & 0o777 == 0o600
    secret = (tmp_path / "ci.json").read_text()
    for _ in range(2):
        assert run("snapshot", "-o", "-", url, MCP_GOVERNOR_LOGIN=secret).code == 0


# ── servers that say what a test wants ──────────────────────────────────────────────────────────────────────


class Scripted(BaseHTTPRequestHandler):
    def do_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        path = urlsplit(self.path).path
        self.server.asked.append((path, body.decode()))
        status, headers, content = self.server.pages.get(path, (404, {}, b""))
        if path == "/mcp" and self.headers.get("authorization") == "Bearer given":
            status, headers, content = 200, {}, b"{}"
        self.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_any

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Scripted) as made:
        made.asked = []
        root = f"http://127.0.0.1:{made.server_port}"
        made.url = f"{root}/mcp"
        made.metadata = {
            "issuer": root,
            "authorization_endpoint": f"{root}/authorize",
            "token_endpoint": f"{root}/token",
            "registration_endpoint": f"{root}/register",
        }
        resource = {"resource": made.url, "authorization_servers": [root]}
        tokens = {"access_token": "given", "token_type": "Bearer", "expires_in": 60}
        made.pages = {
            "/mcp": (401, {"www-authenticate": "Bearer"}, b""),
            "/.well-known/oauth-protected-resource/mcp": (200, {}, json.dumps(resource).encode()),
            "/.well-known/oauth-authorization-server": (200, {}, json.dumps(made.metadata).encode()),
            "/register": (201, {}, b'{"client_id": "c", "redirect_uris": []}'),
            "/token": (200, {}, json.dumps(tokens).encode()),
        }
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


def callback(address: str, **changes: str) -> str:
    """Where the authorization server sends the browser."""
    asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    query = {"code": "the-code", "state": asked["state"], **changes}
    return f"{asked['redirect_uri']}?{'&'.join(f'{name}={value}' for name, value in query.items())}"


def login(server, *, seconds: float = 20, **changes: str) -> Login:
    shown: list[str] = []

    async def show(address: str) -> None:
        shown.append(address)
        if not changes.pop("away", ""):
            await anyio.to_thread.run_sync(lambda: urllib.request.urlopen(callback(address, **changes)).read())

    server.shown = shown
    return anyio.run(lambda: sign_in(server.url, show, seconds=seconds))


def test_a_login(server) -> None:
    made = login(server)
    assert (made.server, made.access_token, made.client_id) == (server.url, "given", "c")
    form = parse_qs(dict(server.asked)["/token"])
    assert form["code"] == ["the-code"]
    assert form["resource"] == [server.url]


EXTERNAL = "http://auth.example"


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"token_endpoint": f"{EXTERNAL}/token"}, "The token endpoint http://auth.example/token is not https"),
        ({"authorization_endpoint": f"{EXTERNAL}/a"}, "The page for the login http://auth.example/a is not https"),
        ({"registration_endpoint": f"{EXTERNAL}/r"}, "The address http://auth.example/r is not https"),
        ({"issuer": "https://other.example"}, "issuer mismatch"),
    ],
)
def test_hostile_metadata_is_refused_before_anybody_signs_in(server, metadata: dict[str, str], said: str) -> None:
    page = json.dumps({**server.metadata, **metadata}).encode()
    server.pages["/.well-known/oauth-authorization-server"] = (200, {}, page)
    with pytest.raises(LoginError) as caught:
        login(server)
    assert said in caught.value.message
    assert server.shown == []


@pytest.mark.parametrize(
    ("path", "page", "said"),
    [
        ("/mcp", (200, {}, b"{}"), "The server does not ask for a login (HTTP 200)."),
        ("/mcp", (401, {"www-authenticate": f'Bearer resource_metadata="{EXTERNAL}/x"'}, b""), "is not https"),
        (
            "/.well-known/oauth-authorization-server",
            (200, {}, b" " * (signing_in.MAX_DOCUMENT + 1)),
            "sends more than 1,048,576 bytes",
        ),
        (
            "/.well-known/oauth-authorization-server",
            (200, {"content-encoding": "gzip"}, b"x"),
            "sends a compressed document",
        ),
        ("/.well-known/oauth-authorization-server", (302, {"location": EXTERNAL}, b""), ""),
        ("/register", (404, {}, b"no"), "does not register clients"),
        ("/register", (201, {}, b"[" * 60_000), "does not register clients"),
        ("/register", (307, {"location": f"{EXTERNAL}/register"}, b""), "does not register clients"),
        ("/token", (400, {}, b'{"error": "invalid_grant"}'), "invalid_grant"),
        ("/token", (307, {"location": f"{EXTERNAL}/token"}, b""), "307"),
        ("/token", (200, {}, b'{"access_token": "a\\r\\nb: c"}'), "the login failed"),
        ("/token", (200, {}, b'{"access_token": "other"}'), "does not accept the token"),
    ],
)
def test_hostile_pages(server, path: str, page: tuple[int, dict[str, str], bytes], said: str) -> None:
    server.pages[path] = page
    if not said:
        # Not followed: as if there were no metadata, so the addresses of the server itself are used.
        assert login(server).token_endpoint == server.metadata["token_endpoint"]
        return
    with pytest.raises(LoginError) as caught:
        login(server)
    assert said in caught.value.message
    assert "\n" not in caught.value.message


def test_what_is_not_the_browser_of_this_login_is_not_heard(server) -> None:
    heard: list[int] = []

    def browse(address: str) -> None:
        foreign = [
            callback(address, state="x"),
            callback(address).replace("/callback", "/"),
            callback(address) + "&" * 30,
        ]
        for other in foreign:
            try:
                urllib.request.urlopen(other)
            except urllib.error.HTTPError as error:
                heard.append(error.code)
        assert b"Signed in" in urllib.request.urlopen(callback(address)).read()

    async def show(address: str) -> None:
        await anyio.to_thread.run_sync(browse, address)

    assert anyio.run(lambda: sign_in(server.url, show, seconds=20)).access_token == "given"
    assert heard == [400, 404, 400]


def test_a_refusal_of_the_user(server) -> None:
    with pytest.raises(LoginError, match="refuses the login: not today"):
        login(server, error="access_denied", error_description="not+today")


def test_nobody_comes(server) -> None:
    with pytest.raises(LoginError, match=r"nobody signed in within 0\.5 s"):
        login(server, seconds=0.5, away="yes")


def test_a_server_without_https_is_refused_at_once() -> None:
    async def show(address: str) -> None:
        raise AssertionError(address)

    with pytest.raises(LoginError, match="is not https"):
        anyio.run(lambda: sign_in("http://mcp.example/mcp", show, seconds=5))


def test_the_command_line_of_login(tmp_path: Path) -> None:
    outcome = governor("login", "name", cwd=tmp_path)
    assert (outcome.code, "login takes the URL of a server" in outcome.err) == (2, True)
    outcome = governor("login", "http://127.0.0.1:1/", "--client-secret", "X", cwd=tmp_path)
    assert "--client-secret has no effect without --client-id" in outcome.err
    outcome = governor("login", "http://127.0.0.1:1/", "--client-id", "i", "--client-secret", "sk-Zq81", cwd=tmp_path)
    assert "sk-Zq81" not in outcome.err
    assert outcome.code == 2
