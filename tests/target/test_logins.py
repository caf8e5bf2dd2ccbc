"""Where logins are kept, who can read them, how they are renewed, and which addresses get their tokens."""

from __future__ import annotations

import json
import sys
import threading
import time
import types
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import msgspec
import pytest
from replacing import replace

from mcp_governor.config import Config, ServerConfig
from mcp_governor.errors import ConfigError, GovernorError
from mcp_governor.target import logins, resolve
from mcp_governor.target.logins import Login, LoginError, check_address, login_header

URL = "https://mcp.example/mcp"
LOGIN = Login(
    URL,
    "access-Zq81aa",
    "refresh-Zq81bb",
    token_endpoint="https://auth.example/token",
    client_id="c",
    client_secret="secret-Zq81cc",
    client_auth="client_secret_post",
    resource=URL,
)


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv(logins.VARIABLE, raising=False)
    monkeypatch.setitem(sys.modules, "keyring", None)
    return tmp_path


# ── which addresses ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("url", "server", "refused"),
    [
        ("https://auth.example/token", URL, ""),
        ("https://mcp.example/token", URL, ""),
        ("http://127.0.0.1:1/token", "http://127.0.0.1:2/mcp", ""),
        ("http://localhost:1/token", "http://127.0.0.1:2/mcp", ""),
        ("https://10.0.0.1/token", "https://10.0.0.2/mcp", ""),
        ("http://auth.example/token", URL, "is not https"),
        ("http://mcp.example/mcp", "http://mcp.example/mcp", "is not https"),
        ("http://127.0.0.1:1/token", URL, "is inside of your network"),
        ("https://127.1/token", URL, "is inside of your network"),
        ("https://2130706433/token", URL, "is inside of your network"),
        ("https://[::1]/token", URL, "is inside of your network"),
        ("https://[::ffff:10.0.0.1]/token", URL, "is inside of your network"),
        ("https://169.254.169.254/latest", URL, "is inside of your network"),
        ("https://a.localhost/token", URL, "is inside of your network"),
        ("file:///etc/passwd", URL, "is not an http or https address"),
        ("javascript:alert(1)", URL, "is not an http or https address"),
        ("https://user@auth.example/token", URL, "is not an http or https address"),
        ("https://[::1/token", URL, "is not an http or https address"),
    ],
)
def test_addresses(url: str, server: str, refused: str) -> None:
    if not refused:
        check_address(url, server, "The token endpoint")
        return
    with pytest.raises(LoginError, match=f"The token endpoint .* {refused}"):
        check_address(url, server, "The token endpoint")


# ── the store ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_login_is_kept_for_its_user_alone(state) -> None:
    # Whatever was there before could be read by others.
    place = logins.file_of(URL)
    place.parent.mkdir(parents=True)
    place.write_text("{}")
    place.chmod(0o666)
    assert logins.save(LOGIN) == str(place)
    assert place.stat().st_mode & 0o777 == 0o600
    assert logins.stored(URL) == LOGIN
    place.chmod(0o640)
    with pytest.raises(ConfigError, match="Other users can read the login"):
        logins.stored(URL)
    assert logins.forget(URL)
    assert not logins.forget(URL)
    assert logins.stored(URL) is None


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"server": 1}', b"[" * 60_000, b"\xff"])
def test_a_file_that_is_no_login(content: bytes) -> None:
    logins.save(LOGIN)
    logins.file_of(URL).write_bytes(content)
    with pytest.raises(ConfigError, match="is not a login"):
        logins.stored(URL)


class FakeKeyring:
    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.fails = False

    def set_password(self, service: str, name: str, value: str) -> None:
        if self.fails:
            raise sys.modules["keyring.errors"].KeyringError("no keyring here")
        self.kept[service, name] = value

    def get_password(self, service: str, name: str) -> str | None:
        return self.kept.get((service, name))

    def delete_password(self, service: str, name: str) -> None:
        if self.kept.pop((service, name), None) is None:
            raise sys.modules["keyring.errors"].KeyringError("none")


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> FakeKeyring:
    fake = FakeKeyring()
    module, errors = types.ModuleType("keyring"), types.ModuleType("keyring.errors")
    for name in ("set_password", "get_password", "delete_password"):
        setattr(module, name, getattr(fake, name))
    errors.KeyringError = type("KeyringError", (Exception,), {})
    module.errors = errors
    monkeypatch.setitem(sys.modules, "keyring", module)
    monkeypatch.setitem(sys.modules, "keyring.errors", errors)
    return fake


def test_a_keyring_keeps_the_tokens_if_there_is_one(keyring: FakeKeyring) -> None:
    assert logins.save(LOGIN) == "the keyring"
    assert "Zq81" not in logins.file_of(URL).read_text()
    assert logins.stored(URL) == LOGIN
    assert logins.forget(URL)
    assert not keyring.kept
    keyring.fails = True
    assert logins.save(LOGIN) == str(logins.file_of(URL))
    assert logins.stored(URL) == LOGIN


def test_a_login_that_the_keyring_has_lost(keyring: FakeKeyring) -> None:
    logins.save(LOGIN)
    keyring.kept.clear()
    with pytest.raises(ConfigError, match="no longer has the login"):
        logins.stored(URL)


# ── what a request sends ────────────────────────────────────────────────────────────────────────────────────


def headers(url: str = URL, **server: object) -> dict[str, str]:
    return dict(resolve("s", Config(servers={"s": ServerConfig("s", url=url, **server)})).endpoint.headers)


def test_a_login_is_for_its_address_only_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    logins.save(LOGIN)
    assert headers() == {"Authorization": "Bearer access-Zq81aa"}
    assert headers(f"{URL}?key=value") == {"Authorization": "Bearer access-Zq81aa"}
    assert headers("https://mcp.example/other") == headers("https://mcp.example.evil/mcp") == {}
    assert headers("https://mcp.example:444/mcp") == {}
    assert headers(bearer_token="own") == {"Authorization": "Bearer own"}
    monkeypatch.setenv("TOKEN", "typed")
    assert headers(headers={"authorization": "$TOKEN"}) == {"authorization": "typed"}
    assert "Zq81" not in repr(resolve(URL, Config()))


class Endpoint(BaseHTTPRequestHandler):
    """A token endpoint that renews each refresh token once."""

    def do_POST(self) -> None:
        form = {
            name: values[0]
            for name, values in parse_qs(self.rfile.read(int(self.headers["content-length"])).decode()).items()
        }
        self.server.forms.append((form, self.headers.get("authorization")))
        status, body = self.server.script(form)
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def endpoint():
    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        server.forms = []
        good = [LOGIN.refresh_token]

        def once(form: dict[str, str]) -> tuple[int, bytes]:
            if form["refresh_token"] != good[-1]:
                return 400, b'{"error": "invalid_grant"}'
            good.append(f"refresh-Zq81-{len(good)}")
            tokens = {"access_token": f"access-Zq81-{len(good)}", "refresh_token": good[-1], "expires_in": 3600}
            return 200, json.dumps(tokens).encode()

        server.script = once
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def expired(endpoint) -> Login:
    root = f"http://127.0.0.1:{endpoint.server_port}"
    return replace(LOGIN, server=f"{root}/mcp", token_endpoint=f"{root}/token", expires_at=time.time() - 1)


def sent(login: Login) -> str:
    found = login_header(login.server)
    return found.value


def test_an_expired_token_is_renewed_once(endpoint, expired: Login) -> None:
    logins.save(expired)
    assert sent(expired) == sent(expired) == "Bearer access-Zq81-2"
    assert endpoint.forms == [
        (
            {
                "grant_type": "refresh_token",
                "refresh_token": "refresh-Zq81bb",
                "resource": URL,
                "client_id": "c",
                "client_secret": "secret-Zq81cc",
            },
            None,
        )
    ]
    assert logins.stored(expired.server).refresh_token == "refresh-Zq81-1"


def test_a_client_with_basic_authentication(endpoint, expired: Login) -> None:
    logins.save(replace(expired, client_auth="client_secret_basic", client_id="a:b"))
    assert sent(expired) == "Bearer access-Zq81-2"
    form, authorization = endpoint.forms[0]
    assert "client_secret" not in form
    assert authorization == "Basic YSUzQWI6c2VjcmV0LVpxODFjYw=="  # a%3Ab:secret-Zq81cc


def test_ci_renews_a_login_once_in_a_job(endpoint, expired: Login, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(logins.VARIABLE, msgspec.json.encode(expired).decode())
    assert sent(expired) == sent(expired) == "Bearer access-Zq81-2"
    assert len(endpoint.forms) == 1
    assert login_header("https://other.example/mcp") is None


def test_the_login_of_ci_comes_before_one_that_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    logins.save(replace(LOGIN, access_token="stored"))
    monkeypatch.setenv(logins.VARIABLE, msgspec.json.encode(LOGIN).decode())
    assert sent(LOGIN) == "Bearer access-Zq81aa"
    monkeypatch.setenv(logins.VARIABLE, "sk-Zq81dd")
    with pytest.raises(ConfigError, match="The value of MCP_GOVERNOR_LOGIN is not a login") as caught:
        sent(LOGIN)
    assert "Zq81" not in caught.value.message + caught.value.hint


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((400, b'{"error": "invalid_grant refresh-Zq81bb"}'), 'HTTP 400: {"error": "invalid_grant '),
        ((302, b""), "HTTP 302"),
        ((200, b"<html>"), "not a token response"),
        ((200, b'{"access_token": "a", "expires_in": 1e400}'), "not a token response"),
        ((200, b"[" * 60_000), "not a token response"),
        ((200, b'{"access_token": 1}'), "not a token response"),
        ((200, b'{"access_token": "a", "expires_in": "soon"}'), "not a token response"),
        ((200, b'{"access_token": "a\\r\\nX-Evil: 1"}'), "characters that HTTP cannot send"),
        ((200, b" " * (logins.MAX_BYTES + 1)), "does not end its response"),
    ],
)
def test_an_endpoint_that_does_not_renew(endpoint, expired: Login, answer: tuple[int, bytes], said: str) -> None:
    endpoint.script = lambda _: answer
    logins.save(expired)
    with pytest.raises(LoginError) as caught:
        sent(expired)
    assert said in caught.value.message
    assert "Zq81" not in caught.value.message
    assert logins.stored(expired.server) == expired


@pytest.mark.parametrize("seconds", [b"1e300", b"-5", b'"3600"', b"null"])
def test_any_lifetime_is_read(endpoint, expired: Login, seconds: bytes) -> None:
    endpoint.script = lambda _: (200, b'{"access_token": "a", "expires_in": ' + seconds + b"}")
    logins.save(expired)
    assert sent(expired) == "Bearer a"


def test_a_login_that_cannot_be_renewed(expired: Login) -> None:
    logins.save(replace(expired, refresh_token=""))
    with pytest.raises(LoginError, match="there is no refresh token") as caught:
        sent(expired)
    assert caught.value.hint == f"Sign in again: mcp-governor login {expired.server}"


def test_a_stored_endpoint_is_checked_again(expired: Login) -> None:
    logins.save(replace(expired, token_endpoint="http://evil.example/token"))
    with pytest.raises(GovernorError, match="is not https"):
        sent(expired)


def test_no_home_is_no_login(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logins, "folder", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    assert logins.stored(URL) is None
