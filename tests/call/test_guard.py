"""What may be sent: paths of the sandbox, public addresses, no secrets; and nothing else that a server suggests."""

from __future__ import annotations

import pytest

from mcp_governor.call.guard import Guard

BOX = "/tmp/mcp-governor-x"
READER = Guard(read_only=True, roots=(BOX, "/srv/published"))
WRITER = Guard(read_only=False, roots=(BOX,))


@pytest.mark.parametrize(
    ("value", "reader", "writer"),
    [
        (f"{BOX}/notes.txt", True, True),
        (BOX, True, True),
        (f"{BOX}-other/notes.txt", False, False),
        (f"{BOX}/../other", False, False),
        ("/srv/published/a.txt", True, False),
        ("/srv/published/../secret", False, False),
        ("/etc/passwd", False, False),
        ("//etc/passwd", False, False),
        ("/", False, False),
        ("../../x", False, False),
        ("..", False, False),
        ("a/../../x", False, False),
        ("a\\..\\x", False, False),
        ("~/.ssh/id_rsa", False, False),
        ("~", False, False),
        ("$HOME/x", False, False),
        ("%USERPROFILE%\\x", False, False),
        ("C:\\Windows\\x", False, False),
        ("c:/x", False, False),
        ("\\\\server\\share", False, False),
        ("file:///etc/passwd", False, False),
        (f"file://{BOX}/notes.txt", True, True),
        (f"file://{BOX}/%2e%2e/x", False, False),
        (f"file://host{BOX}/notes.txt", False, False),
        ("src/main.py", True, False),
        ("notes.txt", True, False),
    ],
)
def test_paths(value, reader, writer):
    assert (READER.allows(value, path=True), WRITER.allows(value, path=True)) == (reader, writer)


@pytest.mark.parametrize(
    ("value", "reader", "writer"),
    [
        ("Europe/Berlin", True, True),
        ("octocat/hello-world", True, True),
        ("/vercel/next.js", True, False),
        ("/etc/hosts", False, False),
        ("cat /etc/passwd", False, False),
        ("ls -la ~", False, False),
        ("rm -rf /", False, False),
        ("x=/home/me", False, False),
        ("1 + 1", True, True),
        ("a..b", True, True),
        ("ghp_0123456789abcdefghijABCDEFGHIJ", False, False),
        ("password=hunter2hunter2", False, False),
        ("x" * 2_001, False, False),
        ("a\x1b[31mb", False, False),
        ("\ud800", False, False),
        ("two\nlines", True, True),
        (["fine", "/etc/passwd"], False, False),
        ({"/etc/passwd": 1}, False, False),
        ({"deep": [{"er": "~/.netrc"}]}, False, False),
        (7, True, True),
        (["x"] * 100_000, False, False),
    ],
)
def test_other_values(value, reader, writer):
    assert (READER.allows(value), WRITER.allows(value)) == (reader, writer)


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("https://example.com/", True),
        ("https://en.wikipedia.org/wiki/Berlin", True),
        ("http://8.8.8.8/", True),
        ("http://localhost/", False),
        ("http://LOCALHOST:8080/", False),
        ("http://127.0.0.1/", False),
        ("http://127.1/", False),
        ("http://2130706433/", False),
        ("http://0x7f000001/", False),
        ("http://0.0.0.0/", False),
        ("http://[::1]/", False),
        ("http://[::ffff:127.0.0.1]/", False),
        ("http://10.0.0.1/", False),
        ("http://192.168.1.1/", False),
        ("http://169.254.169.254/latest/meta-data/", False),
        ("http://[fe80::1]/", False),
        ("http://printer.local/", False),
        ("http://metadata.google.internal/", False),
        ("http://intranet/", False),
        ("https://user:secret@example.com/", False),
        ("https://user@example.com/", False),
        ("https://example.com/?next=http://127.0.0.1/", False),
        ("https://example.com/?next=http%3A%2F%2F127.0.0.1/", False),
        ("see http://127.0.0.1/ for more", False),
        ("https://exa mple.com/", False),
        ("http://[", False),
        ("postgresql://localhost/db", False),
        ("mongodb://db.example.com/x", True),
        ("demo://resource/1", False),
    ],
)
def test_addresses(address, allowed):
    assert READER.allows(address) == allowed
    assert WRITER.allows(address) == allowed


def test_addresses_of_published_resources_may_have_a_scheme_of_their_own():
    publishes = Guard(read_only=True, schemes=frozenset({"demo", "http", "file"}))
    assert publishes.allows("demo://resource/1")
    assert not publishes.allows("http://127.0.0.1/")
    assert not publishes.allows("file:///etc/passwd")


@pytest.mark.parametrize("more", [0, 1, 5_000])
def test_what_is_too_long_to_be_looked_at_is_not_sent(more: int) -> None:
    guard = Guard(read_only=False)
    assert guard.allows([1] * 100)
    assert not guard.allows([*[1] * (2_000 + more), "/etc/passwd"], path=True)
    assert not guard.allows({"a": [*[1] * (2_000 + more), "/etc/passwd"]}, path=True)


@pytest.mark.parametrize(("value", "most"), [("a", 500), (1, 2_000)])
def test_what_is_beyond_the_limits_is_refused_though_nothing_in_it_is_wrong(value: object, most: int) -> None:
    guard = Guard(read_only=False)
    assert guard.allows([value] * most)
    assert not guard.allows([value] * (most + 1))
