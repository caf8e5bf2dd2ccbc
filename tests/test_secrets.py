"""What counts as a secret, and where one is found."""

from __future__ import annotations

import base64
import json
import shlex
import tracemalloc
from urllib.parse import quote

import pytest

from mcp_governor.errors import ConfigError
from mcp_governor.secret_detection import (
    is_secret,
    learn,
    learn_addresses,
    learn_command,
    learn_environment,
    learn_header,
    learn_table,
    learn_url,
)
from mcp_governor.secrets import MOST, keep, redact, redact_json, redact_tail
from mcp_governor.text import beginning, command_line, one_line, printable, visible
from mcp_governor.wire.rpc import RpcError

SECRET = 'k3y/Zq7X"vR2+mW9'


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("API_KEY", "abcd"),
        ("githubToken", "x1y2"),
        ("X-Auth-Token", "4829"),
        ("PASSWORD", "/abc+def=="),
        ("--password", "correct horse"),
        ("FOO", "hunter2"),
        ("FOO", "correct-horse"),
        ("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"),
        ("AWS_REGION", "0123456789abcdef0"),
    ],
)
def test_values_that_are_secrets(name: str, value: str) -> None:
    assert is_secret(value, name)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("API_KEY", "abc"),
        ("API_KEY", "true"),
        ("MAX_TOKENS", "4096"),
        ("TOKEN_TYPE", "Bearer"),
        ("FOO", "hunter"),
        ("FOO", "Production"),
        ("FOO", "100_000"),
        ("FOO", "/var/lib/data"),
        ("FOO", "C:\\Users\\me"),
        ("FOO", "1.2.3rc1"),
        ("FOO", "2026-11-22T10:00:00Z"),
        ("FOO", "db.example.com:5432"),
        ("FOO", "en_US.UTF-8"),
        ("AWS_REGION", "us-east-1"),
        ("MODEL", "gpt-4o-mini"),
    ],
)
def test_values_that_are_none(name: str, value: str) -> None:
    assert not is_secret(value, name)


def test_a_value_from_the_environment_is_kept_from_six_characters_on() -> None:
    assert is_secret("hunter", "FOO", reference=True)
    assert not is_secret("hunte", "FOO", reference=True)
    assert not is_secret("production", "FOO", reference=True)


@pytest.mark.parametrize(
    "spelt",
    [
        SECRET,
        SECRET.upper(),
        json.dumps(SECRET)[1:-1],
        json.dumps(json.dumps(SECRET)),
        repr(SECRET),
        quote(SECRET, safe=""),
        quote(SECRET, safe="").lower(),
        SECRET.replace('"', "&quot;"),
        SECRET.encode().hex(),
        *(base64.b64encode(b"x" * before + SECRET.encode() + b"yy").decode() for before in range(4)),
        base64.urlsafe_b64encode(SECRET.encode()).decode().rstrip("="),
    ],
)
def test_a_secret_is_found_however_it_is_spelt(spelt: str) -> None:
    learn(SECRET, "API_KEY")
    text = redact(f"<{spelt}>")
    assert "[redacted]" in text
    # Of base64, what depends on the neighbours of the secret stays: less than one of its characters on either side.
    assert len(text) <= len("<'[redacted]'>") + 8
    assert redact(text) == text


def test_short_secrets_are_whole_words() -> None:
    learn("ab12", "TOKEN")
    assert redact("ab12, xab12 AB12 ab123 (ab12)") == "[redacted], xab12 AB12 ab123 ([redacted])"


def test_the_longest_comes_first_and_a_marker_is_never_redacted() -> None:
    keep("abcdef", "x")
    keep("abcdef-ghijkl", "x")
    keep("redacted", "x")
    assert redact("x abcdef-ghijkl abcdef redacted") == "x [redacted] [redacted] redacted"


def test_a_secret_of_several_lines_is_found_joined_and_line_by_line() -> None:
    key = "-----BEGIN KEY-----\nMIIBVgIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END KEY-----"
    learn(key, "PRIVATE_KEY")
    assert redact(" ".join(key.split())) == "[redacted]"
    assert redact("say hkiG9w0BAQEFAASC") == "say [redacted]"


def test_a_string_that_begins_within_a_secret() -> None:
    learn("0123456789abcdef-secret", "API_KEY")
    assert redact_tail("9abcdef-secret and more") == "[redacted] and more"
    assert redact_tail("plain text") == "plain text"


def test_json_is_redacted_with_its_keys_and_nothing_is_lost() -> None:
    learn("hunter2-hunter2", "API_KEY")
    learn("48291573", "PIN")
    found: set[str] = set()
    value = {"hunter2-hunter2": 1, "HUNTER2-hunter2": [48291573, "x hunter2-hunter2"], "n": [4829, True, None, 1.5]}
    assert redact_json(value, found) == {
        "[redacted]": 1,
        "[redacted] 2": ["[redacted]", "x [redacted]"],
        "n": [4829, True, None, 1.5],
    }
    assert found == {"the environment variable API_KEY", "the environment variable PIN"}
    same = {"a": [1, {"b": "c"}]}
    assert redact_json(same) is same


def test_addresses() -> None:
    learn_url("https://user:p%40ss-w0rd@h.example/v1/0a1b2c3d4e5f6a7b8c9d/mcp?api_key=abcd&page=2&q=s3arch-w0rd")
    reported = "user p%40ss-w0rd p@ss-w0rd 0a1b2c3d4e5f6a7b8c9d abcd page 2 s3arch-w0rd h.example"
    assert redact(reported) == "user [redacted] [redacted] [redacted] [redacted] page 2 [redacted] h.example"
    learn_url("http://[::1/?token=wxyz")
    assert redact("http://[::1/?token=wxyz") == "http://[::1/?token=[redacted]"


def test_the_user_of_a_database_is_a_name_and_no_token():
    learn_addresses(["--store=postgresql://fleet@h.example/db", "postgres://fleet:s3cr3t-w0rd@h.example/db"])
    learn_addresses(["https://t0ken-of-somebody@h.example/mcp"])
    assert redact("fleet s3cr3t-w0rd t0ken-of-somebody") == "fleet [redacted] [redacted]"


def test_headers() -> None:
    learn_header("Authorization", "Basic " + base64.b64encode(b"me:open sesame").decode())
    learn_header("Cookie", "a=cookie-1; b=cookie-2")
    learn_header("Accept-Language", "klingon-x")
    assert redact("open sesame cookie-1 cookie-2 klingon-x") == "[redacted] [redacted] [redacted] klingon-x"


def test_command_lines() -> None:
    words = shlex.split(
        "npx -y mcp-remote@0.1.2 --port 12345678 --api-key abcd --token=efgh -e GH_TOKEN=ijkl "
        "--header 'Authorization: Bearer mnop' postgres://me:qrst@db.example/x sk-proj-abc123def456ghi789jkl"
    )
    learn_command(words)
    reported = "mcp-remote@0.1.2 12345678 abcd efgh ijkl mnop qrst sk-proj-abc123def456ghi789jkl"
    assert redact(reported) == "mcp-remote@0.1.2 12345678" + " [redacted]" * 6


def test_a_table_of_any_shape() -> None:
    env = {"API_KEY": ["one-1", {"x": "two-22"}], "B": "$OTHER"}
    learn_table({"env": env, "headers": 5, "url": {"a": 1}, "args": [1, None]}, {"OTHER": "three-3"})
    assert redact("one-1 two-22 three-3") == "[redacted] [redacted] [redacted]"


def test_our_own_environment() -> None:
    learn_environment({"AWS_SECRET_ACCESS_KEY": "abcdefgh1", "SSH_AUTH_SOCK": "/tmp/ssh/agent.1", "HOME_KEY": "short"})
    assert redact("abcdefgh1 /tmp/ssh/agent.1 short") == "[redacted] /tmp/ssh/agent.1 short"


def test_words_of_our_reports_cannot_be_taken_out_of_them() -> None:
    """A configuration is a stranger's, too: what it calls a secret must not empty a verdict."""
    for word in ("FAIL", "verdict", "error", "findings", "string", "breaking"):
        learn(word, "API_KEY")
        assert redact(word) == word


PHRASE = "correct-horse-Staple"


@pytest.mark.parametrize(
    "words",
    [
        ("--config", f'{{"apiKey": "{PHRASE}"}}'),
        (f'--config={{"a": [{{"password": "{PHRASE}"}}]}}',),
        ("--config", base64.b64encode(f'{{"apiKey": "{PHRASE}"}}'.encode()).decode()),
        (f"--header=Authorization: Bearer {PHRASE}",),
        (f"-HX-Api-Key:{PHRASE}",),
        (f"--env=API_KEY={PHRASE}",),
        ("-c", f"export API_KEY='{PHRASE}'; exec server"),
        ("-c", f"exec server --token {PHRASE} 2>&1"),
        (f"Server=h;Uid=u;Password={PHRASE};",),
    ],
    ids=" ".join,
)
def test_parts_of_the_words_of_a_command(words: tuple[str, ...]) -> None:
    learn_command(("server", *words))
    assert redact(f"login with {PHRASE} failed") == "login with [redacted] failed"


@pytest.mark.parametrize(
    "value",
    [
        f"host=h user=u password={PHRASE}",
        f'{{"Authorization": "Bearer {PHRASE}"}}',
        f'"{PHRASE}"',
        f"X-Api-Key: {PHRASE}",
        f"Authorization: Bearer {PHRASE}",
    ],
)
def test_parts_of_a_variable(value: str) -> None:
    learn(value, "OWN_PASSWORD" if value[0] == '"' else "CONNECTION")
    assert redact(f"login with {PHRASE} failed") == "login with [redacted] failed"


@pytest.mark.parametrize("tail", [f"mcp?{PHRASE}", f"mcp#{PHRASE}", f"mcp;token={PHRASE}", f"key:{PHRASE}/mcp"])
def test_parts_of_an_address(tail: str) -> None:
    learn_url(f"https://h.example/{tail}")
    assert redact(f"login with {PHRASE} failed") == "login with [redacted] failed"


def test_parts_within_parts_have_an_end() -> None:
    for text in ("a-key: " * 9000 + "x", "a=" * 30_000, "x://h?u=" * 8000, '{"a":' * 9000, "k,y " * 16_000):
        learn(text, "API_KEYS")
        learn_command(("server", text))
        learn_header("X-Key", text)


def test_there_is_an_end_to_secrets() -> None:
    for number in range(MOST):
        keep(f"secret-{number}", "x")
    with pytest.raises(ConfigError, match="more than 256 values to keep secret"):
        keep("one-more", "x")


def test_what_makes_text_safe_to_show_redacts_before_it_cuts_and_escapes() -> None:
    secret = "k3y\u202e with 'blanks' and more"
    learn(secret, "API_KEY")
    assert visible(f"a {secret}") == "a [redacted]"
    assert printable(f"{'x' * 3990} {secret}").endswith("x [redacted]")
    assert one_line(f"{'x' * 30} {secret}", 40) == f"{'x' * 30} [redacte…"
    assert (
        one_line("k3y\u202e with\n'blanks'\tand more") == one_line("k3y\u202e  with 'blanks' and  more") == "[redacted]"
    )
    assert command_line(["run", "--key", secret, f"--key={secret}"]) == "run --key [redacted] '--key=[redacted]'"


def test_the_beginning_of_what_a_server_sent_ends_within_no_secret() -> None:
    learn("0123456789abcdef-secret", "API_KEY")
    data = b"x" * 10 + b"0123456789abcdef-secret and more"
    assert beginning(data, 15) == "x" * 10 + "[reda"
    assert beginning(data, 5) == "x" * 5


def test_an_error_of_a_server_holds_no_secret() -> None:
    learn("hunter2-hunter2", "API_KEY")
    error = RpcError(1, f"{'x' * 150}hunter2-hunter2", {"hunter2-hunter2": ["hunter2-hunter2"]})
    assert error.text == f"{'x' * 150}[redacted]"
    assert error.data == {"[redacted]": ["[redacted]"]}
    assert "hunter" not in error.message


def test_a_long_secret_is_taken_out_whole() -> None:
    secret = "".join(f"{number:x}Q" for number in range(500))
    keep(secret, "the variable KEY")
    keep(secret[:300] + "another end", "the variable OTHER")
    text = " ".join(
        (secret, secret.upper(), secret[:300] + "another end", json.dumps(secret), secret[:299], secret * 2)
    )
    # Where its end is missing, the beginning goes: the rest says too little to be looked for.
    partly = f"[redacted]{secret[256:299]}"
    assert redact(text) == f'[redacted] [redacted] [redacted] "[redacted]" {partly} [redacted][redacted]'


def test_secrets_that_overlap_leave_nothing() -> None:
    keep("a" * 300 + "bcdefghi", "one")
    keep("efghijklmnop", "two")
    assert redact("x" + "a" * 300 + "bcdefghijklmnop y") == "x[redacted] y"


def test_the_longest_value_takes_little_memory() -> None:
    for number in range(4):
        keep(f"{number}" + "x7Q/" * 16_000, "the variable KEY")
    tracemalloc.start()
    try:
        redact("something to look through")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # Compiled as one expression, each of their 3 million characters took over two kilobytes.
    assert peak < 64 << 20
